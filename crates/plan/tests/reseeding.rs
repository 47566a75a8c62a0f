//! What drawing the rest of a plan anew promises: the past stays, the future is possible and lies
//! after the point, and the same seed gives the same.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use seamstress_plan::{
    Action, Extent, Family, Fault, Passed, Past, Place, Plan, Redraw, Scenario, Trigger, builtin,
    builtin_named, generate, reseed, validate,
};

fn scenario(name: &str) -> Scenario {
    let builtin = builtin_named(name).expect("the name is registered");
    Scenario::from_toml(name, builtin.text).expect("built-in scenarios can be read")
}

fn redraw(name: &str) -> Redraw {
    Redraw::of_scenario(&scenario(name)).expect("something is drawn")
}

fn any_drawn_scenario() -> impl Strategy<Value = &'static str> {
    let drawn =
        builtin().iter().map(|builtin| builtin.name).filter(|name| *name != "incident-4471");
    prop::sample::select(drawn.collect::<Vec<_>>())
}

/// A past of this plan: the operations up to a time, and such faults on them as the bits choose.
fn past(plan: &Plan, session_ms: Option<u64>, bits: u64) -> Past {
    let began = |at_ms: u64| session_ms.is_some_and(|session_ms| at_ms <= session_ms);
    let operations: BTreeSet<String> = plan
        .workload
        .iter()
        .filter(|operation| began(operation.at_ms))
        .map(|operation| operation.id.clone())
        .collect();
    let now_ms = session_ms.map(|session_ms| session_ms + 12);
    let could_happen = |fault: &Fault| match &fault.trigger {
        Trigger::At { at_ms } => now_ms.is_some_and(|now_ms| *at_ms <= now_ms),
        other => other.stream().is_some_and(|stream| operations.contains(stream)),
    };
    let faults = plan.faults.iter().enumerate();
    let faults = faults.filter(|(index, fault)| bits >> index & 1 == 1 && could_happen(fault));
    let faults = faults.map(|(_, fault)| fault.id.clone()).collect();
    Past { operations, faults, now_ms, session_ms, streams: BTreeMap::new() }
}

