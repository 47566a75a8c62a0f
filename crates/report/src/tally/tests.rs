//! Proves that a sweep adds up: what is kept of a run, and sums that no order changes.
//!
//! Owns the property that tallies merge alike in any order and grouping.

use proptest::prelude::*;
use seamstress_oracle::{FaultFamily, StreamState, VerdictReason};

use super::*;
use crate::{read_seed_line, sample, seed_line, summary_line};

#[test]
fn what_is_kept_of_a_run_is_its_verdict_keys_cells_faults_and_states() {
    let skipping = sample::skipping();
    let play = skipping.play();
    let result = SeedResult::of(3, &play);
    assert_eq!(result.verdict, Verdict::Violated);
    assert_eq!(result.digest, play.digest.to_string());
    let keys: Vec<&str> = result.findings.iter().map(|finding| finding.key.as_str()).collect();
    assert_eq!(keys, ["cursor-exact/call/resumed:resume", "skip/progress/resumed:resume"]);
    assert_eq!(result.cells, [0, 1, 0, 0, 0]);
    let counts =
        |reached, effective| FaultCounts { planned: 1, reached, fired: reached, effective };
    let faults = [
        (Action::CutClean, counts(0, 0)),
        (Action::CutReset, counts(1, 1)),
        (Action::RotateId, counts(1, 0)),
    ];
    assert_eq!(result.faults, BTreeMap::from(faults));
    let states: Vec<String> = result.states.iter().map(ToString::to_string).collect();
    assert_eq!(states, ["call-answered/drop/resume"]);
    assert_eq!((result.emitted, result.delivered, result.sim_ms), (7, 5, 40));
}

#[test]
fn a_key_counts_once_for_each_run_and_a_finding_each_time() {
    let finding =
        || KeyedFinding { oracle: Oracle::Skip, key: "skip/progress/resumed:resume".into() };
    let mut result = SeedResult::of(9, &sample::sound().play());
    result.findings = vec![finding(), finding()];
    let mut tally = Tally::default();
    tally.add(9, &result);
    tally.add(4, &result);
    assert_eq!(tally.findings()[&Oracle::Skip], 4);
    assert_eq!(tally.keys()["skip/progress/resumed:resume"], KeyTally { count: 2, first_seed: 4 });
}

#[test]
fn an_empty_tally_knows_every_oracle_family_and_action_and_no_state() {
    let tally = Tally::default();
    assert_eq!(tally.findings().len(), Oracle::ALL.len());
    assert_eq!(tally.faults().len(), Family::ALL.len());
    assert_eq!(tally.actions().len(), Action::ALL.len());
    assert_eq!((tally.states().len(), tally.last_new_state()), (0, None));
    assert_eq!((tally.seeds(), tally.outcome(Verdict::Holds), tally.cell(Cell::Sound)), (0, 0, 0));
}

#[test]
fn a_listed_family_that_never_fired_is_named_even_if_it_was_planned() {
    let mut tally = Tally::default();
    tally.add(3, &SeedResult::of(3, &sample::refused().play()));
    let listed = [Family::Drop, Family::Rotation, Family::Eviction];
    assert_eq!(tally.never_fired(&listed), [Family::Eviction]);
    assert_eq!(tally.never_fired(&[]), []);
}

#[test]
fn a_listed_action_that_no_fault_carried_out_is_named_even_if_others_of_its_family_did() {
    let mut tally = Tally::default();
    tally.add(3, &SeedResult::of(3, &sample::refused().play()));
    let listed = [Action::CutClean, Action::CutReset, Action::Burst];
    assert_eq!(tally.actions_never_fired(&listed), [Action::CutClean, Action::Burst]);
    assert_eq!(tally.faults()[&Family::Drop].planned, 2);
}

