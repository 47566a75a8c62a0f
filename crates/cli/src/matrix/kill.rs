//! `seamstress matrix kill`: who sees each planted defect, and after how many seeds.
//!
//! Owns the order of the hunt. The first range of seeds is played whole in every scenario; it says
//! how large the share is that kills, who sees it, and which three scenarios see most. Only in those
//! the other ranges are played, each up to its first kill. A client without some care may be
//! harmless in front of a sound server: only if no seed shows it there, it is played in front of one
//! whose half of the rule is off, and then only what the reference client does not show counts.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use seamstress_oracle::Oracle;
use seamstress_plan::{Role, Trio};
use seamstress_report::{Kill, KillMatrix, Killed, Style, defect_line, effort_line};

use super::control::ControlRuns;
use super::page::Page;
use super::screen::Screen;
use super::{Player, count};
use crate::args::KillArguments;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::output::{Output, say};
use crate::planted::{self, Planted, SERVER_RULE_OFF};
use crate::{interrupt, system};

/// In how many scenarios all ranges of a defect are played.
const MEASURED_MAX: usize = 3;

/// Carries out `matrix kill`.
///
/// # Errors
/// [`CommandError`] if it cannot begin, or cannot go on.
pub fn kill(
    arguments: &KillArguments,
    style: Style,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let table = &arguments.table;
    let defects = planted::named(&table.defects)?;
    let page = Page::open(table.update.as_ref(), KillMatrix::NAME)?;
    let player = Player::new(table.jobs.count())?;
    interrupt::install();
    let total = defects.len() as u64;
    let mut screen = Screen::new(table.format, style, output, total, "defects");
    let KillArguments { ranges, seeds_per_range, .. } = *arguments;
    screen.people(&format!(
        "{}   {}   {} scenarios   {} of {}   jobs {}",
        KillMatrix::NAME,
        count(total, "defect"),
        player.scenarios.len(),
        count(ranges, "range"),
        count(seeds_per_range, "seed"),
        player.jobs
    ))?;
    let mut hunt = Hunt { player: &player, ranges, seeds_per_range, played: BTreeMap::new() };
    let mut matrix = KillMatrix {
        kills: Vec::new(),
        ranges,
        seeds_per_range,
        server_rule_off: SERVER_RULE_OFF,
        control: None,
    };
    let mut runs = ControlRuns::default();
    let ended = hunt_all(&mut hunt, &defects, &mut matrix, &mut runs, &mut screen);
    end(&player, &matrix, &runs, ended, screen, page, &command(arguments))
}

/// Hunts every defect and plays the control. Answers whether all of it was done.
fn hunt_all(
    hunt: &mut Hunt,
    defects: &[Planted],
    matrix: &mut KillMatrix,
    runs: &mut ControlRuns,
    screen: &mut Screen,
) -> Result<bool, CommandError> {
    for planted in defects {
        let Some(kill) = hunt.defect(planted)? else { return Ok(false) };
        screen.advance();
        screen.programs(&defect_line(&kill, hunt.seeds_per_range, hunt.ranges))?;
        matrix.kills.push(kill);
        if screen.is_closed() {
            return Ok(false);
        }
    }
    let is_whole = hunt.control(runs, screen)?;
    matrix.control = Some(runs.control.clone());
    screen.programs(&seamstress_report::control_line(&runs.control))?;
    Ok(is_whole)
}

/// The command that makes the same table.
fn command(arguments: &KillArguments) -> String {
    let KillArguments { ranges, seeds_per_range, table } = arguments;
    let defects = table.defects.iter().map(|name| format!(" --defect {name}"));
    format!(
        "seamstress {} --ranges {ranges} --seeds-per-range {seeds_per_range}{}",
        KillMatrix::NAME,
        defects.collect::<String>()
    )
}

/// The summary, and the exit code.
fn end(
    player: &Player,
    matrix: &KillMatrix,
    runs: &ControlRuns,
    ended: Result<bool, CommandError>,
    screen: Screen,
    page: Option<Page>,
    command: &str,
) -> Result<Exit, CommandError> {
    let is_interrupted = interrupt::is_requested() && !matches!(ended, Ok(true));
    let (played, cpu_seconds) = (player.runs(), system::cpu_seconds());
    let effort = effort_line(played, cpu_seconds);
    screen.end(
        |style| format!("{}\n{effort}", matrix.table(style)),
        || seamstress_report::kill_summary_line(matrix, played, cpu_seconds, is_interrupted),
        || matrix.markdown(command),
    )?;
    let is_whole = ended?;
    if is_interrupted {
        say(&format!("interrupted after {}", count(matrix.kills.len() as u64, "defect")));
        return Ok(Exit::Interrupted);
    }
    if let Some(page) = page.filter(|_| is_whole) {
        page.put(&matrix.markdown(command))?;
    }
    let all_killed = if matrix.not_killed().is_empty() { Exit::Holds } else { Exit::Violated };
    Ok(runs.exit.max(all_killed))
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

struct Hunt<'a> {
    player: &'a Player,
    ranges: u64,
    seeds_per_range: u64,
    /// How many seeds were played with any defect, by scenario and range.
    played: BTreeMap<(usize, u64), u64>,
}

