//! Which workloads are possible.
//!
//! Owns the rules for operations. It must not know where they come from.

use std::collections::BTreeSet;

use super::{COUNT_MAX, EVENTS_MAX, TIME_MS_MAX};
use crate::problem::{FieldPath, PlanError, Problem};
use crate::{Ask, Operation};

/// The id of the operation that listens, after the stream it opens.
pub(crate) const STANDALONE: &str = "standalone";

/// More operations than a client has connections for.
const OPERATIONS_MAX: u64 = 1_000;

/// Refuses operations that cannot be asked for, or that cannot end before the deadline.
pub(crate) fn check_operations(
    operations: &[Operation],
    at: &FieldPath,
    deadline_ms: u64,
) -> Result<(), PlanError> {
    at.at_most(OPERATIONS_MAX, operations.len() as u64, "operations")?;
    let mut ids = BTreeSet::new();
    let (mut before_ms, mut events) = (0, 0);
    for (index, operation) in operations.iter().enumerate() {
        let at = at.index(index);
        let Operation { id, at_ms, ask } = operation;
        check_name(id, &at.key("id"))?;
        if !ids.insert(id) {
            return Err(at.key("id").says(Problem::RepeatedId { id: id.clone() }));
        }
        match (ask, id.as_str()) {
            (Ask::Listen, STANDALONE) => {}
            (Ask::Listen, _) => {
                return Err(at.key("id").says(Problem::ListenNotStandalone { id: id.clone() }));
            }
            (_, STANDALONE) => return Err(at.key("id").says(Problem::StandaloneDoesNotListen)),
            _ => {}
        }
        at.key("at_ms").in_range(*at_ms, 0, TIME_MS_MAX)?;
        if *at_ms < before_ms {
            return Err(at.key("at_ms").says(Problem::OutOfOrder { id: id.clone() }));
        }
        before_ms = *at_ms;
        check_ask(ask, *at_ms, &at, deadline_ms)?;
        events += ask.events();
        check_number_of_events(events, &at.key("ask").key(ask.name()).key("events"))?;
    }
    Ok(())
}

fn check_ask(ask: &Ask, at_ms: u64, at: &FieldPath, deadline_ms: u64) -> Result<(), PlanError> {
    let ask_at = at.key("ask").key(ask.name());
    match ask {
        Ask::Count { events, interval_ms, .. } | Ask::Announce { events, interval_ms } => {
            ask_at.key("events").in_range(*events, 1, COUNT_MAX)?;
            ask_at.key("interval_ms").in_range(*interval_ms, 0, TIME_MS_MAX)?;
            check_work_ends(at_ms, *events, *interval_ms, &ask_at, deadline_ms)
        }
        Ask::Listen | Ask::ListTools | Ask::Ping => {
            check_work_ends(at_ms, 0, 0, &at.key("at_ms"), deadline_ms)
        }
    }
}

/// Refuses more events than a run has memory for.
pub(crate) fn check_number_of_events(events: u64, at: &FieldPath) -> Result<(), PlanError> {
    at.at_most(EVENTS_MAX, events, "events in all")
}

/// Refuses work that would go on beyond the deadline even if nothing went wrong: it would always
/// be called stuck. There is one interval before each event and one before the result.
pub(crate) fn check_work_ends(
    at_ms: u64,
    events: u64,
    interval_ms: u64,
    at: &FieldPath,
    deadline_ms: u64,
) -> Result<(), PlanError> {
    let intervals = if events == 0 { 0 } else { events.saturating_add(1) };
    let ends_ms = at_ms.saturating_add(intervals.saturating_mul(interval_ms));
    if ends_ms >= deadline_ms {
        return Err(at.says(Problem::WorkAfterDeadline { ends_ms, deadline_ms }));
    }
    Ok(())
}

/// Refuses a text that cannot be part of an event id, where the label of a call ends up.
pub(crate) fn check_name(name: &str, at: &FieldPath) -> Result<(), PlanError> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if (1..=64).contains(&name.len()) && name.bytes().all(allowed) {
        Ok(())
    } else {
        Err(at.says(Problem::BadName { name: name.to_owned() }))
    }
}
