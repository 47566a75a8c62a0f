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
use crate::output::say;

/// The time between two lines in a log.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

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

    /// Progress of runs of which nobody knows how many there will be.
    pub fn without_end(format: Format) -> Progress {
        Progress::to(None, "runs", format)
    }

    /// Progress towards this many of something else: `units` is their plural.
    pub fn towards_units(total: u64, units: &'static str, format: Format) -> Progress {
        Progress::to(Some(total), units, format)
    }

    fn to(total: Option<u64>, units: &'static str, format: Format) -> Progress {
        match format {
            Format::Json => Progress::Silent,
            Format::Human if io::stderr().is_terminal() => Progress::bar(total, units),
            Format::Human => Lines::towards(total, units).map_or(Progress::Silent, Progress::Lines),
        }
    }

    fn bar(total: Option<u64>, units: &str) -> Progress {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
        // Of what takes seconds each, the rate would be 0.
        let rate = if units == "runs" { ", {rate}" } else { "" };
        let template = match total {
            Some(_) => {
                format!("{{bar:40}} {{human_pos}} of {{human_len}} {units}{rate}, {{eta}} to go")
            }
            None => format!("{{human_pos}} {units}{rate}"),
        };
        let rate = |state: &ProgressState, text: &mut dyn fmt::Write| {
            // A bar that cannot be written shows nothing: there is nobody to tell.
            let _ = write!(text, "{:.0} a second", state.per_sec());
        };
        match ProgressStyle::with_template(&template) {
            Ok(style) => Progress::Bar(bar.with_style(style.with_key("rate", rate))),
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

impl Lines {
    fn towards(total: Option<u64>, units: &'static str) -> io::Result<Lines> {
        let done = Arc::new(AtomicU64::new(0));
        let of_total = total.map_or(String::new(), |total| format!(" of {total}"));
        let (stop, stopped) = mpsc::channel::<()>();
        let counted = Arc::clone(&done);
        let thread = thread::Builder::new().name("progress".to_owned()).spawn(move || {
            while stopped.recv_timeout(LINE_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                say(&format!("{}{of_total} {units}", counted.load(Ordering::Relaxed)));
            }
        })?;
        Ok(Lines { done, stop: Some(stop), thread: Some(thread) })
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
