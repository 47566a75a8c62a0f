//! `unresumable-answer`: an unusable cursor is answered as declared, and never by 404 while the
//! session lives on.
//!
//! Rests on the rule that 404 is right only because the session is gone when it is said: every
//! conforming client turns it into a fresh `initialize` and drops a session that was alive. The
//! revisions leave the answer open, so any other is measured against what the header declares.
//! Near misses: 404 for a session that the server does not know; 404 of a proxy that no longer
//! takes an old public id; a refusal that nobody received, or in whose place a gateway spoke.

use std::collections::BTreeMap;

use seamstress_trace::SessionState;

use crate::finding::{Finding, Oracle};
use crate::resumptions::{self, Answer, Standing};
use crate::view::{Exchange, Response, View};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    let refused = |exchange: &&Exchange| {
        let attempt = exchange.attempt;
        attempt.is_some_and(|attempt| attempt.standing == Standing::RefusedByServer)
    };
    let mut refused = view.exchanges.iter().filter(refused).peekable();
    if refused.peek().is_none() {
        return Vec::new();
    }
    let last_welcome = last_welcome(view);
    refused.filter_map(|exchange| finding(view, exchange, &last_welcome)).collect()
}

/// For each public session id the newest request that was answered with success.
fn last_welcome<'a>(view: &View<'a>) -> BTreeMap<&'a str, usize> {
    let is_welcome = |exchange: &&Exchange| {
        exchange.response.is_some_and(|response| (200..300).contains(&response.status))
    };
    let welcome = view.exchanges.iter().filter(is_welcome);
    welcome.filter_map(|exchange| Some((exchange.session_id?, exchange.record))).collect()
}

fn finding(
    view: &View,
    exchange: &Exchange,
    last_welcome: &BTreeMap<&str, usize>,
) -> Option<Finding> {
    let response = exchange.response?;
    let cursor = exchange.cursor.unwrap_or_default();
    let (subject, said) = if response.status == 404
        && lives_on(view, exchange, response, last_welcome)
    {
        let said = format!(
            "the refused cursor {cursor} was answered with 404 on exchange {}, although the \
             session lives on",
            exchange.number
        );
        ("session", said)
    } else {
        let declared = undeclared(view, exchange, response)?;
        let said = format!(
            "the refused cursor {cursor} was answered with status {} on exchange {}, although the \
             server declares {declared}",
            response.status, exchange.number
        );
        ("request", said)
    };
    let reason = exchange.verdict.and_then(resumptions::refusal);
    let state = reason.map_or(Answer::Status(response.status), Answer::Reason).state();
    Some(Finding {
        oracle: Oracle::UnresumableAnswer,
        subject,
        state,
        sentence: said,
        record: response.record,
        related: vec![exchange.record],
        resumption: words::resumption(view, exchange),
    })
}

/// Whether the session of a cursor that was answered with 404 was still alive.
fn lives_on(
    view: &View,
    exchange: &Exchange,
    response: Response,
    last_welcome: &BTreeMap<&str, usize>,
) -> bool {
    match exchange.verdict {
        Some(verdict) => {
            let session = verdict.session.or_else(|| view.origin(exchange));
            let ended = session.and_then(|session| view.session_ends.get(session));
            verdict.session_state == SessionState::Live
                && ended.is_none_or(|ended| *ended > response.record)
        }
        // No server spoke: only that a later request with the same id succeeded proves that the
        // session lived on.
        None => {
            let id = exchange.session_id;
            id.and_then(|id| last_welcome.get(id)).is_some_and(|newest| *newest > response.record)
        }
    }
}

/// What the server declares, if it refused the cursor and the answer was another one.
fn undeclared<'a>(view: &View<'a>, exchange: &Exchange, response: Response) -> Option<&'a str> {
    let declared = view.header.refusal.as_deref()?;
    let verdict = exchange.verdict?;
    resumptions::refusal(verdict)?;
    let silent = exchange.wire.is_empty();
    let as_declared = match declared {
        // A gateway's own words: the server's answer never got through.
        _ if matches!(response.status, 502..=504) => true,
        _ if verdict.session_state != SessionState::Live => response.status == 404,
        "404-and-end-session" => response.status == 404,
        "400" => response.status == 400,
        "409" => response.status == 409,
        "410" => response.status == 410,
        "200-and-empty" | "200-and-silent" => response.status == 200 && silent,
        _ => true,
    };
    (!as_declared).then_some(declared)
}

#[cfg(test)]
mod tests {
    use seamstress_trace::{Decision, SessionState};

    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    fn resuming() -> Script {
        let script = Script::new().session("s1").post(1, "c1").open(1).progress("c1");
        script.take(1, "s1.c1.1").drop(1).resume(2, "c1", "s1.c1.1")
    }

