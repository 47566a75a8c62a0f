//! The same seeds in other processes, with everything different around them.
//!
//! Owns what each of them is asked and how its lines are read. One plays all seeds one after the
//! other; in the other surroundings one begins in the middle and another plays the rest, several
//! runs at once. They play runs one after the other on one thread, as a sweep does, so what a
//! thread keeps from one run to the next shows as well. It must not know what is compared.

use std::env;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use seamstress_report::OtherProcess;
use seamstress_trace::Trace;

use super::child::{Child, ChildError, End};
use super::patient::Patient;
use super::surroundings::Surroundings;
use crate::exit::Exit;
use crate::seeds::SeedRange;

/// How long a process may say nothing: far longer than any run takes.
const SILENCE_MAX: Duration = Duration::from_secs(300);
/// More than one run at once, even where one processor is all there is.
const JOBS_MIN: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

/// What a process is asked.
pub struct Errand {
    /// The seeds that it plays.
    pub seeds: SeedRange,
    jobs: NonZeroUsize,
    around: Surroundings,
}

/// What came of reading the lines of a process.
#[derive(Debug)]
pub enum Reading {
    /// Every run was there.
    Whole,
    /// The reader had enough.
    Stopped,
    /// It was interrupted.
    Interrupted,
    /// It played a failing run a second time, and it came out otherwise: these are its words.
    NotReproducible(String),
}

impl Errand {
    /// What all the processes are asked. `jobs` is for those that play several runs at once.
    pub fn all(patient: &Patient, jobs: NonZeroUsize) -> Vec<Errand> {
        let SeedRange { from, until } = patient.seeds;
        let [first, second] = Surroundings::two(|name| env::var(name).ok(), &folders(patient));
        let middle = from + patient.seeds.count() / 2;
        let jobs = jobs.max(JOBS_MIN);
        let second = |from, until| {
            let (seeds, around) = (SeedRange { from, until }, second.clone());
            Errand { seeds, jobs, around }
        };
        let mut all = vec![
            Errand { seeds: patient.seeds, jobs: NonZeroUsize::MIN, around: first },
            second(middle, until),
        ];
        if middle > from {
            all.push(second(from, middle));
        }
        all
    }

    /// How a report tells of the process.
    pub fn as_other_process(&self) -> OtherProcess {
        let SeedRange { from, until } = self.seeds;
        OtherProcess {
            seeds: (from, until),
            jobs: (self.seeds.count() > 1).then_some(self.jobs.get() as u64),
            folder: self.around.folder().display().to_string(),
            environment: self.around.environment(),
        }
    }

    /// Starts the process.
    ///
    /// # Errors
    /// [`ChildError::NotStarted`].
    pub fn start(&self, patient: &Patient) -> Result<Child, ChildError> {
        self.start_with(&patient.arguments(self.seeds, self.jobs))
    }

    /// The trace of a seed, played alone in a process with the same around it.
    ///
    /// # Errors
    /// [`ChildError`] if there is none.
    pub fn trace(&self, patient: &Patient, seed: u64) -> Result<Trace, ChildError> {
        let mut child = self.start_with(&patient.trace_arguments(seed))?;
        let mut text = String::new();
        while let Some(line) = child.next_line()? {
            text += &line;
            text.push('\n');
        }
        let end = child.end()?;
        Trace::read(text.as_bytes()).map_err(|problem| match end.code {
            Some(0 | 1 | 3) => ChildError::Unreadable { said: problem.to_string() },
            _ => ChildError::Died { end },
        })
    }

    fn start_with(&self, arguments: &[String]) -> Result<Child, ChildError> {
        let this = env::current_exe().map_err(ChildError::NotStarted)?;
        let mut command = Command::new(this);
        command.args(arguments);
        self.around.put_around(&mut command);
        Child::start(&mut command, SILENCE_MAX)
    }
}

/// Where a process may work: elsewhere, as far as that changes nothing else, and here.
fn folders(patient: &Patient) -> Vec<PathBuf> {
    let here = env::current_dir().unwrap_or_default();
    let temporary = env::temp_dir();
    let root = temporary.ancestors().last().map(PathBuf::from).unwrap_or_default();
    let elsewhere = [root, temporary];
    let is_fit = |folder: &PathBuf| *folder != here && patient.is_known_in(folder);
    elsewhere.into_iter().filter(is_fit).chain([here.clone()]).collect()
}

