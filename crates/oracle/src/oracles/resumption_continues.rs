//! `resumption-continues`: what follows a resumption that the server accepted continues the stream.
//!
//! Rests on the rule that exactly the events after the cursor are replayed: so the first of them is
//! the successor of the event that the cursor names. An escape needs a client that does not look;
//! this is the same fault of a server, or of a hop, in front of a client that compared the two ids
//! and went no further.
//! Near misses: a resumption that was refused; ids that do not tell; a client that is wrong, since
//! the ids in between belong to a stream that it has never seen.

use seamstress_trace::Check;

use crate::finding::{Finding, Oracle};
use crate::resumptions::Answer;
use crate::view::{Exchange, View};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    view.exchanges.iter().filter_map(|exchange| finding(view, exchange)).collect()
}

fn finding(view: &View, exchange: &Exchange) -> Option<Finding> {
    let Answer::Check(check) = exchange.attempt?.answer else { return None };
    let what = match check {
        Check::Gap => "is not the successor of the last event processed",
        Check::RebasedOrReplayed => "does not come after the last event processed",
        Check::Continuous | Check::Unverifiable => return None,
    };
    let continuity = exchange.continuity?;
    if is_successor(view, exchange) {
        return None;
    }
    Some(Finding {
        oracle: Oracle::ResumptionContinues,
        subject: words::stream_subject(exchange.stream_name),
        state: words::state(exchange),
        sentence: format!(
            "{}, the first event after {} was accepted, {what}",
            continuity.first,
            words::request(exchange),
        ),
        record: continuity.record,
        related: vec![exchange.record],
        resumption: words::resumption(view, exchange),
    })
}

/// Whether the log knows the first message as the one that follows the cursor's event.
fn is_successor(view: &View, exchange: &Exchange) -> bool {
    let name = exchange.stream_name.unwrap_or("");
    let named = exchange
        .cursor
        .zip(view.origin(exchange))
        .and_then(|(cursor, origin)| view.event_for_stream(origin, cursor, name, exchange.record));
    let first = exchange.wire.first().map(|index| &view.wire[*index]);
    let first = first.and_then(|arrival| view.emitted_at(arrival.place?));
    named.zip(first).is_some_and(|(named, first)| {
        first.sequence == named.sequence && named.position.checked_add(1) == Some(first.position)
    })
}

#[cfg(test)]
mod tests {
    use seamstress_trace::Check;

    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    fn resumed() -> Script {
        let script = Script::new().session("s1").post(1, "c1").open(1).progresses("c1", 5);
        let script = script.take(1, "s1.c1.1").drop(1);
        script.resume(2, "c1", "s1.c1.1").resumes(2, "c1", 3).open(2)
    }

    fn checked(first: &str, check: Check) -> Script {
        resumed().event(2, first).check(2, ["s1.c1.1", first], check)
    }

    #[test]
    fn a_gap_and_a_replay_that_the_client_refuses_are_findings_all_the_same() {
        let gap = || checked("s1.c1.3", Check::Gap);
        assert_eq!(
            gap().keys_of(Oracle::ResumptionContinues),
            ["resumption-continues/call/refused:continuity-gap"]
        );
        assert_eq!(
            gap().sentences_of(Oracle::ResumptionContinues),
            [
                "s1.c1.3, the first event after exchange 2 (GET) was accepted, is not the successor of \
              the last event processed"
            ]
        );
        let replay = checked("s1.c1.1", Check::RebasedOrReplayed);
        assert_eq!(
            replay.keys_of(Oracle::ResumptionContinues),
            ["resumption-continues/call/refused:continuity-rebased-or-replayed"]
        );
    }

    #[test]
    fn a_client_that_takes_the_successor_for_something_else_is_wrong_itself() {
        let script = checked("s1.c1.2", Check::Gap);
        assert_eq!(script.keys_of(Oracle::ResumptionContinues), NOTHING);
    }

    #[test]
    fn a_continuous_seam_and_ids_that_do_not_tell_are_none() {
        for check in [Check::Continuous, Check::Unverifiable] {
            let script = checked("s1.c1.2", check);
            assert_eq!(script.keys_of(Oracle::ResumptionContinues), NOTHING);
        }
    }

    #[test]
    fn a_resumption_that_the_server_refused_is_none() {
        let script = Script::new().session("s1").post(1, "c1").open(1).progress("c1");
        let script = script.take(1, "s1.c1.1").drop(1).resume(2, "c1", "s1.c1.1");
        let script = script.refuses(2, "below-floor");
        assert_eq!(script.keys_of(Oracle::ResumptionContinues), NOTHING);
    }
}
