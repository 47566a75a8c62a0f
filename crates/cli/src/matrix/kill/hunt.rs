//! The hunt for one defect.
//!
//! Owns its order. The first range of seeds is played whole in every scenario: it says how large
//! the share is that kills, who sees it, and which three scenarios show most. Only in those the
//! other ranges are played, each up to its first kill. A client without some care may be harmless
//! in front of a sound server; only if no seed shows it there, it is played in front of one whose
//! half of the rule is off. That server does harm of its own, so there only escapes count that the
//! same seed does not show with the reference client, and only of oracles that see clearly more.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use seamstress_oracle::{Class, Oracle};
use seamstress_plan::{Role, Trio};
use seamstress_report::{Kill, Killed};

use crate::error::CommandError;
use crate::exit::Exit;
use crate::interrupt;
use crate::matrix::Player;
use crate::matrix::control::ControlRuns;
use crate::matrix::screen::Screen;
use crate::planted::{Planted, SERVER_RULE_OFF};

/// In how many scenarios all ranges of a defect are played.
const MEASURED_MAX: usize = 3;

/// The hunt, from one defect to the next.
pub struct Hunt<'a> {
    player: &'a Player,
    ranges: u64,
    seeds_per_range: u64,
    /// How many seeds were played with any defect, by scenario and range.
    played: BTreeMap<(usize, u64), u64>,
}

/// Where a defect is played.
struct Arena {
    trio: Trio,
    /// The same without the defect, where that shows something too.
    without: Option<Trio>,
    /// The server, where that is not the reference.
    against: Option<&'static str>,
}

/// A scenario in which a defect shows.
struct Found {
    scenario: usize,
    /// The oracles whose findings count.
    counted: BTreeSet<Oracle>,
    killed: Killed,
}

/// What the oracles find in a run, beside the same run without the defect.
#[derive(Default)]
struct Seen {
    more: BTreeSet<Oracle>,
    fewer: BTreeSet<Oracle>,
}

impl Arena {
    fn sound(planted: &Planted) -> Arena {
        Arena { trio: planted.trio(), without: None, against: None }
    }

    fn rule_off(planted: &Planted) -> Arena {
        let off = |trio: Trio| trio.with(Role::Server, SERVER_RULE_OFF);
        Arena {
            trio: off(planted.trio()),
            without: Some(off(Trio::default())),
            against: Some(SERVER_RULE_OFF),
        }
    }

    /// The oracles whose findings are the defect's doing. Beside the reference trio that is all of
    /// them. Else a run that merely goes another way finds other things now and then, as often
    /// more as fewer.
    fn counted(&self, seen: &[Seen]) -> BTreeSet<Oracle> {
        let all = Oracle::ALL.iter().copied();
        if self.without.is_none() {
            return all.collect();
        }
        let is_counted = |oracle: &Oracle| {
            let more = seen.iter().filter(|seen| seen.more.contains(oracle)).count();
            let fewer = seen.iter().filter(|seen| seen.fewer.contains(oracle)).count();
            oracle.class() == Class::Escape && is_clearly_more(more, fewer)
        };
        all.filter(is_counted).collect()
    }
}

