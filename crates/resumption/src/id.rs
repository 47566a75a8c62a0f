//! Owns the event id: its text, the four schemes that give it a form, and reading a token back.
//! It must not know which ids a log has issued; whether a token may be resumed from is decided in
//! `resolve`.
//! It exists because a token is an opaque word to everyone but the server that issued it, and the
//! server must read back exactly what it wrote and nothing that merely resembles it.

use std::fmt;
use std::sync::Arc;

use crate::names::kebab_names;

/// How a server forms its event ids.
///
/// | scheme | token | attributable | client can check the successor |
/// |---|---|---|---|
/// | `session-counter` | `4471` | by look-up while retained | only in a session with one stream |
/// | `namespaced` | `<tag>.<stream>.<sequence>` | yes | yes |
/// | `epoch-namespaced` | `<tag>.<epoch>.<stream>.<sequence>` | yes, and tells a re-base | yes |
/// | `stream-counter` | `17` | no | looks like it, and is wrong |
///
/// Numbers are canonical decimals: digits only, no sign, no leading zero (except the number 0
/// itself), within `u64`. Anything else is [`Reason::Malformed`](crate::Reason::Malformed), so
/// that one position has one spelling. Tags and stream names consist of 1 to 64 of the characters
/// `A-Z a-z 0-9 _ -`; the full stop separates the parts and therefore appears in none of them.
///
/// MCP 2025-11-25 asks that an id encode enough to find its stream (a SHOULD of `basic/transports`,
/// "Resumability and Redelivery"); all revisions demand that it be unique over all streams of the
/// session. `stream-counter` breaks both and is here because it is the seed of the incident that
/// the rule was written for. **The bare counters cannot tell sessions or epochs apart**: `17` reads
/// the same in every session and after every re-base, so
/// [`OtherSession`](crate::Reason::OtherSession) and [`OtherEpoch`](crate::Reason::OtherEpoch)
/// never come from them. Use a namespaced scheme unless you study the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum IdScheme {
    /// One counter for the whole session, persisted with the buffer ("design A").
    SessionCounter,
    /// A session tag, the stream, and a sequence number within the stream.
    Namespaced,
    /// As `Namespaced`, with the epoch, so that a re-base shows ("design B").
    EpochNamespaced,
    /// A bare counter for each stream. Never use it in a session that may have two streams.
    StreamCounter,
}

kebab_names!(IdScheme, "id scheme", {
    SessionCounter => "session-counter",
    Namespaced => "namespaced",
    EpochNamespaced => "epoch-namespaced",
    StreamCounter => "stream-counter",
});

impl IdScheme {
    /// Whether a client can tell from two ids alone that one is the successor of the other on the
    /// same stream, however many streams the session has.
    pub const fn successor_checkable(self) -> bool {
        matches!(self, Self::Namespaced | Self::EpochNamespaced)
    }

    /// The id of event `number` in this scheme. `tag` and `stream` have passed [`is_name`].
    pub(crate) fn format(self, tag: &str, epoch: u64, stream: &str, number: u64) -> EventId {
        let text = match self {
            Self::SessionCounter | Self::StreamCounter => number.to_string(),
            Self::Namespaced => format!("{tag}.{stream}.{number}"),
            Self::EpochNamespaced => format!("{tag}.{epoch}.{stream}.{number}"),
        };
        EventId::from(text)
    }

    /// Reads a token of this scheme; `None` if it is not one.
    pub(crate) fn parse(self, text: &str) -> Option<Token<'_>> {
        match self {
            Self::SessionCounter | Self::StreamCounter => {
                let number = canonical_decimal(text)?;
                Some(Token { tag: None, epoch: None, stream: None, number })
            }
            Self::Namespaced => {
                let (tag, rest) = text.split_once('.')?;
                Token::of_stream(tag, None, rest)
            }
            Self::EpochNamespaced => {
                let (tag, rest) = text.split_once('.')?;
                let (epoch, rest) = rest.split_once('.')?;
                Token::of_stream(tag, Some(canonical_decimal(epoch)?), rest)
            }
        }
    }
}

/// What a token says about itself. `None` means that the scheme leaves the part out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) tag: Option<&'a str>,
    pub(crate) epoch: Option<u64>,
    pub(crate) stream: Option<&'a str>,
    pub(crate) number: u64,
}

