//! Planted defects do what their description says, and nothing is planted by default.

use seamstress_client::{Defect, Options};
use seamstress_defects::{Defect as _, Defects};
use seamstress_testing::after_ms;
use seamstress_trace::{End, Outcome, What};

use crate::support::{
    Dialogue, announce, call, call_at, ended, finish, listen, options, places, progress, step,
};

fn with(defects: &str) -> Options {
    Options { defects: defects.parse().expect("a defect"), ..options() }
}

/// A client with a defect that makes one call.
async fn calling(defect: &str) -> Dialogue {
    Dialogue::in_session(with(defect), vec![call("c1")]).await
}

/// The same, and the connection of its call breaks after the first event; with the request's id.
async fn broken_after_one(defect: &str) -> (Dialogue, i64) {
    let mut dialogue = calling(defect).await;
    let (stream, id) = dialogue.takes_call("c1").await;
    step(&stream, "c1", 1);
    stream.cut();
    (dialogue, id)
}

/// A client with a defect that listens and then makes one call.
async fn listening(defect: &str) -> Dialogue {
    Dialogue::in_session(with(defect), vec![listen(), call_at("c1", 10)]).await
}

#[test]
fn nothing_is_planted_by_default() {
    assert_eq!(Defects::<Defect>::default().to_string(), "");
}

#[tokio::test(start_paused = true)]
async fn without_the_continuity_check_a_gap_is_handed_over() {
    let (mut dialogue, id) = broken_after_one("no-continuity-check").await;
    let stream = dialogue.takes_resume("s1.c1.1").await;
    step(&stream, "c1", 3);
    finish(&stream, "c1", id, 4);
    dialogue.ends("S1").await;
    assert_eq!(dialogue.delivered(), places("c1", [1, 3, 4]));
    assert!(dialogue.checks().is_empty());
}

#[tokio::test(start_paused = true)]
async fn with_one_cursor_slot_one_get_with_the_last_id_of_any_stream_stands_for_all() {
    let mut dialogue = listening("one-cursor-slot").await;
    let standalone = dialogue.server.next_get().await.stream();
    let (called, id) = dialogue.takes_call("c1").await;
    announce(&standalone, 1);
    after_ms(1).await;
    step(&called, "c1", 1);
    after_ms(1).await;
    called.cut();
    standalone.cut();
    let standing_for_all = dialogue.takes_resume("s1.c1.1").await;
    assert!(!dialogue.server.was_asked(), "the call has no resume of its own");
    finish(&standing_for_all, "c1", id, 2);
    dialogue.ends("S1").await;
}

