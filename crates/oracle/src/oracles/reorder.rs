//! `reorder`: the messages of a stream are handed over in the order in which they were emitted.
//!
//! Rests on the rule that events are replayed in order, after which live events follow. It fires
//! for a message that comes, for the first time, after a later one of its stream; that the later
//! one came too early is then also a finding of `skip`.
//! Near misses: a repeat of an old message (`duplicate`); a standalone stream begun anew; messages
//! of two streams, between which there is no order.

use crate::finding::{Finding, Oracle};
use crate::order::{self, Break};
use crate::runs::{Run, runs};
use crate::view::View;
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, sequence) in view.sequences.iter().enumerate() {
        let mut back = Vec::new();
        for broken in order::breaks(view, index) {
            if let Break::Back(delivery) = broken {
                back.push(view.delivered[delivery].record);
            }
        }
        if back.is_empty() {
            continue;
        }
        // Both lists are in the order of the trace.
        let mut back = back.into_iter().peekable();
        let runs = runs(&view.delivered, &sequence.delivered, |arrival| {
            back.next_if_eq(&arrival.record).is_some()
        });
        findings.extend(runs.iter().map(|run| finding(view, run)));
    }
    findings
}

fn finding(view: &View, run: &Run) -> Finding {
    let exchange = &view.exchanges[run.exchange];
    let sentence = format!(
        "{} reached the application after later messages of the same stream, on {}",
        run.span.text(),
        words::exchange(exchange),
    );
    run.finding(view, &view.delivered, Oracle::Reorder, sentence)
}

#[cfg(test)]
mod tests {
    use seamstress_trace::{Content, Message};

    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    fn resumed() -> Script {
        let script = Script::new().session("s1").post(1, "c1").open(1).progress("c1");
        let script = script.take(1, "s1.c1.1").drop(1).progresses("c1", 4);
        script.resume(2, "c1", "s1.c1.1").resumes(2, "c1", 4).open(2)
    }

    #[test]
    fn messages_that_come_after_a_later_one_are_one_finding_and_no_duplicates() {
        let script = || resumed().take_all(2, &["s1.c1.4", "s1.c1.2", "s1.c1.3", "s1.c1.5"]);
        assert_eq!(
            script().sentences_of(Oracle::Reorder),
            ["progress 2 to 3 of c1 reached the application after later messages of the same \
              stream, on exchange 2, the resumption with cursor s1.c1.1 that the server answered \
              with resume"]
        );
        assert_eq!(script().keys_of(Oracle::Reorder), ["reorder/progress/resumed:resume"]);
        assert_eq!(script().keys_of(Oracle::Duplicate), NOTHING);
        assert_eq!(script().keys_of(Oracle::Skip), ["skip/progress/resumed:resume"]);
    }

    #[test]
    fn a_repeat_of_an_old_message_is_no_reordering() {
        let keys = resumed().take_all(2, &["s1.c1.2", "s1.c1.3", "s1.c1.2", "s1.c1.4"]);
        assert_eq!(keys.keys_of(Oracle::Reorder), NOTHING);
    }

    #[test]
    fn messages_that_come_in_exactly_the_reverse_order_have_all_come() {
        let script = Script::new().session("s1").listen(1).open(1).notify("standalone-1");
        let script = script.notify("standalone-1").notify("standalone-1");
        let ids = ["s1.standalone-1.3", "s1.standalone-1.2", "s1.standalone-1.1"];
        let script = script.take_all(1, &ids).wait(200).leave(1).finish();
        let keys = ["stream-order/notification/fresh", "reorder/notification/fresh"];
        assert_eq!(script.keys(), keys, "and none of them is awaited");
    }

    #[test]
    fn progress_without_marks_may_count_in_any_steps_but_not_step_back() {
        let progress = |progress| Message {
            content: Content::Progress { call: "c1".into(), progress },
            mark: None,
        };
        let script = Script::new().captured().session("s1").post(1, "c1").open(1);
        let script = [10, 50, 100].into_iter().fold(script, |script, value| {
            script.raw_event(1, None, Some(progress(value))).deliver_to(1, "c1", progress(value))
        });
        let back = script.raw_event(1, None, Some(progress(20)));
        let keys = back.deliver_to(1, "c1", progress(20)).keys_of(Oracle::Reorder);
        assert_eq!(keys, ["reorder/progress/fresh"]);
    }

    #[test]
    fn streams_have_no_order_among_each_other() {
        let keys = resumed()
            .post(3, "c2")
            .open(3)
            .progress("c2")
            .take(2, "s1.c1.2")
            .take(3, "s1.c2.1")
            .take(2, "s1.c1.3")
            .keys_of(Oracle::Reorder);
        assert_eq!(keys, NOTHING);
    }

    #[test]
    fn a_standalone_stream_begun_anew_may_begin_earlier() {
        let script = Script::new().session("s1").notify("standalone-1").notify("standalone-1");
        let script = script.listen(1).open(1).take(1, "s1.standalone-1.2").drop(1);
        let keys = script.listen(2).open(2).take(2, "s1.standalone-1.1").keys_of(Oracle::Reorder);
        assert_eq!(keys, NOTHING);
    }

    #[test]
    fn a_first_message_that_lies_before_the_cursor_follows_no_later_one() {
        let script = Script::new().session("s1").notify("standalone-1").listen(1).open(1);
        let script = script.prime("standalone-1").event(1, "s1.standalone-1.2").drop(1);
        let script = script.notify("standalone-1");
        let script = script.resume(2, "standalone", "s1.standalone-1.2");
        let script = script.resumes(2, "standalone-1", 2).open(2).take(2, "s1.standalone-1.1");
        let keys = script.keys();
        assert_eq!(keys, ["replay-after-cursor/notification/resumed:resume"]);
    }

    #[test]
    fn within_one_beginning_a_standalone_stream_may_not_step_back() {
        let script = Script::new().session("s1").notify("standalone-1").notify("standalone-1");
        let script = script.listen(1).open(1);
        let script = script.take_all(1, &["s1.standalone-1.2", "s1.standalone-1.1"]);
        assert_eq!(script.keys_of(Oracle::Reorder), ["reorder/notification/fresh"]);
    }
}
