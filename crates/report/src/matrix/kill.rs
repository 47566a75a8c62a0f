//! Which oracles see each planted defect, and after how many seeds.
//!
//! Owns what is kept of a hunt, its medians, and the table in which it is told. It must not know
//! how the seeds were played.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use seamstress_oracle::Oracle;
use seamstress_plan::{Role, Trio};

use super::{Control, PlantedDefect, markdown, names};
use crate::style::{Style, Tone};
use crate::words::count;
use crate::{options, table};

/// Oracles that a row names; the others are counted.
const ORACLES_MAX: usize = 3;
const HEADER: [&str; 8] =
    ["role", "defect", "against", "first kill", "median", "worst", "share", "seen by"];
/// The columns of numbers.
const RIGHT: [usize; 3] = [4, 5, 6];

/// A defect and how it was seen; nothing if nobody saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kill {
    /// Which.
    pub defect: PlantedDefect,
    /// Where it is seen soonest.
    pub killed: Option<Killed>,
}

/// How a defect was seen in one scenario. A seed kills if any oracle finds anything in its run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Killed {
    /// The scenario.
    pub scenario: String,
    /// The server in front of which a client was played, where that is not the reference.
    pub against: Option<&'static str>,
    /// How many seeds the first range has; all of them were played.
    pub seeds: u64,
    /// How many of those kill.
    pub seeds_that_kill: u64,
    /// Each oracle with the number of those that it saw something in; the most frequent first.
    pub oracles: Vec<(Oracle, u64)>,
    /// For each range how many seeds were played up to the first that kills, that one included;
    /// nothing if none in it does.
    pub ranges: Vec<Option<u64>>,
}

impl Killed {
    /// From what was seen in each seed of the first range. `None` if that is nothing.
    #[must_use]
    pub fn of_first_range(
        scenario: &str,
        against: Option<&'static str>,
        seen: &[BTreeSet<Oracle>],
    ) -> Option<Killed> {
        let first = seen.iter().position(|oracles| !oracles.is_empty())?;
        let mut seeds_of: BTreeMap<Oracle, u64> = BTreeMap::new();
        for oracle in seen.iter().flatten() {
            *seeds_of.entry(*oracle).or_insert(0) += 1;
        }
        let mut oracles: Vec<(Oracle, u64)> = seeds_of.into_iter().collect();
        oracles.sort_by_key(|(oracle, seeds)| (Reverse(*seeds), *oracle));
        Some(Killed {
            scenario: scenario.to_owned(),
            against,
            seeds: seen.len() as u64,
            seeds_that_kill: seen.iter().filter(|oracles| !oracles.is_empty()).count() as u64,
            oracles,
            ranges: vec![Some(first as u64 + 1)],
        })
    }

    /// The first seed that kills.
    #[must_use]
    pub fn first_seed(&self) -> u64 {
        // The first range begins at 0 and has a kill.
        self.ranges.first().copied().flatten().map_or(0, |seeds| seeds - 1)
    }

    /// The median of the seeds to the first kill; of two middle ones the greater. Nothing if the
    /// middle range has no kill.
    #[must_use]
    pub fn median(&self) -> Option<u64> {
        median(&self.ranges)
    }

    /// The most seeds that a range took; nothing if one has no kill.
    #[must_use]
    pub fn most(&self) -> Option<u64> {
        let mut ranges = self.ranges.iter();
        ranges.try_fold(0, |most, seeds| seeds.map(|seeds| seeds.max(most)))
    }
}

/// A number of seeds that was not enough is greater than any that was.
fn median(seeds: &[Option<u64>]) -> Option<u64> {
    let mut sorted: Vec<u64> = seeds.iter().map(|seeds| seeds.unwrap_or(u64::MAX)).collect();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().filter(|seeds| *seeds < u64::MAX)
}

/// All defects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KillMatrix {
    /// A row each.
    pub kills: Vec<Kill>,
    /// How many ranges of seeds were played up to their first kill.
    pub ranges: u64,
    /// How many seeds a range has. Range `r` begins at `r` times this.
    pub seeds_per_range: u64,
    /// The server in front of which a client's defect was played if nothing saw it in front of a
    /// sound one.
    pub server_rule_off: &'static str,
    /// What the reference trio showed, if it came to that.
    pub control: Option<Control>,
}

impl KillMatrix {
    /// The verb, which names the block in a page too.
    pub const NAME: &str = "matrix kill";

    /// The defects that nobody saw.
    #[must_use]
    pub fn not_killed(&self) -> Vec<PlantedDefect> {
        let kills = self.kills.iter().filter(|kill| kill.killed.is_none());
        kills.map(|kill| kill.defect).collect()
    }

    /// Seeds to the first kill of the defect in the middle of all; of two the greater. Nothing if
    /// there is no defect, or nobody saw that one.
    #[must_use]
    pub fn median(&self) -> Option<u64> {
        median(&self.medians())
    }

    /// Seeds to the first kill of the defect that takes the most; nothing if one has no number.
    #[must_use]
    pub fn greatest_median(&self) -> Option<u64> {
        self.medians().into_iter().try_fold(0, |most, seeds| seeds.map(|seeds| seeds.max(most)))
    }

    fn medians(&self) -> Vec<Option<u64>> {
        self.kills.iter().map(|kill| kill.killed.as_ref().and_then(Killed::median)).collect()
    }

