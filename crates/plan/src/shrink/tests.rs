//! The search as a whole, with failures that depend on the plan alone.
//!
//! Proves what it promises of any trial: small results, possible plans, the budget, a fixpoint. It
//! must not play anything.

use super::*;
use crate::{
    Action, Ask, Extent, Family, Fault, Place, Scenario, Trigger, builtin, builtin_named, generate,
    validate,
};

/// A failure that depends on the plan alone, and counts how often it was asked.
struct FailsIf<F> {
    fails: F,
    asked: u64,
    smaller: Vec<(Pass, u64)>,
    interrupted_after: Option<u64>,
}

impl<F: Fn(&Plan) -> bool> FailsIf<F> {
    fn new(fails: F) -> FailsIf<F> {
        FailsIf { fails, asked: 0, smaller: Vec::new(), interrupted_after: None }
    }
}

impl<F: Fn(&Plan) -> bool> Trial for FailsIf<F> {
    fn first(&mut self, candidates: &[Plan]) -> Tried {
        if self.interrupted_after.is_some_and(|after| self.asked >= after) {
            return Tried::Interrupted;
        }
        for (index, candidate) in candidates.iter().enumerate() {
            validate(candidate).expect("only possible plans are tried");
            self.asked += 1;
            if (self.fails)(candidate) {
                return Tried::Found { index, shown: Shown { at_ms: 90 } };
            }
        }
        Tried::Nothing
    }

    fn is_smaller(&mut self, pass: Pass, _: &Plan, runs: u64) {
        self.smaller.push((pass, runs));
    }
}

fn storm(seed: u64) -> Plan {
    let built = builtin_named("storm").expect("a scenario of this build");
    let scenario = Scenario::from_toml("storm.toml", built.text).expect("a scenario");
    generate(&scenario, "storm", seed)
}

const SEEN: Shown = Shown { at_ms: 120 };

fn shrunk(plan: &Plan, fails: impl Fn(&Plan) -> bool) -> Shrunk {
    shrink(plan, SEEN, 100_000, &mut FailsIf::new(fails))
}

fn has(plan: &Plan, family: Family) -> bool {
    plan.faults.iter().any(|fault| fault.family == family)
}

fn cut(id: &str, trigger: Trigger) -> Fault {
    let extent = Extent::default();
    Fault { id: id.into(), family: Family::Drop, trigger, action: Action::CutClean, extent }
}

#[test]
fn two_families_that_must_meet_are_all_that_is_left() {
    let fails = |plan: &Plan| has(plan, Family::Drop) && has(plan, Family::Eviction);
    let seeds = (0..400).filter(|seed| fails(&storm(*seed))).take(10);
    for seed in seeds {
        let Shrunk { plan, stop, .. } = shrunk(&storm(seed), fails);
        assert_eq!(stop, Stop::OneMinimal);
        assert_eq!(plan.faults.len(), 2, "seed {seed}: {}", plan.to_json());
        assert!(plan.workload.len() <= 1, "seed {seed}: {}", plan.to_json());
    }
}

#[test]
fn the_result_shrinks_to_itself() {
    let fails = |plan: &Plan| {
        let events: u64 = plan.workload.iter().map(|asked| asked.ask.events()).sum();
        has(plan, Family::Drop) && events >= 9 && plan.topology.server.retry_ms.is_none()
    };
    let seeds: Vec<u64> = (0..400).filter(|seed| fails(&storm(*seed))).take(4).collect();
    assert!(seeds.len() == 4, "{seeds:?}");
    for seed in seeds {
        let once = shrunk(&storm(seed), fails);
        let again = shrunk(&once.plan, fails);
        assert_eq!(once.plan, again.plan, "seed {seed}");
        assert_eq!(again.stop, Stop::OneMinimal);
    }
}

#[test]
fn every_plan_of_every_scenario_shrinks_to_a_possible_plan() {
    for built in builtin() {
        let scenario = Scenario::from_toml(built.name, built.text).expect("a scenario");
        let plan = generate(&scenario, built.name, 3);
        let Shrunk { plan, .. } = shrunk(&plan, |plan| !plan.workload.is_empty());
        validate(&plan).expect("possible");
        assert_eq!((plan.workload.len(), plan.faults.len()), (1, 0), "{}", built.name);
        assert!(plan.to_json().lines().count() < 40, "{}", plan.to_json());
    }
}

