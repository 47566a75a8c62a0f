//! What tests of messages share.

/// A message as it stands in a snapshot: broken after words, so that the sources stay narrow.
pub fn wrapped(message: &str) -> String {
    let mut text = String::new();
    let mut width = 0;
    for word in message.split(' ') {
        if width > 0 && width + 1 + word.chars().count() > 92 {
            text.push_str("\n   ");
            width = 3;
        }
        if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += word.chars().count();
    }
    text
}
