//! The members every message shares, and the rule that tells the four kinds apart.
//!
//! It owns that decision and nothing else: params and results pass through with the type the
//! caller wants them in.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::{Message, MessageError, RequestId};
use crate::json::Text;

#[derive(Deserialize)]
#[serde(bound(deserialize = "P: Deserialize<'de>, R: Deserialize<'de>"))]
struct Envelope<'a, P, R> {
    #[serde(borrow, default)]
    jsonrpc: Option<Text<'a>>,
    #[serde(borrow, default)]
    id: Id<'a>,
    #[serde(borrow, default)]
    method: Option<Text<'a>>,
    #[serde(default = "none")]
    params: Option<P>,
    #[serde(default = "none", deserialize_with = "present")]
    result: Option<R>,
    #[serde(borrow, default)]
    error: Option<ErrorObject<'a>>,
}

#[derive(Deserialize)]
struct ErrorObject<'a> {
    code: i64,
    #[serde(borrow)]
    message: Text<'a>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

/// An absent id makes a notification and a `null` one an error, so they must stay apart.
#[derive(Default)]
enum Id<'a> {
    #[default]
    Absent,
    Null,
    Some(RequestId<'a>),
}

impl<'de: 'a, 'a> Deserialize<'de> for Id<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Option::deserialize(deserializer)? {
            Some(id) => Self::Some(id),
            None => Self::Null,
        })
    }
}

/// `Option::default` as a path: the derive would otherwise ask for `P: Default`.
fn none<T>() -> Option<T> {
    None
}

/// A result of `null` is a result, where plain `Option` would call it absent.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Reads one message, its params as `P` and its result as `R`.
pub(crate) fn read<'a, P, R>(text: &'a str) -> Result<Message<'a, P, R>, MessageError>
where
    P: Deserialize<'a>,
    R: Deserialize<'a>,
{
    // The four characters that JSON calls white space.
    let body = text.trim_start_matches([' ', '\t', '\n', '\r']);
    if body.is_empty() {
        return Err(MessageError::Empty);
    }
    if body.starts_with('[') {
        return Err(MessageError::Batch);
    }
    classify(serde_json::from_str(text)?)
}

fn classify<'a, P, R>(envelope: Envelope<'a, P, R>) -> Result<Message<'a, P, R>, MessageError> {
    let Envelope { jsonrpc, id, method, params, result, error } = envelope;
    if jsonrpc.is_none_or(|version| version.0 != "2.0") {
        return Err(MessageError::NotVersion2);
    }
    match (method, result, error) {
        (Some(Text(method)), None, None) => match id {
            Id::Some(id) => Ok(Message::Request { id, method, params }),
            Id::Absent => Ok(Message::Notification { method, params }),
            Id::Null => Err(MessageError::NoId),
        },
        (None, Some(result), None) => match id {
            Id::Some(id) => Ok(Message::Response { id, result }),
            Id::Absent | Id::Null => Err(MessageError::NoId),
        },
        (None, None, Some(ErrorObject { code, message: Text(message), data })) => {
            let id = match id {
                Id::Some(id) => Some(id),
                Id::Absent | Id::Null => None,
            };
            Ok(Message::Error { id, code, message, data })
        }
        _ => Err(MessageError::NotOneKind),
    }
}
