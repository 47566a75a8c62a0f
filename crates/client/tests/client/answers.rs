//! How an operation ends for the application, and when the client is done.

use seamstress_mcp::message::RequestId;
use seamstress_mcp::probe::{Mark, error_text};
use seamstress_plan::{Ask, Operation};
use seamstress_testing::Asked;
use seamstress_trace::{Outcome, What};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{
    Dialogue, announce, call, call_at, ended, finish, listen, options, request_id, result, step,
};

fn operation(id: &str, at_ms: u64, ask: Ask) -> Operation {
    Operation { id: id.to_owned(), at_ms, ask }
}

#[tokio::test(start_paused = true)]
async fn a_json_rpc_error_on_the_stream_is_a_failed_call() {
    let mut dialogue = Dialogue::in_session(options(), vec![call("c1")]).await;
    let (stream, id) = dialogue.takes_call("c1").await;
    let text = error_text(&Mark::new("s1", "c1", 1), &RequestId::from(id), -32603, "restarted");
    stream.send(&format!("id: s1.c1.1\ndata: {text}\n\n"));
    dialogue.ends("S1").await;
    assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Failed)]);
    assert_eq!(dialogue.delivered().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_an_id_counts_though_the_end_of_its_stream_comes_with_it() {
    let mut dialogue = Dialogue::in_session(options(), vec![call("c1"), call_at("c2", 10)]).await;
    for (call, fails) in [("c1", false), ("c2", true)] {
        let asked = dialogue.server.next_post("tools/call").await;
        let id = request_id(&asked);
        let answer = if fails {
            error_text(&Mark::new("s1", call, 1), &RequestId::from(id), -32603, "failed")
        } else {
            result(call, id, 1)
        };
        let event = format!("data: {answer}\n\n");
        // A length tells the end before the body's reader has taken the event.
        asked.with("content-length", &event.len().to_string()).stream().send(&event);
    }
    dialogue.ends("S1").await;
    assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Done), ended("c2", Outcome::Failed)]);
}

#[tokio::test(start_paused = true)]
async fn a_call_may_be_answered_with_one_json_body_instead_of_a_stream() {
    let mut dialogue = Dialogue::in_session(options(), vec![call("c1")]).await;
    let asked = dialogue.server.next_post("tools/call").await;
    asked.result(&json!({ "content": [] }));
    dialogue.ends("S1").await;
    assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Done)]);
}

