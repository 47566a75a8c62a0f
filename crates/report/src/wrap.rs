//! Breaking a sentence into lines.
//!
//! Owns where a line breaks: at spaces, with the following lines set in. It must not know what the
//! text says. It exists because terminals and columns are narrow and some sentences are not.

/// The text in lines of at most `width` characters; all but the first begin with `indent` spaces.
/// A word that is longer than a line stays whole.
pub(crate) fn wrap(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut length = 0;
    // Spaces at the front are the text's own indent.
    let (front, words) = text.split_at(text.len() - text.trim_start().len());
    line.push_str(front);
    length += front.len();
    let mut is_first = true;
    for word in words.split_whitespace() {
        let word_length = word.chars().count();
        if !is_first && length + 1 + word_length > width {
            lines.push(std::mem::take(&mut line));
            line.push_str(&" ".repeat(indent));
            length = indent;
            is_first = true;
        }
        if !is_first {
            line.push(' ');
            length += 1;
        }
        line.push_str(word);
        length += word_length;
        is_first = false;
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_breaks_at_spaces_and_goes_on_set_in() {
        assert_eq!(wrap("  one two three four", 11, 4), ["  one two", "    three", "    four"]);
    }

    #[test]
    fn what_fits_stays_on_one_line() {
        assert_eq!(wrap("one two", 7, 2), ["one two"]);
        assert_eq!(wrap("", 7, 2), [""]);
    }

    #[test]
    fn a_word_longer_than_a_line_stays_whole() {
        assert_eq!(wrap("a s1.standalone-1.4471 b", 6, 2), ["a", "  s1.standalone-1.4471", "  b"]);
    }
}