/// What is sent on a call's stream before it is cut, and the cursor of the resumption that
/// follows: not the one that the reference has.
#[tokio::test(start_paused = true)]
async fn each_defect_of_the_cursor_resumes_from_somewhere_else() {
    let step = |n: u64| format!("id: s1.c1.{n}\ndata: {}\n\n", progress("c1", n));
    let lines = |n: u64| step(n).replace('\n', "\r\n");
    let broken = |n: u64| {
        let (id, data) = lines(n).split_once("\r\n").map(|(i, d)| (i.to_owned(), d.to_owned()))?;
        Some([format!("{id}\r"), format!("\n{data}")])
    };
    let [broken_id, broken_data] = broken(2).expect("two lines");
    for (defect, sent, cursor) in [
        ("id-only-event-ignored", vec![step(1), "id: s1.c1.2\ndata:\n\n".into()], "s1.c1.1"),
        ("id-of-unfinished-event", vec![step(1), "id: s1.c1.2\ndata: {".into()], "s1.c1.2"),
        ("crlf-split", vec![lines(1), broken_id, broken_data], "s1.c1.1"),
    ] {
        let mut dialogue = calling(defect).await;
        let (stream, id) = dialogue.takes_call("c1").await;
        for piece in &sent {
            stream.send(piece);
            after_ms(1).await;
        }
        stream.cut();
        let asked = dialogue.server.next_get().await;
        assert_eq!(asked.cursor(), Some(cursor), "{defect}");
        finish(&asked.stream(), "c1", id, 3);
        after_ms(1).await;
        let is_done = dialogue.outcomes() == [ended("c1", Outcome::Done)];
        assert!(is_done || !dialogue.losses().is_empty(), "{defect}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_event_takes_the_cursor_away_if_any_such_event_primes() {
    let mut dialogue = listening("priming-resets-cursor").await;
    let standalone = dialogue.server.next_get().await.stream();
    announce(&standalone, 1);
    standalone.send("data:\n\n");
    after_ms(1).await;
    standalone.cut();
    let (called, id) = dialogue.takes_call("c1").await;
    let again = dialogue.server.next_get().await;
    assert_eq!(again.cursor(), None);
    let _again = again.stream();
    finish(&called, "c1", id, 1);
    dialogue.ends("S1").await;
}

#[tokio::test(start_paused = true)]
async fn a_resumption_that_brings_no_id_loses_the_cursor_and_goes_on_without() {
    let (mut dialogue, id) = broken_after_one("cursor-dropped-by-silent-resume").await;
    dialogue.takes_resume("s1.c1.1").await.end();
    let again = dialogue.server.next_get().await;
    assert_eq!(again.cursor(), None);
    finish(&again.stream(), "c1", id, 2);
    dialogue.ends("S1").await;
}

#[tokio::test(start_paused = true)]
async fn what_waits_to_be_processed_when_the_connection_breaks_is_gone_and_the_cursor_beyond_it() {
    let mut dialogue = calling("cursor-before-processing").await;
    let (stream, id) = dialogue.takes_call("c1").await;
    step(&stream, "c1", 1);
    after_ms(5).await;
    step(&stream, "c1", 2);
    after_ms(1).await;
    stream.cut();
    let stream = dialogue.takes_resume("s1.c1.2").await;
    finish(&stream, "c1", id, 3);
    dialogue.ends("S1").await;
    assert_eq!(dialogue.delivered(), places("c1", [1, 3]));
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_resumed_with_the_newest_id_of_any_stream() {
    let mut dialogue = listening("resumes-with-id-of-other-stream").await;
    let standalone = dialogue.server.next_get().await.stream();
    let (called, id) = dialogue.takes_call("c1").await;
    step(&called, "c1", 1);
    after_ms(1).await;
    announce(&standalone, 1);
    after_ms(1).await;
    called.cut();
    let stream = dialogue.takes_resume("s1.standalone-1.1").await;
    finish(&stream, "c1", id, 2);
    after_ms(1).await;
    assert_eq!(dialogue.losses(), ["continuity"]);
}

#[tokio::test(start_paused = true)]
async fn a_reader_of_line_feeds_sees_no_event_of_another_line_ending() {
    for ending in ["\r\n", "\r"] {
        let mut dialogue = calling("lf-only-decoder").await;
        let (stream, id) = dialogue.takes_call("c1").await;
        let text =
            format!("id: 1{ending}data: {}{ending}{ending}", crate::support::result("c1", id, 1));
        stream.send(&text);
        stream.end();
        dialogue.ends("S1").await;
        assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Unknown)], "{ending:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn empty_data_is_taken_for_malformed_bytes() {
    let mut dialogue = calling("empty-data-parsed").await;
    let (stream, _) = dialogue.takes_call("c1").await;
    stream.send("id: s1.c1.1\ndata:\n\n");
    stream.left().await;
    dialogue.ends("S1").await;
    let malformed = |what| matches!(what, What::End { end: End::Malformed, .. }).then_some(());
    assert_eq!(dialogue.tape.pick(malformed).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_first_message_is_taken_for_the_response() {
    let mut dialogue = calling("first-event-is-the-response").await;
    let (stream, _) = dialogue.takes_call("c1").await;
    step(&stream, "c1", 1);
    stream.left().await;
    dialogue.ends("S1").await;
    assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Done)]);
}

#[tokio::test(start_paused = true)]
async fn the_servers_retry_is_not_waited_for() {
    let mut dialogue = calling("ignores-retry").await;
    let (stream, id) = dialogue.takes_call("c1").await;
    stream.send("id: s1.c1.1\nretry: 700\n\n");
    after_ms(1).await;
    let began = tokio::time::Instant::now();
    stream.cut();
    let stream = dialogue.takes_resume("s1.c1.1").await;
    assert!(began.elapsed().as_millis() < 150, "its own delay is 100 ms");
    finish(&stream, "c1", id, 2);
    dialogue.ends("S1").await;
}

#[tokio::test(start_paused = true)]
async fn reconnections_have_no_bound() {
    let (mut dialogue, id) = broken_after_one("unbounded-reconnection").await;
    for _ in 0..20 {
        dialogue.takes_resume("s1.c1.1").await.end();
    }
    finish(&dialogue.takes_resume("s1.c1.1").await, "c1", id, 2);
    dialogue.ends("S1").await;
    assert_eq!(dialogue.losses(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_resumed_although_its_call_has_ended() {
    let workload = vec![call("c1"), call_at("c2", 1_000)];
    let mut dialogue = Dialogue::in_session(with("reconnect-outlives-request"), workload).await;
    let (stream, id) = dialogue.takes_call("c1").await;
    finish(&stream, "c1", id, 1);
    stream.end();
    for _ in 0..3 {
        dialogue.takes_resume("s1.c1.1").await.end();
    }
    assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Done)]);
    let (stream, id) = dialogue.takes_call("c2").await;
    finish(&stream, "c2", id, 1);
    assert_eq!(dialogue.losses(), Vec::<String>::new(), "giving up on it costs nothing");
}

#[tokio::test(start_paused = true)]
async fn each_resumption_is_sent_twice_and_both_answers_are_handed_over() {
    let (mut dialogue, id) = broken_after_one("two-resumes").await;
    let one = dialogue.takes_resume("s1.c1.1").await;
    let other = dialogue.takes_resume("s1.c1.1").await;
    step(&one, "c1", 2);
    step(&other, "c1", 2);
    after_ms(1).await;
    finish(&one, "c1", id, 3);
    one.left().await;
    assert_eq!(dialogue.delivered(), places("c1", [1, 2, 2, 3]));
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_stream_breaks_is_sent_again_in_another_session() {
    let (mut dialogue, _) = broken_after_one("repost-instead-of-resume").await;
    dialogue.server.end_session("S1").await;
    dialogue.server.begin_session("S2").await;
    let (stream, id) = dialogue.takes_call("c1").await;
    finish(&stream, "c1", id, 1);
    dialogue.ends("S2").await;
    assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Done)]);
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_session_was_not_found_is_sent_again_in_the_next() {
    let (mut dialogue, _) = broken_after_one("repost-after-404").await;
    dialogue.server.next_get().await.status(404);
    dialogue.server.begin_session("S2").await;
    let (stream, id) = dialogue.takes_call("c1").await;
    finish(&stream, "c1", id, 1);
    dialogue.ends("S2").await;
    assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Done)]);
}

