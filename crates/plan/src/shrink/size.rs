//! How large a plan is.
//!
//! Owns the order in which plans are compared: what a reader has to understand first weighs most.
//! A step of the search is taken only downwards in this order, so the search ends, and no two
//! passes can undo each other for ever. It must not know the passes.

use super::extents::{extent_cost, rank};
use super::numbers::digits;
use super::topology::unusual_options;
use crate::{Ask, Place, Plan, Trigger};

/// Numbers that should be round before they are small: significant digits, then the sum.
type Roundness = (u64, u64);

/// The size of a plan; fields in the order of their weight.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Size {
    faults: usize,
    operations: usize,
    /// Faults at a time instead of a place.
    timed: usize,
    replicas: u64,
    /// Options that are not as usual.
    options: usize,
    /// Calls whose progress goes out on the standalone stream.
    detours: usize,
    /// How strong the actions are within their families.
    actions: u64,
    /// Events asked for.
    events: u64,
    extents: Roundness,
    places: u64,
    times: Roundness,
    phases: Roundness,
}

impl Size {
    pub(super) fn of(plan: &Plan) -> Size {
        let faults = &plan.faults;
        let asks = || plan.workload.iter().map(|operation| &operation.ask);
        let is_detour = |ask: &&Ask| matches!(ask, Ask::Count { progress_on_standalone: true, .. });
        let phases = [plan.phases.chaos_from_ms, plan.phases.chaos_until_ms];
        Size {
            faults: faults.len(),
            operations: plan.workload.len(),
            timed: faults.iter().filter(|fault| time_of(&fault.trigger).is_some()).count(),
            replicas: plan.topology.replicas,
            options: unusual_options(&plan.topology),
            detours: asks().filter(is_detour).count(),
            actions: faults.iter().map(|fault| rank(fault.action)).sum(),
            events: asks().map(Ask::events).sum(),
            extents: sum(faults.iter().map(extent_cost)),
            places: faults.iter().map(|fault| place_cost(&fault.trigger)).sum(),
            times: roundness(
                plan.workload
                    .iter()
                    .map(|operation| operation.at_ms)
                    .chain(asks().filter_map(Ask::interval_ms))
                    .chain(faults.iter().filter_map(|fault| time_of(&fault.trigger))),
            ),
            phases: roundness(phases.into_iter()),
        }
    }
}

fn time_of(trigger: &Trigger) -> Option<u64> {
    match trigger {
        Trigger::At { at_ms } => Some(*at_ms),
        _ => None,
    }
}

/// Earlier places are easier to find, and those between events easier to think of than those
/// inside one.
fn place_cost(trigger: &Trigger) -> u64 {
    match trigger {
        Trigger::Head { .. } | Trigger::Response { .. } | Trigger::At { .. } => 0,
        Trigger::Resume { nth, .. } => *nth,
        Trigger::Replay { nth, events, .. } => nth.saturating_add(*events),
        Trigger::Event { nth, place, .. } => nth.saturating_add(match place {
            Place::After => 0,
            Place::Before => 1,
            Place::MidField | Place::MidCharacter | Place::BetweenCrAndLf => 2,
            Place::Byte(bytes) => bytes.saturating_add(2),
        }),
    }
}

fn roundness(numbers: impl Iterator<Item = u64>) -> Roundness {
    sum(numbers.map(|number| (digits(number), number)))
}

fn sum(all: impl Iterator<Item = Roundness>) -> Roundness {
    all.fold((0, 0), |(digits, value), (more_digits, more)| {
        (digits + more_digits, value.saturating_add(more))
    })
}
