//! When the faults of a plan are due.
//!
//! Owns the counting of protocol places: heads, events, resumptions, by stream. It is told what
//! passes and answers which faults happen there, each at most once. It must not carry anything
//! out, and knows the time only as a number it is given.

use std::collections::BTreeMap;

use crate::{Fault, Phases, Place, Trigger};

/// The faults of a plan that have not happened yet.
#[derive(Clone, Debug)]
pub struct Schedule {
    armed: Vec<Fault>,
    phases: Phases,
    streams: BTreeMap<String, Counts>,
}

/// What has passed of one stream.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    heads: u64,
    events: u64,
    resumes: u64,
}

/// Which connection of a stream an event passes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    /// One that resumes nothing.
    Fresh,
    /// The answer to this resumption of the stream, counted from 1.
    Resume(u64),
}

/// The faults that happen at one event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AtEvent {
    /// Before its first byte.
    pub before: Vec<Fault>,
    /// Inside it, with the place.
    pub inside: Vec<(Place, Fault)>,
    /// After its last byte.
    pub after: Vec<Fault>,
}

impl Schedule {
    /// Arms these faults for these phases.
    #[must_use]
    pub fn new(faults: &[Fault], phases: Phases) -> Schedule {
        Schedule { armed: faults.to_vec(), phases, streams: BTreeMap::new() }
    }

    /// Whether faults may happen at this time, in milliseconds since the start of the run.
    #[must_use]
    pub fn is_chaos(&self, now_ms: u64) -> bool {
        (self.phases.chaos_from_ms..self.phases.chaos_until_ms).contains(&now_ms)
    }

    /// The faults that happen at a time, whatever passes.
    #[must_use]
    pub fn timed(&self) -> Vec<(u64, Fault)> {
        let timed = self.armed.iter().filter_map(|fault| match fault.trigger {
            Trigger::At { at_ms } if self.is_chaos(at_ms) => Some((at_ms, fault.clone())),
            _ => None,
        });
        timed.collect()
    }

    /// A response head of a stream passes on this connection, and no event of it has yet.
    pub fn head(&mut self, stream: &str, connection: Connection, now_ms: u64) -> Vec<Fault> {
        let is_first = match connection {
            Connection::Fresh => {
                let counts = self.counts(stream);
                counts.heads += 1;
                counts.heads == 1
            }
            Connection::Resume(_) => false,
        };
        let due = |trigger: &Trigger| match trigger {
            Trigger::Head { stream: of } => is_first && of == stream,
            Trigger::Replay { stream: of, nth, events: 0 } => {
                of == stream && connection == Connection::Resume(*nth)
            }
            _ => false,
        };
        self.take(now_ms, due)
    }

    /// A request to resume a stream passes: which one it is, and the faults that happen there.
    pub fn resume(&mut self, stream: &str, now_ms: u64) -> (u64, Vec<Fault>) {
        let counts = self.counts(stream);
        counts.resumes += 1;
        let count = counts.resumes;
        let due = |trigger: &Trigger| match trigger {
            Trigger::Resume { stream: of, nth } => of == stream && *nth == count,
            _ => false,
        };
        (count, self.take(now_ms, due))
    }

    /// An event that carries a message passes, as number `on_connection` (from 1) of its
    /// connection. `is_response` is asked only if a fault depends on it.
    pub fn event(
        &mut self,
        stream: &str,
        connection: Connection,
        on_connection: u64,
        now_ms: u64,
        is_response: impl FnOnce() -> bool,
    ) -> AtEvent {
        let counts = self.counts(stream);
        counts.events += 1;
        let count = counts.events;
        if self.armed.is_empty() {
            return AtEvent::default();
        }
        let awaits_response = self.armed.iter().any(
            |fault| matches!(&fault.trigger, Trigger::Response { stream: of } if of == stream),
        );
        let is_response = awaits_response && is_response();
        let due = |trigger: &Trigger| match trigger {
            Trigger::Event { stream: of, nth, .. } => of == stream && *nth == count,
            Trigger::Response { stream: of } => is_response && of == stream,
            Trigger::Replay { stream: of, nth, events } => {
                of == stream && connection == Connection::Resume(*nth) && *events == on_connection
            }
            Trigger::Head { .. } | Trigger::Resume { .. } | Trigger::At { .. } => false,
        };
        let mut at = AtEvent::default();
        for fault in self.take(now_ms, due) {
            match fault.trigger {
                Trigger::Response { .. } | Trigger::Event { place: Place::Before, .. } => {
                    at.before.push(fault);
                }
                Trigger::Event { place: Place::After, .. } => at.after.push(fault),
                Trigger::Event { place, .. } => at.inside.push((place, fault)),
                _ => at.after.push(fault),
            }
        }
        at
    }

    fn counts(&mut self, stream: &str) -> &mut Counts {
        if !self.streams.contains_key(stream) {
            self.streams.insert(stream.to_owned(), Counts::default());
        }
        // Inserted above if it was not there.
        self.streams.get_mut(stream).unwrap_or_else(|| unreachable!("{stream}"))
    }

    /// Takes the faults that are due; outside of the chaos window none is.
    fn take(&mut self, now_ms: u64, due: impl Fn(&Trigger) -> bool) -> Vec<Fault> {
        if !self.is_chaos(now_ms) || !self.armed.iter().any(|fault| due(&fault.trigger)) {
            return Vec::new();
        }
        let (taken, left) =
            std::mem::take(&mut self.armed).into_iter().partition(|fault| due(&fault.trigger));
        self.armed = left;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Action, Extent};

    const PHASES: Phases = Phases { chaos_from_ms: 10, chaos_until_ms: 100, deadline_ms: 500 };