impl<'a> Token<'a> {
    fn of_stream(tag: &'a str, epoch: Option<u64>, stream_and_number: &'a str) -> Option<Self> {
        let (stream, number) = stream_and_number.split_once('.')?;
        let number = canonical_decimal(number)?;
        let named = is_name(tag) && is_name(stream);
        named.then_some(Self { tag: Some(tag), epoch, stream: Some(stream), number })
    }
}

/// Session tags and stream names: what may stand between the full stops of a token, and may travel
/// in an HTTP header and an SSE field without quoting.
pub(crate) fn is_name(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=64).contains(&text.len()) && text.bytes().all(allowed)
}

fn canonical_decimal(text: &str) -> Option<u64> {
    let only_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let shortest_form = text == "0" || !text.starts_with('0');
    if only_digits && shortest_form { text.parse().ok() } else { None }
}

/// The text of an SSE `id:` field, which comes back as a cursor in `Last-Event-ID`.
///
/// Cheap to clone. It is deliberately without an order: cursors of different streams, epochs or
/// sessions are not comparable, and the order of the texts (`"10" < "9"`) is never the order of
/// the events.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EventId(Arc<str>);

impl EventId {
    /// The text as it stands on the wire.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl From<&str> for EventId {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<String> for EventId {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scheme_reads_back_exactly_what_it_wrote() {
        for &scheme in IdScheme::ALL {
            for number in [0, 1, 9, 10, 4471, u64::MAX] {
                let id = scheme.format("s_1", 3, "call-7", number);
                let token = scheme.parse(id.as_str()).expect("a formatted id is a token");
                assert_eq!(token.number, number);
                assert_eq!(token.epoch, (scheme == IdScheme::EpochNamespaced).then_some(3));
                assert_eq!(token.stream, scheme.successor_checkable().then_some("call-7"));
                assert_eq!(token.tag, scheme.successor_checkable().then_some("s_1"));
            }
        }
    }

    #[test]
    fn the_token_texts_are_the_documented_ones() {
        let text = |scheme: IdScheme| scheme.format("s1", 2, "get", 17).to_string();
        assert_eq!(text(IdScheme::SessionCounter), "17");
        assert_eq!(text(IdScheme::Namespaced), "s1.get.17");
        assert_eq!(text(IdScheme::EpochNamespaced), "s1.2.get.17");
        assert_eq!(text(IdScheme::StreamCounter), "17");
    }

    #[test]
    fn a_second_spelling_of_a_number_is_not_a_token() {
        for spelling in ["", "+1", "-1", "01", "00", " 1", "1 ", "1.0", "1e3", "٣", "x"] {
            assert_eq!(canonical_decimal(spelling), None, "{spelling:?}");
        }
        assert_eq!(canonical_decimal("18446744073709551615"), Some(u64::MAX));
        assert_eq!(canonical_decimal("18446744073709551616"), None, "one above u64::MAX");
        assert_eq!(canonical_decimal("0"), Some(0));
    }

    #[test]
    fn a_token_with_a_part_too_few_too_many_or_empty_is_malformed() {
        for text in
            ["", ".", "..", "s1.get", "s1..1", ".get.1", "s1.get.", "s1.get.1.2", "s1.get.01"]
        {
            assert_eq!(IdScheme::Namespaced.parse(text), None, "{text:?}");
        }
        for text in
            ["s1.get.1", "s1.1.get", "s1.x.get.1", "s1.01.get.1", "s1.1.get.1.1", "s1.1.g t.1"]
        {
            assert_eq!(IdScheme::EpochNamespaced.parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_name_has_1_to_64_letters_digits_underscores_and_hyphens() {
        assert!(is_name("a") && is_name("A-Z_09") && is_name(&"x".repeat(64)));
        for text in ["", "a.b", "a b", "ä", "a\n", &"x".repeat(65)] {
            assert!(!is_name(text), "{text:?}");
        }
    }

    #[test]
    fn a_scheme_name_that_does_not_exist_is_answered_with_the_ones_that_do() {
        for &scheme in IdScheme::ALL {
            assert_eq!(scheme.as_str().parse(), Ok(scheme));
        }
        let error = "session_counter".parse::<IdScheme>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "\"session_counter\" is not a known id scheme; write one of: session-counter, \
             namespaced, epoch-namespaced, stream-counter"
        );
    }
}
