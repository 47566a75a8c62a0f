//! `cursor-session-match`: a cursor is used only in the session in which it was issued, and never
//! on a POST.
//!
//! Derived from `basic/transports`, Resumability and Redelivery: ids are scoped to the session,
//! and resumption is by GET. Judged by where the client received the id.
//! Near misses: an id that both sessions issued; an id received nowhere (`cursor-exact`); a public
//! session id that was rotated while the session lived on.

use seamstress_trace::Method;

use crate::finding::{Finding, Oracle};
use crate::received::{Received, Source};
use crate::view::{Exchange, View};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    // The cursor in force on the stream was received in this session, so that one is right.
    let suspect = |exchange: &&Exchange| {
        exchange
            .cursor
            .is_some_and(|cursor| exchange.method != Method::Get || cursor != exchange.known_cursor)
    };
    let mut suspects = view.exchanges.iter().filter(suspect).peekable();
    if suspects.peek().is_none() {
        return Vec::new();
    }
    let received = Received::of(view);
    suspects.filter_map(|exchange| finding(view, &received, exchange)).collect()
}

fn finding(view: &View, received: &Received, exchange: &Exchange) -> Option<Finding> {
    let cursor = exchange.cursor?;
    let (state, why) = if exchange.method != Method::Get {
        ("not-a-get", "which no request but a GET may carry")
    } else {
        let (session, stream) = (exchange.session, exchange.stream);
        let source = received.source(cursor, exchange.record, session, stream);
        (source == Source::OtherSession).then_some(())?;
        ("other-session", "which was received in another session")
    };
    Some(Finding {
        oracle: Oracle::CursorSessionMatch,
        subject: words::stream_subject(exchange.stream_name),
        state: state.to_owned(),
        sentence: format!("{} carries cursor {cursor}, {why}", words::request(exchange)),
        record: exchange.record,
        related: Vec::new(),
        resumption: words::resumption(view, exchange),
    })
}

#[cfg(test)]
mod tests {
    use seamstress_trace::{Host, Method, What};

    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    fn second_session() -> Script {
        let script = Script::new().session("s1").listen(1).open(1).notify_as("standalone-1", "17");
        script.take(1, "17").drop(1).declare_loss("not-found").session("s2")
    }

    #[test]
    fn a_cursor_carried_into_a_new_session_is_a_finding() {
        let script = || second_session().resume(2, "standalone", "17");
        let keys = script().keys();
        assert_eq!(keys, ["cursor-session-match/standalone/other-session"], "and none besides");
        assert_eq!(
            script().sentences_of(Oracle::CursorSessionMatch),
            ["exchange 2 (GET) carries cursor 17, which was received in another session"]
        );
    }

    #[test]
    fn a_cursor_on_a_post_is_a_finding() {
        for carried in ["17", ""] {
            let script = second_session().request(2, Method::Post, Some("c1"), |what| {
                if let What::Request { cursor, rpc, .. } = what {
                    *cursor = Some(carried.into());
                    *rpc = Some("tools/call".into());
                }
            });
            let keys = script.keys_of(Oracle::CursorSessionMatch);
            assert_eq!(keys, ["cursor-session-match/call/not-a-get"], "{carried:?}");
        }
    }

    #[test]
    fn an_id_that_the_new_session_issued_as_well_is_none() {
        let script = second_session().listen(2).open(2).notify_as("standalone-1", "17");
        let script = script.take(2, "17").notify_as("standalone-1", "18").take(2, "18").drop(2);
        let script = script.resume(3, "standalone", "17");
        assert_eq!(script.keys_of(Oracle::CursorSessionMatch), NOTHING);
    }

    #[test]
    fn a_rotated_public_id_and_an_invented_cursor_are_none() {
        let rotation = What::Rotate { from: "S1".into(), to: "S7".into(), keeps_old: true };
        let script = Script::new().session("s1").listen(1).open(1).notify_as("standalone-1", "17");
        let script = script.take(1, "17").drop(1).record(Host::Proxy, rotation);
        let script = script.request(2, Method::Get, Some("standalone"), |what| {
            if let What::Request { session, cursor, .. } = what {
                (*session, *cursor) = (Some("S7".into()), Some("17".into()));
            }
        });
        let script = script.drop(2).resume(3, "standalone", "4711");
        assert_eq!(script.keys_of(Oracle::CursorSessionMatch), NOTHING);
    }
}
