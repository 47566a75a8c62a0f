//! `doctor`: what it examines, what it says when all is well, and what can keep it from going on.
//! What it must find is in `canaries`.

use serde_json::json;

use crate::support::{Folder, RING, RING_DEFECTS, UnderWay};

#[test]
fn a_sound_build_passes_with_what_was_compared_and_what_was_different() {
    let ran = Folder::new("doctor-sound").run("doctor drop --seeds 0..8 --jobs 2");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].starts_with("doctor drop   seeds 0..8   server reference   "), "{ran:?}");
    assert!(lines[2].starts_with("threads    8 seeds twice in fresh threads: all the same, "));
    assert_eq!(lines[3], "processes  16 more runs in 3 others: all the same");
    assert!(
        lines.iter().any(|line| line.starts_with("           seeds 4..8, 2 runs at once, in "))
    );
    let last = "deterministic: the same seed gave the same bytes, verdicts and stories";
    assert_eq!(lines.last(), Some(&last), "{ran:?}");
    assert!(lines.iter().all(|line| line.chars().count() <= 100), "{ran:?}");
}

#[test]
#[cfg(feature = "rmcp")]
fn a_foreign_server_is_examined_in_the_same_way() {
    let ran = Folder::new("doctor-rmcp").run("doctor drop --seeds 0..6 --server rmcp");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let findings = "which is no matter here: seamstress sweep drop --seeds 0..6 --server rmcp\n";
    assert!(ran.stdout.contains(findings), "{ran:?}");
}

#[test]
fn findings_do_not_change_the_exit_code_and_stand_beside_the_verdict() {
    let folder = Folder::new("doctor-findings");
    folder.write("ring.toml", RING);
    let ran = folder.run(&format!("doctor ring.toml {RING_DEFECTS}"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let line = format!(
        "findings   in 1 seed, which is no matter here: seamstress replay ring.toml@0 {RING_DEFECTS}"
    );
    assert!(ran.stdout.lines().any(|told| told == line), "{ran:?}");
}

#[test]
fn a_written_scenario_a_run_and_a_saved_plan_are_examined_with_their_single_run() {
    let folder = Folder::new("doctor-single");
    folder.write("sims/ring.toml", RING);
    folder.run(&format!("replay drop@3 --save plan.json {RING_DEFECTS}"));
    for (target, seeds) in [("ring", "0..1"), ("drop@0x2a", "42..43"), ("plan.json", "3..4")] {
        let ran = folder.run(&format!("doctor {target}"));
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stdout.contains(&format!("   seeds {seeds}   ")), "{ran:?}");
        assert!(ran.stdout.contains("\nprocesses  2 more runs in 2 others: all the same\n"));
    }
    let ran = folder.run("doctor plan.json --seeds 0..9");
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.ends_with("; leave --seeds out\n"), "{ran:?}");
}

#[test]
fn programs_get_a_start_a_line_for_each_divergence_and_a_summary() {
    let folder = Folder::new("doctor-json");
    let ran = folder.run("doctor drop --seeds 2..5 --jobs 2 --format json");
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{ran:?}");
    let lines = ran.json();
    let started = json!({
        "schema": 1, "type": "doctor_started", "target": "drop", "server": "reference",
        "proxy": "reference", "client": "reference", "seeds": [2, 5], "jobs": 2, "version": "0.1.0",
    });
    assert_eq!(lines[0], started);
    assert_eq!(lines.len(), 2, "{ran:?}");
    let summary = &lines[1];
    assert_eq!((&summary["type"], &summary["reproducible"]), (&json!("summary"), &json!(true)));
    assert_eq!((&summary["seeds"], &summary["runs_in_processes"]), (&json!(3), &json!(6)));
    assert_eq!(summary["processes"][1]["seeds"], json!([3, 5]), "it begins in the middle");
    assert_eq!(summary["seeds_with_findings"], 0);

    let ran = folder.run("doctor drop --seeds 2..5 --format json --server canary:run-counter");
    assert_eq!((ran.code, &*ran.stderr), (Some(6), ""), "{ran:?}");
    let lines = ran.json();
    let types: Vec<&str> = lines.iter().filter_map(|line| line["type"].as_str()).collect();
    assert_eq!(types, ["doctor_started", "divergence", "divergence", "divergence", "summary"]);
    for (line, seed) in lines[1..4].iter().zip(2..) {
        assert_eq!((&line["seed"], &line["stage"]), (&json!(seed), &json!("threads")));
        assert_eq!(line["part"], "records");
        assert_ne!(line["first"], line["second"], "{line}");
        assert!(line["again"].as_str().is_some_and(|again| again.ends_with(" --twice")), "{line}");
    }
    assert_eq!(lines[4]["parted_in_threads"], 3);
    assert!(lines[4]["seeds_with_findings"].is_null(), "nothing is said of findings");
}

#[test]
fn an_empty_range_of_seeds_proves_nothing() {
    let ran = Folder::new("doctor-empty").run("doctor --seeds 5..5");
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert_eq!(ran.stderr, "nothing ran: the range of seeds is empty\n");
}

/// A path that means another place to every process that works elsewhere.
#[test]
#[cfg(target_os = "linux")]
fn a_process_that_dies_is_an_error_with_its_exit_code_and_its_last_words() {
    let folder = Folder::new("doctor-dies");
    folder.write("ring.toml", RING);
    let ran = folder.run("doctor /proc/self/cwd/ring.toml");
    assert_eq!(ran.code, Some(70), "{ran:?}");
    let words = " ended before it was done, with exit code 2; the last it said: error: \
                 /proc/self/cwd/ring.toml cannot be read: ";
    assert!(ran.stderr.contains(words), "{ran:?}");
    assert!(ran.stdout.ends_with("unfinished: what was compared was the same\n"), "{ran:?}");
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_it_with_130_and_the_summary_of_what_was_compared() {
    let arguments = ["doctor", "drop", "--seeds", "0..100000000", "--format", "json"];
    let mut doctor = UnderWay::of(&mut Folder::new("doctor-interrupt").command(&arguments));
    // The first line comes before anything is played.
    doctor.line();
    doctor.signal("-INT");
    let ran = doctor.rest();
    assert_eq!(ran.code, Some(130), "{ran:?}");
    let summary: serde_json::Value = serde_json::from_str(ran.stdout.trim()).expect("one line");
    assert_eq!((&summary["type"], &summary["interrupted"]), (&json!("summary"), &json!(true)));
    assert_eq!(summary["processes"], json!([]), "they were not asked");
}
