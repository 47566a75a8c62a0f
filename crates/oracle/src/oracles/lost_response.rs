//! `lost-response`: a response that was emitted reaches its caller, or its loss is declared.
//!
//! Rests on `basic/transports`, Sending Messages (the stream SHOULD eventually carry the response)
//! and on the rule that loss is declared. It looks at calls whose stream was last answered with an
//! accepted resumption. Either the response was emitted while that resumption could carry it, and
//! the call neither ended as done or failed nor was the loss of its session declared; or the
//! server answered it with 200 and at once a clean end, after which the client gave the call up.
//! And it looks at calls that ended as done although no response to them ever arrived: what the
//! client took for it was another message.
//! Near misses: a stream that was refused at last; loss declared for another reason; a response
//! emitted too late for the run; a clean end that a fault on the path brought about; a call that
//! was answered by one body of JSON, or taken for answered by an event without a message
//! (`priming-not-parsed`).

use seamstress_trace::{End, Message, Outcome, RunEnd};

use crate::finding::{Finding, Oracle};
use crate::resumptions::Standing;
use crate::view::{Call, Emitted, Exchange, Response, View};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    let of_call = |call| finding(view, call).or_else(|| taken_for_done(view, call));
    view.calls.iter().filter_map(of_call).collect()
}

/// A call that ended as done on a stream that brought messages, none of which was its response.
fn taken_for_done(view: &View, call: &Call) -> Option<Finding> {
    let (record, Outcome::Done) = call.outcome? else { return None };
    let post = &view.exchanges[*call.posts.last()?];
    if call.answered || !post.response.is_some_and(Response::opens_stream) {
        return None;
    }
    let legs = &view.stream(post.session, call.label)?.legs;
    let last = legs.iter().map(|leg| &view.exchanges[*leg]).next_back()?;
    let taken = &view.wire[*last.wire.last()?];
    Some(Finding {
        oracle: Oracle::LostResponse,
        subject: "result",
        state: words::state(last),
        sentence: format!(
            "{} was taken for done although no response to it had come: the last message on {} \
             was {}",
            call.label,
            words::exchange(last),
            words::message(taken.message, taken.place),
        ),
        record,
        related: vec![taken.record],
        resumption: words::resumption(view, last),
    })
}

fn finding(view: &View, call: &Call) -> Option<Finding> {
    if matches!(call.outcome, Some((_, Outcome::Done | Outcome::Failed)))
        || (call.outcome.is_none() && call.answered)
    {
        return None;
    }
    let last = last_accepted(view, call)?;
    let response = emitted_response(view, call, last);
    let why = if response.is_some_and(|response| was_due(view, call, last, response)) {
        "could carry it, and its loss was not declared"
    } else if ended_at_once(view, call, last, response) {
        "ended cleanly at once, and the client gave the call up"
    } else {
        return None;
    };
    let message = response.and_then(|response| response.message);
    let record = call.outcome.map_or_else(|| view.last_record(), |(record, _)| record);
    Some(Finding {
        oracle: Oracle::LostResponse,
        subject: message.map_or("result", words::subject),
        state: words::state(last),
        sentence: format!(
            "the response to {} never reached its caller, although {}, {why}",
            call.label,
            words::exchange(last),
        ),
        record,
        related: response.map(|response| response.record).into_iter().collect(),
        resumption: words::resumption(view, last),
    })
}

/// The newest resumption of the call's stream that somebody answered, if it was accepted.
fn last_accepted<'v, 'a>(view: &'v View<'a>, call: &Call) -> Option<&'v Exchange<'a>> {
    let session = view.exchanges[*call.posts.last()?].session;
    let legs = view.stream(session, call.label)?.legs.iter().rev();
    let standing = |exchange: &Exchange| exchange.attempt.map(|attempt| attempt.standing);
    let answered = |exchange: &&Exchange| {
        standing(exchange).is_some_and(|standing| standing != Standing::Unanswered)
    };
    let newest = legs.map(|leg| &view.exchanges[*leg]).find(answered)?;
    (standing(newest) == Some(Standing::Accepted)).then_some(newest)
}

