//! Planted defects in what a resumption brings: each does what it is named after, and no more.

use seamstress_defects::Defect as _;
use seamstress_resumption::Retention;
use seamstress_server::{Defect, Options, View};
use seamstress_testing::{Events, Peer, after_ms, mark, ordinals};
use seamstress_trace::{End, What};

use crate::support::{Running, announce, count, options};

pub async fn begin(defect: Defect, options: Options) -> Running {
    let defects = defect.name().parse().expect("a defect's own name");
    Running::begin(Options { defects, ..options }).await
}

/// A server with a defect and its client, whose call of five steps broke off after so many
/// milliseconds; a step takes 10.
async fn broken_off(defect: Defect, after: u64) -> (Running, Peer) {
    let server = begin(defect, options()).await;
    let peer = server.peer().await;
    let mut events = peer.call(1, "count", &count("c1", 5)).events().await;
    events.next().await;
    drop(events);
    after_ms(after).await;
    (server, peer)
}

/// Every id that was given out, in order.
fn ids(server: &Running) -> Vec<String> {
    server.tape.pick(|what| match what {
        What::Emit { id, .. } => id,
        _ => None,
    })
}

fn has_repeats(mut ids: Vec<String>) -> bool {
    let before = ids.len();
    ids.sort();
    ids.dedup();
    ids.len() < before
}

#[tokio::test(start_paused = true)]
async fn a_finished_call_is_replayed_wrongly_in_the_way_of_each_defect() {
    for (defect, stream_events_max, cursor, replayed) in [
        (Defect::InclusiveReplay, None, "s1.c1.3", vec![2, 3, 4, 5, 6]),
        (Defect::ReplaySkipsOne, None, "s1.c1.3", vec![4, 5, 6]),
        (Defect::ReplayLimit, None, "s1.c1.3", vec![3, 4, 5]),
        (Defect::StreamDroppedAtResult, None, "s1.c1.3", vec![]),
        (Defect::ClampToFloor, Some(3), "s1.c1.2", vec![4, 5, 6]),
        (Defect::AcceptAhead, None, "s1.c1.99", vec![]),
        (Defect::AcceptUnknownAsFresh, None, "lost.c1.x", vec![]),
        (Defect::FullHistoryOnUnknown, None, "lost.c1.x", vec![1, 2, 3, 4, 5, 6]),
    ] {
        let retention = Retention { stream_events_max, ..Retention::UNBOUNDED };
        let server = begin(defect, Options { retention, ..options() }).await;
        let peer = server.peer().await;
        peer.call(1, "count", &count("c1", 5)).events().await.rest().await;
        let (rest, end) = peer.resume(cursor).events().await.rest().await;
        assert_eq!((ordinals(&rest), end), (replayed, End::Clean), "{}", defect.name());
    }
}

#[tokio::test(start_paused = true)]
async fn a_cursor_that_names_no_stream_gets_the_standalone_one() {
    for (defect, first) in [(Defect::AcceptUnknownAsFresh, 3), (Defect::FullHistoryOnUnknown, 1)] {
        let server = begin(defect, options()).await;
        let peer = server.peer().await;
        peer.call(1, "announce", &announce("a1", 2)).events().await.rest().await;
        let mut resumed = peer.resume("nonsense").events().await;
        peer.call(2, "announce", &announce("a2", 1)).events().await.rest().await;
        let mut next = resumed.next().await;
        while mark(&next).is_none() {
            next = resumed.next().await;
        }
        assert_eq!(mark(&next), Some(("standalone-1".to_owned(), first)), "{}", defect.name());
    }
}

#[tokio::test(start_paused = true)]
async fn replay_all_streams_brings_what_later_calls_got() {
    let server = begin(Defect::ReplayAllStreams, options()).await;
    let peer = server.peer().await;
    for (id, call) in [(1, "c1"), (2, "c2")] {
        peer.call(id, "count", &count(call, 1)).events().await.rest().await;
    }
    let (rest, _) = peer.resume("s1.c1.2").events().await.rest().await;
    let streams: Vec<_> = rest.iter().filter_map(mark).collect();
    assert_eq!(streams, [("c1".into(), 2), ("c2".into(), 1), ("c2".into(), 2)]);
}

#[tokio::test(start_paused = true)]
async fn replay_all_sessions_brings_events_of_a_session_that_has_ended() {
    let server = begin(Defect::ReplayAllSessions, options()).await;
    let (gone, peer) = (server.peer().await, server.peer().await);
    for peer in [&gone, &peer] {
        peer.call(1, "count", &count("c1", 2)).events().await.rest().await;
    }
    gone.delete().send().await;
    let (rest, _) = peer.resume("s2.c1.3").events().await.rest().await;
    let ids: Vec<_> = rest.iter().filter_map(|event| event.id.as_deref()).collect();
    assert_eq!(ids, ["s2.c1.4", "s1.c1.4"]);
}

