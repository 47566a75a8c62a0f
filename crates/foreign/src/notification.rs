//! The probes' notifications in the types of an SDK.
//!
//! Owns reading one of the two kinds that there are: progress, and a log message. SDKs have types
//! for the params of each and put the message around them themselves. It must not know whose.

use seamstress_mcp::message::method;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

#[derive(Deserialize)]
struct Notification {
    method: String,
    params: Value,
}

/// Reads the text of a notification: its params with `progress` or with `log`, as its method says;
/// none for anything else.
pub(crate) fn read<P: DeserializeOwned, L: DeserializeOwned, T>(
    text: &str,
    progress: impl FnOnce(P) -> T,
    log: impl FnOnce(L) -> T,
) -> Option<T> {
    let Notification { method, params } = serde_json::from_str(text).ok()?;
    match &*method {
        method::PROGRESS => serde_json::from_value(params).ok().map(progress),
        method::LOG => serde_json::from_value(params).ok().map(log),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use seamstress_mcp::probe::{Mark, announcement_text, progress_text};

    use super::*;

    fn kind_of(text: &str) -> Option<(&'static str, Value)> {
        read(text, |params| ("progress", params), |params| ("log", params))
    }

    #[test]
    fn both_kinds_are_told_apart_and_keep_their_marks() {
        let mark = Mark::new("s1", "c1", 4);
        for (kind, text) in [
            ("progress", progress_text(&mark, &"t1".into(), 4, 9)),
            ("log", announcement_text(&mark)),
        ] {
            let (found, params) = kind_of(&text).expect("a notification of the probes");
            assert_eq!(found, kind);
            assert_eq!(params["_meta"]["seamstress/probe"]["ordinal"], 4);
        }
    }

    #[test]
    fn nothing_else_is_read() {
        assert_eq!(kind_of(r#"{"method":"notifications/cancelled","params":{}}"#), None);
        assert_eq!(kind_of("{"), None);
    }
}
