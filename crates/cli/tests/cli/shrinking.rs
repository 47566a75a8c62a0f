//! `shrink`, and what `sweep` and `run` do about failures by themselves: how small a plan gets,
//! what is said of it, and that it is kept and played again.

use serde_json::Value;

use crate::support::{Folder, RING, RING_DEFECTS, Ran};

/// A folder with the scenario [`RING`], in which more goes wrong than it needs.
fn ring(name: &str) -> Folder {
    let folder = Folder::new(name);
    let more = r#"
[[workload.operation]]
id = "p1"
at_ms = 12
ask = "ping"
[[storm.fault]]
id = "comment"
family = "shape"
trigger = { on = "event", stream = "standalone", nth = 1 }
action = "insert-comment"
extent = { count = 2 }
"#;
    folder.write("ring.toml", &format!("{RING}{more}"));
    folder
}

fn shrink(folder: &Folder, more: &str) -> Ran {
    folder.run(&format!("shrink ring.toml {RING_DEFECTS} {more}"))
}

fn keys(play: &Value) -> Vec<&str> {
    let findings = play["findings"].as_array().expect("a list");
    findings.iter().map(|finding| finding["key"].as_str().expect("a text")).collect()
}

#[test]
fn the_smallest_plan_is_short_and_replays_to_the_same_key() {
    let folder = ring("shrink-short");
    let ran = shrink(&folder, "--output small.json --format json");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let lines = ran.json();
    let shrunk = lines.last().expect("a last line");
    assert_eq!((&shrunk["type"], &shrunk["stop"]), (&"shrunk".into(), &"1-minimal".into()));
    assert_eq!(shrunk["faults"], serde_json::json!([2, 1]));
    assert_eq!(shrunk["operations"][0], 3);
    assert_eq!((&shrunk["plan"], &shrunk["confirmed"]), (&"small.json".into(), &true.into()));
    assert!(shrunk["runs"].as_u64().is_some_and(|runs| runs > 3), "{shrunk}");
    let key = shrunk["key"].as_str().expect("a key");
    assert!(folder.read("small.json").lines().count() < 40);
    let again = folder.run("replay small.json --format json");
    assert!(keys(&again.json()[0]).contains(&key), "{again:?}");
    assert_eq!(again.json()[0]["digest"], lines[1]["digest"]);
}

#[test]
fn people_read_the_story_of_the_smallest_plan_and_where_it_is() {
    let folder = ring("shrink-story");
    let ran = shrink(&folder, "--output small.json");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    for part in [
        "shrink ring.toml@0 --server reference:replay-whole-ring",
        "replay    seamstress replay small.json\n",
        "\nFAIL ",
        "\nshrunk    ring@0: 2 faults to 1, 3 operations to ",
        "\nconfirmed in three fresh threads and a fresh process\n",
        "\nsaved     small.json (",
    ] {
        assert!(ran.stdout.contains(part), "{part:?} is missing: {}", ran.stdout);
    }
}

#[test]
fn the_result_is_the_same_for_any_number_of_jobs_and_shrinks_to_itself() {
    let folder = ring("shrink-same");
    shrink(&folder, "--output one.json --jobs 1");
    shrink(&folder, "--output three.json --jobs 3");
    assert_eq!(folder.read("one.json"), folder.read("three.json"));
    let again = folder.run("shrink one.json --output again.json");
    assert_eq!(again.code, Some(1), "{again:?}");
    assert_eq!(folder.read("one.json"), folder.read("again.json"));
}

#[test]
fn a_budget_that_is_used_up_is_said_and_the_best_so_far_is_kept() {
    let folder = ring("shrink-budget");
    let ran = shrink(&folder, "--output small.json --runs 2 --format json");
    let shrunk = &ran.json()[2];
    assert_eq!((&shrunk["stop"], &shrunk["runs"]), (&"budget".into(), &2.into()));
    assert_eq!(folder.run("replay small.json").code, Some(1));
}

#[test]
fn what_holds_is_not_shrunk_and_an_unknown_key_is_refused() {
    let folder = ring("shrink-holds");
    let ran = folder.run("shrink ring.toml");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.ends_with("holds: there is nothing to shrink\n"), "{ran:?}");
    let ran = shrink(&folder, "--key duplicate/notification/resumed:resum");
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("did you mean `duplicate/"), "{ran:?}");
    assert_eq!(folder.names(), ["ring.toml"]);
}

#[test]
fn plans_that_show_something_else_are_kept_on_request() {
    let folder = ring("shrink-others");
    let ran = shrink(&folder, "--output small.json --others met --format json");
    let lines = ran.json();
    let met = lines[2]["met"].as_array().expect("a list").clone();
    assert!(!met.is_empty(), "{ran:?}");
    for met in met {
        let path = met["plan"].as_str().expect("a path");
        let again = folder.run(&format!("replay {path} --format json"));
        let key = met["key"].as_str().expect("a key");
        assert!(keys(&again.json()[0]).contains(&key), "{again:?}");
    }
}

#[test]
fn a_failing_sweep_keeps_each_new_key_once_and_run_plays_it_before_anything_else() {
    let folder = ring("shrink-save");
    folder.write("sims/hello.toml", HELLO);
    let sweep = format!("sweep ring.toml {RING_DEFECTS} --seeds 0..1");
    let ran = folder.run(&format!("{sweep} --save"));
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("\nsaved     sims/regressions/"), "{ran:?}");
    let ran = folder.run(&format!("{sweep} --save"));
    assert!(ran.stdout.contains("\nknown     sims/regressions/"), "{ran:?}");
    let ran = folder.run("run");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let kept = folder.path().join("sims/regressions").read_dir().expect("a folder").count();
    assert!(kept > 1, "each of the keys that the seed shows");
    let expected = format!("ok      {kept} regressions: what is expected came, and nothing else");
    assert_eq!(lines[2], expected);
    assert!(lines[3].starts_with("ok      hello: "), "{ran:?}");
}

/// Nothing goes wrong.
const HELLO: &str = r#"
about = "Somebody pings."
[[workload.operation]]
id = "p1"
at_ms = 0
ask = "ping"
"#;

#[test]
fn a_regression_that_no_longer_comes_is_stale() {
    let folder = ring("shrink-stale");
    shrink(&folder, "--output small.json");
    assert_eq!(folder.run("run small.json").code, Some(0));
    let mended = folder.read("small.json").replace("reference:replay-whole-ring", "reference");
    folder.write("small.json", &mended);
    let ran = folder.run("run small.json");
    assert_eq!(ran.code, Some(5), "{ran:?}");
    assert!(ran.stderr.contains("if it has been mended, let it say outcome \"holds\""), "{ran:?}");
}

#[test]
fn failures_are_told_as_they_were_played_if_nobody_wants_them_small() {
    let folder = ring("shrink-not");
    let sweep = format!("sweep ring.toml {RING_DEFECTS} --seeds 0..1");
    let told = folder.run(&sweep);
    assert!(told.stdout.contains("\nshrunk    "), "{told:?}");
    let told = folder.run(&format!("{sweep} --no-shrink"));
    assert!(!told.stdout.contains("shrunk"), "{told:?}");
    let next = format!("seamstress shrink ring.toml@0 {RING_DEFECTS}\n");
    assert!(told.stdout.contains(&next), "{told:?}");
    let lines = folder.run(&format!("{sweep} --format json")).json();
    let types: Vec<&str> = lines.iter().filter_map(|line| line["type"].as_str()).collect();
    assert_eq!(types, ["sweep_started", "seed", "shrunk", "summary"]);
}
