//! The `eventsource/format-*` cases of the web-platform-tests, run against `sse-stream` together
//! with the cursor rule of this crate.
//!
//! The input bytes are those of the files of the same name in
//! <https://github.com/web-platform-tests/wpt/tree/master/eventsource>, with what
//! `resources/message.py` appends there. Each case runs in one piece, cut in two at every offset,
//! and one byte per chunk, and each time our scanner must agree with the decoder. Cases about
//! media types are in `headers`; those about status codes concern the client alone.

use bytes::Bytes;
use http::HeaderValue;
use seamstress_mcp::sse::LastEventId;

use crate::support::{assert_scanner_agrees, cut, decode, decode_body};

/// What a consumer sees of one event: its type, its data, and the id in force.
type Dispatched = (String, String, String);

/// An `EventSource` without the network.
#[derive(Clone, Debug, Default, PartialEq)]
struct Consumer {
    events: Vec<Dispatched>,
    cursor: LastEventId,
    retry_ms: Option<u64>,
}

impl Consumer {
    /// Takes in one connection. Events and cursor of earlier ones stay.
    fn receive(&mut self, chunks: &[Bytes]) {
        let decoded = decode(chunks).expect("the input is valid");
        assert_eq!(decode_body(chunks).expect("the input is valid"), decoded);
        assert_scanner_agrees(chunks, &decoded);
        for sse in decoded {
            self.cursor.observe(sse.id.as_deref());
            self.retry_ms = sse.retry.or(self.retry_ms);
            let Some(data) = sse.data else { continue };
            let kind = sse.event.filter(|kind| !kind.is_empty()).unwrap_or("message".to_owned());
            let id = self.cursor.header_value().unwrap_or_default().to_owned();
            self.events.push((kind, data, id));
        }
    }
}

/// Runs the input in every fragmentation, checks that all agree, and returns what was seen.
fn consume(input: impl AsRef<[u8]>) -> Consumer {
    consume_after(&Consumer::default(), input)
}

/// The same on a further connection.
fn consume_after(before: &Consumer, input: impl AsRef<[u8]>) -> Consumer {
    let input = input.as_ref();
    let receive = |chunks: Vec<Bytes>| {
        let mut consumer = before.clone();
        consumer.receive(&chunks);
        consumer
    };
    let whole = receive(cut(input, []));
    for offset in 0..=input.len() {
        assert_eq!(receive(cut(input, [offset])), whole, "cut at {offset}");
    }
    assert_eq!(receive(cut(input, 1..input.len())), whole, "one byte per chunk");
    whole
}

/// Data of untyped events without an id.
fn messages(data: &[&str]) -> Vec<Dispatched> {
    data.iter().map(|data| event("message", data, "")).collect()
}

fn event(kind: &str, data: &str, id: &str) -> Dispatched {
    (kind.to_owned(), data.to_owned(), id.to_owned())
}

#[test]
fn format_bom_drops_the_first_byte_order_mark_and_no_other() {
    let seen = consume("\u{feff}data:1\n\n\u{feff}data:2\n\ndata:3\n\n\n");
    assert_eq!(seen.events, messages(&["1", "3"]));
}

#[test]
fn format_bom_2_loses_the_line_behind_two_byte_order_marks() {
    let seen = consume("\u{feff}\u{feff}data:1\n\ndata:2\n\ndata:3\n\n\n");
    assert_eq!(seen.events, messages(&["2", "3"]));
}

#[test]
fn format_comments_skips_long_comments_between_data_lines() {
    let long = "x".repeat(2 * 1024);
    let input =
        format!("data:1\r:\0\n:\r\ndata:2\n:{long}\rdata:3\n:data:fail\r:{long}\ndata:4\n\n");
    assert_eq!(consume(input).events, messages(&["1\n2\n3\n4"]));
}

#[test]
fn format_data_before_final_empty_line_drops_the_unfinished_block_and_its_id() {
    let seen = consume("retry:1000\ndata:test1\n\nid:test\ndata:test2\n");
    assert_eq!(seen.events, messages(&["test1"]));
    assert_eq!((seen.cursor.header_value(), seen.retry_ms), (None, Some(1000)));
}

#[test]
fn format_field_data_tells_empty_data_from_a_line_feed() {
    let seen = consume("data:\n\ndata\ndata\n\ndata:test\n\n\n");
    assert_eq!(seen.events, messages(&["", "\n", "test"]));
}

#[test]
fn format_field_id_exposes_a_non_ascii_id_and_sends_it_on_reconnect() {
    let seen = consume("id: …\nretry: 200\ndata: hello\n\n");
    assert_eq!(seen.events, [event("message", "hello", "…")]);
    let header = HeaderValue::from_str(seen.cursor.header_value().unwrap()).unwrap();
    assert_eq!(header.as_bytes(), "…".as_bytes());
    assert!(header.to_str().is_err(), "an ASCII reading of the header would lose the cursor");
}

