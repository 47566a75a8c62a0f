//! What the generator promises: a plan is a function of scenario and seed, everything is drawn by
//! itself, and what is drawn can happen.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use seamstress_plan::{
    Action, Ask, DrawnFaults, Family, Fault, Operation, Plan, Scenario, Setting, StormFaults,
    Trigger, Workload, builtin, builtin_named, generate, validate,
};

fn scenario(name: &str) -> Scenario {
    let builtin = builtin_named(name).expect("the name is registered");
    Scenario::from_toml(name, builtin.text).expect("built-in scenarios can be read")
}

fn drawn_faults(scenario: &mut Scenario) -> &mut DrawnFaults {
    match &mut scenario.storm.faults {
        StormFaults::Drawn(drawn) => drawn,
        StormFaults::Written(_) => panic!("this scenario draws its faults"),
    }
}

/// Whether a fault only happens once its stream has been cut.
fn follows_a_cut(fault: &Fault) -> bool {
    matches!(fault.trigger, Trigger::Resume { .. } | Trigger::Replay { .. })
}

/// The family whose draws a fault comes from: a cut that was brought along belongs to the fault
/// that brought it.
fn drawn_for(fault: &Fault) -> &str {
    fault.id.split_once('-').expect("ids begin with the family").0
}

fn faults_of_others(plan: &Plan, family: Family) -> Vec<&Fault> {
    plan.faults.iter().filter(|fault| drawn_for(fault) != family.name()).collect()
}

fn any_drawn_scenario() -> impl Strategy<Value = &'static str> {
    let drawn =
        builtin().iter().map(|builtin| builtin.name).filter(|name| *name != "incident-4471");
    prop::sample::select(drawn.collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_same_scenario_and_seed_give_the_same_plan(
        name in any_drawn_scenario(), seed: u64, other_seed: u64,
    ) {
        let scenario = scenario(name);
        let plan = generate(&scenario, name, seed);
        let other = generate(&scenario, name, other_seed);
        prop_assert_eq!(&generate(&scenario, name, seed), &plan);
        prop_assert_eq!(plan.to_json() == other.to_json(), seed == other_seed);
        prop_assert!(validate(&plan).is_ok());
    }

    #[test]
    fn a_family_that_is_switched_off_changes_no_fault_of_another(
        seed: u64, family in prop::sample::select(&Family::ALL[1..]),
    ) {
        let mut scenario = scenario("storm");
        let with = generate(&scenario, "storm", seed);
        drawn_faults(&mut scenario).families.retain(|listed| *listed != family);
        let without = generate(&scenario, "storm", seed);
        prop_assert_eq!(faults_of_others(&with, family), without.faults.iter().collect::<Vec<_>>());
        prop_assert_eq!(with.workload, without.workload);
        prop_assert_eq!(with.topology, without.topology);
    }

    #[test]
    fn without_drop_only_the_faults_that_follow_a_cut_move_and_keep_action_and_extent(seed: u64) {
        let mut scenario = scenario("storm");
        let with = generate(&scenario, "storm", seed);
        drawn_faults(&mut scenario).families.retain(|listed| *listed != Family::Drop);
        let without = generate(&scenario, "storm", seed);
        prop_assert!(without.faults.iter().all(|fault| fault.family != Family::Drop));
        prop_assert!(!without.faults.iter().any(follows_a_cut));
        for fault in faults_of_others(&with, Family::Drop) {
            if fault.id.ends_with("-cut") {
                continue;
            }
            let moved = without.faults.iter().find(|other| other.id == fault.id);
            match moved {
                Some(moved) if follows_a_cut(fault) => {
                    prop_assert_eq!((moved.action, moved.extent), (fault.action, fault.extent));
                }
                None => prop_assert!(follows_a_cut(fault)),
                Some(same) => prop_assert_eq!(same, fault),
            }
        }
    }

    #[test]
    fn a_seed_that_leaves_drop_out_has_no_cut_at_all(seed: u64) {
        let plan = generate(&scenario("storm"), "storm", seed);
        if !plan.faults.iter().any(|fault| drawn_for(fault) == "drop") {
            prop_assert!(plan.faults.iter().all(|fault| fault.family != Family::Drop));
            prop_assert!(!plan.faults.iter().any(follows_a_cut));
        }
    }

    #[test]
    fn more_faults_of_each_family_leave_the_first_ones_as_they_were(seed: u64) {
        let mut scenario = scenario("storm");
        let mut with = |number: u64| {
            drawn_faults(&mut scenario).faults_per_family = Setting::fixed(number);
            generate(&scenario, "storm", seed).faults
        };
        let (few, many) = (with(2), with(4));
        for fault in few {
            prop_assert!(many.contains(&fault), "{:?}", fault);
        }
    }

    #[test]
    fn a_kind_of_operation_that_is_switched_off_changes_no_other_operation(seed: u64) {
        let mut scenario = scenario("storm");
        let with = generate(&scenario, "storm", seed);
        let Workload::Drawn(drawn) = &mut scenario.workload else { panic!("storm draws") };
        drawn.kinds.announce = Setting::fixed(0);
        let without = generate(&scenario, "storm", seed);
        let is_other = |operation: &&Operation| !matches!(operation.ask, Ask::Announce { .. });
        let others: Vec<&Operation> = with.workload.iter().filter(is_other).collect();
        prop_assert_eq!(others, without.workload.iter().collect::<Vec<_>>());
        prop_assert_eq!(with.topology, without.topology);
        // A fault on a stream that stayed and has as many events as before stays as it was.
        for fault in &with.faults {
            let stream = fault.trigger.stream();
            if stream.is_some_and(|stream| stream.starts_with('c')) {
                prop_assert!(without.faults.contains(fault), "{:?}", fault);
            }
        }
    }

    #[test]
    fn a_fault_at_a_resume_brings_a_cut_of_its_stream(name in any_drawn_scenario(), seed: u64) {
        let plan = generate(&scenario(name), name, seed);
        for fault in plan.faults.iter().filter(|fault| follows_a_cut(fault)) {
            let cut_id = format!("{}-cut", fault.id);
            let cut = plan.faults.iter().find(|cut| cut.id == cut_id).expect("it brings a cut");
            prop_assert_eq!(cut.family, Family::Drop);
            prop_assert_eq!(cut.trigger.stream(), fault.trigger.stream());
            prop_assert!(!follows_a_cut(cut));
        }
    }
}

