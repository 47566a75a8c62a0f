//! `reinit-on-404`: 404 leads to `initialize` without a session id, and the calls of the old
//! session end.
//!
//! Rests on `basic/transports`, Session Management (all revisions): a client that got 404 for a
//! request with a session id MUST start a new session by an `initialize` without one. That no
//! later request uses the id, and that its calls fail instead of hanging, follows from it.
//! Near misses: requests that were in flight, or were sent in the same instant; a 404 for a
//! request without a session id; a client that has nothing left to do and does not begin again.

use std::collections::BTreeMap;

use seamstress_trace::RunEnd;

use crate::finding::{Finding, Oracle};
use crate::view::{Call, Exchange, Response, View};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    let not_found = not_found(view);
    let Some(first) = not_found.values().min_by_key(|(_, response)| response.record) else {
        return Vec::new();
    };
    let mut findings = used_again(view, &not_found);
    findings.extend(initialized_with_id(view, first));
    findings.extend(calls_left_hanging(view, &not_found));
    findings
}

/// The exchanges answered with 404, the first for each public session id.
type NotFound<'v, 'a> = BTreeMap<&'a str, (&'v Exchange<'a>, Response)>;

fn not_found<'v, 'a>(view: &'v View<'a>) -> NotFound<'v, 'a> {
    let mut found = NotFound::new();
    for exchange in &view.exchanges {
        let Some(response) = exchange.response.filter(|response| response.status == 404) else {
            continue;
        };
        if let Some(id) = exchange.session_id {
            let first = found.entry(id).or_insert((exchange, response));
            if response.record < first.1.record {
                *first = (exchange, response);
            }
        }
    }
    found
}

fn is_later(exchange: &Exchange, response: &Response) -> bool {
    exchange.record > response.record && exchange.at_ms > response.at_ms
}

fn used_again(view: &View, not_found: &NotFound) -> Vec<Finding> {
    let mut reported: BTreeMap<&str, ()> = BTreeMap::new();
    let mut findings = Vec::new();
    for exchange in view.exchanges.iter().filter(|e| e.rpc != Some("initialize")) {
        let Some(id) = exchange.session_id else { continue };
        let Some((refused, response)) = not_found.get(id) else { continue };
        if is_later(exchange, response) && reported.insert(id, ()).is_none() {
            let what = format!("uses session {id} again, which was not found on exchange");
            findings.push(finding(view, "session", exchange, &what, (refused, response)));
        }
    }
    findings
}

fn initialized_with_id(view: &View, first: &(&Exchange, Response)) -> Option<Finding> {
    let (refused, response) = first;
    let with_id = |e: &&Exchange| e.rpc == Some("initialize") && e.session_id.is_some();
    let mut initialized = view.exchanges.iter().filter(with_id);
    let exchange = initialized.find(|exchange| is_later(exchange, response))?;
    let what = "carries a session id, although it begins anew after the 404 on exchange";
    Some(finding(view, "request", exchange, what, (refused, response)))
}

fn finding(
    view: &View,
    subject: &'static str,
    exchange: &Exchange,
    what: &str,
    (refused, response): (&Exchange, &Response),
) -> Finding {
    Finding {
        oracle: Oracle::ReinitOn404,
        subject,
        state: "after-404".to_owned(),
        sentence: format!("{} {what} {}", words::request(exchange), refused.number),
        record: exchange.record,
        related: vec![response.record],
        resumption: words::resumption(view, exchange),
    }
}

