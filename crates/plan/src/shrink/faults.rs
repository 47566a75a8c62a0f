//! Fewer faults.
//!
//! Owns the passes that take faults out. It must not know what is left of those that stay.

use super::ddmin::minimise;
use super::search::Search;
use super::{Pass, Shown, Stop, Trial};
use crate::{Family, Plan};

/// Takes all faults out, or whole families.
pub(super) fn families<T: Trial>(search: &mut Search<'_, T>) -> Result<(), Stop> {
    let candidates = |best: &Plan, _: Shown| {
        let without = |family: Family| {
            let mut plan = best.clone();
            plan.faults.retain(|fault| fault.family != family);
            plan
        };
        let without_any = keep(best, &[]);
        [without_any].into_iter().chain(Family::ALL.into_iter().map(without)).collect()
    };
    search.take_all(Pass::Families, candidates)
}

/// Takes faults out.
pub(super) fn each<T: Trial>(search: &mut Search<'_, T>) -> Result<(), Stop> {
    minimise(search, Pass::Faults, |plan| plan.faults.len(), keep)
}

fn keep(plan: &Plan, kept: &[usize]) -> Plan {
    let faults = kept.iter().map(|index| plan.faults[*index].clone()).collect();
    Plan { faults, ..plan.clone() }
}