/// The response to the call in the log, if it is known.
fn emitted_response<'v, 'a>(
    view: &'v View<'a>,
    call: &Call,
    exchange: &Exchange,
) -> Option<&'v Emitted<'a>> {
    let sequence = view.sequence(view.origin(exchange)?, call.label)?;
    let emitted = view.sequences[sequence].emitted.iter().rev();
    let is_response = |emitted: &&Emitted| emitted.message.is_some_and(Message::is_response);
    emitted.map(|index| &view.emitted[*index]).find(is_response)
}

/// Whether the accepted resumption had to bring this response, and nobody was told otherwise.
fn was_due(view: &View, call: &Call, last: &Exchange, response: &Emitted) -> bool {
    let carried_until = last.end.map_or(usize::MAX, |ended| ended.record);
    let in_time = match call.outcome {
        Some((record, _)) => response.record < record,
        None => {
            let run_over = matches!(view.end, Some((_, RunEnd::Finished | RunEnd::Deadline)));
            run_over && response.at_ms.saturating_add(view.header.live_within_ms) < view.last_ms()
        }
    };
    in_time && response.record < carried_until && declared_after(view, last, call).is_none()
}

/// Why the loss of the call's session was declared between the resumption and the call's end. The
/// two are told in the same instant, in either order.
fn declared_after<'a>(view: &View<'a>, last: &Exchange, call: &Call) -> Option<&'a str> {
    let (record, why) = view.sessions[last.session?].lost?;
    let at_ms = |record: usize| view.records[record].at_ms;
    let until_ms = call.outcome.map_or(u64::MAX, |(record, _)| at_ms(record));
    (record > last.record && at_ms(record) <= until_ms).then_some(why)
}

/// Whether the server's answer was the one that looks like success and brings nothing: 200, and a
/// clean end without any message.
fn ended_at_once(view: &View, call: &Call, last: &Exchange, response: Option<&Emitted>) -> bool {
    let (Some(answered), Some(ended)) = (last.response, last.end) else { return false };
    let by_fault = {
        let after = view.fired.partition_point(|fired| *fired < last.record);
        view.fired.get(after).is_some_and(|fired| *fired < ended.record)
    };
    let given_up = matches!(call.outcome, Some((_, Outcome::Unknown)))
        && declared_after(view, last, call).is_none_or(|why| why == "gave-up");
    let at_once = ended.end == End::Clean
        && last.wire.is_empty()
        && ended.at_ms.saturating_sub(answered.at_ms) <= view.header.tick_ms;
    // Without the server's records nobody knows whether there was a response to lose.
    let existed = view.emitted.is_empty() || response.is_some_and(|r| r.record < ended.record);
    given_up && at_once && existed && !by_fault
}

#[cfg(test)]
mod tests {
    use seamstress_trace::{Content, End, FaultState, Message, RunEnd};

    use crate::script::{NOTHING, Script};
    use crate::{Cell, Oracle};

    /// A call that was cut after its first progress; its result is emitted meanwhile.
    fn call() -> Script {
        let script = Script::new().session("s1").post(1, "c1").execute("c1").open(1);
        script.progress("c1").take(1, "s1.c1.1").drop(1).result("c1")
    }

    fn resumed() -> Script {
        call().resume(2, "c1", "s1.c1.1").resumes(2, "c1", 0).open(2)
    }

    const KEY: [&str; 1] = ["lost-response/result/resumed:caught-up"];

    #[test]
    fn a_response_that_an_accepted_resumption_never_brings_is_lost() {
        let script = || resumed().wait(500).ended(RunEnd::Deadline);
        assert_eq!(script().keys_of(Oracle::LostResponse), KEY);
        assert_eq!(
            script().sentences_of(Oracle::LostResponse),
            ["the response to c1 never reached its caller, although exchange 2, the resumption \
              with cursor s1.c1.1 that the server answered with caught-up, could carry it, and its \
              loss was not declared"]
        );
        assert_eq!(script().judge().resumptions[0].cell, Cell::Escape);
        // Beside it only that the run came to no end: the response is not also a `skip`.
        assert_eq!(script().keys(), [KEY[0], "stuck/call/resumed:caught-up"]);
    }

