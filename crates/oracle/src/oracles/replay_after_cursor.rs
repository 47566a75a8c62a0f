//! `replay-after-cursor`: a replay begins strictly after the event that the cursor names.
//!
//! Rests on `basic/transports`, Resumability and Redelivery: the server replays the messages after
//! the last event id. Judged on the wire, for every resumption that was answered with events: no
//! message at or before the cursor's position on the cursor's stream. Where the log is not known,
//! a message under the cursor's own id is all that can be told.
//! Near misses: a priming event sent anew under the cursor's id (it redelivers nothing); messages
//! of another stream, for which the cursor is no position.

use crate::finding::{Finding, Oracle};
use crate::runs::runs;
use crate::view::{Arrival, Exchange, View};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    view.exchanges.iter().flat_map(|exchange| of_exchange(view, exchange)).collect()
}

fn of_exchange(view: &View, exchange: &Exchange) -> Vec<Finding> {
    let Some(cursor) = exchange.attempt.and(exchange.cursor) else { return Vec::new() };
    let named = view.origin(exchange).and_then(|origin| {
        let name = exchange.stream_name.unwrap_or("");
        view.event_for_stream(origin, cursor, name, exchange.record)
    });
    let not_after = |arrival: &Arrival| {
        let emitted = arrival.place.and_then(|place| view.emitted_at(place));
        match (named, emitted) {
            (Some(named), Some(emitted)) => {
                emitted.sequence == named.sequence && emitted.position <= named.position
            }
            _ => !cursor.is_empty() && arrival.id == Some(cursor),
        }
    };
    let runs = runs(&view.wire, &exchange.wire, not_after);
    let finding = |run: &crate::runs::Run| Finding {
        oracle: Oracle::ReplayAfterCursor,
        subject: run.span.subject(),
        state: words::state(exchange),
        sentence: format!(
            "{} does not lie after the cursor and was replayed on {}",
            run.span.text(),
            words::exchange(exchange),
        ),
        record: view.wire[run.first].record,
        related: vec![exchange.record],
        resumption: words::resumption(view, exchange),
    };
    runs.iter().map(finding).collect()
}

#[cfg(test)]
mod tests {
    use seamstress_trace::{Content, Mark, Message};

    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    fn resumed() -> Script {
        let script = Script::new().session("s1").post(1, "c1").open(1).prime("c1");
        let script = script.event(1, "s1.c1.1").progresses("c1", 5);
        let script = script.take_all(1, &["s1.c1.2", "s1.c1.3", "s1.c1.4"]).drop(1);
        script.resume(2, "c1", "s1.c1.4").resumes(2, "c1", 3).open(2)
    }

    #[test]
    fn a_replay_that_includes_the_cursors_own_event_is_one_finding() {
        let script = || resumed().event(2, "s1.c1.4").event(2, "s1.c1.5").event(2, "s1.c1.6");
        assert_eq!(
            script().keys_of(Oracle::ReplayAfterCursor),
            ["replay-after-cursor/progress/resumed:resume"]
        );
        assert_eq!(
            script().sentences_of(Oracle::ReplayAfterCursor),
            ["progress 3 of c1 does not lie after the cursor and was replayed on exchange 2, the \
              resumption with cursor s1.c1.4 that the server answered with resume"]
        );
        let whole = resumed().event(2, "s1.c1.2").event(2, "s1.c1.3").event(2, "s1.c1.4");
        assert_eq!(whole.keys_of(Oracle::ReplayAfterCursor).len(), 1);
    }

    #[test]
    fn a_replay_that_begins_after_the_cursor_is_none() {
        let script = resumed().event(2, "s1.c1.5").event(2, "s1.c1.6");
        assert_eq!(script.keys_of(Oracle::ReplayAfterCursor), NOTHING);
    }

    #[test]
    fn a_priming_event_under_the_cursors_id_redelivers_nothing() {
        let script = resumed().raw_event(2, Some("s1.c1.4"), None).event(2, "s1.c1.5");
        assert_eq!(script.keys_of(Oracle::ReplayAfterCursor), NOTHING);
    }

    #[test]
    fn messages_of_another_stream_are_not_measured_with_this_cursor() {
        let script = resumed().notify("standalone-1").event(2, "s1.standalone-1.1");
        assert_eq!(script.keys_of(Oracle::ReplayAfterCursor), NOTHING);
    }

    #[test]
    fn bare_counters_are_measured_on_the_cursors_own_stream() {
        // Both streams have issued 1 and 2; the cursor 2 is the call's.
        let resumed = || {
            let script = Script::new().scheme("stream-counter").session("s1").post(1, "c1");
            let script = script.open(1).progress_as("c1", "c1", Some("1")).take(1, "1");
            let script = script.progress_as("c1", "c1", Some("2")).take(1, "2").drop(1);
            let script = script.notify_as("standalone-1", "1").notify_as("standalone-1", "2");
            let script = script.progress_as("c1", "c1", Some("3")).resume(2, "c1", "2");
            script.resumes(2, "c1", 1).open(2)
        };
        let next = resumed().event(2, "3").keys_of(Oracle::ReplayAfterCursor);
        assert_eq!(next, NOTHING);
        let mark = Mark { origin: "s1".into(), stream: "c1".into(), ordinal: 1 };
        let content = Content::Progress { call: "c1".into(), progress: 1 };
        let first = Message { content, mark: Some(mark) };
        let again = resumed().raw_event(2, Some("1"), Some(first));
        assert_eq!(again.keys_of(Oracle::ReplayAfterCursor).len(), 1);
    }

    #[test]
    fn where_the_log_is_not_known_the_cursors_id_tells() {
        let script = || {
            let script = Script::new().captured().session("s1").post(1, "c1").open(1);
            let script = script.progresses("c1", 2).take_all(1, &["s1.c1.1", "s1.c1.2"]).drop(1);
            script.resume(2, "c1", "s1.c1.2").open(2)
        };
        let again = script().event(2, "s1.c1.2").keys_of(Oracle::ReplayAfterCursor);
        assert_eq!(again, ["replay-after-cursor/progress/resumed:unstated"]);
        let next = script().progress("c1").event(2, "s1.c1.3").keys_of(Oracle::ReplayAfterCursor);
        assert_eq!(next, NOTHING);
    }
}
