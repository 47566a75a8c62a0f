//! Proves which records become which moments.
//!
//! Owns the joining, parting and hushing of records, on traces of a few lines.

use seamstress_trace::Record;

use super::*;
use crate::sample::{self, Sample};
use crate::words;

/// A run with these records only, and no finding.
fn run(lines: &[&str]) -> Sample {
    let mut sample = sample::sound();
    let read = |line: &&str| serde_json::from_str::<Record>(line).expect("a record");
    sample.trace.records = lines.iter().map(read).collect();
    sample
}

/// What is told of it.
fn told(sample: &Sample) -> Vec<String> {
    let moments = unfold(&sample.play());
    let loud = moments.iter().filter(|moment| !moment.quiet);
    loud.map(|moment| format!("{} {}", moment.at_ms, words::sentence(moment))).collect()
}

const GET: &str = r#"{"at_ms":1,"host":"client","kind":"request","exchange":1,"method":"GET","session":"S1","stream":"c1"}"#;
const EVENT_1: &str = r#"{"at_ms":2,"host":"client","kind":"event","exchange":1,"id":"1","message":{"type":"progress","call":"c1","progress":1}}"#;
const EVENT_2: &str = r#"{"at_ms":3,"host":"client","kind":"event","exchange":1,"id":"2","message":{"type":"progress","call":"c1","progress":2}}"#;
const DELIVERY_1: &str = r#"{"at_ms":3,"host":"client","kind":"deliver","exchange":1,"to":"c1","message":{"type":"progress","call":"c1","progress":1}}"#;
const RESET: &str = r#"{"at_ms":9,"host":"client","kind":"end","exchange":1,"end":"reset"}"#;

#[test]
fn a_capture_that_knows_no_deliveries_does_not_say_that_events_were_kept_back() {
    let sample = run(&[GET, EVENT_1, EVENT_2, RESET]);
    assert_eq!(
        told(&sample),
        [
            "1 GET opens the stream",
            "3 progress 1 to 2 arrive (since 2 ms)",
            "9 the connection is reset"
        ]
    );
}

#[test]
fn an_event_that_is_not_handed_over_is_told_apart_from_those_that_are() {
    let sample = run(&[GET, EVENT_1, DELIVERY_1, EVENT_2, RESET]);
    assert_eq!(
        told(&sample)[1],
        "3 progress 1 arrives (since 2 ms); progress 2 is not handed over"
    );
}

#[test]
fn a_finding_parts_a_run_where_it_shows() {
    let mut sample = sample::skipping();
    sample.judgement.findings.truncate(1);
    sample.judgement.findings[0].record = sample.find(&["deliver", "\"result\""]);
    let told = told(&sample);
    assert!(told.contains(&"30 progress 5 arrives".to_owned()), "{told:?}");
    assert!(told.contains(&"30 the result arrives".to_owned()), "{told:?}");
}

#[test]
fn what_goes_without_saying_is_told_when_a_finding_points_to_it() {
    let mut sample = sample::skipping();
    let quiet = "30 answered 200 with an event stream".to_owned();
    assert!(!told(&sample).contains(&quiet));
    sample.judgement.findings[1].record = sample.find(&["\"exchange\":4", "\"status\":200"]);
    assert!(told(&sample).contains(&quiet), "{:?}", told(&sample));
}

#[test]
fn rotations_in_a_row_are_one_moment_until_somebody_resumes() {
    let rotate = |at_ms: u64, from: u64| {
        format!(
            r#"{{"at_ms":{at_ms},"host":"proxy","kind":"rotate","from":"S{from}","to":"S{}","keeps_old":true}}"#,
            from + 1
        )
    };
    let begin = r#"{"at_ms":0,"host":"client","kind":"session-begin","session":"S1"}"#;
    let resume = r#"{"at_ms":4,"host":"client","kind":"request","exchange":2,"method":"GET","session":"S3","cursor":"7","stream":"c1"}"#;
    let sample = run(&[begin, &rotate(2, 1), &rotate(3, 2), resume, &rotate(5, 3)]);
    assert_eq!(
        told(&sample)[1..],
        [
            "3 renames session S1 to S3, 2 times in a row; old ids still work",
            "4 GET resumes after 7 in the session now called S3",
            "5 renames session S3 to S4; old ids still work",
        ]
    );
}

#[test]
fn calls_that_end_in_the_same_way_at_the_same_time_are_one_moment() {
    let outcome = |at_ms: u64, call: &str, outcome: &str| {
        format!(
            r#"{{"at_ms":{at_ms},"host":"client","kind":"outcome","call":"{call}","outcome":"{outcome}"}}"#
        )
    };
    let sample = run(&[
        &outcome(5, "c1", "unknown"),
        &outcome(5, "l1", "failed"),
        &outcome(5, "c2", "unknown"),
        &outcome(6, "c3", "unknown"),
        &outcome(6, "c4", "done"),
    ]);
    assert_eq!(
        told(&sample),
        [
            "5 outcome: failed",
            "5 outcome of c1 and c2: unknown, they may or may not have run",
            "6 outcome: unknown, it may or may not have run",
        ]
    );
}

#[test]
fn a_quiet_request_is_told_once_its_answer_is_worth_telling() {
    let ping = r#"{"at_ms":1,"host":"client","kind":"request","exchange":1,"method":"POST","session":"S1","rpc":"ping","rpc_id":"2","stream":"p1"}"#;
    let answer = |status: u64| {
        format!(r#"{{"at_ms":3,"host":"client","kind":"response","exchange":1,"status":{status}}}"#)
    };
    assert!(told(&run(&[ping, &answer(200)])).is_empty());
    assert_eq!(told(&run(&[ping, &answer(503)])), ["1 POST ping", "3 answered 503"]);
}

#[test]
fn a_fault_stands_before_what_it_brought_about() {
    let fault = |state: &str| {
        format!(
            r#"{{"at_ms":5,"host":"proxy","kind":"fault","fault":"x","family":"eviction","action":"evict-session","state":"{state}","detail":"at 5 ms"}}"#
        )
    };
    let ends = r#"{"at_ms":5,"host":"server","kind":"session-end","session":"s1","why":"evicted"}"#;
    let sample = run(&[&fault("reached"), ends, &fault("fired")]);
    assert_eq!(told(&sample), ["5 evict-session at 5 ms", "5 session s1 is forgotten"]);
}

#[test]
fn a_resumption_without_a_recorded_verdict_shows_its_answer() {
    let resume = r#"{"at_ms":4,"host":"client","kind":"request","exchange":2,"method":"GET","session":"S1","cursor":"7","stream":"c1"}"#;
    let answer = r#"{"at_ms":6,"host":"client","kind":"response","exchange":2,"status":200,"event_stream":true}"#;
    let sample = run(&[resume, answer]);
    assert_eq!(told(&sample)[1], "6 answered 200 with an event stream");
}