    #[test]
    fn a_call_that_ends_unknown_without_a_declared_loss_lost_its_response() {
        assert_eq!(resumed().wait(9).unknown("c1").finish().keys_of(Oracle::LostResponse), KEY);
    }

    #[test]
    fn a_call_that_is_taken_for_done_without_a_response_lost_it() {
        let fresh = || Script::new().session("s1").post(1, "c1").open(1).progress("c1");
        let taken = || fresh().take(1, "s1.c1.1").done("c1").leave(1).result("c1").finish();
        assert_eq!(taken().keys_of(Oracle::LostResponse), ["lost-response/result/fresh"]);
        assert_eq!(
            taken().sentences_of(Oracle::LostResponse),
            ["c1 was taken for done although no response to it had come: the last message on \
              exchange 1 was progress 1 of c1"]
        );
        let answered = fresh().take(1, "s1.c1.1").result("c1").take(1, "s1.c1.2").done("c1");
        assert_eq!(answered.finish().keys_of(Oracle::LostResponse), NOTHING);
        let error = Content::Error { request: Some("7".into()), code: -32_000 };
        let error = Message { content: error, mark: None };
        let by_error = Script::new().session("s1").post_as(1, "c1", "7").open(1);
        let by_error = by_error.raw_event(1, None, Some(error)).done("c1").finish();
        assert_eq!(by_error.keys_of(Oracle::LostResponse), NOTHING);
        let by_json = Script::new().session("s1").post(1, "c1").status(1, 200).done("c1");
        assert_eq!(by_json.finish().keys_of(Oracle::LostResponse), NOTHING);
        let by_blank = Script::new().session("s1").post(1, "c1").open(1).raw_event(1, None, None);
        assert_eq!(by_blank.done("c1").finish().keys_of(Oracle::LostResponse), NOTHING);
    }

    #[test]
    fn a_declared_loss_is_no_lost_response() {
        let script = resumed().wait(9).declare_loss("not-found").unknown("c1").finish();
        assert_eq!(script.keys_of(Oracle::LostResponse), NOTHING);
        let other_order = resumed().wait(9).unknown("c1").at_once().declare_loss("not-found");
        assert_eq!(other_order.finish().keys_of(Oracle::LostResponse), NOTHING);
        let later = resumed().wait(9).unknown("c1").wait(9).declare_loss("not-found");
        assert_eq!(later.finish().keys_of(Oracle::LostResponse), KEY);
    }

    #[test]
    fn a_clean_end_at_once_loses_the_response_even_if_the_client_declares_that_it_gave_up() {
        let ended = || resumed().cut(2, End::Clean).wait(50);
        let gave_up = ended().declare_loss("gave-up").unknown("c1").finish();
        assert_eq!(gave_up.keys_of(Oracle::LostResponse), KEY);
        let other_reason = ended().declare_loss("not-found").unknown("c1").finish();
        assert_eq!(other_reason.keys_of(Oracle::LostResponse), NOTHING);
    }

