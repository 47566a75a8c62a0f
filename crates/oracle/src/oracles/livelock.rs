//! `livelock`: resumptions make progress.
//!
//! Rests on the field's `bounded-reconnects`: progress is a new message, not a new id. More than
//! eight resumptions of one stream in a row that the client had to take for accepted, with no new
//! message in between, are a finding; the classic is a server that answers a cursor it cannot use
//! with 200 and an immediate end.
//! Nor can a stream make progress whose call has ended: more than two resumptions after that are
//! a finding as well.
//! Near misses: attempts that nobody answered, or that were refused visibly; a stream begun anew;
//! eight of them; one or two that the end of the call has overtaken.

use crate::finding::{Finding, Oracle};
use crate::view::{ClientStream, Exchange, View};
use crate::words;

/// How many accepted resumptions without a new message are still taken for bad luck.
const RESUMPTIONS_WITHOUT_MESSAGE_MAX: u64 = 8;
/// How many resumptions may be on their way when a call ends.
const RESUMPTIONS_AFTER_END_MAX: usize = 2;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    let of_stream = |stream| {
        let mut findings = of_stream(view, stream);
        findings.extend(after_end(view, stream));
        findings
    };
    view.streams.iter().flat_map(of_stream).collect()
}

/// Resumptions of a call's stream after the application was told that the call has ended.
fn after_end(view: &View, stream: &ClientStream) -> Option<Finding> {
    let (ended, _) = view.call(stream.name)?.outcome?;
    let ended_ms = view.records[ended].at_ms;
    let legs = stream.legs.iter().map(|leg| &view.exchanges[*leg]);
    let mut late = legs.filter(|leg| leg.attempt.is_some() && leg.at_ms > ended_ms);
    let exchange = late.nth(RESUMPTIONS_AFTER_END_MAX)?;
    Some(Finding {
        oracle: Oracle::Livelock,
        subject: words::stream_subject(Some(stream.name)),
        state: "ended".to_owned(),
        sentence: format!(
            "{} was resumed again and again after its call had ended, a third time by {}",
            stream.name,
            words::request(exchange),
        ),
        record: exchange.record,
        related: vec![ended],
        resumption: words::resumption(view, exchange),
    })
}

fn of_stream(view: &View, stream: &ClientStream) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut in_a_row = 0;
    for exchange in stream.legs.iter().map(|leg| &view.exchanges[*leg]) {
        if exchange.attempt.is_none() {
            in_a_row = 0;
        } else if seems_accepted(exchange) {
            in_a_row += 1;
            if in_a_row == RESUMPTIONS_WITHOUT_MESSAGE_MAX + 1 {
                findings.push(finding(view, stream.name, exchange, in_a_row));
            }
        }
        let is_new = |index: &usize| view.delivered[*index].earlier.is_none();
        if exchange.delivered.iter().any(is_new) {
            in_a_row = 0;
        }
    }
    findings
}

/// Accepted, or refused in a way that the client cannot tell from it.
fn seems_accepted(exchange: &Exchange) -> bool {
    let accepted = exchange.attempt.is_some_and(|attempt| attempt.is_accepted());
    let looks_so = exchange.response.is_some_and(|response| response.opens_stream());
    accepted || (looks_so && exchange.continuity.is_none_or(|continuity| continuity.accepted))
}

fn finding(view: &View, name: &str, exchange: &Exchange, count: u64) -> Finding {
    Finding {
        oracle: Oracle::Livelock,
        subject: words::stream_subject(Some(name)),
        state: words::state(exchange),
        sentence: format!(
            "{name} was resumed {count} times in a row without a new message, at last by {}",
            words::exchange(exchange),
        ),
        record: exchange.record,
        related: Vec::new(),
        resumption: words::resumption(view, exchange),
    }
}

#[cfg(test)]
mod tests {
    use seamstress_trace::End;

    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    fn call() -> Script {
        let script = Script::new().session("s1").post(1, "c1").open(1).progress("c1");
        script.take(1, "s1.c1.1").drop(1)
    }

