//! Weaker faults.
//!
//! Owns what is weaker: within a family, the order of the actions by how much they take away; of an
//! action, the amount. A ring that keeps more is the weaker fault, so not everything goes down. It
//! must not know where faults happen.

use super::numbers::{digits, larger, rounder, smaller};
use super::search::Search;
use super::{Pass, Shown, Stop, Trial};
use crate::validate::COUNT_MAX;
use crate::{Action, Extent, Fault, Plan};

/// Makes faults weaker: other actions of their families first, then smaller amounts.
pub(super) fn weaker<T: Trial>(search: &mut Search<'_, T>) -> Result<(), Stop> {
    search.take_all(Pass::Extents, |best, _: Shown| {
        each_fault(best, |fault| weaker_actions(fault).into_iter().chain(less(fault)).collect())
    })
}

/// The plans in which one fault is another.
pub(super) fn each_fault(best: &Plan, others: impl Fn(&Fault) -> Vec<Fault>) -> Vec<Plan> {
    let mut plans = Vec::new();
    for (index, fault) in best.faults.iter().enumerate() {
        for other in others(fault) {
            let mut plan = best.clone();
            plan.faults[index] = other;
            plans.push(plan);
        }
    }
    plans
}

/// How strong an action is within its family: 0 for the weakest.
pub(super) fn rank(action: Action) -> u64 {
    match action {
        Action::CutClean
        | Action::RotateId
        | Action::Burst
        | Action::HoldLink
        | Action::RouteToLagging
        | Action::SecondConnection
        | Action::Rechunk => 0,
        Action::CutNoLastChunk
        | Action::RotateIdForgetOld
        | Action::ShrinkRing
        | Action::SlowReader
        | Action::RouteToEmpty
        | Action::TwinResume
        | Action::InsertComment => 1,
        Action::CutReset
        | Action::AgeOut
        | Action::IdleCut
        | Action::RouteToOtherEpoch
        | Action::InsertRetry => 2,
        Action::CutClientSide
        | Action::EvictSession
        | Action::BlackHole
        | Action::RestartKeepLog
        | Action::InsertEmptyEvent => 3,
        Action::RestartLoseLog | Action::BufferBytes => 4,
        Action::Rebase | Action::BufferUntilEnd => 5,
    }
}

fn weaker_actions(fault: &Fault) -> Vec<Fault> {
    let mut others: Vec<Action> = Action::ALL
        .iter()
        .copied()
        .filter(|other| other.family() == fault.family && rank(*other) < rank(fault.action))
        .collect();
    others.sort_by_key(|other| rank(*other));
    let into = |action: Action| {
        let needs = action.needs();
        let amount =
            |is_needed: bool, now: Option<u64>, usual: u64| is_needed.then(|| now.unwrap_or(usual));
        let Extent { count, bytes, duration_ms } = fault.extent;
        let extent = Extent {
            count: amount(needs.count, count, 1),
            bytes: amount(needs.bytes, bytes, 16),
            duration_ms: amount(needs.duration_ms, duration_ms, 50),
        };
        Fault { action, extent, ..fault.clone() }
    };
    others.into_iter().map(into).collect()
}

/// Whether a larger amount is the weaker fault.
fn weakens_upwards(action: Action) -> bool {
    matches!(action, Action::ShrinkRing | Action::AgeOut | Action::IdleCut | Action::Rechunk)
}

/// The same fault with less of it.
fn less(fault: &Fault) -> Vec<Fault> {
    let with = |extent: Extent| Fault { extent, ..fault.clone() };
    let upwards = weakens_upwards(fault.action);
    let amounts = |value: u64| if upwards { larger(value, COUNT_MAX) } else { smaller(value, 1) };
    let Extent { count, bytes, duration_ms } = fault.extent;
    if let Some(count) = count {
        return of(amounts(count), |count| with(Extent { count: Some(count), ..fault.extent }));
    }
    if let Some(bytes) = bytes {
        return of(amounts(bytes), |bytes| with(Extent { bytes: Some(bytes), ..fault.extent }));
    }
    let Some(duration_ms) = duration_ms else { return Vec::new() };
    let times =
        if upwards { rounder(duration_ms) } else { super::numbers::earlier(duration_ms, 1) };
    of(times, |ms| with(Extent { duration_ms: Some(ms), ..fault.extent }))
}

fn of(amounts: Vec<u64>, make: impl Fn(u64) -> Fault) -> Vec<Fault> {
    amounts.into_iter().map(make).collect()
}

/// Digits and amount of what a fault's extent costs: less for a weaker one.
pub(super) fn extent_cost(fault: &Fault) -> (u64, u64) {
    let upwards = weakens_upwards(fault.action);
    let amount = |value: u64, most: u64| if upwards { most.saturating_sub(value) } else { value };
    let Extent { count, bytes, duration_ms } = fault.extent;
    match (count.or(bytes), duration_ms) {
        (Some(value), _) => (0, amount(value, COUNT_MAX)),
        (None, Some(ms)) => (digits(ms), amount(ms, crate::validate::TIME_MS_MAX)),
        (None, None) => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Family;

    #[test]
    fn no_two_actions_of_a_family_are_equally_strong() {
        for family in Family::ALL {
            let of_family: Vec<u64> = Action::ALL
                .iter()
                .filter(|action| action.family() == family)
                .map(|action| rank(*action))
                .collect();
            let distinct: BTreeSet<u64> = of_family.iter().copied().collect();
            assert_eq!(distinct.len(), of_family.len(), "{family}");
            assert_eq!(distinct.first(), Some(&0), "{family}");
        }
    }
}