    fn fault(id: &str, trigger: Trigger) -> Fault {
        let action = Action::CutReset;
        Fault { id: id.into(), family: action.family(), trigger, action, extent: Extent::default() }
    }

    fn event(stream: &str, nth: u64, place: Place) -> Trigger {
        Trigger::Event { stream: stream.into(), nth, place }
    }

    fn ids(faults: &[Fault]) -> Vec<&str> {
        faults.iter().map(|fault| fault.id.as_str()).collect()
    }

    fn pass(schedule: &mut Schedule, stream: &str, on_connection: u64) -> AtEvent {
        schedule.event(stream, Connection::Fresh, on_connection, 50, || false)
    }

    #[test]
    fn an_event_fault_happens_at_its_event_of_its_stream_and_once_only() {
        let faults = [fault("f1", event("c1", 2, Place::After))];
        let mut schedule = Schedule::new(&faults, PHASES);
        assert_eq!(pass(&mut schedule, "c1", 1), AtEvent::default());
        assert_eq!(pass(&mut schedule, "c2", 1), AtEvent::default());
        assert_eq!(ids(&pass(&mut schedule, "c1", 2).after), ["f1"]);
        assert_eq!(pass(&mut schedule, "c1", 3), AtEvent::default());
    }

    #[test]
    fn places_before_inside_and_after_an_event_are_told_apart() {
        let faults = [
            fault("before", event("c1", 1, Place::Before)),
            fault("inside", event("c1", 1, Place::Byte(3))),
            fault("after", event("c1", 1, Place::After)),
        ];
        let at = pass(&mut Schedule::new(&faults, PHASES), "c1", 1);
        assert_eq!(ids(&at.before), ["before"]);
        assert_eq!(at.inside[0].0, Place::Byte(3));
        assert_eq!(ids(&at.after), ["after"]);
    }

    #[test]
    fn nothing_happens_outside_of_the_chaos_window() {
        let faults = [fault("f1", event("c1", 1, Place::After))];
        for now_ms in [9, 100] {
            let mut schedule = Schedule::new(&faults, PHASES);
            let at = schedule.event("c1", Connection::Fresh, 1, now_ms, || false);
            assert_eq!(at, AtEvent::default());
        }
    }

    #[test]
    fn the_response_is_looked_for_only_when_a_fault_waits_for_it() {
        let mut schedule = Schedule::new(&[fault("f1", event("c1", 1, Place::After))], PHASES);
        schedule.event("c1", Connection::Fresh, 1, 50, || panic!("nobody waits for a response"));

        let waits = fault("f2", Trigger::Response { stream: "c1".into() });
        let mut schedule = Schedule::new(&[waits], PHASES);
        let at = schedule.event("c1", Connection::Fresh, 1, 50, || false);
        assert_eq!(at, AtEvent::default());
        let at = schedule.event("c1", Connection::Fresh, 2, 50, || true);
        assert_eq!(ids(&at.before), ["f2"]);
    }

    #[test]
    fn a_replay_fault_counts_the_events_of_that_resumption_alone() {
        let trigger = Trigger::Replay { stream: "c1".into(), nth: 2, events: 1 };
        let mut schedule = Schedule::new(&[fault("f1", trigger)], PHASES);
        assert_eq!(pass(&mut schedule, "c1", 1), AtEvent::default());
        assert_eq!(schedule.resume("c1", 50), (1, vec![]));
        let at = schedule.event("c1", Connection::Resume(1), 1, 50, || false);
        assert_eq!(at, AtEvent::default());
        assert_eq!(schedule.resume("c1", 50), (2, vec![]));
        let at = schedule.event("c1", Connection::Resume(2), 1, 50, || false);
        assert_eq!(ids(&at.after), ["f1"]);
    }

    #[test]
    fn a_replay_fault_after_no_event_happens_at_the_head_of_that_answer() {
        let trigger = Trigger::Replay { stream: "c1".into(), nth: 2, events: 0 };
        let mut schedule = Schedule::new(&[fault("f1", trigger)], PHASES);
        assert_eq!(schedule.head("c1", Connection::Fresh, 50), vec![]);
        assert_eq!(schedule.head("c1", Connection::Resume(1), 50), vec![]);
        assert_eq!(schedule.head("c2", Connection::Resume(2), 50), vec![]);
        assert_eq!(ids(&schedule.head("c1", Connection::Resume(2), 50)), ["f1"]);
    }

    #[test]
    fn heads_and_resumptions_are_counted_by_stream() {
        let faults = [
            fault("head", Trigger::Head { stream: "c1".into() }),
            fault("resume", Trigger::Resume { stream: "c1".into(), nth: 2 }),
        ];
        let mut schedule = Schedule::new(&faults, PHASES);
        assert_eq!(ids(&schedule.head("c1", Connection::Fresh, 50)), ["head"]);
        assert_eq!(schedule.head("c1", Connection::Fresh, 50), vec![]);
        assert_eq!(schedule.resume("c2", 50), (1, vec![]));
        assert_eq!(schedule.resume("c1", 50), (1, vec![]));
        let (nth, due) = schedule.resume("c1", 50);
        assert_eq!((nth, ids(&due)), (2, vec!["resume"]));
    }

    #[test]
    fn a_timed_fault_outside_of_the_window_is_never_due() {
        let faults =
            [fault("in", Trigger::At { at_ms: 20 }), fault("out", Trigger::At { at_ms: 100 })];
        let timed = Schedule::new(&faults, PHASES).timed();
        assert_eq!(
            timed.iter().map(|(at, fault)| (*at, fault.id.as_str())).collect::<Vec<_>>(),
            [(20, "in")]
        );
    }
}
