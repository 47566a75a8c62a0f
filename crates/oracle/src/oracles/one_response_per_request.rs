//! `one-response-per-request`: a request is answered at most once.
//!
//! Derived from `basic`, Requests (all revisions): a request id is used once by its requestor in a
//! session, so it can be answered once. Judged where the server emits: two responses for one
//! request at two places of the log. Where nobody recorded the emissions, on the wire: two
//! differently marked responses, or two within one exchange.
//! Near misses: one response replayed, which is still one (`duplicate`); equal request ids of two
//! sessions.

use std::collections::BTreeMap;

use seamstress_trace::{Content, Message};

use crate::finding::{Finding, Oracle};
use crate::view::{Arrival, Emitted, SequenceKey, View};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    if view.emitted.is_empty() { on_the_wire(view) } else { as_emitted(view) }
}

fn request(message: &Message) -> Option<&str> {
    match &message.content {
        Content::Result { request, .. } => Some(request),
        Content::Error { request, .. } => request.as_deref(),
        _ => None,
    }
}

fn as_emitted(view: &View) -> Vec<Finding> {
    let mut answered: BTreeMap<(&str, &str), (&Emitted, bool)> = BTreeMap::new();
    let mut findings = Vec::new();
    for emitted in &view.emitted {
        let Some((message, request)) = emitted.message.and_then(|m| Some((m, request(m)?))) else {
            continue;
        };
        let SequenceKey::Stream { origin, .. } = view.sequences[emitted.sequence].key else {
            continue;
        };
        let (first, found) = answered.entry((origin, request)).or_insert((emitted, false));
        let same = (first.sequence, first.position) == (emitted.sequence, emitted.position);
        if !same && !std::mem::replace(found, true) {
            findings.push(finding(message, request, [first.record, emitted.record]));
        }
    }
    findings
}

fn on_the_wire(view: &View) -> Vec<Finding> {
    let mut answered: BTreeMap<(Option<usize>, &str), (&Arrival, bool)> = BTreeMap::new();
    let mut findings = Vec::new();
    for arrival in &view.wire {
        let Some(request) = request(arrival.message) else { continue };
        let session = view.exchanges[arrival.exchange].session;
        let (first, found) = answered.entry((session, request)).or_insert((arrival, false));
        let marked = arrival.message.mark.is_some() && first.message.mark.is_some();
        let other = if marked {
            first.place != arrival.place
        } else {
            first.record != arrival.record && first.exchange == arrival.exchange
        };
        if other && !std::mem::replace(found, true) {
            let mut found = finding(arrival.message, request, [first.record, arrival.record]);
            let exchange = &view.exchanges[arrival.exchange];
            found.state = words::state(exchange);
            found.resumption = words::resumption(view, exchange);
            findings.push(found);
        }
    }
    findings
}

fn finding(message: &Message, request: &str, [first, again]: [usize; 2]) -> Finding {
    Finding {
        oracle: Oracle::OneResponsePerRequest,
        subject: "request",
        state: "emitted".to_owned(),
        sentence: format!(
            "request {request} was answered twice, the second time by {}",
            words::message(message, None),
        ),
        record: again,
        related: vec![first],
        resumption: None,
    }
}

#[cfg(test)]
mod tests {
    use seamstress_trace::Content;

    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    fn call() -> Script {
        Script::new().session("s1").post(1, "c1").open(1).result("c1").event(1, "s1.c1.1")
    }

    #[test]
    fn two_answers_to_one_request_are_one_finding() {
        let script = || {
            let script = call().result("c1");
            let error = Content::Error { request: Some("1".into()), code: -32603 };
            script.emit("c1", Some(error), None)
        };
        let keys = script().keys_of(Oracle::OneResponsePerRequest);
        assert_eq!(keys, ["one-response-per-request/request/emitted"]);
        assert_eq!(
            script().sentences_of(Oracle::OneResponsePerRequest),
            ["request 1 was answered twice, the second time by the result of c1"]
        );
    }

    #[test]
    fn a_response_that_is_replayed_is_one_response() {
        let script = call().drop(1).resume(2, "c1", "s1.c1.1").resumes(2, "c1", 1).open(2);
        let script = script.event(2, "s1.c1.1");
        assert_eq!(script.keys_of(Oracle::OneResponsePerRequest), NOTHING);
    }

    #[test]
    fn equal_request_ids_of_two_sessions_are_two_requests() {
        let script = call().session("s2").post_as(2, "c2", "1").open(2).result("c2");
        assert_eq!(script.keys_of(Oracle::OneResponsePerRequest), NOTHING);
    }

    #[test]
    fn without_server_records_two_answers_show_by_their_marks_or_within_one_exchange() {
        let captured = || Script::new().captured().session("s1").post(1, "c1").open(1);
        let marked = captured().result("c1").result("c1").event(1, "s1.c1.1").drop(1);
        let marked = marked.resume(2, "c1", "s1.c1.1").open(2).event(2, "s1.c1.2");
        assert_eq!(
            marked.keys_of(Oracle::OneResponsePerRequest),
            ["one-response-per-request/request/resumed:unstated"]
        );
        let at_once = captured().unmarked().result("c1").event(1, "s1.c1.1").event(1, "s1.c1.1");
        let at_once = at_once.event(1, "s1.c1.1").keys_of(Oracle::OneResponsePerRequest);
        assert_eq!(at_once, ["one-response-per-request/request/fresh"], "told once");
        let half_marked = captured().result("c1").unmarked().result("c1").event(1, "s1.c1.1");
        let half_marked = half_marked.drop(1).resume(2, "c1", "s1.c1.1").open(2);
        let half_marked = half_marked.event(2, "s1.c1.2").keys_of(Oracle::OneResponsePerRequest);
        assert_eq!(half_marked, NOTHING, "it may be the same response");
        let replayed = captured().unmarked().result("c1").event(1, "s1.c1.1").drop(1);
        let replayed = replayed.resume(2, "c1", "s1.c1.1").open(2).event(2, "s1.c1.1");
        assert_eq!(replayed.keys_of(Oracle::OneResponsePerRequest), NOTHING);
    }
}
