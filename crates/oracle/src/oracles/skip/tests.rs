//! What `skip` finds, and its near misses.
//!
//! Owns the two ways in which messages go missing, a gap and a missing end, each with what makes
//! it certain and what excuses it; then what captures can tell, with marks and without.

use seamstress_trace::{Content, End, FaultState, Message, Method, RunEnd};

use crate::script::{NOTHING, Script};
use crate::{Cell, Oracle};

/// A call of which two progresses arrived, then the connection dropped and five followed.
fn call() -> Script {
    let script = Script::new().session("s1").post(1, "c1").open(1).progresses("c1", 2);
    script.take_all(1, &["s1.c1.1", "s1.c1.2"]).drop(1).progresses("c1", 5)
}

/// A standalone stream of which one notification arrived, then the connection dropped and two
/// followed.
fn standalone() -> Script {
    let script = Script::new().session("s1").listen(1).open(1).notify("standalone-1");
    script.take(1, "s1.standalone-1.1").drop(1).notify("standalone-1").notify("standalone-1")
}

#[test]
fn a_replay_that_begins_at_the_floor_leaves_out_what_was_evicted() {
    let judgement = call()
        .evict_below("c1", 6)
        .resume(2, "c1", "s1.c1.2")
        .resumes(2, "c1", 2)
        .open(2)
        .take_all(2, &["s1.c1.6", "s1.c1.7"])
        .judge();
    let finding = judgement.findings.iter().find(|f| f.oracle == Oracle::Skip).expect("skip");
    assert_eq!(finding.key(), "skip/progress/resumed:resume");
    assert_eq!(
        finding.sentence,
        "progress 3 to 5 of c1 did not reach the application: on exchange 2, the resumption \
         with cursor s1.c1.2 that the server answered with resume, progress 6 of c1 came \
         directly after progress 2 of c1"
    );
    assert_eq!(finding.resumption, Some(2));
    assert_eq!(judgement.resumptions[0].cell, Cell::Escape);
    assert_eq!(judgement.findings.iter().filter(|f| f.oracle == Oracle::Skip).count(), 1);
}

#[test]
fn a_live_event_lost_at_the_seam_is_a_skip_of_a_live_event() {
    let keys = call()
        .resume(2, "c1", "s1.c1.2")
        .resumes(2, "c1", 5)
        .open(2)
        .take_all(2, &["s1.c1.3", "s1.c1.4", "s1.c1.5", "s1.c1.6", "s1.c1.7"])
        .progresses("c1", 2)
        .take(2, "s1.c1.9")
        .keys_of(Oracle::Skip);
    assert_eq!(keys, ["skip/progress/live"]);
}

#[test]
fn the_end_of_a_replay_that_a_live_event_jumps_over_is_a_skip_in_the_replay() {
    let keys = call()
        .resume(2, "c1", "s1.c1.2")
        .resumes(2, "c1", 5)
        .open(2)
        .take_all(2, &["s1.c1.3", "s1.c1.4", "s1.c1.5", "s1.c1.6"])
        .progresses("c1", 1)
        .take(2, "s1.c1.8")
        .keys_of(Oracle::Skip);
    assert_eq!(keys, ["skip/progress/resumed:resume"]);
}

#[test]
fn a_calls_stream_begins_with_its_first_message() {
    let script = Script::new().session("s1").post(1, "c1").open(1).progresses("c1", 2);
    assert_eq!(script.take(1, "s1.c1.2").keys_of(Oracle::Skip), ["skip/progress/fresh"]);
}

#[test]
fn a_standalone_stream_may_be_joined_anywhere_but_a_resumption_says_where() {
    let joined = Script::new().session("s1").notify("standalone-1").notify("standalone-1");
    let joined = joined.listen(1).open(1).take(1, "s1.standalone-1.2");
    assert_eq!(joined.keys_of(Oracle::Skip), NOTHING);

    let primed = || {
        let script = Script::new().session("s1").listen(1).open(1).prime("standalone-1");
        let script = script.event(1, "s1.standalone-1.1").drop(1);
        let script = script.notify("standalone-1").notify("standalone-1");
        script.resume(2, "standalone", "s1.standalone-1.1").resumes(2, "standalone-1", 2).open(2)
    };
    let all = primed().take_all(2, &["s1.standalone-1.2", "s1.standalone-1.3"]);
    assert_eq!(all.keys_of(Oracle::Skip), NOTHING);
    let second = primed().take(2, "s1.standalone-1.3");
    assert_eq!(second.keys_of(Oracle::Skip), ["skip/notification/resumed:resume"]);
}

