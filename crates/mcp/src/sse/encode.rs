//! Writing blocks: events and comments.
//!
//! It owns which fields are written, in which order and with which line end. It does not know
//! what the data means. The id comes before the data, as most servers write it, so that a cut
//! inside the data leaves an id behind that must not count.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// One block to write. Fields that are `None` are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Event<'a> {
    /// The cursor a client may present later. `Some("")` resets the client's cursor.
    pub id: Option<&'a str>,
    /// The event's type; absent means `message`.
    pub event: Option<&'a str>,
    /// The payload. `Some("")` is an empty data field, which is not the same as none.
    pub data: Option<&'a str>,
    /// How long the client must wait before it reconnects, in milliseconds.
    pub retry_ms: Option<u64>,
}

/// How lines end. All three mean the same to a decoder and may be mixed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LineEnding {
    /// LF, what nearly every server sends.
    #[default]
    Lf,
    /// CR and LF.
    CrLf,
    /// CR alone.
    Cr,
}

impl LineEnding {
    /// The bytes themselves.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::Cr => "\r",
        }
    }
}

/// A field whose value cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// A line end would end the field, and a decoder ignores an id with NUL.
    #[error("an SSE id cannot hold NUL, CR or LF; choose another id")]
    Id,
    /// A line end would end the field.
    #[error("an SSE event type cannot hold CR or LF; choose another type")]
    EventType,
}

/// Writes one event: type, id, reconnection time, data, blank line.
///
/// CR, LF and CRLF in the data each begin a new `data` line; a decoder joins them with LF.
///
/// # Errors
/// [`EncodeError`] if the id or the type cannot be represented.
///
/// ```
/// use seamstress_mcp::sse::{Event, LineEnding, encode};
///
/// let event = Event { id: Some("c1:7"), data: Some("{}"), ..Event::default() };
/// assert_eq!(encode(&event, LineEnding::Lf)?, "id: c1:7\ndata: {}\n\n");
/// # Ok::<(), seamstress_mcp::sse::EncodeError>(())
/// ```
pub fn encode(event: &Event<'_>, ending: LineEnding) -> Result<Bytes, EncodeError> {
    if event.id.is_some_and(|id| id.contains(['\0', '\r', '\n'])) {
        return Err(EncodeError::Id);
    }
    if event.event.is_some_and(|name| name.contains(['\r', '\n'])) {
        return Err(EncodeError::EventType);
    }
    let mut out = Lines::new(ending, event.data.map_or(0, str::len));
    if let Some(name) = event.event {
        out.field("event", name);
    }
    if let Some(id) = event.id {
        out.field("id", id);
    }
    if let Some(retry_ms) = event.retry_ms {
        out.field("retry", &retry_ms.to_string());
    }
    for line in event.data.into_iter().flat_map(lines) {
        out.field("data", line);
    }
    Ok(out.finish())
}

/// Writes a comment and a blank line, so that whoever forwards whole blocks forwards it at once.
/// Useful to keep a connection alive: WHATWG HTML 9.2.7 advises one every 15 seconds or so.
pub fn comment(text: &str) -> Bytes {
    let mut out = Lines::new(LineEnding::Lf, text.len());
    for line in lines(text) {
        out.field("", line);
    }
    out.finish()
}

/// The lines of a text as a decoder would tell them apart; an empty text is one empty line.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = memchr::memchr2(b'\r', b'\n', text.as_bytes()) else {
            rest = None;
            return Some(text);
        };
        let terminator = if text[end..].starts_with("\r\n") { 2 } else { 1 };
        rest = Some(&text[end + terminator..]);
        Some(&text[..end])
    })
}

struct Lines {
    out: String,
    ending: &'static str,
}

impl Lines {
    fn new(ending: LineEnding, data_bytes: usize) -> Self {
        // Room for the other fields of an ordinary event.
        const OTHER_FIELDS_BYTES: usize = 64;
        let out = String::with_capacity(data_bytes + OTHER_FIELDS_BYTES);
        Self { out, ending: ending.as_str() }
    }

    /// One space after the colon, which decoders drop, keeps a leading space of the value.
    fn field(&mut self, name: &str, value: &str) {
        self.out.push_str(name);
        self.out.push(':');
        if !value.is_empty() {
            self.out.push(' ');
            self.out.push_str(value);
        }
        self.out.push_str(self.ending);
    }

    fn finish(mut self) -> Bytes {
        self.out.push_str(self.ending);
        Bytes::from(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(data: &str) -> Event<'_> {
        Event { data: Some(data), ..Event::default() }
    }

    #[test]
    fn every_field_is_written_once_and_the_id_before_the_data() {
        let whole = Event { id: Some("7"), event: Some("e"), data: Some("d"), retry_ms: Some(500) };
        let expected = "event: e\nid: 7\nretry: 500\ndata: d\n\n";
        assert_eq!(encode(&whole, LineEnding::Lf).unwrap(), expected);
        assert_eq!(encode(&whole, LineEnding::CrLf).unwrap(), expected.replace('\n', "\r\n"));
        assert_eq!(encode(&whole, LineEnding::Cr).unwrap(), expected.replace('\n', "\r"));
        assert_eq!(encode(&Event::default(), LineEnding::Lf).unwrap(), "\n");
    }

    #[test]
    fn each_line_of_the_data_gets_its_own_field() {
        let data = "a\nb\r\nc\rd\n\re\n";
        let expected = "data: a\ndata: b\ndata: c\ndata: d\ndata:\ndata: e\ndata:\n\n";
        assert_eq!(encode(&event(data), LineEnding::Lf).unwrap(), expected);
    }

    #[test]
    fn empty_values_keep_their_field_and_spaces_survive() {
        assert_eq!(encode(&event(""), LineEnding::Lf).unwrap(), "data:\n\n");
        assert_eq!(encode(&event(" x"), LineEnding::Lf).unwrap(), "data:  x\n\n");
        let reset = Event { id: Some(""), ..Event::default() };
        assert_eq!(encode(&reset, LineEnding::Lf).unwrap(), "id:\n\n");
    }

    #[test]
    fn what_a_field_cannot_hold_is_refused_before_anything_is_written() {
        for id in ["a\0", "\n", "a\rb"] {
            let event = Event { id: Some(id), ..Event::default() };
            assert_eq!(encode(&event, LineEnding::Lf), Err(EncodeError::Id), "{id:?}");
        }
        for name in ["a\n", "\r"] {
            let event = Event { event: Some(name), ..Event::default() };
            assert_eq!(encode(&event, LineEnding::Lf), Err(EncodeError::EventType), "{name:?}");
        }
    }

    #[test]
    fn a_comment_cannot_break_out_of_its_lines() {
        assert_eq!(comment("keep-alive"), ": keep-alive\n\n");
        assert_eq!(comment(""), ":\n\n");
        assert_eq!(comment("a\r\ndata: b\rid: 1"), ": a\n: data: b\n: id: 1\n\n");
    }
}
