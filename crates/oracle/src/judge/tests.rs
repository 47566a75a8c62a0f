//! Whole traces: the incident that the rule was written for, a run in which everything is right,
//! and how runs are counted.
//!
//! Owns what no single oracle can show: that one cause gives exactly these findings and no others,
//! in the order of the trace.

use std::collections::BTreeMap;

use seamstress_trace::{FaultState, Host, RunEnd, Trace, What};

use super::judge;
use crate::script::{NOTHING, Script};
use crate::{Cell, Finding, Judgement, Oracle, Verdict};

/// The reconnect storm of the first source document. One counter numbers the whole session; the
/// ring keeps what lies above 4400. The top-level stream stands at 3120 when everything drops, the
/// call c1 has just brought its result under 4471, and the client presents that one cursor for the
/// top-level stream. Progress of the long-running c2 was emitted on the top-level stream in
/// between, and is evicted.
fn incident() -> Script {
    Script::new()
        .scheme("session-counter")
        .initialize(1, false)
        .session("s1")
        .listen(2)
        .open(2)
        .post(3, "c2")
        .execute("c2")
        .open(3)
        .progress_as("standalone-1", "c2", Some("3119"))
        .take(2, "3119")
        .progress_as("standalone-1", "c2", Some("3120"))
        .take(2, "3120")
        .post(4, "c1")
        .execute("c1")
        .open(4)
        .progress_as("standalone-1", "c2", Some("3871"))
        .result_as("c1", Some("4471"))
        .take(4, "4471")
        .done("c1")
        .leave(4)
        .drop(2)
        .evict_below("standalone-1", 4)
        .resume(5, "standalone", "4471")
        .resumes(5, "c1", 1)
        .open(5)
        .take(5, "4471")
        .result_as("c2", Some("4472"))
        .take(3, "4472")
        .done("c2")
        .leave(3)
        .leave(5)
        .delete(6)
        .session_end("deleted")
        .status(6, 200)
        .finish()
}

#[test]
fn the_incident_is_a_duplicate_result_and_a_skipped_progress_and_what_led_to_them() {
    let judgement = incident().judge();
    let keys: Vec<String> = judgement.findings.iter().map(Finding::key).collect();
    assert_eq!(
        keys,
        [
            // The client had one slot for the cursors of two streams.
            "cursor-exact/standalone/other-stream",
            // What the server made of it.
            "skip/progress/resumed:resume",
            "replay-after-cursor/result/resumed:resume",
            "message-on-one-stream/result/resumed:resume",
            // What the application got.
            "duplicate/result/resumed:resume",
            "cross-stream/result/resumed:resume",
        ]
    );
    let sentence = |oracle| {
        let finding = judgement.findings.iter().find(|finding| finding.oracle == oracle);
        finding.map(|finding| finding.sentence.as_str())
    };
    assert_eq!(
        sentence(Oracle::Duplicate),
        Some(
            "the result of c1 reached the application twice: first on exchange 4, again on \
             exchange 5, the resumption with cursor 4471 that the server answered with resume"
        )
    );
    assert_eq!(
        sentence(Oracle::Skip),
        Some(
            "progress 3 of c2 never reached the application: exchange 5, the resumption with \
             cursor 4471 that the server answered with resume, went on without it, and no loss was \
             declared"
        )
    );
    assert!(judgement.findings.iter().all(|finding| finding.resumption == Some(5)));
    assert_eq!(judgement.verdict, Verdict::Violated);
    assert_eq!(cells(&judgement), [0, 1, 0, 0, 0]);
}

#[test]
fn the_incident_without_the_servers_records_still_shows_the_duplicate() {
    let trace = incident().trace();
    let seen = |what: &What| {
        !matches!(what, What::Emit { .. } | What::Execute { .. } | What::Verdict { .. })
    };
    let records = trace.records.into_iter().filter(|record| seen(&record.what)).collect();
    let judgement = judge(&Trace { records, header: trace.header });
    let keys: Vec<String> = judgement.findings.iter().map(Finding::key).collect();
    assert_eq!(
        keys,
        [
            "cursor-exact/standalone/other-stream",
            "replay-after-cursor/result/resumed:unstated",
            "message-on-one-stream/result/resumed:unstated",
            "duplicate/result/resumed:unstated",
            "cross-stream/result/resumed:unstated",
        ]
    );
}

