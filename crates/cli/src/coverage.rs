//! Whether enough happened for the outcome of many runs to mean anything.
//!
//! Owns the rules: every listed family of faults must have fired, every expected cell must have
//! been seen, and every listed action should have fired, once there were enough seeds to ask; and
//! when going on is worth little, because nothing new comes any more. It must not know how the runs
//! ended: a green run in which nothing happened is not green.

use std::num::NonZeroU64;

use seamstress_plan::{Action, Expectation, ExpectedCell, Family, Scenario, Trio};
use seamstress_report::Tally;

/// How many seeds a sweep needs before a family that never fired means anything: each is out for
/// every other seed.
const FAMILIES_SEEDS_MIN: u64 = 20;

/// How many seeds a sweep needs before an action that never fired is worth a warning.
const ACTIONS_SEEDS_MIN: u64 = 1_000;

/// The listed actions that so many seeds should have carried out and did not.
pub fn silent_actions(tally: &Tally, scenario: &Scenario) -> Vec<Action> {
    if tally.seeds() < ACTIONS_SEEDS_MIN {
        return Vec::new();
    }
    tally.actions_never_fired(&scenario.actions())
}

/// Waits until so many seeds in a row have brought no new protocol state.
#[derive(Clone, Copy, Debug)]
pub struct Quiet {
    wanted: NonZeroU64,
    states: usize,
    seeds: u64,
}

impl Quiet {
    /// Nothing has come yet.
    pub const fn of(wanted: NonZeroU64) -> Quiet {
        Quiet { wanted, states: 0, seeds: 0 }
    }

    /// Notes that one more seed is in the tally.
    pub fn note(&mut self, tally: &Tally) {
        let states = tally.states().len();
        self.seeds = if states > self.states { 0 } else { self.seeds + 1 };
        self.states = states;
    }

    /// How many seeds in a row have brought nothing new, if they are enough.
    pub fn reached(self) -> Option<u64> {
        (self.seeds >= self.wanted.get()).then_some(self.seeds)
    }
}

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
    use std::collections::BTreeSet;

    use seamstress_report::{FaultCounts, SeedResult};

    use super::*;
    use crate::args::TrioArguments;
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

    /// What came of a run of the scenario `drop`, without its states.
    fn result() -> SeedResult {
        let named = target::plan("drop@3", &TrioArguments::default()).expect("a plan");
        let result = Played::of(named.plan).expect("played").result();
        SeedResult { states: BTreeSet::new(), ..result }
    }

    #[test]
    fn it_is_quiet_once_enough_seeds_in_a_row_have_brought_nothing_new() {
        let mut result = result();
        let mut tally = Tally::default();
        let mut quiet = Quiet::of(NonZeroU64::new(2).expect("not 0"));
        let states = ["", "primed", "", "primed", "streaming", "", "primed"];
        let reached = states.map(|state| {
            let state = format!("call-{state}/drop/resume").parse().ok();
            result.states = state.into_iter().collect();
            tally.add(7, &result);
            quiet.note(&tally);
            quiet.reached()
        });
        assert_eq!(reached, [None, None, None, Some(2), None, None, Some(2)]);
    }

    #[test]
    fn an_action_that_is_listed_and_never_fires_is_noticed_from_1000_seeds_on() {
        let scenario = target::scenario("drop").expect("a scenario").scenario;
        let mut result = result();
        result.faults.clear();
        let mut tally = Tally::default();
        (0..999).for_each(|seed| tally.add(seed, &result));
        assert_eq!(silent_actions(&tally, &scenario), []);
        let fired = FaultCounts { fired: 1, ..FaultCounts::default() };
        result.faults.insert(Action::CutReset, fired);
        tally.add(999, &result);
        let silent = [Action::CutClean, Action::CutNoLastChunk, Action::CutClientSide];
        assert_eq!(silent_actions(&tally, &scenario), silent);
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
