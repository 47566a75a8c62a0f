//! The bound on reconnections: progress resets it, and beyond it the loss is declared.

use seamstress_trace::Outcome;
use tokio::time::Instant;

use crate::support::{Dialogue, call, call_at, ended, finish, listen, options, places, step};

#[tokio::test(start_paused = true)]
async fn after_so_many_reconnections_without_a_message_the_session_is_given_up() {
    let mut dialogue = Dialogue::in_session(options(), vec![call("c1")]).await;
    let (stream, _) = dialogue.takes_call("c1").await;
    step(&stream, "c1", 1);
    stream.cut();
    for _ in 0..3 {
        dialogue.takes_resume("s1.c1.1").await.end();
    }
    dialogue.server.end_session("S1").await;
    dialogue.server.begin_session("S2").await;
    dialogue.ends("S2").await;
    assert_eq!(dialogue.losses(), ["gave-up"]);
    assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Unknown)]);
    assert_eq!(dialogue.delivered(), places("c1", [1]));
}

#[tokio::test(start_paused = true)]
async fn a_message_resets_the_bound_and_a_new_id_alone_does_not() {
    let mut dialogue = Dialogue::in_session(options(), vec![call("c1")]).await;
    let (stream, _) = dialogue.takes_call("c1").await;
    step(&stream, "c1", 1);
    stream.cut();
    for n in 1..=4 {
        let cursor = format!("s1.c1.{n}");
        dialogue.takes_resume(&cursor).await.end();
        dialogue.takes_resume(&cursor).await.end();
        let stream = dialogue.takes_resume(&cursor).await;
        step(&stream, "c1", n + 1);
        stream.cut();
    }
    for n in 5..=7 {
        let stream = dialogue.takes_resume(&format!("s1.c1.{n}")).await;
        stream.send(&format!("id: s1.c1.{}\ndata:\n\n", n + 1));
        stream.end();
    }
    dialogue.server.end_session("S1").await;
    dialogue.server.begin_session("S2").await;
    dialogue.ends("S2").await;
    assert_eq!(dialogue.losses(), ["gave-up"]);
    assert_eq!(dialogue.delivered(), places("c1", 1..=5));
}

#[tokio::test(start_paused = true)]
async fn failed_attempts_count_like_empty_ones() {
    let mut dialogue = Dialogue::in_session(options(), vec![call("c1")]).await;
    let (stream, _) = dialogue.takes_call("c1").await;
    step(&stream, "c1", 1);
    stream.cut();
    dialogue.server.next_get().await.status(502);
    drop(dialogue.server.next_get().await);
    let _never_answered = dialogue.server.next_get().await;
    dialogue.server.end_session("S1").await;
    dialogue.server.begin_session("S2").await;
    dialogue.ends("S2").await;
    assert_eq!(dialogue.losses(), ["gave-up"]);
}

#[tokio::test(start_paused = true)]
async fn a_standalone_stream_that_is_given_up_takes_the_pending_calls_with_it() {
    let workload = vec![listen(), call_at("c1", 10)];
    let mut dialogue = Dialogue::in_session(options(), workload).await;
    dialogue.server.next_get().await.stream().end();
    let (called, _) = dialogue.takes_call("c1").await;
    for _ in 0..3 {
        let again = dialogue.server.next_get().await;
        assert_eq!(again.cursor(), None);
        again.stream().end();
    }
    dialogue.server.end_session("S1").await;
    called.left().await;
    assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Unknown)]);
    dialogue.server.begin_session("S2").await;
    let listening = dialogue.server.next_get().await;
    assert_eq!(listening.cursor(), None);
    let _stream = listening.stream();
    dialogue.ends("S2").await;
}

#[tokio::test(start_paused = true)]
async fn an_initialize_that_fails_is_tried_again_and_then_every_operation_ends_as_failed() {
    let workload = vec![listen(), call("c1"), call("c2")];
    let mut dialogue = Dialogue::begin(options(), workload).await;
    let mut last = None::<Instant>;
    for status in [503, 404, 400, 200] {
        let asked = dialogue.server.next_post("initialize").await;
        assert_eq!(asked.header("mcp-session-id"), None);
        if let Some(last) = last {
            assert_eq!((asked.at - last).as_millis(), 100);
        }
        last = Some(asked.at);
        asked.status(status);
    }
    dialogue.is_over().await;
    assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Failed), ended("c2", Outcome::Failed)]);
}

#[tokio::test(start_paused = true)]
async fn an_initialize_that_succeeds_at_last_begins_the_session_as_if_it_had_at_once() {
    let mut dialogue = Dialogue::begin(options(), vec![call("c1")]).await;
    drop(dialogue.server.next_post("initialize").await);
    let odd = serde_json::json!({ "protocolVersion": "1999-01-01" });
    dialogue.server.next_post("initialize").await.result(&odd);
    let _never_answered = dialogue.server.next_post("initialize").await;
    dialogue.server.begin_session("S1").await;
    let (stream, id) = dialogue.takes_call("c1").await;
    finish(&stream, "c1", id, 1);
    dialogue.ends("S1").await;
    assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Done)]);
}
