//! `message-on-one-stream`: a message appears on one stream of its session only.
//!
//! Rests on `basic/transports`, Multiple Connections (all revisions): the server sends each
//! message on only one of the connected streams and MUST NOT broadcast it. A resumed stream is the
//! same stream. Judged on the wire, by the client's names of the streams.
//! Near misses: a message repeated on its own stream; a message that only ever came on a wrong
//! stream (`cross-stream`).

use std::collections::BTreeMap;

use crate::finding::{Finding, Oracle};
use crate::view::{Arrival, View};
use crate::words::{self, Span};

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    // One finding for each pair of streams and kind of message.
    let mut broadcast: BTreeMap<(&str, &str, &str, Option<usize>), Group> = BTreeMap::new();
    for arrival in &view.wire {
        let (Some(place), Some(earlier)) = (arrival.place, arrival.earlier) else { continue };
        let first = &view.wire[earlier];
        let stream = |arrival: &Arrival| view.exchanges[arrival.exchange].stream_name;
        let (Some(one), Some(other)) = (stream(first), stream(arrival)) else { continue };
        if one == other {
            continue;
        }
        let session = view.exchanges[arrival.exchange].session;
        broadcast
            .entry((one, other, words::subject(arrival.message), session))
            .and_modify(|group| group.span.add(arrival.message, place.ordinal))
            .or_insert_with(|| Group {
                span: Span::of(arrival.message, place.ordinal),
                first,
                again: arrival,
            });
    }
    let finding = |((one, other, ..), group): ((&str, &str, &str, _), &Group)| {
        finding(view, [one, other], group)
    };
    broadcast.iter().map(|(key, group)| finding((*key, group))).collect()
}

struct Group<'v> {
    span: Span<'v>,
    first: &'v Arrival<'v>,
    again: &'v Arrival<'v>,
}

fn finding(view: &View, [one, other]: [&str; 2], group: &Group) -> Finding {
    let exchange = &view.exchanges[group.again.exchange];
    Finding {
        oracle: Oracle::MessageOnOneStream,
        subject: group.span.subject(),
        state: words::arrival_state(view, exchange, group.again.place),
        sentence: format!(
            "{} appeared on two streams: on {one}, then on {other}, by {}",
            group.span.text(),
            words::exchange(exchange),
        ),
        record: group.again.record,
        related: vec![group.first.record],
        resumption: words::resumption(view, exchange),
    }
}

#[cfg(test)]
mod tests {
    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    fn two_streams() -> Script {
        let script = Script::new().session("s1").listen(1).open(1).post(2, "c1").open(2);
        script.progresses("c1", 2).event(2, "s1.c1.1").event(2, "s1.c1.2")
    }

    #[test]
    fn a_call_whose_messages_are_copied_to_the_standalone_stream_is_one_finding() {
        let script = || two_streams().event(1, "s1.c1.1").event(1, "s1.c1.2");
        let keys = script().keys_of(Oracle::MessageOnOneStream);
        assert_eq!(keys, ["message-on-one-stream/progress/fresh"]);
        assert_eq!(
            script().sentences_of(Oracle::MessageOnOneStream),
            ["progress 1 to 2 of c1 appeared on two streams: on c1, then on standalone, by \
              exchange 1"]
        );
    }

    #[test]
    fn a_resumed_stream_is_the_same_stream() {
        let script = two_streams().drop(2).resume(3, "c1", "s1.c1.2").resumes(3, "c1", 1).open(3);
        assert_eq!(script.event(3, "s1.c1.2").keys_of(Oracle::MessageOnOneStream), NOTHING);
    }

    #[test]
    fn a_message_that_only_came_on_a_wrong_stream_is_on_one_stream() {
        let script = two_streams().progress("c1").event(1, "s1.c1.3");
        assert_eq!(script.keys_of(Oracle::MessageOnOneStream), NOTHING);
    }
}
