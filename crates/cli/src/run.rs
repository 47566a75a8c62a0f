//! `seamstress run`: the regression suite.
//!
//! Owns what is said of each case, and the exit code. A baseline is checked both ways: a finding
//! that nobody expects fails, and so does an expected one that no longer comes.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use seamstress_oracle::{Cell, Finding};
use seamstress_plan::Family;
use seamstress_report::{SeedResult, Style, Tally};
use seamstress_sim::PlayError;

use crate::args::{Format, RunArguments};
use crate::coverage::{missing_cells, why_nothing_is_proven};
use crate::error::{CommandError, Ended};
use crate::exit::Exit;
use crate::expect::Comparison;
use crate::failures::{Failures, NewKeys, SecondRun, Teller, Told, not_reproducible};
use crate::output::{Output, say};
use crate::playing::Played;
use crate::pool::{self, Panic};
use crate::progress::Progress;
use crate::shrink::ByItself;
use crate::suite::{self, Case};
use crate::{interrupt, system};

mod words;

use words::{count, play_line, what_came, what_is_expected};

/// Carries out `run`.
///
/// # Errors
/// [`CommandError`] if it cannot begin, or cannot go on.
pub fn run(
    arguments: &RunArguments,
    style: Style,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let items = suite::read(&arguments.targets)?;
    let cases = suite::cases(&items)?;
    let total = cases.last().map_or(0, |case| case.first_run + case.runs);
    let jobs = arguments.jobs.count();
    interrupt::install();
    if arguments.format == Format::Human {
        let (cases, runs) = (count(cases.len() as u64, "case"), count(total, "run"));
        output.text(&format!("run {cases}   {runs}   jobs {jobs}\n\n"))?;
    }
    let mut suite = Suite {
        cases: &cases,
        format: arguments.format,
        teller: Teller { style, small: ByItself::of(&arguments.small, jobs, arguments.format) },
        output,
        progress: Progress::towards(total, arguments.format),
        tally: Tally::default(),
        failures: match arguments.small.save {
            Some(_) => Failures::all_of_them(),
            None => Failures::default(),
        },
        under_way: UnderWay::default(),
        left: None,
        cases_as_expected: 0,
        quiet_regressions: 0,
        exit: Exit::Holds,
        never_fired: Vec::new(),
        ended_by: None,
    };
    let work = |number| {
        let (index, run) = locate(&cases, number);
        RunOfCase::of(&cases[index], run)
    };
    let each = |number, done| suite.take(number, done);
    pool::in_order(jobs, total, interrupt::is_requested, work, each)
        .map_err(|problem| CommandError::NoThread { problem })?;
    suite.end(total)
}

/// The case that a run of the suite belongs to, and its number there.
fn locate(cases: &[Case], number: u64) -> (usize, u64) {
    let index = cases.partition_point(|case| case.first_run <= number) - 1;
    (index, number - cases[index].first_run)
}

/// What is kept of one run.
struct RunOfCase {
    result: SeedResult,
    comparison: Comparison,
    /// All of it, where it is shown side by side with another.
    played: Option<Box<Played>>,
}

impl RunOfCase {
    fn of(case: &Case, run: u64) -> Result<RunOfCase, PlayError> {
        let played = Played::of(case.plan(run))?;
        let result = played.result();
        let comparison = case.expected.compare(&played.judgement);
        let is_kept = run == 0 && case.is_shown_side_by_side();
        Ok(RunOfCase { result, comparison, played: is_kept.then(|| Box::new(played)) })
    }
}

/// The case whose runs are coming in.
#[derive(Default)]
struct UnderWay {
    tally: Tally,
    exit: Exit,
    runs_with_unexpected: u64,
    /// The keys of what nobody expects.
    unexpected: BTreeSet<String>,
    /// Which of the wanted findings came in any of its runs.
    came: Vec<bool>,
    played: Option<Box<Played>>,
}

