//! Ctrl-C: stop beginning runs, finish those under way, tell what was done.
//!
//! Owns the signal handler of this process and its one flag. A second signal ends the process at
//! once. Where the system has it, a request to terminate is taken in the same way.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit::Exit;
use crate::output::say;

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Takes signals from here on.
pub fn install() {
    let installed = ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
        say("stopping: runs under way are finished; once more stops at once");
    });
    if let Err(problem) = installed {
        say(&format!("note: an interrupt will end this without a summary: {problem}"));
    }
}

/// Whether the user wants this to end.
pub fn is_requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
