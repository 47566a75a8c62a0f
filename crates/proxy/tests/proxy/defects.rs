//! Planted defects do what their description says, and nothing is planted by default.

use seamstress_defects::Defects;
use seamstress_plan::{Action, Place};
use seamstress_proxy::Defect;
use seamstress_testing::after_ms;
use seamstress_trace::End;
use serde_json::json;

use crate::support::{
    Passed, Through, after_event, at_event, at_resume, event, event_of, events, fault, send,
    streams,
};

/// Lets three events of `c1` and then one of `c2` pass; the connection of `c1` has ended.
async fn passed(defects: &str, faults: Vec<seamstress_plan::Fault>) -> Through {
    let mut through = Through::begin_with(defects, faults).await;
    let Passed { client, server, .. } = through.calls("c1").await;
    send(&server, 1..=3);
    server.end();
    client.text().await;
    let Passed { mut client, server, .. } = through.calls("c2").await;
    server.send(&event_of("c2", 1));
    client.text_within_ms(1).await;
    through
}

/// The bytes of a result for the call `c1`.
fn result() -> String {
    let result = json!({ "jsonrpc": "2.0", "id": 7, "result": {} });
    format!("id: s1.c1.9\ndata: {result}\n\n")
}

#[test]
fn nothing_is_planted_by_default() {
    assert_eq!(Defects::<Defect>::default().to_string(), "");
}

#[tokio::test(start_paused = true)]
async fn each_wrong_cursor_reaches_the_server_in_the_place_of_the_clients() {
    for (defect, presented, reached) in [
        ("", "s1.c1.2", Some("s1.c1.2")),
        ("drops-last-event-id", "s1.c1.2", None),
        ("drops-cursor-on-other-replica", "s1.c1.2", Some("s1.c1.2")),
        ("rewrites-last-event-id", "s1.c1.2", Some("s1.c1.1")),
        ("rewrites-last-event-id", "s1.c1.1", Some("s1.c1.1")),
        ("scalar-cursor", "s1.c1.2", Some("s1.c2.1")),
        ("numbers-event-ids", "3", Some("s1.c1.3")),
        ("numbers-event-ids", "1", Some("s1.c2.1")),
        ("scalar-cursor,drops-last-event-id", "s1.c1.2", None),
    ] {
        let mut through = passed(defect, vec![]).await;
        let Passed { upstream, .. } = through.resumes(presented).await;
        let cursor = upstream.get("last-event-id").and_then(|cursor| cursor.to_str().ok());
        assert_eq!(cursor, reached, "{defect}: {presented}");
        assert_eq!(upstream["mcp-session-id"], "upstream-1", "{defect}");
    }
}

#[tokio::test(start_paused = true)]
async fn only_on_another_replica_the_cursor_is_dropped() {
    let routed = vec![fault(Action::RouteToEmpty, at_resume(1))];
    let mut through = passed("drops-cursor-on-other-replica", routed).await;
    let ask = through.peer.resume("s1.c1.2");
    let Passed { upstream, .. } = streams(&mut through.other, ask).await;
    assert!(!upstream.contains_key("last-event-id"));
}