    #[test]
    fn a_clean_end_is_no_lost_response_if_a_fault_made_it_or_nothing_was_there_to_lose() {
        let by_fault = resumed().at_once().fault("drop", FaultState::Fired).at_once();
        let by_fault = by_fault.cut(2, End::Clean).declare_loss("gave-up").unknown("c1").finish();
        assert_eq!(by_fault.keys_of(Oracle::LostResponse), NOTHING);
        let before = call().fault("drop", FaultState::Fired).resume(2, "c1", "s1.c1.1");
        let before = before.resumes(2, "c1", 0).open(2).at_once().cut(2, End::Clean);
        let before = before.declare_loss("gave-up").unknown("c1").finish();
        assert_eq!(before.keys_of(Oracle::LostResponse), KEY, "another fault did not make it");

        let later = resumed().wait(50).cut(2, End::Clean).declare_loss("gave-up").unknown("c1");
        assert_eq!(later.finish().keys_of(Oracle::LostResponse), NOTHING, "not at once");
        let spoke = resumed().at_once().event(2, "s1.c1.1").at_once().cut(2, End::Clean);
        let spoke = spoke.declare_loss("gave-up").unknown("c1").finish();
        assert_eq!(spoke.keys_of(Oracle::LostResponse), NOTHING, "it brought a message");

        let script = Script::new().session("s1").post(1, "c1").open(1).progress("c1").prime("c1");
        let running = script.take(1, "s1.c1.1").drop(1).resume(2, "c1", "s1.c1.1");
        let running = running.resumes(2, "c1", 0).open(2).cut(2, End::Clean);
        let running = running.declare_loss("gave-up").unknown("c1").finish();
        assert_eq!(running.keys_of(Oracle::LostResponse), NOTHING);
    }

    #[test]
    fn a_capture_without_server_records_shows_the_answer_that_looks_like_success() {
        let script = Script::new().captured().session("s1").post(1, "c1").open(1).progress("c1");
        let script = script.take(1, "s1.c1.1").drop(1).resume(2, "c1", "s1.c1.1").open(2);
        let script = script.cut(2, End::Clean).unknown("c1").finish();
        assert_eq!(script.keys_of(Oracle::LostResponse), ["lost-response/result/resumed:unstated"]);
    }

    #[test]
    fn a_stream_that_was_refused_at_last_is_not_counted_against_an_earlier_resumption() {
        let script = resumed().drop(2).resume(3, "c1", "s1.c1.1").refuses(3, "below-floor");
        let script = script.open(3).wait(500).ended(RunEnd::Deadline);
        assert_eq!(script.keys_of(Oracle::LostResponse), NOTHING);
    }

    #[test]
    fn a_response_that_came_and_one_that_came_too_late_for_the_run_are_none() {
        let came = resumed().take(2, "s1.c1.2").done("c1").finish();
        assert_eq!(came.keys_of(Oracle::LostResponse), NOTHING);
        let on_the_wire = resumed().event(2, "s1.c1.2").wait(500).ended(RunEnd::Finished);
        assert_eq!(on_the_wire.keys_of(Oracle::LostResponse), NOTHING);
        // The response is emitted at 8 ms, the run ends at 108 or 109.
        let too_late = |wait_ms| resumed().wait(wait_ms).ended(RunEnd::Deadline);
        assert_eq!(too_late(96).keys_of(Oracle::LostResponse), NOTHING);
        assert_eq!(too_late(97).keys_of(Oracle::LostResponse), KEY);
        let after_the_leg = Script::new().session("s1").post(1, "c1").open(1).progress("c1");
        let after_the_leg = after_the_leg.take(1, "s1.c1.1").drop(1).resume(2, "c1", "s1.c1.1");
        let after_the_leg = after_the_leg.resumes(2, "c1", 0).open(2).wait(5).drop(2).result("c1");
        let after_the_leg = after_the_leg.wait(500).ended(RunEnd::Deadline);
        assert_eq!(after_the_leg.keys_of(Oracle::LostResponse), NOTHING);
    }

    #[test]
    fn a_call_that_still_runs_did_not_lose_the_response_to_another() {
        let other = Script::new().session("s1").post(1, "c0").open(1).result("c0");
        let other = other.take(1, "s1.c0.1").done("c0").post(2, "c1").open(2).progress("c1");
        let running = other.take(2, "s1.c1.1").drop(2).resume(3, "c1", "s1.c1.1");
        let running = running.resumes(3, "c1", 0).open(3).wait(500).ended(RunEnd::Deadline);
        assert_eq!(running.keys_of(Oracle::LostResponse), NOTHING);
    }

    #[test]
    fn a_call_that_was_never_resumed_lost_nothing_by_a_resumption() {
        let script = call().unknown("c1").finish();
        assert_eq!(script.keys_of(Oracle::LostResponse), NOTHING);
    }
}
