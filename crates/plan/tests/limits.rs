//! What a file may ask for: a few bytes must not make a plan that no machine can play, many must
//! not take for ever to read, and what is quoted of them must not steer a terminal.

mod support;

use seamstress_plan::{Plan, ReadError, Scenario, builtin, generate, validate};

fn scenario(text: &str) -> Result<Scenario, ReadError> {
    Scenario::from_toml("mine.toml", &format!("about = \"A test.\"\n{text}"))
}

fn said(text: &str) -> String {
    match scenario(text) {
        Ok(_) => "nothing is wrong".to_owned(),
        Err(error) => support::wrapped(&error.to_string()),
    }
}

fn pings(number: usize) -> String {
    let ping =
        |nth| format!("[[workload.operation]]\nid = \"p{nth}\"\nat_ms = 0\nask = \"ping\"\n");
    (0..number).map(ping).collect()
}

fn count(id: &str, events: u64) -> String {
    format!(
        "[[workload.operation]]\nid = \"{id}\"\nat_ms = 0\n\
         ask = {{ count = {{ events = {events}, interval_ms = 0 }} }}\n"
    )
}

fn bursts(number: usize, events: u64) -> String {
    let burst = |nth| {
        format!(
            "[[storm.fault]]\nid = \"f{nth}\"\nfamily = \"eviction\"\naction = \"burst\"\n\
             trigger = {{ on = \"at\", at_ms = 20 }}\nextent = {{ count = {events} }}\n"
        )
    };
    pings(1) + &(0..number).map(burst).collect::<String>()
}

#[test]
fn operations_and_their_events_are_bounded_in_all_and_not_only_one_by_one() {
    assert_eq!(said(&pings(1_000)), "nothing is wrong");
    assert_eq!(said(&(count("a", 60_000) + &count("b", 40_000))), "nothing is wrong");
    let drawn = |kinds: &str, events: u64| {
        format!("[workload]\nevents = {events}\ninterval_ms = 0\nkinds = {{ {kinds} }}")
    };
    assert_eq!(said(&drawn("count = 40, announce = 60", 1_000)), "nothing is wrong");
    insta::assert_snapshot!([
        said(&pings(1_001)),
        said(&(count("a", 60_000) + &count("b", 40_001))),
        said(&drawn("count = { from = 1, to = 40 }, announce = 61", 1_000)),
    ].join("\n"), @"
    mine.toml:2:1: workload.operation: 1001 operations are too many; at most 1000 make a run
        that fits into memory
    mine.toml:9:28: workload.operation[1].ask.count.events: 100001 events in all are too many;
        at most 100000 make a run that fits into memory
    mine.toml:3:10: workload.events: 101000 events in all are too many; at most 100000 make a
        run that fits into memory
    ");
}

#[test]
fn faults_and_the_events_that_they_make_are_bounded_in_all() {
    assert_eq!(said(&bursts(2_000, 50)), "nothing is wrong");
    let drawn = |faults: u64, events: u64| {
        format!(
            "[storm]\nfamilies = [\"eviction\", \"shape\"]\nfaults_per_family = {faults}\n\
             [storm.extents]\nburst = {{ count = {events} }}\nage-out = {{ duration_ms = 86400000 }}"
        )
    };
    assert_eq!(said(&drawn(5, 5_000)), "nothing is wrong");
    insta::assert_snapshot!([
        said(&bursts(2_001, 1)),
        said(&bursts(3, 40_000)),
        said(&drawn(5, 5_001)),
    ].join("\n"), @"
    mine.toml:6:1: storm.fault: 2001 faults are too many; at most 2000 make a run that fits into
        memory
    mine.toml:23:20: storm.fault[2].extent.count: 120000 events in all are too many; at most
        100000 make a run that fits into memory
    mine.toml:6:19: storm.extents.burst.count: 25005 events in all are too many; at most 25000
        make a run that fits into memory
    ");
}

#[test]
fn a_scenario_at_its_limits_draws_plans_within_theirs() {
    let text = "[workload]\nevents = 1000\ninterval_ms = 0\n\
                kinds = { count = 50, announce = 50, list-tools = 100, ping = 100, listen = 1 }\n\
                [storm]\nfamilies = [\"eviction\", \"shape\"]\nfaults_per_family = 100\n\
                actions = [\"burst\", \"insert-comment\", \"insert-empty-event\"]\n\
                [storm.extents]\nburst = { count = 250 }\ninsert-comment = { count = 250 }";
    let largest = scenario(text).expect("it is at its limits and not beyond");
    for seed in 0..3 {
        let plan = generate(&largest, "largest", seed);
        assert_eq!(validate(&plan), Ok(()));
    }
}

#[test]
fn a_choice_of_thousands_is_refused_before_pairs_of_values_are_compared() {
    let any = |number: u64| {
        format!("[topology]\nlatency_ms = {{ any = {:?} }}", vec![1; number as usize])
    };
    assert_eq!(said(&any(1_000)), "nothing is wrong");
    insta::assert_snapshot!(said(&any(1_001)), @"
    mine.toml:3:14: topology.latency_ms: 1001 values in `any` are too many; at most 1000 make a
        run that fits into memory
    ");
}

#[test]
fn what_is_quoted_of_a_file_stays_on_one_line_and_steers_no_terminal() {
    let plan = generate(
        &Scenario::from_toml("drop.toml", builtin()[0].text).expect("it is built in"),
        "drop",
        1,
    );
    let written = plan.to_json().replace("\"seed\"", "\"x\\n\\u001b[2K\"");
    let error = Plan::from_json("mine.json", &written).expect_err("an unknown key");
    assert_eq!(
        error.to_string(),
        "mine.json:5:19: unknown key `x\\n\\u{1b}[2K`; write one of: type, schema, name, seed, topology, \
         workload, faults, phases, trio, regression"
    );
    let error = scenario("[topology]\n\"a\\u009b\\n\" = 1").expect_err("an unknown key");
    assert!(!error.to_string().contains(char::is_control), "{error:?}");
}
