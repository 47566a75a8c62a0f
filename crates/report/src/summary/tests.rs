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

#[test]
fn a_summary_is_cells_outcomes_keys_faults_and_speed_in_this_order() {
    let tally = tally();
    let trio = Trio { server: "reference:clamp-to-floor".into(), ..Trio::default() };
    let text = sweep_summary("cut", &trio, &tally, &[], &[], 1.5, Style::default());
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

    1.500 s of CPU time, 2.0 seeds per CPU second
    "#);
}

#[test]
fn what_makes_a_green_sweep_worth_less_is_said() {
    let never = tally().never_fired(&[Family::Drop, Family::Silence]);
    let missing = [ExpectedCell::Needless];
    let text =
        sweep_summary("cut", &Trio::default(), &tally(), &never, &missing, 1.5, Style::default());
    assert!(text.contains("warning   no fault of the listed family silence was ever carried out"));
    assert!(text.contains("warning   no resumption was ever needless"), "{text}");
    assert!(text.contains("  silence         0        0      0          0\n"), "{text}");
}

#[test]
fn a_sweep_in_which_nothing_was_resumed_does_not_look_like_a_proof() {
    let mut tally = Tally::default();
    let mut result = SeedResult::of(1, &sample::sound().play());
    result.cells = [0; 5];
    tally.add(1, &result);
    let text = |tally: &Tally| {
        sweep_summary("cut", &Trio::default(), tally, &[], &[], 1.5, Style::default())
    };
    assert!(text(&tally).contains("nothing was resumed"), "{}", text(&tally));
    assert!(text(&Tally::default()).contains("warning   nothing ran"));
}