/// A call that drops, is resumed, and ends; beside it a standalone stream that stays up.
fn sound_run() -> Script {
    Script::new()
        .declares("404-and-end-session")
        .initialize(1, false)
        .session("s1")
        .listen(2)
        .open(2)
        .prime("standalone-1")
        .event(2, "s1.standalone-1.1")
        .post(3, "c1")
        .execute("c1")
        .open(3)
        .prime("c1")
        .event(3, "s1.c1.1")
        .retry(3, 20)
        .progresses("c1", 2)
        .take(3, "s1.c1.2")
        .fault("drop", FaultState::Reached)
        .fault("drop", FaultState::Fired)
        .drop(3)
        .progress("c1")
        .wait(20)
        .resume(4, "c1", "s1.c1.2")
        .resumes(4, "c1", 2)
        .open(4)
        .take_all(4, &["s1.c1.3", "s1.c1.4"])
        .notify("standalone-1")
        .take(2, "s1.standalone-1.2")
        .result("c1")
        .take(4, "s1.c1.5")
        .done("c1")
        .leave(4)
        .leave(2)
        .delete(5)
        .session_end("deleted")
        .status(5, 200)
        .finish()
}

#[test]
fn a_sound_run_with_drop_resume_and_delete_has_no_finding_and_one_sound_resumption() {
    let judgement = sound_run().judge();
    assert_eq!(judgement.findings, []);
    assert_eq!(judgement.verdict, Verdict::Holds);
    assert_eq!(cells(&judgement), [1, 0, 0, 0, 0]);
    let resumption = &judgement.resumptions[0];
    assert_eq!((resumption.exchange, resumption.stream.as_str()), (4, "c1"));
    assert_eq!((resumption.decision.as_str(), resumption.accepted), ("resume", true));
    assert_eq!((judgement.emitted, judgement.delivered), (5, 5));
    assert_eq!(judgement.faults.reached.get("some"), Some(&1));
    assert_eq!(judgement.faults.fired.get("some"), Some(&1));
    assert_eq!(judgement.faults.effective.get("some"), None);
}

/// A trace from elsewhere may hold any number; nothing may overflow over it.
#[test]
fn numbers_at_the_end_of_their_range_are_judged_like_others() {
    let lost = Script::new().session("s1").post(1, "c1").open(1).progress("c1").take(1, "s1.c1.1");
    let lost = lost.drop(1).progress("c1").result("c1").resume(2, "c1", "s1.c1.1");
    let lost = lost.resumes(2, "c1", 2).open(2).take(2, "s1.c1.2").ended(RunEnd::Finished);
    for script in [incident(), sound_run(), lost] {
        let mut trace = script.trace();
        trace.header.live_within_ms = u64::MAX;
        for record in &mut trace.records {
            record.at_ms = u64::MAX;
            match &mut record.what {
                What::Emit { position, message, .. } => {
                    *position = u64::MAX;
                    let mark = message.as_mut().and_then(|message| message.mark.as_mut());
                    mark.into_iter().for_each(|mark| mark.ordinal = u64::MAX);
                }
                What::Verdict { floors, .. } => {
                    floors.iter_mut().for_each(|(_, floor)| *floor = u64::MAX);
                }
                What::Event { message: Some(message), .. } | What::Deliver { message, .. } => {
                    message.mark.iter_mut().for_each(|mark| mark.ordinal = u64::MAX);
                }
                _ => {}
            }
        }
        assert_ne!(judge(&trace).verdict, Verdict::Error);
    }
}

#[test]
fn faults_are_counted_by_action_and_by_how_far_they_got() {
    let faults = &Script::new()
        .fault("drop", FaultState::Reached)
        .fault("drop", FaultState::Reached)
        .fault("shape", FaultState::Reached)
        .fault("drop", FaultState::Reached)
        .fault("drop", FaultState::Effective)
        .judge()
        .faults;
    assert_eq!(faults.reached, BTreeMap::from([("some".into(), 4)]));
    assert_eq!(faults.fired, BTreeMap::new());
    assert_eq!(faults.effective, BTreeMap::from([("some".into(), 1)]));
}

