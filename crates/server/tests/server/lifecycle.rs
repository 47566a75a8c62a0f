//! Beginning and ending a session, and the requests that need no stream.

use seamstress_mcp::{Revision, headers};
use seamstress_testing::after_ms;
use seamstress_trace::End;
use serde_json::json;

use crate::support::{Running, announce, count, is_alive, options};

#[tokio::test(start_paused = true)]
async fn initialize_begins_a_session_and_tells_its_id_in_a_header_only() {
    let server = Running::begin(options()).await;
    let answer = server.stranger().initialize("2025-11-25").send().await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    let id = answer.header("mcp-session-id").expect("a session id").to_owned();
    assert!(headers::session_id_is_valid(&id));
    let body = answer.json().await;
    assert_eq!(body["id"], 1);
    assert_eq!(body["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(body["result"]["_meta"]["seamstress/session"], "s1");
    assert!(body["result"]["capabilities"]["tools"].is_object());
    assert!(!body.to_string().contains(&id), "{body}");
}

#[tokio::test(start_paused = true)]
async fn each_initialize_begins_a_session_of_its_own() {
    let server = Running::begin(options()).await;
    let (one, other) = (server.peer().await, server.peer().await);
    assert_ne!(one.session(), other.session());
    one.delete().send().await;
    assert!(is_alive(&other).await);
}

#[tokio::test(start_paused = true)]
async fn a_known_revision_is_agreed_to_and_an_unknown_one_is_answered_with_the_newest() {
    let server = Running::begin(options()).await;
    for (asked, agreed) in [
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1.0", "2025-11-25"),
    ] {
        let answer = server.stranger().initialize(asked).send().await;
        assert_eq!(answer.json().await["result"]["protocolVersion"], agreed, "{asked}");
    }
    assert_eq!(Revision::LATEST.as_str(), "2025-11-25");
}

#[tokio::test(start_paused = true)]
async fn initialize_without_parameters_begins_no_session() {
    let server = Running::begin(options()).await;
    let answer = server.stranger().request("initialize", &json!({})).send().await;
    assert_eq!(answer.header("mcp-session-id"), None);
    assert_eq!(answer.json().await["error"]["code"], -32602);
    assert_eq!(server.store.leftover().sessions, 0);
}

#[tokio::test(start_paused = true)]
async fn notifications_and_responses_are_accepted_with_202_and_no_body() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    for message in [
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {} }),
        json!({ "jsonrpc": "2.0", "id": 9, "result": {} }),
    ] {
        let answer = peer.post(&message).send().await;
        assert_eq!((answer.status, answer.header("content-type")), (202, None), "{message}");
        assert_eq!(answer.text().await, (String::new(), End::Clean), "{message}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_ping_is_answered_with_an_empty_result() {
    let server = Running::begin(options()).await;
    let answer = server.peer().await.request("ping", &json!({})).send().await;
    assert_eq!(answer.json().await, json!({ "jsonrpc": "2.0", "id": 1, "result": {} }));
}

#[tokio::test(start_paused = true)]
async fn tools_list_names_the_six_tools() {
    let server = Running::begin(options()).await;
    let body = server.peer().await.request("tools/list", &json!({})).send().await.json().await;
    let tools = body["result"]["tools"].as_array().expect("a list");
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(
        names,
        [
            "count",
            "announce",
            "test_reconnection",
            "test_tool_with_progress",
            "test_event_replay",
            "test_multiple_reconnections",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn an_unknown_method_is_a_json_rpc_error_of_its_request() {
    let server = Running::begin(options()).await;
    let answer = server.peer().await.request("resources/list", &json!({})).send().await;
    assert_eq!(answer.status, 200);
    let body = answer.json().await;
    assert_eq!((&body["id"], &body["error"]["code"]), (&json!(1), &json!(-32601)));
}

#[tokio::test(start_paused = true)]
async fn delete_ends_the_session_with_all_its_streams() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    let listening = peer.listen().events().await;
    let calling = peer.call(1, "count", &count("c1", 100)).events().await;
    assert_eq!(peer.delete().send().await.status, 200);
    let (_, end) = listening.rest().await;
    assert_eq!(end, End::Clean);
    let (_, end) = calling.rest().await;
    assert_eq!(end, End::Clean);
    assert_eq!(server.session_ends(), ["deleted"]);
    assert_eq!(server.store.leftover(), Default::default());
    for ask in [peer.listen(), peer.resume("s1.c1.1"), peer.delete()] {
        assert_eq!(ask.send().await.status, 404);
    }
    assert!(!is_alive(&peer).await);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_nobody_uses_expires_and_its_id_is_gone() {
    let server = Running::begin(seamstress_server::Options { session_idle_ms: 1_000, ..options() });
    let server = server.await;
    let peer = server.peer().await;
    after_ms(900).await;
    assert!(is_alive(&peer).await);
    after_ms(900).await;
    assert_eq!(server.store.leftover().sessions, 1, "the ping was 900 ms ago");
    after_ms(700).await;
    assert_eq!(server.session_ends(), ["idle"]);
    assert!(!is_alive(&peer).await);
}

#[tokio::test(start_paused = true)]
async fn an_open_stream_keeps_its_session_and_the_limit_counts_from_its_end() {
    let server = Running::begin(seamstress_server::Options { session_idle_ms: 1_000, ..options() });
    let server = server.await;
    let peer = server.peer().await;
    let listening = peer.listen().events().await;
    after_ms(10_000).await;
    drop(listening);
    after_ms(900).await;
    assert_eq!(server.store.leftover().sessions, 1, "the stream ended 900 ms ago");
    after_ms(700).await;
    assert_eq!(server.session_ends(), ["idle"]);
}

#[tokio::test(start_paused = true)]
async fn what_a_call_emits_alone_does_not_keep_its_session() {
    let server = Running::begin(seamstress_server::Options { session_idle_ms: 1_000, ..options() });
    let server = server.await;
    let peer = server.peer().await;
    drop(peer.call(1, "count", &count("c1", 100_000)).events().await);
    drop(peer.call(2, "announce", &announce("a1", 1)).events().await);
    after_ms(1_600).await;
    assert_eq!(server.session_ends(), ["idle"]);
}
