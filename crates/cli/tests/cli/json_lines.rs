//! The JSON Lines of design section 9: every line on standard output is one, with its fields.

use serde_json::{Value, json};

use crate::support::{Folder, RING, RING_DEFECTS, Ran};

/// The keys of an object, in the order of the line.
fn starts_with(line: &str, first: &str) -> bool {
    line.starts_with(first)
}

fn lines(ran: &Ran) -> Vec<Value> {
    for line in ran.stdout.lines() {
        assert!(starts_with(line, r#"{"schema":1,"type":""#), "schema and type come first: {line}");
    }
    ran.json()
}

#[test]
fn a_sweep_prints_its_start_a_line_for_each_seed_in_order_and_its_summary() {
    let ran = Folder::new("json-sweep").run("sweep drop --seeds 0x2..6 --format json");
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{ran:?}");
    let lines = lines(&ran);
    let started = json!({
        "schema": 1, "type": "sweep_started", "scenario": "drop", "server": "reference",
        "proxy": "reference", "client": "reference", "seeds": [2, 6], "version": "0.1.0",
    });
    assert_eq!(lines[0], started);
    for (line, seed) in lines[1..5].iter().zip(2..) {
        assert_eq!((&line["type"], &line["seed"]), (&json!("seed"), &json!(seed)), "{line}");
        assert_eq!(line["outcome"], "holds");
        assert_eq!(line["digest"].as_str().map(str::len), Some(32), "{line}");
        assert_eq!(line["findings"], json!([]));
        for cell in ["sound", "escape", "needed", "needless"] {
            assert!(line["resumptions"][cell].is_u64(), "{line}");
        }
        assert!(line["faults"]["planned"].is_u64() && line["faults"]["fired"].is_u64(), "{line}");
        assert!(line["events"]["emitted"].is_u64() && line["events"]["delivered"].is_u64());
        assert!(line["sim_ms"].is_u64());
    }
    assert_eq!(lines.len(), 6);
    assert_is_summary(&lines[5], 4);
}

#[track_caller]
fn assert_is_summary(line: &Value, seeds: u64) {
    assert_eq!((&line["type"], &line["seeds"]), (&json!("summary"), &json!(seeds)), "{line}");
    for outcome in ["holds", "violated", "stuck", "error"] {
        assert!(line["outcomes"][outcome].is_u64(), "{line}");
    }
    for oracle in ["duplicate", "skip", "reorder", "cross-stream", "stuck", "leak"] {
        assert!(line["findings"][oracle].is_u64(), "{line}");
    }
    for family in ["drop", "rotation", "eviction", "silence", "routing", "concurrency", "shape"] {
        assert!(line["faults_fired"][family].is_u64(), "{line}");
    }
    for cell in ["sound", "escape", "needed", "needless"] {
        assert!(line["resumptions"][cell].is_u64(), "{line}");
    }
    assert!(line["cpu_seconds"].is_number() && line["seeds_per_cpu_second"].is_number());
}

#[test]
fn the_cpu_time_of_a_sweep_is_measured() {
    let ran = Folder::new("json-cpu").run("sweep drop --seeds 0..3 --format json");
    let summary = lines(&ran).pop().unwrap();
    assert!(summary["cpu_seconds"].as_f64().unwrap() > 0.0, "{summary}");
    assert!(summary["seeds_per_cpu_second"].as_f64().unwrap() > 0.0, "{summary}");
}

#[test]
fn a_failing_seed_carries_its_findings_and_the_summary_its_keys() {
    let folder = Folder::new("json-failing");
    folder.write("ring.toml", RING);
    let ran = folder.run(&format!("sweep ring.toml --seeds 4..6 --format json {RING_DEFECTS}"));
    assert_eq!((ran.code, &*ran.stderr), (Some(1), ""), "{ran:?}");
    let lines = lines(&ran);
    assert_eq!(lines[0]["scenario"], "ring", "{ran:?}");
    assert_eq!(lines[1]["outcome"], "violated");
    let findings = lines[1]["findings"].as_array().unwrap();
    let is_duplicate = |finding: &Value| {
        finding["oracle"] == "duplicate"
            && finding["key"].as_str().unwrap().starts_with("duplicate/notification/")
    };
    assert!(findings.iter().any(is_duplicate), "{findings:?}");
    let summary = lines.last().unwrap();
    let keys = summary["keys"].as_array().unwrap();
    assert!(keys.iter().all(|key| key["count"].is_u64() && key["first_seed"] == 4), "{summary}");
}

#[test]
fn an_empty_sweep_still_prints_its_start_and_its_summary() {
    let ran = Folder::new("json-empty").run("sweep drop --seeds 3..3 --format json");
    assert_eq!(ran.code, Some(4));
    let lines = lines(&ran);
    assert_eq!(lines.len(), 2);
    assert_is_summary(&lines[1], 0);
}

#[test]
fn replay_prints_a_line_per_run() {
    let folder = Folder::new("json-replay");
    let ran = folder.run("replay drop@3 --twice --save plan.json --format json");
    let lines = lines(&ran);
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["type"], &lines[0]["name"]), (&json!("play"), &json!("drop@3")));
    assert_eq!(lines[0], lines[1]);
    let again = folder.run("replay plan.json --format json").json();
    assert_eq!(again[0]["plan"], "plan.json");
    assert_eq!(again[0]["digest"], lines[0]["digest"]);
}

#[test]
fn run_prints_a_line_for_each_run_with_whether_it_came_as_expected_and_a_summary() {
    let folder = Folder::new("json-run");
    let case = "\n[[expectation.case]]\nname = \"defects\"\nserver = \"reference:replay-whole-ring\"\n\
                client = \"reference:no-continuity-check\"\n";
    folder.write("ring.toml", &format!("{RING}{case}"));
    folder.run("replay drop@3 --save plan.json");
    let ran = folder.run("run ring.toml plan.json --format json --no-shrink");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let lines = lines(&ran);
    assert_eq!((&lines[0]["name"], &lines[0]["case"]), (&json!("ring@0"), &json!("defects")));
    assert_eq!(lines[0]["met_expectation"], false);
    assert!(lines[0]["problem"].as_str().unwrap().contains("unexpected: duplicate/notification/"));
    assert_eq!((&lines[1]["plan"], &lines[1]["name"]), (&json!("plan.json"), &json!("drop@3")));
    assert_eq!(lines[1]["met_expectation"], true);
    assert_is_summary(&lines[2], 2);
    assert_eq!(lines.len(), 3);
}
