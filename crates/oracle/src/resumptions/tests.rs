//! In which cell a resumption lands, shown on hand-written traces.

use seamstress_trace::{Check, Decision, End, Host, SessionState, What};

use crate::script::Script;
use crate::{Cell, Resumption};

/// A call that was cut after its second progress, with three more in the log.
fn cut() -> Script {
    let script = Script::new().session("s1").post(1, "c1").open(1).progresses("c1", 2);
    script.take_all(1, &["s1.c1.1", "s1.c1.2"]).drop(1).progresses("c1", 3)
}

fn resuming() -> Script {
    cut().resume(2, "c1", "s1.c1.2")
}

fn only(script: Script) -> Resumption {
    let mut resumptions = script.judge().resumptions;
    assert_eq!(resumptions.len(), 1);
    resumptions.remove(0)
}

fn cell(script: Script) -> Cell {
    only(script).cell
}

#[test]
fn a_resumption_that_neither_side_refused_is_accepted_and_sound() {
    let resumption = only(resuming().resumes(2, "c1", 3).open(2).take(2, "s1.c1.3"));
    assert_eq!(resumption.cell, Cell::Sound);
    assert!(resumption.accepted);
    assert_eq!(resumption.decision, "resume");
    assert_eq!(resumption.session_state, Some(SessionState::Live));
    assert_eq!(resumption.cursor, "s1.c1.2");
    let without_verdict = only(resuming().open(2));
    assert_eq!((without_verdict.cell, without_verdict.session_state), (Cell::Sound, None));
    assert_eq!(without_verdict.decision, "status 200");
    let checked = resuming().resumes(2, "c1", 3).open(2);
    let checked = checked.check(2, ["s1.c1.2", "s1.c1.3"], Check::Continuous);
    assert_eq!(cell(checked), Cell::Sound);
}

#[test]
fn an_acceptance_that_the_client_never_saw_is_sound() {
    let resumption = only(resuming().resumes(2, "c1", 3).cut(2, End::NoResponse));
    assert_eq!((resumption.cell, resumption.accepted), (Cell::Sound, true));
}

#[test]
fn an_attempt_that_nobody_decided_is_unanswered() {
    let resumption = only(resuming().cut(2, End::NoResponse));
    assert_eq!((resumption.cell, resumption.accepted), (Cell::Unanswered, false));
    assert_eq!(resumption.decision, "no answer");
}

#[test]
fn a_failed_hop_has_not_judged_the_cursor() {
    let resumption = only(resuming().status(2, 502));
    assert_eq!((resumption.cell, resumption.accepted), (Cell::Unanswered, false));
    assert_eq!(resumption.decision, "status 502");
    assert_eq!(cell(resuming().resumes(2, "c1", 3).status(2, 502)), Cell::Sound);
}

#[test]
fn an_escape_lands_in_its_cell_only_at_the_resumption_that_it_names() {
    let script = resuming().resumes(2, "c1", 3).open(2).take(2, "s1.c1.3").drop(2);
    let script = script.resume(3, "c1", "s1.c1.3").resumes(3, "c1", 2).open(3);
    let cells: Vec<Cell> =
        script.take(3, "s1.c1.5").judge().resumptions.iter().map(|r| r.cell).collect();
    assert_eq!(cells, [Cell::Sound, Cell::Escape]);
}

#[test]
fn a_server_refuses_needlessly_where_the_successor_is_retained() {
    let floor = |floor| {
        let script = cut().evict_below("c1", floor).resume(2, "c1", "s1.c1.2");
        only(script.refuses(2, "below-floor").session_end("refused").status(2, 404))
    };
    assert_eq!(floor(1).cell, Cell::Needless);
    assert_eq!(floor(3).cell, Cell::Needless, "the cursor just below the floor");
    assert_eq!(floor(4).cell, Cell::Needed, "its successor is gone");
    assert_eq!((floor(4).decision.as_str(), floor(4).accepted), ("below-floor", false));
}