#[test]
fn a_standalone_stream_begun_anew_owes_nothing_of_the_one_before() {
    let keys = standalone().listen(2).open(2).notify("standalone-1").take(2, "s1.standalone-1.4");
    assert_eq!(keys.keys_of(Oracle::Skip), NOTHING);
}

#[test]
fn evicted_messages_are_missed_even_if_nothing_follows() {
    let script = || {
        let script = standalone().evict_below("standalone-1", 4);
        let script = script.resume(2, "standalone", "s1.standalone-1.1");
        script.resumes(2, "standalone-1", 0).open(2)
    };
    let findings = script().leave(2).finish().judge().findings;
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].key(), "skip/notification/resumed:caught-up");
    assert_eq!(
        findings[0].sentence,
        "notifications 2 to 3 of standalone-1 never reached the application: exchange 2, the \
         resumption with cursor s1.standalone-1.1 that the server answered with caught-up, \
         went on without them, and no loss was declared"
    );
    assert_eq!(findings[0].resumption, Some(2));
    let twice = script().drop(2).resume(3, "standalone", "s1.standalone-1.1");
    let twice = twice.resumes(3, "standalone-1", 0).open(3).leave(3).finish();
    assert_eq!(twice.keys_of(Oracle::Skip).len(), 1, "told once, at the first");
    let anew = script().drop(2).listen(3).open(3).leave(3).finish();
    assert_eq!(anew.keys_of(Oracle::Skip), NOTHING, "the last beginning counts");
    let declared = script().cut(2, End::Left).declare_loss("not-found").finish();
    assert_eq!(declared.keys_of(Oracle::Skip), NOTHING);
}

#[test]
fn what_is_retained_at_the_floor_may_still_come() {
    let script = standalone().evict_below("standalone-1", 3);
    let script = script.resume(2, "standalone", "s1.standalone-1.1");
    let script = script.resumes(2, "standalone-1", 1).open(2).leave(2).finish();
    let sentences = script.sentences_of(Oracle::Skip);
    assert_eq!(sentences.len(), 1);
    assert!(sentences[0].starts_with("notification 2 of standalone-1 never"), "{sentences:?}");
}

#[test]
fn what_is_emitted_after_the_resumption_is_not_missed_by_it() {
    let script = standalone().resume(2, "standalone", "s1.standalone-1.1");
    let script = script.resumes(2, "c9", 1).open(2).notify("standalone-1").leave(2).finish();
    let sentences = script.sentences_of(Oracle::Skip);
    assert_eq!(sentences.len(), 1);
    assert!(sentences[0].starts_with("notifications 2 to 3 of "), "{sentences:?}");
}

#[test]
fn the_cursors_own_message_counts_as_had_even_if_it_was_kept_back() {
    let resumed = || {
        let script = Script::new().session("s1").listen(1).open(1).notify("standalone-1");
        let script = script.event(1, "s1.standalone-1.1").drop(1);
        let script = script.resume(2, "standalone", "s1.standalone-1.1");
        script.resumes(2, "standalone-1", 0).open(2)
    };
    assert_eq!(resumed().wait(500).leave(2).finish().keys(), NOTHING);
    let next = resumed().notify("standalone-1").take(2, "s1.standalone-1.2");
    assert_eq!(next.leave(2).finish().keys(), NOTHING);
}

#[test]
fn with_the_cursor_of_another_stream_the_own_position_counts() {
    let script = Script::new().session("s1").listen(1).open(1).prime("standalone-1");
    let script = script.event(1, "s1.standalone-1.1").post(2, "c1").open(2).progresses("c1", 3);
    let script = script.take_all(2, &["s1.c1.1", "s1.c1.2", "s1.c1.3"]).drop(1);
    let script = script.notify("standalone-1").notify("standalone-1").notify("standalone-1");
    let script = script.resume(3, "standalone", "s1.c1.3").resumes(3, "standalone-1", 1);
    let keys = script.open(3).take(3, "s1.standalone-1.4").keys_of(Oracle::Skip);
    assert_eq!(keys, ["skip/notification/resumed:resume"]);
}

