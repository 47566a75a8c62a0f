//! Whether enough happened for the outcome of many runs to mean anything.
//!
//! Owns the two rules: every listed family of faults must have fired, and every expected cell must
//! have been seen, once there were enough seeds to ask. It must not know how the runs ended: a
//! green run in which nothing happened is not green.

use seamstress_plan::{Expectation, ExpectedCell, Family, Trio};
use seamstress_report::Tally;

/// How many seeds a sweep needs before a family that never fired means anything: each is out for
/// every other seed.
const FAMILIES_SEEDS_MIN: u64 = 20;

/// The cells that so many seeds should have seen and did not.
pub fn missing_cells(tally: &Tally, expectation: &Expectation, trio: &Trio) -> Vec<ExpectedCell> {
    if tally.seeds() >= Expectation::CELLS_SEEDS_MIN && trio.is_reference() {
        tally.missing_cells(&expectation.cells)
    } else {
        Vec::new()
    }
}

/// Why the outcome means nothing, if it does: a line for each reason.
pub fn why_nothing_is_proven(
    seeds: u64,
    is_drawn: bool,
    never_fired: &[Family],
    missing: &[ExpectedCell],
) -> Vec<String> {
    if seeds == 0 {
        return vec!["nothing ran: the range of seeds is empty".to_owned()];
    }
    let mut reasons = Vec::new();
    if !never_fired.is_empty() && is_drawn && seeds >= FAMILIES_SEEDS_MIN {
        let families: Vec<&str> = never_fired.iter().map(|family| family.name()).collect();
        let families = families.join(", ");
        reasons.push(format!("nothing is proven: no fault fired in {seeds} seeds of: {families}"));
    }
    if !missing.is_empty() {
        let cells: Vec<&str> = missing.iter().map(|cell| cell.name()).collect();
        let cells = cells.join(", ");
        reasons.push(format!("nothing is proven: in {seeds} seeds no resumption was: {cells}"));
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::playing::Played;
    use crate::target;

    /// What a sweep of the storm says if the generator leaves a family out.
    fn said_without(family: Option<Family>) -> Vec<String> {
        let storm = seamstress_plan::builtin_named("storm").expect("a scenario of this build");
        let storm = target::of_build(storm).expect("a scenario");
        let mut tally = Tally::default();
        for seed in 0..FAMILIES_SEEDS_MIN {
            let mut plan = storm.plan(seed, &Trio::default());
            plan.faults.retain(|fault| Some(fault.family) != family);
            tally.add(seed, &Played::of(plan).expect("played").result());
        }
        let never_fired = tally.never_fired(&storm.families());
        why_nothing_is_proven(tally.seeds(), !storm.is_written(), &never_fired, &[])
    }

    #[test]
    fn a_generator_that_silently_leaves_out_any_family_of_the_storm_is_caught() {
        assert_eq!(said_without(None), Vec::<String>::new(), "the storm itself proves something");
        for family in Family::ALL {
            let said = said_without(Some(family));
            assert_eq!(said.len(), 1, "{family}: {said:?}");
            assert!(said[0].ends_with(&format!(" 20 seeds of: {family}")), "{said:?}");
        }
    }

    #[test]
    fn a_family_that_never_fired_counts_from_20_drawn_seeds_on() {
        let count =
            |seeds, is_drawn| why_nothing_is_proven(seeds, is_drawn, &[Family::Drop], &[]).len();
        assert_eq!((count(19, true), count(20, true), count(20, false)), (0, 1, 0));
    }

    #[test]
    fn no_seed_at_all_proves_nothing_and_both_reasons_are_said() {
        assert_eq!(why_nothing_is_proven(0, true, &[], &[]).len(), 1);
        let both = why_nothing_is_proven(1_000, true, &[Family::Shape], &[ExpectedCell::Needless]);
        assert!(both[0].ends_with(": shape") && both[1].ends_with(": needless"), "{both:?}");
    }
}
