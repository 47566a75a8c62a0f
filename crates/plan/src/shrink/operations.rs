//! Fewer operations, and so fewer streams.
//!
//! Owns the passes that take operations out. A fault on a stream that is gone goes with it, or
//! moves over to a stream that stays. It must not know what operations ask for.

use super::ddmin::minimise;
use super::search::Search;
use super::{Pass, Shown, Stop, Trial};
use crate::{Operation, Phases, Plan, Trigger};

/// Slow enough for a stream to outlive a reconnection.
const SLOW_MS: u64 = 5;
/// Into how many times the chaos is divided.
const TIMES_TRIED: u64 = 20;

/// Takes operations out.
pub(super) fn fewer<T: Trial>(search: &mut Search<'_, T>) -> Result<(), Stop> {
    minimise(search, Pass::Operations, |plan| plan.workload.len(), keep)?;
    search.take_all(Pass::Operations, in_place_of)
}

fn keep(plan: &Plan, kept: &[usize]) -> Plan {
    let all = plan.workload.iter().enumerate();
    let gone = all.filter(|(index, _)| !kept.contains(index));
    plan.without(&gone.map(|(_, operation)| operation.id.clone()).collect())
}

/// Plans without one operation, in whose place another one does more: it takes over the faults of
/// its stream, its events, or its time.
fn in_place_of(best: &Plan, _: Shown) -> Vec<Plan> {
    let mut plans = Vec::new();
    for gone in &best.workload {
        for staying in best.workload.iter().filter(|staying| staying.id != gone.id) {
            for doing_more in [staying.clone()].into_iter().chain(doing_more(staying, gone)) {
                plans.push(without(best, &gone.id, &doing_more));
                plans.push(moved_over(without(best, &gone.id, &doing_more), &gone.id, &staying.id));
            }
        }
        plans.extend(timed(best, gone));
    }
    plans
}

/// Plans without one operation, whose faults happen at a time instead: it may have been nothing but
/// the place for them. Another pass looks for a place on what is left.
fn timed(best: &Plan, gone: &Operation) -> Vec<Plan> {
    let Phases { chaos_from_ms, chaos_until_ms, .. } = best.phases;
    let step_ms = (chaos_until_ms.saturating_sub(chaos_from_ms) / TIMES_TRIED).max(1);
    let times = (0..TIMES_TRIED).map(|step| chaos_from_ms.saturating_add(step * step_ms));
    let at = |at_ms: u64| {
        let mut plan = best.clone();
        plan.workload.retain(|operation| operation.id != gone.id);
        for fault in &mut plan.faults {
            if fault.trigger.stream() == Some(&gone.id) {
                fault.trigger = Trigger::At { at_ms };
            }
        }
        plan
    };
    let is_place = best.faults.iter().any(|fault| fault.trigger.stream() == Some(&gone.id));
    if is_place { times.map(at).collect() } else { Vec::new() }
}

/// The operation with what another one had.
fn doing_more(staying: &Operation, gone: &Operation) -> Vec<Operation> {
    let at_its_time = Operation { at_ms: gone.at_ms, ..staying.clone() };
    let events = staying.ask.events().saturating_add(gone.ask.events());
    let paces = staying.ask.interval_ms().map(|now_ms| [now_ms, now_ms.max(SLOW_MS)]);
    let with_its_events = paces.into_iter().flatten().map(|interval_ms| {
        let ask = staying.ask.paced(events, interval_ms);
        Operation { ask, ..staying.clone() }
    });
    [at_its_time].into_iter().chain(with_its_events).collect()
}

/// A plan without one operation and with another in a new form.
fn without(plan: &Plan, gone: &str, changed: &Operation) -> Plan {
    let mut plan = plan.clone();
    plan.workload.retain(|operation| operation.id != gone);
    for operation in &mut plan.workload {
        if operation.id == changed.id {
            operation.clone_from(changed);
        }
    }
    plan.workload.sort_by_key(|operation| operation.at_ms);
    plan
}

fn moved_over(mut plan: Plan, from: &str, to: &str) -> Plan {
    for fault in &mut plan.faults {
        move_over(&mut fault.trigger, from, to);
    }
    plan
}

fn move_over(trigger: &mut Trigger, from: &str, to: &str) {
    match trigger {
        Trigger::Head { stream }
        | Trigger::Event { stream, .. }
        | Trigger::Response { stream }
        | Trigger::Resume { stream, .. }
        | Trigger::Replay { stream, .. } => {
            if stream == from {
                to.clone_into(stream);
            }
        }
        Trigger::At { .. } => {}
    }
}