struct Suite<'a> {
    cases: &'a [Case<'a>],
    format: Format,
    teller: Teller,
    output: &'a mut Output,
    progress: Progress,
    tally: Tally,
    failures: Failures,
    under_way: UnderWay,
    /// The first of two cases that are shown side by side.
    left: Option<(String, Box<Played>)>,
    cases_as_expected: usize,
    /// Regressions that came as they should since the last line.
    quiet_regressions: u64,
    exit: Exit,
    never_fired: Vec<Family>,
    ended_by: Option<Ended>,
}

impl Suite<'_> {
    /// Takes the next run.
    fn take(
        &mut self,
        number: u64,
        done: Result<Result<RunOfCase, PlayError>, Panic>,
    ) -> ControlFlow<()> {
        let (index, run) = locate(self.cases, number);
        let taken = match done {
            Ok(Ok(done)) => self.add(index, run, done),
            Ok(Err(problem)) => Err(problem.into()),
            Err(Panic(message)) => {
                let plan = self.cases[index].plan_name(run);
                Err(CommandError::Panicked { plan, message })
            }
        };
        Ended::note(taken, &mut self.ended_by)
    }

    fn add(
        &mut self,
        index: usize,
        run: u64,
        done: RunOfCase,
    ) -> Result<ControlFlow<()>, CommandError> {
        let RunOfCase { result, comparison, played } = done;
        let case = &self.cases[index];
        self.progress.advance();
        self.tally.add(result.seed, &result);
        let under_way = &mut self.under_way;
        under_way.tally.add(result.seed, &result);
        under_way.exit = under_way.exit.max(comparison.exit);
        under_way.runs_with_unexpected += u64::from(comparison.exit != Exit::Holds);
        under_way.unexpected.extend(comparison.unexpected.iter().cloned());
        under_way.came.resize(comparison.came.len(), false);
        for (came, now) in under_way.came.iter_mut().zip(&comparison.came) {
            *came |= now;
        }
        if played.is_some() {
            under_way.played = played;
        }
        if self.format == Format::Json {
            self.output.text(&play_line(case, run, &result, &comparison))?;
        }
        let unexpected = comparison.unexpected.iter();
        if let Some(new) = self.failures.note_new(index, result.verdict, unexpected) {
            self.tell(case, run, &result, &new)?;
        }
        if run + 1 == case.runs {
            let over = std::mem::take(&mut self.under_way);
            self.close(case, over)?;
        }
        let is_enough = self.output.is_closed() || self.exit == Exit::NotReproducible;
        Ok(if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    fn tell(
        &mut self,
        case: &Case,
        run: u64,
        result: &SeedResult,
        new: &NewKeys,
    ) -> Result<(), CommandError> {
        let typed = case.typed(run);
        let is_failure =
            |finding: &Finding| !case.expected.is_expected(finding) && new.are_of(finding);
        match self.teller.play_again(case.plan(run), &result.digest, &typed, is_failure)? {
            SecondRun::Same(Told { block, lines }) => {
                if self.format == Format::Json {
                    lines.iter().try_for_each(|line| self.output.text(line))?;
                }
                self.show(&format!("\n{block}\n"))
            }
            SecondRun::Different { first, second } => {
                self.exit = Exit::NotReproducible;
                self.say(&not_reproducible(&case.plan_name(run), &typed, &first, &second));
                Ok(())
            }
        }
    }

    /// All runs of a case are in.
    fn close(&mut self, case: &Case<'_>, over: UnderWay) -> Result<(), CommandError> {
        let wanted = case.expected.wanted();
        let missing: Vec<&str> = wanted
            .iter()
            .zip(&over.came)
            .filter(|(_, came)| !**came)
            .map(|(wanted, _)| wanted.as_str())
            .collect();
        let mut exit = over.exit;
        if !missing.is_empty() {
            exit = exit.max(Exit::StaleBaseline);
            let label = case.label();
            let missing = missing.join(", ");
            let way_out = match case.is_regression() {
                true => "; if it has been mended, let it say outcome \"holds\" and findings []",
                false => "",
            };
            self.say(&format!(
                "the baseline is stale: {label} expects what no longer comes: {missing}{way_out}"
            ));
        }
        if !self.is_proven(case, &over.tally) {
            exit = exit.max(Exit::NothingRan);
        }
        self.exit = self.exit.max(exit);
        self.cases_as_expected += usize::from(exit == Exit::Holds);
        if exit == Exit::Holds && case.is_regression() {
            self.quiet_regressions += 1;
            return Ok(());
        }
        self.close_regressions()?;
        let status = match exit {
            Exit::Holds => "ok",
            Exit::NothingRan => "vacant",
            Exit::StaleBaseline => "stale",
            _ => "FAIL",
        };
        let came = what_came(&case.expected, &over, &missing);
        self.show(&format!(
            "{status:<6}  {}: {} expected; {came}",
            case.label(),
            what_is_expected(&case.expected),
        ))?;
        if let Some(played) = over.played {
            self.show_beside(case, played)?;
        }
        Ok(())
    }

    /// One line for all regressions that came as they should: there may be hundreds.
    fn close_regressions(&mut self) -> Result<(), CommandError> {
        match std::mem::take(&mut self.quiet_regressions) {
            0 => Ok(()),
            number => {
                let regressions = count(number, "regression");
                self.show(&format!(
                    "ok      {regressions}: what is expected came, and nothing else"
                ))
            }
        }
    }

    /// Whether enough happened in a case for its outcome to mean anything; says so if not.
    fn is_proven(&mut self, case: &Case, tally: &Tally) -> bool {
        let Some(named) = case.scenario() else { return true };
        let never_fired = tally.never_fired(&named.families());
        let missing = missing_cells(tally, &named.scenario.expectation, &case.trio);
        let is_drawn = !named.is_written();
        let reasons = why_nothing_is_proven(tally.seeds(), is_drawn, &never_fired, &missing);
        for reason in &reasons {
            self.say(&format!("{}: {reason}", case.label()));
        }
        for family in never_fired {
            if !self.never_fired.contains(&family) {
                self.never_fired.push(family);
            }
        }
        reasons.is_empty()
    }

    fn show_beside(&mut self, case: &Case<'_>, played: Box<Played>) -> Result<(), CommandError> {
        let name = case.name.unwrap_or_default().to_owned();
        let Some((left_name, left)) = self.left.take() else {
            self.left = Some((name, played));
            return Ok(());
        };
        let text = seamstress_report::side_by_side(
            (&left_name, &left.as_play()),
            (&name, &played.as_play()),
            system::columns(),
        );
        self.show(&format!("\n{text}"))
    }

    /// Writes text for people.
    fn show(&mut self, text: &str) -> Result<(), CommandError> {
        if self.format == Format::Json {
            return Ok(());
        }
        let output = &mut *self.output;
        self.progress.aside(|| output.text(text))
    }

    /// Says a line on standard error.
    fn say(&self, line: &str) {
        self.progress.aside(|| say(line));
    }

    /// The summary, and the exit code.
    fn end(mut self, total: u64) -> Result<Exit, CommandError> {
        let runs = self.tally.seeds();
        let is_interrupted = interrupt::is_requested() && runs < total;
        self.close_regressions()?;
        match self.format {
            Format::Human => {
                let cells = Cell::ALL.map(|cell| self.tally.cell(cell));
                let table = seamstress_report::resumption_table(cells);
                let (as_expected, cases) = (self.cases_as_expected, self.cases.len() as u64);
                let (cases, ran) = (count(cases, "case"), count(runs, "run"));
                self.show(&format!("\n{table}\n{as_expected} of {cases} as expected, {ran}"))?;
            }
            Format::Json => {
                let cpu_seconds = system::cpu_seconds();
                self.output.text(&seamstress_report::summary_line(
                    &self.tally,
                    &self.never_fired,
                    cpu_seconds,
                    is_interrupted,
                ))?;
            }
        }
        self.progress.finish();
        if let Some(Ended::Problem(problem)) = self.ended_by {
            return Err(problem);
        }
        if is_interrupted {
            say(&format!("interrupted: {runs} of {total} runs"));
            return Ok(Exit::Interrupted);
        }
        if runs == 0 {
            say("nothing ran: no .toml and no .json file was found");
            return Ok(Exit::NothingRan);
        }
        // What is under way was left there by a reader that has gone.
        Ok(self.exit.max(self.under_way.exit))
    }
}
