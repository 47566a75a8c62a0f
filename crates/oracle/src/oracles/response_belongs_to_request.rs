//! `response-belongs-to-request`: the response a caller gets bears the mark of its request.
//!
//! Rests on `basic`, Responses (all revisions): a response carries the id of the request that it
//! answers. The id says which caller is meant, the payload whose result it is: the two must agree
//! on the wire, and the client must hand the response to that caller.
//! Near misses: a right response on a wrong stream (`cross-stream`); an error, which names no
//! call; a request that the trace does not show.

use seamstress_trace::{Content, Message};

use crate::finding::{Finding, Oracle};
use crate::view::{Arrival, STANDALONE, View, client_name};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    let mut findings: Vec<Finding> =
        view.wire.iter().filter_map(|arrival| on_the_wire(view, arrival)).collect();
    findings.extend(view.delivered.iter().filter_map(|arrival| handed_over(view, arrival)));
    findings
}

/// The call that a response is about, by its own account.
fn account(message: &Message) -> Option<&str> {
    let marked = message.mark.as_ref().map(|mark| mark.stream.as_str());
    match &message.content {
        Content::Result { call: Some(call), .. } => Some(call),
        Content::Result { .. } | Content::Error { .. } => {
            marked.filter(|stream| client_name(stream) != STANDALONE)
        }
        _ => None,
    }
}

/// The call whose POST carried the request id of a response.
fn caller<'a>(view: &View<'a>, arrival: &Arrival) -> Option<&'a str> {
    let request = match &arrival.message.content {
        Content::Result { request, .. } => request,
        Content::Error { request: Some(request), .. } => request,
        _ => return None,
    };
    view.caller(view.exchanges[arrival.exchange].session, request)
}

fn on_the_wire(view: &View, arrival: &Arrival) -> Option<Finding> {
    let (caller, account) = (caller(view, arrival)?, account(arrival.message)?);
    (caller != account).then(|| {
        let what =
            format!("a response with the request id of {caller} bears the mark of {account}");
        finding(view, arrival, "wire", &what)
    })
}

fn handed_over(view: &View, arrival: &Arrival) -> Option<Finding> {
    let (to, account) = (arrival.to?, account(arrival.message)?);
    // What was wrong on the wire already is not the client's doing.
    let was_right = caller(view, arrival).is_none_or(|caller| caller == account);
    (to != account && was_right).then(|| {
        let what = format!("the response to {account} was handed to {to}");
        finding(view, arrival, "delivered", &what)
    })
}

fn finding(view: &View, arrival: &Arrival, state: &str, what: &str) -> Finding {
    let exchange = &view.exchanges[arrival.exchange];
    Finding {
        oracle: Oracle::ResponseBelongsToRequest,
        subject: words::subject(arrival.message),
        state: state.to_owned(),
        sentence: format!("{what}, on {}", words::exchange(exchange)),
        record: arrival.record,
        related: vec![exchange.record],
        resumption: words::resumption(view, exchange),
    }
}

#[cfg(test)]
mod tests {
    use seamstress_trace::{Content, Mark, Message};

    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    fn two_calls() -> Script {
        Script::new().session("s1").post(1, "c1").open(1).post(2, "c2").open(2).result("c1")
    }

    fn result(request: &str, call: Option<&str>, stream: &str) -> Message {
        let content = Content::Result { request: request.into(), call: call.map(Into::into) };
        let mark = Mark { origin: "s1".into(), stream: stream.into(), ordinal: 1 };
        Message { content, mark: Some(mark) }
    }

    #[test]
    fn a_result_under_the_id_of_another_call_is_a_finding_on_the_wire_only() {
        let swapped = || result("1", Some("c2"), "c2");
        let script = || {
            let script = two_calls().raw_event(1, Some("x"), Some(swapped()));
            script.deliver_to(1, "c1", swapped())
        };
        let keys = script().keys_of(Oracle::ResponseBelongsToRequest);
        assert_eq!(keys, ["response-belongs-to-request/result/wire"]);
        assert_eq!(
            script().sentences_of(Oracle::ResponseBelongsToRequest),
            ["a response with the request id of c1 bears the mark of c2, on exchange 1"]
        );
    }

    #[test]
    fn without_the_name_of_a_call_the_mark_tells() {
        let script = two_calls().raw_event(1, Some("x"), Some(result("1", None, "c2")));
        assert_eq!(script.keys_of(Oracle::ResponseBelongsToRequest).len(), 1);
        let script = two_calls().raw_event(1, Some("x"), Some(result("1", None, "standalone-1")));
        assert_eq!(script.keys_of(Oracle::ResponseBelongsToRequest), NOTHING);
    }

    #[test]
    fn a_response_that_the_client_hands_to_another_caller_is_a_finding() {
        let script = two_calls().event(1, "s1.c1.1");
        let script = script.deliver_to(1, "c2", result("1", Some("c1"), "c1"));
        assert_eq!(
            script.sentences_of(Oracle::ResponseBelongsToRequest),
            ["the response to c1 was handed to c2, on exchange 1"]
        );
    }

    #[test]
    fn a_response_to_an_unseen_request_must_still_go_to_the_call_that_it_names() {
        let script = two_calls().deliver_to(1, "c2", result("77", Some("c9"), "c9"));
        assert_eq!(
            script.keys_of(Oracle::ResponseBelongsToRequest),
            ["response-belongs-to-request/result/delivered"]
        );
    }

    #[test]
    fn a_right_response_is_none_even_on_a_wrong_stream_or_to_an_unseen_request() {
        assert_eq!(
            two_calls().take(1, "s1.c1.1").keys_of(Oracle::ResponseBelongsToRequest),
            NOTHING
        );
        assert_eq!(
            two_calls().take(2, "s1.c1.1").keys_of(Oracle::ResponseBelongsToRequest),
            NOTHING
        );
        let unseen = two_calls().raw_event(1, None, Some(result("77", Some("c9"), "c9")));
        assert_eq!(unseen.keys_of(Oracle::ResponseBelongsToRequest), NOTHING);
    }
}
