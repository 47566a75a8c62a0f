//! `Mcp-Resumption`: the response header that names the resumption verdict.
//!
//! MCP has no such header. It follows what neighbours do (Mercure names the event it resumes from):
//! a reader can tell an accepted cursor from a refused one before the first event arrives,
//! whatever the status code. The value is an RFC 9651 item, a token with parameters:
//!
//! ```text
//! resume;stream="c1";after=17;replay=3
//! caught-up;stream="c1"
//! refused;reason=below-floor
//! ```
//!
//! It owns the spelling. It does not know how a verdict is reached or which reasons exist.

use sfv::{
    BareItem, Integer, Item, ItemSerializer, KeyRef, Parameters, Parser, StringRef, TokenRef,
};

/// The verdict on one cursor, as a header spells it.
///
/// ```
/// use seamstress_mcp::resumption_header::ResumptionHeader;
///
/// let refused = ResumptionHeader::Refused { reason: "below-floor".to_owned() };
/// assert_eq!(refused.to_value()?, "refused;reason=below-floor");
/// assert_eq!(ResumptionHeader::parse("refused;reason=below-floor")?, refused);
/// # Ok::<(), seamstress_mcp::resumption_header::ResumptionHeaderError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResumptionHeader {
    /// Accepted, with a replay.
    Resume {
        /// The label of the stream.
        stream: String,
        /// The position after which it goes on.
        after: u64,
        /// How many events are replayed.
        replay: u64,
    },
    /// Accepted, nothing to replay.
    CaughtUp {
        /// The label of the stream.
        stream: String,
    },
    /// Refused.
    Refused {
        /// The kebab-case name of the reason.
        reason: String,
    },
}

/// Why a verdict cannot be written or a value cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResumptionHeaderError {
    /// The value is no structured field item.
    #[error("the Mcp-Resumption value is no RFC 9651 item: {reason}")]
    NotAnItem {
        /// What the parser found.
        reason: String,
    },
    /// The item is none of the three tokens.
    #[error("the Mcp-Resumption value must be one of the tokens resume, caught-up and refused")]
    UnknownVerdict,
    /// A parameter is absent or has the wrong type.
    #[error("the Mcp-Resumption parameter `{0}` is absent or not {1}")]
    Parameter(&'static str, &'static str),
    /// A value has no spelling in the parameter's type.
    #[error("the Mcp-Resumption parameter `{0}` can only be {1}; choose another value")]
    Unwritable(&'static str, &'static str),
}

const RESUME: &TokenRef = TokenRef::constant("resume");
const CAUGHT_UP: &TokenRef = TokenRef::constant("caught-up");
const REFUSED: &TokenRef = TokenRef::constant("refused");

const STREAM: &KeyRef = KeyRef::constant("stream");
const AFTER: &KeyRef = KeyRef::constant("after");
const REPLAY: &KeyRef = KeyRef::constant("replay");
const REASON: &KeyRef = KeyRef::constant("reason");

const A_STRING: &str = "a string of printable ASCII";
const AN_INTEGER: &str = "an integer from 0 to 999999999999999";
const A_TOKEN: &str = "a token";

impl ResumptionHeader {
    /// Writes the header value.
    ///
    /// # Errors
    /// [`ResumptionHeaderError::Unwritable`] if a label is not printable ASCII, a number exceeds 15
    /// digits, or a reason is no token.
    pub fn to_value(&self) -> Result<String, ResumptionHeaderError> {
        let item = ItemSerializer::new();
        Ok(match self {
            Self::Resume { stream, after, replay } => item
                .bare_item(RESUME)
                .parameter(STREAM, string("stream", stream)?)
                .parameter(AFTER, integer("after", *after)?)
                .parameter(REPLAY, integer("replay", *replay)?)
                .finish(),
            Self::CaughtUp { stream } => {
                item.bare_item(CAUGHT_UP).parameter(STREAM, string("stream", stream)?).finish()
            }
            Self::Refused { reason } => {
                let reason = TokenRef::from_str(reason)
                    .map_err(|_| ResumptionHeaderError::Unwritable("reason", A_TOKEN))?;
                item.bare_item(REFUSED).parameter(REASON, reason).finish()
            }
        })
    }

    /// Reads a header value. Parameters that are not known are skipped.
    ///
    /// # Errors
    /// [`ResumptionHeaderError`] if the value is not one of the three verdicts with all its
    /// parameters.
    pub fn parse(value: &str) -> Result<Self, ResumptionHeaderError> {
        let item: Item = Parser::new(value)
            .parse()
            .map_err(|error| ResumptionHeaderError::NotAnItem { reason: error.to_string() })?;
        let verdict = item.bare_item.as_token().ok_or(ResumptionHeaderError::UnknownVerdict)?;
        if verdict == RESUME {
            Ok(Self::Resume {
                stream: read_string(&item.params, STREAM, "stream")?,
                after: read_integer(&item.params, AFTER, "after")?,
                replay: read_integer(&item.params, REPLAY, "replay")?,
            })
        } else if verdict == CAUGHT_UP {
            Ok(Self::CaughtUp { stream: read_string(&item.params, STREAM, "stream")? })
        } else if verdict == REFUSED {
            let reason = item.params.get(REASON).and_then(BareItem::as_token);
            let reason = reason.ok_or(ResumptionHeaderError::Parameter("reason", A_TOKEN))?;
            Ok(Self::Refused { reason: reason.as_str().to_owned() })
        } else {
            Err(ResumptionHeaderError::UnknownVerdict)
        }
    }
}

