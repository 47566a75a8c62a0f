//! The standalone stream: a GET without a cursor.

use seamstress_testing::{after_ms, mark, ordinals};
use seamstress_trace::End;

use crate::support::{Running, announce, options, resumption};

#[tokio::test(start_paused = true)]
async fn the_first_get_attaches_to_what_was_announced_before_it() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    peer.call(1, "announce", &announce("a1", 3)).events().await.rest().await;
    let answer = peer.listen().send().await;
    assert_eq!(resumption(&answer), None, "there was no cursor to judge");
    let mut listening = answer.events();
    let before = listening.take(4).await;
    assert_eq!(before[0].id.as_deref(), Some("s1.standalone-1.1"));
    assert_eq!(ordinals(&before), [1, 2, 3]);
    peer.call(2, "announce", &announce("a2", 1)).events().await.rest().await;
    assert_eq!(mark(&listening.next().await), Some(("standalone-1".to_owned(), 4)));
    listening.is_silent_for_ms(1_000).await;
}

#[tokio::test(start_paused = true)]
async fn a_second_fresh_get_supersedes_the_first_which_ends_cleanly() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    let first = peer.listen().events().await;
    peer.call(1, "announce", &announce("a1", 1)).events().await.rest().await;
    let mut second = peer.listen().events().await;
    let (on_first, end) = first.rest().await;
    assert_eq!((ordinals(&on_first), end), (vec![1], End::Clean));
    assert_eq!(second.next().await.id.as_deref(), Some("s1.standalone-2.1"));
    peer.call(2, "announce", &announce("a2", 1)).events().await.rest().await;
    assert_eq!(mark(&second.next().await), Some(("standalone-2".to_owned(), 1)));
    assert_eq!(server.store.leftover().streams, 1);
}

#[tokio::test(start_paused = true)]
async fn what_a_superseded_stream_still_holds_can_be_resumed_and_then_it_ends() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    drop(peer.listen().events().await);
    after_ms(1).await;
    peer.call(1, "announce", &announce("a1", 2)).events().await.rest().await;
    let mut fresh = peer.listen().events().await;
    fresh.next().await;
    let (rest, end) = peer.resume("s1.standalone-1.1").events().await.rest().await;
    assert_eq!((ordinals(&rest), end), (vec![1, 2], End::Clean));
    peer.call(2, "announce", &announce("a2", 1)).events().await.rest().await;
    let live = fresh.next().await;
    assert_eq!(mark(&live), Some(("standalone-2".to_owned(), 1)), "the fresh one is undisturbed");
}

#[tokio::test(start_paused = true)]
async fn an_empty_cursor_is_none_and_gets_a_fresh_stream() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    drop(peer.listen().events().await);
    let answer = peer.resume("").send().await;
    assert_eq!(resumption(&answer), None);
    assert_eq!(answer.events().next().await.id.as_deref(), Some("s1.standalone-2.1"));
    assert!(server.verdicts().is_empty());
}

#[tokio::test(start_paused = true)]
async fn each_session_has_a_standalone_stream_of_its_own() {
    let server = Running::begin(options()).await;
    let (one, other) = (server.peer().await, server.peer().await);
    let (mut of_one, mut of_other) = (one.listen().events().await, other.listen().events().await);
    of_one.next().await;
    of_other.next().await;
    one.call(1, "announce", &announce("a1", 1)).events().await.rest().await;
    assert_eq!(of_one.next().await.id.as_deref(), Some("s1.standalone-1.2"));
    of_other.is_silent_for_ms(1_000).await;
}
