//! `progress-increases`: the progress of a token rises.
//!
//! Rests on `basic/utilities/progress` (all revisions): the value MUST increase with each
//! notification of a token. Judged on the wire, over all exchanges of a session: a black-box sign
//! of repeats and of reordering that needs no knowledge of the server.
//! Near misses: two tokens side by side; the same token in a new session; steps of any size.

use seamstress_trace::Content;

use crate::finding::{Finding, Oracle};
use crate::runs::{Run, runs};
use crate::slots::Slots;
use crate::view::{Arrival, View};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    let mut tokens = Slots::new();
    let mut by_token: Vec<Vec<usize>> = Vec::new();
    for (index, arrival) in view.wire.iter().enumerate() {
        if let Content::Progress { call, .. } = &arrival.message.content {
            let session = view.exchanges[arrival.exchange].session;
            let token = tokens.number((session, call.as_str()));
            if token == by_token.len() {
                by_token.push(Vec::new());
            }
            by_token[token].push(index);
        }
    }
    let mut findings = Vec::new();
    for arrivals in &by_token {
        let mut highest: Option<u64> = None;
        let does_not_rise = |arrival: &Arrival| {
            let Content::Progress { progress, .. } = arrival.message.content else { return false };
            let rises = highest.is_none_or(|highest| progress > highest);
            highest = highest.max(Some(progress));
            !rises
        };
        let runs = runs(&view.wire, arrivals, does_not_rise);
        findings.extend(runs.iter().map(|run| finding(view, run)));
    }
    findings
}

fn finding(view: &View, run: &Run) -> Finding {
    let exchange = &view.exchanges[run.exchange];
    let sentence = format!(
        "{} does not lie above the progress that came before it, on {}",
        run.span.text(),
        words::exchange(exchange),
    );
    run.finding(view, &view.wire, Oracle::ProgressIncreases, sentence)
}

#[cfg(test)]
mod tests {
    use seamstress_trace::{Content, Message};

    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    fn call() -> Script {
        let script = Script::new().session("s1").post(1, "c1").open(1).progresses("c1", 3);
        script.event(1, "s1.c1.1").event(1, "s1.c1.2").drop(1)
    }

    #[test]
    fn progress_replayed_from_the_cursor_itself_does_not_rise() {
        let script = || {
            let script = call().resume(2, "c1", "s1.c1.2").resumes(2, "c1", 2).open(2);
            script.event(2, "s1.c1.2").event(2, "s1.c1.3")
        };
        let keys = script().keys_of(Oracle::ProgressIncreases);
        assert_eq!(keys, ["progress-increases/progress/resumed:resume"]);
        assert_eq!(
            script().sentences_of(Oracle::ProgressIncreases),
            ["progress 2 of c1 does not lie above the progress that came before it, on exchange \
              2, the resumption with cursor s1.c1.2 that the server answered with resume"]
        );
    }

    #[test]
    fn two_tokens_side_by_side_and_a_new_session_are_none() {
        let script = call().post(2, "c2").open(2).progress("c2").event(2, "s1.c2.1");
        let message =
            Message { content: Content::Progress { call: "c1".into(), progress: 1 }, mark: None };
        let script = script.declare_loss("not-found").session("s2").listen(3).open(3);
        let script = script.raw_event(3, None, Some(message));
        assert_eq!(script.keys_of(Oracle::ProgressIncreases), NOTHING);
    }

    #[test]
    fn progress_may_begin_with_nought_and_rise_by_any_step() {
        let script = Script::new().session("s1").captured().post(1, "c1").open(1);
        let script = [0, 50, 100].into_iter().fold(script, |script, progress| {
            let content = Content::Progress { call: "c1".into(), progress };
            script.raw_event(1, None, Some(Message { content, mark: None }))
        });
        assert_eq!(script.keys_of(Oracle::ProgressIncreases), NOTHING);
    }
}