#[tokio::test(start_paused = true)]
async fn the_status_tells_whether_a_call_has_certainly_not_run() {
    for (status, outcome) in [
        (400, Outcome::Failed),
        (403, Outcome::Failed),
        (500, Outcome::Unknown),
        (502, Outcome::Unknown),
        (202, Outcome::Unknown),
    ] {
        let mut dialogue = Dialogue::in_session(options(), vec![call("c1")]).await;
        dialogue.server.next_post("tools/call").await.status(status);
        dialogue.ends("S1").await;
        assert_eq!(dialogue.outcomes(), [ended("c1", outcome)], "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_without_an_answer_is_unknown_and_never_sent_again() {
    let mut dialogue = Dialogue::in_session(options(), vec![call("c1"), call_at("c2", 10)]).await;
    drop(dialogue.server.next_post("tools/call").await);
    let never_answered = dialogue.server.next_post("tools/call").await;
    let asked_at = never_answered.at;
    dialogue.server.end_session("S1").await;
    assert_eq!(asked_at.elapsed().as_millis(), 2_000);
    dialogue.is_over().await;
    let unknown = |call| ended(call, Outcome::Unknown);
    assert_eq!(dialogue.outcomes(), [unknown("c1"), unknown("c2")]);
}

#[tokio::test(start_paused = true)]
async fn a_ping_and_a_list_of_tools_are_answered_with_one_message() {
    let workload = || vec![operation("p1", 0, Ask::Ping), operation("l1", 10, Ask::ListTools)];
    let mut dialogue = Dialogue::in_session(options(), workload()).await;
    dialogue.server.next_post("ping").await.result(&json!({}));
    dialogue.server.next_post("tools/list").await.result(&json!({ "tools": [] }));
    dialogue.ends("S1").await;
    assert_eq!(dialogue.outcomes(), [ended("l1", Outcome::Done), ended("p1", Outcome::Done)]);

    let mut dialogue = Dialogue::in_session(options(), workload()).await;
    drop(dialogue.server.next_post("ping").await);
    dialogue.server.next_post("tools/list").await.status(404);
    dialogue.server.begin_session("S2").await;
    dialogue.ends("S2").await;
    assert_eq!(dialogue.outcomes(), [ended("l1", Outcome::Failed), ended("p1", Outcome::Unknown)]);
}

/// The response to a request, as an event under this id.
fn response_event(asked: &Asked, id: &str, result: &Value) -> String {
    let response = json!({ "jsonrpc": "2.0", "id": asked.message["id"], "result": result });
    format!("id: {id}\ndata: {response}\n\n")
}

/// What `initialize` is answered with; the application behind the server is in its session `s7`.
fn initialize_result(asked: &Asked) -> Value {
    json!({
        "protocolVersion": asked.message["params"]["protocolVersion"],
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "a test", "version": "1" },
        "_meta": { "seamstress/session": "s7" },
    })
}

fn ping_and_list() -> [(&'static str, Operation, Value); 2] {
    [
        ("ping", operation("o1", 0, Ask::Ping), json!({})),
        ("tools/list", operation("o1", 0, Ask::ListTools), json!({ "tools": [] })),
    ]
}

#[tokio::test(start_paused = true)]
async fn an_initialize_that_is_answered_on_a_stream_begins_the_session() {
    let mut dialogue = Dialogue::begin(options(), vec![call("c1")]).await;
    let asked = dialogue.server.next_post("initialize").await;
    let response = response_event(&asked, "i.2", &initialize_result(&asked));
    let stream = asked.with("mcp-session-id", "S1").stream();
    stream.send("id: i.1\nretry: 5\ndata:\n\n");
    stream.send(&response);
    let initialized = dialogue.server.next_post("notifications/initialized").await;
    assert_eq!(initialized.header("mcp-session-id"), Some("S1"));
    initialized.status(202);
    stream.left().await;
    let (called, id) = dialogue.takes_call("c1").await;
    finish(&called, "c1", id, 1);
    dialogue.ends("S1").await;
    assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Done)]);
    let origins = dialogue.tape.pick(|what| match what {
        What::SessionBegin { origin, .. } => Some(origin),
        _ => None,
    });
    assert_eq!(origins, [Some("s7".to_owned())]);
}

#[tokio::test(start_paused = true)]
async fn an_initialize_whose_stream_ends_without_a_response_is_sent_again() {
    let mut dialogue = Dialogue::begin(options(), vec![]).await;
    let stream =
        dialogue.server.next_post("initialize").await.with("mcp-session-id", "S1").stream();
    stream.send("id: i.1\ndata:\n\n");
    stream.end();
    dialogue.server.begin_session("S2").await;
    dialogue.ends("S2").await;
}

