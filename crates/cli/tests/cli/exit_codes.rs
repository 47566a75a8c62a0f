//! The exit code of each end that can be provoked. That of a run which is not reproducible needs a
//! canary (see there); that of a panic cannot be had, since no build that passes its tests has one.

use crate::support::{Folder, HOLE, RING, RING_DEFECTS, TOO_EARLY};

#[test]
fn a_sweep_that_holds_exits_with_0_and_shows_the_table_of_cells() {
    let ran = Folder::new("holds").run("sweep drop --seeds 0..8");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.starts_with("sweep drop   seeds 0..8   server reference   "), "{ran:?}");
    assert!(ran.stdout.contains("continuity did not hold"), "{ran:?}");
    assert!(ran.stdout.contains("8 seeds: holds 8, violated 0, stuck 0, error 0"), "{ran:?}");
}

#[test]
fn the_incident_with_the_implementations_of_the_report_exits_with_1_and_tells_the_duplicate() {
    let ran = Folder::new("incident").run(
        "replay incident-4471 --server reference:replay-whole-ring \
         --client reference:one-cursor-slot,no-continuity-check",
    );
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("FAIL duplicate"), "{ran:?}");
    assert!(ran.stdout.contains("GET resumes after 4471"), "{ran:?}");
}

#[test]
fn a_violation_exits_with_1_in_every_verb_that_judges() {
    let folder = Folder::new("violated");
    folder.write("ring.toml", RING);
    for verb in ["sweep ring.toml --seeds 0..3", "replay ring.toml@2", "explain ring.toml"] {
        let ran = folder.run(&format!("{verb} {RING_DEFECTS}"));
        assert_eq!(ran.code, Some(1), "{verb}: {ran:?}");
        assert!(ran.stdout.contains("duplicate"), "{verb}: {ran:?}");
        assert_eq!(folder.run(verb).code, Some(0), "{verb} with the reference");
    }
}

#[test]
fn a_failing_seed_decides_although_a_later_one_holds() {
    let folder = Folder::new("decides");
    // Every other seed draws no fault, and then there is nothing to resume.
    let drawn = RING.split("[[storm.fault]]").next().unwrap();
    folder.write("drawn.toml", &format!("{drawn}\n[storm]\nfamilies = [\"drop\"]\n"));
    let sweep = |range: &str| {
        folder.run(&format!(
            "sweep drawn.toml --seeds {range} --format json --no-shrink {RING_DEFECTS}"
        ))
    };
    let seeds = sweep("0..40").json();
    let outcome = |line: &serde_json::Value| line["outcome"].as_str().unwrap_or("").to_owned();
    let pair = seeds
        .windows(2)
        .find(|pair| outcome(&pair[0]) == "violated" && outcome(&pair[1]) == "holds");
    let first = pair.unwrap()[0]["seed"].as_u64().unwrap();
    assert_eq!(sweep(&format!("{first}..{}", first + 2)).code, Some(1));
    assert_eq!(sweep(&format!("{}..{}", first + 1, first + 2)).code, Some(0));
}

#[test]
fn a_sweep_tells_each_failure_once_with_commands_that_can_be_typed() {
    let folder = Folder::new("told-once");
    folder.write("ring.toml", RING);
    let ran = folder.run(&format!("sweep ring.toml --seeds 5..9 {RING_DEFECTS}"));
    let blocks = ran.stdout.lines().filter(|line| line.starts_with("FAIL ")).count();
    assert_eq!(blocks, 1, "four seeds fail in the same way: {ran:?}");
    let whole = format!("seamstress explain ring.toml@5 {RING_DEFECTS}\n");
    assert!(ran.stdout.contains(&whole), "{ran:?}");
    let typed = ran.stdout.lines().find_map(|line| line.strip_prefix("next      seamstress "));
    assert_eq!(folder.run(typed.expect("a command")).code, Some(1));
}

#[test]
fn liveness_alone_exits_with_3() {
    let folder = Folder::new("stuck");
    folder.write("hole.toml", HOLE);
    let ran = folder.run("sweep hole.toml --seeds 0..2");
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stdout.contains("STUCK stuck"), "{ran:?}");
    assert_eq!(folder.run("replay hole.toml").code, Some(3));
}

#[test]
fn an_empty_range_of_seeds_exits_with_4() {
    let ran = Folder::new("empty-range").run("sweep --seeds 5..5");
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert_eq!(ran.stderr, "nothing ran: the range of seeds is empty\n");
}

#[test]
fn a_family_that_never_fires_in_20_seeds_exits_with_4_and_in_fewer_is_only_shown() {
    let folder = Folder::new("vacuous");
    folder.write("too-early.toml", TOO_EARLY);
    let ran = folder.run("sweep too-early.toml --seeds 0..20");
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert_eq!(ran.stderr, "nothing is proven: no fault fired in 20 seeds of: drop\n");
    let ran = folder.run("sweep too-early.toml --seeds 0..19");
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{ran:?}");
    assert!(ran.stdout.contains("family drop"), "{ran:?}");
}

#[test]
fn a_violation_outranks_a_family_that_never_fired() {
    let folder = Folder::new("rank");
    folder.write("ring.toml", RING).write("too-early.toml", TOO_EARLY);
    folder.write("hole.toml", HOLE);
    let ran = folder.run("run too-early.toml hole.toml");
    assert_eq!(ran.code, Some(3), "3 outranks 4: {ran:?}");
}

#[test]
fn fail_fast_ends_at_the_first_failing_seed_for_any_number_of_jobs() {
    let folder = Folder::new("fail-fast");
    folder.write("ring.toml", RING);
    let command = format!(
        "sweep ring.toml --seeds 3..400 --fail-fast --no-shrink --format json {RING_DEFECTS}"
    );
    for jobs in [1, 2] {
        let ran = folder.run(&format!("{command} --jobs {jobs}"));
        assert_eq!(ran.code, Some(1), "{ran:?}");
        let types: Vec<_> = ran.json().iter().map(|line| line["type"].clone()).collect();
        assert_eq!(types, ["sweep_started", "seed", "summary"]);
        assert_eq!(ran.json()[1]["seed"], 3);
    }
}

#[test]
fn help_and_version_exit_with_0_and_no_arguments_with_2() {
    let folder = Folder::new("help");
    let verbs = [
        "sweep",
        "run",
        "replay",
        "shrink",
        "explain",
        "doctor",
        "matrix",
        "matrix kill",
        "matrix defence",
    ];
    let verbs = verbs.map(|verb| format!("{verb} --help"));
    for help in ["--help", "-h"].into_iter().chain(verbs.iter().map(String::as_str)) {
        let ran = folder.run(help);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stdout.contains("\nExample:\n  seamstress "), "{help}: {ran:?}");
        assert!(ran.stdout.lines().all(|line| line.chars().count() <= 100), "{help}: {ran:?}");
    }
    assert_eq!(folder.run("--version").stdout, "seamstress 0.1.0\n");
    let ran = folder.command(&[]).output().unwrap();
    assert_eq!(ran.status.code(), Some(2));
}
