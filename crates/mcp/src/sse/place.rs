//! Places inside a block where a fault may cut, split or stall it.
//!
//! A place names a spot in the protocol and is looked up in the bytes of one block. It owns the
//! look-up; it does not know what happens there.

use serde::{Deserialize, Serialize};

use super::Block;

/// A spot inside a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// After the first `k` bytes.
    Byte(usize),
    /// In the middle of the longest field line; comments do not count.
    MidField,
    /// After the first byte of the first character that has several.
    MidCharacter,
    /// Between the two bytes of the first CRLF. Usually that ends a field, and a decoder that
    /// takes each half for a line end of its own sees the event end too early.
    BetweenCrAndLf,
    /// After the last field line: the event is there, but nothing says that it is complete.
    BeforeBlankLine,
}

/// How many bytes of the block lie before the place; `None` if the block has no such place, which
/// includes a [`Place::Byte`] at or past its end.
///
/// ```
/// use bytes::Bytes;
/// use seamstress_mcp::sse::{Place, Scanner, place_in_block};
///
/// let mut blocks = Vec::new();
/// Scanner::default().feed(&Bytes::from("data: x\n\n"), &mut blocks)?;
/// assert_eq!(place_in_block(&blocks[0], Place::BeforeBlankLine), Some(8));
/// assert_eq!(place_in_block(&blocks[0], Place::BetweenCrAndLf), None);
/// # Ok::<(), seamstress_mcp::sse::ScanError>(())
/// ```
pub fn place_in_block(block: &Block, place: Place) -> Option<usize> {
    let bytes = block.bytes.as_ref();
    match place {
        Place::Byte(count) => (count < bytes.len()).then_some(count),
        Place::MidField => middle_of_longest_field(bytes),
        Place::MidCharacter => bytes
            .windows(2)
            .position(|pair| pair[0] >= 0xC0 && is_continuation(pair[1]))
            .map(|first| first + 1),
        Place::BetweenCrAndLf => {
            bytes.windows(2).position(|pair| pair == b"\r\n").map(|first| first + 1)
        }
        Place::BeforeBlankLine => {
            let blank_line_len = if bytes.ends_with(b"\r\n") { 2 } else { 1 };
            bytes.len().checked_sub(blank_line_len)
        }
    }
}

/// The first of several longest lines; never inside a character, since that is another place.
fn middle_of_longest_field(bytes: &[u8]) -> Option<usize> {
    let mut longest = 0..0;
    let mut start = 0;
    for line in bytes.split(|byte| matches!(byte, b'\r' | b'\n')) {
        if line.len() > longest.len() && line[0] != b':' {
            longest = start..start + line.len();
        }
        start += line.len() + 1;
    }
    let middle = longest.start + longest.len() / 2;
    (longest.start + 1..=middle).rev().find(|&at| !is_continuation(bytes[at]))
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::super::Scanner;
    use super::*;

    fn block(bytes: &[u8]) -> Block {
        let mut blocks = Vec::new();
        Scanner::default().feed(&Bytes::copy_from_slice(bytes), &mut blocks).unwrap();
        assert_eq!(blocks.len(), 1);
        blocks.remove(0)
    }

    fn before(text: &str, place: Place) -> Option<&str> {
        place_in_block(&block(text.as_bytes()), place).map(|at| &text[..at])
    }

    #[test]
    fn a_byte_is_a_place_as_long_as_something_of_the_block_comes_after_it() {
        let text = "data: x\n\n";
        assert_eq!(before(text, Place::Byte(0)), Some(""));
        assert_eq!(before(text, Place::Byte(8)), Some("data: x\n"));
        assert_eq!(before(text, Place::Byte(9)), None);
    }

    #[test]
    fn the_middle_of_a_field_is_looked_for_in_the_longest_one() {
        let text = ": a very long comment\nid: 1\ndata: 123456\nretry: 1\n\n";
        let cut = before(text, Place::MidField).unwrap();
        assert_eq!(cut, ": a very long comment\nid: 1\ndata: ");
        assert_eq!(before("id: 1\ndata:\n\n", Place::MidField), Some("id"));
        assert_eq!(before("x\n\n", Place::MidField), None);
        assert_eq!(before(": comment\n\n", Place::MidField), None);
        assert_eq!(before("\n", Place::MidField), None);
    }

    #[test]
    fn the_middle_of_a_field_is_never_the_middle_of_a_character() {
        assert_eq!(before("da:……\n\n", Place::MidField), Some("da:"));
        let only = "\u{1f9f5}\n\n";
        assert_eq!(before(only, Place::MidField), None);
    }

    #[test]
    fn the_middle_of_a_character_splits_its_bytes() {
        let character = block("data: a…\n\n".as_bytes());
        assert_eq!(place_in_block(&character, Place::MidCharacter), Some(8));
        let behind_a_stray_byte = block(b"data: \x80\xC3\xA9\n\n");
        assert_eq!(place_in_block(&behind_a_stray_byte, Place::MidCharacter), Some(8));
        assert_eq!(before("data: a\n\n", Place::MidCharacter), None);
    }

    #[test]
    fn a_crlf_is_split_where_it_ends_the_first_line() {
        let text = "id: 1\r\ndata: x\r\n\r\n";
        assert_eq!(before(text, Place::BetweenCrAndLf), Some("id: 1\r"));
        assert_eq!(before("data: x\r\r", Place::BetweenCrAndLf), None);
        assert_eq!(before("data: x\n\r\n", Place::BetweenCrAndLf), Some("data: x\n\r"));
    }

    #[test]
    fn the_blank_line_begins_after_the_last_field_whatever_ends_the_lines() {
        for (text, expected) in [
            ("data: x\n\n", "data: x\n"),
            ("data: x\r\n\r\n", "data: x\r\n"),
            ("data: x\r\r", "data: x\r"),
            ("data: x\r\r\n", "data: x\r"),
            ("data: x\n\r\n", "data: x\n"),
            ("data: x\r\n\n", "data: x\r\n"),
            ("\r\n", ""),
        ] {
            assert_eq!(before(text, Place::BeforeBlankLine), Some(expected), "{text:?}");
        }
    }

    #[test]
    fn a_place_has_a_name_in_a_plan() {
        for (place, json) in [
            (Place::Byte(17), r#"{"byte":17}"#),
            (Place::MidField, r#""mid-field""#),
            (Place::BetweenCrAndLf, r#""between-cr-and-lf""#),
        ] {
            assert_eq!(serde_json::to_string(&place).unwrap(), json);
            assert_eq!(serde_json::from_str::<Place>(json).unwrap(), place);
        }
    }
}
