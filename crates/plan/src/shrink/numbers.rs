//! Which numbers are tried instead of a number.
//!
//! Owns the candidates for counts, which go down to the least that still fails, and for times,
//! which should be round before they are small: a time that is exact to the millisecond suggests a
//! race where there is none. The boldest candidate comes first. It must not know what is counted.

/// Smaller counts, down to `least`: as a binary search, from far below to one less.
pub(super) fn smaller(value: u64, least: u64) -> Vec<u64> {
    let cuts = [value / 2, value / 4, value / 8, value / 16, value / 32, 1];
    let steps = cuts.into_iter().map(|cut| value.saturating_sub(cut));
    distinct([least, value / 8, value / 4].into_iter().chain(steps), |tried| {
        (least..value).contains(&tried)
    })
}

/// Larger counts, up to `most`.
pub(super) fn larger(value: u64, most: u64) -> Vec<u64> {
    let factors = [64, 16, 4, 2].into_iter().map(|factor| value.saturating_mul(factor).min(most));
    let cuts = [value / 2, value / 4, value / 8, value / 16, 1];
    let steps = cuts.into_iter().map(|cut| value.saturating_add(cut));
    distinct(factors.chain(steps), |tried| tried > value && tried <= most)
}

/// Earlier and rounder times, down to `least`.
pub(super) fn earlier(value: u64, least: u64) -> Vec<u64> {
    let parts = [value / 8, value / 4, value / 2, value - value / 4, value];
    let round = parts.into_iter().flat_map(|part| [rounded(part, 1), rounded(part, 2)]);
    distinct([least].into_iter().chain(round), |tried| (least..value).contains(&tried))
}

/// Rounder times in the neighbourhood, the later one first.
pub(super) fn rounder(value: u64) -> Vec<u64> {
    let down = rounded(value, 1);
    let up = down.saturating_add(unit(value, 1));
    distinct([up, down, rounded(value, 2)].into_iter(), |tried| digits(tried) < digits(value))
}

/// How many digits a number has before its zeros at the end; none for 0.
pub(super) fn digits(value: u64) -> u64 {
    if value == 0 {
        return 0;
    }
    let mut rest = value;
    while rest.is_multiple_of(10) {
        rest /= 10;
    }
    u64::from(rest.ilog10()) + 1
}

/// The number with its first digits only.
fn rounded(value: u64, kept: u32) -> u64 {
    let unit = unit(value, kept);
    value / unit * unit
}

/// What the last of the first digits counts.
fn unit(value: u64, kept: u32) -> u64 {
    let length = value.checked_ilog10().map_or(1, |log| log + 1);
    10_u64.pow(length.saturating_sub(kept))
}

fn distinct(numbers: impl Iterator<Item = u64>, is_wanted: impl Fn(u64) -> bool) -> Vec<u64> {
    let mut kept = Vec::new();
    for number in numbers {
        if is_wanted(number) && !kept.contains(&number) {
            kept.push(number);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_tried_from_the_least_to_one_less() {
        assert_eq!(smaller(33, 1), [1, 4, 8, 17, 25, 29, 31, 32]);
        assert_eq!(smaller(2, 1), [1]);
        assert!(smaller(1, 1).is_empty());
    }

    #[test]
    fn every_count_can_be_reached_from_a_larger_one() {
        for least_failing in 1..=200_u64 {
            let mut value = 200;
            while let Some(next) =
                smaller(value, 1).into_iter().find(|tried| *tried >= least_failing)
            {
                value = next;
            }
            assert_eq!(value, least_failing);
        }
    }

    #[test]
    fn larger_counts_reach_the_greatest_that_still_fails() {
        for most_failing in 5..=300_u64 {
            let mut value = 5;
            while let Some(next) =
                larger(value, 1_000).into_iter().find(|tried| *tried <= most_failing)
            {
                value = next;
            }
            assert_eq!(value, most_failing);
        }
    }

    #[test]
    fn times_are_tried_round_and_early() {
        assert_eq!(earlier(137, 0), [0, 10, 17, 30, 34, 60, 68, 100, 130]);
        assert_eq!(earlier(7, 0), [0, 1, 3, 6]);
        assert!(earlier(0, 0).is_empty());
        assert_eq!(rounder(37), [40, 30]);
        assert!(rounder(40).is_empty());
    }

    #[test]
    fn zeros_at_the_end_do_not_count_as_digits() {
        let all = [0, 7, 40, 137, 1_500, 86_400_000].map(digits);
        assert_eq!(all, [0, 1, 1, 3, 2, 3]);
    }
}
