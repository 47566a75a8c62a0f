//! Small pieces of JSON that the hot path reads and writes without a tree of values.
//!
//! It owns borrowed text on the way in and escaping on the way out. It knows no message.

use std::borrow::Cow;
use std::fmt::Write;

use serde::Deserialize;

/// Text that borrows from the input unless it holds an escape. Inside an `Option`, `Cow` alone
/// would always copy.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// Appends `text` as a JSON string, quotes included.
pub(crate) fn push_string(out: &mut String, text: &str) {
    out.push('"');
    let mut written = 0;
    for (at, byte) in text.bytes().enumerate() {
        // Every byte that needs an escape is ASCII, so `at` is a character boundary.
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x00..=0x1f => "",
            _ => continue,
        };
        out.push_str(&text[written..at]);
        if escape.is_empty() {
            push_display(out, format_args!("\\u{byte:04x}"));
        } else {
            out.push_str(escape);
        }
        written = at + 1;
    }
    out.push_str(&text[written..]);
    out.push('"');
}

/// Appends anything that prints itself, a number for instance.
pub(crate) fn push_display(out: &mut String, value: impl std::fmt::Display) {
    // Writing to a `String` cannot fail.
    let _ = write!(out, "{value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_string_reads_back_as_it_was() {
        let controls: String = (0..0x20u8).map(char::from).collect();
        for text in ["", "plain", "\"quoted\\\"", "…\u{7f}\u{2028}\u{1f9f5}", &controls] {
            let mut out = String::new();
            push_string(&mut out, text);
            assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text, "{out}");
        }
    }

    #[test]
    fn text_is_copied_only_if_it_holds_an_escape() {
        let borrowed: Option<Text> = serde_json::from_str("\"plain\"").unwrap();
        assert!(matches!(borrowed.unwrap().0, Cow::Borrowed("plain")));
        let owned: Option<Text> = serde_json::from_str("\"li\\u006ee\"").unwrap();
        assert!(matches!(owned.unwrap().0, Cow::Owned(text) if text == "line"));
    }
}
