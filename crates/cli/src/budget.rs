//! How long a sweep may begin seeds.
//!
//! Owns reading `10m` and the one look at the wall clock that it takes. Which seeds are begun
//! depends on it, and what they show never does: no run knows it.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use self::clock::Clock;

/// How long a sweep may begin seeds. Never nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeBudget(Duration);

/// Why a text is no time budget.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BudgetError {
    #[error("{0}; write a number with a unit, as in 90s, 10m or 1h30m")]
    NoTime(humantime::DurationError),
    #[error("in no time no seed is played; write 10m, say")]
    Nothing,
}

impl TimeBudget {
    /// In milliseconds.
    pub fn ms(self) -> u64 {
        u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX)
    }

    /// Counts down from here on.
    pub fn begin(self) -> Countdown {
        Countdown { budget: self, clock: Clock::begin() }
    }
}

impl FromStr for TimeBudget {
    type Err = BudgetError;

    fn from_str(text: &str) -> Result<TimeBudget, BudgetError> {
        let budget = humantime::parse_duration(text).map_err(BudgetError::NoTime)?;
        if budget.is_zero() { Err(BudgetError::Nothing) } else { Ok(TimeBudget(budget)) }
    }
}

impl fmt::Display for TimeBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        humantime::format_duration(self.0).fmt(f)
    }
}

/// A budget that is being spent.
#[derive(Clone, Copy, Debug)]
pub struct Countdown {
    /// All of it.
    pub budget: TimeBudget,
    clock: Clock,
}

impl Countdown {
    /// Whether all of it is spent.
    pub fn is_up(self) -> bool {
        self.clock.spent() >= self.budget.0
    }

    /// How much of it is spent, to the second; no more than all.
    pub fn spent(self) -> TimeBudget {
        let seconds = self.clock.spent().as_secs();
        TimeBudget(Duration::from_secs(seconds).min(self.budget.0))
    }
}

mod clock {
    #![expect(
        clippy::disallowed_methods,
        clippy::disallowed_types,
        reason = "a time budget is about the wall clock"
    )]

    use std::time::{Duration, Instant};

    #[derive(Clone, Copy, Debug)]
    pub struct Clock(Instant);

    impl Clock {
        pub fn begin() -> Clock {
            Clock(Instant::now())
        }

        pub fn spent(self) -> Duration {
            self.0.elapsed()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_read_and_told_with_its_units() {
        let budget = |text: &str| text.parse::<TimeBudget>().expect("a budget");
        assert_eq!(budget("90s").to_string(), "1m 30s");
        assert_eq!(budget("1h30m").ms(), 5_400_000);
        assert_eq!(budget("1h 30m"), budget("90min"));
        assert_eq!(budget("18446744073709551615s").ms(), u64::MAX);
    }

    #[test]
    fn what_is_no_budget_is_answered_with_one() {
        let refusal = |text: &str| text.parse::<TimeBudget>().expect_err("refused").to_string();
        for text in ["", "10", "m", "-1m", "10 parsecs", "1.5.5m"] {
            assert!(refusal(text).ends_with("as in 90s, 10m or 1h30m"), "{}", refusal(text));
        }
        for text in ["0s", "0h 0m"] {
            assert_eq!(refusal(text), "in no time no seed is played; write 10m, say");
        }
    }

    #[test]
    fn a_budget_is_up_when_it_is_spent_and_not_before() {
        assert!(TimeBudget(Duration::from_nanos(1)).begin().is_up());
        assert!(!TimeBudget(Duration::MAX).begin().is_up());
    }
}