    /// The table for a terminal, with what it came to below.
    #[must_use]
    pub fn table(&self, style: Style) -> String {
        let header = HEADER.map(str::to_owned).to_vec();
        let rows: Vec<Vec<String>> =
            [header].into_iter().chain(self.kills.iter().map(|kill| self.row(kill))).collect();
        let mut text = table::aligned(&rows, &RIGHT, 0);
        let legend =
            self.legend().into_iter().map(|(term, meaning)| format!("{term}: {meaning}\n"));
        text.push_str(&format!("\n{}", legend.collect::<String>()));
        text.push_str(&self.look_at_one());
        text.push_str(&self.verdict(style));
        text
    }

    /// The same as a block of a page. `command` is the one that makes it.
    #[must_use]
    pub fn markdown(&self, command: &str) -> String {
        let code = |cell: &mut String| *cell = format!("`{cell}`");
        let rows = self.kills.iter().map(|kill| {
            let mut row = self.row(kill);
            code(&mut row[1]);
            if kill.killed.is_some() {
                code(&mut row[3]);
            }
            row
        });
        let table = markdown::pipe_table(&HEADER, &rows.collect::<Vec<_>>(), &RIGHT);
        let notes = markdown::notes(&self.legend(), &self.verdict(Style::default()));
        markdown::block(Self::NAME, &format!("Made by `{command}`.\n\n{table}\n{notes}"))
    }

    fn row(&self, kill: &Kill) -> Vec<String> {
        let PlantedDefect { role, name } = kill.defect;
        let mut row = vec![role.name().to_owned(), name.to_owned()];
        let Some(killed) = &kill.killed else {
            row.extend(["", "nobody saw it", "", "", "", ""].map(str::to_owned));
            return row;
        };
        row.extend([
            if killed.against.is_some() { "rule off" } else { "reference" }.to_owned(),
            format!("{}@{}", killed.scenario, killed.first_seed()),
            self.seeds(killed.median()),
            self.seeds(killed.most()),
            percent(killed.seeds_that_kill, killed.seeds),
            seen_by(&killed.oracles),
        ]);
        row
    }

    /// A number of seeds; `>200` if a range was not enough.
    fn seeds(&self, seeds: Option<u64>) -> String {
        seeds.map_or_else(|| format!(">{}", self.seeds_per_range), |seeds| seeds.to_string())
    }

    /// What the words in the table mean.
    fn legend(&self) -> Vec<(&'static str, String)> {
        let (ranges, seeds) = (count(self.ranges, "range"), count(self.seeds_per_range, "seed"));
        let measured =
            format!("seeds to the first kill, over {ranges} of {seeds}, where it comes soonest");
        let share = format!("of the seeds 0..{} that kill there", self.seeds_per_range);
        let seen_by = "the oracles that find anything, with the number of those seeds".to_owned();
        let mut legend = vec![("median, worst", measured), ("share", share), ("seen by", seen_by)];
        let mut killed = self.kills.iter().filter_map(|kill| kill.killed.as_ref());
        if killed.any(|killed| killed.against.is_some()) {
            let server = self.server_rule_off;
            let rule_off = format!(
                "a sound server hides it; these are escapes with --server {server} that the \
                 reference client does not let through"
            );
            legend.push(("rule off", rule_off));
        }
        legend
    }

    fn look_at_one(&self) -> String {
        let run = |kill: &Kill| {
            let killed = kill.killed.as_ref()?;
            let PlantedDefect { role, name } = kill.defect;
            let trio = Trio::default().with(role, &format!("reference:{name}"));
            let trio = match killed.against {
                Some(server) => trio.with(Role::Server, server),
                None => trio,
            };
            let arguments = options::trio_arguments(&trio);
            Some(format!("{}@{}{arguments}", killed.scenario, killed.first_seed()))
        };
        let run = self.kills.iter().find_map(run);
        run.map(|run| format!("look at one: seamstress explain {run}\n")).unwrap_or_default()
    }

    /// What it came to.
    fn verdict(&self, style: Style) -> String {
        let not_killed = self.not_killed();
        let (all, killed) = (self.kills.len(), self.kills.len() - not_killed.len());
        let mut text = format!("\n{killed} of {} killed", count(all as u64, "defect"));
        if all > 0 {
            let [median, hardest] =
                [self.median(), self.greatest_median()].map(|seeds| self.seeds(seeds));
            text.push_str(&format!(
                "; seeds to kill the median defect: {median}, the hardest: {hardest}"
            ));
        }
        text.push('\n');
        if !not_killed.is_empty() {
            let word = style.paint(Tone::Bad, "NOT KILLED");
            text.push_str(&format!("{word}  {}\n", names(&not_killed)));
        }
        match &self.control {
            Some(control) => {
                let tone = if control.failed == 0 { Tone::Good } else { Tone::Bad };
                let sentence = style.paint(tone, &control.sentence());
                text.push_str(&format!("the reference trio: {sentence}\n{}", control.lines()));
            }
            None => text.push_str("the reference trio was not played\n"),
        }
        text
    }
}

fn percent(part: u64, of: u64) -> String {
    match (part * 100 + of / 2) / of.max(1) {
        0 if part > 0 => "<1 %".to_owned(),
        percent => format!("{percent} %"),
    }
}

/// For example `skip 82, duplicate 40, stuck 3, 2 more`.
fn seen_by(oracles: &[(Oracle, u64)]) -> String {
    let named = oracles.iter().take(ORACLES_MAX);
    let mut parts: Vec<String> = named.map(|(oracle, seeds)| format!("{oracle} {seeds}")).collect();
    if oracles.len() > ORACLES_MAX {
        parts.push(format!("{} more", oracles.len() - ORACLES_MAX));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests;
