//! `session-header-sent`: the session id goes with every request after `initialize`.
//!
//! Rests on `basic/transports`, Session Management (all revisions): a client that was given an id
//! MUST send it on all later requests, GET and DELETE included.
//! Near misses: `initialize` itself; a server that gave no id; an older id of a session whose
//! public id was rotated.

use crate::finding::{Finding, Oracle};
use crate::omissions::{self, Omission};
use crate::view::{Exchange, View};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    let is_missing = |exchange: &Exchange| {
        let session = exchange.session.map(|session| &view.sessions[session]);
        exchange.session_id.is_none() && session.is_some_and(|session| session.id.is_some())
    };
    omissions::find(view, is_missing).iter().map(|omission| finding(view, omission)).collect()
}

fn finding(view: &View, omission: &Omission) -> Finding {
    Finding {
        oracle: Oracle::SessionHeaderSent,
        subject: "request",
        state: omission.state.to_owned(),
        sentence: format!(
            "{} carries no session id, although the server gave one{}",
            words::request(omission.first),
            omission.more(),
        ),
        record: omission.first.record,
        related: Vec::new(),
        resumption: words::resumption(view, omission.first),
    }
}

#[cfg(test)]
mod tests {
    use seamstress_trace::{Host, Method, What};

    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    fn without_id(what: &mut What) {
        if let What::Request { session, .. } = what {
            *session = None;
        }
    }

    #[test]
    fn requests_without_the_session_id_are_one_finding_for_each_kind() {
        let script = || {
            let script = Script::new().session("s1").post(1, "c1");
            let script = script.request(2, Method::Get, Some("standalone"), without_id);
            let script = script.request(3, Method::Get, Some("standalone"), without_id);
            script.request(4, Method::Delete, None, without_id)
        };
        let third = script().request(5, Method::Get, Some("standalone"), without_id);
        let third = third.sentences_of(Oracle::SessionHeaderSent);
        assert!(third[0].ends_with(", and 2 more of its kind do the same"), "{third:?}");
        assert_eq!(
            script().keys_of(Oracle::SessionHeaderSent),
            ["session-header-sent/request/get", "session-header-sent/request/delete"]
        );
        assert_eq!(
            script().sentences_of(Oracle::SessionHeaderSent)[0],
            "exchange 2 (GET) carries no session id, although the server gave one, and one more of \
             its kind does the same"
        );
    }

    #[test]
    fn initialize_and_requests_with_the_id_are_none() {
        let before = Script::new().request(1, Method::Post, None, without_id);
        assert_eq!(before.keys_of(Oracle::SessionHeaderSent), NOTHING, "no session yet");
        let script = Script::new().initialize(1, false).session("s1").post(2, "c1").listen(3);
        let script = script.declare_loss("not-found").initialize(4, false).session("s2").delete(5);
        assert_eq!(script.keys_of(Oracle::SessionHeaderSent), NOTHING);
    }

    #[test]
    fn a_server_that_gave_no_id_cannot_expect_one() {
        let begin = What::SessionBegin { session: None, origin: None };
        let script = Script::new().record(Host::Client, begin);
        let script = script.request(1, Method::Get, Some("standalone"), without_id);
        assert_eq!(script.keys_of(Oracle::SessionHeaderSent), NOTHING);
    }

    #[test]
    fn an_older_public_id_is_an_id() {
        let script = Script::new().session("s1").request(1, Method::Get, None, |what| {
            if let What::Request { session, .. } = what {
                *session = Some("S0".into());
            }
        });
        assert_eq!(script.keys_of(Oracle::SessionHeaderSent), NOTHING);
    }
}
