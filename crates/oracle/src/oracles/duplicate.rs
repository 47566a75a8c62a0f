//! `duplicate`: no message is handed to the application twice.
//!
//! Rests on the rule that exactly the events after the cursor are replayed; the revisions
//! themselves promise no exactly-once delivery, so this is the harness's own verdict. A message is
//! known by its mark (session, stream, ordinal); without one, progress by its token and value and
//! a response by its request id; anything else without a mark is left out.
//! Near misses: the same event on the wire twice while the application got it once; equal values
//! of two calls; one request id in two sessions.

use crate::finding::{Finding, Oracle};
use crate::runs::{Run, runs};
use crate::view::View;
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    let repeats = |members| runs(&view.delivered, members, |arrival| arrival.earlier.is_some());
    let all = view.sequences.iter().flat_map(|sequence| repeats(&sequence.delivered));
    all.filter_map(|run| finding(view, &run)).collect()
}

fn finding(view: &View, run: &Run) -> Option<Finding> {
    let again = &view.delivered[run.first];
    let first = &view.delivered[again.earlier?];
    let exchange = &view.exchanges[run.exchange];
    let sentence = format!(
        "{} reached the application twice: first on exchange {}, again on {}",
        run.span.text(),
        view.exchanges[first.exchange].number,
        words::exchange(exchange),
    );
    let finding = run.finding(view, &view.delivered, Oracle::Duplicate, sentence);
    Some(Finding { related: vec![first.record], ..finding })
}

#[cfg(test)]
mod tests {
    use seamstress_trace::{Content, Message};

    use seamstress_trace::What;

    use crate::script::{NOTHING, Script};
    use crate::{Cell, Oracle, judge};

    /// A call of which three progresses and the result arrived, then the connection dropped.
    fn call() -> Script {
        let script = Script::new().session("s1").post(1, "c1").open(1).progresses("c1", 22);
        let first_22: Vec<String> = (1..=22).map(|n| format!("s1.c1.{n}")).collect();
        first_22.iter().fold(script, |script, id| script.take(1, id)).drop(1)
    }

    #[test]
    fn a_replay_of_twenty_known_events_is_one_finding() {
        let mut script = call().resume(2, "c1", "s1.c1.22").resumes(2, "c1", 20).open(2);
        for n in 3..=22 {
            script = script.take(2, &format!("s1.c1.{n}"));
        }
        let trace = script.trace();
        let judgement = judge(&trace);
        let findings: Vec<_> =
            judgement.findings.iter().filter(|f| f.oracle == Oracle::Duplicate).collect();
        assert_eq!(findings.len(), 1);
        let [first] = findings[0].related[..] else { panic!("{:?}", findings[0]) };
        let What::Deliver { exchange: 1, message, .. } = &trace.records[first].what else {
            panic!("{:?}", trace.records[first])
        };
        assert_eq!(message.mark.as_ref().map(|mark| mark.ordinal), Some(3));
        assert_eq!(findings[0].key(), "duplicate/progress/resumed:resume");
        assert_eq!(
            findings[0].sentence,
            "progress 3 to 22 of c1 reached the application twice: first on exchange 1, again on \
             exchange 2, the resumption with cursor s1.c1.22 that the server answered with resume"
        );
        assert_eq!(findings[0].resumption, Some(2));
        assert_eq!(judgement.resumptions[0].cell, Cell::Escape);
    }

    #[test]
    fn a_duplicate_result_is_told_apart_from_duplicate_progress() {
        let keys = Script::new()
            .session("s1")
            .post(1, "c1")
            .open(1)
            .progress("c1")
            .result("c1")
            .take_all(1, &["s1.c1.1", "s1.c1.2"])
            .drop(1)
            .resume(2, "c1", "s1.c1.2")
            .resumes(2, "c1", 2)
            .open(2)
            .take_all(2, &["s1.c1.1", "s1.c1.2"])
            .keys_of(Oracle::Duplicate);
        assert_eq!(keys, ["duplicate/progress/resumed:resume", "duplicate/result/resumed:resume"]);
    }

