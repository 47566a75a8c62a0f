//! Calling the probe tools: progress, results, and calls that are refused.

use seamstress_testing::{after_ms, mark, ordinals};
use seamstress_trace::{Content, End, What};
use serde_json::json;

use crate::support::{Running, announce, count, options};

fn parsed(event: &sse_stream::Sse) -> serde_json::Value {
    serde_json::from_str(event.data.as_deref().expect("data")).expect("JSON")
}

#[tokio::test(start_paused = true)]
async fn a_count_reports_each_step_and_then_its_result_and_ends() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    let (events, end) = peer.call(7, "count", &count("c1", 3)).events().await.rest().await;
    assert_eq!(end, End::Clean);
    let ids: Vec<_> = events.iter().filter_map(|event| event.id.as_deref()).collect();
    assert_eq!(ids, ["s1.c1.1", "s1.c1.2", "s1.c1.3", "s1.c1.4", "s1.c1.5"]);
    assert_eq!(mark(&events[0]), None, "the priming event holds no message");
    let steps = &events[1..4];
    for (step, progress) in steps.iter().zip(1..) {
        let params = &parsed(step)["params"];
        assert_eq!(params["progressToken"], "t7");
        assert_eq!((&params["progress"], &params["total"]), (&json!(progress), &json!(3)));
        assert_eq!(mark(step), Some(("c1".to_owned(), progress)));
    }
    let result = parsed(&events[4]);
    assert_eq!(result["id"], 7);
    assert_eq!(result["result"]["structuredContent"], json!({ "call": "c1", "events": 3 }));
}

#[tokio::test(start_paused = true)]
async fn every_step_waits_for_its_interval() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    let begun_ms = server.tape.now_ms();
    peer.call(1, "count", &count("c1", 3)).events().await.rest().await;
    assert_eq!(server.tape.now_ms() - begun_ms, 4 * 10, "three steps and the result");
}

#[tokio::test(start_paused = true)]
async fn what_the_tool_did_is_recorded_once_where_it_did_it() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    peer.call(1, "count", &count("c1", 2)).events().await.rest().await;
    let executed = server.tape.pick(|what| match what {
        What::Execute { session, call } => Some((session, call)),
        _ => None,
    });
    assert_eq!(executed, [("s1".to_owned(), "c1".to_owned())]);
    let emitted = server.tape.pick(|what| match what {
        What::Emit { id, position, message, .. } => {
            let content = message.map(|message| message.content);
            Some((id.unwrap_or_default(), position, content))
        }
        _ => None,
    });
    let progress = |progress| Some(Content::Progress { call: "t1".into(), progress });
    let result = Some(Content::Result { request: "1".into(), call: Some("c1".into()) });
    assert_eq!(
        emitted,
        [
            ("s1.c1.1".into(), 1, None),
            ("s1.c1.2".into(), 2, progress(1)),
            ("s1.c1.3".into(), 3, progress(2)),
            ("s1.c1.4".into(), 4, result),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_does_not_cancel_its_call() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    drop(peer.call(1, "count", &count("c1", 5)).events().await);
    after_ms(100).await;
    let results = server.tape.pick(|what| match what {
        What::Emit { message: Some(message), .. } => message.is_response().then_some(()),
        _ => None,
    });
    assert_eq!(results.len(), 1);
    assert_eq!(server.store.leftover().streams, 0);
}

#[tokio::test(start_paused = true)]
async fn progress_on_the_standalone_stream_leaves_the_call_its_result_only() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    let mut listening = peer.listen().events().await;
    let arguments = json!({ "call": "c1", "events": 2, "progress_on": "standalone" });
    let (own, _) = peer.call(1, "count", &arguments).events().await.rest().await;
    assert_eq!(ordinals(&own), [1]);
    let standalone = listening.take(3).await;
    assert_eq!(mark(&standalone[2]), Some(("standalone-1".to_owned(), 2)));
    assert_eq!(parsed(&standalone[2])["params"]["progress"], 2);
}

#[tokio::test(start_paused = true)]
async fn announcements_go_out_on_the_standalone_stream_and_the_result_on_the_calls_own() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    let mut listening = peer.listen().events().await;
    let (own, _) = peer.call(1, "announce", &announce("a1", 2)).events().await.rest().await;
    assert_eq!(parsed(own.last().expect("a result"))["result"]["structuredContent"]["events"], 2);
    let standalone = listening.take(3).await;
    assert_eq!(ordinals(&standalone), [1, 2]);
    assert_eq!(parsed(&standalone[1])["method"], "notifications/message");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_not_understood_is_answered_without_a_stream() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    for (tool, arguments) in [
        ("cuont", json!({})),
        ("count", json!({})),
        ("count", json!({ "call": "c1", "events": "three" })),
        ("count", json!({ "call": "standalone", "events": 1 })),
        ("announce", json!({ "call": "a.b", "events": 1 })),
    ] {
        let answer = peer.call(1, tool, &arguments).send().await;
        assert_eq!(answer.header("content-type"), Some("application/json"), "{tool} {arguments}");
        assert_eq!(answer.json().await["error"]["code"], -32602, "{tool} {arguments}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_of_the_same_name_is_refused_and_not_executed_twice() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    peer.call(1, "count", &count("c1", 1)).events().await.rest().await;
    let again = peer.call(2, "count", &count("c1", 1)).send().await;
    assert_eq!(again.json().await["error"]["code"], -32600);
    let executed = server.tape.pick(|what| matches!(what, What::Execute { .. }).then_some(()));
    assert_eq!(executed.len(), 1);
    let elsewhere = server.peer().await.call(1, "count", &count("c1", 1)).events().await;
    assert_eq!(ordinals(&elsewhere.rest().await.0), [1, 2], "another session has its own names");
}
