//! `gone-is-404`: 404 is said of a session that is gone, and of no other.
//!
//! Rests on `basic/transports`, Session Management (all revisions): a server that has ended a
//! session MUST answer 404 to its id, and every conforming client begins anew when it is told so.
//! Two findings: 404 while the session lives on, and another answer once it is gone. A public id
//! that a proxy has replaced is gone like an ended session, if some response named the new one.
//! Near misses: a request that was under way when the session ended; 5xx, which is no answer of
//! the server's own; a session of which the server tells nothing; a response with the new id that
//! never reached the client. Where a server gave a verdict, `unresumable-answer` judges.

use std::collections::BTreeMap;

use seamstress_trace::What;

use crate::finding::{Finding, Oracle};
use crate::view::{Exchange, View};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    let ids = Ids::of(view);
    // One finding of each kind for a session.
    let mut found: BTreeMap<(usize, &'static str), Finding> = BTreeMap::new();
    for exchange in view.exchanges.iter().filter(|exchange| exchange.verdict.is_none()) {
        if let Some((session, finding)) = of_exchange(view, &ids, exchange) {
            found.entry((session, finding.subject)).or_insert(finding);
        }
    }
    found.into_values().collect()
}

fn of_exchange(view: &View, ids: &Ids, exchange: &Exchange) -> Option<(usize, Finding)> {
    let (id, response) = (exchange.session_id?, exchange.response?);
    let session = *ids.session_of.get(id)?;
    let origin = view.sessions[session].origin?;
    let ended = view.session_ends.get(origin).copied();
    let replaced = ids.replaced.get(id).copied();
    let gone_since = [ended, replaced].into_iter().flatten().min().unwrap_or(usize::MAX);
    let (subject, why) = match response.status {
        404 if gone_since > response.record => ("session", "although the session lives on"),
        200..=403 | 405..=499 if gone_since < exchange.record => {
            ("request", "although the session was gone")
        }
        _ => return None,
    };
    let finding = Finding {
        oracle: Oracle::GoneIs404,
        subject,
        state: format!("status-{}", response.status),
        sentence: format!(
            "{} was answered with status {}, {why}",
            words::request(exchange),
            response.status
        ),
        record: response.record,
        related: vec![exchange.record],
        resumption: words::resumption(view, exchange),
    };
    Some((session, finding))
}

/// The public ids of the client's sessions.
#[derive(Default)]
struct Ids<'a> {
    /// In `View::sessions`.
    session_of: BTreeMap<&'a str, usize>,
    /// The record at which an id was replaced by one that the client could know.
    replaced: BTreeMap<&'a str, usize>,
}

impl<'a> Ids<'a> {
    fn of(view: &View<'a>) -> Ids<'a> {
        let mut ids = Ids::default();
        for (number, session) in view.sessions.iter().enumerate() {
            ids.session_of.extend(session.id.map(|id| (id, number)));
        }
        for (index, record) in view.records.iter().enumerate() {
            let What::Rotate { from, to, keeps_old } = &record.what else { continue };
            let Some(session) = ids.session_of.get(from.as_str()).copied() else { continue };
            if !keeps_old && may_be_known(view, &ids, session, index, to) {
                let older = ids.session_of.iter().filter(|(_, of)| **of == session);
                let older: Vec<&str> = older.map(|(id, _)| *id).collect();
                older.into_iter().for_each(|id| {
                    ids.replaced.entry(id).or_insert(index);
                });
            }
            ids.session_of.insert(to, session);
        }
        ids
    }
}

/// Whether the response on which the session got its new id named it, or was lost on the way: it
/// answered a request that was under way then.
fn may_be_known(view: &View, ids: &Ids, session: usize, rotated: usize, to: &str) -> bool {
    let of_session = |exchange: &&Exchange| {
        exchange.session_id.and_then(|id| ids.session_of.get(id)) == Some(&session)
    };
    let under_way = view.exchanges.iter().filter(of_session).filter(|exchange| {
        exchange.record < rotated
            && exchange.response.is_none_or(|response| response.record > rotated)
            && exchange.end.is_none_or(|ended| ended.record > rotated)
    });
    let mut any = false;
    for exchange in under_way {
        any = true;
        let Some(response) = exchange.response else { return true };
        let names_it = matches!(
            &view.records[response.record].what,
            What::Response { session: Some(named), .. } if named == to
        );
        if names_it {
            return true;
        }
    }
    !any
}

#[cfg(test)]
mod tests {
    use seamstress_trace::{Host, What};

    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    fn begun() -> Script {
        Script::new().session("s1").post(1, "c1").open(1).progress("c1").take(1, "s1.c1.1")
    }

