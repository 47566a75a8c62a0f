//! Earlier, shorter, rounder.
//!
//! Owns the pass that cuts the tail and brings everything nearer to the beginning: fewer events,
//! earlier places, rounder times. The quiet tail keeps its length, whatever is cut: a plan that
//! gives a call no time to end would be called stuck with any implementation. It must not know what
//! is looked for.

use super::extents::each_fault;
use super::numbers::{earlier as earlier_times, smaller};
use super::search::Search;
use super::{Pass, Shown, Stop, Trial};
use crate::{Ask, Fault, Operation, Phases, Place, Plan, Trigger};

/// Brings everything nearer to the beginning.
pub(super) fn earlier<T: Trial>(search: &mut Search<'_, T>) -> Result<(), Stop> {
    search.take_all(Pass::Times, shorter)?;
    search.take_all(Pass::Times, |best, _| at_once(best))?;
    search.take_all(Pass::Times, |best, _| each_operation(best, fewer_events))?;
    search.take_all(Pass::Times, |best, _| each_operation(best, other_times))?;
    search.take_all(Pass::Times, |best, _| each_fault(best, nearer_places))
}

/// The chaos ends soon after what is looked for was seen, and the run with it.
fn shorter(best: &Plan, shown: Shown) -> Vec<Plan> {
    let Phases { chaos_from_ms, chaos_until_ms, deadline_ms } = best.phases;
    let tail_ms = deadline_ms.saturating_sub(chaos_until_ms);
    let with = |chaos_from_ms: u64, chaos_until_ms: u64| {
        let deadline_ms = chaos_until_ms.saturating_add(tail_ms);
        let phases = Phases { chaos_from_ms, chaos_until_ms, deadline_ms };
        Plan { phases, ..best.clone() }
    };
    let soon_ms = shown.at_ms.saturating_add(1).min(chaos_until_ms);
    let mut ends = earlier_times(soon_ms, chaos_from_ms);
    ends.push(soon_ms);
    ends.extend(earlier_times(chaos_until_ms, chaos_from_ms));
    let ended = ends.into_iter().map(|until_ms| with(chaos_from_ms, until_ms));
    let begun =
        earlier_times(chaos_from_ms, 0).into_iter().map(|from_ms| with(from_ms, chaos_until_ms));
    begun.chain(ended).collect()
}

/// Everything is asked for at the beginning.
fn at_once(best: &Plan) -> Vec<Plan> {
    let mut plan = best.clone();
    for operation in &mut plan.workload {
        operation.at_ms = 0;
    }
    vec![plan]
}

fn each_operation(best: &Plan, others: impl Fn(&Operation) -> Vec<Operation>) -> Vec<Plan> {
    let mut plans = Vec::new();
    for (index, operation) in best.workload.iter().enumerate() {
        for other in others(operation) {
            let mut plan = best.clone();
            plan.workload[index] = other;
            // Operations stand in the order of time.
            plan.workload.sort_by_key(|operation| operation.at_ms);
            plans.push(plan);
        }
    }
    plans
}

/// Fewer events, and progress on the call's own stream.
fn fewer_events(operation: &Operation) -> Vec<Operation> {
    let ask = &operation.ask;
    let with = |ask: Ask| Operation { ask, ..operation.clone() };
    let Some(interval_ms) = ask.interval_ms() else { return Vec::new() };
    let direct = match *ask {
        Ask::Count { events, interval_ms, progress_on_standalone: true } => {
            Some(with(Ask::Count { events, interval_ms, progress_on_standalone: false }))
        }
        _ => None,
    };
    let fewer = smaller(ask.events(), 1).into_iter();
    direct.into_iter().chain(fewer.map(|events| with(ask.paced(events, interval_ms)))).collect()
}

fn other_times(operation: &Operation) -> Vec<Operation> {
    let ask = &operation.ask;
    let earlier = earlier_times(operation.at_ms, 0).into_iter();
    let earlier = earlier.map(|at_ms| Operation { at_ms, ..operation.clone() });
    let faster = earlier_times(ask.interval_ms().unwrap_or(0), 0).into_iter();
    let faster = faster.map(|interval_ms| {
        let ask = ask.paced(ask.events(), interval_ms);
        Operation { ask, ..operation.clone() }
    });
    earlier.chain(faster).collect()
}

/// Earlier places of the same kind.
fn nearer_places(fault: &Fault) -> Vec<Fault> {
    let at = |trigger: Trigger| Fault { trigger, ..fault.clone() };
    match &fault.trigger {
        Trigger::Head { .. } | Trigger::Response { .. } => Vec::new(),
        Trigger::Event { stream, nth, place } => {
            let event =
                |nth: u64, place: Place| at(Trigger::Event { stream: stream.clone(), nth, place });
            let between = [Place::After, Place::Before].map(|between| event(*nth, between));
            let nearer = smaller(*nth, 1).into_iter().map(|nth| event(nth, *place));
            let bytes = match place {
                Place::Byte(bytes) => smaller(*bytes, 1),
                _ => Vec::new(),
            };
            let inside = bytes.into_iter().map(|bytes| event(*nth, Place::Byte(bytes)));
            between.into_iter().chain(nearer).chain(inside).collect()
        }
        Trigger::Resume { stream, nth } => {
            let resume = |nth: u64| at(Trigger::Resume { stream: stream.clone(), nth });
            smaller(*nth, 1).into_iter().map(resume).collect()
        }
        Trigger::Replay { stream, nth, events } => {
            let replay =
                |nth: u64, events: u64| at(Trigger::Replay { stream: stream.clone(), nth, events });
            let sooner = smaller(*nth, 1).into_iter().map(|nth| replay(nth, *events));
            let fewer = smaller(*events, 0).into_iter().map(|events| replay(*nth, events));
            sooner.chain(fewer).collect()
        }
        Trigger::At { at_ms } => {
            earlier_times(*at_ms, 0).into_iter().map(|at_ms| at(Trigger::At { at_ms })).collect()
        }
    }
}
