//! `cursor-exact`: a resumption names the last complete id received on that stream.
//!
//! Rests on WHATWG HTML 9.2, the last event id string: it changes with every complete block that
//! has an `id` field, also one without data; an empty `id` resets it, after which no cursor is
//! sent; without the field the id in force stays. It is kept for each stream, over its
//! connections, and begins empty when the stream is begun anew. A client that goes on with a
//! stream by a GET without a cursor although an id is in force has dropped it: WHATWG HTML 9.2.3
//! sends the last event id with every reconnection.
//! Near misses: an id-only block, which counts; an id with NUL, which does not; a cursor of
//! another session (`cursor-session-match`); a stream begun anew after its cursor was refused, or
//! beside a connection that still carries it.

use seamstress_trace::Method;

use crate::finding::{Finding, Oracle};
use crate::received::{Received, Source};
use crate::resumptions::Standing;
use crate::view::{Exchange, View};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    let mut findings: Vec<Finding> =
        view.exchanges.iter().filter_map(|exchange| dropped(view, exchange)).collect();
    findings.extend(wrong(view));
    findings
}

fn wrong(view: &View) -> Vec<Finding> {
    let inexact = |exchange: &&Exchange| {
        let cursor = exchange.attempt.and(exchange.cursor);
        cursor.is_some_and(|cursor| cursor.is_empty() || cursor != exchange.known_cursor)
    };
    let mut inexact = view.exchanges.iter().filter(inexact).peekable();
    if inexact.peek().is_none() {
        return Vec::new();
    }
    let received = Received::of(view);
    inexact.filter_map(|exchange| finding(view, &received, exchange)).collect()
}

/// A stream that was gone on with as if it had no cursor.
fn dropped(view: &View, exchange: &Exchange) -> Option<Finding> {
    let known = exchange.dropped_cursor;
    if known.is_empty() || exchange.method != Method::Get || exchange.cursor.is_some() {
        return None;
    }
    let legs = &view.streams[exchange.stream?].legs;
    let before = legs.partition_point(|leg| view.exchanges[*leg].record < exchange.record);
    let previous = &view.exchanges[*legs[..before].last()?];
    let has_ended = previous.end.is_some_and(|ended| ended.record < exchange.record);
    let was_refused = previous.attempt.is_some_and(|attempt| {
        matches!(attempt.standing, Standing::RefusedByServer | Standing::RefusedByClient)
    });
    (has_ended && !was_refused).then(|| Finding {
        oracle: Oracle::CursorExact,
        subject: words::stream_subject(exchange.stream_name),
        state: "dropped".to_owned(),
        sentence: format!(
            "{} goes on with {} without a cursor, but the last complete id of that stream is \
             {known}",
            words::request(exchange),
            exchange.stream_name.unwrap_or("a stream"),
        ),
        record: exchange.record,
        related: Vec::new(),
        resumption: None,
    })
}

fn finding(view: &View, received: &Received, exchange: &Exchange) -> Option<Finding> {
    let cursor = exchange.cursor?;
    let state = if cursor.is_empty() {
        "empty"
    } else {
        match received.source(cursor, exchange.record, exchange.session, exchange.stream) {
            Source::SameStream => "older",
            Source::OtherStream => "other-stream",
            Source::OtherSession => return None,
            Source::Nowhere => "never-received",
        }
    };
    let expected = match exchange.known_cursor {
        "" => "no id is in force on that stream".to_owned(),
        known => format!("the last complete id of that stream is {known}"),
    };
    let presented = match cursor {
        "" => "an empty cursor".to_owned(),
        cursor => format!("cursor {cursor}"),
    };
    Some(Finding {
        oracle: Oracle::CursorExact,
        subject: words::stream_subject(exchange.stream_name),
        state: state.to_owned(),
        sentence: format!(
            "{} resumes {} with {presented}, but {expected}",
            words::request(exchange),
            exchange.stream_name.unwrap_or("a stream"),
        ),
        record: exchange.record,
        related: Vec::new(),
        resumption: words::resumption(view, exchange),
    })
}

#[cfg(test)]
mod tests {
    use seamstress_trace::Method;

    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    /// A standalone stream and a call, both cut, with cursors of their own.
    fn two_streams() -> Script {
        let script = Script::new().session("s1").listen(1).open(1).notify("standalone-1");
        let script = script.take(1, "s1.standalone-1.1").post(2, "c1").open(2).progresses("c1", 2);
        script.take_all(2, &["s1.c1.1", "s1.c1.2"]).drop(1).drop(2)
    }

    fn resumed_with(cursor: &str) -> Vec<String> {
        two_streams().resume(3, "c1", cursor).keys_of(Oracle::CursorExact)
    }