#[test]
fn a_state_counts_once_for_each_run_and_is_first_seen_by_the_lowest_seed() {
    let mut tally = Tally::default();
    let mut add = |seed, sample: sample::Sample| {
        tally.add(seed, &SeedResult::of(seed, &sample.play()));
        tally.last_new_state()
    };
    assert_eq!(add(4, sample::sound()), Some(4));
    assert_eq!(add(5, sample::skipping()), Some(4), "the same state once more");
    assert_eq!(add(6, sample::refused()), Some(6));
    let states: Vec<(String, KeyTally)> =
        tally.states().iter().map(|(state, seen)| (state.to_string(), *seen)).collect();
    let seen = |count, first_seed| KeyTally { count, first_seed };
    let wanted = [("resume", seen(2, 4)), ("below-floor", seen(1, 6))];
    assert_eq!(states, wanted.map(|(reason, seen)| (format!("call-answered/drop/{reason}"), seen)));
}

#[test]
fn the_judge_and_the_plans_call_the_families_of_faults_by_the_same_names() {
    let judges = FaultFamily::ALL.iter().filter(|family| **family != FaultFamily::NoFault);
    let judges: Vec<&str> = judges.map(|family| family.name()).collect();
    assert_eq!(judges, Family::ALL.map(Family::name));
}

#[test]
fn expected_cells_without_a_resumption_are_missing() {
    let mut tally = Tally::default();
    tally.add(3, &SeedResult::of(3, &sample::refused().play()));
    let wanted = [ExpectedCell::Sound, ExpectedCell::Needed, ExpectedCell::Needless];
    assert_eq!(tally.missing_cells(&wanted), [ExpectedCell::Sound, ExpectedCell::Needless]);
}

fn some_result() -> impl Strategy<Value = SeedResult> {
    let finding = (0..Oracle::ALL.len(), 0..3_u8).prop_map(|(oracle, state)| {
        let oracle = Oracle::ALL[oracle];
        KeyedFinding { oracle, key: format!("{oracle}/call/state-{state}") }
    });
    let counts = (1..9_u64, 0..9_u64, 0..9_u64, 0..9_u64).prop_map(
        |(planned, reached, fired, effective)| FaultCounts { planned, reached, fired, effective },
    );
    let action = prop::sample::select(Action::ALL.to_vec());
    let state =
        (0..StreamState::ALL.len(), 0..VerdictReason::ALL.len()).prop_map(|(stream, reason)| {
            ProtocolState {
                stream: StreamState::ALL[stream],
                fault: FaultFamily::Drop,
                reason: VerdictReason::ALL[reason],
            }
        });
    (
        0..1_000_u64,
        prop::sample::select(Verdict::ALL.to_vec()),
        prop::collection::vec(finding, 0..5),
        prop::array::uniform5(0..9_u64),
        prop::collection::btree_map(action, counts, 0..4),
        prop::collection::btree_set(state, 0..4),
    )
        .prop_map(|(seed, verdict, findings, cells, faults, states)| SeedResult {
            seed,
            verdict,
            digest: String::new(),
            findings,
            cells,
            faults,
            states,
            emitted: 0,
            delivered: 0,
            sim_ms: 0,
        })
}

proptest! {
    /// Whatever a run showed, a file of results can stand for it.
    #[test]
    fn a_result_that_is_written_and_read_is_the_same(result in some_result()) {
        prop_assert_eq!(read_seed_line(seed_line(&result).as_bytes()).expect("readable"), result);
    }

    /// Workers may end in any order, and share the seeds in any way.
    #[test]
    fn tallies_merged_in_any_order_and_grouping_give_the_same_summary(
        results in prop::collection::vec((some_result(), 0..3_usize), 0..20),
        order in Just([0, 1, 2]).prop_shuffle(),
    ) {
        let mut whole = Tally::default();
        let mut parts = [Tally::default(), Tally::default(), Tally::default()];
        for (result, _) in &results {
            whole.add(result.seed, result);
        }
        for (result, worker) in results.iter().rev() {
            parts[*worker].add(result.seed, result);
        }
        let [first, second, third] = order.map(|index| parts[index].clone());
        let mut left = first.clone();
        left.merge(second.clone());
        left.merge(third.clone());
        let mut right = second;
        right.merge(third);
        let mut right_first = first;
        right_first.merge(right);
        let line = |tally: &Tally| summary_line(tally, &[], 1.0, false);
        prop_assert_eq!(line(&left), line(&whole));
        prop_assert_eq!(line(&right_first), line(&whole));
    }
}
