//! What every request carries.

use seamstress_client::Options;
use seamstress_mcp::Revision;
use seamstress_testing::{Asked, after_ms};
use serde_json::json;

use crate::support::{Dialogue, announce, call_at, finish, listen, options, request_id, step};

/// Checks the headers of a request in the session `S1` that negotiated `version`.
fn is_in_session(asked: &Asked, version: &str) {
    let what = format!("{} {}", asked.method, asked.rpc());
    assert_eq!(asked.header("mcp-session-id"), Some("S1"), "{what}");
    assert_eq!(asked.header("mcp-protocol-version"), Some(version), "{what}");
}

#[tokio::test(start_paused = true)]
async fn session_and_negotiated_version_go_with_every_request_after_initialize() {
    let workload = vec![listen(), call_at("c1", 10)];
    let mut dialogue = Dialogue::begin(options(), workload).await;
    let initialize = dialogue.server.next_post("initialize").await;
    assert_eq!(initialize.header("mcp-session-id"), None);
    assert_eq!(initialize.header("mcp-protocol-version"), None);
    assert_eq!(initialize.message["params"]["protocolVersion"], "2025-11-25");
    // The server speaks an older revision than the one that was asked for.
    initialize.with("mcp-session-id", "S1").result(&json!({
        "protocolVersion": "2025-06-18", "capabilities": {},
        "serverInfo": { "name": "a test", "version": "1" },
    }));
    let initialized = dialogue.server.next_post("notifications/initialized").await;
    is_in_session(&initialized, "2025-06-18");
    initialized.status(202);

    let listening = dialogue.server.next_get().await;
    is_in_session(&listening, "2025-06-18");
    assert_eq!((listening.header("accept"), listening.cursor()), (Some("text/event-stream"), None));
    let standalone = listening.stream();
    let called = dialogue.server.next_post("tools/call").await;
    is_in_session(&called, "2025-06-18");
    assert_eq!(called.header("accept"), Some("application/json, text/event-stream"));
    assert_eq!(called.header("content-type"), Some("application/json"));
    let id = request_id(&called);
    let stream = called.stream();
    announce(&standalone, 1);
    step(&stream, "c1", 1);
    after_ms(1).await;
    standalone.cut();
    stream.cut();
    let (mut cursors, mut open) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        let resume = dialogue.server.next_get().await;
        is_in_session(&resume, "2025-06-18");
        assert_eq!(resume.header("accept"), Some("text/event-stream"));
        cursors.extend(resume.cursor().map(str::to_owned));
        let stream = resume.stream();
        if cursors.last().is_some_and(|cursor| cursor == "s1.c1.1") {
            finish(&stream, "c1", id, 2);
        }
        open.push(stream);
    }
    cursors.sort();
    assert_eq!(cursors, ["s1.c1.1", "s1.standalone-1.1"]);
    let delete = dialogue.server.next().await;
    assert_eq!(delete.method, "DELETE");
    is_in_session(&delete, "2025-06-18");
    delete.status(200);
    dialogue.is_over().await;
}

#[tokio::test(start_paused = true)]
async fn a_rotated_session_id_is_taken_from_any_response() {
    let workload = vec![listen(), call_at("c1", 10), call_at("c2", 20)];
    let mut dialogue = Dialogue::in_session(options(), workload).await;
    let listening = dialogue.server.next_get().await;
    let standalone = listening.with("mcp-session-id", "S1-b").stream();
    let called = dialogue.server.next_post("tools/call").await;
    assert_eq!(called.header("mcp-session-id"), Some("S1-b"));
    let id = request_id(&called);
    let one = called.with("mcp-session-id", "S1-c").stream();
    let called = dialogue.server.next_post("tools/call").await;
    assert_eq!(called.header("mcp-session-id"), Some("S1-c"));
    let other_id = request_id(&called);
    let other = called.stream();
    announce(&standalone, 1);
    standalone.cut();
    let resume = dialogue.server.next_get().await;
    assert_eq!(resume.header("mcp-session-id"), Some("S1-c"));
    assert_eq!(resume.cursor(), Some("s1.standalone-1.1"), "the cursor does not depend on it");
    let _standalone = resume.stream();
    finish(&one, "c1", id, 1);
    finish(&other, "c2", other_id, 1);
    dialogue.ends("S1-c").await;
    assert_eq!(dialogue.losses(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_server_without_sessions_gets_no_session_id_and_no_delete() {
    let options = Options { revision: Revision::V2025_03_26, ..options() };
    let mut dialogue = Dialogue::begin(options, vec![call_at("c1", 0)]).await;
    dialogue.server.next_post("initialize").await.result(&json!({
        "protocolVersion": "2025-03-26", "capabilities": {},
        "serverInfo": { "name": "a test", "version": "1" },
    }));
    dialogue.server.next_post("notifications/initialized").await.status(202);
    let called = dialogue.server.next_post("tools/call").await;
    assert_eq!(called.header("mcp-session-id"), None);
    let id = request_id(&called);
    let stream = called.stream();
    step(&stream, "c1", 1);
    stream.cut();
    let resume = dialogue.server.next_get().await;
    assert_eq!((resume.header("mcp-session-id"), resume.cursor()), (None, Some("s1.c1.1")));
    let stream = resume.stream();
    finish(&stream, "c1", id, 2);
    dialogue.is_over().await;
}

#[tokio::test(start_paused = true)]
async fn no_request_id_is_used_twice() {
    let workload = vec![call_at("c1", 0), call_at("c2", 10), call_at("c3", 20)];
    let mut dialogue = Dialogue::in_session(options(), workload).await;
    let (mut ids, mut open) = (Vec::new(), Vec::new());
    for call in ["c1", "c2", "c3"] {
        let (stream, id) = dialogue.takes_call(call).await;
        ids.push(id);
        finish(&stream, call, id, 1);
        open.push(stream);
    }
    dialogue.ends("S1").await;
    assert_eq!(ids, [2, 3, 4], "initialize was the first");
}