/// Hands on each run's line, with its place in the order of the process, of which `count` are due.
///
/// # Errors
/// [`ChildError`] if they do not all come.
pub fn read_runs(
    mut child: Child,
    count: u64,
    mut each: impl FnMut(u64, &str) -> ControlFlow<()>,
) -> Result<Reading, ChildError> {
    let mut runs = 0;
    while let Some(line) = child.next_line()? {
        if !is_run(&line)? {
            continue;
        }
        if runs == count {
            return Err(ChildError::Unreadable { said: line });
        }
        if each(runs, &line).is_break() {
            return Ok(Reading::Stopped);
        }
        runs += 1;
    }
    how_it_ended(child.end()?, runs == count)
}

fn how_it_ended(end: End, is_whole: bool) -> Result<Reading, ChildError> {
    let code = end.code.and_then(|code| u8::try_from(code).ok());
    match code {
        Some(code) if code == Exit::NotReproducible.code() => {
            Ok(Reading::NotReproducible(end.last_line))
        }
        // A finding is no matter here.
        Some(_) if is_whole => Ok(Reading::Whole),
        Some(code) if code == Exit::Interrupted.code() => Ok(Reading::Interrupted),
        _ => Err(ChildError::Died { end }),
    }
}

/// Whether a line is that of a run.
fn is_run(line: &str) -> Result<bool, ChildError> {
    let read: Option<serde_json::Value> = serde_json::from_str(line).ok();
    let kind = read.as_ref().and_then(|line| line.get("type")?.as_str());
    match kind {
        Some(kind) => Ok(["seed", "play"].contains(&kind)),
        None => Err(ChildError::Unreadable { said: line.to_owned() }),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const RUN: &str = r#"{"type":"seed"}"#;

    fn read(script: &str, count: u64) -> (Result<Reading, ChildError>, u64) {
        let mut command = Command::new("sh");
        let child = Child::start(command.args(["-c", script]), SILENCE_MAX).expect("a shell");
        let mut seen = 0;
        let reading = read_runs(child, count, |place, _| {
            assert_eq!(place, seen);
            seen += 1;
            ControlFlow::Continue(())
        });
        (reading, seen)
    }

    #[test]
    fn only_the_lines_of_runs_are_handed_on_and_findings_are_no_matter() {
        for code in [0, 1, 3, 4, 70] {
            let script = format!(
                r#"echo '{{"type":"sweep_started"}}'; echo '{RUN}'; echo '{RUN}'
                   echo '{{"type":"summary"}}'; exit {code}"#
            );
            let (reading, seen) = read(&script, 2);
            assert!(matches!(reading, Ok(Reading::Whole)), "{code}: {reading:?}");
            assert_eq!(seen, 2);
        }
    }

    #[test]
    fn a_process_that_dies_before_its_last_run_is_an_error_with_its_code_and_its_last_words() {
        let (reading, seen) = read(&format!("echo '{RUN}'; echo oh no >&2; exit 9"), 2);
        let error = reading.expect_err("an error").to_string();
        assert_eq!(error, "ended before it was done, with exit code 9; the last it said: oh no");
        assert_eq!(seen, 1);
        let (reading, _) = read(&format!("echo '{RUN}'; kill -9 $$"), 1);
        assert!(matches!(reading, Err(ChildError::Died { .. })), "a signal: {reading:?}");
    }

    #[test]
    fn what_is_no_json_line_and_a_run_too_many_cannot_be_read() {
        for (script, count) in [("echo hello".to_owned(), 1), (format!("echo '{RUN}'"), 0)] {
            let (reading, _) = read(&script, count);
            assert!(matches!(reading, Err(ChildError::Unreadable { .. })), "{script}: {reading:?}");
        }
    }

    #[test]
    fn a_process_that_finds_itself_out_is_not_taken_for_one_that_died() {
        let (reading, _) = read(&format!("echo '{RUN}'; echo differs >&2; exit 6"), 2);
        let found = matches!(&reading, Ok(Reading::NotReproducible(words)) if words == "differs");
        assert!(found, "{reading:?}");
        let (reading, _) = read("exit 130", 2);
        assert!(matches!(reading, Ok(Reading::Interrupted)), "{reading:?}");
    }
}
