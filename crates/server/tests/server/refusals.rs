//! Refused cursors: every answer that can be chosen, and every reason, as a client sees them.

use seamstress_mcp::Refusal;
use seamstress_resumption::{IdScheme, Retention};
use seamstress_server::Options;
use seamstress_testing::{Peer, after_ms};
use seamstress_trace::{Decision, End};

use crate::support::{Running, announce, count, is_alive, options, resumption};

async fn refusing(refusal: Refusal) -> (Running, Peer) {
    let server = Running::begin(Options { refusal, ..options() }).await;
    let peer = server.peer().await;
    (server, peer)
}

#[tokio::test(start_paused = true)]
async fn a_404_ends_the_session_with_everything_that_is_connected() {
    let (server, peer) = refusing(Refusal::NotFoundAndEndSession).await;
    let listening = peer.listen().events().await;
    let answer = peer.resume("nonsense").send().await;
    assert_eq!((answer.status, resumption(&answer)), (404, Some("refused;reason=malformed")));
    let error = answer.json().await["error"].clone();
    assert_eq!((&error["code"], &error["data"]["reason"]), (&(-32020).into(), &"malformed".into()));
    assert_eq!(listening.rest().await.1, End::Clean);
    assert_eq!(server.session_ends(), ["refused"]);
    assert!(!is_alive(&peer).await);
}

#[tokio::test(start_paused = true)]
async fn a_404_for_the_cursor_of_one_session_leaves_the_others_alone() {
    let (server, peer) = refusing(Refusal::NotFoundAndEndSession).await;
    let other = server.peer().await;
    peer.resume("nonsense").send().await;
    assert!(is_alive(&other).await);
}

#[tokio::test(start_paused = true)]
async fn a_400_a_409_and_a_410_keep_the_session() {
    for (refusal, status) in
        [(Refusal::BadRequest, 400), (Refusal::Conflict, 409), (Refusal::Gone, 410)]
    {
        let (server, peer) = refusing(refusal).await;
        let answer = peer.resume("nonsense").send().await;
        assert_eq!(
            (answer.status, resumption(&answer)),
            (status, Some("refused;reason=malformed"))
        );
        let error = answer.json().await["error"].clone();
        assert_eq!(error["data"]["reason"], "malformed");
        assert!(is_alive(&peer).await, "{refusal}");
        assert!(server.session_ends().is_empty(), "{refusal}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_200_and_empty_keeps_the_session_and_ends_at_once() {
    let (_server, peer) = refusing(Refusal::OkAndEmpty).await;
    let answer = peer.resume("nonsense").send().await;
    assert_eq!(resumption(&answer), Some("refused;reason=malformed"));
    let (events, end) = answer.events().rest().await;
    assert_eq!((events.len(), end), (0, End::Clean));
    assert!(is_alive(&peer).await);
}

#[tokio::test(start_paused = true)]
async fn a_200_and_silent_keeps_the_session_and_stays_open_without_an_event() {
    let (server, peer) = refusing(Refusal::OkAndSilent).await;
    let answer = peer.resume("nonsense").send().await;
    assert_eq!(resumption(&answer), Some("refused;reason=malformed"));
    let mut silence = answer.events();
    peer.call(1, "announce", &announce("a1", 1)).events().await.rest().await;
    silence.is_silent_for_ms(60_000).await;
    assert_eq!(server.store.leftover().streams, 0, "it is attached to nothing");
    assert!(is_alive(&peer).await);
}

#[tokio::test(start_paused = true)]
async fn the_session_verdict_comes_first_and_an_unknown_session_has_no_resumption_verdict() {
    let (server, peer) = refusing(Refusal::BadRequest).await;
    let answer = peer.with_session("made-up").resume("nonsense").send().await;
    assert_eq!((answer.status, resumption(&answer)), (404, None));
    assert_eq!(answer.json().await["error"]["code"], -32001);
    assert_eq!(server.verdicts(), [Decision::Refused { reason: "no-session".to_owned() }]);
}

#[tokio::test(start_paused = true)]
async fn each_reason_reaches_the_client_by_name() {
    let retention = Retention { stream_events_max: Some(2), ..Retention::UNBOUNDED };
    let refusal = Refusal::BadRequest;
    let server = Running::begin(Options { refusal, retention, ..options() }).await;
    let peer = server.peer().await;
    peer.call(1, "count", &count("c1", 4)).events().await.rest().await;
    for (cursor, reason) in [
        ("nonsense", "malformed"),
        ("…", "malformed"),
        ("s1.c1.04", "malformed"),
        ("s1.c1.1", "below-floor"),
        ("s1.c1.4", "below-floor"),
        ("s1.c1.7", "ahead"),
        ("s1.c2.1", "unknown-stream"),
        ("s2.c1.5", "other-session"),
    ] {
        let answer = peer.resume(cursor).send().await;
        let expected = format!("refused;reason={reason}");
        assert_eq!(
            (answer.status, resumption(&answer)),
            (400, Some(expected.as_str())),
            "{cursor}"
        );
    }
    assert_eq!(peer.resume("s1.c1.5").events().await.rest().await.0.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_bare_counter_is_refused_as_ambiguous_as_soon_as_there_are_two_streams() {
    let (refusal, id_scheme) = (Refusal::BadRequest, IdScheme::StreamCounter);
    let server = Running::begin(Options { refusal, id_scheme, ..options() }).await;
    let peer = server.peer().await;
    peer.call(1, "count", &count("c1", 2)).events().await.rest().await;
    assert_eq!(peer.resume("2").send().await.status, 200);
    peer.call(2, "count", &count("c2", 2)).events().await.rest().await;
    let answer = peer.resume("2").send().await;
    assert_eq!(resumption(&answer), Some("refused;reason=ambiguous"));
}

#[tokio::test(start_paused = true)]
async fn an_event_that_has_grown_too_old_is_below_the_floor() {
    let retention = Retention { age_ms_max: Some(1_000), ..Retention::UNBOUNDED };
    let refusal = Refusal::BadRequest;
    let server = Running::begin(Options { refusal, retention, ..options() }).await;
    let peer = server.peer().await;
    peer.call(1, "count", &count("c1", 1)).events().await.rest().await;
    after_ms(900).await;
    assert_eq!(peer.resume("s1.c1.1").send().await.status, 200);
    after_ms(200).await;
    let answer = peer.resume("s1.c1.1").send().await;
    assert_eq!(resumption(&answer), Some("refused;reason=below-floor"));
}
