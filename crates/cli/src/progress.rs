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

impl Progress {
    /// Progress towards this many runs.
    pub fn towards(total: u64, format: Format) -> Progress {
        Progress::towards_units(total, "runs", format)
    }

    /// Progress towards this many of something else: `units` is their plural.
    pub fn towards_units(total: u64, units: &'static str, format: Format) -> Progress {
        match format {
            Format::Json => Progress::Silent,
            Format::Human if io::stderr().is_terminal() => Progress::bar(total, units),
            Format::Human => Lines::begin(move |done| format!("{done} of {total} {units}")),
        }
    }

    /// Progress towards the end of this time, before which there may be any number of runs.
    pub fn until_up(countdown: Countdown, format: Format) -> Progress {
        match format {
            Format::Json => Progress::Silent,
            Format::Human if io::stderr().is_terminal() => Progress::bar_until_up(countdown),
            Format::Human => Lines::begin(move |done| {
                let (spent, budget) = (countdown.spent(), countdown.budget);
                format!("{done} runs in {spent} of {budget}")
            }),
        }
    }

    fn bar(total: u64, units: &str) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        // Of what takes seconds each, the rate would be 0.
        let rate = if units == "runs" { ", {rate}" } else { "" };
        let template = format!(
            "{{bar:{BAR_COLUMNS}}} {{human_pos}} of {{human_len}} {units}{rate}, {{eta}} to go"
        );
        match ProgressStyle::with_template(&template) {
            Ok(style) => Progress::Bar(bar.with_style(style.with_key("rate", write_rate))),
            Err(_) => Progress::Bar(bar),
        }
    }

    fn bar_until_up(countdown: Countdown) -> Progress {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let time = move |_: &ProgressState, text: &mut dyn fmt::Write| {
            let (spent, budget) = (countdown.spent(), countdown.budget);
            let full = usize::try_from(spent.ms() * BAR_COLUMNS / budget.ms().max(1)).unwrap_or(0);
            let empty = BAR_COLUMNS as usize - full;
            let _ = write!(text, "{}{} {spent} of {budget}", "█".repeat(full), "░".repeat(empty));
        };
        match ProgressStyle::with_template("{time}, {human_pos} runs, {rate}") {
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

// A bar that cannot be written shows nothing: there is nobody to tell.
fn write_rate(state: &ProgressState, text: &mut dyn fmt::Write) {
    let _ = write!(text, "{:.0} a second", state.per_sec());
}

impl Lines {
    /// `line` says how many are done. Without a thread to say it, there is silence.
    fn begin(line: impl Fn(u64) -> String + Send + 'static) -> Progress {
        let done = Arc::new(AtomicU64::new(0));
        let (stop, stopped) = mpsc::channel::<()>();
        let counted = Arc::clone(&done);
        let thread = thread::Builder::new().name("progress".to_owned()).spawn(move || {
            while stopped.recv_timeout(LINE_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                say(&line(counted.load(Ordering::Relaxed)));
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
