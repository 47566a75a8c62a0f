//! What a run against a server that is not ours promises: the same bytes for the same plan, though
//! its session ids and event ids differ from run to run.

#![cfg(any(feature = "rmcp", feature = "rust-mcp-sdk", feature = "tower-mcp"))]

use seamstress_plan::{Plan, Role, Scenario, builtin_named, generate};
use seamstress_sim::{implementations, play};
use seamstress_trace::What;

fn plan(server: &str, seed: u64) -> Plan {
    let storm = builtin_named("storm").expect("a built-in scenario");
    let scenario = Scenario::from_toml("storm", storm.text).expect("a valid scenario");
    let mut plan = generate(&scenario, "storm", seed);
    server.clone_into(&mut plan.trio.server);
    plan
}

fn foreign_servers() -> Vec<&'static str> {
    let names = implementations(Role::Server).into_iter().map(|(name, _)| name);
    // Canaries exist to differ.
    names.filter(|name| *name != "reference" && !name.starts_with("canary:")).collect()
}

#[test]
fn a_plan_gives_the_same_bytes_whatever_was_played_before_it_and_beside_it() {
    for server in foreign_servers() {
        let bytes = |seed: &u64| play(&plan(server, *seed)).expect("built in").to_bytes();
        let seeds: Vec<u64> = (0..16).collect();
        let forward: Vec<_> = seeds.iter().map(bytes).collect();
        let backward: Vec<_> = seeds.iter().rev().map(bytes).collect();
        assert!(forward.iter().eq(backward.iter().rev()), "{server}");

        let beside: Vec<_> = std::thread::scope(|scope| {
            let runs: Vec<_> = seeds.iter().map(|seed| scope.spawn(|| bytes(seed))).collect();
            runs.into_iter().map(|run| run.join().expect("no panic")).collect()
        });
        assert!(forward == beside, "{server}");
    }
}

#[test]
fn when_nothing_goes_wrong_every_server_is_beyond_reproach() {
    for server in foreign_servers() {
        for seed in 0..16 {
            let mut quiet = plan(server, seed);
            quiet.faults.clear();
            let trace = play(&quiet).expect("built in");
            let delivered =
                trace.records.iter().any(|record| matches!(record.what, What::Deliver { .. }));
            assert!(delivered, "{server}: storm@{seed}");
            let judgement = seamstress_oracle::judge(&trace);
            assert_eq!(judgement.findings, [], "{server}: storm@{seed}");
        }
    }
}
