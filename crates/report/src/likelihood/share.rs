//! A share of runs, the range in which the true one lies, and whether a rise is more than chance.
//!
//! Owns the arithmetic, on integers. It must not know what the runs showed.

/// So many of so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Those that count.
    pub hits: u64,
    /// All.
    pub of: u64,
}

/// The square of 1.96, in ten thousandths: 95 % of a normal distribution lie within 1.96 standard
/// deviations.
const Z_SQUARED: u128 = 38_416;

impl Share {
    /// In thousandths, rounded; 0 of nothing is 0.
    #[must_use]
    pub fn per_mille(self) -> u64 {
        rounded(1_000 * u128::from(self.hits), u128::from(self.of))
    }

    /// In hundredths, rounded; 0 of nothing is 0.
    #[must_use]
    pub fn per_cent(self) -> u64 {
        rounded(100 * u128::from(self.hits), u128::from(self.of))
    }

    /// The range in which the true share lies with 95 % confidence, in thousandths, rounded
    /// outwards (Wilson, Journal of the American Statistical Association 22, 1927). Of nothing it
    /// is everything.
    ///
    /// ```
    /// use seamstress_report::Share;
    ///
    /// assert_eq!(Share { hits: 25, of: 50 }.range_per_mille(), (366, 634));
    /// assert_eq!(Share { hits: 0, of: 50 }.range_per_mille(), (0, 72));
    /// ```
    #[must_use]
    pub fn range_per_mille(self) -> (u64, u64) {
        if self.of == 0 {
            return (0, 1_000);
        }
        let [hits, of] = [self.hits, self.of].map(u128::from);
        // (2k + z² ± z·√(z² + 4k(n-k)/n)) / 2(n + z²), above and below in ten thousandths.
        let middle = 20_000 * hits + Z_SQUARED;
        let spread = Z_SQUARED * (Z_SQUARED * of + 40_000 * hits * (of - hits)) / of;
        let half = spread.isqrt();
        let whole = 2 * (10_000 * of + Z_SQUARED);
        let low = 1_000 * middle.saturating_sub(half) / whole;
        let high = (1_000 * (middle + half)).div_ceil(whole).min(1_000);
        (narrow(low), narrow(high))
    }

    /// Whether this share is greater than the other by more than chance explains. Twenty pairs of
    /// neighbours are compared where one is sought, so it takes three standard deviations of how
    /// far two samples of the same share lie apart.
    #[must_use]
    pub fn is_clearly_above(self, other: Share) -> bool {
        let [a, n, b, m] = [other.hits, other.of, self.hits, self.of].map(u128::from);
        let Some(difference) = (b * n).checked_sub(a * m) else { return false };
        // (b/m - a/n)² > 9·p(1 - p)(1/n + 1/m) with p = (a + b)/(n + m), multiplied out.
        let (hits, all) = (a + b, n + m);
        difference * difference * all > 9 * hits * (all - hits) * n * m
    }

    /// How much greater this share is than the other, in thousandths; 0 if it is not.
    #[must_use]
    pub fn rise_per_mille(self, from: Share) -> u64 {
        self.per_mille().saturating_sub(from.per_mille())
    }
}

fn rounded(hits: u128, of: u128) -> u64 {
    if of == 0 { 0 } else { narrow((2 * hits + of) / (2 * of)) }
}

/// Never above a thousand: no more can be hit than there is.
fn narrow(share: u128) -> u64 {
    u64::try_from(share).unwrap_or(1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(hits: u64, of: u64) -> Share {
        Share { hits, of }
    }

    #[test]
    fn a_share_is_rounded_and_of_nothing_it_is_none() {
        assert_eq!([share(1, 3), share(2, 3), share(0, 0)].map(Share::per_cent), [33, 67, 0]);
        assert_eq!([share(1, 3), share(2, 3), share(0, 0)].map(Share::per_mille), [333, 667, 0]);
    }

    /// From the formula in floating point, to three places.
    #[test]
    fn the_range_is_that_of_wilson() {
        let ranges = [share(0, 50), share(1, 50), share(25, 50), share(49, 50), share(50, 50)]
            .map(Share::range_per_mille);
        assert_eq!(ranges, [(0, 72), (3, 105), (366, 634), (895, 997), (928, 1_000)]);
        assert_eq!(share(0, 0).range_per_mille(), (0, 1_000), "nothing is known");
    }

    #[test]
    fn the_range_holds_the_share_and_narrows_with_more_runs() {
        for of in 1..=200_u64 {
            for hits in 0..=of {
                let (low, high) = share(hits, of).range_per_mille();
                let here = share(hits, of).per_mille();
                assert!(low <= here && here <= high && high <= 1_000, "{hits} of {of}");
                let (low_of_more, high_of_more) = share(10 * hits, 10 * of).range_per_mille();
                assert!(high_of_more - low_of_more <= high - low, "{hits} of {of}");
            }
        }
    }

    #[test]
    fn a_rise_within_three_standard_deviations_is_chance() {
        assert!(!share(28, 50).is_clearly_above(share(20, 50)));
        assert!(share(36, 50).is_clearly_above(share(20, 50)));
        assert!(!share(20, 50).is_clearly_above(share(36, 50)), "that is a fall");
        assert!(!share(50, 50).is_clearly_above(share(50, 50)), "that is level");
        assert!(!share(2, 2).is_clearly_above(share(0, 0)), "nothing is known");
    }
}
