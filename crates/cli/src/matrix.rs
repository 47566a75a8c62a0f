//! `seamstress matrix`: the planted defects, one by one.
//!
//! Owns what both tables share: the scenarios that are played, many runs in order with their
//! problems, and the control. It must not know which defects there are.

mod control;
mod defence;
mod kill;
mod page;
mod screen;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use seamstress_oracle::Verdict;
use seamstress_plan::{Trio, builtin};
use seamstress_report::Style;

use crate::args::{MatrixVerb, TableArguments};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::output::Output;
use crate::playing::Played;
use crate::target::{self, NamedScenario};
use crate::{many, trio};

/// Carries out `matrix`.
///
/// # Errors
/// [`CommandError`] if it cannot begin, or cannot go on.
pub fn matrix(verb: &MatrixVerb, style: Style, output: &mut Output) -> Result<Exit, CommandError> {
    match verb {
        MatrixVerb::Kill(arguments) => kill::kill(arguments, style, output),
        MatrixVerb::Defence(arguments) => defence::defence(arguments, style, output),
    }
}

/// Plays seeds of the standard scenarios.
struct Player {
    scenarios: Vec<NamedScenario>,
    jobs: NonZeroUsize,
    runs: AtomicU64,
}

impl Player {
    /// With the scenarios that were asked for, or else those of this build in which anything is
    /// drawn. Then those in the folder `sims/` do not count: the tables must be the same wherever
    /// they are made.
    fn new(arguments: &TableArguments) -> Result<Player, CommandError> {
        let mut scenarios = Vec::new();
        for text in &arguments.scenarios {
            scenarios.push(target::scenario(text)?);
        }
        if scenarios.is_empty() {
            for found in builtin() {
                scenarios.push(target::of_build(found)?);
            }
            scenarios.retain(|scenario| !scenario.is_written());
        }
        Ok(Player { scenarios, jobs: arguments.jobs.count(), runs: AtomicU64::new(0) })
    }

    /// How many runs there were so far.
    fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    /// How the run of this seed is named in a command.
    fn typed(&self, scenario: usize, seed: u64, trio: &Trio) -> String {
        self.scenarios[scenario].typed_run(seed, trio)
    }

    fn play(&self, scenario: usize, seed: u64, trio: &Trio) -> Result<Played, CommandError> {
        self.runs.fetch_add(1, Ordering::Relaxed);
        let played = Played::of(self.scenarios[scenario].plan(seed, trio))?;
        if played.judgement.verdict == Verdict::Error {
            return Err(CommandError::RunPanicked { run: self.typed(scenario, seed, trio) });
        }
        Ok(played)
    }

    /// See [`many::in_order`].
    fn in_order<T: Send>(
        &self,
        total: u64,
        name: impl Fn(u64) -> String,
        work: impl Fn(u64) -> Result<T, CommandError> + Sync,
        take: impl FnMut(u64, T) -> Result<ControlFlow<()>, CommandError>,
    ) -> Result<bool, CommandError> {
        many::in_order(self.jobs, total, name, work, take)
    }

    /// The results of the pieces `0..total`, in order; nothing if a signal came.
    fn all<T: Send>(
        &self,
        total: u64,
        name: impl Fn(u64) -> String,
        work: impl Fn(u64) -> Result<T, CommandError> + Sync,
    ) -> Result<Option<Vec<T>>, CommandError> {
        let mut results = Vec::new();
        let take = |_, result| {
            results.push(result);
            Ok(ControlFlow::Continue(()))
        };
        let is_whole = self.in_order(total, name, work, take)?;
        Ok(is_whole.then_some(results))
    }
}

/// The options that make a table smaller, each with a space before it.
fn chosen(arguments: &TableArguments) -> String {
    let defects = arguments.defects.iter().map(|name| format!(" --defect {name}"));
    let scenarios = arguments.scenarios.iter();
    let scenarios = scenarios.map(|text| format!(" --scenario {}", trio::shell_word(text)));
    defects.chain(scenarios).collect()
}

/// For example `1 defect`, `2 defects`.
fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
