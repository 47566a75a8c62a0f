//! Seeds and ranges of seeds, as they are typed.
//!
//! Owns reading `7`, `0x2a`, `A..B` and, where seeds may have no end, `A..`. It must not know what
//! is played with them.

use std::fmt;
use std::str::FromStr;

/// Seeds from `from`, up to and without `until`. Never the wrong way round; possibly empty. A range
/// up to the last seed there is has no end that anybody will see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeedRange {
    /// The first seed.
    pub from: u64,
    /// The first seed after them.
    pub until: u64,
}

/// Why a text is no seed or no range of seeds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeedsError {
    #[error("`{text}` is no seed; write a whole number from 0 to {}, or in hex 0x2a", u64::MAX)]
    NoSeed { text: String },
    #[error(
        "`{text}` is no range; write the first seed and the one after the last, as in {example}"
    )]
    NoRange { text: String, example: String },
    #[error("the range begins at {from} and ends at {until}; write {until}..{from}")]
    WrongWayRound { from: u64, until: u64 },
}

impl SeedRange {
    /// Seeds from this one on, as many as it takes.
    pub const fn without_end(from: u64) -> SeedRange {
        SeedRange { from, until: u64::MAX }
    }

    /// Reads a range that may have no end, as in `5..`.
    ///
    /// # Errors
    /// [`SeedsError`] if it is no range.
    pub fn read_open(text: &str) -> Result<SeedRange, SeedsError> {
        match text.strip_suffix("..") {
            Some(from) if !from.is_empty() => seed(from).map(SeedRange::without_end),
            _ => text.parse(),
        }
    }

    /// The first seed after them; none if nobody will see the end of it.
    pub fn end(self) -> Option<u64> {
        (self.until < u64::MAX).then_some(self.until)
    }

    /// How many seeds.
    pub const fn count(self) -> u64 {
        self.until - self.from
    }

    /// Whether these seeds and those of the other make one range that begins where this one does.
    pub const fn is_continued_by(self, other: SeedRange) -> bool {
        self.from <= other.from && other.from <= self.until
    }

    /// Whether this seed is one of them.
    pub const fn contains(self, seed: u64) -> bool {
        self.from <= seed && seed < self.until
    }
}

impl FromStr for SeedRange {
    type Err = SeedsError;

    fn from_str(text: &str) -> Result<SeedRange, SeedsError> {
        let no_range = |example: String| SeedsError::NoRange { text: text.to_owned(), example };
        let Some((from, until)) = text.split_once("..") else {
            let seed = seed(text)?;
            return Err(no_range(format!("{seed}..{}", seed.saturating_add(1))));
        };
        if let Some(last) = until.strip_prefix('=') {
            let until = seed(last)?.saturating_add(1);
            return Err(no_range(format!("{}..{until}", seed(from)?)));
        }
        if from.is_empty() || until.is_empty() {
            return Err(no_range("0..1000".to_owned()));
        }
        let (from, until) = (seed(from)?, seed(until)?);
        if from > until {
            return Err(SeedsError::WrongWayRound { from, until });
        }
        Ok(SeedRange { from, until })
    }
}

impl fmt::Display for SeedRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.end() {
            Some(until) => write!(f, "{}..{until}", self.from),
            None => write!(f, "{}..", self.from),
        }
    }
}

/// Reads one seed, decimal or hex with `0x`.
///
/// # Errors
/// [`SeedsError::NoSeed`] if it is neither.
pub fn seed(text: &str) -> Result<u64, SeedsError> {
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (digits, radix) = hex.map_or((text, 10), |digits| (digits, 16));
    let no_seed = || SeedsError::NoSeed { text: text.to_owned() };
    if !digits.starts_with(|digit: char| digit.is_digit(radix)) {
        // A sign, which the standard library would take.
        return Err(no_seed());
    }
    u64::from_str_radix(digits, radix).map_err(|_| no_seed())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        text.parse::<SeedRange>().expect_err("refused").to_string()
    }

    #[test]
    fn seeds_are_decimal_or_hex_and_carry_no_sign() {
        assert_eq!(seed("42"), Ok(42));
        assert_eq!(seed("0x2a"), Ok(42));
        assert_eq!(seed("18446744073709551615"), Ok(u64::MAX));
        for text in ["", "+1", "-1", "0x", "0x-1", "seven", "18446744073709551616", "1 "] {
            assert!(seed(text).is_err(), "{text:?} is no seed");
        }
    }

    #[test]
    fn a_range_is_half_open_and_may_be_empty() {
        assert_eq!("0x10..20".parse(), Ok(SeedRange { from: 16, until: 20 }));
        let empty: SeedRange = "5..5".parse().expect("a range");
        assert_eq!((empty.count(), empty.to_string().as_str()), (0, "5..5"));
        assert_eq!(SeedRange::without_end(0).to_string(), "0..");
    }

    #[test]
    fn a_range_is_continued_by_one_that_begins_in_it_or_at_its_end() {
        let range = |text: &str| text.parse::<SeedRange>().expect("a range");
        for other in ["3..4", "3..20", "5..6", "9..20"] {
            assert!(range("3..9").is_continued_by(range(other)), "{other}");
        }
        for other in ["2..9", "10..20"] {
            assert!(!range("3..9").is_continued_by(range(other)), "{other}");
        }
    }

    #[test]
    fn a_range_has_no_end_only_where_it_may_have_none() {
        assert_eq!(SeedRange::read_open("0x10.."), Ok(SeedRange::without_end(16)));
        assert_eq!(SeedRange::read_open("3..9"), Ok(SeedRange { from: 3, until: 9 }));
        let told = ["3..9", "7.."].map(|text| SeedRange::read_open(text).map(|it| it.to_string()));
        assert_eq!(told, ["3..9", "7.."].map(|text| Ok(text.to_owned())));
        for text in ["..", "", "7", "..9", "7...", "9..3", "a.."] {
            assert!(SeedRange::read_open(text).is_err(), "{text:?}");
        }
        assert!(refusal("7..").ends_with("as in 0..1000"), "{}", refusal("7.."));
    }

    #[test]
    fn what_is_no_range_is_answered_with_the_range_that_was_probably_meant() {
        assert_eq!(refusal("9..3"), "the range begins at 9 and ends at 3; write 3..9");
        assert!(refusal("7").ends_with("as in 7..8"), "{}", refusal("7"));
        assert!(refusal("0..=9").ends_with("as in 0..10"), "{}", refusal("0..=9"));
        assert!(refusal("..9").ends_with("as in 0..1000"), "{}", refusal("..9"));
        assert!(refusal("a..b").starts_with("`a` is no seed"), "{}", refusal("a..b"));
    }
}
