//! Header names, media types, and what makes a single header value valid.
//!
//! It owns the names and the checks that need nothing but the value. It does not know which
//! request a header belongs to, which answer a bad value earns, or whether a session exists: those
//! are decisions of server, proxy and client.
//!
//! Rules: `basic/transports` of the MCP specification; RFC 9110, section 12.5.1 for `Accept`.

use http::{HeaderMap, HeaderValue};

/// Binds a request to a session. Spelled `MCP-Session-Id` since 2025-11-25; names ignore case.
pub const MCP_SESSION_ID: &str = "mcp-session-id";
/// The negotiated revision, on every request after `initialize` (since 2025-06-18).
pub const MCP_PROTOCOL_VERSION: &str = "mcp-protocol-version";
/// The cursor a client presents to resume a stream.
pub const LAST_EVENT_ID: &str = "last-event-id";
/// The resumption verdict, see [`crate::resumption_header`]. Not part of MCP.
pub const MCP_RESUMPTION: &str = "mcp-resumption";
/// The number that the harness's own client gives an exchange, so that what a server of the harness
/// records can be put beside what the client saw. Not part of MCP, and nothing depends on it.
pub const EXCHANGE: &str = "seamstress-exchange";

/// The media type of a single JSON-RPC message.
pub const APPLICATION_JSON: &str = "application/json";
/// The media type of a stream of server-sent events.
pub const TEXT_EVENT_STREAM: &str = "text/event-stream";

/// The same names as [`http::HeaderName`], parsed at compile time.
///
/// ```
/// use seamstress_mcp::headers;
///
/// let mut map = http::HeaderMap::new();
/// map.insert(headers::name::LAST_EVENT_ID, http::HeaderValue::from_static("c1:7"));
/// assert!(map.contains_key(headers::LAST_EVENT_ID));
/// ```
pub mod name {
    use http::HeaderName;

    /// See [`super::MCP_SESSION_ID`].
    pub const MCP_SESSION_ID: HeaderName = HeaderName::from_static(super::MCP_SESSION_ID);
    /// See [`super::MCP_PROTOCOL_VERSION`].
    pub const MCP_PROTOCOL_VERSION: HeaderName =
        HeaderName::from_static(super::MCP_PROTOCOL_VERSION);
    /// See [`super::LAST_EVENT_ID`].
    pub const LAST_EVENT_ID: HeaderName = HeaderName::from_static(super::LAST_EVENT_ID);
    /// See [`super::MCP_RESUMPTION`].
    pub const MCP_RESUMPTION: HeaderName = HeaderName::from_static(super::MCP_RESUMPTION);
    /// See [`super::EXCHANGE`].
    pub const EXCHANGE: HeaderName = HeaderName::from_static(super::EXCHANGE);
}

/// A `Last-Event-ID` whose bytes are not UTF-8. It names no event, so it is a malformed cursor and
/// must not be mistaken for an absent one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the Last-Event-ID header is not UTF-8; send the bytes of the SSE id unchanged")]
pub struct CursorNotUtf8;

/// The cursor of a request: `None` if the header is absent, `Some("")` if it is there and empty.
///
/// An id travels as UTF-8 (WHATWG HTML 9.2.4), so [`HeaderValue::to_str`], which accepts
/// visible ASCII only, would lose every other id.
///
/// # Errors
/// [`CursorNotUtf8`] if the header is present and no valid UTF-8.
///
/// ```
/// use seamstress_mcp::headers::{self, last_event_id};
///
/// let mut map = http::HeaderMap::new();
/// assert_eq!(last_event_id(&map), Ok(None));
/// map.insert(headers::name::LAST_EVENT_ID, http::HeaderValue::from_str("…")?);
/// assert_eq!(last_event_id(&map), Ok(Some("…")));
/// # Ok::<(), http::header::InvalidHeaderValue>(())
/// ```
pub fn last_event_id(headers: &HeaderMap) -> Result<Option<&str>, CursorNotUtf8> {
    headers
        .get(name::LAST_EVENT_ID)
        .map(HeaderValue::as_bytes)
        .map(str::from_utf8)
        .transpose()
        .map_err(|_| CursorNotUtf8)
}

