//! The checks that every request passes before it is looked at, each with its answer.

use http::Method;
use seamstress_testing::{Answer, Ask};
use serde_json::json;

use crate::support::{Running, count, is_alive, options};

/// The answer must have this status and say why in a JSON-RPC error.
async fn is_refused(what: &str, ask: Ask, status: u16) {
    let answer = ask.send().await;
    assert_eq!(answer.status, status, "{what}");
    let error = answer.json().await;
    assert!(error["error"]["code"].is_i64() && error["id"].is_null(), "{what}: {error}");
    assert!(!error["error"]["message"].as_str().unwrap_or_default().is_empty(), "{what}: {error}");
}

async fn is_taken(what: &str, ask: Ask) -> Answer {
    let answer = ask.send().await;
    assert_eq!(answer.status, 200, "{what}");
    answer
}

#[tokio::test(start_paused = true)]
async fn a_foreign_origin_is_forbidden_and_a_local_one_is_not() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    for origin in ["https://evil.example", "http://localhost.evil.example", "null"] {
        is_refused(origin, peer.request("ping", &json!({})).header("origin", origin), 403).await;
        is_refused(origin, peer.listen().header("origin", origin), 403).await;
        is_refused(origin, peer.delete().header("origin", origin), 403).await;
    }
    assert!(is_alive(&peer).await, "the foreign DELETE changed nothing");
    for origin in ["http://localhost:8080", "http://127.0.0.1", "https://[::1]:1"] {
        is_taken(origin, peer.request("ping", &json!({})).header("origin", origin)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_post_must_accept_both_media_types_and_a_get_the_event_stream() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    let ping = || peer.request("ping", &json!({}));
    for accept in ["application/json", "text/event-stream", "text/html"] {
        is_refused(accept, ping().header("accept", accept), 406).await;
    }
    is_refused("no Accept", ping().without("accept"), 406).await;
    is_refused("a GET for JSON", peer.listen().header("accept", "application/json"), 406).await;
    is_refused("a GET without Accept", peer.listen().without("accept"), 406).await;
    is_taken("anything", ping().header("accept", "*/*")).await;
    is_taken("a GET for anything", peer.listen().header("accept", "*/*")).await;
}

#[tokio::test(start_paused = true)]
async fn a_post_must_be_json() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    let ping = || peer.request("ping", &json!({}));
    is_refused("plain text", ping().header("content-type", "text/plain"), 415).await;
    is_refused("no content type", ping().without("content-type"), 415).await;
    is_taken("with a charset", ping().header("content-type", "application/json; charset=utf-8"))
        .await;
}

#[tokio::test(start_paused = true)]
async fn a_body_that_is_not_one_json_rpc_message_is_a_bad_request() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    let ping = || peer.request("ping", &json!({}));
    for body in [
        "",
        "{",
        "[]",
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
        r#"{"id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
    ] {
        is_refused(body, ping().body(body), 400).await;
    }
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(1 << 20));
    is_refused("longer than 1 MiB", ping().body(&long), 400).await;
}

#[tokio::test(start_paused = true)]
async fn a_session_must_be_named_and_known() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    let asks = || {
        [
            ("POST", peer.request("ping", &json!({}))),
            ("call", peer.call(1, "count", &count("c1", 1))),
            ("GET", peer.listen()),
            ("resume", peer.resume("s1.c1.1")),
            ("DELETE", peer.delete()),
        ]
    };
    for (what, ask) in asks() {
        is_refused(what, ask.without("mcp-session-id"), 400).await;
    }
    for (what, ask) in asks() {
        is_refused(what, ask.header("mcp-session-id", "made-up"), 404).await;
    }
    peer.delete().send().await;
    for (what, ask) in asks() {
        is_refused(what, ask, 404).await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_protocol_version_may_be_absent_but_not_unknown() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    let ping = || peer.request("ping", &json!({}));
    for version in ["2026-07-28", "latest", ""] {
        is_refused(version, ping().header("mcp-protocol-version", version), 400).await;
        is_refused(version, peer.listen().header("mcp-protocol-version", version), 400).await;
    }
    is_taken("absent", ping().without("mcp-protocol-version")).await;
    is_taken("older", ping().header("mcp-protocol-version", "2025-03-26")).await;
}

#[tokio::test(start_paused = true)]
async fn another_method_is_not_allowed_and_the_allowed_ones_are_named() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    for method in [Method::PUT, Method::PATCH] {
        let answer = peer.ask(method.clone()).send().await;
        assert_eq!(answer.status, 405, "{method}");
        // RFC 9110, section 15.5.6: a 405 must name what is allowed.
        assert_eq!(answer.header("allow"), Some("GET, POST, DELETE"), "{method}");
    }
}
