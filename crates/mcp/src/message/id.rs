//! "String or integer": the one type behind request ids and progress tokens.
//!
//! The schema gives both the same shape, and both come back exactly as they were sent, so a number
//! and a string of the same digits are different ids. `null` and fractions are refused.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::json::{push_display, push_string};

/// Names a request until it is answered, unique among those of its sender in a session.
///
/// ```
/// use seamstress_mcp::message::RequestId;
///
/// assert_ne!(RequestId::from(7), RequestId::from("7"));
/// assert_eq!(RequestId::from(7).to_string(), RequestId::from("7").to_string());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RequestId<'a> {
    /// A JSON integer.
    Number(i64),
    /// A JSON string.
    Text(Cow<'a, str>),
}

/// Ties progress notifications to a request, unique among the active ones
/// (`basic/utilities/progress`).
pub type ProgressToken<'a> = RequestId<'a>;

impl RequestId<'_> {
    /// The same id, independent of the text it was read from.
    pub fn into_owned(self) -> RequestId<'static> {
        match self {
            Self::Number(number) => RequestId::Number(number),
            Self::Text(text) => RequestId::Text(Cow::Owned(text.into_owned())),
        }
    }

    pub(crate) fn push_json(&self, out: &mut String) {
        match self {
            Self::Number(number) => push_display(out, number),
            Self::Text(text) => push_string(out, text),
        }
    }
}

impl From<i64> for RequestId<'_> {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl<'a> From<&'a str> for RequestId<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl fmt::Display for RequestId<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Text(text) => formatter.write_str(text),
        }
    }
}

impl Serialize for RequestId<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_i64(*number),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RequestId<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StringOrInteger)
    }
}

struct StringOrInteger;

impl<'de> de::Visitor<'de> for StringOrInteger {
    type Value = RequestId<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string or a 64-bit signed integer")
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(RequestId::Number(number))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
        i64::try_from(number)
            .map(RequestId::Number)
            .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(number), &self))
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(RequestId::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(RequestId::Text(Cow::Owned(text.to_owned())))
    }
}
