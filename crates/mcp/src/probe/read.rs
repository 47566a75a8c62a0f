//! Reading any message of an event stream: what it is, and whose event it is.
//!
//! One pass over the text, borrowing from it. Messages that no probe tool wrote are read too, as
//! far as an observer needs them, since a stream may hold requests of the server, messages of
//! another implementation, or a response without a mark.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{LOGGER, Mark};
use crate::json::Text;
use crate::message::{self, Message, MessageError, ProgressToken, RequestId, method};

/// What a message says to an observer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Probe<'a> {
    /// One step of a call.
    Progress {
        /// The token of the call.
        token: ProgressToken<'a>,
        /// The step, 1 for the first one.
        progress: u64,
    },
    /// A successful answer.
    Result {
        /// The request it answers.
        id: RequestId<'a>,
        /// The call it names, if a probe tool wrote it.
        call: Option<Cow<'a, str>>,
        /// How many events it says there were, if a probe tool wrote it.
        events: Option<u64>,
    },
    /// A failed answer.
    Error {
        /// The request it answers; `None` if the sender could not tell.
        id: Option<RequestId<'a>>,
        /// The error code.
        code: i64,
        /// One sentence for a human.
        message: Cow<'a, str>,
    },
    /// A log message of the logger `probe`.
    Announcement,
    /// A request, on an event stream one of the server's own.
    Request {
        /// What is asked for.
        method: Cow<'a, str>,
        /// The id it awaits an answer under.
        id: RequestId<'a>,
    },
    /// Any other notification, among them progress that is no whole number.
    OtherNotification {
        /// What happened.
        method: Cow<'a, str>,
    },
}

/// A message together with its mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadProbe<'a> {
    /// Where the event belongs; `None` if the sender does not mark its events.
    pub mark: Option<Mark<'a>>,
    /// What the event says.
    pub probe: Probe<'a>,
}

/// Reads the data of one event.
///
/// # Errors
/// [`MessageError`] if the text is no JSON-RPC message, or if it holds a mark that cannot be read:
/// a broken mark means that something on the way changed the payload.
pub fn read(data: &str) -> Result<ReadProbe<'_>, MessageError> {
    let (mark, probe) = match message::read::<Params<'_>, ToolResult<'_>>(data)? {
        Message::Request { id, method, params } => {
            (params.and_then(Params::into_mark), Probe::Request { method, id })
        }
        Message::Notification { method, params } => notification(method, params),
        Message::Response { id, result } => {
            let (call, events) =
                result.counted().map(|counted| (counted.call, counted.events)).unzip();
            (result.meta.and_then(|meta| meta.mark), Probe::Result { id, call, events })
        }
        Message::Error { id, code, message, data } => {
            (mark_of_error(data)?, Probe::Error { id, code, message })
        }
    };
    Ok(ReadProbe { mark, probe })
}

/// Members of other methods may bear these names with other types, so they are read leniently.
#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow, default, rename = "progressToken")]
    token: Option<&'a RawValue>,
    #[serde(borrow, default)]
    progress: Option<&'a RawValue>,
    #[serde(borrow, default)]
    logger: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<Meta<'a>>,
}

impl<'a> Params<'a> {
    fn into_mark(self) -> Option<Mark<'a>> {
        self.meta.and_then(|meta| meta.mark)
    }

    fn probe(&self, method: &str) -> Option<Probe<'a>> {
        match method {
            method::PROGRESS => Some(Probe::Progress {
                token: serde_json::from_str(self.token?.get()).ok()?,
                progress: whole_number(self.progress?.get())?,
            }),
            method::LOG => {
                let logger: Text<'a> = serde_json::from_str(self.logger?.get()).ok()?;
                (logger.0 == LOGGER).then_some(Probe::Announcement)
            }
            _ => None,
        }
    }
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow, default, rename = "seamstress/probe")]
    mark: Option<Mark<'a>>,
}

#[derive(Deserialize)]
struct ToolResult<'a> {
    #[serde(borrow, default, rename = "structuredContent")]
    content: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<Meta<'a>>,
}

impl<'a> ToolResult<'a> {
    /// Structured content of another tool is not an error, just not ours.
    fn counted(&self) -> Option<Counted<'a>> {
        serde_json::from_str(self.content?.get()).ok()
    }
}

#[derive(Deserialize)]
struct Counted<'a> {
    #[serde(borrow)]
    call: Cow<'a, str>,
    events: u64,
}

fn notification<'a>(
    method: Cow<'a, str>,
    params: Option<Params<'a>>,
) -> (Option<Mark<'a>>, Probe<'a>) {
    let probe = params.as_ref().and_then(|params| params.probe(&method));
    (params.and_then(Params::into_mark), probe.unwrap_or(Probe::OtherNotification { method }))
}

/// Only an object can hold a mark; JSON-RPC allows data of any type.
fn mark_of_error(data: Option<&RawValue>) -> Result<Option<Mark<'_>>, MessageError> {
    match data.map(RawValue::get) {
        Some(text) if text.starts_with('{') => Ok(serde_json::from_str::<Meta<'_>>(text)?.mark),
        _ => Ok(None),
    }
}

