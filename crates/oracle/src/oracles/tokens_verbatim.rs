//! `tokens-verbatim`: event ids and cursors pass every hop as they are.
//!
//! Rests on the rule's condition that a proxy rewrites neither `Last-Event-ID` nor `id`. Three
//! findings: a message that the log holds under an id arrived without one; the server judged
//! another cursor than the client presented; the server was never asked about a cursor, and yet
//! the resumption was answered with a stream. For the last two the cursor must be one that the
//! server issued to this session.
//! Near misses: a hop that gives ids of its own and translates them back; a server that has stored
//! a message without an id, or whose log is not known; a resumption that nobody answered.

use crate::finding::{Finding, Oracle};
use crate::runs::{Run, runs};
use crate::view::{Arrival, Exchange, View};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    let mut cursors = view.exchanges.iter().filter_map(|exchange| of_cursor(view, exchange));
    let cursors: Vec<Finding> = match cursors.next() {
        // Bare numbers of a hop's own look like the server's.
        Some(_) if hop_gives_ids(view) => Vec::new(),
        first => first.into_iter().chain(cursors).collect(),
    };
    let ids = view.exchanges.iter().flat_map(|exchange| without_id(view, exchange));
    cursors.into_iter().chain(ids).collect()
}

/// Whether some message came under another id than it was stored with.
fn hop_gives_ids(view: &View) -> bool {
    view.wire.iter().any(|arrival| {
        let stored = arrival.place.and_then(|place| view.emitted_at(place)?.id);
        arrival.id.zip(stored).is_some_and(|(arrived, stored)| arrived != stored)
    })
}

fn of_cursor(view: &View, exchange: &Exchange) -> Option<Finding> {
    let cursor = exchange.attempt.and(exchange.cursor)?;
    if !view.has_issued(view.origin(exchange)?, cursor, exchange.record) {
        return None;
    }
    let (state, what, record) = match exchange.verdict {
        Some(verdict) if verdict.cursor == cursor => return None,
        Some(verdict) => {
            let what = format!("reached the server with the cursor {}", verdict.cursor);
            ("cursor-changed", what, verdict.record)
        }
        None => {
            let response = exchange.response.filter(|response| response.opens_stream())?;
            let what =
                "was answered with an event stream, and no server was asked about the cursor";
            ("cursor-dropped", what.to_owned(), response.record)
        }
    };
    Some(Finding {
        oracle: Oracle::TokensVerbatim,
        subject: words::stream_subject(exchange.stream_name),
        state: state.to_owned(),
        sentence: format!("{} {what}", words::request(exchange)),
        record,
        related: vec![exchange.record],
        resumption: words::resumption(view, exchange),
    })
}

fn without_id(view: &View, exchange: &Exchange) -> Vec<Finding> {
    let lost_its_id = |arrival: &Arrival| {
        let stored = || arrival.place.and_then(|place| view.emitted_at(place));
        arrival.id.is_none() && stored().is_some_and(|emitted| emitted.id.is_some())
    };
    let finding = |run: &Run| Finding {
        oracle: Oracle::TokensVerbatim,
        subject: run.span.subject(),
        state: "id-dropped".to_owned(),
        sentence: format!(
            "{} arrived without an id by {}, although the server has stored {} with one",
            run.span.text(),
            words::exchange(exchange),
            if run.span.is_one() { "it" } else { "them" },
        ),
        record: view.wire[run.first].record,
        related: vec![exchange.record],
        resumption: words::resumption(view, exchange),
    };
    runs(&view.wire, &exchange.wire, lost_its_id).iter().map(finding).collect()
}

#[cfg(test)]
mod tests {
    use seamstress_trace::{Decision, SessionState};

    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    fn dropped() -> Script {
        let script = Script::new().session("s1").post(1, "c1").open(1).progresses("c1", 2);
        script.take_all(1, &["s1.c1.1", "s1.c1.2"]).drop(1)
    }

    fn message(id: &str) -> Option<seamstress_trace::Message> {
        let trace = Script::new().session("s1").progresses("c1", 3).trace();
        trace.records.into_iter().find_map(|record| match record.what {
            seamstress_trace::What::Emit { id: Some(own), message, .. } if own == id => message,
            _ => None,
        })
    }