#[test]
fn a_pending_call_misses_its_evicted_progress_and_one_that_ended_unknown_was_told() {
    let pending = || {
        let script = call().evict_below("c1", 8).resume(2, "c1", "s1.c1.2");
        script.resumes(2, "c1", 0).open(2)
    };
    let script = pending().ended(RunEnd::Deadline);
    assert_eq!(script.keys_of(Oracle::Skip), ["skip/progress/resumed:caught-up"]);
    assert_eq!(pending().unknown("c1").finish().keys_of(Oracle::Skip), NOTHING);
}

#[test]
fn a_server_that_goes_on_with_another_stream_misses_what_the_right_one_held() {
    let keys = standalone()
        .resume(2, "standalone", "s1.standalone-1.1")
        .resumes(2, "c9", 1)
        .open(2)
        .leave(2)
        .finish()
        .keys_of(Oracle::Skip);
    assert_eq!(keys, ["skip/notification/resumed:resume"]);
}

#[test]
fn retained_messages_are_missed_only_if_they_had_time_to_come() {
    let resumed = || {
        let script = standalone().resume(2, "standalone", "s1.standalone-1.1");
        script.resumes(2, "standalone-1", 2).open(2)
    };
    let left_at_once = resumed().leave(2).finish();
    assert_eq!(left_at_once.keys_of(Oracle::Skip), NOTHING);
    let broke_again = resumed().wait(500).drop(2).finish();
    assert_eq!(broke_again.keys_of(Oracle::Skip), NOTHING);
    let waited = |wait_ms| resumed().wait(wait_ms).leave(2).finish();
    assert_eq!(waited(99).keys_of(Oracle::Skip), NOTHING, "left after 100 ms");
    assert_eq!(waited(100).keys_of(Oracle::Skip), ["skip/notification/resumed:resume"]);
    let just_settled = resumed().wait(500).fault("silence", FaultState::Fired).phase("tail");
    let just_settled = just_settled.wait(50).leave(2).finish();
    assert_eq!(just_settled.keys_of(Oracle::Skip), NOTHING);
    let delayed = resumed().fault("silence", FaultState::Fired).wait(500).leave(2).finish();
    assert_eq!(delayed.keys_of(Oracle::Skip), NOTHING);
    let settled = resumed().fault("silence", FaultState::Fired).phase("tail").wait(500);
    assert_eq!(settled.leave(2).finish().keys_of(Oracle::Skip).len(), 1);
}

#[test]
fn an_acceptance_that_a_failed_hop_kept_from_the_client_could_bring_nothing() {
    let script = standalone().resume(2, "standalone", "s1.standalone-1.1");
    let script = script.resumes(2, "standalone-1", 2).status(2, 502).wait(500).leave(2);
    assert_eq!(script.finish().keys_of(Oracle::Skip), NOTHING);
}

#[test]
fn what_a_second_resumption_brings_is_not_missed() {
    let keys = standalone()
        .resume(2, "standalone", "s1.standalone-1.1")
        .resumes(2, "standalone-1", 2)
        .open(2)
        .drop(2)
        .resume(3, "standalone", "s1.standalone-1.1")
        .resumes(3, "standalone-1", 2)
        .open(3)
        .take_all(3, &["s1.standalone-1.2", "s1.standalone-1.3"])
        .wait(500)
        .leave(3)
        .finish()
        .keys_of(Oracle::Skip);
    assert_eq!(keys, NOTHING);
}

#[test]
fn kinds_of_missing_messages_are_told_apart_within_one_gap() {
    let script = Script::new().session("s1").listen(1).open(1).notify("standalone-1");
    let keys = script
        .take(1, "s1.standalone-1.1")
        .drop(1)
        .progress_on("standalone-1", "c1")
        .notify("standalone-1")
        .progress_on("standalone-1", "c1")
        .notify("standalone-1")
        .resume(2, "standalone", "s1.standalone-1.1")
        .resumes(2, "standalone-1", 1)
        .open(2)
        .take(2, "s1.standalone-1.5")
        .keys_of(Oracle::Skip);
    assert_eq!(keys, ["skip/progress/resumed:resume", "skip/notification/resumed:resume"]);
}

