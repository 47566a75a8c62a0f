//! `event-id-monotone`: ids rise within a stream.
//!
//! Rests on the rule that a cursor is a position in one ordered sequence. Judged only where the
//! header declares a scheme whose ids rise: `session-counter`, `namespaced`, and
//! `epoch-namespaced`, in which the epoch counts before the sequence number. Each break is one
//! finding; after it the stream is measured from the new number on.
//! Near misses: opaque ids; `stream-counter` (it promises nothing across streams, and
//! `event-id-unique` has its own say); ids of two replicas, which are two id spaces.

use seamstress_trace::Host;

use crate::finding::{Finding, Oracle};
use crate::view::{Emitted, Sequence, SequenceKey, View};

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    let Some(scheme) = view.header.id_scheme.as_deref().and_then(Scheme::named) else {
        return Vec::new();
    };
    view.sequences.iter().flat_map(|sequence| of_sequence(view, scheme, sequence)).collect()
}

#[derive(Clone, Copy)]
enum Scheme {
    Counter,
    Namespaced,
    EpochNamespaced,
}

impl Scheme {
    fn named(name: &str) -> Option<Scheme> {
        match name {
            "session-counter" => Some(Scheme::Counter),
            "namespaced" => Some(Scheme::Namespaced),
            "epoch-namespaced" => Some(Scheme::EpochNamespaced),
            _ => None,
        }
    }

    /// The epoch and the number of an id; none if it is not of this scheme.
    fn numbers(self, id: &str) -> Option<(u64, u64)> {
        match self {
            Scheme::Counter => Some((0, id.parse().ok()?)),
            Scheme::Namespaced => Some((0, id.rsplit('.').next()?.parse().ok()?)),
            Scheme::EpochNamespaced => {
                let epoch = id.split('.').nth(1)?.parse().ok()?;
                Some((epoch, id.rsplit('.').next()?.parse().ok()?))
            }
        }
    }
}

fn of_sequence(view: &View, scheme: Scheme, sequence: &Sequence) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut newest: Vec<(Host, (u64, u64), &Emitted)> = Vec::new();
    for emitted in sequence.emitted.iter().map(|index| &view.emitted[*index]) {
        let Some(numbers) = emitted.id.and_then(|id| scheme.numbers(id)) else { continue };
        match newest.iter_mut().find(|(host, ..)| *host == emitted.host) {
            None => newest.push((emitted.host, numbers, emitted)),
            Some((_, last, before)) => {
                if numbers <= *last {
                    findings.push(finding(sequence, before, emitted));
                }
                (*last, *before) = (numbers, emitted);
            }
        }
    }
    findings
}

fn finding(sequence: &Sequence, before: &Emitted, emitted: &Emitted) -> Finding {
    let name = match sequence.key {
        SequenceKey::Stream { stream, .. } => stream,
        _ => "a stream",
    };
    Finding {
        oracle: Oracle::EventIdMonotone,
        subject: "event",
        state: "emitted".to_owned(),
        sentence: format!(
            "on {name}, id {} of event {} is followed by id {} of event {}, which is not higher",
            before.id.unwrap_or(""),
            before.position,
            emitted.id.unwrap_or(""),
            emitted.position,
        ),
        record: emitted.record,
        related: vec![before.record],
        resumption: None,
    }
}

#[cfg(test)]
mod tests {
    use seamstress_trace::Host;

    use crate::script::{NOTHING, Script};
    use crate::{Oracle, judge};

    fn emitted(scheme: &str, ids: &[&str]) -> Script {
        let script = Script::new().scheme(scheme).session("s1");
        ids.iter().fold(script, |script, id| script.notify_as("standalone-1", id))
    }

    const KEY: [&str; 1] = ["event-id-monotone/event/emitted"];

    #[test]
    fn a_number_that_does_not_rise_is_a_finding_once_per_break() {
        let breaks = |scheme, ids: &[&str]| emitted(scheme, ids).keys_of(Oracle::EventIdMonotone);
        assert_eq!(breaks("session-counter", &["8", "9", "1", "2", "3"]), KEY);
        assert_eq!(breaks("session-counter", &["8", "9", "9", "10"]), KEY, "equal is not higher");
        assert_eq!(breaks("namespaced", &["s1.a.9", "s1.a.10", "s1.a.2", "s1.a.3"]), KEY);
        assert_eq!(breaks("epoch-namespaced", &["s1.2.a.1", "s1.1.a.7"]), KEY);
        assert_eq!(
            emitted("session-counter", &["9", "1"]).sentences_of(Oracle::EventIdMonotone),
            ["on standalone-1, id 9 of event 1 is followed by id 1 of event 2, which is not \
              higher"]
        );
    }

    #[test]
    fn numbers_are_compared_as_numbers_and_a_new_epoch_counts_first() {
        let breaks = |scheme, ids: &[&str]| emitted(scheme, ids).keys_of(Oracle::EventIdMonotone);
        assert_eq!(breaks("session-counter", &["9", "10", "4471"]), NOTHING);
        assert_eq!(breaks("epoch-namespaced", &["s1.1.a.7", "s1.2.a.1", "s1.10.a.1"]), NOTHING);
    }

    #[test]
    fn schemes_that_promise_nothing_and_opaque_ids_are_left_out() {
        let breaks = |scheme, ids: &[&str]| emitted(scheme, ids).keys_of(Oracle::EventIdMonotone);
        assert_eq!(breaks("stream-counter", &["9", "1"]), NOTHING);
        assert_eq!(breaks("namespaced", &["f00", "ba4"]), NOTHING);
    }

    #[test]
    fn two_replicas_have_two_id_spaces() {
        let mut trace = emitted("session-counter", &["9", "1"]).trace();
        trace.records.last_mut().expect("an emit record").host = Host::Server2;
        assert!(judge(&trace).findings.is_empty());
    }
}
