//! What the seeds of a sweep that are done have shown.
//!
//! Owns adding them up, whether they were played now or by a process before, so that nobody can
//! tell from the sum which it was. It must not know what is said about it.

use seamstress_plan::Trio;
use seamstress_report::{SeedResult, Tally};

use crate::args::LongArguments;
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
    fail_fast: bool,
}

impl Found {
    /// Nothing yet. `fail_fast` is whether one failure is enough.
    pub fn new(fail_fast: bool) -> Found {
        let (tally, failures) = (Tally::default(), Failures::default());
        Found { tally, exit: Exit::Holds, failures, fail_fast }
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
        self.exit = self.exit.max(Exit::of_verdict(result.verdict));
        let keys = result.findings.iter().map(|finding| &finding.key);
        self.failures.note_new(0, result.verdict, keys)
    }

    /// Whether nobody wants to know more.
    pub fn is_enough(&self) -> bool {
        self.exit == Exit::NotReproducible || (self.fail_fast && self.exit != Exit::Holds)
    }
}
