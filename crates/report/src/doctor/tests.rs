//! The words of the doctor, for each end.

use super::*;
use crate::divergence::Part;

const PLAIN: Style = Style { colour: false };

fn process(seeds: (u64, u64), jobs: u64, folder: &str, zone: &str) -> OtherProcess {
    OtherProcess {
        seeds,
        jobs: Some(jobs),
        folder: folder.to_owned(),
        environment: vec![format!("TZ={zone}"), "no HOME".to_owned()],
    }
}

fn checkup() -> Checkup {
    Checkup {
        seeds: 10,
        records: 1_234,
        processes: vec![
            process((0, 10), 1, "/", "Asia/Kathmandu"),
            process((5, 10), 2, "/tmp", "UTC"),
            process((0, 5), 2, "/tmp", "UTC"),
        ],
        runs_in_processes: 20,
        ..Checkup::default()
    }
}

fn summary(checkup: &Checkup) -> String {
    checkup_summary(checkup, true, "seamstress sweep storm", PLAIN)
}

fn divergence() -> Divergence {
    Divergence {
        part: Part::Records,
        index: 1,
        before: vec!["same".to_owned()],
        first: Some("one".to_owned()),
        second: None,
    }
}

#[test]
fn when_all_is_the_same_the_summary_says_how_much_and_what_was_different_around_it() {
    insta::assert_snapshot!(summary(&checkup()), @r"
    threads    10 seeds twice in fresh threads: all the same, 1234 records compared
    processes  20 more runs in 3 others: all the same
               seeds 0..10, 1 run at once, in /
                 TZ=Asia/Kathmandu, no HOME
               seeds 5..10, 2 runs at once, in /tmp
                 TZ=UTC, no HOME
               seeds 0..5, 2 runs at once, in /tmp

    deterministic: the same seed gave the same bytes, verdicts and stories
    ");
}

#[test]
fn findings_are_told_of_only_if_all_is_the_same() {
    let with = Checkup { with_findings: 3, ..checkup() };
    let line = "findings   in 3 seeds, which is no matter here: seamstress sweep storm";
    assert!(summary(&with).lines().any(|told| told == line), "{}", summary(&with));
    for parted in [
        Checkup { parted_in_threads: 1, ..with.clone() },
        Checkup { parted_in_processes: 1, ..with },
    ] {
        let told = summary(&parted);
        assert!(!told.contains("findings") && told.contains("\nnot deterministic: "), "{told}");
    }
}

#[test]
fn what_was_not_finished_claims_nothing() {
    let told = checkup_summary(&checkup(), false, "", PLAIN);
    assert!(told.ends_with("\n\nunfinished: what was compared was the same\n"), "{told}");
}

#[test]
fn runs_that_part_in_threads_leave_nothing_for_processes_to_show() {
    let parted = Checkup { seeds: 10, records: 70, parted_in_threads: 4, ..Checkup::default() };
    insta::assert_snapshot!(summary(&parted), @r"
    threads    10 seeds twice in fresh threads: 4 of 10 seeds part, 70 records compared
    processes  not asked, since runs part within one

    not deterministic: what is found in such runs means nothing
    ");
}

#[test]
fn a_seed_whose_runs_part_is_shown_with_where_they_were_played_and_what_to_type() {
    let (divergence, process) = (divergence(), process((0, 10), 1, "/", "Asia/Kathmandu"));
    let mut found = Found {
        plan: "storm@3",
        seed: 3,
        stage: Stage::Threads,
        divergence: &divergence,
        note: None,
        again: "seamstress replay storm@3 --twice",
    };
    insta::assert_snapshot!(found_block(&found, PLAIN), @r"
    storm@3   in two fresh threads of this process
    NOT REPRODUCIBLE: the runs part at record 1, counted from 0
      both    same
      first   one
      second  (the run is over)
    again     seamstress replay storm@3 --twice
    ");
    found.stage = Stage::Process(&process);
    found.note = Some("played alone it is as here");
    insta::assert_snapshot!(found_block(&found, PLAIN), @r"
    storm@3   here and in another process: seeds 0..10, 1 run at once, in /
      TZ=Asia/Kathmandu, no HOME
    NOT REPRODUCIBLE: the runs part at record 1, counted from 0
      both    same
      here    one
      there   (the run is over)
    note      played alone it is as here
    again     seamstress replay storm@3 --twice
    ");
}