#[test]
fn the_faults_of_a_family_are_drawn_apart_from_each_other() {
    let mut scenario = scenario("storm");
    drawn_faults(&mut scenario).faults_per_family = Setting::fixed(2);
    let (mut pairs, mut equal) = (0, 0);
    for seed in 0..500 {
        let faults = generate(&scenario, "storm", seed).faults;
        let named = |id: &str| faults.iter().find(|fault| fault.id == id);
        if let (Some(one), Some(two)) = (named("drop-1"), named("drop-2")) {
            pairs += 1;
            equal += u64::from((one.action, &one.trigger) == (two.action, &two.trigger));
        }
    }
    assert!(pairs > 200 && equal * 10 < pairs, "{equal} of {pairs}");
}

#[test]
fn every_action_of_every_listed_family_is_drawn_within_2000_seeds() {
    for builtin in builtin().iter().filter(|builtin| builtin.name != "incident-4471") {
        let mut scenario = scenario(builtin.name);
        let drawn = drawn_faults(&mut scenario).clone();
        let listed = Action::ALL.iter().copied().filter(|action| {
            drawn.families.contains(&action.family())
                && (drawn.actions.is_empty() || drawn.actions.contains(action))
        });
        let mut unseen: BTreeSet<Action> = listed.collect();
        for seed in 0..2_000 {
            for fault in generate(&scenario, builtin.name, seed).faults {
                unseen.remove(&fault.action);
            }
            if unseen.is_empty() {
                break;
            }
        }
        assert_eq!(unseen, BTreeSet::new(), "{}", builtin.name);
    }
}

