//! What counts as a kill, and in which scenarios a defect is played on.
//!
//! Owns the choices of a hunt, all of them pure: which oracles may be believed, which scenarios are
//! worth more seeds, and where the kill comes soonest.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use seamstress_oracle::{Class, Oracle};
use seamstress_report::Killed;

/// In how many scenarios all ranges of a defect are played.
const MEASURED_MAX: usize = 3;

/// What the oracles find in a run, beside the same run without the defect.
pub struct Seen {
    /// Those that find something only with it.
    pub more: BTreeSet<Oracle>,
    /// Those that find something only without it.
    pub fewer: BTreeSet<Oracle>,
}

impl Seen {
    /// Beside a run with a server without its half of the rule: what is wrong on the wire, or late,
    /// is that server's doing.
    pub fn escapes(with: &BTreeSet<Oracle>, without: &BTreeSet<Oracle>) -> Seen {
        let escapes = |mut oracles: BTreeSet<Oracle>| {
            oracles.retain(|oracle| oracle.class() == Class::Escape);
            oracles
        };
        Seen { more: escapes(with - without), fewer: escapes(without - with) }
    }
}

/// A scenario in which a defect shows.
pub struct Found {
    pub scenario: usize,
    /// The oracles whose findings count.
    pub counted: BTreeSet<Oracle>,
    pub killed: Killed,
}

/// Beside the reference trio every finding is the defect's doing.
pub fn every_oracle() -> BTreeSet<Oracle> {
    Oracle::ALL.iter().copied().collect()
}

/// The oracles that find something in clearly more runs with the defect. A run that merely goes
/// another way finds other things now and then, as often more as fewer.
pub fn those_that_see_clearly_more(seen: &[Seen]) -> BTreeSet<Oracle> {
    let is_counted = |oracle: &Oracle| {
        let more = seen.iter().filter(|seen| seen.more.contains(oracle)).count();
        let fewer = seen.iter().filter(|seen| seen.fewer.contains(oracle)).count();
        is_clearly_more(more, fewer)
    };
    Oracle::ALL.iter().copied().filter(is_counted).collect()
}

/// Whether an oracle finds something in more seeds than it no longer does, by more than chance
/// explains: by three standard deviations of how the seeds that differ would fall if both were as
/// likely. Three, because many oracles are asked in many scenarios.
const fn is_clearly_more(more: usize, fewer: usize) -> bool {
    let difference = more.saturating_sub(fewer);
    difference * difference > 9 * (more + fewer)
}

/// The few scenarios with the most seeds that show something, in the order of the list; all of them
/// if none does.
pub fn most_promising(seen: &[Vec<Seen>]) -> Vec<usize> {
    let showing =
        |scenario: &usize| seen[*scenario].iter().filter(|seen| !seen.more.is_empty()).count();
    let all = 0..seen.len();
    let mut promising: Vec<usize> = all.clone().filter(|scenario| showing(scenario) > 0).collect();
    promising.sort_by_key(|scenario| Reverse(showing(scenario)));
    promising.truncate(MEASURED_MAX);
    promising.sort_unstable();
    if promising.is_empty() { all.collect() } else { promising }
}

/// The few scenarios with the most seeds that kill, in the order of the list; of two alike the one
/// that is listed first.
pub fn most_seen(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|found| Reverse(found.killed.seeds_that_kill));
    found.truncate(MEASURED_MAX);
    found.sort_by_key(|found| found.scenario);
    found
}

/// The one with the lowest median; of two alike the one in which more seeds kill, then the first.
pub fn soonest(measured: impl Iterator<Item = Killed>) -> Option<Killed> {
    measured
        .min_by_key(|killed| (killed.median().unwrap_or(u64::MAX), Reverse(killed.seeds_that_kill)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn killed(scenario: &str, seeds_that_kill: u64, ranges: &[u64]) -> Killed {
        Killed {
            scenario: scenario.to_owned(),
            against: None,
            seeds: 200,
            seeds_that_kill,
            oracles: vec![(Oracle::Skip, seeds_that_kill)],
            ranges: ranges.iter().map(|seeds| Some(*seeds)).collect(),
        }
    }

    fn soonest_of(measured: [Killed; 2]) -> String {
        soonest(measured.into_iter()).expect("one of them").scenario
    }

    fn seeds(count: usize, more: &[Oracle], fewer: &[Oracle]) -> Vec<Seen> {
        let set = |oracles: &[Oracle]| oracles.iter().copied().collect();
        (0..count).map(|_| Seen { more: set(more), fewer: set(fewer) }).collect()
    }

    #[test]
    fn the_lowest_median_wins_then_the_greater_share_then_the_order_of_the_list() {
        let [slow, fast] = [killed("drop", 90, &[5, 5, 5]), killed("storm", 80, &[9, 2, 2])];
        assert_eq!(soonest_of([slow, fast]), "storm");
        let [less, more] = [killed("drop", 80, &[2, 2, 2]), killed("storm", 81, &[2, 2, 2])];
        assert_eq!(soonest_of([less, more]), "storm");
        let [first, second] = [killed("drop", 80, &[2, 2, 2]), killed("storm", 80, &[2, 2, 2])];
        assert_eq!(soonest_of([first, second]), "drop");
        assert_eq!(soonest([].into_iter()), None);
    }

    #[test]
    fn the_three_scenarios_that_show_most_are_measured_in_the_order_of_the_list() {
        let found = [7, 1, 9, 7, 7].into_iter().enumerate().map(|(scenario, seeds)| Found {
            scenario,
            counted: BTreeSet::new(),
            killed: killed("any", seeds, &[1]),
        });
        let measured: Vec<usize> =
            most_seen(found.collect()).iter().map(|found| found.scenario).collect();
        assert_eq!(measured, [0, 2, 3]);
    }

    #[test]
    fn beside_a_server_without_the_rule_only_clearly_more_counts() {
        let escape = [Oracle::Skip];
        let counted = |seen: &[Seen]| !those_that_see_clearly_more(seen).is_empty();
        assert!(counted(&seeds(10, &escape, &[])));
        assert!(!counted(&seeds(9, &escape, &[])), "that may be chance");
        let mut both = seeds(60, &escape, &[]);
        both.extend(seeds(50, &[], &escape));
        assert!(!counted(&both), "it goes another way, and is no worse");
    }

    #[test]
    fn beside_a_server_without_the_rule_nothing_counts_but_escapes_that_are_new() {
        use Oracle::{Duplicate, Skip, StreamOrder, Stuck};
        let with = BTreeSet::from([Skip, StreamOrder, Stuck]);
        let seen = Seen::escapes(&with, &BTreeSet::from([Duplicate, Stuck]));
        assert_eq!(seen.more, BTreeSet::from([Skip]));
        assert_eq!(seen.fewer, BTreeSet::from([Duplicate]));
    }

    #[test]
    fn the_three_scenarios_that_show_most_of_it_are_played_on_and_all_if_none_shows_anything() {
        let skip = [Oracle::Skip];
        let seen = [1, 0, 3, 3, 2].map(|count| seeds(count, &skip, &[]));
        assert_eq!(most_promising(&seen), [2, 3, 4]);
        let seen = [0, 0, 1, 0].map(|count| seeds(count, &skip, &[]));
        assert_eq!(most_promising(&seen), [2]);
        let seen = [0; 4].map(|_| seeds(5, &[], &skip));
        assert_eq!(most_promising(&seen), [0, 1, 2, 3]);
    }
}