#[tokio::test(start_paused = true)]
async fn a_ping_and_a_list_of_tools_may_be_answered_on_a_stream() {
    for (rpc, asking, result) in ping_and_list() {
        let mut dialogue = Dialogue::in_session(options(), vec![asking]).await;
        let asked = dialogue.server.next_post(rpc).await;
        let response = response_event(&asked, "o.2", &result);
        let stream = asked.stream();
        stream.send("id: o.1\ndata:\n\n");
        stream.send(&response);
        stream.left().await;
        dialogue.ends("S1").await;
        assert_eq!(dialogue.outcomes(), [ended("o1", Outcome::Done)], "{rpc}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_stream_of_a_ping_or_a_list_is_resumed_when_it_is_cut_after_its_first_id() {
    for (rpc, asking, result) in ping_and_list() {
        let options = seamstress_client::Options { id_scheme: None, ..options() };
        let mut dialogue = Dialogue::in_session(options, vec![asking]).await;
        let asked = dialogue.server.next_post(rpc).await;
        let response = response_event(&asked, "o.2", &result);
        let stream = asked.stream();
        stream.send("id: o.1\ndata:\n\n");
        stream.cut();
        dialogue.takes_resume("o.1").await.send(&response);
        dialogue.ends("S1").await;
        assert_eq!(dialogue.outcomes(), [ended("o1", Outcome::Done)], "{rpc}");
        assert_eq!(dialogue.losses(), Vec::<String>::new(), "{rpc}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_without_ids_that_ends_without_a_response_leaves_the_outcome_unknown() {
    let called = ("tools/call", call("o1"), Value::Null);
    for (rpc, asking, _) in ping_and_list().into_iter().chain([called]) {
        let mut dialogue = Dialogue::in_session(options(), vec![asking]).await;
        let stream = dialogue.server.next_post(rpc).await.stream();
        stream.send(": nothing more\n\n");
        stream.end();
        dialogue.ends("S1").await;
        assert_eq!(dialogue.outcomes(), [ended("o1", Outcome::Unknown)], "{rpc}");
    }
}

#[tokio::test(start_paused = true)]
async fn operations_begin_at_their_time_after_the_session_began() {
    let mut dialogue = Dialogue::begin(options(), vec![call_at("c1", 700)]).await;
    seamstress_testing::after_ms(1_000).await;
    dialogue.server.begin_session("S1").await;
    let begun_at = Instant::now();
    let asked = dialogue.server.next_post("tools/call").await;
    assert_eq!((asked.at - begun_at).as_millis(), 700);
    asked.status(400);
    dialogue.ends("S1").await;
}

#[tokio::test(start_paused = true)]
async fn the_client_waits_for_announced_notifications_but_not_for_ever() {
    let ask = Ask::Announce { events: 2, interval_ms: 0 };
    let announcing = || vec![listen(), operation("a1", 10, ask.clone())];
    for (arriving, waited_ms) in [(2, 0), (1, 500)] {
        let mut dialogue = Dialogue::in_session(options(), announcing()).await;
        let standalone = dialogue.server.next_get().await.stream();
        let (called, id) = dialogue.takes_call("a1").await;
        for n in 1..=arriving {
            announce(&standalone, n);
        }
        finish(&called, "a1", id, 1);
        let finished_at = Instant::now();
        let delete = dialogue.server.next().await;
        let waited = (delete.at - finished_at).as_millis();
        assert!((waited_ms..=waited_ms + 2).contains(&waited), "{arriving}: {waited} ms");
        delete.status(200);
        dialogue.is_over().await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_promised_on_a_stream_that_had_to_begin_anew_is_not_waited_for() {
    let ask = Ask::Announce { events: 2, interval_ms: 0 };
    let workload = vec![listen(), operation("a1", 10, ask)];
    let mut dialogue = Dialogue::in_session(options(), workload).await;
    let standalone = dialogue.server.next_get().await.stream();
    let (called, id) = dialogue.takes_call("a1").await;
    finish(&called, "a1", id, 1);
    seamstress_testing::after_ms(50).await;
    let ended_at = Instant::now();
    standalone.end();
    let delete = dialogue.server.next().await;
    assert_eq!(delete.method, "DELETE");
    assert!(ended_at.elapsed().as_millis() <= 2);
    delete.status(200);
    dialogue.is_over().await;
}

#[tokio::test(start_paused = true)]
async fn a_finished_call_leaves_its_connection_and_asks_for_nothing_more() {
    let mut dialogue =
        Dialogue::in_session(options(), vec![call("c1"), call_at("c2", 5_000)]).await;
    let (stream, id) = dialogue.takes_call("c1").await;
    finish(&stream, "c1", id, 1);
    step(&stream, "c1", 2);
    stream.left().await;
    let (other, id) = dialogue.takes_call("c2").await;
    finish(&other, "c2", id, 1);
    dialogue.ends("S1").await;
    assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Done), ended("c2", Outcome::Done)]);
}
