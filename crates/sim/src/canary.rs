//! Servers that break the promise of every run on purpose: the same plan, the same trace.
//!
//! Owns what leaks into them. Each is the reference server but for the number of its first event
//! id, to which something is added that no plan fixes. They are correct otherwise, so that the
//! judge has nothing to say of them, and no defects of a server, so that no table of defects has
//! them. They exist so that anybody can see that a comparison of runs finds what it should. No
//! other file that plays may look at the process, its environment, or the runs before.

use std::cell::Cell;
use std::env;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// Runs of this process so far.
static RUNS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Runs of this thread so far.
    static RUNS_OF_THREAD: Cell<u64> = const { Cell::new(0) };
}

/// Something that leaks into a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Canary {
    /// How many runs of a canary the process has begun.
    RunCounter,
    /// Whether the thread has begun more than two.
    WarmThread,
    /// The id of the process.
    ProcessId,
    /// How long the variable `TZ` is.
    TimeZone,
}

impl Canary {
    pub const ALL: [Canary; 4] =
        [Canary::RunCounter, Canary::WarmThread, Canary::ProcessId, Canary::TimeZone];

    /// The canary of this name.
    pub fn named(name: &str) -> Option<Canary> {
        Canary::ALL.into_iter().find(|canary| canary.name() == name)
    }

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Canary::RunCounter => "canary:run-counter",
            Canary::WarmThread => "canary:warm-thread",
            Canary::ProcessId => "canary:process-id",
            Canary::TimeZone => "canary:time-zone",
        }
    }

    /// What it is for.
    pub const fn about(self) -> &'static str {
        match self {
            Canary::RunCounter => {
                "Ours, and not reproducible on purpose: its first event id counts the runs of the \
                 process. `seamstress doctor` must find it in two threads."
            }
            Canary::WarmThread => {
                "The same from the third run of a thread on. `seamstress doctor` must find it \
                 where a process plays several runs on one thread."
            }
            Canary::ProcessId => {
                "The same with the id of the process. `seamstress doctor` must find it between \
                 processes."
            }
            Canary::TimeZone => {
                "The same with the length of the variable TZ. `seamstress doctor` must find it \
                 between surroundings."
            }
        }
    }

    /// What is added to the first event id of the run that begins now on this thread.
    pub fn leak(self) -> u64 {
        match self {
            Canary::RunCounter => RUNS.fetch_add(1, Ordering::Relaxed),
            Canary::WarmThread => {
                let before = RUNS_OF_THREAD.replace(RUNS_OF_THREAD.get() + 1);
                u64::from(before > 1)
            }
            Canary::ProcessId => u64::from(process::id()),
            Canary::TimeZone => env::var_os("TZ").map_or(0, |zone| zone.len() as u64),
        }
    }
}
