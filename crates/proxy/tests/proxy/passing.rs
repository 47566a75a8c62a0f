//! A proxy without faults: only the session id differs between its two sides.

use seamstress_mcp::headers::session_id_is_valid;
use seamstress_testing::{Peer, after_ms};
use seamstress_trace::{End, What};
use serde_json::json;

use crate::support::{Passed, Through, event, events, send};

#[tokio::test(start_paused = true)]
async fn a_stream_passes_byte_for_byte_in_whatever_pieces_it_comes() {
    let odd = [
        "\u{feff}: a comment\n\n",
        "id: s1.c1.1\r\ndata: {\r\ndata: }\r\n\r\n",
        "data:no space\rdata:  two\r\r",
        "unknown: field\nevent: prime\nid\n\n\n\n",
        "retry: 1000x\n\nid: …\ndata: ü…\u{1f9f5}\n\n",
        "id: unfinished\ndata: {",
    ]
    .concat();
    for piece_bytes in [1, 2, 3, 7, 64, 1_000] {
        let mut through = Through::begin(vec![]).await;
        let Passed { client, server, .. } = through.calls("c1").await;
        for piece in odd.as_bytes().chunks(piece_bytes) {
            server.send_bytes(piece);
            tokio::task::yield_now().await;
        }
        server.end();
        let (text, end) = client.text().await;
        assert_eq!((text, end), (odd.clone(), End::Clean), "pieces of {piece_bytes} bytes");
    }
}

#[tokio::test(start_paused = true)]
async fn an_event_passes_as_soon_as_it_is_complete() {
    let mut through = Through::begin(vec![]).await;
    let Passed { mut client, server, .. } = through.listens().await;
    server.send(&event(1));
    server.send("id: s1.c1.2\n");
    assert_eq!(client.text_within_ms(1).await, event(1));
    server.send(": keep-alive\n\n");
    assert_eq!(client.text_within_ms(1).await, "id: s1.c1.2\n: keep-alive\n\n");
}

#[tokio::test(start_paused = true)]
async fn the_session_id_is_replaced_both_ways() {
    let mut through = Through::begin(vec![]).await;
    assert_eq!(through.peer.session(), "public-1");
    assert!(session_id_is_valid(through.peer.session()));
    let Passed { client, server, upstream } = through.calls("c1").await;
    assert_eq!(upstream["mcp-session-id"], "upstream-1");
    assert_eq!(client.header("mcp-session-id"), None);
    drop(server);
    client.text().await;
    let Passed { upstream, .. } = through.resumes("s1.c1.1").await;
    assert_eq!(upstream["mcp-session-id"], "upstream-1");

    // A server that repeats its own id on a later response does not give it away.
    let ping = through.peer.request("ping", &json!({}));
    let answer = async {
        let asked = through.server.next_post("ping").await;
        asked.with("mcp-session-id", "upstream-1").result(&json!({}));
    };
    let (answer, ()) = tokio::join!(ping.send(), answer);
    assert!(!format!("{:?}", answer.headers).contains("upstream"), "{:?}", answer.headers);
}

#[tokio::test(start_paused = true)]
async fn cursors_and_other_headers_pass_verbatim() {
    let mut through = Through::begin(vec![]).await;
    for cursor in ["s1.c1.4", "42", "a b\tc", "…", "\"quoted\", and more"] {
        let ask = through.peer.resume(cursor).header("x-other", "kept");
        let Passed { upstream, .. } = through.streams(ask).await;
        assert_eq!(upstream["last-event-id"].as_bytes(), cursor.as_bytes());
        assert_eq!(upstream["x-other"], "kept");
        assert_eq!(upstream["mcp-protocol-version"], "2025-11-25");
        assert_eq!(upstream["accept"], "text/event-stream");
    }
    let resume = through.peer.resume("s1.c1.4");
    let answer = async {
        let asked = through.server.next_get().await;
        asked.with("mcp-resumption", "caught-up;stream=\"c1\"").with("x-other", "kept").stream()
    };
    let (answer, _stream) = tokio::join!(resume.send(), answer);
    assert_eq!(answer.header("mcp-resumption"), Some("caught-up;stream=\"c1\""));
    assert_eq!(answer.header("x-other"), Some("kept"));
}

#[tokio::test(start_paused = true)]
async fn messages_and_bare_statuses_pass() {
    let mut through = Through::begin(vec![]).await;
    let ping = through.peer.request("ping", &json!({ "a": "ü" }));
    let answer = async {
        let asked = through.server.next_post("ping").await;
        assert_eq!(asked.message["params"], json!({ "a": "ü" }));
        asked.result(&json!({ "b": "…" }));
    };
    let (answer, ()) = tokio::join!(ping.send(), answer);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.json().await["result"], json!({ "b": "…" }));
    for status in [202, 400, 405, 409, 410, 500] {
        let ping = through.peer.request("ping", &json!({}));
        let answer = async { through.server.next().await.status(status) };
        let (answer, ()) = tokio::join!(ping.send(), answer);
        assert_eq!((answer.status, answer.json().await), (status, json!(null)));
    }
}