impl<'a> Hunt<'a> {
    /// Over so many ranges of so many seeds.
    pub fn new(player: &'a Player, ranges: u64, seeds_per_range: u64) -> Hunt<'a> {
        Hunt { player, ranges, seeds_per_range, played: BTreeMap::new() }
    }

    /// Hunts one defect; nothing if a signal came.
    ///
    /// # Errors
    /// [`CommandError`] if it cannot be played.
    pub fn defect(&mut self, planted: &Planted) -> Result<Option<Kill>, CommandError> {
        let mut arena = Arena::sound(planted);
        let Some(mut found) = self.first_range(&arena)? else { return Ok(None) };
        if found.is_empty() && planted.defect.role == Role::Client {
            arena = Arena::rule_off(planted);
            let Some(off) = self.first_range(&arena)? else { return Ok(None) };
            found = off;
        }
        let Some(measured) = self.other_ranges(&arena, most_seen(found))? else {
            return Ok(None);
        };
        let killed = soonest(measured.into_iter().map(|found| found.killed));
        Ok(Some(Kill { defect: planted.defect, killed }))
    }

    /// Plays the whole first range of every scenario: where there are kills.
    fn first_range(&mut self, arena: &Arena) -> Result<Option<Vec<Found>>, CommandError> {
        let (player, seeds) = (self.player, self.seeds_per_range);
        let place = |number| (as_index(number / seeds), number % seeds);
        let name = |number| {
            let (scenario, seed) = place(number);
            player.typed(scenario, seed, &arena.trio)
        };
        let work = |number| {
            let (scenario, seed) = place(number);
            seen(player, scenario, seed, arena)
        };
        let total = player.scenarios.len() as u64 * seeds;
        let Some(seen) = player.all(total, name, work)? else { return Ok(None) };
        let mut found = Vec::new();
        for (scenario, seen) in seen.chunks(as_index(seeds)).enumerate() {
            self.played.insert((scenario, 0), seeds);
            let counted = arena.counted(seen);
            let kills: Vec<_> = seen.iter().map(|seen| &seen.more & &counted).collect();
            let name = &player.scenarios[scenario].name;
            let killed = Killed::of_first_range(name, arena.against, &kills);
            found.extend(killed.map(|killed| Found { scenario, counted, killed }));
        }
        Ok(Some(found))
    }

    /// Plays every other range up to its first kill.
    fn other_ranges(
        &mut self,
        arena: &Arena,
        mut measured: Vec<Found>,
    ) -> Result<Option<Vec<Found>>, CommandError> {
        let (player, seeds, others) = (self.player, self.seeds_per_range, self.ranges - 1);
        let total = measured.len() as u64 * others;
        let place = |number: u64| (as_index(number / others), 1 + number % others);
        let name = |number| {
            let (index, range) = place(number);
            player.typed(measured[index].scenario, range * seeds, &arena.trio)
        };
        let work = |number| {
            let (index, range) = place(number);
            seeds_to_kill(player, &measured[index], range * seeds, seeds, arena)
        };
        let Some(seeds_to_kill) = player.all(total, name, work)? else { return Ok(None) };
        for (number, taken) in (0..).zip(seeds_to_kill) {
            let (index, range) = place(number);
            measured[index].killed.ranges.push(taken);
            let played = self.played.entry((measured[index].scenario, range)).or_insert(0);
            *played = (*played).max(taken.unwrap_or(seeds));
        }
        Ok(Some(measured))
    }

    /// Plays the reference trio with every seed that was played with a defect. Answers whether that
    /// was done to the end.
    ///
    /// # Errors
    /// [`CommandError`] if it cannot be played or told.
    pub fn control(
        &self,
        runs: &mut ControlRuns,
        screen: &mut Screen,
    ) -> Result<bool, CommandError> {
        let (player, per_range) = (self.player, self.seeds_per_range);
        let seeds = self.played.iter().flat_map(|((scenario, range), seeds)| {
            let first = range * per_range;
            (first..first + seeds).map(|seed| (*scenario, seed))
        });
        let seeds: Vec<(usize, u64)> = seeds.collect();
        screen.turn_to(seeds.len() as u64, "runs");
        let reference = Trio::default();
        let name = |number| {
            let (scenario, seed) = seeds[as_index(number)];
            player.typed(scenario, seed, &reference)
        };
        let work = |number| {
            let (scenario, seed) = seeds[as_index(number)];
            Ok(player.play(scenario, seed, &reference)?.result())
        };
        player.in_order(seeds.len() as u64, name, work, |number, result| {
            let (scenario, _) = seeds[as_index(number)];
            runs.take(player, scenario, &result, screen)?;
            screen.advance();
            let is_enough = screen.is_closed() || runs.exit == Exit::NotReproducible;
            Ok(if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })
    }
}

fn seen(player: &Player, scenario: usize, seed: u64, arena: &Arena) -> Result<Seen, CommandError> {
    let oracles = |trio| -> Result<BTreeSet<Oracle>, CommandError> {
        let played = player.play(scenario, seed, trio)?;
        Ok(played.judgement.findings.iter().map(|finding| finding.oracle).collect())
    };
    let with = oracles(&arena.trio)?;
    let Some(without) = &arena.without else {
        return Ok(Seen { more: with, fewer: BTreeSet::new() });
    };
    let without = oracles(without)?;
    Ok(Seen { more: &with - &without, fewer: &without - &with })
}

/// How many seeds from `first` on it takes to the first kill; nothing if more than `at_most`, or if
/// a signal came, after which nobody asks.
fn seeds_to_kill(
    player: &Player,
    found: &Found,
    first: u64,
    at_most: u64,
    arena: &Arena,
) -> Result<Option<u64>, CommandError> {
    for taken in 1..=at_most {
        if interrupt::is_requested() {
            break;
        }
        let seen = seen(player, found.scenario, first + taken - 1, arena)?;
        if !seen.more.is_disjoint(&found.counted) {
            return Ok(Some(taken));
        }
    }
    Ok(None)
}

/// Whether an oracle finds something in more seeds than it no longer does, by more than chance
/// explains: by three standard deviations of how the seeds that differ would fall if both were as
/// likely. Three, because many oracles are asked in many scenarios.
const fn is_clearly_more(more: usize, fewer: usize) -> bool {
    let difference = more.saturating_sub(fewer);
    difference * difference > 9 * (more + fewer)
}

/// The few scenarios with the most seeds that kill, in the order of the list; of two alike the one
/// that is listed first.
fn most_seen(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|found| Reverse(found.killed.seeds_that_kill));
    found.truncate(MEASURED_MAX);
    found.sort_by_key(|found| found.scenario);
    found
}

/// The one with the lowest median; of two alike the one in which more seeds kill, then the first.
fn soonest(measured: impl Iterator<Item = Killed>) -> Option<Killed> {
    measured
        .min_by_key(|killed| (killed.median().unwrap_or(u64::MAX), Reverse(killed.seeds_that_kill)))
}

/// Numbers of pieces and of seeds in a range come from lists and from bounded arguments.
fn as_index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted;

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
    fn in_front_of_a_server_without_the_rule_only_clearly_more_escapes_count() {
        let client = planted::named(&["no-continuity-check".to_owned()]).expect("known");
        let off = Arena::rule_off(&client[0]);
        let escape = [Oracle::Skip];
        assert_eq!(off.counted(&seeds(10, &escape, &[])), BTreeSet::from(escape));
        assert!(off.counted(&seeds(9, &escape, &[])).is_empty(), "that may be chance");
        let mut both = seeds(60, &escape, &[]);
        both.extend(seeds(50, &[], &escape));
        assert!(off.counted(&both).is_empty(), "it goes another way, and is no worse");
        assert!(off.counted(&seeds(100, &[Oracle::StreamOrder], &[])).is_empty(), "the server's");
    }

    #[test]
    fn beside_the_reference_trio_every_finding_counts() {
        let client = planted::named(&["no-continuity-check".to_owned()]).expect("known");
        let counted = Arena::sound(&client[0]).counted(&seeds(1, &[Oracle::StreamOrder], &[]));
        assert_eq!(counted.len(), Oracle::ALL.len());
    }
}
