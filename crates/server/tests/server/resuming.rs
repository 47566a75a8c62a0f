//! Accepted resumptions: exactly what is missing, and then on without a seam.

use seamstress_testing::{Events, Peer, after_ms, mark, ordinals};
use seamstress_trace::{Decision, End};
use serde_json::json;

use crate::support::{Running, announce, count, options, resumption};

/// Reads so many messages of a call, and gives the cursor after them.
async fn read_messages(events: &mut Events, messages: usize) -> String {
    let read = events.take(messages + 1).await;
    read.last().and_then(|event| event.id.clone()).expect("an id")
}

async fn begin(server: &Running) -> (Peer, Events) {
    let peer = server.peer().await;
    let events = peer.call(1, "count", &count("c1", 5)).events().await;
    (peer, events)
}

#[tokio::test(start_paused = true)]
async fn a_resume_replays_exactly_the_missing_suffix_of_a_finished_call() {
    let server = Running::begin(options()).await;
    let (peer, events) = begin(&server).await;
    let (all, _) = events.rest().await;
    for (place, event) in all.iter().enumerate() {
        let cursor = event.id.as_deref().expect("an id");
        let (rest, end) = peer.resume(cursor).events().await.rest().await;
        let missing: Vec<_> = all[place + 1..].iter().map(|event| event.data.clone()).collect();
        let got: Vec<_> = rest.iter().map(|event| event.data.clone()).collect();
        assert_eq!((got, end), (missing, End::Clean), "after {cursor}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_replay_goes_on_live_without_a_seam_wherever_the_connection_is_cut() {
    for messages in 0..=5 {
        for pause_ms in [0, 1, 9, 10, 11, 25, 70] {
            let server = Running::begin(options()).await;
            let (peer, mut events) = begin(&server).await;
            let cursor = read_messages(&mut events, messages).await;
            drop(events);
            after_ms(pause_ms).await;
            let (rest, end) = peer.resume(&cursor).events().await.rest().await;
            let missing: Vec<u64> = (messages as u64 + 1..=6).collect();
            assert_eq!((ordinals(&rest), end), (missing, End::Clean), "{messages}, {pause_ms} ms");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_cut_again_and_again_still_arrives_once() {
    let server = Running::begin(options()).await;
    let (peer, mut events) = begin(&server).await;
    let mut cursor = read_messages(&mut events, 0).await;
    let mut got = Vec::new();
    while got.last() != Some(&6) {
        let event = peer.resume(&cursor).events().await.next().await;
        cursor = event.id.clone().expect("an id");
        got.extend(mark(&event).map(|(_, ordinal)| ordinal));
    }
    assert_eq!(got, [1, 2, 3, 4, 5, 6]);
}

#[tokio::test(start_paused = true)]
async fn a_caught_up_resume_waits_for_live_events() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    let cursor = peer.listen().events().await.next().await.id.expect("primed");
    let mut resumed = peer.resume(&cursor).events().await;
    resumed.is_silent_for_ms(5_000).await;
    peer.call(1, "announce", &announce("a1", 1)).events().await.rest().await;
    assert_eq!(mark(&resumed.next().await), Some(("standalone-1".to_owned(), 1)));
    assert_eq!(server.verdicts(), [Decision::CaughtUp]);
}

#[tokio::test(start_paused = true)]
async fn a_resume_takes_a_live_connection_over_and_nothing_is_lost_or_sent_twice() {
    let server = Running::begin(options()).await;
    let (peer, mut old) = begin(&server).await;
    let cursor = read_messages(&mut old, 2).await;
    let new = peer.resume(&cursor).events().await;
    let (on_old, end) = old.rest().await;
    assert_eq!((ordinals(&on_old), end), (vec![], End::Clean), "the old connection ends");
    assert_eq!(ordinals(&new.rest().await.0), [3, 4, 5, 6]);
}

#[tokio::test(start_paused = true)]
async fn a_takeover_with_a_stale_cursor_repeats_what_was_asked_for_on_the_new_connection_only() {
    let server = Running::begin(options()).await;
    let (peer, mut old) = begin(&server).await;
    read_messages(&mut old, 3).await;
    let new = peer.resume("s1.c1.2").events().await;
    assert_eq!(old.rest().await.0.len(), 0);
    assert_eq!(ordinals(&new.rest().await.0), [2, 3, 4, 5, 6]);
}

#[tokio::test(start_paused = true)]
async fn the_late_end_of_a_connection_does_not_detach_its_successor() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    let mut old = peer.listen().events().await;
    let cursor = old.next().await.id.expect("primed");
    let mut new = peer.resume(&cursor).events().await;
    drop(old);
    after_ms(1).await;
    assert_eq!(server.store.leftover().streams, 1);
    peer.call(1, "announce", &announce("a1", 1)).events().await.rest().await;
    assert_eq!(mark(&new.next().await), Some(("standalone-1".to_owned(), 1)));
}

#[tokio::test(start_paused = true)]
async fn a_result_that_came_while_nobody_was_connected_is_replayed_and_the_stream_ends() {
    let server = Running::begin(options()).await;
    let (peer, mut events) = begin(&server).await;
    let cursor = read_messages(&mut events, 5).await;
    drop(events);
    after_ms(1_000).await;
    let (rest, end) = peer.resume(&cursor).events().await.rest().await;
    assert_eq!((ordinals(&rest), end), (vec![6], End::Clean));
    let data = rest[0].data.as_deref().expect("data");
    assert!(data.contains(r#""structuredContent":{"call":"c1","events":5}"#), "{data}");
}

#[tokio::test(start_paused = true)]
async fn a_resume_after_the_result_has_nothing_to_say_and_ends() {
    let server = Running::begin(options()).await;
    let (peer, events) = begin(&server).await;
    events.rest().await;
    let answer = peer.resume("s1.c1.7").send().await;
    assert_eq!(resumption(&answer), Some(r#"caught-up;stream="c1""#));
    let (rest, end) = answer.events().rest().await;
    assert_eq!((rest.len(), end), (0, End::Clean));
}

#[tokio::test(start_paused = true)]
async fn a_resume_never_shows_an_event_of_another_stream() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    let mut listening = peer.listen().events().await;
    listening.next().await;
    drop(peer.call(1, "count", &count("c1", 3)).events().await);
    drop(peer.call(2, "count", &count("c2", 3)).events().await);
    let on_standalone = json!({ "call": "c3", "events": 3, "progress_on": "standalone" });
    drop(peer.call(3, "count", &on_standalone).events().await);
    after_ms(15).await;
    for call in ["c1", "c2", "c3"] {
        let (rest, _) = peer.resume(&format!("s1.{call}.1")).events().await.rest().await;
        assert!(rest.iter().filter_map(mark).all(|(stream, _)| stream == call), "{rest:?}");
        assert_eq!(ordinals(&rest).first(), Some(&1), "{call}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_verdict_header_tells_stream_place_and_number_of_replayed_events() {
    let server = Running::begin(options()).await;
    let (peer, events) = begin(&server).await;
    events.rest().await;
    let answer = peer.resume("s1.c1.3").send().await;
    assert_eq!(resumption(&answer), Some(r#"resume;stream="c1";after=3;replay=4"#));
    assert_eq!(answer.events().rest().await.0.len(), 4);
    assert_eq!(server.verdicts(), [Decision::Resume { replayed: 4 }]);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_resumed_at_the_same_time_twice_has_one_attached_connection() {
    let server = Running::begin(options()).await;
    let (peer, mut events) = begin(&server).await;
    let cursor = read_messages(&mut events, 1).await;
    let (one, other) = tokio::join!(peer.resume(&cursor).events(), peer.resume(&cursor).events());
    assert_eq!(server.store.leftover().streams, 1);
    let ((of_one, one_end), (of_other, other_end)) = tokio::join!(one.rest(), other.rest());
    assert_eq!((one_end, other_end), (End::Clean, End::Clean));
    let mut lengths = [of_one.len(), of_other.len()];
    lengths.sort_unstable();
    assert_eq!(lengths, [0, 5], "one of them has been taken over and got nothing");
}
