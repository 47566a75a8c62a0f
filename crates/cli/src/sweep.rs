//! `seamstress sweep`: one scenario, many seeds.
//!
//! Owns what a sweep says and when, and its exit code. Seeds are played in parallel and taken in
//! order, so that the output is the same for any number of jobs; nothing of a run is kept but its
//! small result. One that ends early, by time or by a signal, has done a range without a hole, and
//! so can be gone on with.

mod end;
mod found;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use seamstress_oracle::Finding;
use seamstress_plan::Trio;
use seamstress_report::{KeptResults, SeedResult, Style, SweepStart};
use seamstress_sim::PlayError;

use self::found::Found;
use crate::args::{Format, LongArguments, SweepArguments};
use crate::budget::{Countdown, TimeBudget};
use crate::error::{CommandError, Ended};
use crate::exit::Exit;
use crate::failures::{NewKeys, SecondRun, Teller, Told, not_reproducible};
use crate::output::{Output, say};
use crate::playing::Played;
use crate::pool::{self, Panic};
use crate::progress::Progress;
use crate::results::Results;
use crate::seeds::SeedRange;
use crate::shrink::ByItself;
use crate::target::{self, NamedScenario};
use crate::{interrupt, trio};

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
    let long = &arguments.long;
    let countdown = long.time.map(TimeBudget::begin);
    let scenario = target::scenario(&arguments.scenario)?;
    let seeds = arguments.seeds.unwrap_or_else(|| usual_seeds(&scenario, long));
    if seeds.end().is_none() && countdown.is_none() && long.until_quiet.is_none() {
        return Err(CommandError::NoEnd { from: seeds.from });
    }
    let trio = trio::choose(&arguments.trio, &Trio::default());
    trio::check(&trio)?;
    let jobs = arguments.jobs.count();
    let mut found = Found::nothing(arguments);
    let results = found.open_results(long, &scenario, &trio, seeds)?;
    let mut sweep = Sweep {
        scenario: &scenario,
        trio: &trio,
        seeds,
        countdown,
        format: arguments.format,
        teller: Teller { style, small: ByItself::of(&arguments.small, jobs, arguments.format) },
        with_coverage: arguments.coverage,
        output,
        progress: Progress::Silent,
        results,
        seeds_known: found.tally.seeds(),
        ended_by: found.is_enough().then_some(Ended::Enough),
        found,
    };
    interrupt::install();
    sweep.begin(jobs)?;
    sweep.play(jobs)?;
    sweep.end()
}

fn usual_seeds(scenario: &NamedScenario, long: &LongArguments) -> SeedRange {
    if long.until_quiet.is_some() {
        SeedRange::without_end(0)
    } else if scenario.is_written() {
        SeedRange { from: 0, until: scenario.scenario.seeds }
    } else if long.time.is_some() {
        SeedRange::without_end(0)
    } else {
        SEEDS
    }
}

struct Sweep<'a> {
    scenario: &'a NamedScenario,
    trio: &'a Trio,
    seeds: SeedRange,
    countdown: Option<Countdown>,
    format: Format,
    teller: Teller,
    with_coverage: bool,
    output: &'a mut Output,
    progress: Progress,
    results: Option<Results>,
    /// How many seeds were done before this sweep.
    seeds_known: u64,
    found: Found,
    ended_by: Option<Ended>,
}

impl Sweep<'_> {
    /// Says what is about to be played.
    fn begin(&mut self, jobs: NonZeroUsize) -> Result<(), CommandError> {
        let text = match self.format {
            Format::Human => self.head(jobs),
            Format::Json => {
                let results = self.results.as_ref();
                seamstress_report::sweep_started(&SweepStart {
                    scenario: &self.scenario.name,
                    trio: self.trio,
                    seeds: (self.seeds.from, self.seeds.end()),
                    version: env!("CARGO_PKG_VERSION"),
                    time_ms: self.countdown.map(|countdown| countdown.budget.ms()),
                    results: results
                        .map(|results| KeptResults { path: results.path(), seeds: self.done() }),
                })
            }
        };
        self.output.text(&text)
    }

    fn head(&self, jobs: NonZeroUsize) -> String {
        let Trio { server, proxy, client } = self.trio;
        let (name, seeds) = (&self.scenario.typed, self.seeds);
        let time = self.countdown.map(|countdown| format!("   time {}", countdown.budget));
        let time = time.unwrap_or_default();
        let mut head = format!(
            "sweep {name}   seeds {seeds}{time}   server {server}   proxy {proxy}   \
             client {client}   jobs {jobs}"
        );
        if let Some(results) = &self.results {
            head.push_str(&format!("\nresults {}", results.path()));
            if self.seeds_known > 0 {
                let (from, until) = self.done();
                head.push_str(&format!("   seeds {from}..{until} are in it and not played again"));
            }
        }
        head
    }

    /// The seeds that are done: from the first, up to and without the second.
    fn done(&self) -> (u64, u64) {
        (self.seeds.from, self.seeds.from + self.found.tally.seeds())
    }

    /// Plays the seeds that are not done.
    fn play(&mut self, jobs: NonZeroUsize) -> Result<(), CommandError> {
        if self.ended_by.is_some() {
            return Ok(());
        }
        let (scenario, trio, countdown) = (self.scenario, self.trio, self.countdown);
        let left = SeedRange { from: self.done().1, until: self.seeds.until };
        let total = self.seeds.end().map(|_| left.count());
        self.progress = Progress::until(total, countdown, self.format);
        let work = |number| -> Result<SeedResult, PlayError> {
            Ok(Played::of(scenario.plan(left.from + number, trio))?.result())
        };
        let each = |number, done| self.take(left.from + number, done);
        let is_stopped = || interrupt::is_requested() || countdown.is_some_and(Countdown::is_up);
        pool::in_order(jobs, left.count(), is_stopped, work, each)
            .map_err(|problem| CommandError::NoThread { problem })
    }

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
        let new = self.found.add(result);
        self.progress.advance();
        if self.format == Format::Json {
            self.output.text(&seamstress_report::seed_line(result))?;
        }
        if let Some(new) = new {
            self.tell(result, &new)?;
        }
        // Kept once it is told, so that nothing is kept that nobody was told of; and never if it is
        // not reproducible, so that whoever goes on from there finds out as well.
        if let Some(results) = &mut self.results
            && self.found.exit != Exit::NotReproducible
        {
            results.add(result)?;
        }
        let is_enough = self.output.is_closed() || self.found.is_enough();
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
                self.found.exit = Exit::NotReproducible;
                let line = not_reproducible(&name, &typed, &first, &second);
                self.progress.aside(|| say(&line));
            }
        }
        Ok(())
    }
}
