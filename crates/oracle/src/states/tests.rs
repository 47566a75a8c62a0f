//! In which state a resumption is, shown on hand-written traces.

use seamstress_trace::{Check, Decision, End, Host, SessionState, What};

use crate::script::{NOTHING, Script};

/// A call that has brought its id and two of three progress notifications, and was cut.
fn cut() -> Script {
    let script = Script::new().session("s1").post(1, "c1").open(1).prime("c1").event(1, "s1.c1.1");
    let script = script.progresses("c1", 2).take_all(1, &["s1.c1.2", "s1.c1.3"]);
    script.drop(1).progress("c1")
}

fn resuming() -> Script {
    cut().resume(2, "c1", "s1.c1.3")
}

fn states(script: Script) -> Vec<String> {
    script.judge().states.iter().map(ToString::to_string).collect()
}

fn rotated() -> What {
    What::Rotate { from: "S1".into(), to: "S2".into(), keeps_old: true }
}

#[test]
fn a_run_without_a_resumption_saw_no_state() {
    assert_eq!(states(cut().listen(2).open(2).delete(3)), NOTHING);
}

#[test]
fn a_stream_that_has_brought_only_an_id_is_primed_and_afterwards_streaming() {
    let primed = Script::new().session("s1").post(1, "c1").open(1).prime("c1");
    let primed = primed.event(1, "s1.c1.1").progress("c1").drop(1).resume(2, "c1", "s1.c1.1");
    assert_eq!(states(primed.resumes(2, "c1", 1).open(2)), ["call-primed/none/resume"]);
    assert_eq!(states(resuming().resumes(2, "c1", 1).open(2)), ["call-streaming/none/resume"]);
}

#[test]
fn the_standalone_stream_has_states_of_its_own() {
    let listening = || {
        let script = Script::new().session("s1").listen(1).open(1).prime("standalone-1");
        script.event(1, "s1.standalone-1.1")
    };
    let primed = listening().drop(1).resume(2, "standalone", "s1.standalone-1.1");
    let primed = primed.resumes(2, "standalone-1", 0).open(2);
    assert_eq!(states(primed), ["standalone-primed/none/caught-up"]);
    let anew = listening().notify("standalone-1").take(1, "s1.standalone-1.2").drop(1).listen(2);
    let anew = anew.open(2).prime("standalone-2").event(2, "s1.standalone-2.1").drop(2);
    let anew = anew.resume(3, "standalone", "s1.standalone-2.1").resumes(3, "standalone-2", 0);
    assert_eq!(states(anew.open(3)), ["standalone-primed/none/caught-up"], "a new life");
    let told = listening().notify("standalone-1").take(1, "s1.standalone-1.2").drop(1);
    let told = told.resume(2, "standalone", "s1.standalone-1.2");
    assert_eq!(states(told.status(2, 409)), ["standalone-streaming/none/other-refusal"]);
}

#[test]
fn a_call_whose_response_is_out_and_unread_is_answered() {
    let answered = cut().result("c1").resume(2, "c1", "s1.c1.3");
    assert_eq!(states(answered.resumes(2, "c1", 2).open(2)), ["call-answered/none/resume"]);
    let emitted_later = resuming().result("c1").resumes(2, "c1", 2).open(2);
    assert_eq!(states(emitted_later), ["call-streaming/none/resume"]);
}

#[test]
fn the_same_cursor_once_more_is_a_retry() {
    let twice = resuming().cut(2, End::NoResponse).resume(3, "c1", "s1.c1.3");
    assert_eq!(
        states(twice.resumes(3, "c1", 1).open(3)),
        ["call-retried/none/resume", "call-streaming/none/unanswered"]
    );
}

#[test]
fn a_resumption_that_was_cut_before_all_of_its_replay_had_come_leaves_the_stream_replaying() {
    let cut_after = |arrived: &[&str]| {
        let script = cut().progress("c1").resume(2, "c1", "s1.c1.3").resumes(2, "c1", 2).open(2);
        let script = script.take_all(2, arrived).drop(2).progress("c1");
        script.resume(3, "c1", arrived.last().expect("some")).resumes(3, "c1", 1).open(3)
    };
    let first = "call-streaming/none/resume";
    assert_eq!(states(cut_after(&["s1.c1.4"])), ["call-replaying/none/resume", first]);
    // What came live after it is owed by nobody.
    assert_eq!(states(cut_after(&["s1.c1.4", "s1.c1.5"])), [first]);
}

