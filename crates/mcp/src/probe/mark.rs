//! The mark, and the texts of the four kinds of events that bear one.
//!
//! Written by hand into one string: a server writes hundreds of them in a run of a millisecond.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::LOGGER;
use crate::json::{push_display, push_string};
use crate::message::{ProgressToken, RequestId, method, open, push_error_head};

/// The member of `_meta` or `error.data` that holds the mark.
pub const MARK_KEY: &str = "seamstress/probe";

/// Where an event belongs, by the server's own account.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Mark<'a> {
    /// The server's name of the session; it outlives rotations of the session id.
    #[serde(borrow)]
    pub origin: Cow<'a, str>,
    /// The server's label of the stream.
    #[serde(borrow)]
    pub stream: Cow<'a, str>,
    /// The place of the event on its stream: 1 for the first one, then 2, 3, …
    pub ordinal: u64,
}

impl<'a> Mark<'a> {
    /// The mark of one event.
    pub const fn new(origin: &'a str, stream: &'a str, ordinal: u64) -> Self {
        Self { origin: Cow::Borrowed(origin), stream: Cow::Borrowed(stream), ordinal }
    }

    /// The same mark, independent of the text it was read from.
    pub fn into_owned(self) -> Mark<'static> {
        Mark {
            origin: Cow::Owned(self.origin.into_owned()),
            stream: Cow::Owned(self.stream.into_owned()),
            ordinal: self.ordinal,
        }
    }

    /// Appends `{"seamstress/probe":{…}}`.
    fn push_object(&self, out: &mut String) {
        out.push('{');
        push_string(out, MARK_KEY);
        out.push_str(r#":{"origin":"#);
        push_string(out, &self.origin);
        out.push_str(r#","stream":"#);
        push_string(out, &self.stream);
        out.push_str(r#","ordinal":"#);
        push_display(out, self.ordinal);
        out.push_str("}}");
    }
}

/// A `notifications/progress`: step `progress` of `total`, both counted from 1.
///
/// ```
/// use seamstress_mcp::message::ProgressToken;
/// use seamstress_mcp::probe::{Mark, Probe, progress_text, read};
///
/// let text = progress_text(&Mark::new("s1", "c1", 3), &ProgressToken::from("t1"), 3, 10);
/// let event = read(&text)?;
/// assert_eq!(event.mark, Some(Mark::new("s1", "c1", 3)));
/// assert_eq!(event.probe, Probe::Progress { token: "t1".into(), progress: 3 });
/// # Ok::<(), seamstress_mcp::message::MessageError>(())
/// ```
pub fn progress_text(
    mark: &Mark<'_>,
    token: &ProgressToken<'_>,
    progress: u64,
    total: u64,
) -> String {
    let mut out = open_notification(method::PROGRESS);
    out.push_str(r#""progressToken":"#);
    token.push_json(&mut out);
    out.push_str(r#","progress":"#);
    push_display(&mut out, progress);
    out.push_str(r#","total":"#);
    push_display(&mut out, total);
    push_display(&mut out, format_args!(r#","message":"{progress} … {total}","_meta":"#));
    mark.push_object(&mut out);
    out.push_str("}}");
    out
}

/// The result of a probe tool: names the call and how many events it emitted before.
pub fn result_text(mark: &Mark<'_>, id: &RequestId<'_>, call: &str, events: u64) -> String {
    let mut out = open(Some(id));
    out.push_str(r#","result":"#);
    push_result(&mut out, mark, call, events);
    out.push('}');
    out
}

/// The same without the message around it, for a server that makes that itself.
pub fn result_object_text(mark: &Mark<'_>, call: &str, events: u64) -> String {
    let mut out = String::new();
    push_result(&mut out, mark, call, events);
    out
}

fn push_result(out: &mut String, mark: &Mark<'_>, call: &str, events: u64) {
    out.push_str(r#"{"content":[{"type":"text","text":"#);
    push_string(out, &format!("call {call} … {events} events"));
    out.push_str(r#"}],"structuredContent":{"call":"#);
    push_string(out, call);
    out.push_str(r#","events":"#);
    push_display(out, events);
    out.push_str(r#"},"_meta":"#);
    mark.push_object(out);
    out.push('}');
}

/// The failure of a probe tool, the mark under `error.data`.
pub fn error_text(mark: &Mark<'_>, id: &RequestId<'_>, code: i64, message: &str) -> String {
    let mut out = open(Some(id));
    push_error_head(&mut out, code, message);
    out.push_str(r#","data":"#);
    mark.push_object(&mut out);
    out.push_str("}}");
    out
}

/// A `notifications/message` for the standalone stream, level `info`, logger `probe`.
pub fn announcement_text(mark: &Mark<'_>) -> String {
    let mut out = open_notification(method::LOG);
    out.push_str(r#""level":"info","logger":"#);
    push_string(&mut out, LOGGER);
    push_display(&mut out, format_args!(r#","data":"announcement … {}","_meta":"#, mark.ordinal));
    mark.push_object(&mut out);
    out.push_str("}}");
    out
}

/// A notification up to the opening brace of its params.
fn open_notification(method: &str) -> String {
    let mut out = String::with_capacity(256);
    out.push_str(r#"{"jsonrpc":"2.0","method":""#);
    out.push_str(method);
    out.push_str(r#"","params":{"#);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: Mark<'static> = Mark::new("s1", "c1", 4);
    const MARK_JSON: &str = r#"{"seamstress/probe":{"origin":"s1","stream":"c1","ordinal":4}}"#;

    #[test]
    fn progress_has_the_shape_of_the_specification() {
        let text = progress_text(&MARK, &ProgressToken::from(7), 4, 9);
        let expected = format!(
            concat!(
                r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"#,
                r#""progressToken":7,"progress":4,"total":9,"message":"4 … 9","_meta":{}}}}}"#
            ),
            MARK_JSON
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn a_result_has_the_shape_of_a_tool_result() {
        let text = result_text(&MARK, &RequestId::from("r"), "c1", 3);
        let expected = format!(
            concat!(
                r#"{{"jsonrpc":"2.0","id":"r","result":{{"#,
                r#""content":[{{"type":"text","text":"call c1 … 3 events"}}],"#,
                r#""structuredContent":{{"call":"c1","events":3}},"_meta":{}}}}}"#
            ),
            MARK_JSON
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn an_error_carries_its_mark_as_data() {
        let text = error_text(&MARK, &RequestId::from(2), -32603, "failed");
        let expected = format!(
            concat!(
                r#"{{"jsonrpc":"2.0","id":2,"#,
                r#""error":{{"code":-32603,"message":"failed","data":{}}}}}"#
            ),
            MARK_JSON
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn an_announcement_is_a_log_message_of_the_probe_logger() {
        let expected = format!(
            concat!(
                r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"#,
                r#""level":"info","logger":"probe","data":"announcement … 4","_meta":{}}}}}"#
            ),
            MARK_JSON
        );
        assert_eq!(announcement_text(&MARK), expected);
    }

    #[test]
    fn every_text_but_an_error_holds_a_character_of_several_bytes() {
        let id = RequestId::from(1);
        for text in [
            progress_text(&MARK, &id, 1, 1),
            result_text(&MARK, &id, "c1", 1),
            announcement_text(&MARK),
        ] {
            assert!(!text.is_ascii(), "{text}");
        }
    }

    #[test]
    fn no_text_holds_a_line_end_so_each_fits_one_data_line() {
        let odd = Mark::new("s\r\n1", "c\u{2028}\n1", 1);
        let id = RequestId::from("i\nd");
        for text in [
            progress_text(&odd, &id, 1, 1),
            result_text(&odd, &id, "c\r1", 1),
            error_text(&odd, &id, 1, "m\nm"),
            announcement_text(&odd),
        ] {
            assert!(!text.contains(['\r', '\n']), "{text}");
            assert_eq!(super::super::read(&text).unwrap().mark, Some(odd.clone()));
        }
    }
}