    fn rotate(script: Script, keeps_old: bool) -> Script {
        let (from, to) = ("S1".to_owned(), "S9".to_owned());
        script.record(Host::Proxy, What::Rotate { from, to, keeps_old })
    }

    fn told(script: Script, exchange: u64) -> Script {
        let (session, resumption) = (Some("S9".to_owned()), None);
        let what =
            What::Response { exchange, status: 200, session, event_stream: true, resumption };
        script.record(Host::Client, what)
    }

    #[test]
    fn not_found_while_the_session_lives_is_one_finding() {
        let script = || begun().post(2, "c2").status(2, 404).post(3, "c3").status(3, 404);
        assert_eq!(script().keys_of(Oracle::GoneIs404), ["gone-is-404/session/status-404"]);
        let ends_later = script().session_end("idle");
        assert_eq!(ends_later.keys_of(Oracle::GoneIs404), ["gone-is-404/session/status-404"]);
        let sentences = script().sentences_of(Oracle::GoneIs404);
        assert!(sentences[0].contains("status 404, although the session lives on"));
    }

    #[test]
    fn another_answer_for_a_session_that_is_gone_is_one() {
        let script = begun().session_end("idle").post(2, "c2").status(2, 400);
        assert_eq!(script.keys_of(Oracle::GoneIs404), ["gone-is-404/request/status-400"]);
        let revived = begun().session_end("idle").post(2, "c2").open(2);
        assert_eq!(revived.keys_of(Oracle::GoneIs404), ["gone-is-404/request/status-200"]);
    }

    #[test]
    fn an_id_that_was_replaced_without_a_word_still_names_a_session() {
        let script = rotate(begun().post(2, "c2"), false).open(2).post(3, "c3").status(3, 404);
        assert_eq!(script.keys_of(Oracle::GoneIs404), ["gone-is-404/session/status-404"]);
    }

    #[test]
    fn only_what_was_under_way_at_the_rotation_can_have_told_the_new_id() {
        let gone_before = begun().post(2, "c2").drop(2).post(3, "c3");
        let begun_after = rotate(gone_before, false).open(3).post(4, "c4");
        let script = begun_after.post(5, "c5").status(5, 404);
        assert_eq!(script.keys_of(Oracle::GoneIs404), ["gone-is-404/session/status-404"]);
        let lost_after = rotate(begun().post(2, "c2").post(3, "c3"), false).open(3).drop(2);
        let script = lost_after.post(4, "c4").status(4, 404);
        assert_eq!(script.keys_of(Oracle::GoneIs404), NOTHING);
    }

    #[test]
    fn an_id_that_was_replaced_openly_is_gone() {
        let script = told(rotate(begun().post(2, "c2"), false), 2).post(3, "c3").status(3, 404);
        assert_eq!(script.keys_of(Oracle::GoneIs404), NOTHING);
        let script = told(rotate(begun().post(2, "c2"), false), 2).post(3, "c3").status(3, 400);
        assert_eq!(script.keys_of(Oracle::GoneIs404), ["gone-is-404/request/status-400"]);
        let kept = told(rotate(begun().post(2, "c2"), true), 2).post(3, "c3").open(3);
        assert_eq!(kept.keys_of(Oracle::GoneIs404), NOTHING);
    }

    #[test]
    fn a_new_id_whose_response_was_lost_may_have_been_told() {
        let script = rotate(begun().post(2, "c2"), false).drop(2).post(3, "c3").status(3, 404);
        assert_eq!(script.keys_of(Oracle::GoneIs404), NOTHING);
    }

    #[test]
    fn a_session_that_is_gone_or_of_which_nobody_knows_is_not_found() {
        let gone = begun().session_end("lost").post(2, "c2").status(2, 404);
        assert_eq!(gone.keys_of(Oracle::GoneIs404), NOTHING);
        let under_way = begun().post(2, "c2").session_end("idle").status(2, 400);
        assert_eq!(under_way.keys_of(Oracle::GoneIs404), NOTHING);
        let unanswered = begun().session_end("idle").post(2, "c2").status(2, 502);
        assert_eq!(unanswered.keys_of(Oracle::GoneIs404), NOTHING);
        let captured = Script::new().captured().session("s1").post(1, "c1").status(1, 404);
        assert_eq!(captured.keys_of(Oracle::GoneIs404), NOTHING);
    }
}
