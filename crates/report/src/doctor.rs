//! What a comparison of many runs with themselves came to, for people.
//!
//! Owns the block of a seed whose runs part, and the summary: how much was compared, and what was
//! different around it. It must not say anything about findings unless everything was the same:
//! what a judge says of runs that are not reproducible means nothing.

use crate::divergence::Divergence;
use crate::style::{Style, Tone};
use crate::words::count;
use crate::wrap::wrap;

/// Characters of a line.
const LINE_CHARACTERS_MAX: usize = 98;
/// Where the text of the summary begins.
const INDENT: usize = 11;

/// Another process in which seeds were played, and what was different around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherProcess {
    /// The seeds that it played in this order, half open.
    pub seeds: (u64, u64),
    /// How many runs it played at once; none if it played a single one.
    pub jobs: Option<u64>,
    /// Its working directory.
    pub folder: String,
    /// The variables that were other than here, as in `TZ=Asia/Kathmandu` or `no HOME`.
    pub environment: Vec<String>,
}

/// Where two runs of a seed were played.
#[derive(Clone, Copy, Debug)]
pub enum Stage<'a> {
    /// Each in a fresh thread of this process.
    Threads,
    /// One here and one there.
    Process(&'a OtherProcess),
}

/// A seed whose runs part.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The name of the plan.
    pub plan: &'a str,
    /// The seed.
    pub seed: u64,
    /// Where the two were played.
    pub stage: Stage<'a>,
    /// Where they part.
    pub divergence: &'a Divergence,
    /// What else is known.
    pub note: Option<&'a str>,
    /// The command that shows it again.
    pub again: &'a str,
}

/// What the whole comparison came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkup {
    /// Seeds whose runs in two threads were compared.
    pub seeds: u64,
    /// Records that were the same in both.
    pub records: u64,
    /// Seeds that part in two threads.
    pub parted_in_threads: u64,
    /// The other processes; none if runs part without them.
    pub processes: Vec<OtherProcess>,
    /// Runs of other processes that were compared with those here.
    pub runs_in_processes: u64,
    /// Those of them that part.
    pub parted_in_processes: u64,
    /// Seeds with findings.
    pub with_findings: u64,
}

impl Checkup {
    /// Whether all that was compared was the same.
    #[must_use]
    pub const fn is_reproducible(&self) -> bool {
        self.parted_in_threads == 0 && self.parted_in_processes == 0
    }
}

impl OtherProcess {
    /// What it played and where, in words.
    fn played(&self) -> String {
        let (from, until) = self.seeds;
        let jobs = self.jobs.map(|jobs| format!(", {} at once", count(jobs, "run")));
        format!("seeds {from}..{until}{}, in {}", jobs.unwrap_or_default(), self.folder)
    }

    /// The variables, on as many lines as they take.
    fn variables(&self, indent: usize) -> String {
        let text = format!("{:indent$}{}", "", self.environment.join(", "));
        wrap(&text, LINE_CHARACTERS_MAX, indent).join("\n") + "\n"
    }
}

/// A seed whose runs part: where they were played, the place, both sides, what to type.
#[must_use]
pub fn found_block(found: &Found, style: Style) -> String {
    let Found { plan, stage, divergence, note, again, .. } = found;
    let (played, names) = match stage {
        Stage::Threads => {
            ("in two fresh threads of this process\n".to_owned(), ["first", "second"])
        }
        Stage::Process(process) => {
            let (played, variables) = (process.played(), process.variables(2));
            (format!("here and in another process: {played}\n{variables}"), ["here", "there"])
        }
    };
    let text = divergence.text(names);
    let text = match text.split_once(':') {
        Some((word, rest)) => format!("{}:{rest}", style.paint(Tone::Bad, word)),
        None => text,
    };
    let note = note.map(|note| format!("note      {note}\n")).unwrap_or_default();
    format!("{plan}   {played}{text}\n{note}again     {again}\n")
}

/// The last words. `findings` is the command that shows them, `is_whole` whether everything was
/// compared that should be.
#[must_use]
pub fn checkup_summary(checkup: &Checkup, is_whole: bool, findings: &str, style: Style) -> String {
    let Checkup { seeds, records, parted_in_threads, .. } = *checkup;
    let came = same_or_not(parted_in_threads, seeds, "seed");
    let records = count(records, "record");
    let seeds = count(seeds, "seed");
    let mut text =
        format!("threads    {seeds} twice in fresh threads: {came}, {records} compared\n");
    text += &processes(checkup);
    if !checkup.is_reproducible() {
        let word = style.paint(Tone::Bad, "not deterministic");
        return text + &format!("\n{word}: what is found in such runs means nothing\n");
    }
    if !is_whole {
        let word = style.paint(Tone::Doubtful, "unfinished");
        return text + &format!("\n{word}: what was compared was the same\n");
    }
    if checkup.with_findings > 0 {
        let with = count(checkup.with_findings, "seed");
        text += &format!("findings   in {with}, which is no matter here: {findings}\n");
    }
    let word = style.paint(Tone::Good, "deterministic");
    text + &format!("\n{word}: the same seed gave the same bytes, verdicts and stories\n")
}

fn processes(checkup: &Checkup) -> String {
    if checkup.processes.is_empty() {
        return match checkup.parted_in_threads {
            0 => String::new(),
            _ => "processes  not asked, since runs part within one\n".to_owned(),
        };
    }
    let runs = count(checkup.runs_in_processes, "more run");
    let others = checkup.processes.len();
    let came = same_or_not(checkup.parted_in_processes, checkup.runs_in_processes, "run");
    let mut text = format!("processes  {runs} in {others} others: {came}\n");
    let mut before: &[String] = &[];
    for process in &checkup.processes {
        text += &format!("{:INDENT$}{}\n", "", process.played());
        if process.environment != before {
            text += &process.variables(INDENT + 2);
        }
        before = &process.environment;
    }
    text
}

fn same_or_not(parted: u64, all: u64, noun: &str) -> String {
    match (parted, all) {
        (_, 0) => "nothing to compare".to_owned(),
        (0, _) => "all the same".to_owned(),
        _ => format!("{parted} of {} part", count(all, noun)),
    }
}

#[cfg(test)]
mod tests;
