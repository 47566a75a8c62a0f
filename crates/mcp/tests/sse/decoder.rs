//! What `sse-stream` makes of the bytes this crate writes, beyond the web-platform-tests.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::{FutureExt, StreamExt, stream};
use seamstress_mcp::probe::{Mark, progress_text, read};
use seamstress_mcp::sse::{
    Event, LastEventId, LineEnding, Priming, comment, encode, priming_event,
};
use sse_stream::{Sse, SseByteStream};

use crate::support::{assert_scanner_agrees, cut, decode};

const ENDINGS: [LineEnding; 3] = [LineEnding::Lf, LineEnding::CrLf, LineEnding::Cr];

#[test]
fn a_probe_event_arrives_whole_in_every_fragmentation() {
    let mark = Mark::new("s1", "c1", 3);
    let text = progress_text(&mark, &"t1".into(), 3, 10);
    for ending in ENDINGS {
        let event = Event { id: Some("c1:3"), data: Some(&text), ..Event::default() };
        let bytes = encode(&event, ending).unwrap();
        let expected = Sse::default().id("c1:3").data(&text);
        for offset in 0..=bytes.len() {
            let decoded = decode(&cut(&bytes, [offset])).unwrap();
            assert_eq!(decoded, std::slice::from_ref(&expected), "{ending:?} cut at {offset}");
        }
        assert_eq!(read(expected.data.as_deref().unwrap()).unwrap().mark, Some(mark.clone()));
    }
}

#[test]
fn every_priming_form_moves_the_cursor_and_two_of_them_dispatch_empty_data() {
    for (form, data) in [
        (Priming::IdAndEmptyData, Some("")),
        (Priming::IdOnly, None),
        (Priming::IdAndRetry, None),
        (Priming::Typed, Some("")),
    ] {
        for ending in ENDINGS {
            let bytes = priming_event(form, "c1:0", 500, ending).unwrap().unwrap();
            let chunks = [bytes];
            let decoded = decode(&chunks).unwrap();
            assert_scanner_agrees(&chunks, &decoded);
            let [block] = decoded.as_slice() else { panic!("{form} is one block") };
            assert_eq!(block.data.as_deref(), data, "{form}");
            assert_eq!(block.retry, (form == Priming::IdAndRetry).then_some(500), "{form}");
            let mut cursor = LastEventId::default();
            cursor.observe(block.id.as_deref());
            assert_eq!(cursor.header_value(), Some("c1:0"), "{form}");
        }
    }
}

#[test]
fn a_comment_is_no_block_to_the_decoder() {
    let chunks = [comment("keep-alive"), comment("a\nb"), comment("")];
    let decoded = decode(&chunks).unwrap();
    assert_eq!(decoded, []);
    assert_scanner_agrees(&chunks, &decoded);
}

#[test]
fn an_event_of_several_megabytes_arrives_in_small_chunks() {
    let data = "0123456789abcde…".repeat(3 * 64 * 1024);
    let event = Event { id: Some("1"), data: Some(&data), ..Event::default() };
    let bytes = encode(&event, LineEnding::Lf).unwrap();
    assert!(bytes.len() > 3 * 1024 * 1024);
    let chunks = cut(&bytes, (0..bytes.len()).step_by(65_521).skip(1));
    let decoded = decode(&chunks).unwrap();
    assert_scanner_agrees(&chunks, &decoded);
    assert!(decoded == [Sse::default().id("1").data(data)]);
}

#[test]
fn other_line_separators_of_unicode_are_data() {
    let data = "a\u{85}b\u{2028}c\u{2029}d\u{b}e\u{c}f";
    let event = Event { data: Some(data), ..Event::default() };
    let bytes = encode(&event, LineEnding::Lf).unwrap();
    assert_eq!(bytes, format!("data: {data}\n\n"));
    assert_eq!(decode(&[bytes]).unwrap(), [Sse::default().data(data)]);
}

#[test]
fn a_lone_cr_hands_the_event_out_before_the_next_byte() {
    let bytes = Bytes::from("data: x\r\r");
    let waiting = stream::iter([Ok::<_, Infallible>(bytes)]).chain(stream::pending());
    let mut blocks = std::pin::pin!(SseByteStream::new(waiting));
    let first = blocks.next().now_or_never().expect("the event is complete").unwrap().unwrap();
    assert_eq!(first, Sse::default().data("x"));
    assert!(blocks.next().now_or_never().is_none(), "nothing else has come");
}

/// WHATWG HTML 9.2.5 would decode to U+FFFD and go on. `sse-stream` ends the stream with an error:
/// for a client of ours, broken bytes are a lost connection and never a changed payload.
#[test]
fn broken_utf_8_in_a_field_ends_the_decoder() {
    let chunks = [Bytes::from_static(b"data: before\n\ndata: \xff\n\ndata: after\n\n")];
    assert!(matches!(decode(&chunks), Err(sse_stream::Error::Utf8Parse(_))));
}