#[tokio::test(start_paused = true)]
async fn the_calls_of_a_lost_session_never_end() {
    let (mut dialogue, _) = broken_after_one("reinit-orphans-calls").await;
    dialogue.server.next_get().await.status(404);
    dialogue.server.begin_session("S2").await;
    after_ms(60_000).await;
    assert!(dialogue.outcomes().is_empty() && !dialogue.server.was_asked());
}

#[tokio::test(start_paused = true)]
async fn after_404_the_dead_session_is_used_on_or_no_session_is_named() {
    for (defect, session) in [("stuck-on-404", Some("S1")), ("clear-only-on-404", None)] {
        let workload = vec![call("c1"), call_at("c2", 10)];
        let mut dialogue = Dialogue::in_session(with(defect), workload).await;
        dialogue.server.next_post("tools/call").await.status(404);
        let called = dialogue.server.next_post("tools/call").await;
        assert_eq!(called.header("mcp-session-id"), session, "{defect}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_response_without_a_session_id_is_taken_for_the_end_of_the_id() {
    let workload = vec![call("c1"), call_at("c2", 10)];
    let mut dialogue = Dialogue::begin(with("session-header-dropped"), workload).await;
    let initialize = dialogue.server.next_post("initialize").await;
    initialize.with("mcp-session-id", "S1").result(&serde_json::json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "serverInfo": { "name": "a test", "version": "1" },
    }));
    let confirmed = dialogue.server.next_post("notifications/initialized").await;
    confirmed.with("mcp-session-id", "S1").status(202);
    let called = dialogue.server.next_post("tools/call").await;
    assert_eq!(called.header("mcp-session-id"), Some("S1"));
    let _stream = called.stream();
    let called = dialogue.server.next_post("tools/call").await;
    assert_eq!(called.header("mcp-session-id"), None);
}

