//! Planted defects in everything but replays: each does what it is named after, and no more.

use seamstress_server::Defect;
use seamstress_testing::{after_ms, mark, ordinals};
use seamstress_trace::{Content, What};

use crate::defective_replays::begin;
use crate::support::{Running, announce, count, is_alive, options};

/// What was emitted, in order.
fn contents(server: &Running) -> Vec<Content> {
    server.tape.pick(|what| match what {
        What::Emit { message: Some(message), .. } => Some(message.content),
        _ => None,
    })
}

#[tokio::test(start_paused = true)]
async fn a_broken_connection_ends_its_call_without_a_word() {
    let server = begin(Defect::DisconnectCancelsCall, options()).await;
    let peer = server.peer().await;
    let mut events = peer.call(1, "count", &count("c1", 5)).events().await;
    events.take(3).await;
    drop(events);
    after_ms(1_000).await;
    assert_eq!(contents(&server).len(), 2, "nothing after the second step");
    let mut resumed = peer.resume("s1.c1.2").events().await;
    assert_eq!(ordinals(&[resumed.next().await]), [2]);
    resumed.is_silent_for_ms(5_000).await;
    assert!(is_alive(&peer).await);
}

#[tokio::test(start_paused = true)]
async fn a_broken_connection_keeps_its_session_for_ever() {
    let server = begin(Defect::ConnectionLeak, options()).await;
    let peer = server.peer().await;
    drop(peer.listen().events().await);
    after_ms(10 * options().session_idle_ms).await;
    let leftover = server.store.leftover();
    assert_eq!((leftover.sessions, leftover.streams), (1, 1));
    peer.delete().send().await;
    assert_eq!(server.store.leftover().sessions, 0, "unless it is told to end");
}

#[tokio::test(start_paused = true)]
async fn a_cursor_that_cannot_be_used_is_answered_wrongly_and_the_session_goes_on() {
    for (defect, status) in
        [(Defect::EmptyOn200, 200), (Defect::SilentOn200, 200), (Defect::NotFoundWhileAlive, 404)]
    {
        let server = begin(defect, options()).await;
        let peer = server.peer().await;
        let answer = peer.resume("nonsense").send().await;
        assert_eq!(answer.status, status, "{defect:?}");
        match defect {
            Defect::EmptyOn200 => assert!(answer.text().await.0.is_empty()),
            Defect::SilentOn200 => answer.events().is_silent_for_ms(5_000).await,
            _ => {}
        }
        assert!(is_alive(&peer).await, "{defect:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_unknown_session_is_a_bad_request() {
    let server = begin(Defect::UnknownSessionIs400, options()).await;
    let peer = server.peer().await;
    peer.delete().send().await;
    for ask in [peer.resume("s1.c1.1"), peer.listen(), peer.call(1, "count", &count("c1", 1))] {
        assert_eq!(ask.send().await.status, 400);
    }
}

#[tokio::test(start_paused = true)]
async fn a_get_without_a_cursor_is_answered_with_json() {
    let server = begin(Defect::GetIsJson, options()).await;
    let answer = server.peer().await.listen().send().await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
}

#[tokio::test(start_paused = true)]
async fn messages_of_a_call_are_copied_onto_the_standalone_stream() {
    for (defect, copied) in
        [(Defect::Broadcast, vec![1, 2, 3, 4, 5, 6]), (Defect::ResponseOnGet, vec![6])]
    {
        let server = begin(defect, options()).await;
        let peer = server.peer().await;
        let mut listening = peer.listen().events().await;
        listening.next().await;
        peer.call(1, "count", &count("c1", 5)).events().await.rest().await;
        peer.call(2, "announce", &announce("a1", 1)).events().await.rest().await;
        let mut got = Vec::new();
        while got.last() != Some(&("standalone-1".to_owned(), 1)) {
            got.extend(mark(&listening.next().await));
        }
        let of_call = got.iter().filter(|(stream, _)| stream == "c1");
        let of_call: Vec<u64> = of_call.map(|(_, ordinal)| *ordinal).collect();
        assert_eq!(of_call, copied, "{defect:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_older_call_is_answered_under_the_id_of_a_newer_one() {
    let server = begin(Defect::OneRequestSlot, options()).await;
    let peer = server.peer().await;
    let older = peer.call(1, "count", &count("c1", 2)).events().await;
    let newer = peer.call(2, "count", &count("c2", 3)).events().await;
    tokio::join!(older.rest(), newer.rest());
    let answers: Vec<_> = contents(&server)
        .into_iter()
        .filter_map(|content| match content {
            Content::Result { request, call } => Some((request, call.unwrap_or_default())),
            _ => None,
        })
        .collect();
    assert_eq!(answers, [("2".into(), "c1".into()), ("2".into(), "c2".into())]);
}

#[tokio::test(start_paused = true)]
async fn progress_is_sent_after_the_result() {
    let server = begin(Defect::ProgressAfterResult, options()).await;
    let peer = server.peer().await;
    peer.call(1, "count", &count("c1", 1)).events().await.rest().await;
    after_ms(1).await;
    let contents = contents(&server);
    assert!(matches!(contents[1], Content::Result { .. }), "{contents:?}");
    assert!(matches!(contents[2], Content::Progress { progress: 2, .. }), "{contents:?}");
}

#[tokio::test(start_paused = true)]
async fn a_call_is_answered_twice() {
    let server = begin(Defect::AnswersTwice, options()).await;
    let peer = server.peer().await;
    let (rest, _) = peer.call(1, "count", &count("c1", 1)).events().await.rest().await;
    assert_eq!(ordinals(&rest), [1, 2, 3]);
    let [_, first, second] = &contents(&server)[..] else { panic!("three messages") };
    assert_eq!(first, second);
}
