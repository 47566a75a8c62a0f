//! One cursor for each stream: the id of the last complete event, and nothing else.

use seamstress_trace::{End, Outcome, What};

use crate::support::{
    Dialogue, announce, call, call_at, ended, finish, listen, options, places, progress, step,
};

#[tokio::test(start_paused = true)]
async fn a_broken_stream_is_resumed_with_the_id_of_its_last_event() {
    let mut dialogue = Dialogue::in_session(options(), vec![call("c1")]).await;
    let (stream, id) = dialogue.takes_call("c1").await;
    step(&stream, "c1", 1);
    step(&stream, "c1", 2);
    stream.cut();
    let stream = dialogue.takes_resume("s1.c1.2").await;
    step(&stream, "c1", 3);
    stream.reset();
    let stream = dialogue.takes_resume("s1.c1.3").await;
    stream.end();
    let stream = dialogue.takes_resume("s1.c1.3").await;
    finish(&stream, "c1", id, 4);
    dialogue.ends("S1").await;
    assert_eq!(dialogue.delivered(), places("c1", 1..=4));
    assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Done)]);
    assert_eq!(dialogue.losses(), Vec::<String>::new());
    let ends = dialogue.tape.pick(|what| match what {
        What::End { exchange: 3..=6, end } => Some(end),
        _ => None,
    });
    assert_eq!(ends, [End::NoLastChunk, End::Reset, End::Clean, End::Left]);
}