/// Whether a POST lists both media types the server may answer with, as it must.
///
/// ```
/// use seamstress_mcp::headers::post_accept_is_valid;
///
/// assert!(post_accept_is_valid("application/json, text/event-stream"));
/// assert!(post_accept_is_valid("*/*"));
/// assert!(!post_accept_is_valid("application/json"));
/// ```
pub fn post_accept_is_valid(accept: &str) -> bool {
    accepts(accept, APPLICATION_JSON) && accepts(accept, TEXT_EVENT_STREAM)
}

/// Whether a GET lists `text/event-stream`, as it must.
pub fn get_accept_is_valid(accept: &str) -> bool {
    accepts(accept, TEXT_EVENT_STREAM)
}

/// Whether a `Content-Type` names `media_type`, whatever its parameters and case (the charset of
/// an event stream is ignored: WHATWG HTML 9.2.3 decodes it as UTF-8 in any case).
pub fn content_type_is(content_type: &str, media_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default();
    essence.trim_matches(WHITESPACE).eq_ignore_ascii_case(media_type)
}

/// Whether a session id is not empty and holds visible ASCII only (0x21 to 0x7E).
pub fn session_id_is_valid(session_id: &str) -> bool {
    !session_id.is_empty() && session_id.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Whether an `Origin` is a page on this machine: http or https on `localhost`, `127.0.0.1` or
/// `[::1]`, at any port. A server that validates `Origin` so is safe from DNS rebinding.
pub fn origin_is_local(origin: &str) -> bool {
    let Some(authority) =
        origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"))
    else {
        return false;
    };
    ["localhost", "127.0.0.1", "[::1]"].into_iter().any(|host| {
        authority.strip_prefix(host).is_some_and(|rest| rest.is_empty() || is_port(rest))
    })
}

/// Optional whitespace of RFC 9110, section 5.6.3.
const WHITESPACE: [char; 2] = [' ', '\t'];

fn is_port(text: &str) -> bool {
    text.strip_prefix(':').is_some_and(|digits| {
        digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.parse::<u16>().is_ok()
    })
}

/// The most specific range that matches decides, and its weight must not be zero.
fn accepts(accept: &str, media_type: &str) -> bool {
    let mut best: Option<(Specificity, bool)> = None;
    for element in split_outside_quotes(accept, ',') {
        let mut parts = split_outside_quotes(element, ';');
        let range = parts.next().unwrap_or_default().trim_matches(WHITESPACE);
        let Some(specificity) = Specificity::of(range, media_type) else { continue };
        let wanted = !parts.any(weight_is_zero);
        if best.is_none_or(|(known, _)| specificity > known) {
            best = Some((specificity, wanted));
        }
    }
    best.is_some_and(|(_, wanted)| wanted)
}

/// How closely a media range names a media type, loosest first.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Specificity {
    Anything,
    AnySubtype,
    Exact,
}

impl Specificity {
    fn of(range: &str, media_type: &str) -> Option<Self> {
        if range == "*/*" {
            return Some(Self::Anything);
        }
        if range.eq_ignore_ascii_case(media_type) {
            return Some(Self::Exact);
        }
        let range_type = range.strip_suffix("/*")?;
        let (wanted_type, _) = media_type.split_once('/')?;
        range_type.eq_ignore_ascii_case(wanted_type).then_some(Self::AnySubtype)
    }
}

/// Whether a parameter is a weight of zero in any of its spellings, such as `q=0` or `q=0.000`.
fn weight_is_zero(parameter: &str) -> bool {
    let Some((name, value)) = parameter.trim_matches(WHITESPACE).split_once('=') else {
        return false;
    };
    name.eq_ignore_ascii_case("q")
        && value.starts_with('0')
        && value.bytes().all(|byte| matches!(byte, b'0' | b'.'))
}