#[tokio::test(start_paused = true)]
async fn a_get_carries_no_protocol_version_and_a_call_carries_a_cursor() {
    let mut dialogue = listening("protocol-version-dropped,last-event-id-on-post").await;
    let asked = dialogue.server.next_get().await;
    assert_eq!(asked.header("mcp-protocol-version"), None);
    announce(&asked.stream(), 1);
    let called = dialogue.server.next_post("tools/call").await;
    assert_eq!(called.header("mcp-protocol-version"), Some("2025-11-25"));
    assert_eq!(called.cursor(), Some("s1.standalone-1.1"));
}

#[tokio::test(start_paused = true)]
async fn the_cursor_of_a_lost_session_begins_the_next() {
    let mut dialogue = listening("keeps-cursor-into-new-session").await;
    let standalone = dialogue.server.next_get().await.stream();
    announce(&standalone, 1);
    dialogue.server.next_post("tools/call").await.status(404);
    dialogue.server.begin_session("S2").await;
    let asked = dialogue.server.next_get().await;
    assert_eq!(
        (asked.header("mcp-session-id"), asked.cursor()),
        (Some("S2"), Some("s1.standalone-1.1"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_get_that_fails_leaves_the_calls_waiting_for_ever() {
    let mut dialogue = listening("get-failure-is-fatal").await;
    dialogue.server.next_get().await.status(502);
    let (stream, id) = dialogue.takes_call("c1").await;
    finish(&stream, "c1", id, 1);
    after_ms(60_000).await;
    assert!(dialogue.outcomes().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_client_ends_and_its_stream_and_session_stay() {
    let mut dialogue = listening("leaves-stream-open").await;
    let standalone = dialogue.server.next_get().await.stream();
    let (called, id) = dialogue.takes_call("c1").await;
    finish(&called, "c1", id, 1);
    dialogue.is_over().await;
    assert!(!standalone.is_left());
}

/// Every defect has its own `if`: all of them at once make a very wrong client, which ends.
#[tokio::test(start_paused = true)]
async fn all_defects_at_once_do_not_panic() {
    let all = Defect::ALL.iter().map(|defect| defect.name()).collect::<Vec<_>>().join(",");
    let mut dialogue = Dialogue::begin(with(&all), vec![listen(), call_at("c1", 10)]).await;
    dialogue.server.begin_session("S1").await;
    for _ in 0..20 {
        after_ms(50).await;
        if dialogue.server.was_asked() {
            let stream = dialogue.server.next().await.stream();
            stream.send("id: 1\ndata:\n\n");
            step(&stream, "c1", 1);
            stream.cut();
        }
    }
    assert!(
        dialogue.tape.pick(|what| matches!(what, What::Request { .. }).then_some(())).len() > 2
    );
}
