//! What a plan file may say, and what is said about one that says something else; how a plan is
//! written.

mod support;

use proptest::prelude::*;
use seamstress_plan::{Plan, Problem, Scenario, Trio, builtin_named, generate, validate};

fn small() -> Plan {
    let text = r#"
        about = "A call beside the standalone stream, and one fault of each kind of trigger."
        [topology]
        session_events_max = 8
        [[workload.operation]]
        id = "standalone"
        at_ms = 0
        ask = "listen"
        [[workload.operation]]
        id = "sub"
        at_ms = 4
        ask = { count = { events = 20, interval_ms = 2, progress_on_standalone = true } }
        [[workload.operation]]
        id = "p1"
        at_ms = 9
        ask = "ping"
        [[storm.fault]]
        id = "f1"
        family = "rotation"
        trigger = { on = "at", at_ms = 10 }
        action = "rotate-id"
        extent = { count = 1000 }
        [[storm.fault]]
        id = "f2"
        family = "drop"
        trigger = { on = "event", stream = "standalone", nth = 7, place = { byte = 17 } }
        action = "cut-no-last-chunk"
        [[storm.fault]]
        id = "f3"
        family = "drop"
        trigger = { on = "response", stream = "sub" }
        action = "cut-reset"
        [[storm.fault]]
        id = "f4"
        family = "eviction"
        trigger = { on = "resume", stream = "standalone", nth = 1 }
        action = "evict-session"
        [[storm.fault]]
        id = "f5"
        family = "drop"
        trigger = { on = "replay", stream = "standalone", nth = 2, events = 3 }
        action = "cut-client-side"
        extent = { duration_ms = 30 }
        [[storm.fault]]
        id = "f6"
        family = "shape"
        trigger = { on = "head", stream = "standalone" }
        action = "buffer-until-end"
    "#;
    generate(&Scenario::from_toml("small.toml", text).expect("it is a scenario"), "small", 0)
}

/// What is said about the small plan with each of these replacements.
fn said(replacements: &[(&str, &str)]) -> String {
    let text = small().to_json();
    let message = |(from, to): &(&str, &str)| {
        assert!(text.contains(from), "the plan does not say {from}");
        match Plan::from_json("mine.json", &text.replacen(from, to, 1)) {
            Ok(_) => "nothing is wrong".to_owned(),
            Err(error) => support::wrapped(&error.to_string()),
        }
    };
    replacements.iter().map(message).collect::<Vec<_>>().join("\n")
}

/// The file was written once and is kept: a plan that somebody saved must stay readable.
#[test]
fn a_small_plan_is_written_for_people_in_less_than_40_lines_and_the_same_for_ever() {
    let mut plan = small();
    plan.trio.server = "reference:clamp-to-floor".to_owned();
    let kept = include_str!("small-plan.json");
    assert!(kept.lines().count() < 40);
    assert_eq!(plan.to_json(), kept);
    assert_eq!(Plan::from_json("small-plan.json", kept).as_ref(), Ok(&plan));
    assert_eq!(plan.digest(), "b7083c1b111cb5e6");
}

#[test]
fn equal_digests_mean_equal_plans() {
    let plan = small();
    assert_eq!(plan.digest(), small().digest());
    assert_eq!(plan.digest().len(), 16);
    let mut other = plan.clone();
    other.seed = 1;
    assert_ne!(plan.digest(), other.digest());
}

#[test]
fn a_plan_without_operations_and_faults_can_be_written_and_read() {
    let plan = Plan { workload: vec![], faults: vec![], ..small() };
    assert_eq!(Plan::from_json("mine.json", &plan.to_json()), Ok(plan));
}

