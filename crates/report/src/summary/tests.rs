//! Proves what the summary of a sweep says, and that a hollow sweep looks hollow.
//!
//! Owns a snapshot of a summary of three runs written by hand.

use super::*;
use crate::SeedResult;
use crate::sample;

fn tally() -> Tally {
    let mut tally = Tally::default();
    for (seed, sample) in [(3, sample::skipping()), (4, sample::sound()), (5, sample::refused())] {
        tally.add(seed, &SeedResult::of(seed, &sample.play()));
    }
    tally
}

fn end() -> SweepEnd {
    SweepEnd {
        seeds_done: (3, 6),
        seeds_played: 3,
        cpu_seconds: 1.5,
        time_up: None,
        quiet_seeds: None,
        is_interrupted: false,
    }
}

#[test]
fn a_summary_is_cells_outcomes_keys_faults_and_speed_in_this_order() {
    let tally = tally();
    let trio = Trio { server: "reference:clamp-to-floor".into(), ..Trio::default() };
    let text =
        sweep_summary("cut", &trio, &tally, &Unseen::default(), false, &end(), Style::default());
    insta::assert_snapshot!(text, @r#"
    cut   server reference:clamp-to-floor, proxy reference, client reference

              continuity held  continuity did not hold
    accepted  sound    1       escape 1
    refused   needless 0       needed 1

    3 seeds: holds 2, violated 1, stuck 0, error 0

      seeds  first  failure
          1      3  skip/progress/resumed:resume
          1      3  cursor-exact/call/resumed:resume
      look at one: seamstress explain cut@3 --server reference:clamp-to-floor

      faults    planned  reached  fired  effective
      drop            6        3      3          3
      rotation        3        3      3          1

      states    2 of 1920 seen; the last new one at seed 5 (--coverage shows which)

    1.500 s of CPU time, 2.0 seeds per CPU second
    "#);
}

fn told(tally: &Tally, unseen: &Unseen, with_coverage: bool) -> String {
    sweep_summary("cut", &Trio::default(), tally, unseen, with_coverage, &end(), Style::default())
}

#[test]
fn whoever_asks_is_told_of_every_action_under_its_family() {
    let unseen = Unseen { actions: vec![Action::CutClientSide], ..Unseen::default() };
    let text = told(&tally(), &unseen, true);
    let table = text.split("\n\n").find(|part| part.contains("planned")).expect("a table");
    insta::assert_snapshot!(table, @r#"
      faults             planned  reached  fired  effective
      drop                     6        3      3          3
        cut-clean              3        0      0          0
        cut-reset              3        3      3          3
        cut-client-side        0        0      0          0
      rotation                 3        3      3          1
        rotate-id              3        3      3          1
    "#);
    assert!(text.contains("of 12 stream states"), "{text}");
}

#[test]
fn what_makes_a_green_sweep_worth_less_is_said() {
    let unseen = Unseen {
        families: tally().never_fired(&[Family::Drop, Family::Silence]),
        actions: vec![Action::CutClean, Action::BlackHole],
        cells: vec![ExpectedCell::Needless],
    };
    let text = told(&tally(), &unseen, false);
    assert!(text.contains("warning   no fault of the listed family silence was ever carried out"));
    assert!(text.contains("warning   in 3 seeds no fault ever carried out cut-clean, "), "{text}");
    assert!(!text.contains("black-hole"), "its family is named: {text}");
    assert!(text.contains("warning   no resumption was ever needless"), "{text}");
    assert!(text.contains("  silence         0        0      0          0\n"), "{text}");
}

#[test]
fn a_sweep_in_which_nothing_was_resumed_does_not_look_like_a_proof() {
    let mut tally = Tally::default();
    let mut result = SeedResult::of(1, &sample::sound().play());
    result.cells = [0; 5];
    tally.add(1, &result);
    let text = |tally: &Tally| told(tally, &Unseen::default(), false);
    assert!(text(&tally).contains("nothing was resumed"), "{}", text(&tally));
    assert!(text(&Tally::default()).contains("warning   nothing ran"));
}

fn ended(end: &SweepEnd) -> String {
    let unseen = Unseen::default();
    sweep_summary("cut", &Trio::default(), &tally(), &unseen, false, end, Style::default())
}

#[test]
fn a_sweep_that_ran_out_of_time_says_which_seeds_it_speaks_of() {
    let end = SweepEnd { time_up: Some("10m".into()), ..end() };
    let text = ended(&end);
    let told = "stuck 0, error 0\ntime up after 10m: this is of the seeds 3..6\n";
    assert!(text.contains(told), "{text}");
}

#[test]
fn a_sweep_that_ended_in_quiet_says_after_how_many_seeds_and_which_it_speaks_of() {
    let text = ended(&SweepEnd { quiet_seeds: Some(2), ..end() });
    let told = "stuck 0, error 0\nquiet after 2 seeds in a row without a new protocol state: this is \
                of the seeds 3..6\n";
    assert!(text.contains(told), "{text}");
}

#[test]
fn the_speed_is_that_of_the_seeds_played_now_and_not_of_those_that_were_known() {
    let end = SweepEnd { seeds_played: 1, cpu_seconds: 0.5, ..end() };
    let text = ended(&end);
    let told = "0.500 s of CPU time for the 1 seed played now, 2.0 seeds per CPU second\n";
    assert!(text.ends_with(told), "{text}");
}
