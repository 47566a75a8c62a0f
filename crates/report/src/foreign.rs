//! Text that somebody else wrote, made fit for a line of ours.
//!
//! Owns what ids, cursors and messages of foreign servers may not do: break a line, move a
//! terminal's cursor, or run on for pages. It must not know what they mean.

/// Characters of an id at most.
const ID_CHARACTERS_MAX: usize = 48;

/// The text on one line, with its control characters made visible.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\r' | '\t' => plain.push(' '),
            control if control.is_control() => plain.extend(control.escape_unicode()),
            other => plain.push(other),
        }
    }
    plain
}

/// An id or a cursor: plain, in the middle shortened if it is long, and visible if it is empty.
pub(crate) fn id(text: &str) -> String {
    let plain = plain(text);
    let length = plain.chars().count();
    if plain.is_empty() {
        return "\"\"".to_owned();
    }
    if length <= ID_CHARACTERS_MAX {
        return plain;
    }
    let half = ID_CHARACTERS_MAX / 2;
    let begin: String = plain.chars().take(half).collect();
    let end: String = plain.chars().skip(length - half + 1).collect();
    format!("{begin}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_cannot_reach_the_terminal() {
        assert_eq!(plain("a\u{1b}[2Jb\nc"), r"a\u{1b}[2Jb c");
    }

    #[test]
    fn a_long_id_keeps_its_beginning_and_its_end() {
        let long = format!("{}{}", "a".repeat(100), "b".repeat(100));
        let short = id(&long);
        assert_eq!(short.chars().count(), ID_CHARACTERS_MAX);
        assert!(short.starts_with("aaa") && short.ends_with("bbb"), "{short}");
        assert_eq!(id("s1.c1.7"), "s1.c1.7");
    }

    #[test]
    fn an_empty_id_is_visible() {
        assert_eq!(id(""), "\"\"");
    }
}
