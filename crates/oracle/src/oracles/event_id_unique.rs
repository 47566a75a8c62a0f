//! `event-id-unique`: no id names two different events of a session.
//!
//! Rests on `basic/transports`, Resumability and Redelivery (all revisions): an id MUST be unique
//! over all streams of the session. Judged on what the server stored, and on the wire where a hop
//! gives ids that the server never gave. A server with one bare counter for each stream breaks this
//! by design: that is the seed of the incident.
//! Near misses: the same event recorded by two replicas, or replayed; the same id in two sessions.

use std::collections::BTreeMap;

use crate::finding::{Finding, Oracle};
use crate::view::{Arrival, Emitted, Issued, SequenceKey, View};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    // One finding for a session and kind of clash, however many ids and streams there are.
    let mut clashes: BTreeMap<(&str, bool), Clash> = BTreeMap::new();
    for pair in view.issued.windows(2) {
        let [first, second] = [&pair[0], &pair[1]];
        if (first.id, first.origin) != (second.id, second.origin) {
            continue;
        }
        let [one, other] = [first, second].map(|issued| &view.emitted[issued.emitted]);
        if (one.sequence, one.position) == (other.sequence, other.position) {
            continue;
        }
        let (one, other) = if one.record < other.record { (one, other) } else { (other, one) };
        let clash = Clash { issued: first, one, other, count: 1 };
        clashes
            .entry((first.origin, one.sequence == other.sequence))
            .and_modify(|known| known.add(clash))
            .or_insert(clash);
    }
    let stored = clashes.values().map(|clash| finding(view, clash));
    stored.chain(on_the_wire(view)).collect()
}

/// The first clash in each session among ids of a hop's own.
fn on_the_wire(view: &View) -> Vec<Finding> {
    let mut named: BTreeMap<(&str, &str), &Arrival> = BTreeMap::new();
    let mut found: BTreeMap<&str, Finding> = BTreeMap::new();
    for arrival in &view.wire {
        let exchange = &view.exchanges[arrival.exchange];
        let (Some(id), Some(place), Some(origin)) =
            (arrival.id, arrival.place, view.origin(exchange))
        else {
            continue;
        };
        let is_own = |emitted: &Emitted| emitted.id == Some(id);
        if id.is_empty() || view.emitted_at(place).is_none_or(is_own) {
            continue;
        }
        let first = *named.entry((origin, id)).or_insert(arrival);
        if first.place == arrival.place || view.has_issued(origin, id, usize::MAX) {
            continue;
        }
        let name = |arrival: &Arrival| words::message(arrival.message, arrival.place);
        found.entry(origin).or_insert_with(|| Finding {
            oracle: Oracle::EventIdUnique,
            subject: "event",
            state: "given-by-a-hop".to_owned(),
            sentence: format!(
                "id {id}, which the server never gave, names two messages of session {origin}: {} \
                 and {}",
                name(first),
                name(arrival),
            ),
            record: arrival.record,
            related: vec![first.record],
            resumption: words::resumption(view, exchange),
        });
    }
    found.into_values().collect()
}

/// An id with two meanings: the earliest of its kind, and how many there are.
#[derive(Clone, Copy)]
struct Clash<'v> {
    issued: &'v Issued<'v>,
    one: &'v Emitted<'v>,
    other: &'v Emitted<'v>,
    count: u64,
}

impl<'v> Clash<'v> {
    fn add(&mut self, clash: Clash<'v>) {
        let count = self.count + 1;
        if clash.other.record < self.other.record {
            *self = clash;
        }
        self.count = count;
    }
}

fn finding(view: &View, clash: &Clash) -> Finding {
    let name = |emitted: &Emitted| match view.sequences[emitted.sequence].key {
        SequenceKey::Stream { stream, .. } => format!("event {} of {stream}", emitted.position),
        _ => format!("event {}", emitted.position),
    };
    let Issued { origin, id, .. } = clash.issued;
    let more = match clash.count {
        1 => String::new(),
        2 => ", and one more id does the same".to_owned(),
        count => format!(", and {} more ids do the same", count - 1),
    };
    let one_stream = clash.one.sequence == clash.other.sequence;
    Finding {
        oracle: Oracle::EventIdUnique,
        subject: "event",
        state: if one_stream { "one-stream" } else { "two-streams" }.to_owned(),
        sentence: format!(
            "id {id} names two events of session {origin}: {} and {}{more}",
            name(clash.one),
            name(clash.other),
        ),
        record: clash.other.record,
        related: vec![clash.one.record],
        resumption: None,
    }
}

#[cfg(test)]
mod tests {
    use seamstress_trace::{Host, Record, Trace, What};