#[tokio::test(start_paused = true)]
async fn ids_are_left_out_or_become_bare_numbers_of_each_stream() {
    let text = ": comment\n\nid: s1.c1.1\r\nevent: x\r\ndata: {}\r\n\r\nid: s1.c1.2\n\n";
    for (defect, expected) in [
        ("strips-event-ids", ": comment\n\nevent: x\r\ndata: {}\r\n\r\n\n"),
        ("numbers-event-ids", ": comment\n\nid: 1\r\nevent: x\r\ndata: {}\r\n\r\nid: 2\n\n"),
    ] {
        let mut through = Through::begin_with(defect, vec![]).await;
        for call in ["c1", "c2"] {
            let Passed { client, server, .. } = through.calls(call).await;
            server.send(text);
            server.end();
            assert_eq!(client.text().await, (expected.to_owned(), End::Clean), "{defect}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn cr_and_lf_in_two_reads_end_an_event_between_its_id_and_its_data() {
    let mut rechunk = fault(Action::Rechunk, crate::support::at_head());
    rechunk.extent.bytes = Some(6);
    for (faults, expected) in
        [(vec![], "id: 7\ndata: { }\n\n"), (vec![rechunk], "id: 7\n\ndata: { }\n\n")]
    {
        let mut through = Through::begin_with("splits-crlf", faults).await;
        let Passed { client, server, .. } = through.calls("c1").await;
        server.send("id: 7\r\ndata: { }\r\n\r\n");
        server.end();
        assert_eq!(client.text().await.0, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn an_event_that_breaks_off_in_front_of_its_data_is_completed() {
    for (unfinished, expected) in [
        ("id: s1.c1.2\n", "id: s1.c1.2\n\n\n"),
        ("id: s1.c1.2\nda", "id: s1.c1.2\nda\n\n"),
        ("id: s1.c1.2\ndata: {\"js", "id: s1.c1.2\ndata: {\"js"),
    ] {
        let mut through = Through::begin_with("completes-cut-events", vec![]).await;
        let Passed { client, server, .. } = through.calls("c1").await;
        send(&server, [1]);
        server.send(unfinished);
        server.cut();
        assert_eq!(client.text().await, (event(1) + expected, End::NoLastChunk));
    }
    let cut = fault(Action::CutClean, at_event(1, Place::Byte(13)));
    let mut through = Through::begin_with("completes-cut-events", vec![cut]).await;
    let Passed { client, server, .. } = through.calls("c1").await;
    send(&server, [1]);
    assert_eq!(client.text().await.0, "id: s1.c1.1\nd\n\n");
}

#[tokio::test(start_paused = true)]
async fn a_resumption_brings_the_buffered_event_before_what_the_server_replays() {
    let mut through = passed("replays-its-buffer", vec![]).await;
    let Passed { client, server, .. } = through.resumes("s1.c1.3").await;
    send(&server, [4]);
    server.end();
    assert_eq!(client.text().await.0, events(3..=4));
}

#[tokio::test(start_paused = true)]
async fn what_is_buffered_comes_when_the_page_is_full_or_the_response_ends() {
    let page = (4096 / event(1).len() + 1) as u64;
    for (defect, comes_with_a_page) in [("buffers-pages", true), ("buffers-responses", false)] {
        let mut through = Through::begin_with(defect, vec![]).await;
        let Passed { mut client, server, .. } = through.calls("c1").await;
        send(&server, 1..page);
        client.is_silent_for_ms(100).await;
        send(&server, [page]);
        if comes_with_a_page {
            assert_eq!(client.text_within_ms(1).await.len(), events(1..=page).len(), "{defect}");
            send(&server, [page + 1]);
        }
        client.is_silent_for_ms(100).await;
        server.end();
        let rest = if comes_with_a_page { event(page + 1) } else { events(1..=page) };
        assert_eq!(client.text().await.0, rest, "{defect}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_buffered_when_the_server_falls_silent_never_comes() {
    let mut through = Through::begin_with("discards-on-idle-cut", vec![]).await;
    let Passed { mut client, server, .. } = through.calls("c1").await;
    send(&server, 1..=2);
    client.is_silent_for_ms(100).await;
    send(&server, [3]);
    server.end();
    assert_eq!(client.text().await.0, event(3));
}

#[tokio::test(start_paused = true)]
async fn the_response_to_a_call_comes_on_the_standalone_stream_too() {
    let mut through = Through::begin_with("copies-responses", vec![]).await;
    let mut listening = through.listens().await;
    let Passed { client, server, .. } = through.calls("c1").await;
    send(&server, [1]);
    server.send(&result());
    server.end();
    assert_eq!(client.text().await.0, event(1) + &result());
    assert_eq!(listening.client.text_within_ms(1).await, result());
}

#[tokio::test(start_paused = true)]
async fn what_comes_on_a_second_get_is_merged_into_the_resumed_stream() {
    let mut through = passed("fans-out-resumptions", vec![]).await;
    let Passed { mut client, server, .. } = through.resumes("s1.c1.3").await;
    let beside = through.server.next_get().await;
    assert_eq!(beside.header("last-event-id"), None);
    assert_eq!(beside.header("mcp-session-id"), Some("upstream-1"));
    let beside = beside.stream();
    send(&server, [4]);
    assert_eq!(client.text_within_ms(1).await, event(4));
    beside.send(&event_of("standalone-2", 1));
    assert_eq!(client.text_within_ms(1).await, event_of("standalone-2", 1));
    drop(client);
    after_ms(1).await;
    assert!(beside.is_left() && server.is_left());
}

#[tokio::test(start_paused = true)]
async fn a_get_is_answered_with_202_and_nothing_else_is() {
    let mut through = Through::begin_with("answers-get-with-202", vec![]).await;
    assert_eq!(through.listens().await.client.status, 202);
    assert_eq!(through.calls("c1").await.client.status, 200);
}

#[tokio::test(start_paused = true)]
async fn an_unknown_session_is_a_bad_request() {
    let through = Through::begin_with("unknown-session-400", vec![]).await;
    let peer = through.peer.with_session("made-up");
    assert_eq!(peer.listen().send().await.status, 400);
    assert!(!through.server.was_asked());
}

#[tokio::test(start_paused = true)]
async fn a_request_that_was_forwarded_and_not_answered_is_not_found() {
    let mut through = Through::begin_with("not-found-after-forwarding", vec![]).await;
    let hangs_up = async { drop(through.server.next().await) };
    let (answer, ()) = tokio::join!(through.peer.listen().send(), hangs_up);
    assert_eq!((answer.status, answer.json().await["error"]["code"].clone()), (404, json!(-32001)));
    assert_eq!(through.listens().await.client.status, 200, "the session lives on");
}

#[tokio::test(start_paused = true)]
async fn a_rotation_that_nobody_is_told_of_leaves_the_client_without_a_session() {
    let rotation = fault(Action::RotateIdForgetOld, after_event(1));
    let mut through = Through::begin_with("rotates-silently", vec![rotation]).await;
    let Passed { mut client, server, .. } = through.calls("c1").await;
    send(&server, [1]);
    assert_eq!(client.text_within_ms(1).await, event(1));
    let answer = through.calls("c2").await.client;
    assert_eq!((answer.status, answer.header("mcp-session-id")), (200, None));
    assert_eq!(through.peer.listen().send().await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn after_a_cut_the_next_request_goes_to_a_session_that_nobody_began() {
    let cut = fault(Action::CutNoLastChunk, after_event(1));
    let mut through = Through::begin_with("loses-session-mapping", vec![cut]).await;
    let Passed { client, server, .. } = through.calls("c1").await;
    send(&server, [1]);
    client.text().await;
    let resume = through.peer.resume("s1.c1.1").send();
    let answers = async {
        through.server.begin_session("upstream-2").await;
        let asked = through.server.next_get().await;
        assert_eq!(asked.header("mcp-session-id"), Some("upstream-2"));
        assert_eq!(asked.cursor(), Some("s1.c1.1"));
        asked.stream()
    };
    let (answer, _server) = tokio::join!(resume, answers);
    assert_eq!((answer.status, answer.header("mcp-session-id")), (200, None));
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_answer_breaks_off_is_sent_again_to_the_next_replica_in_a_new_session() {
    let mut through = Through::begin_with("resends-post", vec![]).await;
    let Passed { client, server, .. } = through.calls("c1").await;
    send(&server, [1]);
    server.cut();
    let again = async {
        through.other.begin_session("upstream-2").await;
        let asked = through.other.next_post("tools/call").await;
        assert_eq!((asked.call(), asked.header("mcp-session-id")), ("c1", Some("upstream-2")));
        let server = asked.stream();
        send(&server, 1..=2);
        server.end();
    };
    let (answer, ()) = tokio::join!(client.text(), again);
    assert_eq!(answer, (events([1, 1, 2]), End::Clean));
}

#[tokio::test(start_paused = true)]
async fn all_defects_together_neither_panic_nor_hang() {
    use seamstress_defects::Defect as _;
    let names: Vec<&str> = Defect::ALL.iter().map(|defect| defect.name()).collect();
    let mut through = Through::begin_with(&names.join(","), vec![]).await;
    let Passed { client, server, .. } = through.calls("c1").await;
    send(&server, 1..=3);
    server.end();
    let (text, end) = client.text().await;
    assert_eq!((text.matches("data: ").count(), end), (3, End::Clean));
    let Passed { client, server, .. } = through.resumes("2").await;
    server.end();
    drop(through.server.next_get().await);
    assert_eq!((client.status, client.text().await.1), (202, End::Clean));
}
