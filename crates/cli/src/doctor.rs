//! `seamstress doctor`: whether the same seed gives the same bytes on this machine.
//!
//! Owns the order in which that is asked, what is said of it, and the exit code. Every seed is
//! played twice in fresh threads, and again in other processes with everything different around
//! them; what comes of each must be the same. It must not read any finding before that is known:
//! what a judge says of runs that are not reproducible means nothing.

mod child;
mod patient;
mod processes;
mod surroundings;
mod threads;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use seamstress_oracle::Verdict;
use seamstress_plan::Trio;
use seamstress_report::{Checkup, Divergence, Found, OtherProcess, Part, Stage, Style};

use crate::args::{DoctorArguments, Format};
use crate::error::{CommandError, Ended};
use crate::exit::Exit;
use crate::output::{Output, say};
use crate::playing::Played;
use crate::pool::{self, Panic};
use crate::progress::Progress;
use crate::{interrupt, trio};

pub use child::ChildError;
use patient::Patient;
use processes::{Errand, Reading};
use threads::Twice;

/// What is said of a run that parts in a sweep and not by itself.
const ALONE_AS_HERE: &str =
    "played alone in such a process it is as here: what was played before it matters";

/// Carries out `doctor`.
///
/// # Errors
/// [`CommandError`] if it cannot begin, or cannot go on.
pub fn doctor(
    arguments: &DoctorArguments,
    style: Style,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let patient = Patient::of(arguments)?;
    trio::check(&patient.trio)?;
    let jobs = arguments.jobs.count();
    interrupt::install();
    output.text(&first_line(&patient, jobs, arguments.format))?;
    let mut examination = Examination {
        patient: &patient,
        jobs,
        format: arguments.format,
        style,
        output,
        progress: Progress::towards(runs_of(&patient), arguments.format),
        checkup: Checkup::default(),
        lines: Vec::new(),
        is_told: false,
        is_interrupted: false,
    };
    let examined = examination.examine();
    examination.end(examined)
}

/// How many runs there are: each seed twice in threads, and once in each of two surroundings.
fn runs_of(patient: &Patient) -> u64 {
    patient.seeds.count().saturating_mul(4)
}

fn first_line(patient: &Patient, jobs: NonZeroUsize, format: Format) -> String {
    let (target, seeds) = (patient.typed(), patient.seeds);
    match format {
        Format::Human => {
            let Trio { server, proxy, client } = &patient.trio;
            format!(
                "doctor {target}   seeds {seeds}   server {server}   proxy {proxy}   \
                 client {client}   jobs {jobs}\n\n"
            )
        }
        Format::Json => seamstress_report::doctor_started(
            target,
            &patient.trio,
            (seeds.from, seeds.until),
            jobs.get() as u64,
            env!("CARGO_PKG_VERSION"),
        ),
    }
}

struct Examination<'a> {
    patient: &'a Patient,
    jobs: NonZeroUsize,
    format: Format,
    style: Style,
    output: &'a mut Output,
    progress: Progress,
    checkup: Checkup,
    /// What every process must say of each seed, in their order: some 400 bytes each.
    lines: Vec<String>,
    /// Whether a seed has been shown to people.
    is_told: bool,
    is_interrupted: bool,
}

