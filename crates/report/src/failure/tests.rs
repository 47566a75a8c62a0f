//! Proves what a failure tells, in which order, and how few steps it needs.
//!
//! Owns the snapshot of the whole block and the choice of its steps, on runs written by hand.

use super::*;
use crate::sample;

#[test]
fn a_failure_is_options_finding_schedule_and_commands_in_this_order() {
    let sample = sample::skipping();
    let block = failure_block(&sample.play(), "cut@3 --server x", Style::default());
    insta::assert_snapshot!(block, @r#"
    replay    seamstress replay cut@3 --server x
    played by server reference:clamp-to-floor, proxy reference, client reference:no-continuity-check
    options   seed 3, 2 operations, 3 faults, protocol 2025-11-25
    server    ids namespaced from 1, floor strict, keeps 8 events a session, refuses with 404-and-end-session
    network   1 server behind the proxy, 1 ms latency a link, 1 ms a tick
    faults    on: drop, rotation   off: eviction, silence, routing, concurrency, shape
    phases    quiet 0 to 10, chaos 10 to 60, tail 60 to 500 (ms)
    digest    15d61c69cbe868bcde776d350a56102f

    FAIL skip   key skip/progress/resumed:resume
      progress 3 to 4 of c1 did not reach the application: on exchange 4, the resumption with cursor
      s1.c1.3, progress 5 of c1 came first.
      (rule: every event after the cursor is replayed)

      13 ms  client    c1  POST tools/call: progress 1 to 5 every 2 ms, then the result
      15 ms  server    c1  the tool runs
      20 ms  FAULT     c1  cut-reset after event 2 of c1: the client's connection ended
      21 ms  client    c1  progress 1 to 2 arrive (since 19 ms)
      21 ms  client    c1  the connection is reset
      21 ms  server    c1  stores progress 3 as s1.c1.4
      24 ms  FAULT         rotate-id (1) at 24 ms
      26 ms  client    c1  GET resumes after s1.c1.3
      28 ms  server    c1  accepts s1.c1.3 and replays 2 events, although 4 events follow it on c1: progress 3 to 5 and the result
      30 ms  client    c1  progress 5 and the result arrive   <- skip: something is left out here

    also      cursor-exact/call/resumed:resume
    faults    3 planned, 2 reached, 2 fired, 1 with an observed effect
    next      seamstress replay cut@3 --server x
              seamstress explain cut@3 --server x
              seamstress shrink cut@3 --server x
    "#);
}

#[test]
fn the_schedule_has_at_most_ten_steps_in_order_and_keeps_the_most_direct_ones() {
    let mut sample = sample::skipping();
    let execute = sample.find(&["execute"]);
    let again = sample.trace.records[execute].clone();
    sample.trace.records.splice(execute..execute, vec![again; 30]);
    for finding in &mut sample.judgement.findings {
        finding.record += 30;
        finding.related.iter_mut().for_each(|record| *record += 30);
    }
    let moments = unfold(&sample.play());
    let main = main_finding(&sample.plan, &sample.judgement).expect("a finding");
    let steps = causes::of(&told(&moments), main);
    assert_eq!(steps.len(), STEPS_MAX);
    assert!(steps.is_sorted_by_key(|step| step.last()));
    let text = failure_block(&sample.play(), "cut@3", Style::default());
    assert_eq!(text.matches("<- ").count(), 1, "one remark: {text}");
    for direct in ["GET resumes", "replays 2 events", "is reset", "cut-reset after", "stores"] {
        assert!(text.contains(direct), "{direct} in {text}");
    }
}

#[test]
fn what_another_stream_did_is_not_part_of_the_schedule() {
    let sample = sample::skipping();
    let text = failure_block(&sample.play(), "cut@3", Style::default());
    assert!(!text.contains("notification"), "{text}");
}

#[test]
fn a_run_that_holds_is_not_called_a_failure() {
    let text = failure_block(&sample::sound().play(), "cut@3", Style::default());
    assert!(text.contains("\nHOLDS nothing escaped\n"), "{text}");
    assert!(!text.contains("FAIL") && !text.contains("<-"), "{text}");
}

#[test]
fn a_panic_shows_its_message_and_the_last_steps() {
    let sample = sample::panicked();
    let text = failure_block(&sample.play(), "cut@3", Style::default());
    assert!(text.contains("\nERROR the run ended in a panic"), "{text}");
    assert!(text.contains("a participant panicked: index out of bounds"), "{text}");
    assert!(text.contains("GET resumes after s1.c1.3"), "{text}");
}

#[test]
fn a_run_that_only_got_stuck_is_not_called_a_failure_of_safety() {
    let mut sample = sample::skipping();
    let last = sample.trace.records.len() - 1;
    sample.judgement.findings = vec![Finding {
        oracle: Oracle::Stuck,
        subject: "call",
        state: "fresh".into(),
        sentence: "the run reached its deadline with c1 unanswered".into(),
        record: last,
        related: vec![sample.find(&["tools/call"])],
        resumption: None,
    }];
    let text = failure_block(&sample.play(), "cut@3", Style::default());
    assert!(text.contains("\nSTUCK stuck   key stuck/call/fresh\n"), "{text}");
    assert!(text.contains("<- stuck: something never came"), "{text}");
    assert!(text.contains("POST tools/call"), "{text}");
}

#[test]
fn colour_changes_nothing_but_the_colour() {
    let sample = sample::skipping();
    let plain = failure_block(&sample.play(), "cut@3", Style { colour: false });
    let coloured = failure_block(&sample.play(), "cut@3", Style { colour: true });
    assert!(!plain.contains('\u{1b}'));
    assert_eq!(coloured.replace("\u{1b}[1;31m", "").replace("\u{1b}[0m", ""), plain);
    assert_ne!(coloured, plain);
}
