//! The hunt for one defect.
//!
//! Owns its order. A quarter of the first range of seeds is played in every scenario; the three
//! that show most of the defect, or all if none shows anything, are played with the rest of it,
//! which says how large the share is that kills and who sees it. There the other ranges are played
//! too, each up to its first kill. A client without some care may be harmless in front of a sound
//! server: only if no seed shows it there, it is played in front of one whose half of the rule is
//! off. That server does harm of its own, so there only escapes count that the same seed does not
//! show with the reference client, and only of oracles that see clearly more.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, Range};

use seamstress_oracle::Oracle;
use seamstress_plan::{Role, Trio};
use seamstress_report::{Kill, Killed};

use super::choice::{
    Found, Seen, every_oracle, most_promising, most_seen, soonest, those_that_see_clearly_more,
};

use crate::error::CommandError;
use crate::exit::Exit;
use crate::interrupt;
use crate::matrix::Player;
use crate::matrix::control::ControlRuns;
use crate::matrix::screen::Screen;
use crate::planted::{Planted, SERVER_RULE_OFF};

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

    /// Plays the first range: the scenarios in which there are kills.
    fn first_range(&mut self, arena: &Arena) -> Result<Option<Vec<Found>>, CommandError> {
        let seeds = self.seeds_per_range;
        let scouted = seeds.div_ceil(4);
        let all: Vec<usize> = (0..self.player.scenarios.len()).collect();
        let Some(mut seen) = self.seeds(arena, &all, 0..scouted)? else { return Ok(None) };
        let promising = most_promising(&seen);
        let Some(rest) = self.seeds(arena, &promising, scouted..seeds)? else { return Ok(None) };
        let mut found = Vec::new();
        for (scenario, rest) in promising.into_iter().zip(rest) {
            seen[scenario].extend(rest);
            let counted = match arena.without {
                None => every_oracle(),
                Some(_) => those_that_see_clearly_more(&seen[scenario]),
            };
            let kills: Vec<_> = seen[scenario].iter().map(|seen| &seen.more & &counted).collect();
            let name = &self.player.scenarios[scenario].name;
            let killed = Killed::of_first_range(name, arena.against, &kills);
            found.extend(killed.map(|killed| Found { scenario, counted, killed }));
        }
        Ok(Some(found))
    }

    /// Plays these seeds of the first range of each of these scenarios.
    fn seeds(
        &mut self,
        arena: &Arena,
        scenarios: &[usize],
        seeds: Range<u64>,
    ) -> Result<Option<Vec<Vec<Seen>>>, CommandError> {
        let (player, each) = (self.player, seeds.end - seeds.start);
        let place = |number| (scenarios[as_index(number / each)], seeds.start + number % each);
        let name = |number| {
            let (scenario, seed) = place(number);
            player.typed(scenario, seed, &arena.trio)
        };
        let work = |number| {
            let (scenario, seed) = place(number);
            seen(player, scenario, seed, arena)
        };
        let total = scenarios.len() as u64 * each;
        let Some(seen) = player.all(total, name, work)? else { return Ok(None) };
        for scenario in scenarios {
            self.has_played(*scenario, 0, seeds.end);
        }
        let mut seen = seen.into_iter();
        let per_scenario = scenarios.iter().map(|_| seen.by_ref().take(as_index(each)).collect());
        Ok(Some(per_scenario.collect()))
    }

    fn has_played(&mut self, scenario: usize, range: u64, seeds: u64) {
        let played = self.played.entry((scenario, range)).or_insert(0);
        *played = seeds.max(*played);
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
            self.has_played(measured[index].scenario, range, taken.unwrap_or(seeds));
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
    Ok(Seen::escapes(&with, &without))
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

/// Numbers of pieces and of seeds in a range come from lists and from bounded arguments.
fn as_index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