#[tokio::test(start_paused = true)]
async fn the_id_of_an_unfinished_event_does_not_count() {
    for unfinished in ["id: s1.c1.2", "id: s1.c1.2\n", "id: s1.c1.2\ndata: {}\n"] {
        let mut dialogue = Dialogue::in_session(options(), vec![call("c1")]).await;
        let (stream, id) = dialogue.takes_call("c1").await;
        step(&stream, "c1", 1);
        stream.send(unfinished);
        stream.cut();
        let stream = dialogue.takes_resume("s1.c1.1").await;
        finish(&stream, "c1", id, 2);
        dialogue.ends("S1").await;
        assert_eq!(dialogue.delivered(), places("c1", 1..=2), "{unfinished:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_id_alone_moves_the_cursor_and_an_event_without_one_leaves_it() {
    let mut dialogue = Dialogue::in_session(options(), vec![call("c1")]).await;
    let (stream, id) = dialogue.takes_call("c1").await;
    stream.send("id: s1.c1.1\n\n");
    stream.send(&format!("data: {}\n\n", progress("c1", 1)));
    stream.send(": a comment\n\nretry: 5\n\n");
    stream.cut();
    let stream = dialogue.takes_resume("s1.c1.1").await;
    finish(&stream, "c1", id, 2);
    dialogue.ends("S1").await;
    assert_eq!(dialogue.delivered(), places("c1", 1..=2));
}

#[tokio::test(start_paused = true)]
async fn a_priming_event_of_any_form_gives_a_cursor_and_is_handed_to_nobody() {
    for priming in [
        "id: s1.c1.1\ndata:\n\n",
        "id: s1.c1.1\n\n",
        "id: s1.c1.1\nretry: 5\n\n",
        "event: prime\nid: s1.c1.1\ndata:\n\n",
    ] {
        let mut dialogue = Dialogue::in_session(options(), vec![call("c1")]).await;
        let (stream, id) = dialogue.takes_call("c1").await;
        stream.send(priming);
        stream.end();
        let stream = dialogue.takes_resume("s1.c1.1").await;
        finish(&stream, "c1", id, 2);
        dialogue.ends("S1").await;
        assert_eq!(dialogue.delivered(), places("c1", [2]), "{priming:?}");
        assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Done)], "{priming:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_without_a_cursor_ends_as_unknown_and_is_not_sent_again() {
    for sent in ["", ": a comment\n\n", "id: s1.c1.1\n\nid:\n\n", "id: s1.c1.1\n\nid\n\n"] {
        let mut dialogue = Dialogue::in_session(options(), vec![call("c1")]).await;
        let (stream, _) = dialogue.takes_call("c1").await;
        stream.send(sent);
        stream.cut();
        dialogue.ends("S1").await;
        assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Unknown)], "{sent:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_standalone_stream_without_a_cursor_is_opened_anew() {
    for sent in ["", "id: s1.standalone-1.1\n\nid:\n\n"] {
        let mut dialogue = Dialogue::in_session(options(), vec![listen(), call_at("c1", 50)]).await;
        let stream = dialogue.server.next_get().await.stream();
        stream.send(sent);
        let (called, id) = dialogue.takes_call("c1").await;
        stream.end();
        let again = dialogue.server.next_get().await;
        assert_eq!(again.cursor(), None, "{sent:?}");
        let stream = again.stream();
        announce(&stream, 1);
        finish(&called, "c1", id, 1);
        dialogue.ends("S1").await;
        assert_eq!(dialogue.losses(), Vec::<String>::new(), "{sent:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn several_calls_at_once_each_keep_their_own_cursor() {
    let workload = vec![listen(), call_at("c1", 10), call_at("c2", 20)];
    let mut dialogue = Dialogue::in_session(options(), workload).await;
    let standalone = dialogue.server.next_get().await.stream();
    let (one, id_of_one) = dialogue.takes_call("c1").await;
    let (other, id_of_other) = dialogue.takes_call("c2").await;
    announce(&standalone, 1);
    step(&one, "c1", 1);
    step(&other, "c2", 1);
    step(&other, "c2", 2);
    seamstress_testing::after_ms(1).await;
    standalone.cut();
    seamstress_testing::after_ms(1).await;
    one.cut();
    seamstress_testing::after_ms(1).await;
    other.cut();
    let standalone = dialogue.takes_resume("s1.standalone-1.1").await;
    let one = dialogue.takes_resume("s1.c1.1").await;
    let other = dialogue.takes_resume("s1.c2.2").await;
    finish(&other, "c2", id_of_other, 3);
    announce(&standalone, 2);
    seamstress_testing::after_ms(1).await;
    finish(&one, "c1", id_of_one, 2);
    dialogue.ends("S1").await;
    let to = |label: &str| {
        let delivered = dialogue.delivered();
        delivered.into_iter().filter(|(to, _)| to == label).map(|(_, at)| at).collect::<Vec<_>>()
    };
    assert_eq!((to("standalone"), to("c1"), to("c2")), (vec![1, 2], vec![1, 2], vec![1, 2, 3]));
}

#[tokio::test(start_paused = true)]
async fn a_response_on_the_stream_of_another_call_reaches_its_own() {
    let mut dialogue = Dialogue::in_session(options(), vec![call("c1"), call_at("c2", 10)]).await;
    let (one, id_of_one) = dialogue.takes_call("c1").await;
    let (other, id_of_other) = dialogue.takes_call("c2").await;
    finish(&one, "c2", id_of_other, 1);
    other.left().await;
    assert_eq!(dialogue.outcomes(), [ended("c2", Outcome::Done)]);
    assert!(!one.is_left(), "the stream that carried it goes on for its own call");
    finish(&one, "c1", id_of_one, 1);
    dialogue.ends("S1").await;
    assert_eq!(dialogue.delivered(), [places("c2", [1]), places("c1", [1])].concat());
}

#[tokio::test(start_paused = true)]
async fn a_response_to_a_request_that_was_never_made_is_handed_to_nobody() {
    let mut dialogue = Dialogue::in_session(options(), vec![call("c1")]).await;
    let (stream, id) = dialogue.takes_call("c1").await;
    finish(&stream, "c9", 999, 1);
    finish(&stream, "c1", id, 2);
    dialogue.ends("S1").await;
    assert_eq!(dialogue.delivered(), places("c1", [2]));
}