    use crate::script::{NOTHING, Script};
    use crate::{Finding, Oracle, judge};

    fn keys(trace: &Trace) -> Vec<String> {
        let findings = judge(trace).findings;
        let own = findings.iter().filter(|finding| finding.oracle == Oracle::EventIdUnique);
        own.map(Finding::key).collect()
    }

    #[test]
    fn bare_counters_of_two_streams_clash_and_are_one_finding() {
        let script = || {
            let script = Script::new().scheme("stream-counter").session("s1");
            let script = script.notify_as("standalone-1", "1").notify_as("standalone-1", "2");
            script.progress_as("c1", "c1", Some("1")).progress_as("c1", "c1", Some("2"))
        };
        assert_eq!(script().keys_of(Oracle::EventIdUnique), ["event-id-unique/event/two-streams"]);
        assert_eq!(
            script().sentences_of(Oracle::EventIdUnique),
            ["id 1 names two events of session s1: event 1 of standalone-1 and event 1 of c1, \
              and one more id does the same"]
        );
    }

    #[test]
    fn an_id_used_again_on_one_stream_after_a_re_base_clashes_too() {
        let script = Script::new().session("s1").notify_as("standalone-1", "7");
        let script = script.notify("standalone-1").notify_as("standalone-1", "7");
        let keys = script.keys_of(Oracle::EventIdUnique);
        assert_eq!(keys, ["event-id-unique/event/one-stream"]);
    }

    #[test]
    fn the_first_clash_is_told_and_the_others_are_counted_by_kind() {
        let script = || {
            let script = Script::new().scheme("stream-counter").session("s1");
            let ids = ["3", "2", "1", "2"];
            let script = ids.iter().fold(script, |script, id| script.notify_as("standalone-1", id));
            ["3", "1"].iter().fold(script, |script, id| script.progress_as("c1", "c1", Some(*id)))
        };
        assert_eq!(
            script().sentences_of(Oracle::EventIdUnique),
            [
                "id 2 names two events of session s1: event 2 of standalone-1 and event 4 of \
                 standalone-1",
                "id 3 names two events of session s1: event 1 of standalone-1 and event 1 of c1, \
                 and one more id does the same",
            ]
        );
        let third = script().progress_as("c2", "c2", Some("1"));
        let sentences = third.sentences_of(Oracle::EventIdUnique);
        assert!(sentences[1].ends_with(", and 2 more ids do the same"), "{sentences:?}");
    }

    /// Two calls, of which a hop gives the first event of each this id.
    fn renamed(ids: [&str; 2]) -> Script {
        let trace = Script::new().session("s1").progress("c1").progress("c2").trace();
        let messages = trace.records.into_iter().filter_map(|record| match record.what {
            What::Emit { message, .. } => message,
            _ => None,
        });
        let script = Script::new().session("s1").post(1, "c1").open(1).post(2, "c2").open(2);
        let script = script.progress("c1").progress("c2");
        let arrivals = (1..).zip(ids).zip(messages);
        arrivals.fold(script, |script, ((exchange, id), message)| {
            script.raw_event(exchange, Some(id), Some(message))
        })
    }

    #[test]
    fn an_id_of_a_hops_own_that_names_two_messages_is_one_finding() {
        let keys = renamed(["1", "1"]).keys_of(Oracle::EventIdUnique);
        assert_eq!(keys, ["event-id-unique/event/given-by-a-hop"]);
        assert_eq!(
            renamed(["1", "1"]).sentences_of(Oracle::EventIdUnique),
            ["id 1, which the server never gave, names two messages of session s1: progress 1 of \
              c1 and progress 1 of c2"]
        );
    }

    #[test]
    fn ids_of_a_hops_own_that_name_one_message_each_are_none() {
        assert_eq!(renamed(["c1-1", "c2-1"]).keys_of(Oracle::EventIdUnique), NOTHING);
        assert_eq!(renamed(["s1.c1.1", "s1.c2.1"]).keys_of(Oracle::EventIdUnique), NOTHING);
    }

    #[test]
    fn the_same_id_in_two_sessions_is_none() {
        let script = Script::new().scheme("session-counter").session("s1");
        let script = script.notify_as("standalone-1", "1").session("s2");
        let script = script.notify_as("standalone-1", "1");
        assert_eq!(script.keys_of(Oracle::EventIdUnique), NOTHING);
    }

    #[test]
    fn an_event_that_a_replica_records_once_more_is_the_same_event() {
        let mut trace = Script::new().session("s1").notify("standalone-1").trace();
        let copy = trace.records.last().cloned().expect("an emit record");
        trace.records.push(Record { host: Host::Server2, ..copy });
        assert_eq!(keys(&trace), NOTHING);
    }
}
