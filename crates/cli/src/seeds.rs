//! Seeds and ranges of seeds, as they are typed.
//!
//! Owns reading `7`, `0x2a` and `A..B`. It must not know what is played with them.

use std::fmt;
use std::str::FromStr;

/// Seeds from `from`, up to and without `until`. Never the wrong way round; possibly empty.
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
        write!(f, "{}..{}", self.from, self.until)
    }
}

/// The seeds that a sweep is asked for: a range, or all of them from one on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepSeeds {
    /// The first seed.
    pub from: u64,
    /// The first seed after them, if they have an end.
    pub until: Option<u64>,
}

impl SweepSeeds {
    /// The range, which ends with the last seed there is if it has no other end.
    pub fn range(self) -> SeedRange {
        SeedRange { from: self.from, until: self.until.unwrap_or(u64::MAX) }
    }
}

impl From<SeedRange> for SweepSeeds {
    fn from(range: SeedRange) -> SweepSeeds {
        SweepSeeds { from: range.from, until: Some(range.until) }
    }
}

impl FromStr for SweepSeeds {
    type Err = SeedsError;

    fn from_str(text: &str) -> Result<SweepSeeds, SeedsError> {
        match text.strip_suffix("..") {
            Some(from) if !from.is_empty() => Ok(SweepSeeds { from: seed(from)?, until: None }),
            _ => text.parse().map(SeedRange::into),
        }
    }
}

impl fmt::Display for SweepSeeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.until {
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
        assert_eq!(empty.count(), 0);
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
    fn the_seeds_of_a_sweep_may_have_no_end() {
        let seeds = |text: &str| text.parse::<SweepSeeds>();
        assert_eq!(seeds("0x10.."), Ok(SweepSeeds { from: 16, until: None }));
        assert_eq!(seeds("3..9"), Ok(SweepSeeds { from: 3, until: Some(9) }));
        assert_eq!(seeds("7..").expect("seeds").range().count(), u64::MAX - 7);
        let told = ["3..9", "7.."].map(|text| seeds(text).expect("seeds").to_string());
        assert_eq!(told, ["3..9", "7.."]);
        for text in ["..", "", "7", "..9", "7...", "9..3", "a.."] {
            assert!(seeds(text).is_err(), "{text:?}");
        }
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
