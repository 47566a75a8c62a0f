//! `stream-order`: the messages of a stream never step back on the wire.
//!
//! Derived from `basic/transports`, Resumability and Redelivery: a cursor is a position within its
//! stream, so one connection carries a stream's messages in order. Judged on the wire, within one
//! exchange; what an exchange repeats of an earlier one is for `replay-after-cursor`.
//! Near misses: the same message twice in a row (`duplicate`); messages of two streams, or
//! progress of two calls, between which there is no order.

use std::collections::BTreeMap;

use crate::finding::{Finding, Oracle};
use crate::runs::{Run, runs};
use crate::view::{Arrival, Exchange, View};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    view.exchanges.iter().flat_map(|exchange| of_exchange(view, exchange)).collect()
}

fn of_exchange(view: &View, exchange: &Exchange) -> Vec<Finding> {
    let mut furthest: BTreeMap<usize, u64> = BTreeMap::new();
    let steps_back = |arrival: &Arrival| {
        let Some(place) = arrival.place else { return false };
        let furthest = furthest.entry(place.sequence).or_insert(place.ordinal);
        let back = place.ordinal < *furthest;
        *furthest = place.ordinal.max(*furthest);
        back
    };
    let runs = runs(&view.wire, &exchange.wire, steps_back);
    runs.iter().map(|run| finding(view, exchange, run)).collect()
}

fn finding(view: &View, exchange: &Exchange, run: &Run) -> Finding {
    let sentence = format!(
        "{} came after later messages of the same stream, within {}",
        run.span.text(),
        words::exchange(exchange),
    );
    run.finding(view, &view.wire, Oracle::StreamOrder, sentence)
}

#[cfg(test)]
mod tests {
    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    fn call() -> Script {
        Script::new().session("s1").post(1, "c1").open(1).progresses("c1", 4)
    }

    fn wire(ids: &[&str]) -> Script {
        ids.iter().fold(call(), |script, id| script.event(1, id))
    }

    #[test]
    fn messages_that_step_back_within_an_exchange_are_one_finding() {
        let script = || wire(&["s1.c1.1", "s1.c1.4", "s1.c1.2", "s1.c1.3"]);
        assert_eq!(script().keys_of(Oracle::StreamOrder), ["stream-order/progress/fresh"]);
        assert_eq!(
            script().sentences_of(Oracle::StreamOrder),
            ["progress 2 to 3 of c1 came after later messages of the same stream, within \
              exchange 1"]
        );
    }

    #[test]
    fn rising_and_repeated_messages_do_not_step_back() {
        let script = wire(&["s1.c1.1", "s1.c1.2", "s1.c1.2", "s1.c1.4"]);
        assert_eq!(script.keys_of(Oracle::StreamOrder), NOTHING);
    }

    #[test]
    fn a_replay_on_a_new_exchange_is_measured_for_itself() {
        let script = wire(&["s1.c1.1", "s1.c1.2"]).drop(1).resume(2, "c1", "s1.c1.2");
        let script = script.resumes(2, "c1", 4).open(2).event(2, "s1.c1.1").event(2, "s1.c1.2");
        assert_eq!(script.keys_of(Oracle::StreamOrder), NOTHING);
    }

    #[test]
    fn two_streams_on_one_exchange_have_no_order_among_each_other() {
        let script = wire(&["s1.c1.1", "s1.c1.2"]).post(2, "c2").progress("c2");
        let script = script.event(1, "s1.c2.1").event(1, "s1.c1.3");
        assert_eq!(script.keys_of(Oracle::StreamOrder), NOTHING);
    }
}
