//! Fewer operations, and so fewer streams.
//!
//! Owns the passes that take operations out. A fault on a stream that is gone goes with it, or moves
//! over to a stream that stays. It must not know what operations ask for.

use super::ddmin::minimise;
use super::search::Search;
use super::{Pass, Shown, Stop, Trial};
use crate::{Plan, Trigger};

/// Takes operations out.
pub(super) fn fewer<T: Trial>(search: &mut Search<'_, T>) -> Result<(), Stop> {
    minimise(search, Pass::Operations, |plan| plan.workload.len(), keep)?;
    search.take_all(Pass::Operations, moved_over)
}

fn keep(plan: &Plan, kept: &[usize]) -> Plan {
    let workload = kept.iter().map(|index| plan.workload[*index].clone()).collect();
    let mut plan = Plan { workload, ..plan.clone() };
    let Plan { workload, faults, .. } = &mut plan;
    faults.retain(|fault| match fault.trigger.stream() {
        Some(stream) => workload.iter().any(|operation| operation.id == stream),
        None => true,
    });
    plan
}

/// Plans without one operation, whose faults happen on the stream of another.
fn moved_over(best: &Plan, _: Shown) -> Vec<Plan> {
    let ids: Vec<&str> = best.workload.iter().map(|operation| operation.id.as_str()).collect();
    let mut plans = Vec::new();
    for from in &ids {
        for to in ids.iter().filter(|to| *to != from) {
            let mut plan = best.clone();
            plan.workload.retain(|operation| operation.id != *from);
            for fault in &mut plan.faults {
                move_over(&mut fault.trigger, from, to);
            }
            plans.push(plan);
        }
    }
    plans
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
