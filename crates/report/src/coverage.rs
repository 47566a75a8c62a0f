//! How much of the rule a sweep has tried, for people.
//!
//! Owns one line on the protocol states that were seen, and, for those who ask, the table of
//! families of faults against what was said, with what was never seen at all. It must not judge:
//! a state that was never seen may be one that the implementations under test cannot show.

use std::collections::{BTreeMap, BTreeSet};

use seamstress_oracle::{FaultFamily, ProtocolState, StreamState, VerdictReason};

use crate::table;
use crate::tally::Tally;
use crate::wrap::wrap;

/// The width of the lists of what was never seen.
const COLUMNS: usize = 100;

/// How many states were seen of all there are, and when the last new one was.
pub(crate) fn total(tally: &Tally, is_table_next: bool) -> String {
    let (seen, possible) = (tally.states().len(), ProtocolState::POSSIBLE);
    let last = tally.last_new_state();
    let last = last.map_or(String::new(), |seed| format!("; the last new one at seed {seed}"));
    let way = if is_table_next { "" } else { " (--coverage shows which)" };
    format!("\n  states    {seen} of {possible} seen{last}{way}\n")
}

/// In how many states the streams were, by what was said and what was at work, and what was never
/// seen.
pub(crate) fn table(tally: &Tally) -> String {
    let seen = Seen::of(tally);
    let states = StreamState::ALL.len();
    let mut text = String::new();
    if !seen.reasons.is_empty() {
        let mut header = vec![format!("of {states} stream states")];
        header.extend(seen.families.iter().map(|family| family.name().to_owned()));
        let mut rows = vec![header];
        rows.extend(seen.reasons.iter().map(|reason| seen.row(*reason)));
        let right: Vec<usize> = (1..=seen.families.len()).collect();
        text.push_str(&format!("\n{}", table::aligned(&rows, &right, 2)));
    }
    let never = [
        ("answers", never(VerdictReason::ALL, &seen.reasons, VerdictReason::name)),
        ("stream states", never(StreamState::ALL, &seen.streams, StreamState::name)),
        ("faults at work", never(FaultFamily::ALL, &seen.families, FaultFamily::name)),
    ];
    let mut heading = "\n  never seen\n";
    for (what, names) in never.iter().filter(|(_, names)| !names.is_empty()) {
        text.push_str(std::mem::take(&mut heading));
        let line = format!("    {what}: {}", names.join(", "));
        text.extend(wrap(&line, COLUMNS, 6).into_iter().map(|line| format!("{line}\n")));
    }
    text
}

/// The parts of all states that were seen, and how many states share two of them.
#[derive(Default)]
struct Seen {
    streams: BTreeSet<StreamState>,
    families: BTreeSet<FaultFamily>,
    reasons: BTreeSet<VerdictReason>,
    cells: BTreeMap<(VerdictReason, FaultFamily), u64>,
}

impl Seen {
    fn of(tally: &Tally) -> Seen {
        let mut seen = Seen::default();
        for ProtocolState { stream, fault, reason } in tally.states().keys() {
            seen.streams.insert(*stream);
            seen.families.insert(*fault);
            seen.reasons.insert(*reason);
            *seen.cells.entry((*reason, *fault)).or_default() += 1;
        }
        seen
    }

    fn row(&self, reason: VerdictReason) -> Vec<String> {
        let cell = |family: &FaultFamily| {
            self.cells.get(&(reason, *family)).map_or("-".to_owned(), u64::to_string)
        };
        let name = reason.name().to_owned();
        std::iter::once(name).chain(self.families.iter().map(cell)).collect()
    }
}

/// The names of those that are not among what was seen.
fn never<T: Copy + Ord>(
    all: &[T],
    seen: &BTreeSet<T>,
    name: impl Fn(T) -> &'static str,
) -> Vec<&'static str> {
    all.iter().filter(|one| !seen.contains(one)).map(|one| name(*one)).collect()
}

#[cfg(test)]
mod tests;
