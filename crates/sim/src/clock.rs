//! The simulated time of the run on this thread, for whoever writes a log of it.
//!
//! Owns one number. turmoil tells the time to hosts only, and not while it writes its own log.

use std::cell::Cell;

thread_local! {
    static NOW_MS: Cell<Option<u64>> = const { Cell::new(None) };
}

/// How long the run on this thread has been going on, in simulated milliseconds, exact to a step;
/// none if none is going on.
///
/// ```
/// assert_eq!(seamstress_sim::simulated_ms(), None);
/// ```
#[must_use]
pub fn simulated_ms() -> Option<u64> {
    NOW_MS.get()
}

/// Notes the time of the step that begins, or that the run is over.
pub(crate) fn set(now_ms: Option<u64>) {
    NOW_MS.set(now_ms);
}
