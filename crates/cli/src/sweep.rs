//! `seamstress sweep`: one scenario, many seeds.
//!
//! Owns what a sweep says and when, and its exit code. Seeds are played in parallel and taken in
//! order, so that the output is the same for any number of jobs; nothing of a run is kept but its
//! small result.

use std::ops::ControlFlow;

use seamstress_oracle::Finding;
use seamstress_plan::{ExpectedCell, Trio};
use seamstress_report::{SeedResult, Style, Tally, Unseen};
use seamstress_sim::PlayError;

use crate::args::{Format, SweepArguments};
use crate::coverage::{Quiet, missing_cells, silent_actions, why_nothing_is_proven};
use crate::error::{CommandError, Ended};
use crate::exit::Exit;
use crate::failures::{Failures, NewKeys, SecondRun, Teller, Told, not_reproducible};
use crate::output::{Output, say};
use crate::playing::Played;
use crate::pool::{self, Panic};
use crate::progress::Progress;
use crate::seeds::SeedRange;
use crate::shrink::ByItself;
use crate::target::{self, NamedScenario};
use crate::{interrupt, system, trio};

/// How many seeds are played when nobody says.
const SEEDS: SeedRange = SeedRange { from: 0, until: 1_000 };

/// Carries out `sweep`.
///
/// # Errors
/// [`CommandError`] if it cannot begin, or cannot go on.
pub fn sweep(
    arguments: &SweepArguments,
    style: Style,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let scenario = target::scenario(&arguments.scenario)?;
    let trio = trio::choose(&arguments.trio, &Trio::default());
    trio::check(&trio)?;
    let seeds = arguments.seeds.unwrap_or_else(|| match arguments.until_quiet {
        Some(_) => SeedRange::ENDLESS,
        None => usual_seeds(&scenario),
    });
    let jobs = arguments.jobs.count();
    interrupt::install();
    output.text(&match arguments.format {
        Format::Human => {
            let Trio { server, proxy, client } = &trio;
            let name = &scenario.typed;
            format!(
                "sweep {name}   seeds {seeds}   server {server}   proxy {proxy}   client {client}   \
                 jobs {jobs}"
            )
        }
        Format::Json => seamstress_report::sweep_started(
            &scenario.name,
            &trio,
            (seeds.from, seeds.end()),
            env!("CARGO_PKG_VERSION"),
        ),
    })?;
    let mut sweep = Sweep {
        scenario: &scenario,
        trio: &trio,
        seeds,
        format: arguments.format,
        teller: Teller { style, small: ByItself::of(&arguments.small, jobs, arguments.format) },
        fail_fast: arguments.fail_fast,
        with_coverage: arguments.coverage,
        quiet: arguments.until_quiet.map(Quiet::of),
        output,
        progress: match seeds.end() {
            Some(_) => Progress::towards(seeds.count(), arguments.format),
            None => Progress::without_end(arguments.format),
        },
        tally: Tally::default(),
        failures: match arguments.small.save {
            Some(_) => Failures::all_of_them(),
            None => Failures::default(),
        },
        exit: Exit::Holds,
        ended_by: None,
    };
    let work = |number| -> Result<SeedResult, PlayError> {
        Ok(Played::of(scenario.plan(seeds.from + number, &trio))?.result())
    };
    let each = |number, done| sweep.take(seeds.from + number, done);
    pool::in_order(jobs, seeds.count(), interrupt::is_requested, work, each)
        .map_err(|problem| CommandError::NoThread { problem })?;
    sweep.end()
}

fn usual_seeds(scenario: &NamedScenario) -> SeedRange {
    if scenario.is_written() {
        SeedRange { from: 0, until: scenario.scenario.seeds }
    } else {
        SEEDS
    }
}

struct Sweep<'a> {
    scenario: &'a NamedScenario,
    trio: &'a Trio,
    seeds: SeedRange,
    format: Format,
    teller: Teller,
    fail_fast: bool,
    with_coverage: bool,
    quiet: Option<Quiet>,
    output: &'a mut Output,
    progress: Progress,
    tally: Tally,
    failures: Failures,
    exit: Exit,
    ended_by: Option<Ended>,
}

