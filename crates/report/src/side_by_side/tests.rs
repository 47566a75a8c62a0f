//! Proves that two runs stand beside each other, step by step and within the width.
//!
//! Owns a snapshot of an incident with two trios, on runs written by hand.

use super::*;
use crate::sample;

#[test]
fn two_runs_of_one_plan_stand_beside_each_other_step_by_step() {
    let (left, right) = (sample::skipping(), sample::refused());
    let text = side_by_side(("report", &left.play()), ("reference", &right.play()), 100);
    insta::assert_snapshot!(text, @r#"
     report                                          | reference
    ===================================================================================================
     server reference:clamp-to-floor                 | server reference
     proxy reference                                 | proxy reference
     client reference:no-continuity-check            | client reference
    -------------------------------------------------+-------------------------------------------------
     26 ms, c1: GET resumes after s1.c1.3            | 26 ms, c1: GET resumes after s1.c1.3
       server: accepts s1.c1.3 and replays 2 events, |   server: refuses s1.c1.3 (below-floor): it is
         although 4 events follow it on c1: progress |     event 3 of c1, kept are those from 6 on;
         3 to 5 and the result                       |     the session ends
       client: progress 5 and the result arrive      |   client: answered 404: there is no such
       = escape                                      |     session
                                                     |   client: gives S1 up and tells the application
                                                     |     so: the server no longer knows it
                                                     |   = needed
    -------------------------------------------------+-------------------------------------------------
     the application got                             | the application got
       standalone: notification 1                    |   standalone: notification 1
       c1 (done): progress 1 to 2, progress 5 and    |   c1 (unknown): progress 1 to 2; never came:
         the result; never came: progress 3 to 4     |     progress 3 to 5 and the result
    -------------------------------------------------+-------------------------------------------------
     skip: progress 3 to 4 of c1 did not reach the   | nothing escaped
         application: on exchange 4, the resumption  |
         with cursor s1.c1.3, progress 5 of c1 came  |
         first                                       |
     rules broken: cursor-exact                      |
    -------------------------------------------------+-------------------------------------------------
     verdict: violated                               | verdict: holds
    "#);
}

#[test]
fn no_line_is_wider_than_asked_for_and_no_word_is_lost() {
    let (left, right) = (sample::skipping(), sample::refused());
    for width in [0, 40, 57, 80, 200] {
        let text = side_by_side(("report", &left.play()), ("reference", &right.play()), width);
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(widest <= width.clamp(WIDTH_MIN, WIDTH_MAX), "{widest} of {width}:\n{text}");
        assert!(text.contains("violated"), "{text}");
    }
}

#[test]
fn a_side_without_resumptions_leaves_its_column_empty() {
    let (left, right) = (sample::sound(), sample::panicked());
    let text = side_by_side(("a", &left.play()), ("b", &right.play()), 100);
    assert!(text.contains("= sound"), "{text}");
    assert!(text.contains("the run ended in a panic"), "{text}");
}
