//! Many independent pieces of work on several threads, with their results in order.
//!
//! Owns the one counter that workers take work from, and the window that keeps memory flat: nobody
//! begins a piece that is too far ahead of the last result handed on. It must not know what the
//! work is, nor a clock. Results come in the order of their numbers for any number of threads.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::panics;

/// How many pieces each thread may be ahead of the last result handed on.
const AHEAD_PER_JOB: u64 = 32;

/// The message of a piece of work that panicked.
pub struct Panic(pub String);

/// Does the pieces `0..total` and hands every result to `each`, in order.
///
/// No piece is begun once `is_stopped` says so or `each` breaks; those under way are finished. In
/// the first case their results are handed on as well, in the second no longer.
///
/// # Errors
/// What the system says if not even one thread can be started.
pub fn in_order<T: Send>(
    jobs: NonZeroUsize,
    total: u64,
    is_stopped: impl Fn() -> bool + Sync,
    work: impl Fn(u64) -> T + Sync,
    each: impl FnMut(u64, Result<T, Panic>) -> ControlFlow<()>,
) -> io::Result<()> {
    let jobs = jobs.get().min(usize::try_from(total).unwrap_or(usize::MAX));
    let shared = Shared {
        total,
        is_over: AtomicBool::new(false),
        counts: Mutex::new(Counts::default()),
        moved: Condvar::new(),
        ahead: AHEAD_PER_JOB.saturating_mul(jobs as u64),
    };
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for job in 0..jobs {
            let (sender, shared, work, is_stopped) = (sender.clone(), &shared, &work, &is_stopped);
            let started = thread::Builder::new()
                .name(format!("job {job}"))
                .spawn_scoped(scope, move || shared.work(work, is_stopped, &sender));
            match started {
                Err(problem) if job == 0 => return Err(problem),
                // Fewer threads than wanted are slower, and otherwise as good.
                Err(_) => break,
                Ok(_) => {}
            }
        }
        drop(sender);
        shared.hand_on(&receiver, each);
        Ok(())
    })
}

type Message<T> = (u64, Result<T, Panic>);

struct Shared {
    total: u64,
    is_over: AtomicBool,
    counts: Mutex<Counts>,
    moved: Condvar,
    ahead: u64,
}

#[derive(Default)]
struct Counts {
    /// How many pieces have been taken.
    taken: u64,
    /// How many results have been handed on.
    handed_on: u64,
}

impl Shared {
    fn work<T>(
        &self,
        work: &impl Fn(u64) -> T,
        is_stopped: &impl Fn() -> bool,
        sender: &Sender<Message<T>>,
    ) {
        while let Some(number) = self.take(is_stopped) {
            let done = catch_unwind(AssertUnwindSafe(|| work(number)));
            let done = done.map_err(|payload| Panic(panics::message(&*payload)));
            if sender.send((number, done)).is_err() {
                return;
            }
        }
    }

    /// The next piece, once it is near enough. One that is taken is done, so that there is never a
    /// hole in the results.
    fn take(&self, is_stopped: &impl Fn() -> bool) -> Option<u64> {
        let mut counts = self.lock();
        while counts.taken >= counts.handed_on.saturating_add(self.ahead) {
            counts = self.moved.wait(counts).unwrap_or_else(PoisonError::into_inner);
        }
        // Asked after the wait, which may have been long.
        if counts.taken == self.total || is_stopped() || self.is_over.load(Ordering::Relaxed) {
            return None;
        }
        counts.taken += 1;
        Some(counts.taken - 1)
    }