impl Examination<'_> {
    fn examine(&mut self) -> Result<(), CommandError> {
        self.in_threads()?;
        let is_whole = self.checkup.seeds == self.patient.seeds.count() && self.checkup.seeds > 0;
        if !is_whole || !self.checkup.is_reproducible() {
            self.is_interrupted = interrupt::is_requested() && !is_whole;
            return Ok(());
        }
        self.in_processes()
    }

    fn in_threads(&mut self) -> Result<(), CommandError> {
        let (patient, jobs) = (self.patient, self.jobs);
        let seeds = patient.seeds;
        let mut ended_by = None;
        let work = |number| threads::twice(|| patient.plan(seeds.from + number));
        let each = |number, done: Result<Result<Twice, CommandError>, Panic>| {
            let seed = seeds.from + number;
            let taken = match done {
                Ok(twice) => twice.and_then(|twice| self.take(seed, twice)),
                Err(Panic(message)) => {
                    Err(CommandError::Panicked { plan: patient.plan(seed).name, message })
                }
            };
            Ended::note(taken, &mut ended_by)
        };
        pool::in_order(jobs, seeds.count(), interrupt::is_requested, work, each)
            .map_err(|problem| CommandError::NoThread { problem })?;
        match ended_by {
            Some(Ended::Problem(problem)) => Err(problem),
            Some(Ended::Enough) | None => Ok(()),
        }
    }

    /// Takes the two runs of the next seed.
    fn take(&mut self, seed: u64, twice: Twice) -> Result<ControlFlow<()>, CommandError> {
        let Twice { result, records, divergence } = twice;
        self.progress.advance();
        self.progress.advance();
        self.checkup.seeds += 1;
        self.checkup.records += records;
        self.checkup.with_findings += u64::from(result.verdict != Verdict::Holds);
        self.lines.push(self.patient.line(&result));
        if let Some(divergence) = divergence {
            self.checkup.parted_in_threads += 1;
            let again = format!("seamstress replay {} --twice", self.patient.typed_run(seed));
            self.tell(seed, Stage::Threads, &divergence, None, &again)?;
        }
        Ok(if self.output.is_closed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    fn in_processes(&mut self) -> Result<(), CommandError> {
        let errands = Errand::all(self.patient, self.jobs);
        self.checkup.processes = errands.iter().map(Errand::as_other_process).collect();
        let started = errands.iter().map(|errand| errand.start(self.patient));
        // All at once: each is read by a thread of its own, so that none waits for the others.
        let children: Vec<_> = started.collect();
        for (errand, child) in errands.iter().zip(children) {
            let process = errand.as_other_process();
            let failed = |problem| failed(&process, problem);
            let mut problem = None;
            let mut runs_before = 0;
            let each = |number: u64, line: &str| {
                runs_before = number + 1;
                let taken = self.compare(errand, &process, errand.seeds.from + number, line);
                Ended::note(taken, &mut problem)
            };
            let child = child.map_err(failed)?;
            let reading =
                processes::read_runs(child, errand.seeds.count(), each).map_err(failed)?;
            if let Some(Ended::Problem(problem)) = problem {
                return Err(problem);
            }
            match reading {
                // Otherwise it has been told already.
                Reading::NotReproducible(words) if self.checkup.is_reproducible() => {
                    let seed = errand.seeds.from + runs_before.max(1) - 1;
                    self.tell_what_it_found_itself(&process, seed, words)?;
                }
                Reading::Whole | Reading::NotReproducible(_) => {}
                Reading::Interrupted => self.is_interrupted = true,
                Reading::Stopped => self.is_interrupted = interrupt::is_requested(),
            }
            if self.is_interrupted || self.output.is_closed() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Compares what a process says of a seed with what was seen here.
    fn compare(
        &mut self,
        errand: &Errand,
        process: &OtherProcess,
        seed: u64,
        there: &str,
    ) -> Result<ControlFlow<()>, CommandError> {
        self.progress.advance();
        self.checkup.runs_in_processes += 1;
        // A process plays no other seeds than those that were played here.
        let place = usize::try_from(seed - self.patient.seeds.from).unwrap_or(usize::MAX);
        let here = self.lines.get(place).map_or("", String::as_str);
        if let Some(line) = Divergence::between_lines(here, there) {
            self.checkup.parted_in_processes += 1;
            let (divergence, note) = if self.is_told {
                // One trace is enough to begin with.
                (line, None)
            } else {
                self.look_into(errand, seed, line)?
            };
            let stage = Stage::Process(process);
            self.tell(seed, stage, &divergence, note.as_deref(), &self.again())?;
        }
        let is_enough = self.output.is_closed() || interrupt::is_requested();
        Ok(if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// The record at which a run parts there; what is known from its line if it does not part when
    /// it is played alone, or if its trace cannot be had.
    fn look_into(
        &self,
        errand: &Errand,
        seed: u64,
        line: Divergence,
    ) -> Result<(Divergence, Option<String>), CommandError> {
        let trace = match errand.trace(self.patient, seed) {
            Ok(trace) => trace,
            Err(problem) => {
                let note = format!("there is no trace: a process that was to write one {problem}");
                return Ok((line, Some(note)));
            }
        };
        let here = threads::alone(|| self.patient.plan(seed))?;
        let there = Played::from_trace(here.plan.clone(), trace);
        Ok(match Divergence::between(&here.as_play(), &there.as_play()) {
            Some(divergence) => (divergence, None),
            None => (line, Some(ALONE_AS_HERE.to_owned())),
        })
    }

    fn tell_what_it_found_itself(
        &mut self,
        process: &OtherProcess,
        seed: u64,
        words: String,
    ) -> Result<(), CommandError> {
        self.checkup.parted_in_processes += 1;
        let divergence = Divergence {
            part: Part::Line,
            index: 0,
            before: Vec::new(),
            first: Some("two runs are the same".to_owned()),
            second: Some(words),
        };
        self.tell(seed, Stage::Process(process), &divergence, None, &self.again())
    }

    /// What was typed, with nothing left to this machine.
    fn again(&self) -> String {
        format!("seamstress doctor {} --jobs {}", self.patient.typed_runs(), self.jobs)
    }

    /// Tells of a seed whose runs part: people of the first, programs of all.
    fn tell(
        &mut self,
        seed: u64,
        stage: Stage<'_>,
        divergence: &Divergence,
        note: Option<&str>,
        again: &str,
    ) -> Result<(), CommandError> {
        let plan = self.patient.plan(seed).name;
        let found = Found { plan: &plan, seed, stage, divergence, note, again };
        let is_first = !std::mem::replace(&mut self.is_told, true);
        match self.format {
            Format::Json => self.output.text(&seamstress_report::found_line(&found)),
            Format::Human if is_first => {
                let block = seamstress_report::found_block(&found, self.style);
                let output = &mut *self.output;
                self.progress.aside(|| output.text(&format!("{block}\n")))
            }
            Format::Human => Ok(()),
        }
    }

    /// The summary, and the exit code.
    fn end(self, examined: Result<(), CommandError>) -> Result<Exit, CommandError> {
        let Examination {
            patient, format, style, output, progress, checkup, is_interrupted, ..
        } = self;
        progress.finish();
        let verb = if patient.seeds.count() == 1 { "replay" } else { "sweep" };
        let findings = format!("seamstress {verb} {}", patient.typed_runs());
        let is_whole = examined.is_ok() && !is_interrupted;
        match format {
            Format::Human if checkup.seeds == 0 => {}
            Format::Human => output
                .text(&seamstress_report::checkup_summary(&checkup, is_whole, &findings, style))?,
            Format::Json => {
                output.text(&seamstress_report::checkup_line(&checkup, is_interrupted))?;
            }
        }
        examined?;
        if is_interrupted {
            let played = checkup.seeds * 2 + checkup.runs_in_processes;
            say(&format!("interrupted: {played} of {} runs", runs_of(patient)));
            return Ok(Exit::Interrupted);
        }
        if checkup.seeds == 0 && !output.is_closed() {
            say("nothing ran: the range of seeds is empty");
            return Ok(Exit::NothingRan);
        }
        Ok(if checkup.is_reproducible() { Exit::Holds } else { Exit::NotReproducible })
    }
}

fn failed(process: &OtherProcess, problem: ChildError) -> CommandError {
    CommandError::Process { process: process.clone(), problem }
}
