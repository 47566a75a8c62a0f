//! Ctrl-C, and readers that have had enough.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::Folder;

/// A sweep that would take hours, of which the first two lines have been read.
fn endless_sweep(name: &str) -> (Child, BufReader<std::process::ChildStdout>) {
    let arguments = ["sweep", "drop", "--seeds", "0..100000000", "--format", "json", "-j", "2"];
    let mut child = Folder::new(name)
        .command(&arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    for _ in 0..2 {
        stdout.read_line(&mut String::new()).expect("a line");
    }
    (child, stdout)
}

#[test]
fn an_interrupt_ends_a_sweep_with_130_and_the_summary_of_what_was_done() {
    let (mut child, stdout) = endless_sweep("interrupt");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let lines: Vec<Value> =
        stdout.lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
    assert_eq!(child.wait().unwrap().code(), Some(130));
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
    let (mut child, stdout) = endless_sweep("broken-pipe");
    drop(stdout);
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), &*stderr), (Some(0), ""));
}

#[test]
fn an_interrupt_ends_a_table_of_defects_with_130_and_what_was_done() {
    for verb in [&["kill", "--seeds-per-range", "100000"], &["defence", "--seeds", "0..100000000"]]
    {
        let mut child = Folder::new("interrupt-matrix")
            .command(&["matrix"])
            .args(verb)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        // The first line comes before anything is played.
        stdout.read_line(&mut String::new()).expect("a line");
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        let (mut rest, mut stderr) = (String::new(), String::new());
        stdout.read_to_string(&mut rest).unwrap();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{stderr}");
        assert!(rest.contains(" of CPU time, "), "{rest}");
        assert!(stderr.ends_with("interrupted after 0 defects\n"), "{stderr}");
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
    let mut child = Folder::new("interrupt-likelihood")
        .command(&run.split(' ').collect::<Vec<_>>())
        .args(["--reseeds", "10000", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    while !takes_interrupts(child.id()) {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it could be interrupted");
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let (mut stdout, mut stderr) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{stderr}");
    let lines: Vec<Value> =
        stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (summary, points) = lines.split_last().unwrap();
    assert_eq!((&summary["type"], &summary["interrupted"]), (&"summary".into(), &true.into()));
    // All points are taken once before any is a second time.
    let reseeds: Vec<u64> = points.iter().map(|p| p["reseeds"].as_u64().unwrap()).collect();
    assert!(reseeds[0] < 10_000 && reseeds[0] - reseeds[2] <= 1, "{reseeds:?}");
}