/// Splits at a separator, but not inside a quoted string (RFC 9110, section 5.6.4).
fn split_outside_quotes(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    let mut escaped = false;
    text.split(move |character: char| {
        if escaped {
            escaped = false;
            return false;
        }
        match character {
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ => return character == separator && !quoted,
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_post_must_list_both_media_types() {
        for valid in [
            "application/json, text/event-stream",
            "text/event-stream,application/json",
            "Application/JSON;q=0.9 , TEXT/event-stream ; q=0.1",
            "*/*",
            "application/*, text/*",
            "application/json;profile=\"a;q=0;b\", text/event-stream",
            "application/json;profile=\"a\\\",b\", text/event-stream",
        ] {
            assert!(post_accept_is_valid(valid), "{valid}");
        }
        for invalid in [
            "",
            "application/json",
            "text/event-stream",
            "text/*",
            "application/json, text/event-stream;q=0",
            "application/json, text/event-stream; Q=0.000",
            "application/json-seq, text/event-stream",
            "\"application/json, text/event-stream\"",
        ] {
            assert!(!post_accept_is_valid(invalid), "{invalid}");
        }
    }

    #[test]
    fn a_get_must_list_the_event_stream() {
        for valid in [
            "text/event-stream",
            "text/*",
            "*/*;q=0.1",
            "a/b, text/event-stream;x=y",
            "text/event-stream;q=",
        ] {
            assert!(get_accept_is_valid(valid), "{valid}");
        }
        for invalid in [
            "",
            "application/json",
            "*",
            "text",
            "*/event-stream",
            "*/*;q=0",
            "a/b;c=\",text/event-stream,\"",
        ] {
            assert!(!get_accept_is_valid(invalid), "{invalid}");
        }
    }

    #[test]
    fn the_most_specific_media_range_decides_in_any_order() {
        assert!(!get_accept_is_valid("*/*, text/event-stream;q=0"));
        assert!(!get_accept_is_valid("text/event-stream;q=0, */*"));
        assert!(get_accept_is_valid("text/*;q=0, text/event-stream;q=0.001"));
        assert!(!get_accept_is_valid("*/*, text/*;q=0.0"));
    }

    #[test]
    fn the_content_type_is_compared_without_parameters() {
        for stream in [
            "text/event-stream",
            "text/event-stream;",
            "text/event-stream;x bogus",
            "TEXT/EVENT-STREAM ; charset=windows-1252",
        ] {
            assert!(content_type_is(stream, TEXT_EVENT_STREAM), "{stream}");
        }
        for other in ["", "x bogus", "text/event-streams", "application/json"] {
            assert!(!content_type_is(other, TEXT_EVENT_STREAM), "{other}");
        }
    }

    #[test]
    fn a_session_id_is_visible_ascii_and_not_empty() {
        assert!(session_id_is_valid("!~azAZ09-_"));
        for invalid in ["", "a b", "a\tb", "a\u{7f}", "é", "a\0", "a\n"] {
            assert!(!session_id_is_valid(invalid), "{invalid:?}");
        }
    }

    #[test]
    fn only_pages_of_this_machine_are_local_origins() {
        for local in [
            "http://localhost",
            "https://localhost:1",
            "http://127.0.0.1:65535",
            "http://[::1]",
            "https://[::1]:8080",
        ] {
            assert!(origin_is_local(local), "{local}");
        }
        for foreign in [
            "",
            "null",
            "localhost",
            "ftp://localhost",
            "http://localhost:",
            "http://localhost:+1",
            "http://localhost:65536",
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example",
            "http://evil.example/localhost",
            "http://localhost/path",
            "http://::1",
        ] {
            assert!(!origin_is_local(foreign), "{foreign}");
        }
    }

    #[test]
    fn absent_empty_and_broken_cursors_are_three_different_things() {
        let mut map = HeaderMap::new();
        assert_eq!(last_event_id(&map), Ok(None));
        map.insert(name::LAST_EVENT_ID, HeaderValue::from_static(""));
        assert_eq!(last_event_id(&map), Ok(Some("")));
        map.insert(name::LAST_EVENT_ID, HeaderValue::from_bytes(b"\xff").unwrap());
        assert_eq!(last_event_id(&map), Err(CursorNotUtf8));
    }
}