#[test]
fn all_families_are_out_for_some_seeds_and_each_is_out_for_half_of_them() {
    let scenario = scenario("storm");
    let mut families: BTreeMap<String, u64> = BTreeMap::new();
    let mut calm = 0;
    for seed in 0..2_000 {
        let plan = generate(&scenario, "storm", seed);
        let present: BTreeSet<String> =
            plan.faults.iter().map(|fault| drawn_for(fault).to_owned()).collect();
        calm += u64::from(plan.faults.is_empty());
        present.into_iter().for_each(|family| *families.entry(family).or_default() += 1);
    }
    assert!((5..50).contains(&calm), "about one seed in 128: {calm}");
    assert_eq!(families.len(), Family::ALL.len());
    // Routing and concurrency are left out where their action has no place without a cut.
    for (family, present) in &families {
        assert!((650..1_080).contains(present), "{family}: {present}");
    }
}

#[test]
fn a_kind_that_may_be_absent_is_in_for_half_of_the_seeds_and_a_count_always_is() {
    let scenario = scenario("storm");
    let mut announcing = 0;
    for seed in 0..2_000 {
        let plan = generate(&scenario, "storm", seed);
        let has = |name: &str| plan.workload.iter().any(|operation| operation.ask.name() == name);
        assert!(has("count"), "{}", plan.name);
        announcing += u64::from(has("announce"));
    }
    assert!((900..1_100).contains(&announcing), "{announcing}");
}

#[test]
fn a_count_is_there_even_if_the_scenario_asks_for_none_of_anything() {
    let mut scenario = scenario("drop");
    let Workload::Drawn(drawn) = &mut scenario.workload else { panic!("drop draws") };
    drawn.kinds.count = Setting::fixed(0);
    assert!(generate(&scenario, "drop", 1).workload.iter().any(|operation| operation.id == "c1"));
}

#[test]
fn faults_happen_nearly_always_at_events_that_exist() {
    let scenario = scenario("storm");
    let (mut within, mut beyond) = (0, 0);
    for seed in 0..2_000 {
        let plan = generate(&scenario, "storm", seed);
        for fault in &plan.faults {
            let Trigger::Event { stream, nth, .. } = &fault.trigger else { continue };
            let operation = plan.workload.iter().find(|operation| operation.id == *stream);
            if let Ask::Count { events, .. } = operation.expect("the stream exists").ask {
                *(if *nth <= events + 1 { &mut within } else { &mut beyond }) += 1;
            }
        }
    }
    assert!(beyond > 0, "extremes are drawn");
    assert!(within > 20 * beyond, "{within} within, {beyond} beyond");
}

#[test]
fn extents_are_extreme_for_about_one_fault_in_ten() {
    let scenario = scenario("storm");
    let (mut all, mut extreme) = (0, 0);
    for seed in 0..3_000 {
        for fault in generate(&scenario, "storm", seed).faults {
            if fault.action == Action::Burst {
                all += 1;
                extreme += u64::from(matches!(fault.extent.count, Some(1 | 200)));
            }
        }
    }
    assert!((all / 15..all / 7).contains(&extreme), "{extreme} of {all}");
}

#[test]
fn an_extent_that_the_scenario_sets_is_drawn_as_it_is_set() {
    let text = r#"
        about = "Cuts of silence of one length, and no other."
        [storm]
        families = ["silence"]
        actions = ["idle-cut"]
        [storm.extents]
        idle-cut = { duration_ms = { any = [11, 12] } }
    "#;
    let scenario = Scenario::from_toml("mine.toml", text).expect("it is a scenario");
    let plans = (0..200).map(|seed| generate(&scenario, "mine", seed));
    let durations: BTreeSet<Option<u64>> =
        plans.flat_map(|plan| plan.faults).map(|fault| fault.extent.duration_ms).collect();
    assert_eq!(durations, BTreeSet::from([Some(11), Some(12)]));
}

#[test]
fn routing_needs_another_replica_and_other_routing_does_not() {
    let mut scenario = scenario("storm");
    scenario.topology.replicas = Setting::fixed(1);
    let plans = (0..1_000).map(|seed| generate(&scenario, "storm", seed));
    let actions: BTreeSet<Action> =
        plans.flat_map(|plan| plan.faults).map(|fault| fault.action).collect();
    assert!(!actions.contains(&Action::RouteToEmpty));
    assert!(actions.contains(&Action::RestartLoseLog));
}
