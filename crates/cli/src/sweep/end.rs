//! How a sweep ends.
//!
//! Owns why it ended, its summary, what is said to standard error, and its exit code. A sweep that
//! was interrupted, or that could not go on, is not asked whether enough happened in it; one that
//! ended by time or in quiet is. It must not know how seeds are played.

use seamstress_report::{SweepEnd, Unseen};

use super::Sweep;
use crate::args::Format;
use crate::coverage::{missing_cells, silent_actions, why_nothing_is_proven};
use crate::error::{CommandError, Ended};
use crate::exit::Exit;
use crate::output::say;
use crate::progress::Progress;
use crate::results::Results;
use crate::{interrupt, system, trio};

/// Why no more seeds were played.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// All were.
    Whole,
    /// See `--time`.
    TimeUp,
    /// See `--until-quiet`: so many seeds in a row brought nothing new.
    Quiet(u64),
    Interrupted,
    /// See [`Ended`].
    Stopped,
}

impl Ending {
    /// Whether the seeds that were played are asked if they prove anything.
    fn is_judged(self) -> bool {
        matches!(self, Ending::Whole | Ending::TimeUp | Ending::Quiet(_))
    }
}

impl Sweep<'_> {
    /// The summary, and the exit code.
    pub(super) fn end(mut self) -> Result<Exit, CommandError> {
        if let Some(Err(problem)) = self.results.as_mut().map(Results::sync) {
            self.ended_by = self.ended_by.or(Some(Ended::Problem(problem.into())));
        }
        let ending = self.ending();
        let unseen = self.unseen(ending);
        std::mem::replace(&mut self.progress, Progress::Silent).finish();
        self.output.text(&self.summary(ending, &unseen))?;
        if let Some(Ended::Problem(problem)) = self.ended_by {
            return Err(problem);
        }
        match ending {
            Ending::Interrupted => {
                say(&self.interruption());
                Ok(Exit::Interrupted)
            }
            Ending::Stopped => Ok(self.found.exit),
            Ending::Whole | Ending::TimeUp | Ending::Quiet(_) => Ok(self.verdict(ending, &unseen)),
        }
    }

    fn ending(&self) -> Ending {
        let is_whole = self.found.tally.seeds() == self.seeds.count();
        if let Some(seeds) = self.found.quiet_seeds() {
            Ending::Quiet(seeds)
        } else if interrupt::is_requested() && !is_whole {
            Ending::Interrupted
        } else if self.ended_by.is_some() {
            Ending::Stopped
        } else if is_whole {
            Ending::Whole
        } else {
            Ending::TimeUp
        }
    }

    fn unseen(&self, ending: Ending) -> Unseen {
        let (tally, scenario) = (&self.found.tally, &self.scenario.scenario);
        let cells = missing_cells(tally, &scenario.expectation, self.trio);
        Unseen {
            families: tally.never_fired(&self.scenario.families()),
            actions: silent_actions(tally, scenario),
            cells: if ending.is_judged() { cells } else { Vec::new() },
        }
    }

    fn summary(&self, ending: Ending, unseen: &Unseen) -> String {
        let tally = &self.found.tally;
        let budget = self.countdown.map(|countdown| countdown.budget.to_string());
        let end = SweepEnd {
            seeds_done: self.done(),
            seeds_played: tally.seeds() - self.seeds_known,
            cpu_seconds: system::cpu_seconds(),
            time_up: budget.filter(|_| ending == Ending::TimeUp),
            quiet_seeds: self.found.quiet_seeds(),
            is_interrupted: ending == Ending::Interrupted,
        };
        match self.format {
            Format::Human => {
                let name = trio::shell_word(&self.scenario.typed);
                let summary = seamstress_report::sweep_summary(
                    &name,
                    self.trio,
                    tally,
                    unseen,
                    self.with_coverage,
                    &end,
                    self.teller.style,
                );
                format!("\n{summary}")
            }
            Format::Json => seamstress_report::sweep_summary_line(tally, &unseen.families, &end),
        }
    }

    fn interruption(&self) -> String {
        let of = self.seeds.end().map(|_| format!(" of {}", self.seeds.count()));
        let way_on = match &self.results {
            Some(_) => "; the same command with --resume goes on",
            None => "",
        };
        let (done, of) = (self.found.tally.seeds(), of.unwrap_or_default());
        format!("interrupted: {done}{of} seeds{way_on}")
    }

    /// The exit code of what was found, if enough happened for it to mean anything.
    fn verdict(&self, ending: Ending, unseen: &Unseen) -> Exit {
        let seeds = self.found.tally.seeds();
        let is_drawn = !self.scenario.is_written();
        let reasons = if seeds == 0 && ending == Ending::TimeUp {
            vec!["nothing ran: the time was up before the first seed".to_owned()]
        } else {
            why_nothing_is_proven(seeds, is_drawn, &unseen.families, &unseen.cells)
        };
        for reason in &reasons {
            say(reason);
        }
        let proven = if reasons.is_empty() { Exit::Holds } else { Exit::NothingRan };
        self.found.exit.max(proven)
    }
}
