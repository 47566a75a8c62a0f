//! When a client reconnects: as late as it was told, and after silence.

use seamstress_testing::after_ms;
use seamstress_trace::{End, Outcome, What};
use tokio::time::Instant;

use crate::support::{
    Dialogue, announce, call, call_at, ended, finish, listen, options, places, step,
};

#[tokio::test(start_paused = true)]
async fn without_a_retry_the_client_waits_its_own_delay() {
    for end in [End::Clean, End::NoLastChunk, End::Reset] {
        let mut dialogue = Dialogue::in_session(options(), vec![call("c1")]).await;
        let (stream, id) = dialogue.takes_call("c1").await;
        step(&stream, "c1", 1);
        let ended_at = Instant::now();
        match end {
            End::Clean => stream.end(),
            End::NoLastChunk => stream.cut(),
            _ => stream.reset(),
        }
        let resume = dialogue.server.next_get().await;
        assert_eq!((resume.at - ended_at).as_millis(), 100, "{end:?}");
        let stream = resume.stream();
        finish(&stream, "c1", id, 2);
        dialogue.ends("S1").await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_newest_retry_of_the_stream_is_waited_for() {
    let mut dialogue = Dialogue::in_session(options(), vec![call("c1")]).await;
    let (stream, id) = dialogue.takes_call("c1").await;
    stream.send("retry: 700\n\n");
    step(&stream, "c1", 1);
    stream.send("retry: 12x\n\n");
    let mut ended_at = Instant::now();
    stream.end();
    let resume = dialogue.server.next_get().await;
    assert_eq!((resume.at - ended_at).as_millis(), 700, "what is not a number changes nothing");

    ended_at = Instant::now();
    resume.stream().end();
    let resume = dialogue.server.next_get().await;
    assert_eq!((resume.at - ended_at).as_millis(), 700, "it holds for later connections");

    let stream = resume.stream();
    stream
        .send(&format!("retry: 30\nid: s1.c1.2\ndata: {}\n\n", crate::support::progress("c1", 2)));
    ended_at = Instant::now();
    stream.cut();
    let resume = dialogue.server.next_get().await;
    assert_eq!((resume.at - ended_at).as_millis(), 30, "a newer one takes its place");
    finish(&resume.stream(), "c1", id, 3);
    dialogue.ends("S1").await;
}

#[tokio::test(start_paused = true)]
async fn a_retry_of_one_stream_does_not_concern_another() {
    let mut dialogue = Dialogue::in_session(options(), vec![call("c1"), call_at("c2", 10)]).await;
    let (one, id_of_one) = dialogue.takes_call("c1").await;
    let (other, id_of_other) = dialogue.takes_call("c2").await;
    one.send("retry: 700\n\n");
    step(&one, "c1", 1);
    step(&other, "c2", 1);
    let cut_at = Instant::now();
    one.cut();
    other.cut();
    let resume = dialogue.server.next_get().await;
    assert_eq!((resume.cursor(), (resume.at - cut_at).as_millis()), (Some("s1.c2.1"), 100));
    finish(&resume.stream(), "c2", id_of_other, 2);
    let resume = dialogue.server.next_get().await;
    assert_eq!((resume.cursor(), (resume.at - cut_at).as_millis()), (Some("s1.c1.1"), 700));
    finish(&resume.stream(), "c1", id_of_one, 2);
    dialogue.ends("S1").await;
}

#[tokio::test(start_paused = true)]
async fn a_fresh_standalone_stream_is_waited_for_as_well() {
    let mut dialogue = Dialogue::in_session(options(), vec![listen(), call_at("c1", 1)]).await;
    let stream = dialogue.server.next_get().await.stream();
    let (called, id) = dialogue.takes_call("c1").await;
    stream.send("retry: 300\n\n");
    let ended_at = Instant::now();
    stream.end();
    let again = dialogue.server.next_get().await;
    assert_eq!((again.cursor(), (again.at - ended_at).as_millis()), (None, 300));
    let _stream = again.stream();
    finish(&called, "c1", id, 1);
    dialogue.ends("S1").await;
}

#[tokio::test(start_paused = true)]
async fn a_silent_connection_is_left_after_the_idle_limit_and_resumed() {
    let mut dialogue = Dialogue::in_session(options(), vec![call("c1")]).await;
    let (stream, id) = dialogue.takes_call("c1").await;
    step(&stream, "c1", 1);
    let sent_at = Instant::now();
    stream.left().await;
    assert_eq!(sent_at.elapsed().as_millis(), 10_000);
    let stream = dialogue.takes_resume("s1.c1.1").await;
    assert_eq!(sent_at.elapsed().as_millis(), 10_100);
    finish(&stream, "c1", id, 2);
    dialogue.ends("S1").await;
    assert_eq!(dialogue.delivered(), places("c1", 1..=2));
    let idle = |what| matches!(what, What::End { end: End::IdleTimeout, .. }).then_some(());
    assert_eq!(dialogue.tape.pick(idle).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_comment_keeps_a_connection_alive_and_so_does_half_an_event() {
    let mut dialogue = Dialogue::in_session(options(), vec![listen(), call_at("c1", 1)]).await;
    let standalone = dialogue.server.next_get().await.stream();
    let (called, id) = dialogue.takes_call("c1").await;
    announce(&standalone, 1);
    for _ in 0..5 {
        after_ms(9_000).await;
        standalone.send(": keep-alive\n\n");
        called.send("event: mess");
        called.send("age\n\n");
    }
    after_ms(9_000).await;
    assert!(!standalone.is_left() && !called.is_left());
    finish(&called, "c1", id, 1);
    dialogue.ends("S1").await;
    assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Done)]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_come_in_time_is_given_up_and_asked_for_again() {
    let mut dialogue = Dialogue::in_session(options(), vec![call("c1")]).await;
    let (stream, id) = dialogue.takes_call("c1").await;
    step(&stream, "c1", 1);
    stream.cut();
    let unanswered = dialogue.server.next_get().await;
    let again = dialogue.server.next_get().await;
    assert_eq!((again.at - unanswered.at).as_millis(), 2_000 + 100);
    assert_eq!(again.cursor(), Some("s1.c1.1"));
    finish(&again.stream(), "c1", id, 2);
    dialogue.ends("S1").await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_the_5xx_kind_is_asked_for_again_with_the_same_cursor() {
    let mut dialogue = Dialogue::in_session(options(), vec![call("c1")]).await;
    let (stream, id) = dialogue.takes_call("c1").await;
    step(&stream, "c1", 1);
    stream.cut();
    for status in [502, 503] {
        let resume = dialogue.server.next_get().await;
        assert_eq!(resume.cursor(), Some("s1.c1.1"));
        resume.status(status);
    }
    let stream = dialogue.takes_resume("s1.c1.1").await;
    finish(&stream, "c1", id, 2);
    dialogue.ends("S1").await;
    assert_eq!(dialogue.losses(), Vec::<String>::new());
    assert_eq!(dialogue.delivered(), places("c1", 1..=2));
}