#[test]
fn a_cursor_that_names_no_event_or_two_proves_nothing() {
    let never_issued = cut().resume(2, "c1", "s1.c1.9").refuses(2, "ahead").status(2, 409);
    assert_eq!(cell(never_issued), Cell::Needed);
    let twice = Script::new().session("s1").notify_as("standalone-1", "1").post(1, "c1");
    let twice = twice.open(1).progress_as("c1", "c1", Some("1")).take(1, "1").drop(1);
    let twice = twice.resume(2, "c1", "1").refuses(2, "ambiguous").status(2, 409);
    assert_eq!(cell(twice), Cell::Needed);
    let issued_later = cut().resume(2, "c1", "s1.c1.6").refuses(2, "ahead").progress("c1");
    assert_eq!(cell(issued_later.status(2, 409)), Cell::Needed);
}

#[test]
fn without_a_session_nothing_can_be_proven() {
    let reason = || Decision::Refused { reason: "session-expired".into() };
    let expired = resuming().verdict(2, None, SessionState::Expired, reason()).status(2, 404);
    let resumption = only(expired);
    assert_eq!(resumption.cell, Cell::Needed);
    assert_eq!(resumption.session_state, Some(SessionState::Expired));
    // A server may contradict itself: without a session there is nothing to resume.
    let accepted = Decision::CaughtUp;
    let odd = only(resuming().verdict(2, None, SessionState::Unknown, accepted).open(2));
    assert_eq!((odd.cell, odd.decision.as_str()), (Cell::Needed, "session-unknown"));
}

#[test]
fn a_verdict_on_another_session_proves_nothing_for_this_one() {
    let verdict = What::Verdict {
        exchange: Some(2),
        session: Some("s9".into()),
        session_state: SessionState::Live,
        cursor: "s1.c1.2".into(),
        decision: Decision::Refused { reason: "other-session".into() },
        stream: None,
        floors: vec![("c1".into(), 1)],
    };
    assert_eq!(cell(resuming().record(Host::Server2, verdict).status(2, 404)), Cell::Needed);
}

#[test]
fn a_refusal_that_looks_like_success_is_a_refusal() {
    let resumption = only(resuming().refuses(2, "not-retained").open(2));
    assert_eq!((resumption.accepted, resumption.cell), (false, Cell::Needless));
}

#[test]
fn an_acceptance_that_turns_into_an_error_on_the_way_is_one_that_the_client_never_saw() {
    let resumption = only(resuming().resumes(2, "c1", 3).status(2, 502));
    assert_eq!((resumption.decision.as_str(), resumption.cell), ("resume", Cell::Sound));
    let no_stream = only(resuming().resumes(2, "c1", 3).status(2, 200));
    assert_eq!(no_stream.decision, "status 200 without an event stream");
    assert!(!no_stream.accepted);
}

#[test]
fn a_refusal_without_a_verdict_is_needless_if_the_session_lives_and_issued_the_cursor() {
    assert_eq!(cell(resuming().status(2, 404)), Cell::Needless);
    assert_eq!(cell(resuming().session_end("idle").status(2, 404)), Cell::Needed);
    assert_eq!(cell(resuming().status(2, 404).session_end("idle")), Cell::Needless);
    assert_eq!(cell(cut().resume(2, "c1", "s1.c1.9").status(2, 404)), Cell::Needed);
}

#[test]
fn the_clients_check_refuses_needlessly_where_the_first_event_is_in_truth_the_successor() {
    let checked = |first: &str, check| {
        let script = resuming().resumes(2, "c1", 3).open(2).event(2, first);
        only(script.check(2, ["s1.c1.2", first], check))
    };
    let unverifiable = checked("s1.c1.3", Check::Unverifiable);
    assert_eq!(unverifiable.cell, Cell::Needless);
    assert_eq!(unverifiable.decision, "continuity check: unverifiable");
    assert_eq!(checked("s1.c1.4", Check::Gap).cell, Cell::Needed);
    assert_eq!(checked("s1.c1.2", Check::RebasedOrReplayed).cell, Cell::Needed);
}

#[test]
fn of_two_verdicts_on_one_request_the_acceptance_counts() {
    for accepted_first in [true, false] {
        let script = if accepted_first {
            resuming().resumes(2, "c1", 3).refuses(2, "ahead")
        } else {
            resuming().refuses(2, "ahead").resumes(2, "c1", 3)
        };
        assert_eq!(cell(script.open(2)), Cell::Sound);
    }
}

#[test]
fn only_a_get_with_a_cursor_is_a_resumption() {
    let script = cut().listen(2).open(2).delete(3);
    assert_eq!(script.judge().resumptions, []);
}
