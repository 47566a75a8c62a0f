//! The scenarios in `sims/`: that all of them are registered, can be read, and keep the promises
//! that their comments make.

use std::collections::BTreeSet;
use std::path::Path;

use seamstress_plan::{
    Action, Ask, Family, Plan, Scenario, StormFaults, Workload, builtin, builtin_named, generate,
    validate,
};

fn scenario(name: &str) -> Scenario {
    let builtin = builtin_named(name).expect("the name is registered");
    Scenario::from_toml(&format!("sims/{name}.toml"), builtin.text)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn plans(name: &str, seeds: u64) -> Vec<Plan> {
    let scenario = scenario(name);
    (0..seeds).map(|seed| generate(&scenario, name, seed)).collect()
}

#[test]
fn the_registry_and_the_folder_hold_the_same_scenarios() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sims");
    let mut in_folder: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder exists")
        .map(|entry| entry.expect("its entries can be read").file_name())
        .map(|name| name.into_string().expect("file names are text"))
        // Folders hold what is known of implementations that are not ours.
        .filter(|name| name.ends_with(".toml"))
        .collect();
    in_folder.sort();
    let mut registered: Vec<String> =
        builtin().iter().map(|builtin| format!("{}.toml", builtin.name)).collect();
    registered.sort();
    assert_eq!(in_folder, registered);
    assert!(builtin_named("no-such-scenario").is_none());
}

#[test]
fn every_plan_of_every_scenario_is_possible_and_comes_back_from_its_file() {
    for builtin in builtin() {
        for plan in plans(builtin.name, 200) {
            validate(&plan).unwrap_or_else(|error| panic!("{}: {error}", plan.name));
            let file = format!("{}.json", plan.name);
            let read = Plan::from_json(&file, &plan.to_json());
            assert_eq!(read.as_ref(), Ok(&plan));
        }
    }
}

#[test]
fn the_actions_of_a_scenario_are_those_that_its_plans_have() {
    for builtin in builtin() {
        let plans = plans(builtin.name, 1_000);
        let faults = plans.iter().flat_map(|plan| &plan.faults);
        let played: BTreeSet<Action> = faults.map(|fault| fault.action).collect();
        let listed: BTreeSet<Action> = scenario(builtin.name).actions().into_iter().collect();
        assert_eq!(listed, played, "{}", builtin.name);
    }
}

#[test]
fn a_scenario_that_draws_its_faults_stays_under_60_lines() {
    for builtin in builtin() {
        if let StormFaults::Drawn(_) = scenario(builtin.name).storm.faults {
            assert!(builtin.text.lines().count() < 60, "{}", builtin.name);
        }
    }
}

#[test]
fn no_scenario_draws_ids_that_repeat_within_a_session() {
    for builtin in builtin() {
        assert!(!builtin.text.contains("\"stream-counter\""), "{}", builtin.name);
    }
}

#[test]
fn a_storm_has_typically_three_streams_of_some_15_events_and_five_faults() {
    let plans = plans("storm", 2_000);
    let has_stream = |ask: &Ask| !matches!(ask, Ask::ListTools | Ask::Ping);
    let (mut streams, mut faults, mut counts, mut events_all) = (0, 0, 0, 0);
    for plan in &plans {
        faults += plan.faults.len();
        for operation in &plan.workload {
            streams += usize::from(has_stream(&operation.ask));
            if let Ask::Count { events, .. } = operation.ask {
                counts += 1;
                events_all += events;
            }
        }
        assert!(plan.phases.deadline_ms <= 1_500);
    }
    let tenths = |sum: usize| sum * 10 / plans.len();
    assert!((27..37).contains(&tenths(streams)), "{} tenths of a stream", tenths(streams));
    assert!((42..58).contains(&tenths(faults)), "{} tenths of a fault", tenths(faults));
    assert!((14..17).contains(&(events_all / counts)), "{} events", events_all / counts);
}

#[test]
fn concurrent_always_has_two_or_three_calls_beside_the_standalone_stream() {
    for plan in plans("concurrent", 300) {
        let calls =
            plan.workload.iter().filter(|operation| matches!(operation.ask, Ask::Count { .. }));
        assert!((2..=3).contains(&calls.count()), "{}", plan.name);
        assert!(plan.workload.iter().any(|operation| operation.ask == Ask::Listen));
    }
}

#[test]
fn replicas_always_has_another_replica_to_route_to() {
    let plans = plans("replicas", 300);
    assert!(plans.iter().all(|plan| (2..=3).contains(&plan.topology.replicas)));
}

#[test]
fn rebase_stays_cheap_and_cuts_only_what_is_idle_for_a_minute() {
    for plan in plans("rebase", 300) {
        let longest_ms = plan.workload.iter().map(|operation| match operation.ask {
            Ask::Count { events, interval_ms, .. } => operation.at_ms + (events + 1) * interval_ms,
            _ => operation.at_ms,
        });
        let ticks = longest_ms.max().unwrap_or(0) / plan.topology.tick_ms;
        assert!(ticks < 4_000, "{}: {ticks}", plan.name);
        let idle_cuts = plan.faults.iter().filter(|fault| fault.family == Family::Silence);
        for fault in idle_cuts {
            assert_eq!(fault.extent.duration_ms, Some(60_000), "{}", plan.name);
        }
    }
}

/// The numbers of the report, counted from the plan: each stream is primed with one event, a call
/// waits its interval before each event and before its result, and one counter numbers them all.
#[test]
fn the_incident_reaches_4471_on_the_sub_stream_with_the_gap_of_the_report() {
    let scenario = scenario("incident-4471");
    let plan = generate(&scenario, "incident-4471", 0);
    // (time, position within the time, name) of every event of the session.
    let mut events: Vec<(u64, String)> = Vec::new();
    for operation in &plan.workload {
        let (id, begin_ms) = (&operation.id, operation.at_ms);
        events.push((begin_ms, format!("{id} primed")));
        let (count, interval_ms) = match operation.ask {
            Ask::Count { events, interval_ms, .. } | Ask::Announce { events, interval_ms } => {
                (events, interval_ms)
            }
            _ => continue,
        };
        for nth in 1..=count {
            events.push((begin_ms + nth * interval_ms, format!("{id} event {nth}")));
        }
        events.push((begin_ms + (count + 1) * interval_ms, format!("{id} result")));
    }
    events.sort();
    let first = plan.topology.server.first_event_id;
    let id_of = |name: &str| {
        let place = events.iter().position(|(_, event)| event == name).expect("it happens");
        first + place as u64
    };
    assert_eq!(id_of("standalone primed"), 3117);
    assert_eq!(id_of("a1 event 2"), 3120, "where the standalone cursor stands");
    assert!((3121..4401).contains(&id_of("slow event 1")), "what is skipped");
    assert!((4401..=4471).contains(&id_of("quick result")), "what comes twice");
    assert_eq!(id_of("sub event 1344"), 4471, "where the sub-stream is cut");
    assert_eq!(id_of("slow event 2"), 4472, "where the standalone stream is cut");
    let kept = plan.topology.server.session_events_max.expect("retention is by count");
    assert_eq!(4471 - kept, 4400, "the last event that is evicted by then");
    assert!(matches!(scenario.workload, Workload::Written(_)));
}