    #[test]
    fn a_cursor_that_is_older_or_of_another_stream_or_invented_or_empty_is_a_finding() {
        assert_eq!(resumed_with("s1.c1.1"), ["cursor-exact/call/older"]);
        assert_eq!(resumed_with("s1.standalone-1.1"), ["cursor-exact/call/other-stream"]);
        assert_eq!(resumed_with("s1.c1.3"), ["cursor-exact/call/never-received"]);
        assert_eq!(resumed_with(""), ["cursor-exact/call/empty"]);
        let script = two_streams().resume(3, "standalone", "s1.c1.2");
        assert_eq!(
            script.sentences_of(Oracle::CursorExact),
            ["exchange 3 (GET) resumes standalone with cursor s1.c1.2, but the last complete id \
              of that stream is s1.standalone-1.1"]
        );
    }

    #[test]
    fn each_stream_has_its_own_cursor() {
        let script = two_streams().resume(3, "c1", "s1.c1.2");
        let script = script.resume(4, "standalone", "s1.standalone-1.1");
        assert_eq!(script.keys_of(Oracle::CursorExact), NOTHING);
    }

    #[test]
    fn a_block_with_nothing_but_an_id_moves_the_cursor_and_one_without_an_id_does_not() {
        let script = || {
            let script = Script::new().session("s1").post(1, "c1").open(1).progress("c1");
            let script = script.take(1, "s1.c1.1").raw_event(1, Some("only-id"), None);
            script.retry(1, 1).raw_event(1, Some("nul\0"), None).drop(1)
        };
        let right = script().resume(2, "c1", "only-id");
        assert_eq!(right.keys_of(Oracle::CursorExact), NOTHING);
        let wrong = script().resume(2, "c1", "s1.c1.1");
        assert_eq!(wrong.keys_of(Oracle::CursorExact), ["cursor-exact/call/older"]);
    }

    #[test]
    fn after_an_empty_id_no_cursor_is_in_force() {
        let script = Script::new().session("s1").post(1, "c1").open(1).progress("c1");
        let script = script.take(1, "s1.c1.1").raw_event(1, Some(""), None).drop(1);
        let script = script.resume(2, "c1", "s1.c1.1");
        assert_eq!(
            script.sentences_of(Oracle::CursorExact),
            ["exchange 2 (GET) resumes c1 with cursor s1.c1.1, but no id is in force on that \
              stream"]
        );
    }

    #[test]
    fn a_stream_that_goes_on_without_its_cursor_has_dropped_it() {
        let script = two_streams().request(3, Method::Get, Some("c1"), |_| {});
        assert_eq!(
            script.sentences_of(Oracle::CursorExact),
            [
                "exchange 3 (GET) goes on with c1 without a cursor, but the last complete id of that \
              stream is s1.c1.2"
            ]
        );
        let listening = two_streams().listen(3);
        assert_eq!(listening.keys_of(Oracle::CursorExact), ["cursor-exact/standalone/dropped"]);
    }

    #[test]
    fn nothing_is_dropped_beside_a_living_connection_after_a_refusal_or_without_an_id() {
        let beside = Script::new().session("s1").listen(1).open(1).notify("standalone-1");
        let beside = beside.take(1, "s1.standalone-1.1").listen(2);
        assert_eq!(beside.keys_of(Oracle::CursorExact), NOTHING);
        let refused = two_streams().resume(3, "standalone", "s1.standalone-1.1").status(3, 400);
        assert_eq!(refused.drop(3).listen(4).keys_of(Oracle::CursorExact), NOTHING);
        let reset = Script::new().session("s1").listen(1).open(1).notify("standalone-1");
        let reset = reset.take(1, "s1.standalone-1.1").raw_event(1, Some(""), None).drop(1);
        assert_eq!(reset.listen(2).keys_of(Oracle::CursorExact), NOTHING);
        let posted_again = two_streams().post(3, "c1");
        assert_eq!(posted_again.keys_of(Oracle::CursorExact), NOTHING, "`double-execution` it is");
        let silent = Script::new().session("s1").listen(1).open(1).drop(1).listen(2);
        assert_eq!(silent.keys_of(Oracle::CursorExact), NOTHING);
    }

    #[test]
    fn the_cursor_outlives_connections_and_a_stream_begun_anew_has_none() {
        let script = two_streams().resume(3, "c1", "s1.c1.2").resumes(3, "c1", 0).open(3).drop(3);
        let again = script.resume(4, "c1", "s1.c1.2");
        assert_eq!(again.keys_of(Oracle::CursorExact), NOTHING);
        let anew = two_streams().listen(3).open(3).drop(3);
        let anew = anew.resume(4, "standalone", "s1.standalone-1.1");
        let keys = ["cursor-exact/standalone/dropped", "cursor-exact/standalone/older"];
        assert_eq!(anew.keys_of(Oracle::CursorExact), keys);
    }

    #[test]
    fn what_arrives_after_the_request_does_not_count() {
        let script = two_streams().resume(3, "c1", "s1.c1.2").resumes(3, "c1", 0).open(3);
        let script = script.progress("c1").take(3, "s1.c1.3");
        assert_eq!(script.keys_of(Oracle::CursorExact), NOTHING);
    }
}
