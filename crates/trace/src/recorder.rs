//! Where participants put down what they did and saw.
//!
//! Owns the list of records while a run is going on, behind a handle that every participant
//! holds. It must not know a clock: whoever makes the recorder says how to tell the time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{Host, Record, Renamer, What};

/// A shared handle to the trace being written. Cloning it gives another handle to the same trace.
#[derive(Clone)]
pub struct Recorder {
    shared: Arc<Mutex<Shared>>,
}

struct Shared {
    now_ms: Box<dyn Fn() -> u64 + Send>,
    records: Vec<Record>,
    sessions: Renamer,
    event_ids: Option<Renamer>,
}

impl Recorder {
    /// A recorder that stamps each record with `now_ms()`, in milliseconds since the run began.
    ///
    /// ```
    /// use seamstress_trace::{Host, Recorder, What};
    /// let recorder = Recorder::new(|| 7);
    /// recorder.record(Host::Run, What::Phase { phase: "chaos".into() });
    /// assert_eq!(recorder.take()[0].at_ms, 7);
    /// ```
    pub fn new(now_ms: impl Fn() -> u64 + Send + 'static) -> Recorder {
        let shared = Shared {
            now_ms: Box::new(now_ms),
            records: Vec::with_capacity(512),
            sessions: Renamer::new("S"),
            event_ids: None,
        };
        Recorder { shared: Arc::new(Mutex::new(shared)) }
    }

    /// The time by which records are stamped, in milliseconds since the run began.
    #[must_use]
    pub fn now_ms(&self) -> u64 {
        (self.lock().now_ms)()
    }

    /// From now on names stand for event ids in all records, given in order of first sight.
    ///
    /// ```
    /// use seamstress_trace::{Host, Recorder, What};
    /// let recorder = Recorder::new(|| 0);
    /// recorder.rename_event_ids();
    /// let event = |id: &str| {
    ///     What::Event { exchange: 1, id: Some(id.into()), retry_ms: None, message: None }
    /// };
    /// recorder.record(Host::Client, event("1785-f3a9"));
    /// assert_eq!(recorder.take()[0].what, event("e1"));
    /// ```
    pub fn rename_event_ids(&self) {
        self.lock().event_ids.get_or_insert_with(|| Renamer::new("e"));
    }

    /// Appends one record.
    pub fn record(&self, host: Host, mut what: What) {
        let mut shared = self.lock();
        let at_ms = (shared.now_ms)();
        if let Some(renamer) = &mut shared.event_ids {
            // Without an id, or with one that resets the cursor, there is nothing to name.
            for id in what.event_ids_mut().into_iter().flatten().filter(|id| !id.is_empty()) {
                *id = renamer.name(id);
            }
        }
        shared.records.push(Record { at_ms, host, what });
    }

    /// The name by which a public session id stands in the trace.
    #[must_use]
    pub fn session_name(&self, session_id: &str) -> String {
        self.lock().sessions.name(session_id)
    }

    /// Takes the records written so far, leaving none.
    #[must_use]
    pub fn take(&self) -> Vec<Record> {
        std::mem::take(&mut self.lock().records)
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        // A participant that panicked while recording left the list whole: pushes are atomic here.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(ids: [&str; 3]) -> [What; 3] {
        let [one, two, three] = ids.map(str::to_owned);
        [
            What::Event { exchange: 1, id: Some(one), retry_ms: None, message: None },
            What::Request {
                exchange: 2,
                method: crate::Method::Get,
                session: None,
                cursor: Some(two.clone()),
                protocol_version: None,
                rpc: None,
                rpc_id: None,
                stream: None,
            },
            What::Continuity {
                exchange: 2,
                last: two,
                first: three,
                check: crate::Check::Unverifiable,
                accepted: true,
            },
        ]
    }

    fn recorded(recorder: &Recorder, ids: [&str; 3]) -> Vec<What> {
        records(ids).into_iter().for_each(|what| recorder.record(Host::Client, what));
        recorder.take().into_iter().map(|record| record.what).collect()
    }

    #[test]
    fn one_name_stands_for_an_event_id_wherever_it_occurs_and_an_empty_one_stays_empty() {
        let recorder = Recorder::new(|| 0);
        recorder.rename_event_ids();
        assert_eq!(recorded(&recorder, ["x-17", "x-17", ""]), records(["e1", "e1", ""]));
        assert_eq!(recorded(&recorder, ["x-18", "x-17", "x-18"]), records(["e2", "e1", "e2"]));
    }

    #[test]
    fn event_ids_stay_as_they_are_unless_somebody_asks() {
        let recorder = Recorder::new(|| 0);
        assert_eq!(recorded(&recorder, ["x-17", "x-17", ""]), records(["x-17", "x-17", ""]));
    }
}