/// A whole number, also one written as `3.0` by an implementation that counts in floats.
fn whole_number(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !fraction.bytes().all(|digit| digit == b'0') {
        return None;
    }
    whole.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::{announcement_text, error_text, progress_text, result_text};
    use super::*;

    fn probe(text: &str) -> Probe<'_> {
        read(text).unwrap().probe
    }

    fn other(method: &str) -> Probe<'_> {
        Probe::OtherNotification { method: method.into() }
    }

    #[test]
    fn each_text_reads_back_with_its_mark() {
        let mark = Mark::new("s\"1", "c1", u64::MAX);
        for token in [ProgressToken::from("t\\1"), ProgressToken::from(-1)] {
            let text = progress_text(&mark, &token, 3, 9);
            let expected = Probe::Progress { token, progress: 3 };
            assert_eq!(read(&text), Ok(ReadProbe { mark: Some(mark.clone()), probe: expected }));
        }
        for id in [RequestId::from("r"), RequestId::from(5)] {
            let text = result_text(&mark, &id, "c\n1", 4);
            let expected =
                Probe::Result { id: id.clone(), call: Some("c\n1".into()), events: Some(4) };
            assert_eq!(read(&text), Ok(ReadProbe { mark: Some(mark.clone()), probe: expected }));

            let text = error_text(&mark, &id, -32603, "no");
            let expected = Probe::Error { id: Some(id), code: -32603, message: "no".into() };
            assert_eq!(read(&text), Ok(ReadProbe { mark: Some(mark.clone()), probe: expected }));
        }
        let text = announcement_text(&mark);
        let expected = ReadProbe { mark: Some(mark), probe: Probe::Announcement };
        assert_eq!(read(&text), Ok(expected));
    }

    #[test]
    fn a_plain_text_is_read_without_a_copy() {
        let text = progress_text(&Mark::new("s1", "c1", 1), &"t1".into(), 1, 1);
        let ReadProbe { mark: Some(mark), probe: Probe::Progress { token, .. } } =
            read(&text).unwrap()
        else {
            panic!()
        };
        assert!(matches!(mark.origin, Cow::Borrowed("s1")));
        assert!(matches!(mark.stream, Cow::Borrowed("c1")));
        assert!(matches!(token, ProgressToken::Text(Cow::Borrowed("t1"))));
    }

    #[test]
    fn messages_without_a_mark_are_read_too() {
        let text =
            r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[],"structuredContent":{"call":5}}}"#;
        let expected = Probe::Result { id: RequestId::from(1), call: None, events: None };
        assert_eq!(read(text), Ok(ReadProbe { mark: None, probe: expected }));

        for data in ["", r#","data":null"#, r#","data":"text""#, r#","data":{"reason":1}"#] {
            let text =
                format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":1,"message":"m"{data}}}}}"#);
            assert_eq!(read(&text).unwrap().mark, None, "{text}");
        }

        let text = r#"{"jsonrpc":"2.0","id":"s1","method":"ping"}"#;
        let expected = Probe::Request { method: "ping".into(), id: RequestId::from("s1") };
        assert_eq!(probe(text), expected);

        assert_eq!(probe(r#"{"jsonrpc":"2.0","method":"x"}"#), other("x"));
        let foreign = r#"{"jsonrpc":"2.0","method":"x","params":{"progress":"half","logger":1}}"#;
        assert_eq!(probe(foreign), other("x"));
    }

    #[test]
    fn a_marked_request_keeps_its_mark() {
        let text = concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"other":[1],"#,
            r#""seamstress/probe":{"origin":"s","stream":"g","ordinal":2}}}}"#
        );
        assert_eq!(read(text).unwrap().mark, Some(Mark::new("s", "g", 2)));
    }

    #[test]
    fn only_the_probe_logger_announces() {
        let text = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"logger":"db"}}"#;
        assert_eq!(probe(text), other("notifications/message"));
    }

    #[test]
    fn whole_progress_is_read_in_either_spelling_and_other_progress_is_no_probe() {
        let text = |progress: &str| {
            format!(
                concat!(
                    r#"{{"jsonrpc":"2.0","method":"notifications/progress","#,
                    r#""params":{{"progressToken":"t","progress":{}}}}}"#
                ),
                progress
            )
        };
        for whole in ["3", "3.0", "3.000"] {
            let expected = Probe::Progress { token: "t".into(), progress: 3 };
            assert_eq!(probe(&text(whole)), expected, "{whole}");
        }
        for partial in ["3.5", "-1", "1e2", "\"3\"", "null"] {
            assert_eq!(probe(&text(partial)), other("notifications/progress"), "{partial}");
        }
    }

    #[test]
    fn a_broken_mark_is_an_error_and_not_an_absent_one() {
        let in_params =
            r#"{"jsonrpc":"2.0","method":"x","params":{"_meta":{"seamstress/probe":M}}}"#;
        let in_result = r#"{"jsonrpc":"2.0","id":1,"result":{"_meta":{"seamstress/probe":M}}}"#;
        let in_error = concat!(
            r#"{"jsonrpc":"2.0","id":1,"#,
            r#""error":{"code":1,"message":"m","data":{"seamstress/probe":M}}}"#
        );
        for mark in [
            r#""s""#,
            r#"{"origin":"s","stream":"c"}"#,
            r#"{"origin":"s","stream":"c","ordinal":-1}"#,
        ] {
            for text in [in_params, in_result, in_error] {
                let text = text.replace('M', mark);
                assert!(matches!(read(&text), Err(MessageError::Json { .. })), "{text}");
            }
        }
    }

    #[test]
    fn a_truncated_text_is_an_error_at_every_length() {
        let text = result_text(&Mark::new("s1", "c1", 1), &RequestId::from(1), "c1", 1);
        for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
            assert!(read(&text[..end]).is_err(), "prefix of {end} bytes");
        }
    }
}
