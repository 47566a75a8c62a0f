//! The server of the official Rust SDK with the probe tools behind it.

use seamstress_foreign::rmcp::{RmcpServer, ServerOptions};
use seamstress_mcp::probe;
use seamstress_testing::{Peer, after_ms, mark, ordinals};
use seamstress_trace::{End, What};
use serde_json::{Value, json};

use crate::support::Running;

const REVISION: &str = "2025-11-25";

const OPTIONS: ServerOptions = ServerOptions {
    channel_capacity: 16,
    session_keep_alive_ms: 300_000,
    retry_ms: None,
    stateful: true,
};

async fn rmcp() -> Running {
    Running::begin(RmcpServer(OPTIONS)).await
}

/// A client that has begun a session, and the server's result for it.
async fn begun(server: &Running) -> (Peer, Value) {
    let answer = server.stranger().initialize(REVISION).send().await;
    let session = answer.header("mcp-session-id").expect("a session").to_owned();
    let peer = server.stranger().with_session(&session);
    let mut events = answer.events();
    let mut event = events.next().await;
    if event.data.as_deref().is_none_or(str::is_empty) {
        event = events.next().await; // the one before primed the cursor
    }
    let result = parsed(event.data.as_deref())["result"].clone();
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(peer.post(&initialized).send().await.status, 202);
    (peer, result)
}

fn parsed(data: Option<&str>) -> Value {
    serde_json::from_str(data.expect("data")).expect("JSON")
}

async fn status_of_ping(peer: &Peer) -> u16 {
    peer.request("ping", &json!({})).send().await.status
}

#[tokio::test(start_paused = true)]
async fn initialize_is_answered_with_a_session_id_and_the_origin_of_the_marks() {
    let server = rmcp().await;
    let (one, result) = begun(&server).await;
    assert_eq!(result["protocolVersion"], REVISION);
    assert_eq!(result["_meta"]["seamstress/session"], "s1");
    let (other, result) = begun(&server).await;
    assert_eq!(result["_meta"]["seamstress/session"], "s2");
    assert!(!one.session().is_empty());
    assert_ne!(one.session(), other.session());
}

#[tokio::test(start_paused = true)]
async fn the_steps_of_a_call_and_its_result_bear_marks_in_the_order_of_their_emission() {
    let server = rmcp().await;
    let (peer, _) = begun(&server).await;
    let arguments = json!({ "call": "c1", "events": 3, "interval_ms": 10 });
    let (events, end) = peer.call(7, "count", &arguments).events().await.rest().await;
    assert_eq!(end, End::Clean);
    let marks: Vec<_> = events.iter().filter_map(mark).collect();
    let expected: Vec<_> = (1..=4).map(|ordinal| ("c1".to_owned(), ordinal)).collect();
    assert_eq!(marks, expected);
    let last = events.last().expect("events");
    let data = last.data.as_deref();
    let result = parsed(data);
    assert_eq!(result["id"], 7);
    assert_eq!(result["result"]["structuredContent"], json!({ "call": "c1", "events": 3 }));
    let read = probe::read(data.expect("data")).expect("a probe");
    assert_eq!(read.mark.expect("a mark").origin, "s1");
    let emitted = server.tape.pick(|what| match what {
        What::Emit { stream, position, .. } => Some((stream, position)),
        _ => None,
    });
    assert_eq!(emitted, expected);
}

#[tokio::test(start_paused = true)]
async fn a_call_of_a_tool_that_is_not_there_is_answered_with_an_error() {
    let server = rmcp().await;
    let (peer, _) = begun(&server).await;
    let (events, _) = peer.call(7, "cuont", &json!({})).events().await.rest().await;
    let error = &parsed(events.last().expect("an answer").data.as_deref())["error"];
    assert_eq!(error["code"], -32602);
    assert_eq!(error["message"], "there is no tool \"cuont\"; see tools/list");
}

#[tokio::test(start_paused = true)]
async fn a_burst_goes_out_on_the_standalone_stream_of_each_session() {
    let server = rmcp().await;
    let (one, _) = begun(&server).await;
    let (other, _) = begun(&server).await;
    let streams = [one.listen().events().await, other.listen().events().await];
    assert_eq!(server.hosting.burst(3), 2);
    for mut stream in streams {
        let events = stream.take(3).await;
        assert_eq!(ordinals(&events), [1, 2, 3]);
        assert!(events.iter().filter_map(mark).all(|(stream, _)| stream == "standalone-1"));
        stream.is_silent_for_ms(1_000).await;
    }
}

#[tokio::test(start_paused = true)]
async fn sessions_are_counted_and_forgotten_on_request() {
    let server = rmcp().await;
    assert_eq!(server.hosting.sessions(), 0);
    let (one, _) = begun(&server).await;
    let (other, _) = begun(&server).await;
    assert_eq!(server.hosting.sessions(), 2);
    assert_eq!(status_of_ping(&one).await, 200);
    assert_eq!(server.hosting.forget_sessions(), Some(2));
    after_ms(1).await;
    assert_eq!(server.hosting.sessions(), 0);
    assert_eq!((status_of_ping(&one).await, status_of_ping(&other).await), (404, 404));
    let (_later, result) = begun(&server).await;
    assert_eq!(result["_meta"]["seamstress/session"], "s3", "no name is given twice");
    assert_eq!(server.hosting.sessions(), 1);
    let ends = server.tape.pick(|what| match what {
        What::SessionEnd { session, why } => Some((session, why)),
        _ => None,
    });
    let evicted = |session: &str| (session.to_owned(), "evicted".to_owned());
    assert_eq!(ends, [evicted("s1"), evicted("s2")]);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_deleted_is_counted_no_more() {
    let server = rmcp().await;
    let (peer, _) = begun(&server).await;
    assert!((200..300).contains(&peer.delete().send().await.status));
    after_ms(1).await;
    assert_eq!(server.hosting.sessions(), 0);
    assert_eq!(server.hosting.forget_sessions(), Some(0));
    assert_eq!(status_of_ping(&peer).await, 404);
}

#[tokio::test(start_paused = true)]
async fn with_a_retry_every_stream_is_primed_and_tells_it() {
    let server = Running::begin(RmcpServer(ServerOptions { retry_ms: Some(40), ..OPTIONS })).await;
    let answer = server.stranger().initialize(REVISION).send().await;
    let first = answer.events().next().await;
    assert_eq!((mark(&first), first.retry), (None, Some(40)), "initialize");
    let (peer, _) = begun(&server).await;
    let arguments = json!({ "call": "c1", "events": 1, "interval_ms": 10 });
    let first = peer.call(7, "count", &arguments).events().await.next().await;
    assert_eq!((mark(&first), first.retry), (None, Some(40)), "a call");
}

#[tokio::test(start_paused = true)]
async fn without_sessions_there_is_no_session_id() {
    let server = Running::begin(RmcpServer(ServerOptions { stateful: false, ..OPTIONS })).await;
    let answer = server.stranger().initialize(REVISION).send().await;
    assert_eq!((answer.status, answer.header("mcp-session-id")), (200, None));
}