    #[test]
    fn a_cursor_that_the_server_did_not_get_as_it_was_is_one_finding() {
        let script = || dropped().resume(2, "c1", "s1.c1.2").resumes_from(2, "c1", 1, "s1.c1.1");
        let script = || script().open(2);
        assert_eq!(
            script().keys_of(Oracle::TokensVerbatim),
            ["tokens-verbatim/call/cursor-changed"]
        );
        let sentences = script().sentences_of(Oracle::TokensVerbatim);
        assert!(sentences[0].ends_with("reached the server with the cursor s1.c1.1"));
    }

    #[test]
    fn a_stream_that_answers_a_cursor_of_which_no_server_was_asked_is_one() {
        let script = dropped().resume(2, "c1", "s1.c1.2").open(2);
        let keys = script.keys_of(Oracle::TokensVerbatim);
        assert_eq!(keys, ["tokens-verbatim/call/cursor-dropped"]);
    }

    #[test]
    fn messages_that_have_lost_their_ids_are_one_finding_for_a_run() {
        let script = Script::new().session("s1").post(1, "c1").open(1).progresses("c1", 3);
        let script = script.raw_event(1, None, message("s1.c1.1"));
        let script = script.raw_event(1, None, message("s1.c1.2")).event(1, "s1.c1.3");
        let keys = script.keys_of(Oracle::TokensVerbatim);
        assert_eq!(keys, ["tokens-verbatim/progress/id-dropped"]);
    }

    #[test]
    fn a_cursor_that_arrived_as_it_was_is_none() {
        let script = dropped().resume(2, "c1", "s1.c1.2").resumes(2, "c1", 1).open(2);
        assert_eq!(script.keys_of(Oracle::TokensVerbatim), NOTHING);
    }

    #[test]
    fn ids_of_a_hops_own_that_it_translates_back_are_none() {
        let script = Script::new().session("s1").post(1, "c1").open(1).progresses("c1", 2);
        let script = script.raw_event(1, Some("x-1"), message("s1.c1.1"));
        let script = script.drop(1).resume(2, "c1", "x-1").resumes_from(2, "c1", 1, "s1.c1.1");
        let script = script.open(2).raw_event(2, Some("x-2"), message("s1.c1.2"));
        assert_eq!(script.keys_of(Oracle::TokensVerbatim), NOTHING);
    }

    #[test]
    fn numbers_of_a_hops_own_are_none_even_if_the_server_gives_numbers_too() {
        let script =
            Script::new().session("s1").post(1, "c1").open(1).notify_as("standalone-1", "1");
        let script = script.progress_as("c1", "c1", Some("2"));
        let script = script.raw_event(1, Some("1"), message("s1.c1.1")).drop(1);
        let script = script.resume(2, "c1", "1").resumes_from(2, "c1", 1, "2").open(2);
        assert_eq!(script.keys_of(Oracle::TokensVerbatim), NOTHING);
    }

    #[test]
    fn a_resumption_that_no_server_answered_is_none() {
        let script = dropped().resume(2, "c1", "s1.c1.2").status(2, 502);
        assert_eq!(script.keys_of(Oracle::TokensVerbatim), NOTHING);
        let gone = Decision::Refused { reason: "no-session".into() };
        let script = dropped().resume(2, "c1", "s1.c1.2");
        let script = script.verdict(2, None, SessionState::Unknown, gone).status(2, 404);
        assert_eq!(script.keys_of(Oracle::TokensVerbatim), NOTHING);
    }

    #[test]
    fn a_server_whose_log_is_not_known_may_have_no_ids() {
        let script = Script::new().captured().session("s1").post(1, "c1").open(1);
        let script = script.progresses("c1", 2).raw_event(1, None, message("s1.c1.1")).drop(1);
        let script = script.resume(2, "c1", "s1.c1.1").open(2);
        assert_eq!(script.keys_of(Oracle::TokensVerbatim), NOTHING);
    }
}