    #[test]
    fn a_404_for_a_cursor_while_the_session_lives_on_is_a_finding() {
        let script = || resuming().refuses(2, "below-floor").status(2, 404);
        let keys = script().keys_of(Oracle::UnresumableAnswer);
        assert_eq!(keys, ["unresumable-answer/session/refused:below-floor"]);
        assert_eq!(
            script().sentences_of(Oracle::UnresumableAnswer),
            ["the refused cursor s1.c1.1 was answered with 404 on exchange 2, although the \
              session lives on"]
        );
        let ended_too_late = script().session_end("refused");
        assert_eq!(ended_too_late.keys_of(Oracle::UnresumableAnswer).len(), 1);
    }

    #[test]
    fn a_404_is_right_once_the_session_is_gone_or_was_never_known() {
        let ended = resuming().refuses(2, "below-floor").session_end("refused").status(2, 404);
        assert_eq!(ended.keys_of(Oracle::UnresumableAnswer), NOTHING);
        let reason = || Decision::Refused { reason: "session".into() };
        let unknown = resuming().verdict(2, None, SessionState::Unknown, reason()).status(2, 404);
        assert_eq!(unknown.keys_of(Oracle::UnresumableAnswer), NOTHING);
        // Whatever is declared for cursors, a session that is not there is 404.
        let unknown = |status| {
            let script = resuming().declares("409");
            let script = script.verdict(2, None, SessionState::Expired, reason());
            script.status(2, status).keys_of(Oracle::UnresumableAnswer)
        };
        assert_eq!(unknown(404), NOTHING);
        assert_eq!(unknown(409), ["unresumable-answer/request/refused:session"]);
    }

    #[test]
    fn a_404_for_a_get_without_a_cursor_is_no_answer_to_a_cursor() {
        let script = Script::new().session("s1").listen(1).status(1, 404).post(2, "c1").open(2);
        assert_eq!(script.keys_of(Oracle::UnresumableAnswer), NOTHING);
    }

    #[test]
    fn a_404_that_no_server_explains_is_a_finding_only_if_the_id_is_welcome_later() {
        let by_proxy = || resuming().status(2, 404);
        assert_eq!(by_proxy().keys_of(Oracle::UnresumableAnswer), NOTHING);
        let welcome = by_proxy().post(3, "c2").open(3).keys_of(Oracle::UnresumableAnswer);
        assert_eq!(welcome, ["unresumable-answer/session/refused:status-404"]);
        let unwelcome = by_proxy().post(3, "c2").status(3, 404);
        assert_eq!(unwelcome.keys_of(Oracle::UnresumableAnswer), NOTHING);
        let in_flight = resuming().post(3, "c2").status(2, 404).open(3);
        assert_eq!(in_flight.keys_of(Oracle::UnresumableAnswer), NOTHING);
    }

    #[test]
    fn an_answer_other_than_the_declared_one_is_a_finding() {
        let answered = |declared: &str, status| {
            let script = resuming().declares(declared).refuses(2, "ahead");
            let script = script.session_end("refused").status(2, status);
            script.keys_of(Oracle::UnresumableAnswer)
        };
        assert_eq!(answered("of a kind not known here", 418), NOTHING);
        assert_eq!(answered("409", 400), ["unresumable-answer/request/refused:ahead"]);
        assert_eq!(
            answered("404-and-end-session", 410),
            ["unresumable-answer/request/refused:ahead"]
        );
        for (declared, status) in
            [("404-and-end-session", 404), ("400", 400), ("409", 409), ("410", 410)]
        {
            assert_eq!(answered(declared, status), NOTHING, "{declared}");
        }
    }

    #[test]
    fn a_refusal_declared_as_200_brings_no_message() {
        let answered = |declared: &str| {
            let script = resuming().declares(declared).refuses(2, "below-floor").open(2);
            script.progress("c1")
        };
        for declared in ["200-and-empty", "200-and-silent"] {
            let silent = answered(declared).keys_of(Oracle::UnresumableAnswer);
            assert_eq!(silent, NOTHING, "{declared}");
            let speaking = answered(declared).event(2, "s1.c1.2");
            assert_eq!(speaking.keys_of(Oracle::UnresumableAnswer).len(), 1, "{declared}");
        }
    }

    #[test]
    fn an_accepted_cursor_and_a_refusal_that_never_got_through_are_none() {
        let accepted = resuming().declares("409").resumes(2, "c1", 0).open(2);
        assert_eq!(accepted.keys_of(Oracle::UnresumableAnswer), NOTHING);
        let unheard = || resuming().declares("409").refuses(2, "below-floor");
        assert_eq!(unheard().keys_of(Oracle::UnresumableAnswer), NOTHING);
        let gateway = unheard().status(2, 502).keys_of(Oracle::UnresumableAnswer);
        assert_eq!(gateway, NOTHING);
    }
}
