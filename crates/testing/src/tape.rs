//! What a participant wrote down, for a test to look at.
//!
//! Owns a recorder on tokio's clock and everything that was recorded so far.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use seamstress_trace::{Record, Recorder, What};
use tokio::time::Instant;

/// See the file's head. Cloning it gives another handle to the same tape.
#[derive(Clone)]
pub struct Tape {
    recorder: Recorder,
    seen: Arc<Mutex<Vec<Record>>>,
}

impl Tape {
    /// An empty tape; its milliseconds count from now.
    #[must_use]
    pub fn begin() -> Tape {
        let begun = Instant::now();
        let now_ms = move || u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        Tape { recorder: Recorder::new(now_ms), seen: Arc::default() }
    }

    /// What a participant is given to record with.
    #[must_use]
    pub fn recorder(&self) -> Recorder {
        self.recorder.clone()
    }

    /// How old the tape is, in milliseconds.
    #[must_use]
    pub fn now_ms(&self) -> u64 {
        self.recorder.now_ms()
    }

    /// Every record so far.
    #[must_use]
    pub fn records(&self) -> Vec<Record> {
        self.lock().clone()
    }

    /// From every record that `pick` wants, what it makes of it.
    pub fn pick<T>(&self, pick: impl FnMut(What) -> Option<T>) -> Vec<T> {
        self.records().into_iter().map(|record| record.what).filter_map(pick).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Record>> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.extend(self.recorder.take());
        seen
    }
}
