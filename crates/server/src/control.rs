//! What faults do to a server from inside: bursts, eviction, re-basing, other replicas' views.
//!
//! Owns the actions that no request can ask for. They act on the shared store, as the operator of
//! a real server would. It must not know which fault of which plan asks, nor when.

use seamstress_resumption::{Counters, IdScheme, Retention};

use crate::emission::Emission;
use crate::resolving::View;
use crate::session::Session;
use crate::store::Store;

/// A hand inside the server.
#[derive(Clone)]
pub struct Control {
    store: Store,
}

/// What an action changed: how many sessions or events it touched. Zero is no effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// Sessions that were there to act on.
    pub sessions: u64,
    /// Events that were emitted or forgotten.
    pub events: u64,
}

impl Control {
    /// A hand inside the server of this store.
    #[must_use]
    pub fn new(store: Store) -> Control {
        Control { store }
    }

    /// Emits so many notifications at once on the standalone stream of every session.
    pub fn burst(&self, count: u64) -> Effect {
        self.each_session(|session| {
            for _ in 0..count {
                self.store.emit_standalone_in(0, session, &Emission::Announcement);
            }
            count
        })
    }

    /// From now on every session keeps only its newest `events_max` events.
    pub fn shrink_ring(&self, events_max: u64) -> Effect {
        let retention = self.store.options.retention;
        self.each_session(|session| {
            let before = retained(session);
            let retention = Retention { session_events_max: Some(events_max), ..retention };
            session.log.set_retention(retention);
            before.saturating_sub(retained(session))
        })
    }

    /// Every session forgets the events that are older than this, in milliseconds.
    pub fn age_out(&self, age_ms: u64) -> Effect {
        let now_ms = self.store.recorder.now_ms();
        self.each_session(|session| {
            let before = retained(session);
            let now = session.log.options().retention;
            session.log.set_retention(Retention { age_ms_max: Some(age_ms), ..now });
            session.log.expire(now_ms);
            session.log.set_retention(now);
            before.saturating_sub(retained(session))
        })
    }

    /// Forgets a session with all its events; `None`: every session.
    pub fn evict_sessions(&self, why: &str) -> Effect {
        let sessions: Vec<String> = self.store.lock().sessions.keys().cloned().collect();
        let ended = sessions.iter().filter(|id| self.store.end_session(0, id, why));
        Effect { sessions: ended.count() as u64, events: 0 }
    }

    /// Every session begins to number its events anew; those of before are gone.
    ///
    /// The ids of `epoch-namespaced` tell the two lives apart, so its counters begin again. A
    /// correct server with another scheme goes on above what it has issued: a counter that
    /// restarts would make an old cursor look like a new one.
    pub fn rebase(&self) -> Effect {
        let counters = match self.store.options.id_scheme {
            IdScheme::EpochNamespaced => Counters::Restarted,
            IdScheme::SessionCounter | IdScheme::Namespaced | IdScheme::StreamCounter => {
                Counters::Persisted
            }
        };
        self.each_session(|session| {
            let before = retained(session);
            session.log.rebase(counters);
            before.max(1)
        })
    }

    /// What replica number `replica` will see when it is next asked to resume.
    pub fn set_view(&self, replica: usize, view: View) {
        self.store.lock().views.insert(replica, view);
    }

    fn each_session(&self, mut act: impl FnMut(&mut Session) -> u64) -> Effect {
        let mut effect = Effect::default();
        for session in self.store.lock().sessions.values_mut() {
            effect.sessions += 1;
            effect.events += act(session);
        }
        effect
    }
}

fn retained(session: &Session) -> u64 {
    session.log.retained_all().count() as u64
}
