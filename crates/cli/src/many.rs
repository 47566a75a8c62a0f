//! Many runs in order, and the problem that may end them.
//!
//! Owns the bridge between the pool, which knows results and panics, and a verb, which ends with an
//! error or goes on. It must not know what is played.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use crate::error::{CommandError, Ended};
use crate::interrupt;
use crate::pool::{self, Panic};

/// Does the pieces `0..total` and hands every result to `take`, in order. Answers whether all were
/// done: not if a signal came, nor if `take` had enough. `name` is how a piece is called if it
/// panics.
///
/// # Errors
/// The first that a piece or `take` ends with, a panic, or that no thread can be started.
pub fn in_order<T: Send>(
    jobs: NonZeroUsize,
    total: u64,
    name: impl Fn(u64) -> String,
    work: impl Fn(u64) -> Result<T, CommandError> + Sync,
    mut take: impl FnMut(u64, T) -> Result<ControlFlow<()>, CommandError>,
) -> Result<bool, CommandError> {
    let mut ended_by = None;
    let each = |number, done| {
        let taken = match done {
            Ok(Ok(result)) => take(number, result),
            Ok(Err(problem)) => Err(problem),
            Err(Panic(message)) => Err(CommandError::Panicked { plan: name(number), message }),
        };
        Ended::note(taken, &mut ended_by)
    };
    pool::in_order(jobs, total, interrupt::is_requested, work, each)
        .map_err(|problem| CommandError::NoThread { problem })?;
    match ended_by {
        Some(Ended::Problem(problem)) => Err(problem),
        Some(Ended::Enough) => Ok(false),
        None => Ok(!interrupt::is_requested()),
    }
}
