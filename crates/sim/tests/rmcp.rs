//! What a run promises also holds with the official Rust SDK in it: the same bytes for the same
//! plan, although nobody here wrote the code that runs.
#![cfg(feature = "rmcp")]

use std::collections::BTreeMap;

use seamstress_plan::{Plan, Scenario, Trio, builtin_named, generate};
use seamstress_sim::{PlayError, play};
use seamstress_trace::{Digest, What};

fn plan(seed: u64, server: &str, client: &str) -> Plan {
    let builtin = builtin_named("storm").expect("a built-in scenario");
    let scenario = Scenario::from_toml("storm", builtin.text).expect("a valid scenario");
    let trio = Trio { server: server.into(), client: client.into(), ..Trio::default() };
    Plan { trio, ..generate(&scenario, "storm", seed) }
}

fn digest(plan: &Plan) -> Digest {
    play(plan).expect("it is built in").digest()
}

/// Each run's digest by its plan's number, played in this order.
fn digests(plans: &[Plan], order: impl Iterator<Item = usize>) -> BTreeMap<usize, Digest> {
    order.map(|number| (number, digest(&plans[number]))).collect()
}

#[test]
fn a_storm_with_the_sdk_gives_the_same_digest_in_any_order_and_on_any_thread() {
    let trios = [("rmcp", "reference"), ("reference", "rmcp"), ("rmcp", "rmcp")];
    for (server, client) in trios {
        // In storm@7 several streams of the SDK end in one instant, in the order of a hash map.
        let plans: Vec<Plan> = (0..8).map(|seed| plan(seed, server, client)).collect();
        let first = digests(&plans, 0..plans.len());
        let told = format!("server {server}, client {client}");
        assert_eq!(digests(&plans, (0..plans.len()).rev()), first, "backwards: {told}");
        let elsewhere = std::thread::scope(|scope| {
            let beside = scope.spawn(|| digests(&plans, 0..plans.len()));
            // Both at once, so that neither has the process to itself.
            assert_eq!(digests(&plans, 0..plans.len()), first, "again: {told}");
            beside.join().expect("no panic")
        });
        assert_eq!(elsewhere, first, "on another thread: {told}");
    }
}

#[test]
fn the_sdk_is_what_runs_and_its_tools_are_called() {
    for (server, client) in [("rmcp", "reference"), ("reference", "rmcp"), ("rmcp", "rmcp")] {
        let mut quiet = plan(0, server, client);
        quiet.faults.clear();
        let trace = play(&quiet).expect("built in");
        assert_eq!((&*trace.header.server, &*trace.header.client), (server, client));
        quiet.trio = Trio::default();
        let ours = play(&quiet).expect("built in");
        assert_ne!(trace.records, ours.records, "ours ran in its place");
        let count = |wanted: fn(&What) -> bool| {
            trace.records.iter().filter(|record| wanted(&record.what)).count()
        };
        assert!(count(|what| matches!(what, What::Execute { .. })) > 0, "{server} {client}");
        assert!(count(|what| matches!(what, What::Deliver { .. })) > 0, "{server} {client}");
    }
}

#[test]
fn an_unknown_server_is_answered_with_what_there_is() {
    let error = play(&plan(0, "rmpc", "reference")).expect_err("unknown");
    let start =
        "there is no server \"rmpc\"; there is: reference, reference:DEFECT[,DEFECT…], rmcp, ";
    assert!(error.to_string().starts_with(start), "{error}");
    let error = play(&plan(0, "reference", "rcmp")).expect_err("unknown");
    assert!(matches!(error, PlayError::UnknownImplementation { role: "client", .. }), "{error}");
    assert!(error.to_string().ends_with(", rmcp"), "{error}");
}