#[test]
fn a_message_that_came_on_another_stream_is_not_missed_on_its_own() {
    let keys = call()
        .listen(2)
        .open(2)
        .take(2, "s1.c1.3")
        .resume(3, "c1", "s1.c1.2")
        .resumes(3, "c1", 4)
        .open(3)
        .take(3, "s1.c1.4")
        .keys_of(Oracle::Skip);
    assert_eq!(keys, NOTHING);
}

#[test]
fn in_a_capture_the_marks_alone_tell_what_is_missing() {
    let capture = |stream| {
        let script = Script::new().captured().session("s1");
        script.request(1, Method::Get, stream, |_| {}).open(1)
    };
    let call = capture(Some("c1")).progresses("c1", 4).take_all(1, &["s1.c1.1", "s1.c1.4"]);
    assert_eq!(
        call.sentences_of(Oracle::Skip),
        ["progress 2 to 3 of c1 did not reach the application: on exchange 1, progress 4 of \
          c1 came directly after progress 1 of c1"]
    );
    let unnamed = capture(None).progresses("c1", 3).take_all(1, &["s1.c1.1", "s1.c1.3"]);
    assert_eq!(unnamed.keys_of(Oracle::Skip), ["skip/progress/fresh"]);
    let notify = |script: Script, _| script.notify("standalone-1");
    let standalone = (1..=3).fold(capture(Some("standalone")), notify);
    let standalone = standalone.take_all(1, &["s1.standalone-1.1", "s1.standalone-1.3"]);
    assert_eq!(
        standalone.sentences_of(Oracle::Skip),
        ["message 2 of standalone-1 did not reach the application: on exchange 1, \
          notification 3 of standalone-1 came directly after notification 1 of standalone-1"]
    );
}

#[test]
fn in_a_capture_too_what_came_on_another_stream_is_not_missing() {
    let capture = || {
        let script = Script::new().captured().session("s1").listen(1).open(1).post(2, "c1");
        script.open(2).progresses("c1", 6)
    };
    let all = capture().take(2, "s1.c1.1").take_all(1, &["s1.c1.2", "s1.c1.3", "s1.c1.4"]);
    assert_eq!(all.take(2, "s1.c1.5").keys_of(Oracle::Skip), NOTHING);
    let some = capture().take(2, "s1.c1.1").take_all(1, &["s1.c1.2", "s1.c1.3", "s1.c1.5"]);
    assert_eq!(some.take(2, "s1.c1.6").keys_of(Oracle::Skip), ["skip/progress/fresh"]);
}

#[test]
fn without_marks_nobody_can_tell_that_a_message_of_the_log_never_came() {
    let script = Script::new().session("s1").unmarked().listen(1).open(1);
    let script = script.notify("standalone-1").take(1, "s1.standalone-1.1").drop(1);
    let script = script.notify("standalone-1").resume(2, "standalone", "s1.standalone-1.1");
    let script = script.resumes(2, "standalone-1", 1).open(2).take(2, "s1.standalone-1.2");
    assert_eq!(script.wait(500).leave(2).finish().keys(), NOTHING);
}

fn unmarked_progress(values: [u64; 3]) -> Vec<String> {
    let message = |progress| Message {
        content: Content::Progress { call: "c1".into(), progress },
        mark: None,
    };
    let [first, second, third] = values.map(message);
    let script = Script::new().session("s1").captured().post(1, "c1").open(1);
    let script = script.deliver_to(1, "c1", first).deliver_to(1, "c1", second).drop(1);
    let script = script.resume(2, "c1", "7").open(2).deliver_to(2, "c1", third);
    script.sentences_of(Oracle::Skip)
}

#[test]
fn without_marks_a_gap_is_told_only_where_a_tool_visibly_counts() {
    assert_eq!(
        unmarked_progress([1, 2, 5]),
        ["progress 3 to 4 of c1 did not reach the application: on exchange 2, the resumption \
          with cursor 7 that the server answered with status 200, progress 5 of c1 came \
          directly after progress 2 of c1"]
    );
    assert_eq!(unmarked_progress([0, 50, 100]), NOTHING);
    assert_eq!(unmarked_progress([1, 50, 100]), NOTHING);
    assert_eq!(unmarked_progress([1, 2, 3]), NOTHING);
}
