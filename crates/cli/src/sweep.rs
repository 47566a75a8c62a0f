//! `seamstress sweep`: one scenario, many seeds.
//!
//! Owns what a sweep says and when, and its exit code. Seeds are played in parallel and taken in
//! order, so that the output is the same for any number of jobs; nothing of a run is kept but its
//! small result. One that ends early, by time or by a signal, has done a range without a hole, and
//! so can be gone on with.

mod found;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use seamstress_plan::{ExpectedCell, Family, Trio};
use seamstress_report::{KeptResults, SeedResult, Style, SweepEnd, SweepStart};
use seamstress_sim::PlayError;

use self::found::Found;
use crate::args::{Format, SweepArguments};
use crate::budget::{Countdown, TimeBudget};
use crate::coverage::{missing_cells, why_nothing_is_proven};
use crate::error::{CommandError, Ended};
use crate::exit::Exit;
use crate::failures::{NewKeys, SecondRun, not_reproducible, play_again};
use crate::output::{Output, say};
use crate::playing::Played;
use crate::pool::{self, Panic};
use crate::progress::Progress;
use crate::results::Results;
use crate::seeds::{SeedRange, SweepSeeds};
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
    let countdown = arguments.long.time.map(TimeBudget::begin);
    let scenario = target::scenario(&arguments.scenario)?;
    let seeds = arguments.seeds.unwrap_or_else(|| usual_seeds(&scenario, countdown));
    if seeds.until.is_none() && countdown.is_none() {
        return Err(CommandError::NoEnd { from: seeds.from });
    }
    let trio = trio::choose(&arguments.trio, &Trio::default());
    trio::check(&trio)?;
    let jobs = arguments.jobs.count();
    let mut found = Found::new(arguments.fail_fast);
    let results = found.open_results(&arguments.long, &scenario, &trio, seeds.range())?;
    let mut sweep = Sweep {
        scenario: &scenario,
        trio: &trio,
        seeds,
        countdown,
        format: arguments.format,
        style,
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

fn usual_seeds(scenario: &NamedScenario, countdown: Option<Countdown>) -> SweepSeeds {
    if scenario.is_written() {
        SeedRange { from: 0, until: scenario.scenario.seeds }.into()
    } else if countdown.is_some() {
        SweepSeeds { from: 0, until: None }
    } else {
        SEEDS.into()
    }
}

/// Why no more seeds were played.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// All were.
    Whole,
    TimeUp,
    Interrupted,
    /// See [`Ended`].
    Stopped,
}

struct Sweep<'a> {
    scenario: &'a NamedScenario,
    trio: &'a Trio,
    seeds: SweepSeeds,
    countdown: Option<Countdown>,
    format: Format,
    style: Style,
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
                    seeds: (self.seeds.from, self.seeds.until),
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
        let left = SeedRange { from: self.done().1, until: self.seeds.range().until };
        self.progress = match countdown {
            Some(countdown) if self.seeds.until.is_none() => {
                Progress::until_up(countdown, self.format)
            }
            _ => Progress::towards(left.count(), self.format),
        };
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
        match play_again(plan, &result.digest, &typed, |found| new.are_of(found), self.style)? {
            SecondRun::Same(block) => {
                if self.format == Format::Human {
                    let output = &mut *self.output;
                    self.progress.aside(|| output.text(&format!("\n{block}")))?;
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

    /// The summary, and the exit code.
    fn end(mut self) -> Result<Exit, CommandError> {
        if let Some(Err(problem)) = self.results.as_mut().map(Results::sync) {
            self.ended_by = self.ended_by.or(Some(Ended::Problem(problem.into())));
        }
        let ending = self.ending();
        let is_judged = matches!(ending, Ending::Whole | Ending::TimeUp);
        let never_fired = self.found.tally.never_fired(&self.scenario.families());
        let missing = if is_judged { self.missing_cells() } else { Vec::new() };
        std::mem::replace(&mut self.progress, Progress::Silent).finish();
        self.output.text(&self.summary(ending, &never_fired, &missing))?;
        if let Some(Ended::Problem(problem)) = self.ended_by {
            return Err(problem);
        }
        match ending {
            Ending::Interrupted => {
                say(&self.interruption());
                Ok(Exit::Interrupted)
            }
            Ending::Stopped => Ok(self.found.exit),
            Ending::Whole | Ending::TimeUp => Ok(self.verdict(ending, &never_fired, &missing)),
        }
    }

    fn ending(&self) -> Ending {
        let is_whole = self.found.tally.seeds() == self.seeds.range().count();
        if interrupt::is_requested() && !is_whole {
            Ending::Interrupted
        } else if self.ended_by.is_some() {
            Ending::Stopped
        } else if is_whole {
            Ending::Whole
        } else {
            Ending::TimeUp
        }
    }

    fn summary(&self, ending: Ending, never_fired: &[Family], missing: &[ExpectedCell]) -> String {
        let tally = &self.found.tally;
        let budget = self.countdown.map(|countdown| countdown.budget.to_string());
        let end = SweepEnd {
            seeds_done: self.done(),
            seeds_played: tally.seeds() - self.seeds_known,
            cpu_seconds: system::cpu_seconds(),
            time_up: budget.filter(|_| ending == Ending::TimeUp),
            is_interrupted: ending == Ending::Interrupted,
        };
        match self.format {
            Format::Human => {
                let name = trio::shell_word(&self.scenario.typed);
                let summary = seamstress_report::sweep_summary(
                    &name,
                    self.trio,
                    tally,
                    never_fired,
                    missing,
                    &end,
                    self.style,
                );
                format!("\n{summary}")
            }
            Format::Json => seamstress_report::sweep_summary_line(tally, never_fired, &end),
        }
    }

    fn interruption(&self) -> String {
        let of = self.seeds.until.map(|_| format!(" of {}", self.seeds.range().count()));
        let way_on = match &self.results {
            Some(_) => "; the same command with --resume goes on",
            None => "",
        };
        let (done, of) = (self.found.tally.seeds(), of.unwrap_or_default());
        format!("interrupted: {done}{of} seeds{way_on}")
    }

    /// The exit code of what was found, if enough happened for it to mean anything.
    fn verdict(&self, ending: Ending, never_fired: &[Family], missing: &[ExpectedCell]) -> Exit {
        let seeds = self.found.tally.seeds();
        let is_drawn = !self.scenario.is_written();
        let reasons = if seeds == 0 && ending == Ending::TimeUp {
            vec!["nothing ran: the time was up before the first seed".to_owned()]
        } else {
            why_nothing_is_proven(seeds, is_drawn, never_fired, missing)
        };
        for reason in &reasons {
            say(reason);
        }
        let proven = if reasons.is_empty() { Exit::Holds } else { Exit::NothingRan };
        self.found.exit.max(proven)
    }

    fn missing_cells(&self) -> Vec<ExpectedCell> {
        missing_cells(&self.found.tally, &self.scenario.scenario.expectation, self.trio)
    }
}