    fn hand_on<T>(
        &self,
        receiver: &Receiver<Message<T>>,
        mut each: impl FnMut(u64, Result<T, Panic>) -> ControlFlow<()>,
    ) {
        let mut early = BTreeMap::new();
        let mut due = 0;
        for (number, done) in receiver {
            early.insert(number, done);
            while let Some(done) = early.remove(&due) {
                if !self.is_over.load(Ordering::Relaxed) && each(due, done).is_break() {
                    self.is_over.store(true, Ordering::Relaxed);
                }
                due += 1;
            }
            self.lock().handed_on = due;
            self.moved.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        // Nothing panics while it is held.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    fn jobs(count: usize) -> NonZeroUsize {
        NonZeroUsize::new(count).expect("not 0")
    }

    #[test]
    fn results_come_in_order_for_any_number_of_threads() {
        for count in [1, 2, 7] {
            let mut seen = Vec::new();
            let each = |number, done: Result<u64, Panic>| {
                seen.push((number, done.unwrap_or_else(|panic| panic!("{}", panic.0))));
                ControlFlow::Continue(())
            };
            in_order(jobs(count), 500, || false, |number| number * 2, each).expect("threads");
            assert_eq!(seen, (0..500).map(|number| (number, number * 2)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn nobody_runs_ahead_of_the_window_so_memory_stays_flat() {
        let begun = AtomicU64::new(0);
        let mut most_ahead = 0;
        let each = |number, _| {
            most_ahead = most_ahead.max(begun.load(Ordering::Relaxed).saturating_sub(number));
            ControlFlow::Continue(())
        };
        let work = |_| {
            begun.fetch_add(1, Ordering::Relaxed);
        };
        in_order(jobs(2), 10_000, || false, work, each).expect("threads");
        assert!(most_ahead <= 2 * AHEAD_PER_JOB, "{most_ahead} pieces ahead");
        assert_eq!(begun.into_inner(), 10_000);
    }

    #[test]
    fn after_a_break_nothing_more_is_handed_on_and_everybody_comes_home() {
        let mut last = None;
        let each = |number, _| {
            last = Some(number);
            if number == 40 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        in_order(jobs(3), 100_000, || false, |_| (), each).expect("threads");
        assert_eq!(last, Some(40));
    }

    #[test]
    fn a_stop_leaves_no_hole_in_the_results() {
        let begun = AtomicU64::new(0);
        let mut handed_on = 0;
        let each = |number, _| {
            assert_eq!(number, handed_on);
            handed_on += 1;
            ControlFlow::Continue(())
        };
        let work = |_| {
            begun.fetch_add(1, Ordering::Relaxed);
        };
        let is_stopped = || begun.load(Ordering::Relaxed) >= 100;
        in_order(jobs(4), 100_000, is_stopped, work, each).expect("threads");
        assert_eq!(handed_on, begun.into_inner());
        assert!(handed_on < 100_000, "it went on to the end");
    }

    #[test]
    fn a_piece_that_waited_for_a_slow_one_is_not_begun_after_the_stop() {
        let (is_stopped, begun) = (AtomicBool::new(false), AtomicU64::new(0));
        let work = |number| {
            begun.fetch_add(1, Ordering::Relaxed);
            if number == 0 {
                // By then the other thread has begun all that it may, and will have to wait.
                while begun.load(Ordering::Relaxed) < 2 * AHEAD_PER_JOB {
                    thread::yield_now();
                }
                is_stopped.store(true, Ordering::Relaxed);
            }
        };
        let each = |_, _| ControlFlow::Continue(());
        let stopped = || is_stopped.load(Ordering::Relaxed);
        in_order(jobs(2), 10_000, stopped, work, each).expect("threads");
        assert_eq!(begun.into_inner(), 2 * AHEAD_PER_JOB);
    }

    #[test]
    fn a_panic_in_the_work_is_a_result_like_any_other() {
        let mut seen = Vec::new();
        let each = |number, done: Result<(), Panic>| {
            seen.push((number, done.map_err(|panic| panic.0)));
            ControlFlow::Continue(())
        };
        let work = |number| assert!(number != 1, "no ones here");
        in_order(jobs(2), 3, || false, work, each).expect("threads");
        assert_eq!(seen[0], (0, Ok(())));
        assert!(matches!(&seen[1], (1, Err(message)) if message.starts_with("no ones here")));
        assert_eq!(seen[2], (2, Ok(())));
    }
}