fn string<'a>(name: &'static str, text: &'a str) -> Result<&'a StringRef, ResumptionHeaderError> {
    StringRef::from_str(text).map_err(|_| ResumptionHeaderError::Unwritable(name, A_STRING))
}

fn integer(name: &'static str, number: u64) -> Result<Integer, ResumptionHeaderError> {
    Integer::try_from(number).map_err(|_| ResumptionHeaderError::Unwritable(name, AN_INTEGER))
}

fn read_string(
    parameters: &Parameters,
    key: &KeyRef,
    name: &'static str,
) -> Result<String, ResumptionHeaderError> {
    let text = parameters.get(key).and_then(BareItem::as_string);
    let text = text.ok_or(ResumptionHeaderError::Parameter(name, A_STRING))?;
    Ok(text.as_str().to_owned())
}

fn read_integer(
    parameters: &Parameters,
    key: &KeyRef,
    name: &'static str,
) -> Result<u64, ResumptionHeaderError> {
    let number = parameters.get(key).and_then(BareItem::as_integer);
    number
        .and_then(|number| u64::try_from(number).ok())
        .ok_or(ResumptionHeaderError::Parameter(name, AN_INTEGER))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resume(stream: &str, after: u64) -> ResumptionHeader {
        ResumptionHeader::Resume { stream: stream.to_owned(), after, replay: 3 }
    }

    #[test]
    fn each_verdict_is_spelled_as_documented_and_reads_back() {
        let caught_up = ResumptionHeader::CaughtUp { stream: "c1".to_owned() };
        let refused = ResumptionHeader::Refused { reason: "below-floor".to_owned() };
        for (header, value) in [
            (resume("c1", 17), r#"resume;stream="c1";after=17;replay=3"#),
            (resume("a \"b\\", 0), r#"resume;stream="a \"b\\";after=0;replay=3"#),
            (caught_up, r#"caught-up;stream="c1""#),
            (refused, "refused;reason=below-floor"),
        ] {
            assert_eq!(header.to_value().unwrap(), value);
            assert_eq!(ResumptionHeader::parse(value), Ok(header));
        }
    }

    #[test]
    fn what_a_structured_field_cannot_hold_is_refused() {
        let greatest = 999_999_999_999_999;
        assert!(resume("c1", greatest).to_value().is_ok());
        let error = ResumptionHeaderError::Unwritable("after", AN_INTEGER);
        assert_eq!(resume("c1", greatest + 1).to_value(), Err(error));
        let error = ResumptionHeaderError::Unwritable("stream", A_STRING);
        assert_eq!(resume("…", 1).to_value(), Err(error));
        let error = ResumptionHeaderError::Unwritable("reason", A_TOKEN);
        for reason in ["", "below floor", "…"] {
            let header = ResumptionHeader::Refused { reason: reason.to_owned() };
            assert_eq!(header.to_value(), Err(error.clone()), "{reason}");
        }
    }

    #[test]
    fn parameters_may_come_in_any_order_and_with_unknown_ones() {
        let value = r#" resume;replay=3;later=?1;after=17;stream="c1" "#;
        assert_eq!(ResumptionHeader::parse(value), Ok(resume("c1", 17)));
    }

    #[test]
    fn a_value_that_is_no_verdict_is_refused() {
        for value in ["", "resume;", "resume, refused", "…"] {
            let read = ResumptionHeader::parse(value);
            assert!(matches!(read, Err(ResumptionHeaderError::NotAnItem { .. })), "{value:?}");
        }
        for value in ["\"resume\"", "1", "resumed;stream=\"c1\""] {
            assert_eq!(
                ResumptionHeader::parse(value),
                Err(ResumptionHeaderError::UnknownVerdict),
                "{value:?}"
            );
        }
        for (value, name, kind) in [
            ("refused", "reason", A_TOKEN),
            ("refused;reason=\"x\"", "reason", A_TOKEN),
            ("caught-up;stream=c1", "stream", A_STRING),
            ("resume;stream=\"c1\";replay=0", "after", AN_INTEGER),
            ("resume;stream=\"c1\";after=-1;replay=0", "after", AN_INTEGER),
            ("resume;stream=\"c1\";after=1;replay=0.5", "replay", AN_INTEGER),
        ] {
            let error = ResumptionHeaderError::Parameter(name, kind);
            assert_eq!(ResumptionHeader::parse(value), Err(error), "{value:?}");
        }
    }
}