/// How many resumptions landed in each cell, in the order of [`Cell::ALL`].
fn cells(judgement: &Judgement) -> [u64; 5] {
    Cell::ALL.map(|cell| judgement.count(cell))
}

#[test]
fn a_refusal_with_declared_loss_and_a_new_session_is_sound_conduct_throughout() {
    let judgement = Script::new()
        .declares("404-and-end-session")
        .session("s1")
        .post(1, "c1")
        .execute("c1")
        .open(1)
        .progress("c1")
        .take(1, "s1.c1.1")
        .drop(1)
        .progresses("c1", 4)
        .evict_below("c1", 4)
        .resume(2, "c1", "s1.c1.1")
        .refuses(2, "below-floor")
        .session_end("refused")
        .status(2, 404)
        .declare_loss("not-found")
        .unknown("c1")
        .initialize(3, false)
        .session("s2")
        .post(4, "c2")
        .execute("c2")
        .open(4)
        .result("c2")
        .take(4, "s2.c2.1")
        .done("c2")
        .leave(4)
        .delete(5)
        .finish()
        .judge();
    assert_eq!(judgement.findings, []);
    assert_eq!(cells(&judgement), [0, 0, 1, 0, 0]);
}

#[test]
fn a_panicked_run_proves_nothing_either_way() {
    let script = Script::new().session("s1").post(1, "c1").open(1).progresses("c1", 2);
    let judgement = script.take(1, "s1.c1.2").ended(RunEnd::Panicked).judge();
    assert_eq!(judgement.verdict, Verdict::Error);
    assert_eq!(judgement.findings, []);
    assert_eq!(judgement.resumptions, []);
    assert_eq!((judgement.emitted, judgement.delivered), (2, 1));
}

#[test]
fn records_of_exchanges_that_nobody_requested_are_left_out() {
    let script = Script::new().session("s1").progress("c1").open(9).take(9, "s1.c1.1").drop(9);
    let script = script.refuses(9, "ahead").finish();
    assert_eq!(script.keys(), NOTHING);
}

#[test]
fn every_oracle_has_its_own_name_and_an_account_of_itself() {
    let mut names: Vec<&str> = Oracle::ALL.iter().map(|oracle| oracle.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Oracle::ALL.len());
    for oracle in Oracle::ALL {
        assert!(oracle.about().ends_with('.'), "{oracle}: {:?}", oracle.about());
        assert!(!oracle.about().starts_with(' '), "{oracle}: {:?}", oracle.about());
    }
}

/// A run of more than 200,000 records in which every message but the first is resumed for, and
/// everything is replayed twice.
#[test]
fn a_trace_of_200_000_records_is_judged_in_one_go() {
    const CYCLES: u64 = 20_000;
    let mut script = Script::new().session("s1").listen(1).open(1).prime("standalone-1");
    script = script.event(1, "s1.standalone-1.1");
    let mut last = "s1.standalone-1.1".to_owned();
    for cycle in 0..CYCLES {
        let exchange = cycle + 2;
        let next = format!("s1.standalone-1.{exchange}");
        script = script.drop(exchange - 1).notify("standalone-1");
        script = script.resume(exchange, "standalone", &last).resumes(exchange, "standalone-1", 1);
        script = script.open(exchange).take(exchange, &next).take(exchange, &next);
        last = next;
    }
    let mut trace = script.leave(CYCLES + 1).finish().trace();
    // Something that every oracle must walk past.
    let phase = trace.records[0].clone();
    let phase = seamstress_trace::Record {
        host: Host::Run,
        what: What::Phase { phase: "x".into() },
        ..phase
    };
    trace.records.splice(0..0, std::iter::repeat_n(phase, 20_000));
    assert!(trace.records.len() > 200_000, "{}", trace.records.len());
    let judgement = judge(&trace);
    let of = |oracle| judgement.findings.iter().filter(|f| f.oracle == oracle).count() as u64;
    assert_eq!(of(Oracle::Duplicate), CYCLES);
    assert_eq!(judgement.findings.len() as u64, CYCLES);
    assert_eq!(judgement.count(Cell::Escape), CYCLES);
}