#[tokio::test(start_paused = true)]
async fn an_unknown_public_id_is_answered_404_and_the_server_is_not_asked() {
    let through = Through::begin(vec![]).await;
    for id in ["made-up", "upstream-1", ""] {
        let peer = through.peer.with_session(id);
        for ask in [peer.request("ping", &json!({})), peer.listen(), peer.delete()] {
            let answer = ask.send().await;
            assert_eq!(answer.status, 404, "{id}");
            assert_eq!(answer.json().await["error"]["code"], -32001, "{id}");
        }
    }
    assert!(!through.server.was_asked());
}

#[tokio::test(start_paused = true)]
async fn a_session_ends_with_a_404_of_the_server_and_with_a_delete() {
    for status in [404, 200] {
        let mut through = Through::begin(vec![]).await;
        let ask = if status == 404 { through.peer.listen() } else { through.peer.delete() };
        let answer = async { through.server.next().await.status(status) };
        let (answer, ()) = tokio::join!(ask.send(), answer);
        assert_eq!(answer.status, status);
        assert_eq!(through.peer.listen().send().await.status, 404);
        assert!(!through.server.was_asked());
    }
}

#[tokio::test(start_paused = true)]
async fn each_initialize_gets_a_public_id_of_its_own() {
    let mut through = Through::begin(vec![]).await;
    let initialize =
        through.peer.with_session("").initialize("2025-11-25").without("mcp-session-id");
    let answer = async {
        let asked = through.server.next_post("initialize").await;
        assert_eq!(asked.header("mcp-session-id"), None);
        asked.with("mcp-session-id", "upstream-2").result(&json!({}));
    };
    let (answer, ()) = tokio::join!(initialize.send(), answer);
    assert_eq!(answer.header("mcp-session-id"), Some("public-2"));
    let second: Peer = through.peer.with_session("public-2");
    let Passed { upstream, .. } = through.streams(second.listen()).await;
    assert_eq!(upstream["mcp-session-id"], "upstream-2");
    let Passed { upstream, .. } = through.listens().await;
    assert_eq!(upstream["mcp-session-id"], "upstream-1");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_answer_is_a_bad_gateway() {
    let mut through = Through::begin(vec![]).await;
    let begun_ms = through.tape.now_ms();
    let never_answered = async { (through.server.next().await, after_ms(3_000).await) };
    let (answer, _) = tokio::join!(through.peer.listen().send(), never_answered);
    assert_eq!(answer.status, 502);
    assert_eq!(through.tape.now_ms() - begun_ms, 3_000, "it was answered in the meantime");
    let hangs_up = async { drop(through.server.next().await) };
    let (answer, ()) = tokio::join!(through.peer.listen().send(), hangs_up);
    assert_eq!((answer.status, answer.json().await["error"]["code"].clone()), (502, json!(-32603)));
}

#[tokio::test(start_paused = true)]
async fn an_end_of_the_servers_stream_reaches_the_client_as_what_it_was() {
    let mut through = Through::begin(vec![]).await;
    let Passed { client, server, .. } = through.calls("c1").await;
    send(&server, 1..=2);
    server.end();
    assert_eq!(client.text().await, (events(1..=2), End::Clean));
    let Passed { client, server, .. } = through.calls("c2").await;
    send(&server, 1..=2);
    server.send("id: s1.c1.3\nda");
    server.cut();
    let expected = events(1..=2) + "id: s1.c1.3\nda";
    assert_eq!(client.text().await, (expected, End::NoLastChunk));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_ends_the_exchange_with_the_server() {
    let mut through = Through::begin(vec![]).await;
    let Passed { mut client, server, .. } = through.calls("c1").await;
    send(&server, [1]);
    assert_eq!(client.text_within_ms(50).await, event(1));
    assert!(!server.is_left());
    drop(client);
    after_ms(1).await;
    assert!(server.is_left());
}

#[tokio::test(start_paused = true)]
async fn a_proxy_without_faults_records_none() {
    let mut through = Through::begin(vec![]).await;
    let Passed { client, server, .. } = through.calls("c1").await;
    send(&server, 1..=3);
    server.end();
    client.text().await;
    let noted = through
        .tape
        .pick(|what| matches!(what, What::Fault { .. } | What::Rotate { .. }).then_some(()));
    assert!(noted.is_empty());
}
