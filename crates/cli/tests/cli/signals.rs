//! Ctrl-C, and readers that have had enough.
#![cfg(unix)]

use serde_json::Value;

use crate::support::{Folder, UnderWay};

/// A sweep that would take hours, of which the first two lines have been read.
fn endless_sweep(name: &str) -> UnderWay {
    let arguments = ["sweep", "drop", "--seeds", "0..100000000", "--format", "json", "-j", "2"];
    let mut sweep = UnderWay::of(&mut Folder::new(name).command(&arguments));
    sweep.line();
    sweep.line();
    sweep
}

#[test]
fn an_interrupt_ends_a_sweep_with_130_and_the_summary_of_what_was_done() {
    let sweep = endless_sweep("interrupt");
    sweep.signal("-INT");
    let ran = sweep.rest();
    assert_eq!(ran.code, Some(130), "{ran:?}");
    let lines = ran.json();
    let (summary, seeds) = lines.split_last().unwrap();
    assert_eq!((&summary["type"], &summary["interrupted"]), (&"summary".into(), &true.into()));
    // One seed was read before.
    assert_eq!(summary["seeds"], seeds.len() + 1);
    for (line, seed) in seeds.iter().zip(1..) {
        assert_eq!(line["seed"], seed, "no seed is left out");
    }
}

#[test]
fn a_reader_that_goes_ends_a_sweep_quietly_with_the_code_that_was_due() {
    let mut sweep = endless_sweep("broken-pipe");
    let mut stderr = sweep.child.stderr.take().unwrap();
    drop(sweep.stdout);
    let said = std::io::read_to_string(&mut stderr).unwrap();
    assert_eq!((sweep.child.wait().unwrap().code(), &*said), (Some(0), ""));
}

#[test]
fn an_interrupt_ends_a_table_of_defects_with_130_and_what_was_done() {
    for verb in [&["kill", "--seeds-per-range", "100000"], &["defence", "--seeds", "0..100000000"]]
    {
        let mut command = Folder::new("interrupt-matrix").command(&["matrix"]);
        let mut table = UnderWay::of(command.args(verb));
        // The first line comes before anything is played.
        table.line();
        table.signal("-INT");
        let ran = table.rest();
        assert_eq!(ran.code, Some(130), "{ran:?}");
        assert!(ran.stdout.contains(" of CPU time, "), "{ran:?}");
        assert!(ran.stderr.ends_with("interrupted after 0 defects\n"), "{ran:?}");
    }
}

/// Whether a process has a handler for an interrupt, which is signal 2.
#[cfg(target_os = "linux")]
fn takes_interrupts(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or_default();
    u64::from_str_radix(caught.trim(), 16).is_ok_and(|mask| mask >> 1 & 1 == 1)
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_ends_a_likelihood_with_130_and_the_curve_so_far() {
    let run = "explain drop@8 --server reference:replay-skips-one --likelihood --points 3";
    let mut command =
        Folder::new("interrupt-likelihood").command(&run.split(' ').collect::<Vec<_>>());
    let mut likelihood = UnderWay::of(command.args(["--reseeds", "10000", "--format", "json"]));
    while !takes_interrupts(likelihood.child.id()) {
        let ended = likelihood.child.try_wait().unwrap();
        assert_eq!(ended, None, "it ended before it could be interrupted");
    }
    likelihood.signal("-INT");
    let ran = likelihood.rest();
    assert_eq!(ran.code, Some(130), "{ran:?}");
    let lines: Vec<Value> = ran.json();
    let (summary, points) = lines.split_last().unwrap();
    assert_eq!((&summary["type"], &summary["interrupted"]), (&"summary".into(), &true.into()));
    // All points are taken once before any is a second time.
    let reseeds: Vec<u64> = points.iter().map(|p| p["reseeds"].as_u64().unwrap()).collect();
    assert!(reseeds[0] < 10_000 && reseeds[0] - reseeds[2] <= 1, "{reseeds:?}");
}
