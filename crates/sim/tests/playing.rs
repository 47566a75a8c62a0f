//! What a run promises: the same bytes for the same plan, and nothing but the plan in it.

use seamstress_plan::{Fault, Plan, Scenario, builtin_named, generate};
use seamstress_sim::{PlayError, play};
use seamstress_trace::{Outcome, Record, RunEnd, Trace, What};

fn plan(name: &str, seed: u64) -> Plan {
    let builtin = builtin_named(name).expect("a built-in scenario");
    let scenario = Scenario::from_toml(name, builtin.text).expect("a valid scenario");
    generate(&scenario, name, seed)
}

fn played(plan: &Plan) -> Trace {
    play(plan).expect("the reference trio is there")
}

fn end(trace: &Trace) -> Option<RunEnd> {
    match &trace.records.last()?.what {
        What::RunEnd { why, .. } => Some(*why),
        _ => None,
    }
}

/// Where a fault first shows in a run.
fn first_sign(records: &[Record], fault: &Fault) -> usize {
    let shows =
        |record: &Record| matches!(&record.what, What::Fault { fault: id, .. } if *id == fault.id);
    records.iter().position(shows).unwrap_or(records.len())
}

#[test]
fn a_plan_gives_the_same_bytes_whatever_was_played_before_it_and_beside_it() {
    let plans: Vec<Plan> = (0..24).map(|seed| plan("storm", seed)).collect();
    let forward: Vec<_> = plans.iter().map(|plan| played(plan).to_bytes()).collect();
    let backward: Vec<_> = plans.iter().rev().map(|plan| played(plan).to_bytes()).collect();
    assert!(forward.iter().eq(backward.iter().rev()));

    let beside: Vec<_> = std::thread::scope(|scope| {
        let runs: Vec<_> =
            plans.iter().map(|plan| scope.spawn(|| played(plan).to_bytes())).collect();
        runs.into_iter().map(|run| run.join().expect("no panic")).collect()
    });
    assert_eq!(forward, beside);
}

#[test]
fn taking_one_fault_out_changes_nothing_that_came_before_it() {
    for seed in 0..24 {
        let whole = plan("storm", seed);
        let trace = played(&whole);
        for (index, fault) in whole.faults.iter().enumerate() {
            let mut less = whole.clone();
            less.faults.remove(index);
            let without = played(&less);
            let before = first_sign(&trace.records, fault);
            let (was, is) = (&trace.records[..before], &without.records[..]);
            let parts = was.iter().zip(is).position(|(was, is)| was != is);
            let end = matches!(was.last(), Some(Record { what: What::RunEnd { .. }, .. }));
            // A fault that never showed leaves the whole run as it was.
            assert_eq!(parts, None, "storm@{seed} without {}", fault.id);
            assert!(!end || was.len() == is.len(), "storm@{seed} without {}", fault.id);
        }
    }
}

#[test]
fn without_faults_every_message_arrives_and_nothing_is_resumed() {
    for seed in 0..50 {
        let mut quiet = plan("storm", seed);
        quiet.faults.clear();
        let trace = played(&quiet);
        let count = |wanted: fn(&What) -> bool| {
            trace.records.iter().filter(|record| wanted(&record.what)).count()
        };
        let emitted = count(|what| matches!(what, What::Emit { message: Some(_), .. }));
        let delivered = count(|what| matches!(what, What::Deliver { .. }));
        let listens = quiet.workload.iter().any(|operation| operation.id == "standalone");
        if listens {
            assert_eq!(emitted, delivered, "storm@{seed}");
        }
        assert_eq!(count(|what| matches!(what, What::Request { cursor: Some(_), .. })), 0);
        assert_eq!(end(&trace), Some(RunEnd::Finished));
    }
}

#[test]
fn nothing_is_left_when_everyone_has_gone() {
    for name in ["storm", "concurrent", "replicas"] {
        for seed in 0..60 {
            for record in played(&plan(name, seed)).records {
                if let What::Leftover { sessions, streams, connections } = record.what {
                    let left = sessions + streams + connections;
                    assert_eq!(left, 0, "{name}@{seed} at {}", record.host);
                }
            }
        }
    }
}

#[test]
fn a_server_that_two_faults_kill_at_once_comes_back() {
    let mut twice = plan("storm", 0);
    twice.topology.replicas = 1;
    twice.workload = serde_json::from_str(
        r#"[{"id": "c1", "at_ms": 0, "ask": {"count": {"events": 5, "interval_ms": 2}}},
            {"id": "c2", "at_ms": 60, "ask": {"count": {"events": 5, "interval_ms": 2}}}]"#,
    )
    .expect("operations");
    let restart = |id: &str, action: &str| {
        let fault = format!(
            r#"{{"id": "{id}", "family": "routing", "action": "{action}",
                "trigger": {{"on": "event", "stream": "c1", "nth": 2}}}}"#
        );
        serde_json::from_str(&fault).expect("a fault")
    };
    twice.faults = vec![restart("f1", "restart-keep-log"), restart("f2", "restart-lose-log")];
    let trace = played(&twice);
    let done = |record: &Record| matches!(&record.what, What::Outcome { call, outcome: Outcome::Done } if call == "c2");
    assert!(trace.records.iter().any(done), "the call after the restart is answered");
}

#[test]
fn a_run_that_cannot_settle_ends_at_its_deadline() {
    let mut endless = plan("drop", 0);
    endless.phases.deadline_ms = endless.phases.chaos_until_ms.min(20);
    let trace = played(&endless);
    assert_eq!(end(&trace), Some(RunEnd::Deadline));
}

#[test]
fn an_implementation_that_is_not_there_is_refused_before_anything_is_played() {
    let mut unknown = plan("drop", 0);
    unknown.trio.server = "rmpc".into();
    let error = play(&unknown).expect_err("unknown");
    assert!(matches!(error, PlayError::UnknownImplementation { role: "server", .. }), "{error}");
}
