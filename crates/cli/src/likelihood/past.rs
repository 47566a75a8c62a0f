//! What had happened by a point of a run, found out from its records.
//!
//! Owns reading the past from a trace. It counts only what certainly had passed the proxy: what the
//! client got or the server decided about. It must not know what is drawn anew.

use std::collections::BTreeMap;

use seamstress_plan::{Operation, Passed, Past};
use seamstress_trace::{Record, What};

/// The JSON-RPC method after which operations are timed.
const INITIALIZED: &str = "notifications/initialized";

/// The past of a run at the end of these records, which are the first of its trace.
pub fn past(records: &[Record], workload: &[Operation]) -> Past {
    let mut past = Past { now_ms: records.last().map(|record| record.at_ms), ..Past::default() };
    // The stream of each exchange, and whether it resumes it.
    let mut exchanges: BTreeMap<u64, (&str, bool)> = BTreeMap::new();
    let mut initialized = None;
    for record in records {
        match &record.what {
            What::Request { exchange, stream, cursor, rpc, .. } => {
                if rpc.as_deref() == Some(INITIALIZED) && initialized.is_none() {
                    initialized = Some(*exchange);
                }
                let Some(stream) = stream else { continue };
                exchanges.insert(*exchange, (stream, cursor.is_some()));
                if workload.iter().any(|operation| operation.id == *stream) {
                    past.operations.insert(stream.clone());
                }
            }
            What::End { exchange, .. } if initialized == Some(*exchange) => {
                past.session_ms = past.now_ms.and_then(|now_ms| now_ms.checked_sub(record.at_ms));
            }
            What::Fault { fault, .. } => {
                past.faults.insert(fault.clone());
            }
            What::Response { exchange, event_stream, .. } => {
                let Some((stream, resumes)) = exchanges.get(exchange) else { continue };
                let passed = passed(&mut past, stream);
                passed.head |= *event_stream;
                passed.resumes += u64::from(*resumes);
            }
            What::Event { exchange, message: Some(message), .. } => {
                let Some((stream, _)) = exchanges.get(exchange) else { continue };
                let passed = passed(&mut past, stream);
                passed.events += 1;
                passed.response |= message.is_response();
            }
            _ => {}
        }
    }
    // Not every client says which of its requests belongs to which operation, and one whose time
    // has come may still wait for a session.
    let is_due = |operation: &&Operation| Some(operation.at_ms) <= past.session_ms;
    let due = workload.iter().filter(is_due).map(|operation| operation.id.clone());
    past.operations.extend(due.collect::<Vec<_>>());
    past
}

fn passed<'a>(past: &'a mut Past, stream: &str) -> &'a mut Passed {
    past.streams.entry(stream.to_owned()).or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::TrioArguments;
    use crate::playing::Played;
    use crate::target;

    fn played() -> Played {
        let named = target::plan("drop@16", &TrioArguments::default()).expect("a plan");
        Played::of(named.plan).expect("played")
    }

    #[test]
    fn before_the_first_record_nothing_has_happened() {
        assert_eq!(past(&[], &played().plan.workload), Past::default());
    }

    #[test]
    fn at_the_end_everything_that_was_asked_for_and_reached_has_happened() {
        let Played { plan, trace, .. } = played();
        let past = past(&trace.records, &plan.workload);
        assert_eq!(past.operations.len(), plan.workload.len());
        assert!(past.faults.contains("drop-4") && past.faults.contains("drop-1-cut"), "{past:?}");
        assert_eq!(past.now_ms, trace.records.last().map(|record| record.at_ms));
        let Passed { head, response, resumes, events } = past.streams["c1"];
        assert!(head && response && resumes >= 3 && events >= 23, "{past:?}");
    }

    #[test]
    fn an_operation_whose_time_has_come_has_begun_whatever_the_client_calls_it() {
        let Played { plan, mut trace, .. } = played();
        for record in &mut trace.records {
            if let What::Request { stream, .. } = &mut record.what {
                *stream = Some("another-name".to_owned());
            }
        }
        let begun = |records| past(&trace.records[..records], &plan.workload).operations;
        let first = &plan.workload[0];
        let ended = |record: &Record| matches!(&record.what, What::End { exchange: 2, .. });
        let initialized = trace.records.iter().find(|record| ended(record)).expect("it did").at_ms;
        let until = |at_ms| trace.records.partition_point(|record| record.at_ms <= at_ms);
        assert!(!begun(until(initialized + first.at_ms - 1)).contains(&first.id));
        assert!(begun(until(initialized + first.at_ms)).contains(&first.id));
    }

    #[test]
    fn what_has_passed_only_grows() {
        let Played { plan, trace, .. } = played();
        let mut before = Past::default();
        for records in 0..trace.records.len() {
            let now = past(&trace.records[..records], &plan.workload);
            assert!(now.operations.is_superset(&before.operations));
            assert!(now.faults.is_superset(&before.faults));
            assert!(now.now_ms >= before.now_ms && now.session_ms >= before.session_ms);
            for (stream, passed) in &before.streams {
                let later = now.streams[stream];
                assert!(later.events >= passed.events && later.resumes >= passed.resumes);
            }
            before = now;
        }
    }
}
