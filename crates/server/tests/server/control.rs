//! What faults do to a server from inside.

use seamstress_mcp::Refusal;
use seamstress_resumption::IdScheme;
use seamstress_server::{Effect, Options};
use seamstress_testing::{Peer, after_ms, ordinals};

use crate::support::{Running, announce, count, is_alive, options, resumption};

async fn begin(id_scheme: IdScheme) -> (Running, Peer) {
    let refusal = Refusal::BadRequest;
    let server = Running::begin(Options { id_scheme, refusal, ..options() }).await;
    let peer = server.peer().await;
    (server, peer)
}

#[tokio::test(start_paused = true)]
async fn a_burst_goes_out_at_once_on_the_standalone_stream_of_every_session() {
    let (server, peer) = begin(IdScheme::Namespaced).await;
    let other = server.peer().await;
    let mut listening = peer.listen().events().await;
    assert_eq!(server.control().burst(3), Effect { sessions: 2, events: 6 });
    assert_eq!(ordinals(&listening.take(4).await), [1, 2, 3]);
    let mut of_other = other.listen().events().await;
    assert_eq!(ordinals(&of_other.take(4).await), [1, 2, 3], "kept until somebody listens");
}

#[tokio::test(start_paused = true)]
async fn without_a_session_nothing_has_an_effect() {
    let server = Running::begin(options()).await;
    let control = server.control();
    assert_eq!(control.burst(3), Effect::default());
    assert_eq!(control.shrink_ring(1), Effect::default());
    assert_eq!(control.age_out(1), Effect::default());
    assert_eq!(control.rebase(), Effect::default());
    assert_eq!(control.evict_sessions("evicted"), Effect::default());
}

#[tokio::test(start_paused = true)]
async fn a_shrunk_ring_forgets_the_oldest_and_stays_small() {
    let (server, peer) = begin(IdScheme::Namespaced).await;
    peer.call(1, "count", &count("c1", 6)).events().await.rest().await;
    assert_eq!(server.control().shrink_ring(3), Effect { sessions: 1, events: 5 });
    let refused = peer.resume("s1.c1.5").send().await;
    assert_eq!(resumption(&refused), Some("refused;reason=below-floor"));
    assert_eq!(ordinals(&peer.resume("s1.c1.6").events().await.rest().await.0), [6, 7]);
    peer.call(2, "announce", &announce("a1", 2)).events().await.rest().await;
    let refused = peer.resume("s1.c1.8").send().await;
    assert_eq!(resumption(&refused), Some("refused;reason=below-floor"), "pushed out");
}

#[tokio::test(start_paused = true)]
async fn ageing_out_forgets_what_is_older_and_only_once() {
    let (server, peer) = begin(IdScheme::Namespaced).await;
    peer.call(1, "count", &count("c1", 5)).events().await.rest().await;
    // The result is out now; before it came steps at 10, 20, … 50 ms before, and the priming.
    assert_eq!(server.control().age_out(25), Effect { sessions: 1, events: 4 });
    let refused = peer.resume("s1.c1.4").send().await;
    assert_eq!(resumption(&refused), Some("refused;reason=below-floor"));
    assert_eq!(ordinals(&peer.resume("s1.c1.5").events().await.rest().await.0), [5, 6]);
    after_ms(60_000).await;
    assert_eq!(ordinals(&peer.resume("s1.c1.5").events().await.rest().await.0), [5, 6]);
}

#[tokio::test(start_paused = true)]
async fn an_evicted_session_is_gone_for_its_client() {
    let (server, peer) = begin(IdScheme::Namespaced).await;
    let listening = peer.listen().events().await;
    assert_eq!(server.control().evict_sessions("evicted"), Effect { sessions: 1, events: 0 });
    listening.rest().await;
    assert_eq!(server.session_ends(), ["evicted"]);
    assert!(!is_alive(&peer).await);
}

#[tokio::test(start_paused = true)]
async fn after_a_rebase_every_old_cursor_is_refused_and_the_session_lives_on() {
    for (id_scheme, old, reason) in [
        (IdScheme::SessionCounter, "3", "below-floor"),
        (IdScheme::Namespaced, "s1.c1.3", "below-floor"),
        (IdScheme::EpochNamespaced, "s1.1.c1.3", "other-epoch"),
        (IdScheme::StreamCounter, "3", "below-floor"),
    ] {
        let (server, peer) = begin(id_scheme).await;
        let mut called = peer.call(1, "count", &count("c1", 100)).events().await;
        let third = called.take(3).await.remove(2);
        assert_eq!(third.id.as_deref(), Some(old), "{id_scheme}");
        assert_eq!(server.control().rebase(), Effect { sessions: 1, events: 3 });
        let refused = peer.resume(old).send().await;
        let expected = format!("refused;reason={reason}");
        assert_eq!(resumption(&refused), Some(expected.as_str()), "{id_scheme}");
        assert!(is_alive(&peer).await);
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_rebase_ids_go_on_above_or_begin_again_in_an_epoch_of_their_own() {
    for (id_scheme, next) in [
        (IdScheme::SessionCounter, "4"),
        (IdScheme::Namespaced, "s1.c1.4"),
        (IdScheme::EpochNamespaced, "s1.2.c1.1"),
        (IdScheme::StreamCounter, "4"),
    ] {
        let (server, peer) = begin(id_scheme).await;
        let mut called = peer.call(1, "count", &count("c1", 5)).events().await;
        called.take(3).await;
        server.control().rebase();
        let fourth = called.next().await;
        assert_eq!(fourth.id.as_deref(), Some(next), "{id_scheme}");
        drop(called);
        let (rest, _) = peer.resume(next).events().await.rest().await;
        assert_eq!(ordinals(&rest), [4, 5, 6], "{id_scheme}");
    }
}
