//! What a fault does, and how far it got.
//!
//! Owns the schedule, the record of each fault's progress, and the actions that are not a matter
//! of one connection's bytes. What happens to bytes is done by `pump` and `shaping`.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use seamstress_plan::{Action, AtEvent, Extent, Fault, Phases, Schedule};
use seamstress_trace::{FaultState, Host, Recorder, What};

/// What the proxy cannot do to bytes: somebody else's hands inside the server and the network.
pub trait Hands: Send + Sync + 'static {
    /// Carries an action out and says with what effect; `None`: there was nothing to act on.
    fn act(&self, action: Action, extent: Extent) -> Option<String>;

    /// Says what a replica will see when it is next asked to resume. False: the replicas share
    /// nothing, so that there is no session to see there.
    fn set_view(&self, replica: usize, view: ReplicaView) -> bool;
}

/// What a replica sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplicaView {
    /// Nothing that was stored in the last so many milliseconds.
    Lagging {
        /// See above.
        lag_ms: u64,
    },
    /// The session, and none of its events.
    Empty,
    /// The session, with events numbered in another epoch.
    OtherEpoch,
}

impl ReplicaView {
    /// The view that a routing action stands for.
    pub(crate) fn of(fault: &Fault) -> Option<ReplicaView> {
        match fault.action {
            Action::RouteToLagging => {
                Some(ReplicaView::Lagging { lag_ms: fault.extent.duration_ms.unwrap_or(1) })
            }
            Action::RouteToEmpty => Some(ReplicaView::Empty),
            Action::RouteToOtherEpoch => Some(ReplicaView::OtherEpoch),
            _ => None,
        }
    }
}

/// The faults of a run.
pub(crate) struct Faults {
    recorder: Recorder,
    inner: Mutex<Inner>,
}

struct Inner {
    schedule: Schedule,
    noted: BTreeSet<(String, FaultState)>,
}

impl Faults {
    pub fn new(faults: &[Fault], phases: Phases, recorder: Recorder) -> Faults {
        let inner = Inner { schedule: Schedule::new(faults, phases), noted: BTreeSet::new() };
        Faults { recorder, inner: Mutex::new(inner) }
    }

    /// Asks the schedule, with the time; what it gives has been reached.
    pub fn observe(&self, ask: impl FnOnce(&mut Schedule, u64) -> Vec<Fault>) -> Vec<Fault> {
        let now_ms = self.recorder.now_ms();
        let due = ask(&mut self.lock().schedule, now_ms);
        due.iter().for_each(|fault| self.reached(fault));
        due
    }

    /// The same for an event, which has faults before, inside and after it.
    pub fn observe_event(&self, ask: impl FnOnce(&mut Schedule, u64) -> AtEvent) -> AtEvent {
        let now_ms = self.recorder.now_ms();
        let due = ask(&mut self.lock().schedule, now_ms);
        due.before.iter().for_each(|fault| self.reached(fault));
        due.inside.iter().for_each(|(_, fault)| self.reached(fault));
        due.after.iter().for_each(|fault| self.reached(fault));
        due
    }

    fn reached(&self, fault: &Fault) {
        self.note(fault, FaultState::Reached, Some(fault.trigger.to_string()));
    }

    /// Whether faults may happen now.
    pub fn is_chaos(&self) -> bool {
        let now_ms = self.recorder.now_ms();
        self.lock().schedule.is_chaos(now_ms)
    }

    /// The faults that happen at a time.
    pub fn timed(&self) -> Vec<(u64, Fault)> {
        self.lock().schedule.timed()
    }

    /// Notes that a fault was carried out.
    pub fn fired(&self, fault: &Fault) {
        self.note(fault, FaultState::Fired, None);
    }

    /// Notes what a fault changed.
    pub fn effective(&self, fault: &Fault, effect: impl Into<String>) {
        self.note(fault, FaultState::Effective, Some(effect.into()));
    }

    /// Notes a state of a fault, the first time only.
    fn note(&self, fault: &Fault, state: FaultState, detail: Option<String>) {
        if !self.lock().noted.insert((fault.id.clone(), state)) {
            return;
        }
        let record = What::Fault {
            fault: fault.id.clone(),
            family: fault.family.to_string(),
            action: fault.action.to_string(),
            state,
            detail,
        };
        self.recorder.record(Host::Proxy, record);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // The schedule does not panic; a panic elsewhere ends the run.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
