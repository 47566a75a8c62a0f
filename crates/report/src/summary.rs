//! What a sweep came to, for people.
//!
//! Owns the order: the table of cells first, then outcomes, failures by key, faults by family,
//! speed. It must not know how many workers there were. It exists so that a green sweep in which
//! nothing happened looks different from a real one.

use std::cmp::Reverse;

use seamstress_oracle::{Class, Oracle, Verdict};
use seamstress_plan::{ExpectedCell, Family, Trio};

use crate::json::seeds_per_cpu_second;
use crate::style::{Style, Tone};
use crate::sweep::SweepEnd;
use crate::tally::{KeyTally, Tally};
use crate::words::count;
use crate::{options, table};

/// Keys listed at most: the others are counted.
const KEYS_MAX: usize = 20;

/// The summary of a sweep. `name` is the scenario's, as it is typed; `never_fired` are the listed
/// families of which no fault was carried out; `missing` are expected cells that were never seen.
#[must_use]
pub fn sweep_summary(
    name: &str,
    trio: &Trio,
    tally: &Tally,
    never_fired: &[Family],
    missing: &[ExpectedCell],
    end: &SweepEnd,
    style: Style,
) -> String {
    let Trio { server, proxy, client } = trio;
    let mut text = format!("{name}   server {server}, proxy {proxy}, client {client}\n\n");
    text.push_str(&table::resumption_table(tally.cells()));
    text.push_str(&format!("\n{}{}", outcomes(tally, style), time_up(end, style)));
    text.push_str(&keys(name, trio, tally));
    text.push_str(&faults(tally, never_fired));
    text.push_str(&warnings(tally, never_fired, missing, style));
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

fn time_up(end: &SweepEnd, style: Style) -> String {
    let Some(budget) = &end.time_up else { return String::new() };
    let (from, until) = end.seeds_done;
    let word = style.paint(Tone::Doubtful, "time up");
    format!("{word} after {budget}: this is of the seeds {from}..{until}\n")
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

fn faults(tally: &Tally, never_fired: &[Family]) -> String {
    let header = ["faults", "planned", "reached", "fired", "effective"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for (family, counts) in tally.faults() {
        if counts.planned == 0 && !never_fired.contains(family) {
            continue;
        }
        let numbers = [counts.planned, counts.reached, counts.fired, counts.effective];
        let mut row = vec![family.name().to_owned()];
        row.extend(numbers.map(|number| number.to_string()));
        rows.push(row);
    }
    if rows.len() == 1 {
        return "\nno faults were planned\n".to_owned();
    }
    format!("\n{}", table::aligned(&rows, &[1, 2, 3, 4], 2))
}

/// What makes a green sweep worth less than it looks.
fn warnings(
    tally: &Tally,
    never_fired: &[Family],
    missing: &[ExpectedCell],
    style: Style,
) -> String {
    let mut warnings: Vec<String> = Vec::new();
    if tally.seeds() == 0 {
        warnings.push("nothing ran".to_owned());
    } else if tally.cells().iter().sum::<u64>() == 0 {
        warnings.push("nothing was resumed: these runs prove nothing about resumption".to_owned());
    }
    for family in never_fired {
        warnings.push(format!("no fault of the listed family {family} was ever carried out"));
    }
    for cell in missing {
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