    #[test]
    fn an_event_sent_twice_at_the_seam_is_a_duplicate_of_a_live_event() {
        let keys = call()
            .resume(2, "c1", "s1.c1.22")
            .resumes(2, "c1", 0)
            .open(2)
            .progress("c1")
            .take_all(2, &["s1.c1.23", "s1.c1.23"])
            .keys_of(Oracle::Duplicate);
        assert_eq!(keys, ["duplicate/progress/live"]);
    }

    #[test]
    fn without_a_resumption_a_duplicate_names_none() {
        let script = Script::new().session("s1").post(1, "c1").open(1).progress("c1");
        let findings = script.take_all(1, &["s1.c1.1", "s1.c1.1"]).judge().findings;
        let duplicate = findings.iter().find(|f| f.oracle == Oracle::Duplicate);
        let duplicate = duplicate.expect("a duplicate");
        assert_eq!((duplicate.state.as_str(), duplicate.resumption), ("fresh", None));
    }

    #[test]
    fn two_replays_of_the_same_events_are_two_findings() {
        let keys = call()
            .resume(2, "c1", "s1.c1.22")
            .resumes(2, "c1", 1)
            .open(2)
            .take(2, "s1.c1.22")
            .drop(2)
            .resume(3, "c1", "s1.c1.22")
            .resumes(3, "c1", 1)
            .open(3)
            .take(3, "s1.c1.22")
            .keys_of(Oracle::Duplicate);
        assert_eq!(keys.len(), 2);
    }

    #[test]
    fn without_marks_progress_is_known_by_its_value_and_a_response_by_its_request() {
        let keys = Script::new()
            .session("s1")
            .unmarked()
            .captured()
            .post(1, "c1")
            .open(1)
            .progress("c1")
            .result("c1")
            .take_all(1, &["s1.c1.1", "s1.c1.2"])
            .drop(1)
            .resume(2, "c1", "s1.c1.2")
            .open(2)
            .take_all(2, &["s1.c1.1", "s1.c1.2"])
            .keys_of(Oracle::Duplicate);
        assert_eq!(
            keys,
            ["duplicate/progress/resumed:unstated", "duplicate/result/resumed:unstated"]
        );
    }

    #[test]
    fn a_repeat_on_an_exchange_that_a_hop_failed_says_so() {
        let script = || call().resume(2, "c1", "s1.c1.22").status(2, 502).take(2, "s1.c1.22");
        assert_eq!(script().keys_of(Oracle::Duplicate), ["duplicate/progress/unanswered"]);
        let sentence = &script().sentences_of(Oracle::Duplicate)[0];
        assert!(sentence.ends_with("cursor s1.c1.22 that failed on the way with status 502"));
    }

    #[test]
    fn a_repeat_on_the_wire_that_the_client_kept_back_is_none() {
        let keys = call()
            .resume(2, "c1", "s1.c1.22")
            .resumes(2, "c1", 1)
            .open(2)
            .event(2, "s1.c1.22")
            .keys_of(Oracle::Duplicate);
        assert_eq!(keys, NOTHING);
    }

    #[test]
    fn equal_values_of_two_calls_and_equal_requests_of_two_sessions_are_none() {
        let script = Script::new().session("s1").unmarked().captured();
        let script = script.post(1, "c1").open(1).progress("c1").take(1, "s1.c1.1");
        let script = script.post(2, "c2").open(2).progress("c2").take(2, "s1.c2.1");
        let script = script.post(3, "c3").open(3).result("c3").take(3, "s1.c3.1");
        // A new session counts its request ids from the start again.
        let script = script.declare_loss("not-found").session("s2").post_as(4, "c4", "3");
        let keys = script.open(4).result("c4").take(4, "s2.c4.1").keys_of(Oracle::Duplicate);
        assert_eq!(keys, NOTHING);
    }

    #[test]
    fn the_answer_to_initialize_is_not_taken_for_one_of_the_session_before() {
        let script = Script::new().session("s1").unmarked().post(1, "c1").open(1).result("c1");
        let script = script.take(1, "s1.c1.1").initialize(2, false).status(2, 200);
        let again = Content::Result { request: "1".into(), call: None };
        let script = script.deliver_to(2, "", Message { content: again, mark: None });
        assert_eq!(script.keys_of(Oracle::Duplicate), NOTHING);
    }
}