    fn empty_resumptions(script: Script, exchanges: std::ops::RangeInclusive<u64>) -> Script {
        exchanges.fold(script, |script, x| {
            let script = script.resume(x, "c1", "s1.c1.1").resumes(x, "c1", 0).open(x);
            script.cut(x, End::Clean)
        })
    }

    #[test]
    fn nine_accepted_resumptions_without_a_message_are_one_finding() {
        let script = || empty_resumptions(call(), 2..=10);
        assert_eq!(script().keys_of(Oracle::Livelock), ["livelock/call/resumed:caught-up"]);
        assert_eq!(
            script().sentences_of(Oracle::Livelock),
            ["c1 was resumed 9 times in a row without a new message, at last by exchange 10, the \
              resumption with cursor s1.c1.1 that the server answered with caught-up"]
        );
        assert_eq!(empty_resumptions(call(), 2..=40).keys_of(Oracle::Livelock).len(), 1);
    }

    #[test]
    fn resumptions_up_to_the_instant_of_the_calls_end_do_not_come_after_it() {
        let before = empty_resumptions(call(), 2..=4).unknown("c1").wait(5);
        assert_eq!(before.keys_of(Oracle::Livelock), NOTHING);
        let script = (2..=4).fold(call().unknown("c1"), |script, exchange| {
            script.at_once().resume(exchange, "c1", "s1.c1.1")
        });
        assert_eq!(script.keys_of(Oracle::Livelock), NOTHING);
    }

    #[test]
    fn a_stream_that_is_resumed_a_third_time_after_its_call_has_ended_makes_no_progress() {
        let ended = || call().unknown("c1").wait(5);
        let script = empty_resumptions(ended(), 2..=4);
        assert_eq!(
            script.sentences_of(Oracle::Livelock),
            [
                "c1 was resumed again and again after its call had ended, a third time by exchange 4 \
              (GET)"
            ]
        );
        let script = empty_resumptions(ended(), 2..=9);
        assert_eq!(script.keys_of(Oracle::Livelock), ["livelock/call/ended"]);
        assert_eq!(empty_resumptions(ended(), 2..=3).keys_of(Oracle::Livelock), NOTHING);
    }

    #[test]
    fn eight_are_none_and_a_new_message_starts_the_count_again() {
        assert_eq!(empty_resumptions(call(), 2..=9).keys_of(Oracle::Livelock), NOTHING);
        let script = empty_resumptions(call(), 2..=8).progress("c1");
        let script = script.resume(9, "c1", "s1.c1.1").resumes(9, "c1", 1).open(9);
        let script = empty_resumptions(script.take(9, "s1.c1.2").drop(9), 10..=17);
        assert_eq!(script.keys_of(Oracle::Livelock), NOTHING);
    }

    #[test]
    fn a_repeated_message_is_no_progress() {
        let script = empty_resumptions(call(), 2..=8);
        let script = script.resume(9, "c1", "s1.c1.1").resumes(9, "c1", 1).open(9);
        let script = empty_resumptions(script.take(9, "s1.c1.1").drop(9), 10..=10);
        assert_eq!(script.keys_of(Oracle::Livelock).len(), 1);
    }

    #[test]
    fn a_refusal_that_looks_like_success_counts_and_one_that_shows_does_not() {
        let attempts = |answer: fn(Script, u64) -> Script| {
            (2..=12).fold(call(), |script, x| {
                let script = script.resume(x, "c1", "s1.c1.1").refuses(x, "below-floor");
                answer(script, x).cut(x, End::Clean)
            })
        };
        let looks_so = attempts(Script::open);
        assert_eq!(looks_so.keys_of(Oracle::Livelock), ["livelock/call/refused:below-floor"]);
        let shows = attempts(|script, x| script.status(x, 409));
        assert_eq!(shows.keys_of(Oracle::Livelock), NOTHING);
        let another_body = attempts(|script, x| script.status(x, 200));
        assert_eq!(another_body.keys_of(Oracle::Livelock), NOTHING);
        let unanswered = (2..=12)
            .fold(call(), |script, x| script.resume(x, "c1", "s1.c1.1").cut(x, End::NoResponse));
        assert_eq!(unanswered.keys_of(Oracle::Livelock), NOTHING);
    }
}