fn ids(faults: &[Fault]) -> Vec<&str> {
    faults.iter().map(|fault| fault.id.as_str()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_has_happened_stays_and_what_is_drawn_is_possible_and_lies_after_the_point(
        name in any_drawn_scenario(), seed: u64, other: u64,
        session_ms in prop::option::of(0_u64..40), bits: u64,
    ) {
        let scenario = scenario(name);
        let redraw = Redraw::of_scenario(&scenario).expect("something is drawn");
        let plan = generate(&scenario, name, seed);
        let past = past(&plan, session_ms, bits);
        let reseeded = reseed(&plan, &past, &redraw, other);
        prop_assert!(validate(&reseeded).is_ok(), "{:?}", validate(&reseeded));

        let kept = |reseeded: &Plan, plan: &Plan| {
            let operations = plan.workload.iter().filter(|o| past.operations.contains(&o.id));
            let faults = plan.faults.iter().filter(|fault| past.faults.contains(&fault.id));
            operations.into_iter().all(|operation| reseeded.workload.contains(operation))
                && faults.eq(reseeded.faults.iter().take(past.faults.len()))
        };
        prop_assert!(kept(&reseeded, &plan), "the past changed: {:?}", reseeded);
        let nothing_else = Plan {
            workload: plan.workload.clone(), faults: plan.faults.clone(), ..reseeded.clone()
        };
        prop_assert_eq!(&nothing_else, &plan);

        for operation in &reseeded.workload {
            let is_later = past.session_ms.is_none_or(|session_ms| operation.at_ms > session_ms);
            prop_assert!(past.operations.contains(&operation.id) || is_later, "{:?}", operation);
        }
        for fault in &reseeded.faults[past.faults.len()..] {
            if let Trigger::At { at_ms } = fault.trigger {
                prop_assert!(past.now_ms.is_none_or(|now_ms| at_ms > now_ms), "{:?}", fault);
            }
        }
        prop_assert_eq!(&reseed(&plan, &past, &redraw, other), &reseeded);
    }

    #[test]
    fn from_the_very_beginning_the_rest_is_the_plan_of_the_other_seed(seed: u64, other: u64) {
        // Nothing of the topology is drawn in this scenario that a fault depends on.
        let scenario = scenario("drop");
        let plan = generate(&scenario, "drop", seed);
        let reseeded = reseed(&plan, &Past::default(), &redraw("drop"), other);
        let drawn = generate(&scenario, "drop", other);
        prop_assert_eq!((reseeded.workload, reseeded.faults), (drawn.workload, drawn.faults));
        prop_assert_eq!((reseeded.topology, reseeded.seed), (plan.topology, plan.seed));
    }

    #[test]
    fn a_family_has_no_more_faults_than_it_had_or_than_the_other_seed_gives_it(
        seed: u64, other: u64, bits: u64,
    ) {
        let scenario = scenario("storm");
        let redraw = Redraw::of_scenario(&scenario).expect("something is drawn");
        let plan = generate(&scenario, "storm", seed);
        let past = past(&plan, Some(20), bits);
        let reseeded = reseed(&plan, &past, &redraw, other);
        // As the other seed draws it: nothing has happened, and no time has passed.
        let nothing = Past { faults: BTreeSet::new(), now_ms: None, ..past.clone() };
        let whole = reseed(&plan, &nothing, &redraw, other);
        let own = |faults: &[Fault], family| {
            faults.iter().filter(|f| f.family == family && !f.id.contains("-cut")).count()
        };
        let kept = &reseeded.faults[..past.faults.len()];
        for family in Family::ALL {
            let most = own(kept, family).max(own(&whole.faults, family));
            prop_assert!(own(&reseeded.faults, family) <= most, "{family}: {:?}", reseeded.faults);
        }
    }

    #[test]
    fn a_plan_that_no_scenario_is_known_for_keeps_its_operations_and_its_families(
        seed: u64, other: u64, bits: u64,
    ) {
        let plan = generate(&scenario("storm"), "storm", seed);
        let past = past(&plan, Some(9), bits);
        let reseeded = reseed(&plan, &past, &Redraw::of_plan(&plan), other);
        prop_assert!(validate(&reseeded).is_ok());
        prop_assert_eq!(&reseeded.workload, &plan.workload);
        for fault in &reseeded.faults {
            let is_cut = fault.id.contains("-cut");
            let is_known = plan.faults.iter().any(|known| known.family == fault.family);
            prop_assert!(is_known || is_cut, "{:?}", fault);
        }
    }
}

/// A plan of one call with this fault, and a past in which it was reached.
fn with_fault(id: &str, action: Action, trigger: Trigger) -> (Plan, Past) {
    let mut plan = generate(&scenario("drop"), "drop", 1);
    let extent = Extent::default();
    plan.faults = vec![Fault { id: id.into(), family: action.family(), trigger, action, extent }];
    let past = Past {
        operations: plan.workload.iter().map(|operation| operation.id.clone()).collect(),
        faults: BTreeSet::from([id.to_owned()]),
        ..Past::default()
    };
    (plan, past)
}

fn at_event(nth: u64) -> Trigger {
    Trigger::Event { stream: "c1".into(), nth, place: Place::After }
}

#[test]
fn a_drawn_fault_never_bears_the_id_of_one_that_has_happened() {
    let (plan, past) = with_fault("rotation-1-cut", Action::CutReset, at_event(2));
    let redraw = redraw("storm");
    let mut renamed = 0;
    for seed in 0..200 {
        let reseeded = reseed(&plan, &past, &redraw, seed);
        assert_eq!(reseeded.faults[0], plan.faults[0]);
        assert!(validate(&reseeded).is_ok(), "{:?}", reseeded.faults);
        renamed += usize::from(ids(&reseeded.faults).contains(&"rotation-1-cut-2"));
    }
    assert!(renamed > 0, "no seed gave that rotation a cut");
}

#[test]
fn a_fault_of_a_hand_written_plan_counts_as_one_of_its_family() {
    let (plan, past) = with_fault("my-own", Action::CutReset, at_event(2));
    let redraw = Redraw::of_plan(&plan);
    for seed in 0..200 {
        let reseeded = reseed(&plan, &past, &redraw, seed);
        assert_eq!(ids(&reseeded.faults), ["my-own"], "it was the only one the plan has");
    }
}

#[test]
fn what_has_passed_for_certain_is_no_place_for_a_drawn_fault() {
    let mut plan = generate(&scenario("storm"), "storm", 1);
    plan.faults.clear();
    let passed = Passed { head: true, events: 5, response: true, resumes: 1 };
    let streams = plan.workload.iter().map(|operation| (operation.id.clone(), passed)).collect();
    let operations = plan.workload.iter().map(|operation| operation.id.clone()).collect();
    let past = Past { operations, streams, now_ms: Some(60), ..Past::default() };
    let redraw = redraw("storm");
    let mut drawn = 0;
    for seed in 0..300 {
        let reseeded = reseed(&plan, &past, &redraw, seed);
        for fault in &reseeded.faults {
            let is_over = match &fault.trigger {
                trigger if trigger.stream().is_some_and(|s| !past.operations.contains(s)) => false,
                Trigger::Head { .. } | Trigger::Response { .. } => true,
                Trigger::Event { nth, .. } => *nth <= 5,
                Trigger::Resume { nth, .. } => *nth <= 1,
                Trigger::Replay { nth, .. } => *nth < 1,
                Trigger::At { at_ms } => *at_ms <= 60,
            };
            assert!(!is_over, "{fault:?}");
            drawn += 1;
        }
    }
    assert!(drawn > 100, "only {drawn} faults were left");
}

#[test]
fn the_operation_stays_whose_stream_a_fault_has_reached() {
    let (plan, past) = with_fault("drop-1", Action::CutReset, at_event(2));
    // As with a client that does not say which of its requests belongs to which operation.
    let past = Past { operations: BTreeSet::new(), session_ms: Some(1_000), ..past };
    let reseeded = reseed(&plan, &past, &redraw("drop"), 1);
    let c1 = plan.workload.iter().find(|operation| operation.id == "c1").expect("a call");
    assert_eq!(reseeded.workload, std::slice::from_ref(c1));
    assert!(validate(&reseeded).is_ok());
}

#[test]
fn an_operation_goes_with_the_faults_on_its_stream_and_nothing_else() {
    let plan = generate(&scenario("storm"), "storm", 2);
    let gone = BTreeSet::from(["c1".to_owned(), "drop-1".to_owned()]);
    let without = plan.without(&gone);
    assert!(plan.faults.iter().any(|fault| fault.trigger.stream() == Some("c1")));
    let stays = |fault: &&Fault| fault.id != "drop-1" && fault.trigger.stream() != Some("c1");
    assert!(without.faults.iter().eq(plan.faults.iter().filter(stays)));
    assert!(without.workload.iter().eq(plan.workload.iter().filter(|o| o.id != "c1")));
    assert!(validate(&without).is_ok());
}

#[test]
fn nothing_can_be_drawn_anew_as_a_scenario_draws_that_draws_nothing() {
    assert!(Redraw::of_scenario(&scenario("incident-4471")).is_none());
}
