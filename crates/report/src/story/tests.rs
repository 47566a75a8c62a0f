//! Proves that a story can be followed from its first moment to its verdict.
//!
//! Owns snapshots of a sound resumption, a refusal and an escape, and the limit of its length.

use seamstress_trace::{Record, Trace};

use super::*;
use crate::sample::{self, Sample};
use crate::{Style, failure_block, mermaid};

#[test]
fn whatever_a_foreign_trace_calls_things_steers_no_terminal() {
    let mut sample = sample::skipping();
    let names = [("c1", "c\u{1b}[2J1"), ("S1", "S\u{7f}"), ("s1", "s\r")];
    let of_trace = |text: &str| {
        let escaped = |name: &str| serde_json::to_string(name).expect("a text");
        names.iter().fold(text.to_owned(), |text, (from, to)| {
            text.replace(from, escaped(to).trim_matches('"'))
        })
    };
    let text = String::from_utf8(sample.trace.to_bytes()).expect("UTF-8");
    sample.trace = Trace::read(of_trace(&text).as_bytes()).expect("a trace");
    for fault in &mut sample.plan.faults {
        fault.id.push('\u{1b}');
    }
    let play = sample.play();
    for told in [story(&play), mermaid(&play), failure_block(&play, "cut@3", Style::default())] {
        assert!(told.contains("\\u{1b}"), "{told}");
        assert!(!told.contains(|c: char| c.is_control() && c != '\n'), "{told:?}");
    }
}

