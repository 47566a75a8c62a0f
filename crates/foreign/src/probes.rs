//! The application behind a server under test: what its sessions have in common.
//!
//! Owns the names of sessions, and which of them are still there. It must not know how a server
//! keeps a session, only that it drops the [`ProbeSession`] when the session is over.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use seamstress_trace::{Host, Recorder};

use crate::session::{ProbeSession, Sent};

/// The probe tools, and the record of what they emit, for one process of a server.
///
/// A server under test calls [`Probes::begin_session`] when a session begins, keeps what it gets as
/// long as the session lives, and hands calls of tools to it.
#[derive(Clone)]
pub struct Probes {
    recorder: Recorder,
    host: Host,
    begun: Arc<AtomicU64>,
    live: Arc<Mutex<Vec<Weak<ProbeSession>>>>,
}

impl Probes {
    /// The application of replica number `replica` (from 0). `begun` counts the sessions of all
    /// processes, so that no name is given twice.
    #[must_use]
    pub fn new(recorder: Recorder, replica: usize, begun: Arc<AtomicU64>) -> Probes {
        Probes { recorder, host: Host::replica(replica), begun, live: Arc::default() }
    }

    /// Begins a session of the application.
    #[must_use]
    pub fn begin_session(&self) -> Arc<ProbeSession> {
        let number = self.begun.fetch_add(1, Ordering::Relaxed) + 1;
        let session = ProbeSession::new(format!("s{number}"), self.host, self.recorder.clone());
        let session = Arc::new(session);
        self.lock().push(Arc::downgrade(&session));
        session
    }

    /// The sessions that are still there, in the order in which they began.
    #[must_use]
    pub fn live_sessions(&self) -> Vec<Arc<ProbeSession>> {
        let mut live = self.lock();
        live.retain(|session| session.strong_count() > 0);
        live.iter().filter_map(Weak::upgrade).collect()
    }

    /// The same, and for the application they are over: a server may keep what it has of a session
    /// as long as a stream of it is open.
    pub(crate) fn end_sessions(&self) -> Vec<Arc<ProbeSession>> {
        std::mem::take(&mut *self.lock()).iter().filter_map(Weak::upgrade).collect()
    }

    /// Emits so many notifications on the standalone stream of each session.
    pub(crate) async fn burst(&self, count: u64) {
        for session in self.live_sessions() {
            for _ in 0..count {
                if session.announce().await == Sent::SessionGone {
                    break;
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Weak<ProbeSession>>> {
        // Nothing that can panic happens under this lock.
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
