//! How far many runs, or many defects, have come, on standard error.
//!
//! Owns the choice between a bar (a person at a terminal), a line every ten seconds (a log) and
//! silence (a program that reads JSON). It must not know what is played, and nothing depends on it.

use std::fmt;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::args::Format;
use crate::budget::Countdown;
use crate::output::say;

/// The time between two lines in a log.
const LINE_INTERVAL: Duration = Duration::from_secs(10);
/// How wide a bar is, in columns.
const BAR_COLUMNS: u64 = 40;

/// How far many runs have come.
pub enum Progress {
    /// Says nothing.
    Silent,
    /// A bar that is drawn anew.
    Bar(ProgressBar),
    /// Lines.
    Lines(Lines),
}

/// A thread that says a line every ten seconds.
pub struct Lines {
    done: Arc<AtomicU64>,
    /// Dropped to end the thread.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What is come to.
#[derive(Clone, Copy)]
enum Goal {
    /// So many of something: `units` is their plural.
    Count { total: u64, units: &'static str },
    /// The end of a time, before which there may be any number of runs.
    Time(Countdown),
    /// As many runs as it takes.
    Unknown,
}

impl Progress {
    /// Progress towards this many runs.
    pub fn towards(total: u64, format: Format) -> Progress {
        Progress::towards_units(total, "runs", format)
    }

    /// Progress towards this many of something else: `units` is their plural.
    pub fn towards_units(total: u64, units: &'static str, format: Format) -> Progress {
        Progress::to(Goal::Count { total, units }, format)
    }

    /// Progress of runs that may have no last one, nor a time in which they are to be played.
    pub fn until(total: Option<u64>, countdown: Option<Countdown>, format: Format) -> Progress {
        let goal = match (total, countdown) {
            (Some(total), _) => Goal::Count { total, units: "runs" },
            (None, Some(countdown)) => Goal::Time(countdown),
            (None, None) => Goal::Unknown,
        };
        Progress::to(goal, format)
    }

    fn to(goal: Goal, format: Format) -> Progress {
        match format {
            Format::Json => Progress::Silent,
            Format::Human if io::stderr().is_terminal() => Progress::bar(goal),
            Format::Human => Lines::begin(goal),
        }
    }

    fn bar(goal: Goal) -> Progress {
        let total = match goal {
            Goal::Count { total, .. } => Some(total),
            Goal::Time(_) | Goal::Unknown => None,
        };
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
        let time = move |_: &ProgressState, text: &mut dyn fmt::Write| {
            if let Goal::Time(countdown) = goal {
                write_time(countdown, text);
            }
        };
        match ProgressStyle::with_template(&goal.template()) {
            Ok(style) => Progress::Bar(
                bar.with_style(style.with_key("rate", write_rate).with_key("time", time)),
            ),
            Err(_) => Progress::Bar(bar),
        }
    }

    /// One more is done.
    pub fn advance(&self) {
        match self {
            Progress::Silent => {}
            Progress::Bar(bar) => bar.inc(1),
            Progress::Lines(lines) => {
                lines.done.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Takes the bar out of the way while something else is written.
    pub fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match self {
            Progress::Bar(bar) => bar.suspend(write),
            Progress::Silent | Progress::Lines(_) => write(),
        }
    }

    /// All is done: what was drawn goes away.
    pub fn finish(self) {
        if let Progress::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

impl Goal {
    /// What a bar looks like.
    fn template(self) -> String {
        match self {
            Goal::Count { units, .. } => {
                // Of what takes seconds each, the rate would be 0.
                let rate = if units == "runs" { ", {rate}" } else { "" };
                let bar = format!("{{bar:{BAR_COLUMNS}}} {{human_pos}} of {{human_len}} {units}");
                format!("{bar}{rate}, {{eta}} to go")
            }
            Goal::Time(_) => "{time}, {human_pos} runs, {rate}".to_owned(),
            Goal::Unknown => "{human_pos} runs, {rate}".to_owned(),
        }
    }

    /// A line in a log.
    fn line(self, done: u64) -> String {
        match self {
            Goal::Count { total, units } => format!("{done} of {total} {units}"),
            Goal::Time(countdown) => {
                format!("{done} runs in {} of {}", countdown.spent(), countdown.budget)
            }
            Goal::Unknown => format!("{done} runs"),
        }
    }
}

// A bar that cannot be written shows nothing: there is nobody to tell.
fn write_rate(state: &ProgressState, text: &mut dyn fmt::Write) {
    let _ = write!(text, "{:.0} a second", state.per_sec());
}

fn write_time(countdown: Countdown, text: &mut dyn fmt::Write) {
    let (spent, budget) = (countdown.spent(), countdown.budget);
    let full = spent.ms().saturating_mul(BAR_COLUMNS) / budget.ms().max(1);
    let full = usize::try_from(full.min(BAR_COLUMNS)).unwrap_or(0);
    let empty = BAR_COLUMNS as usize - full;
    let _ = write!(text, "{}{} {spent} of {budget}", "█".repeat(full), "░".repeat(empty));
}

impl Lines {
    /// Without a thread to say how many are done, there is silence.
    fn begin(goal: Goal) -> Progress {
        let done = Arc::new(AtomicU64::new(0));
        let (stop, stopped) = mpsc::channel::<()>();
        let counted = Arc::clone(&done);
        let thread = thread::Builder::new().name("progress".to_owned()).spawn(move || {
            while stopped.recv_timeout(LINE_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                say(&goal.line(counted.load(Ordering::Relaxed)));
            }
        });
        thread.map_or(Progress::Silent, |thread| {
            Progress::Lines(Lines { done, stop: Some(stop), thread: Some(thread) })
        })
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // It only writes, and ends as soon as it is told.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::TimeBudget;

    #[test]
    fn a_line_says_how_far_it_is_to_whatever_end_there_is() {
        let count = Goal::Count { total: 9, units: "defects" };
        assert_eq!(count.line(4), "4 of 9 defects");
        assert_eq!(Goal::Unknown.line(4), "4 runs");
        let hour: TimeBudget = "1h".parse().expect("a budget");
        assert_eq!(Goal::Time(hour.begin()).line(4), "4 runs in 0s of 1h");
    }
}
