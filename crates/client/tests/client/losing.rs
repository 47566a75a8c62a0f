//! Losing a session: what ends, what begins again, and what is never sent a second time.

use seamstress_testing::after_ms;
use seamstress_trace::Outcome;

use crate::support::{
    Dialogue, announce, call, call_at, ended, finish, listen, options, places, step,
};

#[tokio::test(start_paused = true)]
async fn a_404_on_a_resume_begins_a_new_session_without_an_id_and_deletes_nothing() {
    let mut dialogue = Dialogue::in_session(options(), vec![call("c1"), call_at("c2", 10)]).await;
    let (one, _) = dialogue.takes_call("c1").await;
    let (other, _) = dialogue.takes_call("c2").await;
    step(&one, "c1", 1);
    one.cut();
    dialogue.server.next_get().await.status(404);
    other.left().await;
    dialogue.server.begin_session("S2").await;
    dialogue.ends("S2").await;
    assert_eq!(dialogue.losses(), ["not-found"]);
    let unknown = |call| ended(call, Outcome::Unknown);
    assert_eq!(dialogue.outcomes(), [unknown("c1"), unknown("c2")]);
}

#[tokio::test(start_paused = true)]
async fn a_404_on_a_call_means_that_it_never_ran_and_the_others_are_unknown() {
    let mut dialogue = Dialogue::in_session(options(), vec![call("c1"), call_at("c2", 10)]).await;
    let (one, _) = dialogue.takes_call("c1").await;
    dialogue.server.next_post("tools/call").await.status(404);
    one.left().await;
    dialogue.server.begin_session("S2").await;
    dialogue.ends("S2").await;
    assert_eq!(dialogue.losses(), ["not-found"]);
    assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Unknown), ended("c2", Outcome::Failed)]);
}

#[tokio::test(start_paused = true)]
async fn a_refused_cursor_gives_the_session_up_and_deletes_it() {
    for status in [400, 403, 409, 410, 405, 204] {
        let mut dialogue = Dialogue::in_session(options(), vec![call("c1")]).await;
        let (stream, _) = dialogue.takes_call("c1").await;
        step(&stream, "c1", 1);
        stream.cut();
        dialogue.server.next_get().await.status(status);
        dialogue.server.end_session("S1").await;
        dialogue.server.begin_session("S2").await;
        dialogue.ends("S2").await;
        assert_eq!(dialogue.losses(), ["refused"], "{status}");
        assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Unknown)], "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_no_stream_refuses_the_cursor() {
    let mut dialogue = Dialogue::in_session(options(), vec![call("c1")]).await;
    let (stream, _) = dialogue.takes_call("c1").await;
    step(&stream, "c1", 1);
    stream.cut();
    dialogue.server.next_get().await.result(&serde_json::json!({}));
    dialogue.server.end_session("S1").await;
    dialogue.server.begin_session("S2").await;
    dialogue.ends("S2").await;
    assert_eq!(dialogue.losses(), ["refused"]);
}

#[tokio::test(start_paused = true)]
async fn the_new_session_knows_no_cursor_of_the_old_one() {
    let mut dialogue = Dialogue::in_session(options(), vec![listen(), call_at("c1", 1_000)]).await;
    let stream = dialogue.server.next_get().await.stream();
    announce(&stream, 1);
    stream.cut();
    dialogue.server.next_get().await.status(404);
    dialogue.server.begin_session("S2").await;
    let listening = dialogue.server.next_get().await;
    assert_eq!((listening.cursor(), listening.header("mcp-session-id")), (None, Some("S2")));
    let _stream = listening.stream();
    let (called, id) = dialogue.takes_call("c1").await;
    finish(&called, "c1", id, 1);
    dialogue.ends("S2").await;
    assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Done)], "it began after the loss");
}

#[tokio::test(start_paused = true)]
async fn a_loss_of_the_standalone_stream_is_a_loss_of_the_session() {
    let mut dialogue = Dialogue::in_session(options(), vec![listen(), call_at("c1", 10)]).await;
    let refused = dialogue.server.next_get().await;
    let (called, _) = dialogue.takes_call("c1").await;
    refused.status(404);
    called.left().await;
    dialogue.server.begin_session("S2").await;
    let _stream = dialogue.server.next_get().await.stream();
    dialogue.ends("S2").await;
    assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Unknown)]);
}

#[tokio::test(start_paused = true)]
async fn a_server_without_a_standalone_stream_is_not_asked_again_and_calls_go_on() {
    let mut dialogue = Dialogue::in_session(options(), vec![listen(), call_at("c1", 1_000)]).await;
    dialogue.server.next_get().await.status(405);
    let (called, id) = dialogue.takes_call("c1").await;
    finish(&called, "c1", id, 1);
    dialogue.ends("S1").await;
    assert_eq!(dialogue.losses(), Vec::<String>::new());
    assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Done)]);
}

#[tokio::test(start_paused = true)]
async fn a_session_is_lost_once_however_many_streams_find_out() {
    let mut dialogue = Dialogue::in_session(options(), vec![call("c1"), call_at("c2", 10)]).await;
    let (one, _) = dialogue.takes_call("c1").await;
    let (other, _) = dialogue.takes_call("c2").await;
    step(&one, "c1", 1);
    step(&other, "c2", 1);
    one.cut();
    other.cut();
    let (of_one, of_other) = (dialogue.server.next_get().await, dialogue.server.next_get().await);
    of_one.status(404);
    of_other.status(404);
    dialogue.server.begin_session("S2").await;
    dialogue.ends("S2").await;
    assert_eq!(dialogue.losses(), ["not-found"]);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_replaced_leaves_the_calls_that_come_later_unharmed() {
    let workload = vec![call("c1"), call_at("c2", 5_000), call_at("c3", 5_500)];
    let mut dialogue = Dialogue::in_session(options(), workload).await;
    dialogue.server.next_post("tools/call").await.status(404);
    dialogue.server.begin_session("S2").await;
    let (other, id) = dialogue.takes_call("c2").await;
    step(&other, "c2", 1);
    other.cut();
    let other = dialogue.takes_resume("s1.c2.1").await;
    finish(&other, "c2", id, 2);
    let (third, id) = dialogue.takes_call("c3").await;
    after_ms(10).await;
    finish(&third, "c3", id, 1);
    dialogue.ends("S2").await;
    assert_eq!(dialogue.delivered(), [places("c2", 1..=2), places("c3", [1])].concat());
}
