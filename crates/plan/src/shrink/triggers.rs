//! Places instead of times.
//!
//! Owns the pass that gives a fault at a time a place in the protocol: a place stays where it is
//! when other code makes times shift, so the plan outlives more changes. Which place it is cannot
//! be known from the plan; the first that fails in the same way is taken. It must not know how a
//! place is counted while playing.

use super::extents::each_fault;
use super::search::Search;
use super::{Pass, Shown, Stop, Trial};
use crate::fit::TriggerKind;
use crate::{Fault, Operation, Place, Plan, Trigger};

/// The standalone stream tells nobody beforehand how many events it will have.
const EVENTS_TRIED_MAX: u64 = 20;
/// A plan is rarely about a later resumption.
const RESUMES_TRIED: u64 = 2;

/// Turns faults at a time into faults at a place.
pub(super) fn places<T: Trial>(search: &mut Search<'_, T>) -> Result<(), Stop> {
    search.take_all(Pass::Triggers, |best: &Plan, _: Shown| {
        each_fault(best, |fault| on_streams(fault, &best.workload))
    })
}

fn on_streams(fault: &Fault, workload: &[Operation]) -> Vec<Fault> {
    if fault.trigger.kind() != TriggerKind::At {
        return Vec::new();
    }
    let mut triggers = Vec::new();
    for operation in workload.iter().filter(|operation| operation.has_stream()) {
        let stream = &operation.id;
        let events = match operation.ask.events() {
            0 => EVENTS_TRIED_MAX,
            events => (events + 1).min(EVENTS_TRIED_MAX),
        };
        let after = |nth: u64| Trigger::Event { stream: stream.clone(), nth, place: Place::After };
        triggers.extend((1..=events).map(after));
        let resume = |nth: u64| Trigger::Resume { stream: stream.clone(), nth };
        triggers.extend((1..=RESUMES_TRIED).map(resume));
    }
    triggers.into_iter().map(|trigger| Fault { trigger, ..fault.clone() }).collect()
}
