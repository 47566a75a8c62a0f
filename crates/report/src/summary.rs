//! What a sweep came to, for people.
//!
//! Owns the order: the table of cells first, then outcomes, failures by key, faults by family (and
//! by action, for those who ask), protocol states, warnings, speed. It must not know how many
//! workers there were. It exists so that a green sweep in which nothing happened looks different
//! from a real one.

use std::cmp::Reverse;

use seamstress_oracle::{Class, Oracle, Verdict};
use seamstress_plan::{Action, ExpectedCell, Family, Trio};

use crate::json::seeds_per_cpu_second;
use crate::style::{Style, Tone};
use crate::sweep::SweepEnd;
use crate::tally::{FaultCounts, KeyTally, Tally};
use crate::words::count;
use crate::{coverage, options, table};

/// Keys listed at most: the others are counted.
const KEYS_MAX: usize = 20;

/// What a sweep should have seen and did not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unseen {
    /// The listed families of which no fault was carried out.
    pub families: Vec<Family>,
    /// The listed actions that no fault carried out.
    pub actions: Vec<Action>,
    /// The expected cells in which no resumption landed.
    pub cells: Vec<ExpectedCell>,
}

/// The summary of a sweep. `name` is the scenario's, as it is typed; `with_coverage` adds how far
/// each action got and which protocol states were seen.
#[must_use]
pub fn sweep_summary(
    name: &str,
    trio: &Trio,
    tally: &Tally,
    unseen: &Unseen,
    with_coverage: bool,
    end: &SweepEnd,
    style: Style,
) -> String {
    let Trio { server, proxy, client } = trio;
    let mut text = format!("{name}   server {server}, proxy {proxy}, client {client}\n\n");
    text.push_str(&table::resumption_table(tally.cells()));
    text.push_str(&format!("\n{}{}", outcomes(tally, style), why_it_ended(end, style)));
    text.push_str(&keys(name, trio, tally));
    text.push_str(&faults(tally, unseen, with_coverage));
    text.push_str(&coverage::total(tally, with_coverage));
    if with_coverage {
        text.push_str(&coverage::table(tally));
    }
    text.push_str(&warnings(tally, unseen, style));
    text.push_str(&format!("\n{}\n", speed(tally, end)));
    text
}

fn outcomes(tally: &Tally, style: Style) -> String {
    let outcome = |verdict: Verdict| {
        let number = tally.outcome(verdict);
        let text = format!("{} {number}", verdict.name());
        match (verdict, number) {
            (_, 0) => text,
            (Verdict::Holds, _) => style.paint(Tone::Good, &text),
            (Verdict::Stuck, _) => style.paint(Tone::Doubtful, &text),
            (Verdict::Violated | Verdict::Error, _) => style.paint(Tone::Bad, &text),
        }
    };
    let seeds = count(tally.seeds(), "seed");
    format!("{seeds}: {}\n", Verdict::ALL.map(outcome).join(", "))
}

/// Why the sweep ended before its last seed, if there is more to say of it than the exit code does.
fn why_it_ended(end: &SweepEnd, style: Style) -> String {
    let (word, why) = match (&end.time_up, end.quiet_seeds) {
        (Some(budget), _) => (style.paint(Tone::Doubtful, "time up"), format!("after {budget}")),
        (None, Some(seeds)) => {
            let seeds = count(seeds, "seed");
            ("quiet".to_owned(), format!("after {seeds} in a row without a new protocol state"))
        }
        (None, None) => return String::new(),
    };
    let (from, until) = end.seeds_done;
    format!("{word} {why}: this is of the seeds {from}..{until}\n")
}

fn speed(tally: &Tally, end: &SweepEnd) -> String {
    let SweepEnd { seeds_played, cpu_seconds, .. } = *end;
    let of_what = if seeds_played == tally.seeds() {
        String::new()
    } else {
        format!(" for the {} played now", count(seeds_played, "seed"))
    };
    let speed = seeds_per_cpu_second(seeds_played, cpu_seconds);
    format!("{cpu_seconds:.3} s of CPU time{of_what}, {speed:.1} seeds per CPU second")
}

