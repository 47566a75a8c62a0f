//! What the seeds of a sweep that are done have shown.
//!
//! Owns adding them up, whether they were played now or by a process before, so that nobody can
//! tell from the sum which it was, nor from where a sweep ends. It must not know what is said about
//! it.

use seamstress_plan::Trio;
use seamstress_report::{SeedResult, Tally};

use crate::args::{LongArguments, SweepArguments};
use crate::coverage::Quiet;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::failures::{Failures, NewKeys};
use crate::results::{self, Header, Results};
use crate::seeds::SeedRange;
use crate::target::NamedScenario;

/// What the seeds that are done have shown.
pub struct Found {
    pub tally: Tally,
    pub exit: Exit,
    failures: Failures,
    quiet: Option<Quiet>,
    fail_fast: bool,
}

impl Found {
    /// Nothing yet.
    pub fn nothing(arguments: &SweepArguments) -> Found {
        let failures = match arguments.small.save {
            Some(_) => Failures::all_of_them(),
            None => Failures::default(),
        };
        let quiet = arguments.long.until_quiet.map(Quiet::of);
        let fail_fast = arguments.fail_fast;
        Found { tally: Tally::default(), exit: Exit::Holds, failures, quiet, fail_fast }
    }

    /// Opens the file of results, if there is to be one, and adds what it holds of these seeds.
    ///
    /// # Errors
    /// [`CommandError`] if the file cannot be used.
    pub fn open_results(
        &mut self,
        arguments: &LongArguments,
        scenario: &NamedScenario,
        trio: &Trio,
        seeds: SeedRange,
    ) -> Result<Option<Results>, CommandError> {
        let path = match &arguments.results {
            Some(path) => path.clone(),
            None if arguments.resume => results::usual_file(&scenario.name, trio),
            None => return Ok(None),
        };
        let header = Header::of(scenario, trio)?;
        let results = Results::open(&path, arguments.resume, &header, seeds, |result| {
            if seeds.contains(result.seed) && !self.is_enough() {
                // What is new in it was told before it was kept.
                self.add(&result);
            }
        })?;
        Ok(Some(results))
    }

    /// Adds the next seed. Gives what it shows that is still to be told, if there is anything.
    pub fn add(&mut self, result: &SeedResult) -> Option<NewKeys> {
        self.tally.add(result.seed, result);
        if let Some(quiet) = &mut self.quiet {
            quiet.note(&self.tally);
        }
        self.exit = self.exit.max(Exit::of_verdict(result.verdict));
        let keys = result.findings.iter().map(|finding| &finding.key);
        self.failures.note_new(0, result.verdict, keys)
    }

    /// How many seeds in a row have brought no new protocol state, if that is enough.
    pub fn quiet_seeds(&self) -> Option<u64> {
        self.quiet.and_then(Quiet::reached)
    }

    /// Whether nobody wants to know more.
    pub fn is_enough(&self) -> bool {
        self.exit == Exit::NotReproducible
            || self.quiet_seeds().is_some()
            || (self.fail_fast && self.exit != Exit::Holds)
    }
}
