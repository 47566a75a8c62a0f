//! `double-execution`: a call is executed at most once.
//!
//! Rests on the rule that a client never sends a call again by itself, and that a server runs a
//! tool once for a request: an execution has effects that no later deduplication takes back.
//! Judged on the server's own records, over all sessions and replicas, by the label of the call.
//! Near misses: two calls of the same tool; a call whose stream was resumed while its tool ran.

use crate::finding::{Finding, Oracle};
use crate::view::{Call, Exchange, View};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    view.calls.iter().filter_map(|call| finding(view, call)).collect()
}

fn finding(view: &View, call: &Call) -> Option<Finding> {
    let [first, again, ..] = call.executes[..] else { return None };
    let sent = |post: &&usize| (first..again).contains(&view.exchanges[**post].record);
    let sent_again = call.posts.iter().find(sent);
    let resumed = newest_resumption(view, call, again);
    let (state, why) = match (sent_again, resumed) {
        (Some(post), _) => {
            let request = words::request(&view.exchanges[*post]);
            ("sent-again".to_owned(), format!("after the client sent it again on {request}"))
        }
        (None, Some(resumption)) => {
            (words::state(resumption), format!("after {}", words::exchange(resumption)))
        }
        (None, None) => ("fresh".to_owned(), "without any resumption in between".to_owned()),
    };
    let count = call.executes.len();
    Some(Finding {
        oracle: Oracle::DoubleExecution,
        subject: "call",
        state,
        sentence: format!("{} was executed {count} times, the second time {why}", call.label),
        record: again,
        related: vec![first],
        resumption: resumed.map(|resumption| resumption.number),
    })
}

/// The newest accepted resumption before a record of the stream that the call then had: sent again
/// in a new session, it has a new stream.
fn newest_resumption<'v, 'a>(
    view: &'v View<'a>,
    call: &Call,
    record: usize,
) -> Option<&'v Exchange<'a>> {
    let sent = |post: &&usize| view.exchanges[**post].record < record;
    let session = view.exchanges[*call.posts.iter().rev().find(sent)?].session;
    let legs = &view.stream(session, call.label)?.legs;
    let before = legs.partition_point(|leg| view.exchanges[*leg].record < record);
    let newest = &view.exchanges[*legs[..before].last()?];
    newest.resumed_by.map(|index| &view.exchanges[index])
}

#[cfg(test)]
mod tests {
    use crate::script::{NOTHING, Script};
    use crate::{Cell, Oracle};

    fn call() -> Script {
        let script = Script::new().session("s1").post(1, "c1").execute("c1").open(1);
        script.progress("c1").take(1, "s1.c1.1").drop(1)
    }

    #[test]
    fn a_tool_run_again_by_a_resumption_is_an_escape_of_that_resumption() {
        let script = || call().resume(2, "c1", "s1.c1.1").resumes(2, "c1", 0).open(2).execute("c1");
        assert_eq!(
            script().keys_of(Oracle::DoubleExecution),
            ["double-execution/call/resumed:caught-up"]
        );
        assert_eq!(
            script().sentences_of(Oracle::DoubleExecution),
            ["c1 was executed 2 times, the second time after exchange 2, the resumption with \
              cursor s1.c1.1 that the server answered with caught-up"]
        );
        assert_eq!(script().judge().resumptions[0].cell, Cell::Escape);
    }

    #[test]
    fn a_call_sent_again_in_a_new_session_is_no_escape_of_a_resumption_in_the_old_one() {
        let script = call().resume(2, "c1", "s1.c1.1").resumes(2, "c1", 0).open(2);
        let script = script.declare_loss("not-found").session("s2").post(3, "c1").execute("c1");
        let judgement = script.judge();
        let keys: Vec<String> = judgement.findings.iter().map(crate::Finding::key).collect();
        assert_eq!(keys, ["double-execution/call/sent-again"]);
        assert_eq!(judgement.resumptions[0].cell, Cell::Sound);
    }

    #[test]
    fn a_server_that_runs_a_request_twice_needs_no_resumption() {
        let keys = call().execute("c1").keys_of(Oracle::DoubleExecution);
        assert_eq!(keys, ["double-execution/call/fresh"]);
    }

    #[test]
    fn two_calls_and_a_resumption_while_a_tool_runs_are_none() {
        let script = call().resume(2, "c1", "s1.c1.1").resumes(2, "c1", 0).open(2);
        let script = script.post(3, "c2").execute("c2");
        assert_eq!(script.keys_of(Oracle::DoubleExecution), NOTHING);
    }
}