/// One finding for each session that was not found and still has calls without an end.
fn calls_left_hanging(view: &View, not_found: &NotFound) -> Vec<Finding> {
    let Some((record, RunEnd::Finished | RunEnd::Deadline)) = view.end else { return Vec::new() };
    let mut lost: BTreeMap<usize, (&Exchange, Response)> = BTreeMap::new();
    for (refused, response) in not_found.values() {
        if let Some(session) = refused.session {
            lost.entry(session).or_insert((refused, *response));
        }
    }
    let mut hanging: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    let open = |call: &&Call| call.outcome.is_none() && !call.answered;
    for call in view.calls.iter().filter(open) {
        let newest = call.posts.last().and_then(|post| view.exchanges[*post].session);
        if let Some(session) = newest.filter(|session| lost.contains_key(session)) {
            hanging.entry(session).or_default().push(call.label);
        }
    }
    let finding = |(session, calls): (usize, Vec<&str>)| {
        let (refused, response) = lost[&session];
        Finding {
            oracle: Oracle::ReinitOn404,
            subject: "call",
            state: "after-404".to_owned(),
            sentence: format!(
                "{} never ended, although the session was not found on exchange {}",
                words::names(&calls),
                refused.number,
            ),
            record,
            related: vec![response.record],
            resumption: None,
        }
    };
    hanging.into_iter().map(finding).collect()
}

#[cfg(test)]
mod tests {
    use seamstress_trace::RunEnd;

    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    /// A call whose resumption is answered with 404 because the session is gone.
    fn not_found() -> Script {
        let script = Script::new().session("s1").post(1, "c1").open(1).progress("c1");
        let script = script.take(1, "s1.c1.1").drop(1).session_end("evicted");
        script.resume(2, "c1", "s1.c1.1").status(2, 404)
    }

    #[test]
    fn a_session_id_used_again_after_its_404_is_one_finding() {
        let script = || not_found().resume(3, "c1", "s1.c1.1").resume(4, "c1", "s1.c1.1");
        let keys = script().keys_of(Oracle::ReinitOn404);
        assert_eq!(keys, ["reinit-on-404/session/after-404"]);
        assert_eq!(
            script().sentences_of(Oracle::ReinitOn404),
            ["exchange 3 (GET) uses session S1 again, which was not found on exchange 2"]
        );
    }

    #[test]
    fn an_initialize_with_a_session_id_is_a_finding_and_one_without_is_none() {
        let lost = || not_found().declare_loss("not-found").unknown("c1");
        let with = lost().initialize(3, true).keys_of(Oracle::ReinitOn404);
        assert_eq!(with, ["reinit-on-404/request/after-404"]);
        let without = lost().initialize(3, false).session("s2").post(4, "c2");
        assert_eq!(without.keys_of(Oracle::ReinitOn404), NOTHING);
    }

    #[test]
    fn a_call_of_the_old_session_that_never_ends_is_a_finding() {
        let hanging = || not_found().declare_loss("not-found").ended(RunEnd::Deadline);
        assert_eq!(hanging().keys_of(Oracle::ReinitOn404), ["reinit-on-404/call/after-404"]);
        assert_eq!(
            hanging().sentences_of(Oracle::ReinitOn404),
            ["c1 never ended, although the session was not found on exchange 2"]
        );
        let ended = not_found().declare_loss("not-found").unknown("c1").finish();
        assert_eq!(ended.keys_of(Oracle::ReinitOn404), NOTHING);
    }

    #[test]
    fn a_call_whose_response_arrived_did_end() {
        let script = Script::new().session("s1").post(1, "c1").open(1).result("c1");
        let script = script.event(1, "s1.c1.1").leave(1).session_end("idle");
        let script = script.listen(2).status(2, 404).finish();
        assert_eq!(script.keys_of(Oracle::ReinitOn404), NOTHING);
    }

    #[test]
    fn requests_in_flight_or_in_the_same_instant_are_none() {
        let script = Script::new().session("s1").post(1, "c1").session_end("evicted");
        let script = script.post(2, "c2").status(1, 404).at_once().post(3, "c3");
        let script = script.status(2, 404).status(3, 404).declare_loss("not-found");
        let script = script.unknown("c1").unknown("c2").unknown("c3").finish();
        assert_eq!(script.keys_of(Oracle::ReinitOn404), NOTHING);
    }

    #[test]
    fn a_404_for_a_request_without_a_session_id_asks_for_nothing() {
        let script = Script::new().session("s1").initialize(1, false).status(1, 404);
        let script = script.initialize(2, false).status(2, 200).post(3, "c1").open(3).done("c1");
        assert_eq!(script.finish().keys_of(Oracle::ReinitOn404), NOTHING);
    }
}