#[test]
fn a_cut_and_a_sound_resumption_can_be_followed_line_by_line() {
    insta::assert_snapshot!(story(&sample::sound().play()), @r#"
    options   seed 3, 2 operations, 3 faults, protocol 2025-11-25
    server    ids namespaced from 1, floor strict, keeps 8 events a session, refuses with 404-and-end-session
    network   1 server behind the proxy, 1 ms latency a link, 1 ms a tick
    faults    on: drop, rotation   off: eviction, silence, routing, concurrency, shape
    phases    quiet 0 to 10, chaos 10 to 60, tail 60 to 500 (ms)
    digest    15d61c69cbe868bcde776d350a56102f

    set-up, until 10 ms: nothing goes wrong
       6 ms  client                session S1 begins (the server calls it s1)
       8 ms  client    standalone  GET opens the stream

    chaos, from 10 ms until 60 ms: the faults
      13 ms  client    c1          POST tools/call: progress 1 to 5 every 2 ms, then the result
      15 ms  server    c1          the tool runs
      20 ms  client    standalone  notification 1 arrives
      20 ms  FAULT     c1          cut-reset after event 2 of c1: the client's connection ended
      21 ms  client    c1          progress 1 to 2 arrive (since 19 ms)
      21 ms  client    c1          the connection is reset
      24 ms  FAULT                 rotate-id (1) at 24 ms: S1 became S2
      26 ms  client    c1          GET resumes after s1.c1.3
      28 ms  server    c1          accepts s1.c1.3 and replays 4 events: progress 3 to 5 and the result
      29 ms  proxy                 renames session S1 to S2; old ids still work
      30 ms  client    c1          first event s1.c1.4 directly follows s1.c1.3
      30 ms  client    c1          progress 3 to 5 and the result arrive
      30 ms  client                DELETE ends session S1
      40 ms  run                   everything is over

    resumptions
                continuity held  continuity did not hold
      accepted  sound    1       escape 0
      refused   needless 0       needed 0

      exchange  stream  cursor   decision  cell
             4  c1      s1.c1.3  resume    sound

    what the application got
      operation   outcome  got
      standalone           notification 1
      c1          done     progress 1 to 5 and the result

    findings
      nothing escaped

    faults
      f1  cut-reset after event 2 of c1        effective: the client's connection ended
      f2  rotate-id (1) at 24 ms               effective: S1 became S2
      f3  cut-clean at resume 1 of standalone  never reached

    verdict   holds
    "#);
}

#[test]
fn a_refusal_says_why_and_what_the_application_was_told() {
    insta::assert_snapshot!(story(&sample::refused().play()), @r#"
    options   seed 3, 2 operations, 3 faults, protocol 2025-11-25
    server    ids namespaced from 1, floor strict, keeps 8 events a session, refuses with 404-and-end-session
    network   1 server behind the proxy, 1 ms latency a link, 1 ms a tick
    faults    on: drop, rotation   off: eviction, silence, routing, concurrency, shape
    phases    quiet 0 to 10, chaos 10 to 60, tail 60 to 500 (ms)
    digest    15d61c69cbe868bcde776d350a56102f

    set-up, until 10 ms: nothing goes wrong
       6 ms  client                session S1 begins (the server calls it s1)
       8 ms  client    standalone  GET opens the stream

    chaos, from 10 ms until 60 ms: the faults
      13 ms  client    c1          POST tools/call: progress 1 to 5 every 2 ms, then the result
      15 ms  server    c1          the tool runs
      20 ms  client    standalone  notification 1 arrives
      20 ms  FAULT     c1          cut-reset after event 2 of c1: the client's connection ended
      21 ms  client    c1          progress 1 to 2 arrive (since 19 ms)
      21 ms  client    c1          the connection is reset
      24 ms  FAULT                 rotate-id (1) at 24 ms
      26 ms  client    c1          GET resumes after s1.c1.3
      28 ms  server    c1          refuses s1.c1.3 (below-floor): it is event 3 of c1, kept are those from 6 on; the session ends
      30 ms  client    c1          answered 404: there is no such session
      30 ms  client                gives S1 up and tells the application so: the server no longer knows it
      30 ms  client    c1          outcome: unknown, it may or may not have run

    tail, from 60 ms: no more faults, all must settle
      61 ms  proxy                 1 open connection left over
      61 ms  run                   everything is over

    resumptions
                continuity held  continuity did not hold
      accepted  sound    0       escape 0
      refused   needless 0       needed 1

      exchange  stream  cursor   decision     cell
             4  c1      s1.c1.3  below-floor  needed

    what the application got
      operation   outcome  got              never came
      standalone           notification 1
      c1          unknown  progress 1 to 2  progress 3 to 5 and the result

    findings
      nothing escaped

    faults
      f1  cut-reset after event 2 of c1        effective: the client's connection ended
      f2  rotate-id (1) at 24 ms               fired without an observed effect
      f3  cut-clean at resume 1 of standalone  never reached

    verdict   holds
    "#);
}

#[test]
fn an_escape_is_remarked_where_it_shows_and_told_before_broken_rules() {
    insta::assert_snapshot!(story(&sample::skipping().play()), @r#"
    played by server reference:clamp-to-floor, proxy reference, client reference:no-continuity-check
    options   seed 3, 2 operations, 3 faults, protocol 2025-11-25
    server    ids namespaced from 1, floor strict, keeps 8 events a session, refuses with 404-and-end-session
    network   1 server behind the proxy, 1 ms latency a link, 1 ms a tick
    faults    on: drop, rotation   off: eviction, silence, routing, concurrency, shape
    phases    quiet 0 to 10, chaos 10 to 60, tail 60 to 500 (ms)
    digest    15d61c69cbe868bcde776d350a56102f

    set-up, until 10 ms: nothing goes wrong
       6 ms  client                session S1 begins (the server calls it s1)
       8 ms  client    standalone  GET opens the stream

    chaos, from 10 ms until 60 ms: the faults
      13 ms  client    c1          POST tools/call: progress 1 to 5 every 2 ms, then the result
      15 ms  server    c1          the tool runs
      20 ms  client    standalone  notification 1 arrives
      20 ms  FAULT     c1          cut-reset after event 2 of c1: the client's connection ended
      21 ms  client    c1          progress 1 to 2 arrive (since 19 ms)
      21 ms  client    c1          the connection is reset
      21 ms  server    c1          stores progress 3 as s1.c1.4
      24 ms  FAULT                 rotate-id (1) at 24 ms
      26 ms  client    c1          GET resumes after s1.c1.3
      28 ms  server    c1          accepts s1.c1.3 and replays 2 events, although 4 events follow it on c1: progress 3 to 5 and the result
      30 ms  client    c1          progress 5 and the result arrive   <- skip and cursor-exact
      30 ms  client                DELETE ends session S1
      40 ms  run                   everything is over

    resumptions
                continuity held  continuity did not hold
      accepted  sound    0       escape 1
      refused   needless 0       needed 0

      exchange  stream  cursor   decision  cell
             4  c1      s1.c1.3  resume    escape

    what the application got
      operation   outcome  got                                         never came
      standalone           notification 1
      c1          done     progress 1 to 2, progress 5 and the result  progress 3 to 4

    findings
      skip (rule: every event after the cursor is replayed)
        progress 3 to 4 of c1 did not reach the application: on exchange 4, the resumption with cursor
          s1.c1.3, progress 5 of c1 came first
      cursor-exact (WHATWG HTML 9.2: the last event id string)
        a finding of a rule, which stands before the escape in the trace

    faults
      f1  cut-reset after event 2 of c1        effective: the client's connection ended
      f2  rotate-id (1) at 24 ms               fired without an observed effect
      f3  cut-clean at resume 1 of standalone  never reached

    verdict   violated
    "#);
}

#[test]
fn a_run_that_panicked_proves_nothing() {
    let text = story(&sample::panicked().play());
    assert!(text.contains("a participant panicked: index out of bounds"), "{text}");
    assert!(text.contains("none: a run that ended in a panic proves nothing"), "{text}");
}

/// A run with many times the moments, resumptions and findings that a story has room for.
fn endless() -> Sample {
    let mut sample = sample::skipping();
    let phases = sample.find(&["\"kind\":\"phase\""]);
    let noise = |index: u64| {
        let line = format!(
            r#"{{"at_ms":10,"host":"server","kind":"execute","session":"s1","call":"x{index}"}}"#
        );
        serde_json::from_str::<Record>(&line).expect("a record")
    };
    sample.trace.records.splice(phases..phases, (0..5_000).map(noise));
    for finding in &mut sample.judgement.findings {
        finding.record += 5_000;
        finding.related.iter_mut().for_each(|record| *record += 5_000);
    }
    let resumption = sample.judgement.resumptions[0].clone();
    let sound = Resumption { cell: Cell::Sound, ..resumption.clone() };
    sample.judgement.resumptions = vec![sound; 500];
    sample.judgement.resumptions[250] = resumption;
    let finding = sample.judgement.findings[0].clone();
    for oracle in Oracle::ALL {
        let again = Finding { oracle: *oracle, ..finding.clone() };
        sample.judgement.findings.extend(vec![again; 7]);
    }
    sample
}

#[test]
fn a_phase_that_begins_where_moments_are_left_out_is_still_titled() {
    let mut sample = endless();
    let at = sample.find(&["\"kind\":\"run-end\""]);
    let tail = r#"{"at_ms":40,"host":"run","kind":"phase","phase":"tail"}"#;
    let noise = sample.trace.records[sample.find(&["x17"])].clone();
    let mut more = vec![noise; 500];
    more[250] = serde_json::from_str(tail).expect("a record");
    sample.trace.records.splice(at..at, more);
    let text = story(&sample.play());
    let titles = ["set-up, until", "chaos, from", "tail, from"].map(|title| text.find(title));
    assert!(titles.iter().all(Option::is_some) && titles.is_sorted(), "{titles:?} in {text}");
    assert_eq!(text.matches("moments left out").count(), 2, "{text}");
}

#[test]
fn a_story_does_not_grow_with_the_run_counts_what_it_leaves_out_and_keeps_the_escape() {
    let text = story(&endless().play());
    let lines = text.lines().count();
    assert!(lines <= 200, "{lines} lines");
    assert!(text.contains("moments left out"), "{text}");
    assert!(text.contains("<- duplicate, skip, "), "the finding must stay: {text}");
    assert_eq!(text.matches("escape\n").count(), 1, "the escape must stay: {text}");
    assert!(text.contains("leak (7)"), "an oracle that is not told is named: {text}");
}
