//! `seamstress shrink`: the smallest plan that shows the same key.
//!
//! Owns what is said while a plan is shrunk and after it, where the result is written, and the
//! same thing done by itself after a failing `sweep` or `run`. How a plan becomes smaller is in
//! `shrinking` and in the plan crate.

use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressDrawTarget};
use seamstress_oracle::Verdict;
use seamstress_plan::{Pass, Plan};
use seamstress_report::{
    MetKey, Shrinking, Style, failure_block_of_shrunk, main_finding, shrunk_block, shrunk_line,
};

use crate::args::{Format, ShrinkArguments};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::output::{Output, write_file};
use crate::playing::Played;
use crate::regressions::{self, file_name};
use crate::shrinking::{self, Limits, PANIC_KEY, Reduced, reduce};
use crate::target::{self, NamedPlan};
use crate::{interrupt, trio};

/// Carries out `shrink`.
///
/// # Errors
/// [`CommandError`] if it cannot begin, or the result cannot be written.
pub fn shrink(
    arguments: &ShrinkArguments,
    style: Style,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let named = target::plan(&arguments.target, &arguments.trio)?;
    trio::check(&named.plan.trio)?;
    interrupt::install();
    let played = Played::of(named.plan.clone())?;
    let is_human = arguments.format == Format::Human;
    if !is_human {
        let (plan, path) = (&named.plan, named.path.as_deref());
        let result = played.result();
        let line = seamstress_report::play_line(&plan.name, path, None, &result, None, None);
        output.text(&line)?;
    }
    let Some(key) = key(arguments, &played, &named)? else {
        if is_human {
            output.text(&format!("{} holds: there is nothing to shrink", named.plan.name))?;
        }
        return Ok(Exit::Holds);
    };
    if is_human {
        let (faults, operations) = (named.plan.faults.len(), named.plan.workload.len());
        output.text(&format!(
            "shrink {}   key {key}   {faults} faults, {operations} operations\n\n",
            named.typed
        ))?;
    }
    let limits = Limits { runs_max: arguments.runs, jobs: arguments.jobs.count() };
    let name = || file_name(&key, &named.plan.trio);
    let path = arguments.output.clone().unwrap_or_else(|| PathBuf::from(name()));
    let mut small = make_small(&named.plan, &key, limits, &path, &Watch::new(arguments.format))?;
    if let Some(folder) = &arguments.others {
        small.keep_others(folder)?;
    }
    output.text(&match arguments.format {
        Format::Human => small.story(&named.typed, style),
        Format::Json => small.lines(),
    })?;
    Ok(small.exit())
}

/// The key to shrink for: the one that was asked for, or that of the finding that is told. None if
/// the run holds.
fn key(
    arguments: &ShrinkArguments,
    played: &Played,
    named: &NamedPlan,
) -> Result<Option<String>, CommandError> {
    let keys = shrinking::keys(&played.judgement);
    match &arguments.key {
        Some(key) if keys.contains(key) => Ok(Some(key.clone())),
        Some(key) => Err(no_such_key(named, key, played)),
        None => Ok(told_key(played)),
    }
}

/// Why there is nothing to do with a key: this run does not show it.
pub fn no_such_key(named: &NamedPlan, key: &str, played: &Played) -> CommandError {
    let keys = shrinking::keys(&played.judgement);
    let way_out = match keys.is_empty() {
        true => "it holds".to_owned(),
        false => target::did_you_mean(key, keys),
    };
    CommandError::NoSuchKey { plan: named.typed.clone(), key: key.to_owned(), way_out }
}

/// The key of the finding by which a run is told, if it shows anything.
pub fn told_key(played: &Played) -> Option<String> {
    match (main_finding(&played.plan, &played.judgement), played.judgement.verdict) {
        (Some(finding), _) => Some(finding.key()),
        (None, Verdict::Error) => Some(PANIC_KEY.to_owned()),
        (None, _) => None,
    }
}

/// A failure made small and written down.
pub struct Small {
    reduced: Reduced,
    path: String,
    is_confirmed: bool,
    met: Vec<MetKey>,
}

/// Shrinks a plan, writes the result, and plays it once more in a fresh process.
///
/// # Errors
/// [`CommandError`] if plans cannot be played or the result cannot be written.
pub fn make_small(
    plan: &Plan,
    key: &str,
    limits: Limits,
    path: &Path,
    watch: &Watch,
) -> Result<Small, CommandError> {
    let told = |pass: Pass, best: &Plan, runs: u64| watch.tell(pass, best, runs);
    let mut reduced = reduce(plan, key, limits, &|plan| Played::of(plan), &told)?;
    watch.finish();
    let mut is_confirmed = false;
    if reduced.is_stable() {
        write_file(path, reduced.played.plan.to_json().as_bytes())?;
        is_confirmed = shrinking::is_same_in_a_fresh_process(path, &reduced.played)?;
        if !is_confirmed {
            reduced.stop = "unstable";
        }
    }
    let met = |(key, (count, _)): (&String, &(u64, Plan))| MetKey {
        key: key.clone(),
        count: *count,
        path: None,
    };
    let met = reduced.met.iter().map(met).collect();
    Ok(Small { reduced, path: path.display().to_string(), is_confirmed, met })
}