#[test]
fn no_more_runs_are_made_than_the_budget_allows() {
    let plan = storm(17);
    for runs_max in [0, 1, 2, 5, 10] {
        let mut trial = FailsIf::new(|plan: &Plan| has(plan, Family::Drop));
        let Shrunk { runs, stop, .. } = shrink(&plan, SEEN, runs_max, &mut trial);
        assert_eq!(stop, Stop::Budget);
        assert_eq!((runs, trial.asked), (runs_max, runs_max));
    }
}

#[test]
fn an_interrupt_keeps_the_best_plan_so_far() {
    let plan = storm(7);
    let mut trial = FailsIf::new(|plan: &Plan| !plan.workload.is_empty());
    trial.interrupted_after = Some(1);
    let shrunk = shrink(&plan, SEEN, 1_000, &mut trial);
    assert_eq!(shrunk.stop, Stop::Interrupted);
    assert_eq!(trial.smaller.len(), 1);
    assert!(shrunk.plan.faults.is_empty(), "the first step takes all faults away");
}

#[test]
fn a_plan_that_cannot_be_smaller_costs_its_candidates_once() {
    let plan = storm(7);
    let mut trial = FailsIf::new(|_: &Plan| false);
    let shrunk = shrink(&plan, SEEN, 100_000, &mut trial);
    assert_eq!((&shrunk.plan, shrunk.stop), (&plan, Stop::OneMinimal));
    assert!(trial.smaller.is_empty());
    assert_eq!(shrunk.runs, trial.asked);
}

#[test]
fn a_fault_at_a_time_gets_the_first_place_that_fails_too() {
    let mut plan = storm(7);
    plan.faults = vec![Fault {
        id: "eviction-1".into(),
        family: Family::Eviction,
        trigger: Trigger::At { at_ms: 77 },
        action: Action::EvictSession,
        extent: Extent::default(),
    }];
    let is_late = |fault: &Fault| match &fault.trigger {
        Trigger::At { at_ms } => *at_ms >= 40,
        Trigger::Event { nth, .. } => *nth >= 3,
        _ => false,
    };
    let is_long = |asked: &crate::Operation| asked.ask.events() >= 5;
    let fails = |plan: &Plan| plan.faults.iter().any(is_late) && plan.workload.iter().any(is_long);
    let Shrunk { plan, .. } = shrunk(&plan, fails);
    let Trigger::Event { nth, place, .. } = &plan.faults[0].trigger else {
        panic!("{:?}", plan.faults);
    };
    assert_eq!((*nth, *place), (3, Place::After));
}

#[test]
fn a_fault_moves_over_to_the_stream_that_matters() {
    let mut plan = storm(7);
    let count = |id: &str, events: u64| crate::Operation {
        id: id.into(),
        at_ms: 0,
        ask: Ask::Count { events, interval_ms: 1, progress_on_standalone: false },
    };
    plan.workload = vec![count("c1", 9), count("c2", 9)];
    let event =
        |stream: &str| Trigger::Event { stream: stream.into(), nth: 2, place: Place::After };
    plan.faults = vec![cut("drop-1", event("c1")), cut("drop-2", event("c2"))];
    let Shrunk { plan, .. } = shrunk(&plan, |plan| plan.faults.len() == 2);
    assert_eq!(plan.workload.len(), 1, "{}", plan.to_json());
}

#[test]
fn the_quiet_tail_keeps_its_length() {
    let plan = storm(7);
    let tail = |plan: &Plan| plan.phases.deadline_ms - plan.phases.chaos_until_ms;
    let shrunk = shrunk(&plan, |plan| has(plan, Family::Drop) || plan.faults.is_empty());
    assert!(shrunk.plan.phases.chaos_until_ms < plan.phases.chaos_until_ms);
    assert_eq!(tail(&shrunk.plan), tail(&plan));
}