#[test]
fn the_kind_and_version_of_a_file_come_before_its_other_mistakes() {
    insta::assert_snapshot!(said(&[
        ("\"type\": \"plan\"", "\"type\": \"trace\", \"colour\": 1"),
        ("\"schema\": 1", "\"schema\": 2, \"colour\": 1"),
        ("\"schema\": 1", "\"schema\": 0"),
        ("\"type\": \"plan\",", ""),
        ("\"schema\": 1", "\"schema\": \"1\""),
    ]), @r#"
    mine.json:2:11: type: this file has the type "trace", so it is no plan; give one whose
        `type` is "plan"
    mine.json:3:13: schema: the file has format 2 and this build reads up to 1; use the build
        that wrote it or a newer one
    mine.json:3:13: schema: there was never a format 0; write `"schema": 1`
    mine.json:1:1: type: this file has no `type`, so it is no plan; give one whose `type` is
        "plan"
    mine.json:3:13: schema: the text "1" cannot stand here; write a whole number, not below 0
    "#);
}

#[test]
fn every_mistake_in_a_plan_is_told_with_its_place_and_a_way_out() {
    insta::assert_snapshot!(said(&[
        ("\"seed\"", "\"sed\""),
        ("\"seed\": 0", "\"seed\": 0, \"seed\": 1"),
        ("\"seed\": 0", "\"seed\": -1"),
        ("\"seed\": 0", "\"seed\": 0.5"),
        ("\"seed\": 0", "\"seed\": 18446744073709551616"),
        ("\"seed\": 0", "\"seed\": null"),
        ("\"name\": \"small@0\"", "\"name\": \"\""),
        ("\"tick_ms\": 1,", ""),
        ("\"tick_ms\": 1", "\"tick_ms\": 0"),
        ("\"2025-11-25\"", "\"2025-11-26\""),
        ("\"retry_ms\"", "\"retry\""),
        ("\"cut-reset\"", "\"cut-rest\""),
        ("\"nth\": 7", "\"nth\": \"last\""),
        ("\"nth\": 7", "\"nth\": 0"),
        ("\"stream\": \"sub\"", "\"stream\": \"sup\""),
        ("{\"byte\": 17}", "\"befor\""),
        ("\"ask\": \"listen\"", "\"ask\": [\"listen\"]"),
        ("\"ask\": \"listen\"", "\"ask\": \"announce\""),
        ("\"ask\": \"listen\"", "\"ask\": \"ping\""),
        ("\"count\": 1000", "\"count\": 0"),
        ("\"count\": 1000", "\"bytes\": 1000"),
        ("\"deadline_ms\": 1500", "\"deadline_ms\": 100"),
        ("\"idle_timeout_ms\": 120", "\"idle_timeout_ms\": 40"),
        ("\"phases\": {", "\"trio\": {\"server\": \" \"}, \"phases\": {"),
        ("\"seed\": 0", "\"seed\": 0 \"x\""),
        ("\"seed\": 0", "\"seed\": 0, \"x\": [[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]"),
        ("\"seed\": 0", "\"se\\u0065d\": 0, \"\\ud800\": 1"),
    ]), @r#"
    mine.json:5:3: unknown key `sed`; did you mean `seed`?
    mine.json:5:14: the key `seed` is given twice; remove one of them
    mine.json:5:11: seed: the number -1 cannot stand here; write a whole number, not below 0
    mine.json:5:11: seed: a fraction cannot stand here; write a whole number, not below 0
    mine.json:5:11: seed: a number beyond 64 bits cannot stand here; write a whole number, not
        below 0
    mine.json:5:11: seed: `null` cannot stand here; write a whole number, not below 0
    mine.json:4:11: name: this is empty; say it in words
    mine.json:6:15: topology: the key `tick_ms` is missing; add it
    mine.json:7:16: topology.tick_ms: 0 is out of range; write a number from 1 to 1000
    mine.json:10:17: topology.revision: `2025-11-26` is not known here; did you mean
        `2025-11-25`?
    mine.json:14:7: topology.server: unknown key `retry`; did you mean `retry_ms`?
    mine.json:26:94: faults[2].action: `cut-rest` is not known here; did you mean `cut-reset`?
    mine.json:25:94: faults[1].trigger.nth: the text "last" cannot stand here; write a whole
        number, not below 0
    mine.json:25:94: faults[1].trigger.nth: 0 is out of range; write a number from 1 to 1000000
    mine.json:26:76: faults[2].trigger.stream: no operation is called `sup`; did you mean `sub`?
    mine.json:25:106: faults[1].trigger.place: `befor` is not known here; did you mean `before`?
    mine.json:19:45: workload[0].ask: a list cannot stand here; write a word in quotes
    mine.json:19:45: workload[0].ask: "announce" alone cannot stand here; write a table with the
        key `announce`
    mine.json:19:12: workload[0].id: only the operation that listens is called `standalone`;
        give this one another id
    mine.json:24:121: faults[0].extent.count: 0 is out of range; write a number from 1 to
        1000000
    mine.json:24:111: faults[0].extent: `rotate-id` needs `count`; add it
    mine.json:31:73: phases.deadline_ms: the deadline of 100 ms leaves no quiet tail after the
        chaos, which ends at 160 ms; set the deadline later
    mine.json:15:81: topology.client.idle_timeout_ms: the client gives up after 40 ms without a
        byte, and the keep-alive comes every 40 ms only; make the keep-alive shorter than the
        idle timeout
    mine.json:31:22: trio.server: this is empty; say it in words
    mine.json:5:13: this is not JSON: expected `,` or `}`; mend the text here
    mine.json:5:35: the values lie deeper than any plan goes; this is no file of Seamstress
    mine.json:5:26: this is not JSON: unexpected end of hex escape; mend the text here
    "#);
}

#[test]
fn a_file_that_was_cut_short_is_called_that_wherever_it_was_cut() {
    let text = small().to_json();
    let whole = text.trim_end();
    for end in 0..whole.len() {
        let error = Plan::from_json("mine.json", &whole[..end]).expect_err("it is cut");
        assert_eq!(error.problem, Problem::CutShort, "cut after {end} bytes");
    }
    let error = Plan::from_json("mine.json", &text[..200]).unwrap_err();
    insta::assert_snapshot!(support::wrapped(&error.to_string()), @r#"
    mine.json:11:28: the file ends too early; it was not written or copied to its end, so get it
        again
    "#);
}

#[test]
fn a_file_that_nests_without_end_is_refused_and_does_not_overflow_the_stack() {
    let text = "[".repeat(200_000) + &"]".repeat(200_000);
    let text = format!("{{\"type\": \"plan\", \"x\": {text}}}");
    assert_eq!(Plan::from_json("mine.json", &text).unwrap_err().problem, Problem::TooDeep);
}

#[test]
fn a_plan_made_in_memory_is_checked_by_the_same_rules() {
    let mut plan = small();
    plan.topology.latency_ms = 0;
    let told = validate(&plan).unwrap_err().to_string();
    assert_eq!(told, "topology.latency_ms: 0 is out of range; write a number from 1 to 86400000");
    let mut plan = small();
    plan.schema = 7;
    assert_eq!(validate(&plan).unwrap_err().problem, Problem::NewerSchema { found: 7, newest: 1 });
}

#[test]
fn a_name_with_quotes_commas_and_colons_comes_back_as_it_was() {
    let mut plan = small();
    plan.name = "a, \"b\": c\\, ".repeat(20);
    plan.trio = Trio { server: "x, ".repeat(60), ..Trio::default() };
    assert_eq!(Plan::from_json("mine.json", &plan.to_json()), Ok(plan.clone()));
    plan.trio.server = "a\\,\"b".to_owned();
    let trio = r#"{"server": "a\\,\"b", "proxy": "reference", "client": "reference"}"#;
    assert!(plan.to_json().contains(trio), "{}", plan.to_json());
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text: String, at in 0_usize..4_000, with in ".{0,4}") {
        let _ = Plan::from_json("mine.json", &text);
        let _ = Scenario::from_toml("mine.toml", &text);
        let whole = small().to_json();
        let at = whole.floor_char_boundary(at);
        let _ = Plan::from_json("mine.json", &format!("{}{with}{}", &whole[..at], &whole[at..]));
        let builtin = builtin_named("incident-4471").expect("it is built in").text;
        let at = builtin.floor_char_boundary(at);
        let mended = format!("{}{with}{}", &builtin[..at], &builtin[at..]);
        if let Ok(scenario) = Scenario::from_toml("mine.toml", &mended) {
            prop_assert_eq!(validate(&generate(&scenario, "mine", 1)), Ok(()));
        }
    }
}
