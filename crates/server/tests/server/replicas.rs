//! Replicas that do not see all of the shared store.

use seamstress_mcp::Refusal;
use seamstress_resumption::IdScheme;
use seamstress_server::{Options, View};
use seamstress_testing::{after_ms, ordinals};
use seamstress_trace::{Decision, End, Host, What};

use crate::support::{Running, count, options, resumption};

/// Two replicas that answer a refused cursor with 400, so that the session can be asked again.
async fn two_replicas(id_scheme: IdScheme) -> Running {
    let refusal = Refusal::BadRequest;
    let mut server = Running::begin(Options { id_scheme, refusal, ..options() }).await;
    server.begin_replica().await;
    server
}

#[tokio::test(start_paused = true)]
async fn every_replica_resumes_every_stream() {
    let server = two_replicas(IdScheme::Namespaced).await;
    let peer = server.peer().await;
    let mut called = peer.call(1, "count", &count("c1", 5)).events().await;
    called.take(3).await;
    let elsewhere = server.at_replica(1, &peer).resume("s1.c1.3").events().await;
    assert_eq!(called.rest().await.1, End::Clean, "the other replica has taken over");
    assert_eq!(ordinals(&elsewhere.rest().await.0), [3, 4, 5, 6]);
    let hosts =
        server.tape.records().into_iter().filter_map(|record| {
            matches!(record.what, What::Verdict { .. }).then_some(record.host)
        });
    assert_eq!(hosts.collect::<Vec<_>>(), [Host::Server2]);
}

#[tokio::test(start_paused = true)]
async fn a_lagging_replica_replays_what_it_has_and_the_rest_when_it_has_caught_up() {
    let server = two_replicas(IdScheme::Namespaced).await;
    let peer = server.peer().await;
    drop(peer.call(1, "count", &count("c1", 10)).events().await);
    after_ms(55).await;
    // Five steps are out, the last two of them within the last 20 ms.
    server.control().set_view(1, View::Lagging { lag_ms: 20 });
    let answer = server.at_replica(1, &peer).resume("s1.c1.1").send().await;
    assert_eq!(resumption(&answer), Some(r#"resume;stream="c1";after=1;replay=3"#));
    let mut events = answer.events();
    let begun_ms = server.tape.now_ms();
    assert_eq!(ordinals(&events.take(3).await), [1, 2, 3]);
    assert_eq!(server.tape.now_ms(), begun_ms, "at once");
    assert_eq!(ordinals(&events.take(2).await), [4, 5]);
    assert_eq!(server.tape.now_ms() - begun_ms, 20, "when it has caught up");
    assert_eq!(ordinals(&events.rest().await.0), [6, 7, 8, 9, 10, 11]);
}

#[tokio::test(start_paused = true)]
async fn a_cursor_that_a_lagging_replica_has_not_seen_is_ahead() {
    let server = two_replicas(IdScheme::Namespaced).await;
    let peer = server.peer().await;
    drop(peer.call(1, "count", &count("c1", 10)).events().await);
    after_ms(55).await;
    server.control().set_view(1, View::Lagging { lag_ms: 20 });
    let elsewhere = server.at_replica(1, &peer);
    let answer = elsewhere.resume("s1.c1.6").send().await;
    assert_eq!((answer.status, resumption(&answer)), (400, Some("refused;reason=ahead")));
    assert_eq!(elsewhere.resume("s1.c1.6").send().await.status, 200, "a view is for one resume");
}

#[tokio::test(start_paused = true)]
async fn a_view_concerns_its_own_replica_only() {
    let server = two_replicas(IdScheme::Namespaced).await;
    let peer = server.peer().await;
    peer.call(1, "count", &count("c1", 1)).events().await.rest().await;
    server.control().set_view(1, View::Empty);
    assert_eq!(peer.resume("s1.c1.1").send().await.status, 200);
    assert_eq!(server.at_replica(1, &peer).resume("s1.c1.1").send().await.status, 400);
}

#[tokio::test(start_paused = true)]
async fn a_replica_without_the_events_or_with_another_epoch_refuses() {
    for (id_scheme, view, cursor, reason) in [
        (IdScheme::Namespaced, View::Empty, "s1.c1.2", "unknown-stream"),
        (IdScheme::SessionCounter, View::Empty, "2", "ahead"),
        (IdScheme::EpochNamespaced, View::OtherEpoch, "s1.0.c1.2", "other-epoch"),
        (IdScheme::Namespaced, View::OtherEpoch, "s1.c1.2", "unknown-stream"),
    ] {
        let server = two_replicas(id_scheme).await;
        let peer = server.peer().await;
        peer.call(1, "count", &count("c1", 3)).events().await.rest().await;
        server.control().set_view(1, view);
        server.at_replica(1, &peer).resume(cursor).send().await;
        let refused = Decision::Refused { reason: reason.to_owned() };
        assert_eq!(server.verdicts(), [refused], "{id_scheme}, {view:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_verdict_names_the_floors_of_the_log_itself() {
    let server = two_replicas(IdScheme::Namespaced).await;
    let peer = server.peer().await;
    peer.call(1, "count", &count("c1", 3)).events().await.rest().await;
    server.control().shrink_ring(2);
    server.control().set_view(1, View::Empty);
    server.at_replica(1, &peer).resume("s1.c1.1").send().await;
    let floors = server.tape.pick(|what| match what {
        What::Verdict { floors, .. } => Some(floors),
        _ => None,
    });
    assert_eq!(floors, [[("c1".to_owned(), 4)]]);
}

#[tokio::test(start_paused = true)]
async fn a_replica_that_begins_does_not_fail_the_calls_of_another() {
    let mut server = Running::begin(options()).await;
    let peer = server.peer().await;
    let called = peer.call(1, "count", &count("c1", 5)).events().await;
    after_ms(25).await;
    server.begin_replica().await;
    drop(called);
    let (rest, end) = peer.resume("s1.c1.1").events().await.rest().await;
    assert_eq!((ordinals(&rest), end), (vec![1, 2, 3, 4, 5, 6], End::Clean));
    assert!(rest[5].data.as_deref().is_some_and(|data| data.contains(r#""result""#)));
}