impl Small {
    /// Writes the smallest plan of each other key into a folder.
    fn keep_others(&mut self, folder: &Path) -> Result<(), CommandError> {
        for met in &mut self.met {
            let Some((_, plan)) = self.reduced.met.get(&met.key) else { continue };
            let path = regressions::write(folder, &file_name(&met.key, &plan.trio), plan)?;
            met.path = Some(path.display().to_string());
        }
        Ok(())
    }

    fn as_shrinking(&self) -> Shrinking<'_> {
        let Reduced { key, from, played, runs, stop, .. } = &self.reduced;
        Shrinking {
            key,
            from,
            to: &played.plan,
            runs: *runs,
            stop,
            is_confirmed: self.is_confirmed,
            path: &self.path,
            met: &self.met,
        }
    }

    /// Whether the same plan always gave the same trace.
    pub fn is_stable(&self) -> bool {
        self.reduced.is_stable()
    }

    /// The story of the small failure, and how it was found. `typed` is how commands name the run
    /// that it comes from.
    pub fn story(&self, typed: &str, style: Style) -> String {
        let played = &self.reduced.played;
        let target = trio::shell_word(&self.path);
        let mut text = String::new();
        if self.is_stable() {
            text = failure_block_of_shrunk(&played.as_play(), &target, typed, style);
        }
        text.push_str(&self.block());
        text
    }

    /// How it was found, and where it is.
    pub fn block(&self) -> String {
        shrunk_block(&self.as_shrinking())
    }

    /// The same for programs: the run, then how it was found.
    fn lines(&self) -> String {
        let played = &self.reduced.played;
        let (name, path, result) = (&played.plan.name, Some(&*self.path), played.result());
        let play = seamstress_report::play_line(name, path, None, &result, None, None);
        format!("{play}\n{}", self.line())
    }

    /// The line for programs that says how it was found.
    pub fn line(&self) -> String {
        shrunk_line(&self.as_shrinking())
    }

    fn exit(&self) -> Exit {
        match self.reduced.stop {
            "unstable" => Exit::NotReproducible,
            "interrupted" => Exit::Interrupted,
            _ => Exit::of_verdict(self.reduced.played.judgement.verdict),
        }
    }
}

/// What is shown while a plan gets smaller.
pub struct Watch {
    /// A line on a terminal that is drawn anew.
    line: Option<ProgressBar>,
}

impl Watch {
    /// A line on standard error if a person sits there.
    pub fn new(format: Format) -> Watch {
        let is_seen = format == Format::Human && io::stderr().is_terminal();
        let line = || ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        Watch { line: is_seen.then(line) }
    }

    fn tell(&self, pass: Pass, best: &Plan, runs: u64) {
        if let Some(line) = &self.line {
            let (faults, operations) = (best.faults.len(), best.workload.len());
            line.set_message(format!(
                "shrinking {}: {faults} faults, {operations} operations after {runs} runs",
                pass.name()
            ));
            line.tick();
        }
    }

    fn finish(&self) {
        if let Some(line) = &self.line {
            line.finish_and_clear();
        }
    }
}

/// Whether and how failures are made small by themselves.
#[derive(Clone, Debug)]
pub struct ByItself {
    /// Candidates for each failure at most.
    pub limits: Limits,
    /// Where the plans stay, if they were asked for.
    pub save: Option<PathBuf>,
    /// For whom standard output is written.
    pub format: Format,
}

impl ByItself {
    /// What the options of `sweep` and `run` ask for; none for `--no-shrink`.
    pub fn of(
        arguments: &crate::args::SmallArguments,
        jobs: NonZeroUsize,
        format: Format,
    ) -> Option<ByItself> {
        let limits = Limits { runs_max: arguments.shrink_runs, jobs };
        let save = arguments.save.clone();
        (!arguments.no_shrink).then_some(ByItself { limits, save, format })
    }

    /// Whether the plans stay.
    pub fn is_saving(&self) -> bool {
        self.save.is_some()
    }

    /// Makes a failure small, unless it is kept already.
    ///
    /// # Errors
    /// As [`make_small`].
    pub fn make(&self, plan: &Plan, key: &str) -> Result<Made, CommandError> {
        let name = file_name(key, &plan.trio);
        let folder = self.save.clone().unwrap_or_else(regressions::passing_folder);
        let path = folder.join(&name);
        if self.save.is_some() && path.exists() {
            return Ok(Made::Known(path.display().to_string()));
        }
        std::fs::create_dir_all(&folder).map_err(|problem| CommandError::Unwritable {
            path: folder.display().to_string(),
            problem,
        })?;
        let watch = Watch::new(self.format);
        make_small(plan, key, self.limits, &path, &watch).map(|small| Made::New(Box::new(small)))
    }
}

/// What came of making a failure small by itself.
pub enum Made {
    /// It was.
    New(Box<Small>),
    /// This file keeps it already.
    Known(String),
}

/// Says that a failure is kept already.
pub fn known_line(path: &str) -> String {
    format!("known     {path} keeps this finding already")
}
