//! A server process that ends and begins again over the same store.

use seamstress_testing::{after_ms, ordinals};
use seamstress_trace::{Content, End, What};
use serde_json::json;

use crate::support::{Running, announce, count, is_alive, options};

#[tokio::test(start_paused = true)]
async fn a_call_that_was_running_ends_with_an_error_on_its_stream() {
    let mut server = Running::begin(options()).await;
    let peer = server.peer().await;
    let mut called = peer.call(5, "count", &count("c1", 1_000)).events().await;
    let cursor = called.take(3).await[2].id.clone().expect("an id");
    server.restart().await;
    let (rest, end) = peer.resume(&cursor).events().await.rest().await;
    assert_eq!((ordinals(&rest), end), (vec![3], End::Clean));
    let data = rest[0].data.as_deref().expect("data");
    let error: serde_json::Value = serde_json::from_str(data).expect("JSON");
    assert_eq!((&error["id"], &error["error"]["code"]), (&json!(5), &json!(-32603)));
    after_ms(60_000).await;
    let emitted = server.tape.pick(|what| match what {
        What::Emit { message: Some(message), .. } => Some(message.content),
        _ => None,
    });
    let error = Content::Error { request: Some("5".into()), code: -32603 };
    assert_eq!(emitted.last(), Some(&error), "nothing comes after the error");
    assert_eq!(emitted.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn the_log_is_kept_and_the_session_lives_on() {
    let mut server = Running::begin(options()).await;
    let peer = server.peer().await;
    peer.call(1, "count", &count("c1", 3)).events().await.rest().await;
    let mut listening = peer.listen().events().await;
    listening.next().await;
    server.restart().await;
    assert!(is_alive(&peer).await);
    let (rest, end) = peer.resume("s1.c1.2").events().await.rest().await;
    assert_eq!((ordinals(&rest), end), (vec![2, 3, 4], End::Clean));
    let mut resumed = peer.resume("s1.standalone-1.1").events().await;
    peer.call(2, "announce", &announce("a1", 1)).events().await.rest().await;
    assert_eq!(ordinals(&[resumed.next().await]), [1]);
}

#[tokio::test(start_paused = true)]
async fn the_connections_of_the_process_before_are_gone() {
    let mut server = Running::begin(options()).await;
    let peer = server.peer().await;
    let listening = peer.listen().events().await;
    server.restart().await;
    let (events, _) = listening.rest().await;
    assert_eq!(events.len(), 1);
    assert_eq!(server.store.leftover().streams, 0);
}
