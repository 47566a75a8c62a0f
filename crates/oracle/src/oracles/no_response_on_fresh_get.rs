//! `no-response-on-fresh-get`: no response is sent on a GET that resumes nothing.
//!
//! Rests on `basic/transports`, Listening for Messages (all revisions): the server MUST NOT send a
//! JSON-RPC response on a GET stream, unless the GET resumes the stream of that request. Judged on
//! the wire.
//! Near misses: notifications and progress on a fresh GET; a response on a GET with a cursor (on
//! the wrong stream it is for `cross-stream`); a response on its own POST.

use seamstress_trace::Method;

use crate::finding::{Finding, Oracle};
use crate::runs::{Run, runs};
use crate::view::{Exchange, View};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    let fresh = |exchange: &&Exchange| exchange.method == Method::Get && exchange.attempt.is_none();
    let gets = view.exchanges.iter().filter(fresh);
    let of_get = |exchange: &Exchange| {
        runs(&view.wire, &exchange.wire, |arrival| arrival.message.is_response())
    };
    gets.flat_map(of_get).map(|run| finding(view, &run)).collect()
}

fn finding(view: &View, run: &Run) -> Finding {
    let exchange = &view.exchanges[run.exchange];
    Finding {
        oracle: Oracle::NoResponseOnFreshGet,
        subject: run.span.subject(),
        state: "fresh".to_owned(),
        sentence: format!(
            "{} came on {}, which carries no cursor and resumes nothing",
            run.span.text(),
            words::request(exchange),
        ),
        record: view.wire[run.first].record,
        related: vec![exchange.record],
        resumption: words::resumption(view, exchange),
    }
}

#[cfg(test)]
mod tests {
    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    fn listening() -> Script {
        let script = Script::new().session("s1").listen(1).open(1).post(2, "c1").open(2);
        script.progress("c1").event(2, "s1.c1.1").result("c1")
    }

    #[test]
    fn a_result_on_a_fresh_get_is_a_finding() {
        let script = || listening().event(1, "s1.c1.2");
        let keys = script().keys_of(Oracle::NoResponseOnFreshGet);
        assert_eq!(keys, ["no-response-on-fresh-get/result/fresh"]);
        assert_eq!(
            script().sentences_of(Oracle::NoResponseOnFreshGet),
            ["the result of c1 came on exchange 1 (GET), which carries no cursor and resumes \
              nothing"]
        );
    }

    #[test]
    fn a_result_on_its_own_post_or_on_the_resumption_of_its_stream_is_none() {
        let posted = listening().event(2, "s1.c1.2");
        assert_eq!(posted.keys_of(Oracle::NoResponseOnFreshGet), NOTHING);
        let resumed = listening().drop(2).resume(3, "c1", "s1.c1.1").resumes(3, "c1", 1).open(3);
        let resumed = resumed.event(3, "s1.c1.2");
        assert_eq!(resumed.keys_of(Oracle::NoResponseOnFreshGet), NOTHING);
    }

    #[test]
    fn progress_and_notifications_on_a_fresh_get_are_none() {
        let script = listening().notify("standalone-1").progress_on("standalone-1", "c1");
        let script = script.event(1, "s1.standalone-1.1").event(1, "s1.standalone-1.2");
        assert_eq!(script.keys_of(Oracle::NoResponseOnFreshGet), NOTHING);
    }
}
