//! The control: the reference trio, in which nothing is planted.
//!
//! Owns what becomes of its runs: each is counted, and the first failures are told in full, as in
//! a sweep.

use seamstress_plan::Trio;
use seamstress_report::{Control, SeedResult};

use super::Player;
use super::screen::Screen;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::failures::{Failures, SecondRun, Teller, not_reproducible};

/// The runs of the reference trio so far.
#[derive(Default)]
pub struct ControlRuns {
    pub control: Control,
    failures: Failures,
    pub exit: Exit,
}

impl ControlRuns {
    /// Takes a run of this scenario. Any finding is a failure, of whatever class.
    ///
    /// # Errors
    /// [`CommandError`] if it cannot be told.
    pub fn take(
        &mut self,
        player: &Player,
        scenario: usize,
        result: &SeedResult,
        screen: &mut Screen,
    ) -> Result<(), CommandError> {
        self.control.runs += 1;
        if result.findings.is_empty() {
            return Ok(());
        }
        self.control.failed += 1;
        self.exit = self.exit.max(Exit::Violated);
        let typed = player.typed(scenario, result.seed, &Trio::default());
        for finding in &result.findings {
            let first_runs = &mut self.control.first_runs;
            first_runs.entry(finding.key.clone()).or_insert_with(|| typed.clone());
        }
        let keys = result.findings.iter().map(|finding| &finding.key);
        if self.failures.note_new(0, result.verdict, keys).is_none() {
            return Ok(());
        }
        let plan = player.scenarios[scenario].plan(result.seed, &Trio::default());
        let name = plan.name.clone();
        let teller = Teller { style: screen.style, small: None };
        match teller.play_again(plan, &result.digest, &typed, |_| true)? {
            SecondRun::Same(told) => screen.story(&told.block),
            SecondRun::Different { first, second } => {
                self.exit = Exit::NotReproducible;
                screen.say(&not_reproducible(&name, &typed, &first, &second));
                Ok(())
            }
        }
    }
}