#[test]
fn format_field_id_2_keeps_the_id_over_connections_without_one() {
    let first = consume("id: …\nretry: 200\ndata: hello\n\n");
    let second = consume_after(&first, "data: …\n\n");
    let third = consume_after(&second, "data: …\n\n");
    let expected =
        [event("message", "hello", "…"), event("message", "…", "…"), event("message", "…", "…")];
    assert_eq!(third.events, expected);
}

#[test]
fn format_field_id_3_keeps_the_id_over_events_without_one() {
    let seen = consume("id: 1\ndata: 1\n\ndata: 2\n\nid: 2\ndata:3\n\ndata:4\n\n");
    let expected = [("1", "1"), ("2", "1"), ("3", "2"), ("4", "2")];
    assert_eq!(seen.events, expected.map(|(data, id)| event("message", data, id)));
    assert_eq!(seen.cursor.header_value(), Some("2"));
}

#[test]
fn format_field_id_3_resets_the_id_on_both_empty_forms() {
    for empty in ["id:", "id"] {
        let seen = consume(format!("id: 1\ndata: 1\n\n{empty}\ndata:2\n\ndata:3\n\n"));
        let expected = [("1", "1"), ("2", ""), ("3", "")];
        assert_eq!(seen.events, expected.map(|(data, id)| event("message", data, id)));
        assert_eq!(seen.cursor.header_value(), None, "{empty}");
    }
}

#[test]
fn format_field_id_null_ignores_every_id_with_nul() {
    for id in ["\0\0", "x\0", "\0x", "x\0x", " \0"] {
        let seen = consume(format!("id: {id}\nretry: 200\ndata: hello\n\n"));
        assert_eq!(seen.events, messages(&["hello"]), "{id:?}");
        assert_eq!(seen.cursor.header_value(), None, "{id:?}");
    }
}

#[test]
fn format_field_parsing_takes_only_exact_field_names() {
    let input = concat!(
        "data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\n",
        "data:3\rdata:\r\n data:32\ndata:4\n\n"
    );
    assert_eq!(consume(input).events, messages(&["\0\n 2\n1\n3\n\n4"]));
}

#[test]
fn format_field_retry_bogus_keeps_the_last_valid_time() {
    let seen = consume("retry:3000\nretry:1000x\ndata:x\n\n\n");
    assert_eq!((seen.events, seen.retry_ms), (messages(&["x"]), Some(3000)));
}

#[test]
fn format_field_retry_reads_leading_zeros_as_decimal() {
    let seen = consume("retry:03000\ndata:x\n\n\n");
    assert_eq!((seen.events, seen.retry_ms), (messages(&["x"]), Some(3000)));
}

#[test]
fn format_field_retry_empty_is_ignored_and_its_event_arrives() {
    let seen = consume("retry\ndata:test\n\n\n");
    assert_eq!((seen.events, seen.retry_ms), (messages(&["test"]), None));
}

#[test]
fn format_field_unknown_ignores_unknown_fields_and_indented_names() {
    let input =
        "data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\ndata:test\n\n\n";
    assert_eq!(consume(input).events, messages(&["test\n\ntest"]));
}

#[test]
fn format_field_event_holds_for_one_event() {
    let seen = consume("event:test\ndata:x\n\ndata:x\n\n\n");
    assert_eq!(seen.events, [event("test", "x", ""), event("message", "x", "")]);
}

#[test]
fn format_field_event_empty_means_message() {
    assert_eq!(consume("event: \ndata:data\n\n\n").events, messages(&["data"]));
}

#[test]
fn format_leading_space_drops_one_space_and_keeps_a_tab() {
    let seen = consume("data:\ttest\rdata: \ndata:test\n\n\n");
    assert_eq!(seen.events, messages(&["\ttest\n\ntest"]));
}

#[test]
fn format_newlines_takes_all_three_line_ends() {
    let seen = consume("data:test\r\ndata\ndata:test\r\n\r\n");
    assert_eq!(seen.events, messages(&["test\n\ntest"]));
}

#[test]
fn format_null_character_is_data() {
    assert_eq!(consume("data:\0\n\n\n\n\n").events, messages(&["\0"]));
}

#[test]
fn format_utf_8_decodes_as_utf_8() {
    assert_eq!(consume("data:ok…\n\n\n").events, messages(&["ok…"]));
}

#[test]
fn event_data_joins_lines_and_skips_blocks_without_data() {
    let input = concat!(
        "data:msg\ndata: msg\n\n:\nfalsefield:msg\n\nfalsefield:msg\nData:data\n\n",
        "data\n\ndata:end\n\n"
    );
    assert_eq!(consume(input).events, messages(&["msg\nmsg", "", "end"]));
}