#[tokio::test(start_paused = true)]
async fn an_event_stored_at_the_seam_is_lost_doubled_or_out_of_order() {
    for (defect, cursor, got) in [
        (Defect::ScanThenRegister, "s1.c1.3", vec![4, 5, 6]),
        (Defect::RegisterThenScan, "s1.c1.3", vec![3, 3, 4, 5, 6]),
        (Defect::ReplayBesideLive, "s1.c1.1", vec![1, 3, 2, 4, 5, 6]),
    ] {
        // The third step comes 1 ms later.
        let (_server, peer) = broken_off(defect, 29).await;
        let (rest, end) = peer.resume(cursor).events().await.rest().await;
        assert_eq!((ordinals(&rest), end), (got, End::Clean), "{}", defect.name());
    }
}

#[tokio::test(start_paused = true)]
async fn a_finite_replay_is_followed_by_silence() {
    let (_server, peer) = broken_off(Defect::FiniteReplay, 25).await;
    let mut resumed = peer.resume("s1.c1.1").events().await;
    assert_eq!(ordinals(&resumed.take(2).await), [1, 2]);
    resumed.is_silent_for_ms(5_000).await;
}

#[tokio::test(start_paused = true)]
async fn a_colliding_priming_id_makes_the_first_message_look_received() {
    let (server, peer) = broken_off(Defect::PrimingIdCollides, 25).await;
    assert_eq!(ids(&server)[..2], ["s1.c1.1", "s1.c1.1"]);
    let (rest, _) = peer.resume("s1.c1.1").events().await.rest().await;
    assert_eq!(ordinals(&rest), [2, 3, 4, 5, 6]);
}

#[tokio::test(start_paused = true)]
async fn a_result_that_comes_while_nobody_is_connected_is_not_replayed() {
    let (_server, peer) = broken_off(Defect::ResultNotStoredWhenDisconnected, 1_000).await;
    let (rest, end) = peer.resume("s1.c1.1").events().await.rest().await;
    assert_eq!((ordinals(&rest), end), (vec![1, 2, 3, 4, 5], End::Clean));
}

#[tokio::test(start_paused = true)]
async fn ids_are_counted_anew_after_a_reconnect() {
    let (server, peer) = broken_off(Defect::RebaseOnReconnect, 25).await;
    assert!(!has_repeats(ids(&server)));
    let (rest, _) = peer.resume("s1.c1.2").events().await.rest().await;
    let got: Vec<_> = rest.iter().filter_map(|event| event.id.as_deref()).collect();
    assert_eq!(got, ["s1.c1.3", "s1.c1.1", "s1.c1.2", "s1.c1.3", "s1.c1.4"]);
}

#[tokio::test(start_paused = true)]
async fn ids_are_counted_anew_after_a_restart() {
    let (mut server, _peer) = broken_off(Defect::RebaseOnRestart, 25).await;
    assert!(!has_repeats(ids(&server)));
    server.restart().await;
    assert!(has_repeats(ids(&server)), "{:?}", ids(&server));
}

#[tokio::test(start_paused = true)]
async fn ids_are_counted_anew_once_another_replica_has_the_session() {
    let (mut server, peer) = broken_off(Defect::RebaseOnMigration, 25).await;
    server.begin_replica().await;
    let (elsewhere, cursor) = (server.at_replica(1, &peer), "s1.c1.2");
    drop(peer.resume(cursor).events().await);
    after_ms(10).await;
    assert!(!has_repeats(ids(&server)), "it is at home");
    server.control().set_view(1, View::Empty);
    let (rest, _) = elsewhere.resume(cursor).events().await.rest().await;
    assert_eq!(ordinals(&rest), [2, 3, 4, 5, 6], "the cache is shared, the counter is not");
    assert!(has_repeats(ids(&server)));
}

#[tokio::test(start_paused = true)]
async fn a_bare_counter_is_taken_for_that_of_the_first_stream() {
    let server = begin(Defect::StreamCountersWithoutNamespace, options()).await;
    let peer = server.peer().await;
    for (id, call) in [(1, "c1"), (2, "c2")] {
        peer.call(id, "count", &count(call, 1)).events().await.rest().await;
    }
    assert_eq!(ids(&server), ["1", "2", "3", "1", "2", "3"]);
    let (rest, _) = peer.resume("2").events().await.rest().await;
    assert_eq!(mark(&rest[0]), Some(("c1".to_owned(), 2)));
}

#[tokio::test(start_paused = true)]
async fn a_second_connection_gets_a_silent_shadow() {
    let server = begin(Defect::SilentShadow, options()).await;
    let peer = server.peer().await;
    let mut first = peer.listen().events().await;
    let cursor = first.next().await.id.expect("primed");
    let mut shadow = peer.resume(&cursor).events().await;
    peer.call(1, "announce", &announce("a1", 1)).events().await.rest().await;
    shadow.is_silent_for_ms(5_000).await;
    assert_eq!(ordinals(&[first.next().await]), [1]);
}

#[tokio::test(start_paused = true)]
async fn the_late_end_of_a_connection_deregisters_its_successor() {
    let server = begin(Defect::StaleDisconnectDeregistersSuccessor, options()).await;
    let peer = server.peer().await;
    let mut old = peer.listen().events().await;
    let cursor = old.next().await.id.expect("primed");
    let mut new: Events = peer.resume(&cursor).events().await;
    drop(old);
    after_ms(1).await;
    peer.call(1, "announce", &announce("a1", 1)).events().await.rest().await;
    new.is_silent_for_ms(5_000).await;
    assert_eq!(ordinals(&[peer.resume(&cursor).events().await.next().await]), [1], "it is stored");
}