fn keys(name: &str, trio: &Trio, tally: &Tally) -> String {
    let mut keys: Vec<(&String, &KeyTally)> = tally.keys().iter().collect();
    // The escapes first, the frequent ones before the rare; the map's order settles the rest.
    keys.sort_by_key(|(key, tally)| (class(key), Reverse(tally.count)));
    let Some((_, KeyTally { first_seed, .. })) = keys.first() else { return String::new() };
    let mut rows = vec![["seeds", "first", "failure"].map(str::to_owned).to_vec()];
    rows.extend(keys.iter().take(KEYS_MAX).map(|(key, tally)| {
        vec![tally.count.to_string(), tally.first_seed.to_string(), (*key).clone()]
    }));
    let mut text = format!("\n{}", table::aligned(&rows, &[0, 1], 2));
    if keys.len() > KEYS_MAX {
        text.push_str(&format!("  and {} more\n", count((keys.len() - KEYS_MAX) as u64, "key")));
    }
    let trio = options::trio_arguments(trio);
    text.push_str(&format!("  look at one: seamstress explain {name}@{first_seed}{trio}\n"));
    text
}

/// What the oracle watches over that a key begins with.
fn class(key: &str) -> Option<Class> {
    Oracle::named(key.split('/').next()?).map(Oracle::class)
}

fn faults(tally: &Tally, unseen: &Unseen, with_actions: bool) -> String {
    let header = ["faults", "planned", "reached", "fired", "effective"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for (family, counts) in tally.faults() {
        if counts.planned == 0 && !unseen.families.contains(&family) {
            continue;
        }
        rows.push(fault_row(family.name().to_owned(), counts));
        let actions = tally.actions().iter().filter(|(action, counts)| {
            let is_listed = counts.planned > 0 || unseen.actions.contains(action);
            with_actions && action.family() == family && is_listed
        });
        rows.extend(actions.map(|(action, counts)| fault_row(format!("  {action}"), *counts)));
    }
    if rows.len() == 1 {
        return "\nno faults were planned\n".to_owned();
    }
    format!("\n{}", table::aligned(&rows, &[1, 2, 3, 4], 2))
}

fn fault_row(name: String, counts: FaultCounts) -> Vec<String> {
    let FaultCounts { planned, reached, fired, effective } = counts;
    let numbers = [planned, reached, fired, effective].map(|number| number.to_string());
    std::iter::once(name).chain(numbers).collect()
}

/// What makes a green sweep worth less than it looks.
fn warnings(tally: &Tally, unseen: &Unseen, style: Style) -> String {
    let Unseen { families, actions, cells } = unseen;
    let mut warnings: Vec<String> = Vec::new();
    if tally.seeds() == 0 {
        warnings.push("nothing ran".to_owned());
    } else if tally.cells().iter().sum::<u64>() == 0 {
        warnings.push("nothing was resumed: these runs prove nothing about resumption".to_owned());
    }
    for family in families {
        warnings.push(format!("no fault of the listed family {family} was ever carried out"));
    }
    // Of a family that never fired, nothing need be said of its actions.
    for action in actions.iter().filter(|action| !families.contains(&action.family())) {
        let seeds = count(tally.seeds(), "seed");
        warnings.push(format!("in {seeds} no fault ever carried out {action}, which is listed"));
    }
    for cell in cells {
        warnings
            .push(format!("no resumption was ever {}, which this scenario expects", cell.name()));
    }
    if warnings.is_empty() {
        return String::new();
    }
    let word = style.paint(Tone::Doubtful, "warning");
    let lines: String = warnings.iter().map(|line| format!("{word}   {line}\n")).collect();
    format!("\n{lines}")
}

#[cfg(test)]
mod tests;
