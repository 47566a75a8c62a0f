//! `priming-not-parsed`: an event with empty data is not taken for a message.
//!
//! Rests on `basic/transports`, Sending Messages (2025-11-25: an event with an id and empty data
//! primes the stream), and on WHATWG HTML 9.2. Clients that run a JSON parser on the empty text
//! either hand something over, or leave because the bytes are malformed, or take the call for
//! answered; each of the three is judged where the application or the client shows it.
//! Near misses: a message handed over after a priming event that came behind it; bytes that are
//! malformed long after a priming event; a call answered by one JSON body.

use seamstress_trace::{End, Outcome};

use crate::finding::{Finding, Oracle};
use crate::view::{Call, Exchange, View};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    let primed = view.exchanges.iter().filter(|exchange| !exchange.blanks.is_empty());
    let of_exchange =
        primed.filter_map(|e| handed_over(view, e).or_else(|| taken_for_malformed(view, e)));
    let mut findings: Vec<Finding> = of_exchange.collect();
    findings.extend(view.calls.iter().filter_map(|call| taken_for_response(view, call)));
    findings
}

/// The first delivery for which no message had arrived, after an event without one.
fn handed_over(view: &View, exchange: &Exchange) -> Option<Finding> {
    let unfounded = |(nth, delivery): (usize, &usize)| {
        let record = view.delivered[*delivery].record;
        let arrived = exchange.wire.get(nth).is_some_and(|index| view.wire[*index].record < record);
        (!arrived).then_some(record)
    };
    let record = exchange.delivered.iter().enumerate().find_map(unfounded)?;
    let blank = last_before(&exchange.blanks, record)?;
    Some(finding(view, exchange, "delivered", [blank, record], "was handed over as a message"))
}

fn last_before(records: &[usize], record: usize) -> Option<usize> {
    records[..records.partition_point(|at| *at < record)].last().copied()
}

/// The record of the exchange's last event, if it carries no message.
fn ends_blank(view: &View, exchange: &Exchange) -> Option<usize> {
    let blank = *exchange.blanks.last()?;
    let message = exchange.wire.last().map(|index| view.wire[*index].record);
    message.is_none_or(|message| message < blank).then_some(blank)
}

fn taken_for_malformed(view: &View, exchange: &Exchange) -> Option<Finding> {
    let ended = exchange.end.filter(|ended| ended.end == End::Malformed)?;
    let blank = ends_blank(view, exchange)?;
    let after_ms = ended.at_ms.saturating_sub(view.records[blank].at_ms);
    (after_ms <= view.header.tick_ms).then(|| {
        finding(view, exchange, "malformed", [blank, ended.record], "was taken for malformed bytes")
    })
}

fn taken_for_response(view: &View, call: &Call) -> Option<Finding> {
    let (record, Outcome::Done) = call.outcome? else { return None };
    if call.answered {
        return None;
    }
    let session = view.exchanges[*call.posts.last()?].session;
    let leg = *view.stream(session, call.label)?.legs.last()?;
    let exchange = &view.exchanges[leg];
    let blank = ends_blank(view, exchange).filter(|blank| *blank < record)?;
    Some(finding(view, exchange, "response", [blank, record], "was taken for the response"))
}

fn finding(
    view: &View,
    exchange: &Exchange,
    state: &str,
    [blank, record]: [usize; 2],
    what: &str,
) -> Finding {
    Finding {
        oracle: Oracle::PrimingNotParsed,
        subject: words::stream_subject(exchange.stream_name),
        state: state.to_owned(),
        sentence: format!("an event without a message {what}, on {}", words::exchange(exchange)),
        record,
        related: vec![blank],
        resumption: words::resumption(view, exchange),
    }
}

#[cfg(test)]
mod tests {
    use seamstress_trace::{Content, End, Message};

    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    fn primed() -> Script {
        let script = Script::new().session("s1").post(1, "c1").open(1).prime("c1");
        script.event(1, "s1.c1.1")
    }

    #[test]
    fn an_empty_event_handed_over_as_a_message_is_a_finding() {
        let nonsense = Message { content: Content::Other { method: String::new() }, mark: None };
        let script = || primed().deliver_to(1, "c1", nonsense.clone());
        assert_eq!(
            script().keys_of(Oracle::PrimingNotParsed),
            ["priming-not-parsed/call/delivered"]
        );
        assert_eq!(
            script().sentences_of(Oracle::PrimingNotParsed),
            ["an event without a message was handed over as a message, on exchange 1"]
        );
    }

    #[test]
    fn an_empty_event_taken_for_malformed_bytes_is_a_finding() {
        const KEY: [&str; 1] = ["priming-not-parsed/call/malformed"];
        let script = primed().cut(1, End::Malformed);
        assert_eq!(script.keys_of(Oracle::PrimingNotParsed), KEY);
        let second = primed().progress("c1").take(1, "s1.c1.2").raw_event(1, Some("x"), None);
        assert_eq!(second.cut(1, End::Malformed).keys_of(Oracle::PrimingNotParsed), KEY);
    }

    #[test]
    fn an_empty_event_taken_for_the_response_is_a_finding() {
        let script = primed().done("c1");
        assert_eq!(script.keys_of(Oracle::PrimingNotParsed), ["priming-not-parsed/call/response"]);
    }

    #[test]
    fn a_stream_that_is_primed_and_then_speaks_is_none() {
        let script = primed().progress("c1").result("c1").take_all(1, &["s1.c1.2", "s1.c1.3"]);
        assert_eq!(script.done("c1").leave(1).keys_of(Oracle::PrimingNotParsed), NOTHING);
    }

    #[test]
    fn a_message_handed_over_behind_a_later_priming_event_is_none() {
        let script = primed().progress("c1").event(1, "s1.c1.2").prime("c1").event(1, "s1.c1.3");
        assert_eq!(script.deliver(1, "s1.c1.2").keys_of(Oracle::PrimingNotParsed), NOTHING);
    }

    #[test]
    fn bytes_malformed_later_or_behind_a_message_are_not_the_priming_events_doing() {
        let later = primed().wait(30).cut(1, End::Malformed);
        assert_eq!(later.keys_of(Oracle::PrimingNotParsed), NOTHING);
        let between = primed().progress("c1").take(1, "s1.c1.2").raw_event(1, Some("x"), None);
        let between = between.at_once().progress("c1").at_once().take(1, "s1.c1.3");
        let between = between.at_once().cut(1, End::Malformed);
        assert_eq!(between.keys_of(Oracle::PrimingNotParsed), NOTHING);
        let behind = primed().progress("c1").take(1, "s1.c1.2").cut(1, End::Malformed);
        assert_eq!(behind.keys_of(Oracle::PrimingNotParsed), NOTHING);
    }

    #[test]
    fn a_call_answered_by_one_json_body_is_none() {
        let script = Script::new().session("s1").post(1, "c1").status(1, 200).done("c1");
        assert_eq!(script.keys_of(Oracle::PrimingNotParsed), NOTHING);
    }
}