impl Hunt<'_> {
    /// Hunts one defect; nothing if a signal came.
    fn defect(&mut self, planted: &Planted) -> Result<Option<Kill>, CommandError> {
        let mut arena = Arena::sound(planted);
        let Some(mut found) = self.first_range(&arena)? else { return Ok(None) };
        if found.is_empty() && planted.defect.role == Role::Client {
            arena = Arena::rule_off(planted);
            let Some(off) = self.first_range(&arena)? else { return Ok(None) };
            found = off;
        }
        let measured = most_seen(found);
        let Some(measured) = self.other_ranges(&arena, measured)? else { return Ok(None) };
        Ok(Some(Kill { defect: planted.defect, killed: soonest(measured) }))
    }

    /// Plays the whole first range of every scenario: where there are kills.
    fn first_range(&mut self, arena: &Arena) -> Result<Option<Vec<(usize, Killed)>>, CommandError> {
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
        let scenarios = player.scenarios.len();
        let Some(seen) = player.all(scenarios as u64 * seeds, name, work)? else {
            return Ok(None);
        };
        let mut found = Vec::new();
        for (scenario, seen) in seen.chunks(as_index(seeds)).enumerate() {
            self.played.insert((scenario, 0), seeds);
            let name = &player.scenarios[scenario].name;
            let killed = Killed::of_first_range(name, arena.against, seen);
            found.extend(killed.map(|killed| (scenario, killed)));
        }
        Ok(Some(found))
    }

    /// Plays every other range up to its first kill.
    fn other_ranges(
        &mut self,
        arena: &Arena,
        mut measured: Vec<(usize, Killed)>,
    ) -> Result<Option<Vec<Killed>>, CommandError> {
        let (player, seeds, others) = (self.player, self.seeds_per_range, self.ranges - 1);
        let total = measured.len() as u64 * others;
        let place = |number: u64| (as_index(number / others), 1 + number % others);
        let scenario = |index: usize| measured[index].0;
        let name = |number| {
            let (index, range) = place(number);
            player.typed(scenario(index), range * seeds, &arena.trio)
        };
        let work = |number| {
            let (index, range) = place(number);
            seeds_to_kill(player, scenario(index), range * seeds, seeds, arena)
        };
        let Some(seeds_to_kill) = player.all(total, name, work)? else { return Ok(None) };
        for (number, taken) in (0..).zip(seeds_to_kill) {
            let (index, range) = place(number);
            let (scenario, killed) = &mut measured[index];
            killed.ranges.push(taken);
            let played = self.played.entry((*scenario, range)).or_insert(0);
            *played = (*played).max(taken.unwrap_or(seeds));
        }
        Ok(Some(measured.into_iter().map(|(_, killed)| killed).collect()))
    }

    /// Plays the reference trio with every seed that was played with a defect. Answers whether that
    /// was done to the end.
    fn control(&self, runs: &mut ControlRuns, screen: &mut Screen) -> Result<bool, CommandError> {
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

/// Which oracles find something in a run that they do not find without the defect.
fn seen(
    player: &Player,
    scenario: usize,
    seed: u64,
    arena: &Arena,
) -> Result<BTreeSet<Oracle>, CommandError> {
    let oracles = |trio| -> Result<BTreeSet<Oracle>, CommandError> {
        let played = player.play(scenario, seed, trio)?;
        Ok(played.judgement.findings.iter().map(|finding| finding.oracle).collect())
    };
    let seen = oracles(&arena.trio)?;
    match &arena.without {
        Some(without) if !seen.is_empty() => Ok(&seen - &oracles(without)?),
        _ => Ok(seen),
    }
}

/// How many seeds from `first` on it takes to the first kill; nothing if more than `at_most`, or if
/// a signal came, after which nobody asks.
fn seeds_to_kill(
    player: &Player,
    scenario: usize,
    first: u64,
    at_most: u64,
    arena: &Arena,
) -> Result<Option<u64>, CommandError> {
    for taken in 1..=at_most {
        if interrupt::is_requested() {
            break;
        }
        if !seen(player, scenario, first + taken - 1, arena)?.is_empty() {
            return Ok(Some(taken));
        }
    }
    Ok(None)
}

/// The few scenarios with the most seeds that kill; of two alike the one that is listed first.
fn most_seen(mut found: Vec<(usize, Killed)>) -> Vec<(usize, Killed)> {
    found.sort_by_key(|(_, killed)| Reverse(killed.seeds_that_kill));
    found.truncate(MEASURED_MAX);
    found.sort_by_key(|(scenario, _)| *scenario);
    found
}

/// The scenario with the lowest median; of two alike the one in which more seeds kill, then the one
/// that is listed first.
fn soonest(measured: Vec<Killed>) -> Option<Killed> {
    let rank =
        |killed: &Killed| (killed.median().unwrap_or(u64::MAX), Reverse(killed.seeds_that_kill));
    measured.into_iter().min_by_key(rank)
}

/// Numbers of pieces and of seeds in a range come from lists and from bounded arguments.
fn as_index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
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

    fn name(killed: Option<Killed>) -> String {
        killed.expect("one of them").scenario
    }

    #[test]
    fn the_lowest_median_wins_then_the_greater_share_then_the_order_of_the_list() {
        let [slow, fast] = [killed("drop", 90, &[5, 5, 5]), killed("storm", 80, &[9, 2, 2])];
        assert_eq!(name(soonest(vec![slow, fast])), "storm");
        let [less, more] = [killed("drop", 80, &[2, 2, 2]), killed("storm", 81, &[2, 2, 2])];
        assert_eq!(name(soonest(vec![less, more])), "storm");
        let [first, second] = [killed("drop", 80, &[2, 2, 2]), killed("storm", 80, &[2, 2, 2])];
        assert_eq!(name(soonest(vec![first, second])), "drop");
        assert_eq!(soonest(Vec::new()), None);
    }

    #[test]
    fn the_three_scenarios_that_see_most_are_measured_in_the_order_of_the_list() {
        let found = [7, 1, 9, 7, 7].map(|seeds| killed("any", seeds, &[1]));
        let measured = most_seen(found.into_iter().enumerate().collect());
        let measured: Vec<usize> = measured.iter().map(|(scenario, _)| *scenario).collect();
        assert_eq!(measured, [0, 2, 3]);
    }
}