impl Sweep<'_> {
    /// Takes the result of the next seed.
    fn take(
        &mut self,
        seed: u64,
        done: Result<Result<SeedResult, PlayError>, Panic>,
    ) -> ControlFlow<()> {
        let taken = match done {
            Ok(Ok(result)) => self.add(&result),
            Ok(Err(problem)) => Err(problem.into()),
            Err(Panic(message)) => Err(CommandError::Panicked {
                plan: format!("{}@{seed}", self.scenario.name),
                message,
            }),
        };
        Ended::note(taken, &mut self.ended_by)
    }

    fn add(&mut self, result: &SeedResult) -> Result<ControlFlow<()>, CommandError> {
        self.tally.add(result.seed, result);
        self.progress.advance();
        if let Some(quiet) = &mut self.quiet {
            quiet.note(&self.tally);
        }
        let exit = Exit::of_verdict(result.verdict);
        self.exit = self.exit.max(exit);
        if self.format == Format::Json {
            self.output.text(&seamstress_report::seed_line(result))?;
        }
        let keys = result.findings.iter().map(|finding| &finding.key);
        if let Some(new) = self.failures.note_new(0, result.verdict, keys) {
            self.tell(result, &new)?;
        }
        let is_enough = self.output.is_closed()
            || self.exit == Exit::NotReproducible
            || self.quiet_seeds().is_some()
            || (self.fail_fast && exit != Exit::Holds);
        Ok(if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    fn tell(&mut self, result: &SeedResult, new: &NewKeys) -> Result<(), CommandError> {
        let typed = self.scenario.typed_run(result.seed, self.trio);
        let plan = self.scenario.plan(result.seed, self.trio);
        let name = plan.name.clone();
        let is_failure = |found: &Finding| new.are_of(found);
        match self.teller.play_again(plan, &result.digest, &typed, is_failure)? {
            SecondRun::Same(Told { block, lines }) => {
                let output = &mut *self.output;
                match self.format {
                    Format::Human => {
                        self.progress.aside(|| output.text(&format!("\n{block}")))?;
                    }
                    Format::Json => lines.iter().try_for_each(|line| output.text(line))?,
                }
            }
            SecondRun::Different { first, second } => {
                self.exit = Exit::NotReproducible;
                let line = not_reproducible(&name, &typed, &first, &second);
                self.progress.aside(|| say(&line));
            }
        }
        Ok(())
    }

    /// How many seeds in a row have brought no new protocol state, if that ends the sweep.
    fn quiet_seeds(&self) -> Option<u64> {
        self.quiet.and_then(Quiet::reached)
    }

    /// The summary, and the exit code.
    fn end(self) -> Result<Exit, CommandError> {
        let quiet_seeds = self.quiet_seeds();
        let is_cut_short = quiet_seeds.is_none() && self.tally.seeds() < self.seeds.count();
        let is_interrupted = interrupt::is_requested() && is_cut_short;
        let is_whole = !is_interrupted && (self.ended_by.is_none() || quiet_seeds.is_some());
        let unseen = Unseen {
            families: self.tally.never_fired(&self.scenario.families()),
            actions: silent_actions(&self.tally, &self.scenario.scenario),
            cells: if is_whole { self.missing_cells() } else { Vec::new() },
        };
        let cpu_seconds = system::cpu_seconds();
        self.progress.finish();
        self.output.text(&match self.format {
            Format::Human => {
                let summary = seamstress_report::sweep_summary(
                    &trio::shell_word(&self.scenario.typed),
                    self.trio,
                    &self.tally,
                    &unseen,
                    self.with_coverage,
                    cpu_seconds,
                    self.teller.style,
                );
                let quiet = quiet_seeds.map_or(String::new(), |seeds| {
                    format!("ended after {seeds} seeds in a row without a new protocol state\n")
                });
                format!("\n{summary}{quiet}")
            }
            Format::Json => seamstress_report::summary_line(
                &self.tally,
                &unseen.families,
                cpu_seconds,
                is_interrupted,
                quiet_seeds,
            ),
        })?;
        if let Some(Ended::Problem(problem)) = self.ended_by {
            return Err(problem);
        }
        if is_interrupted {
            let of_all = self.seeds.end().map(|_| format!(" of {}", self.seeds.count()));
            let of_all = of_all.unwrap_or_default();
            say(&format!("interrupted: {}{of_all} seeds", self.tally.seeds()));
            return Ok(Exit::Interrupted);
        }
        if !is_whole {
            return Ok(self.exit);
        }
        let is_drawn = !self.scenario.is_written();
        let Unseen { families, cells, .. } = &unseen;
        let reasons = why_nothing_is_proven(self.tally.seeds(), is_drawn, families, cells);
        for reason in &reasons {
            say(reason);
        }
        let proven = if reasons.is_empty() { Exit::Holds } else { Exit::NothingRan };
        Ok(self.exit.max(proven))
    }

    fn missing_cells(&self) -> Vec<ExpectedCell> {
        missing_cells(&self.tally, &self.scenario.scenario.expectation, self.trio)
    }
}
