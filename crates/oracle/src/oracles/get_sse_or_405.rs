//! `get-sse-or-405`: a GET is answered by an event stream or by 405.
//!
//! Rests on `basic/transports`, Listening for Messages (all revisions): the server MUST answer
//! with `text/event-stream`, or with 405 where it offers no such stream.
//! Near misses: the refusals that other rules ask for or allow: 400, 401, 403 and 404 (a session
//! or a right that is missing), 5xx (no answer of the server's own), and any status but a success
//! for a cursor (`unresumable-answer`).

use seamstress_trace::Method;

use crate::finding::{Finding, Oracle};
use crate::view::{Exchange, Response, View};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    let gets = view.exchanges.iter().filter(|exchange| exchange.method == Method::Get);
    gets.filter_map(|exchange| finding(view, exchange)).collect()
}

fn is_allowed(exchange: &Exchange, response: Response) -> bool {
    match response.status {
        200 => response.event_stream,
        201..=299 => false,
        400 | 401 | 403 | 404 | 405 | 500..=599 => true,
        _ => exchange.attempt.is_some(),
    }
}

fn finding(view: &View, exchange: &Exchange) -> Option<Finding> {
    let response = exchange.response.filter(|response| !is_allowed(exchange, *response))?;
    let body = if response.event_stream { "" } else { " without an event stream" };
    Some(Finding {
        oracle: Oracle::GetSseOr405,
        subject: "request",
        state: format!("status-{}", response.status),
        sentence: format!(
            "{} was answered with status {}{body}",
            words::request(exchange),
            response.status,
        ),
        record: response.record,
        related: vec![exchange.record],
        resumption: words::resumption(view, exchange),
    })
}

#[cfg(test)]
mod tests {
    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    fn answered(status: u16) -> Vec<String> {
        let script = Script::new().session("s1").listen(1).status(1, status);
        script.keys_of(Oracle::GetSseOr405)
    }

    #[test]
    fn a_get_answered_with_another_body_or_a_conflict_is_a_finding() {
        assert_eq!(answered(200), ["get-sse-or-405/request/status-200"]);
        assert_eq!(answered(204), ["get-sse-or-405/request/status-204"]);
        assert_eq!(answered(409), ["get-sse-or-405/request/status-409"]);
        let script = Script::new().session("s1").listen(1).status(1, 202);
        assert_eq!(
            script.sentences_of(Oracle::GetSseOr405),
            ["exchange 1 (GET) was answered with status 202 without an event stream"]
        );
    }

    #[test]
    fn a_stream_a_405_and_the_refusals_of_other_rules_are_none() {
        assert_eq!(
            Script::new().session("s1").listen(1).open(1).keys_of(Oracle::GetSseOr405),
            NOTHING
        );
        for status in [400, 401, 403, 404, 405, 502] {
            assert_eq!(answered(status), NOTHING, "status {status}");
        }
    }

    #[test]
    fn a_refused_cursor_may_get_any_status_but_a_success() {
        let resumed = |status| {
            let script = Script::new().session("s1").resume(1, "standalone", "s1.standalone-1.1");
            script.status(1, status).keys_of(Oracle::GetSseOr405)
        };
        assert_eq!(resumed(409), NOTHING);
        assert_eq!(resumed(410), NOTHING);
        assert_eq!(resumed(204), ["get-sse-or-405/request/status-204"]);
    }

    #[test]
    fn a_post_answered_with_one_body_is_none() {
        let script = Script::new().session("s1").post(1, "c1").status(1, 200);
        assert_eq!(script.keys_of(Oracle::GetSseOr405), NOTHING);
    }
}
