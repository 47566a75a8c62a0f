//! Escapes among accepted resumptions, and which of two rates is the greater.
//!
//! Owns the arithmetic, on integers, with a margin for chance. It must not know whose rates they
//! are.

/// How many of the accepted resumptions let something escape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    /// Resumptions that neither side refused.
    pub accepted: u64,
    /// Those among them after which continuity did not hold.
    pub escapes: u64,
}

impl Rate {
    /// Adds the counts of another run.
    pub fn add(&mut self, other: Rate) {
        self.accepted += other.accepted;
        self.escapes += other.escapes;
    }

    /// Escapes per thousand accepted, with one decimal: `12.5`.
    pub(super) fn per_thousand(self) -> String {
        if self.accepted == 0 {
            return "-".to_owned();
        }
        let [escapes, accepted] = [self.escapes, self.accepted].map(u128::from);
        let tenths = (escapes * 10_000 + accepted / 2) / accepted;
        format!("{}.{}", tenths / 10, tenths % 10)
    }

    /// The counts: `4/320`.
    pub(super) fn counts(self) -> String {
        format!("{}/{}", self.escapes, self.accepted)
    }

    /// Whether this rate is greater than the other by more than chance explains: by more than two
    /// standard deviations of how the escapes of both would fall if the rates were the same.
    pub(super) fn is_clearly_above(self, other: Rate) -> bool {
        // Of a + b escapes a share n / (n + m) would fall here, with the variance of a binomial.
        // Multiplied out, so that no fraction is left: (a·m - b·n)² > 4·(a + b)·n·m.
        let [a, n, b, m] =
            [self.escapes, self.accepted, other.escapes, other.accepted].map(u128::from);
        let Some(difference) = (a * m).checked_sub(b * n) else { return false };
        difference * difference > 4 * (a + b) * n * m
    }

    /// Whether this rate is no more than half of the other.
    pub(super) fn is_at_most_half_of(self, other: Rate) -> bool {
        let [a, n, b, m] =
            [self.escapes, self.accepted, other.escapes, other.accepted].map(u128::from);
        2 * a * m <= b * n
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(escapes: u64, accepted: u64) -> Rate {
        Rate { accepted, escapes }
    }

    #[test]
    fn a_rate_is_rounded_to_a_tenth_per_thousand() {
        let told = [(4, 320), (2, 3), (0, 7), (0, 0)].map(|(e, a)| rate(e, a).per_thousand());
        assert_eq!(told, ["12.5", "666.7", "0.0", "-"]);
    }

    #[test]
    fn a_difference_within_two_standard_deviations_is_chance() {
        assert!(!rate(55, 1_000).is_clearly_above(rate(45, 1_000)));
        assert!(rate(65, 1_000).is_clearly_above(rate(35, 1_000)));
        assert!(!rate(35, 1_000).is_clearly_above(rate(65, 1_000)), "that is below");
        assert!(!rate(2, 10).is_clearly_above(rate(200, 1_000)), "the rates are the same");
        assert!(!rate(0, 0).is_clearly_above(rate(0, 0)));
    }

    #[test]
    fn half_is_a_matter_of_rates_and_not_of_counts() {
        assert!(rate(5, 1_000).is_at_most_half_of(rate(10, 1_000)));
        assert!(!rate(6, 1_000).is_at_most_half_of(rate(10, 1_000)));
        assert!(rate(10, 2_000).is_at_most_half_of(rate(10, 1_000)));
    }
}