#[test]
fn ids_that_were_rebased_since_the_cursor_was_stored_are_a_state_and_those_before_are_none() {
    let rebased = cut().fault_of("routing", "rebase").resume(2, "c1", "s1.c1.3");
    assert_eq!(states(rebased.refuses(2, "other-epoch")), ["call-rebased/routing/other-epoch"]);
    let other = cut().fault_of("routing", "route-to-empty").resume(2, "c1", "s1.c1.3");
    assert_eq!(states(other.refuses(2, "ahead")), ["call-streaming/routing/ahead"]);
    let before = Script::new().session("s1").post(1, "c1").fault_of("routing", "rebase").open(1);
    let before = before.progress("c1").take(1, "s1.c1.1").drop(1).resume(2, "c1", "s1.c1.1");
    assert_eq!(states(before.refuses(2, "ahead")), ["call-streaming/routing/ahead"]);
}

#[test]
fn a_cursor_that_is_not_the_last_one_of_its_stream_in_this_session_is_misplaced() {
    let older = cut().resume(2, "c1", "s1.c1.2").resumes(2, "c1", 2).open(2);
    assert_eq!(states(older), ["misplaced/none/resume"]);
    let other_session = cut().session("s2").resume(2, "c1", "s1.c1.3").refuses(2, "other-session");
    assert_eq!(states(other_session), ["misplaced/none/other-session"]);
}

#[test]
fn every_family_at_work_since_the_connection_before_makes_a_state_until_the_verdict() {
    let script = Script::new().session("s1").fault_of("shape", "rechunk").post(1, "c1").open(1);
    let script = script.fault_of("drop", "cut-reset").progress("c1").take(1, "s1.c1.1").drop(1);
    let script = script.resume(2, "c1", "s1.c1.1").fault_of("concurrency", "twin-resume");
    let script = script.record(Host::Proxy, rotated()).resumes(2, "c1", 0);
    let states = states(script.fault_of("silence", "black-hole").open(2));
    let wanted = ["drop", "rotation", "concurrency"];
    assert_eq!(states, wanted.map(|family| format!("call-streaming/{family}/caught-up")));
}

#[test]
fn a_fault_that_was_only_reached_was_not_at_work() {
    let reached = cut().fault("drop", seamstress_trace::FaultState::Reached);
    let reached = reached.resume(2, "c1", "s1.c1.3").resumes(2, "c1", 1);
    assert_eq!(states(reached.open(2)), ["call-streaming/none/resume"]);
}

#[test]
fn the_clients_check_decides_later_than_the_server() {
    let stopped = resuming().resumes(2, "c1", 1).open(2).fault_of("shape", "rechunk");
    let stopped = stopped.event(2, "s1.c1.4").check(2, ["s1.c1.3", "s1.c1.4"], Check::Gap);
    assert_eq!(states(stopped), ["call-streaming/shape/check-gap"]);
}

/// The reason of the one resumption of a call that is in the middle, with nothing at work.
fn reason(script: Script) -> String {
    let states = states(script);
    assert_eq!(states.len(), 1, "{states:?}");
    states[0].strip_prefix("call-streaming/none/").expect("in the middle").to_owned()
}

#[test]
fn what_was_said_is_the_verdict_else_the_check_else_the_status() {
    let refused = |reason| resuming().refuses(2, reason).status(2, 404);
    for stated in ["malformed", "below-floor", "ahead", "not-retained", "ambiguous"] {
        assert_eq!(reason(refused(stated)), stated);
    }
    for stated in ["unknown-stream", "other-epoch", "other-session"] {
        assert_eq!(reason(refused(stated)), stated);
    }
    assert_eq!(reason(refused("out-of-order")), "other-refusal", "no reason of the rule");
    let no_session = |state| {
        let decision = Decision::Refused { reason: "no-session".into() };
        resuming().verdict(2, None, state, decision).status(2, 404)
    };
    assert_eq!(reason(no_session(SessionState::Unknown)), "session-unknown");
    assert_eq!(reason(no_session(SessionState::Expired)), "session-expired");
    let checked = |check| {
        let script = resuming().resumes(2, "c1", 1).open(2).event(2, "s1.c1.4");
        script.check(2, ["s1.c1.3", "s1.c1.4"], check)
    };
    assert_eq!(reason(checked(Check::Continuous)), "resume");
    assert_eq!(reason(checked(Check::RebasedOrReplayed)), "check-rebased-or-replayed");
    assert_eq!(reason(checked(Check::Unverifiable)), "check-unverifiable");
    assert_eq!(reason(resuming().resumes(2, "c1", 0).open(2)), "caught-up");
}

#[test]
fn without_a_verdict_the_status_tells_and_without_a_status_nobody_answered() {
    assert_eq!(reason(resuming().open(2)), "unstated");
    assert_eq!(reason(resuming().status(2, 404)), "status-404");
    assert_eq!(reason(resuming().status(2, 409)), "other-refusal");
    assert_eq!(reason(resuming().status(2, 200)), "other-refusal");
    assert_eq!(reason(resuming().status(2, 502)), "status-5xx");
    assert_eq!(reason(resuming().cut(2, End::NoResponse)), "unanswered");
    assert_eq!(reason(resuming()), "unanswered");
}
