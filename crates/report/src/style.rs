//! How a text may look: with or without colours.
//!
//! Owns the few escape sequences there are. It must not know whether the output is a terminal:
//! whoever prints decides. Colour only repeats what the words say already, so that nobody who
//! reads without it misses anything.

/// How a text may look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Whether to write ANSI colour codes.
    pub colour: bool,
}

/// What a coloured word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Bad,
    Doubtful,
}

impl Style {
    /// The text, in the colour of its tone if colours are wanted.
    pub(crate) fn paint(self, tone: Tone, text: &str) -> String {
        if !self.colour {
            return text.to_owned();
        }
        let code = match tone {
            Tone::Good => 32,
            Tone::Bad => 31,
            Tone::Doubtful => 33,
        };
        format!("\u{1b}[1;{code}m{text}\u{1b}[0m")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_codes_appear_only_when_they_are_asked_for() {
        assert_eq!(Style { colour: false }.paint(Tone::Bad, "FAIL"), "FAIL");
        assert_eq!(Style { colour: true }.paint(Tone::Bad, "FAIL"), "\u{1b}[1;31mFAIL\u{1b}[0m");
    }
}
