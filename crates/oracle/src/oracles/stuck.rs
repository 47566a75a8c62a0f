//! `stuck`: an event stored while its stream is open or resumed arrives, and every call ends.
//!
//! Rests on the field's `live-delivery` and `request-terminates`: within a bound, once the faults
//! have ended. Two findings: the run reached its deadline (which operations were pending, by the
//! state of their streams), and a standalone stream on which messages stopped arriving although
//! the client stayed. Answering a refused cursor with 200 and silence is caught here: nothing else
//! can see it.
//! Near misses: a stream that broke or was left within the bound; faults that may still hold
//! events back; what was emitted before an accepted resumption (`skip`).

use std::collections::BTreeMap;

use seamstress_trace::{End, RunEnd, What};

use crate::finding::{Finding, Oracle};
use crate::view::{ClientStream, Emitted, Exchange, STANDALONE, View};
use crate::words::{self, Span};

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    let mut findings = at_deadline(view);
    let standalone = view.streams.iter().filter(|stream| stream.name == STANDALONE);
    findings.extend(standalone.filter_map(|stream| silent(view, stream)));
    findings
}

fn at_deadline(view: &View) -> Vec<Finding> {
    let Some((record, RunEnd::Deadline)) = view.end else { return Vec::new() };
    let mut pending: BTreeMap<(&'static str, String), Vec<&Exchange>> = BTreeMap::new();
    for exchange in view.exchanges.iter().filter(|exchange| is_pending(view, exchange)) {
        let stream = exchange.stream.map(|stream| &view.streams[stream]);
        let state =
            stream.map_or_else(|| "fresh".into(), |stream| words::stream_state(view, stream));
        let subject = if exchange.rpc == Some("tools/call") { "call" } else { "request" };
        pending.entry((subject, state)).or_default().push(exchange);
    }
    let awaited = match &view.records[record].what {
        What::RunEnd { detail: Some(detail), .. } => format!(" (awaited: {detail})"),
        _ => String::new(),
    };
    if pending.is_empty() {
        pending.insert(("run", "tail".to_owned()), Vec::new());
    }
    let finding = |((subject, state), exchanges): ((&'static str, String), Vec<&Exchange>)| {
        let labels: Vec<&str> =
            exchanges.iter().map(|e| e.stream_name.or(e.rpc).unwrap_or("a request")).collect();
        let newest = exchanges.first().and_then(|exchange| newest_resumption(view, exchange));
        Finding {
            oracle: Oracle::Stuck,
            subject,
            state,
            sentence: format!(
                "the run reached its deadline with {} unanswered{awaited}",
                words::names(&labels)
            ),
            record,
            related: exchanges.iter().take(3).map(|exchange| exchange.record).collect(),
            resumption: newest,
        }
    };
    pending.into_iter().map(finding).collect()
}

fn newest_resumption(view: &View, exchange: &Exchange) -> Option<u64> {
    let stream = &view.streams[exchange.stream?];
    words::resumption(view, &view.exchanges[*stream.legs.last()?])
}

/// Whether a request is still without an answer: a call without an outcome, or another request
/// whose exchange never ended.
fn is_pending(view: &View, exchange: &Exchange) -> bool {
    if exchange.rpc_id.is_none() {
        return false;
    }
    let is_call = exchange.rpc == Some("tools/call");
    match exchange.stream_name.and_then(|label| view.call(label)).filter(|_| is_call) {
        Some(call) => call.outcome.is_none(),
        None => exchange.end.is_none(),
    }
}

/// Messages of a standalone stream that never came although the client waited for them.
fn silent(view: &View, stream: &ClientStream) -> Option<Finding> {
    let leg = &view.exchanges[*stream.legs.last()?];
    let response = leg.response.filter(|response| response.opens_stream())?;
    let left_ms = match leg.end {
        None => view.last_ms(),
        Some(ended) if ended.end == End::Left => ended.at_ms,
        Some(_) => return None,
    };
    let settled_ms = view.settled_from_ms(response.at_ms)?;
    let sequence = attached(view, leg)?;
    let due_from = due_from(view, leg, sequence)?;
    let of = &view.sequences[sequence];
    let mut missing: Option<(Span, &Emitted)> = None;
    for emitted in of.messages[due_from..].iter().map(|index| &view.emitted[*index]) {
        let due_ms = emitted.at_ms.max(settled_ms).saturating_add(view.header.live_within_ms);
        if due_ms >= left_ms || of.first_delivery(emitted.ordinal).is_some() {
            continue;
        }
        let Some(message) = emitted.message else { continue };
        match &mut missing {
            Some((span, _)) if span.subject() == words::subject(message) => {
                span.add(message, emitted.ordinal);
            }
            Some(_) => {}
            None => missing = Some((Span::of(message, emitted.ordinal), emitted)),
        }
    }
    let (span, first) = missing?;
    Some(Finding {
        oracle: Oracle::Stuck,
        subject: STANDALONE,
        state: words::state(leg),
        sentence: format!(
            "{} never arrived on {}, although the client stayed until {left_ms} ms, longer than \
             the {} ms within which an event must come",
            span.text(),
            words::exchange(leg),
            view.header.live_within_ms,
        ),
        record: leg.end.map_or_else(|| view.last_record(), |ended| ended.record),
        related: vec![first.record],
        resumption: words::resumption(view, leg),
    })
}

/// The server's stream that an exchange is attached to.
fn attached(view: &View, leg: &Exchange) -> Option<usize> {
    let origin = view.origin(leg)?;
    let is_own = |sequence: &usize| view.sequences[*sequence].client_name() == leg.stream_name;
    let by_cursor = || view.true_cursor(leg).map(|event| event.sequence);
    let by_first_id = || {
        let event = view.event_with_id(origin, leg.first_id?, usize::MAX)?;
        Some(event.sequence).filter(is_own)
    };
    let by_message = || {
        let mut places = leg.wire.iter().filter_map(|index| view.wire[*index].place);
        places.find(|place| is_own(&place.sequence)).map(|place| place.sequence)
    };
    by_cursor().or_else(by_first_id).or_else(by_message).or_else(|| view.sole_standalone(origin))
}

/// Where, in the messages of a sequence, those begin that this exchange had to bring live and of
/// which none came. After a refusal that looked like an acceptance, that is all after the cursor.
fn due_from(view: &View, leg: &Exchange, sequence: usize) -> Option<usize> {
    let of = &view.sequences[sequence];
    let furthest = of.first_deliveries.last().map_or(0, |(ordinal, _)| *ordinal);
    let accepted = leg.attempt.is_none_or(|attempt| attempt.is_accepted());
    let since = match (accepted, leg.attempt) {
        (true, Some(attempt)) => attempt.decided,
        (true, None) => leg.response?.record,
        (false, _) => 0,
    };
    let stands = view.true_cursor(leg).map_or(0, |event| event.position);
    let done = |index: &usize| {
        let emitted = &view.emitted[*index];
        emitted.ordinal <= furthest || emitted.record < since || emitted.position <= stands
    };
    Some(of.messages.partition_point(done))
}

#[cfg(test)]
mod tests {
    use seamstress_trace::{FaultState, Method, RunEnd, What};

    use crate::script::{NOTHING, Script};
    use crate::{Oracle, Verdict, judge};

    fn call() -> Script {
        let script = Script::new().session("s1").post(1, "c1").open(1).progress("c1");
        script.take(1, "s1.c1.1").drop(1).resume(2, "c1", "s1.c1.1")
    }

    #[test]
    fn a_deadline_names_the_calls_that_were_pending_by_the_state_of_their_streams() {
        let script = || {
            let script = call().resumes(2, "c1", 0).open(2).post(3, "c2").open(3);
            script.post(4, "c3").open(4).result("c3").take(4, "s1.c3.1").done("c3")
        };
        let keys = script().ended(RunEnd::Deadline).keys();
        assert_eq!(keys, ["stuck/call/fresh", "stuck/call/resumed:caught-up"]);
        let judgement = script().ended(RunEnd::Deadline).judge();
        assert_eq!(judgement.verdict, Verdict::Stuck);
        assert_eq!(
            judgement.findings[1].sentence,
            "the run reached its deadline with c1 unanswered"
        );
        assert_eq!(judgement.findings[1].resumption, Some(2));
        assert_eq!(script().done("c1").done("c2").finish().keys(), NOTHING);
    }

    #[test]
    fn a_call_whose_response_arrived_and_was_never_told_to_the_application_is_pending() {
        let script = Script::new().session("s1").post(1, "c1").open(1).result("c1");
        let script = script.event(1, "s1.c1.1").ended(RunEnd::Deadline);
        assert_eq!(script.keys(), ["stuck/call/fresh"]);
    }

    #[test]
    fn other_requests_are_pending_until_their_exchange_ends() {
        let listing = |script: Script, exchange| {
            script.request(exchange, Method::Post, Some("t1"), |what| {
                if let What::Request { rpc, rpc_id, .. } = what {
                    (*rpc, *rpc_id) = (Some("tools/list".into()), Some("9".into()));
                }
            })
        };
        let pending = || listing(Script::new().session("s1"), 1).ended(RunEnd::Deadline);
        assert_eq!(pending().keys(), ["stuck/request/fresh"]);
        assert_eq!(
            pending().sentences_of(Oracle::Stuck),
            ["the run reached its deadline with t1 unanswered"]
        );
        let ended = listing(Script::new().session("s1"), 1).status(1, 200).leave(1);
        assert_eq!(ended.ended(RunEnd::Deadline).keys(), ["stuck/run/tail"]);
    }

    #[test]
    fn the_newest_answer_to_a_stream_is_its_state() {
        let script = call().resumes(2, "c1", 0).open(2).drop(2).resume(3, "c1", "s1.c1.1");
        let script = script.refuses(3, "ahead").open(3).drop(3).resume(4, "c1", "s1.c1.1");
        let keys = script.ended(RunEnd::Deadline).keys_of(Oracle::Stuck);
        assert_eq!(keys, ["stuck/call/refused:ahead"]);
    }

    #[test]
    fn a_deadline_without_a_pending_request_is_a_finding_all_the_same() {
        let keys = Script::new().session("s1").ended(RunEnd::Deadline).keys();
        assert_eq!(keys, ["stuck/run/tail"]);
    }

    #[test]
    fn a_refused_cursor_answered_with_silence_leaves_its_call_stuck() {
        let script = call().refuses(2, "below-floor").open(2).ended(RunEnd::Deadline);
        assert_eq!(script.keys_of(Oracle::Stuck), ["stuck/call/refused:below-floor"]);
    }

    /// A standalone stream that was resumed; the replay came, then two live messages are emitted.
    fn resumed() -> Script {
        let script = Script::new().session("s1").listen(1).open(1).notify("standalone-1");
        let script = script.take(1, "s1.standalone-1.1").drop(1).notify("standalone-1");
        let script = script.resume(2, "standalone", "s1.standalone-1.1");
        let script = script.resumes(2, "standalone-1", 1).open(2).take(2, "s1.standalone-1.2");
        script.notify("standalone-1").notify("standalone-1")
    }

    #[test]
    fn live_messages_that_never_come_on_an_open_stream_are_stuck() {
        let script = || resumed().wait(200).leave(2).finish();
        assert_eq!(script().keys(), ["stuck/standalone/resumed:resume"]);
        assert_eq!(
            script().sentences_of(Oracle::Stuck),
            ["notifications 3 to 4 of standalone-1 never arrived on exchange 2, the resumption \
              with cursor s1.standalone-1.1 that the server answered with resume, although the \
              client stayed until 214 ms, longer than the 100 ms within which an event must come"]
        );
    }

    #[test]
    fn of_several_kinds_of_messages_that_never_come_the_first_is_told() {
        let script = resumed().progress_on("standalone-1", "c2").wait(200).leave(2).finish();
        let sentences = script.sentences_of(Oracle::Stuck);
        assert!(sentences[0].starts_with("notifications 3 to 4 of standalone-1 never"));
    }

    #[test]
    fn what_a_run_says_it_awaited_is_told() {
        let mut trace = call().ended(RunEnd::Deadline).trace();
        if let Some(What::RunEnd { detail, .. }) = trace.records.last_mut().map(|r| &mut r.what) {
            *detail = Some("the result of c1".to_owned());
        }
        let judgement = judge(&trace);
        let stuck = judgement.findings.iter().find(|finding| finding.oracle == Oracle::Stuck);
        let sentence = &stuck.expect("the call never ended").sentence;
        assert!(sentence.ends_with("c1 unanswered (awaited: the result of c1)"), "{sentence}");
    }

    #[test]
    fn a_stream_that_was_never_resumed_must_be_live_too() {
        let script = || Script::new().session("s1").listen(1).open(1).notify("standalone-1");
        assert_eq!(script().wait(200).leave(1).finish().keys(), ["stuck/standalone/fresh"]);
        let came = script().wait(50).take(1, "s1.standalone-1.1").wait(200).leave(1).finish();
        assert_eq!(came.keys(), NOTHING);
    }

    #[test]
    fn the_first_id_of_an_exchange_tells_which_of_several_streams_it_carries() {
        let script = Script::new().session("s1").listen(1).open(1).notify("standalone-1");
        let script = script.take(1, "s1.standalone-1.1").drop(1).listen(2).open(2);
        let script = script.prime("standalone-2").event(2, "s1.standalone-2.1");
        let script = script.notify("standalone-1").notify("standalone-2").wait(200).leave(2);
        let sentences = script.finish().sentences_of(Oracle::Stuck);
        assert_eq!(sentences.len(), 1);
        assert!(sentences[0].starts_with("notification 1 of standalone-2 "), "{sentences:?}");
    }

    #[test]
    fn a_stray_first_event_does_not_tell_which_stream_an_exchange_carries() {
        let script = Script::new().session("s1").listen(1).open(1).prime("c1");
        let script = script.event(1, "s1.c1.1").notify("standalone-1").wait(200).leave(1);
        assert_eq!(script.finish().keys(), ["stuck/standalone/fresh"]);
    }

    #[test]
    fn what_was_emitted_before_a_stream_was_joined_is_not_awaited_on_it() {
        let script = Script::new().session("s1").notify("standalone-1").listen(1).open(1);
        let script = script.notify("standalone-1").take(1, "s1.standalone-1.2");
        let joined = script.wait(200).leave(1).finish();
        assert_eq!(joined.keys(), NOTHING);
        let script = Script::new().session("s1").notify("standalone-1").listen(1).open(1);
        assert_eq!(script.wait(200).leave(1).finish().keys(), NOTHING);
    }

    #[test]
    fn what_is_a_skip_is_not_stuck_as_well() {
        let jumped = resumed().take(2, "s1.standalone-1.4").wait(200).leave(2).finish();
        assert_eq!(jumped.keys(), ["skip/notification/live"]);
        let script = Script::new().session("s1").listen(1).open(1).notify("standalone-1");
        let script = script.take(1, "s1.standalone-1.1").drop(1).notify("standalone-1");
        let script = script.resume(2, "standalone", "s1.standalone-1.1");
        let before = script.resumes(2, "standalone-1", 1).open(2).wait(200).leave(2).finish();
        assert_eq!(before.keys(), ["skip/notification/resumed:resume"]);
    }

    #[test]
    fn after_a_refusal_only_what_lies_after_the_cursor_is_awaited() {
        let script = Script::new().session("s1").notify("standalone-1").listen(1).open(1);
        let script = script.prime("standalone-1").event(1, "s1.standalone-1.2").drop(1);
        let script = script.resume(2, "standalone", "s1.standalone-1.2").refuses(2, "ahead");
        assert_eq!(script.open(2).wait(200).leave(2).finish().keys_of(Oracle::Stuck), NOTHING);
        let script = Script::new().session("s1").listen(1).open(1).notify("standalone-1");
        let script = script.event(1, "s1.standalone-1.1").drop(1);
        let own = script.resume(2, "standalone", "s1.standalone-1.1").refuses(2, "ahead");
        assert_eq!(own.open(2).wait(200).leave(2).finish().keys_of(Oracle::Stuck), NOTHING);
    }

    #[test]
    fn a_stream_that_is_open_at_the_end_of_the_trace_was_not_left() {
        let trace = resumed().wait(200).ended(RunEnd::Finished).trace();
        let findings = crate::judge(&trace).findings;
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].record, trace.records.len() - 1);
    }

    #[test]
    fn a_refused_cursor_answered_with_silence_leaves_the_standalone_stream_stuck() {
        let script = Script::new().session("s1").listen(1).open(1).notify("standalone-1");
        let script = script.take(1, "s1.standalone-1.1").drop(1).notify("standalone-1");
        let script = script.resume(2, "standalone", "s1.standalone-1.1").refuses(2, "below-floor");
        let script = script.open(2).wait(200).leave(2).finish();
        assert_eq!(script.keys_of(Oracle::Stuck), ["stuck/standalone/refused:below-floor"]);
    }

    #[test]
    fn a_stream_left_within_the_bound_or_broken_again_or_held_up_by_a_fault_is_not_stuck() {
        // The messages are emitted at 12 and 13 ms.
        assert_eq!(resumed().wait(98).leave(2).finish().keys(), NOTHING, "left at 112 ms");
        assert_eq!(resumed().wait(99).leave(2).finish().keys().len(), 1, "left at 113 ms");
        assert_eq!(resumed().wait(200).drop(2).finish().keys(), NOTHING);
        let held = resumed().fault("silence", FaultState::Fired).wait(200).leave(2).finish();
        assert_eq!(held.keys(), NOTHING);
        let chaotic = resumed().fault("silence", FaultState::Fired).phase("chaos").wait(200);
        assert_eq!(chaotic.leave(2).finish().keys(), NOTHING, "the faults had not ended");
        let settled = resumed().fault("silence", FaultState::Fired).phase("tail").wait(200);
        assert_eq!(settled.leave(2).finish().keys(), ["stuck/standalone/resumed:resume"]);
        let just_settled = resumed().fault("silence", FaultState::Fired).wait(200).phase("tail");
        assert_eq!(just_settled.wait(50).leave(2).finish().keys(), NOTHING);
        let dead = resumed().fault_of("silence", "black-hole").phase("tail").wait(200);
        assert_eq!(dead.leave(2).finish().keys(), NOTHING, "the client had not noticed yet");
        let reborn = Script::new().session("s1").listen(1).open(1).notify("standalone-1");
        let reborn = reborn.take(1, "s1.standalone-1.1").fault_of("silence", "black-hole").drop(1);
        let reborn = reborn.resume(2, "standalone", "s1.standalone-1.1");
        let reborn = reborn.resumes(2, "standalone-1", 0).phase("tail").at_once().open(2);
        let reborn = reborn.notify("standalone-1").wait(200).leave(2).finish();
        assert_eq!(reborn.keys(), ["stuck/standalone/resumed:caught-up"], "opened in the tail");
        let late = Script::new().session("s1").listen(1).open(1).notify("standalone-1");
        let late = late.take(1, "s1.standalone-1.1").drop(1).notify("standalone-1").wait(200);
        let late = late.resume(2, "standalone", "s1.standalone-1.1").refuses(2, "ahead");
        assert_eq!(late.open(2).wait(50).leave(2).finish().keys_of(Oracle::Stuck), NOTHING);
    }
}
