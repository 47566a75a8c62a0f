//! Which topologies are possible.
//!
//! Owns the rules for the numbers of a topology and for those that must go together. A plan has
//! one value for each field, a scenario has several; a rule must hold for every combination, since
//! every one of them may be drawn.

use seamstress_mcp::sse::Priming;

use super::TIME_MS_MAX;
use crate::problem::{FieldPath, PlanError, Problem};

/// A whole number of a topology, with every value that it may have as far as rules can tell.
pub(crate) struct Numbers {
    at: FieldPath,
    values: Vec<u64>,
}

impl Numbers {
    pub(crate) fn new(parent: &FieldPath, key: &str, values: Vec<u64>) -> Numbers {
        Numbers { at: parent.key(key), values }
    }

    fn in_range(&self, from: u64, to: u64) -> Result<(), PlanError> {
        self.values.iter().try_for_each(|value| self.at.in_range(*value, from, to))
    }

    /// Checks each combination of a value of this field with one of the other; a problem is this
    /// field's.
    fn with(
        &self,
        other: &Numbers,
        problem: impl Fn(u64, u64) -> Option<Problem>,
    ) -> Result<(), PlanError> {
        for value in &self.values {
            for other_value in &other.values {
                if let Some(problem) = problem(*value, *other_value) {
                    return Err(self.at.says(problem).against(&other.at));
                }
            }
        }
        Ok(())
    }
}

/// What the rules look at.
pub(crate) struct TopologyValues {
    pub tick_ms: Numbers,
    pub latency_ms: Numbers,
    pub replicas: Numbers,
    pub first_event_id: Numbers,
    pub retry_ms: (FieldPath, Vec<Option<u64>>),
    pub priming: (FieldPath, Vec<Priming>),
    pub keep_alive_ms: Numbers,
    pub session_idle_ms: Numbers,
    pub channel_capacity: Numbers,
    pub reconnect_delay_ms: Numbers,
    pub reconnects_max: Numbers,
    pub idle_timeout_ms: Numbers,
    pub response_timeout_ms: Numbers,
}

/// A tick above a second would hide everything that happens.
const TICK_MS_MAX: u64 = 1_000;
/// As many server hosts as a trace has names for.
const REPLICAS_MAX: u64 = 3;
/// A client that tries more often has no bound worth the name.
const RECONNECTS_MAX: u64 = 1_000;
/// More events than a server should cache for one stream.
const CHANNEL_CAPACITY_MAX: u64 = 65_536;
/// Leaves the counter room for more events than any run emits.
const FIRST_EVENT_ID_MAX: u64 = 1 << 53;

/// Refuses topologies that cannot be or that can never work.
pub(crate) fn check_topology(values: &TopologyValues) -> Result<(), PlanError> {
    values.tick_ms.in_range(1, TICK_MS_MAX)?;
    values.latency_ms.in_range(1, TIME_MS_MAX)?;
    values.replicas.in_range(1, REPLICAS_MAX)?;
    values.first_event_id.in_range(0, FIRST_EVENT_ID_MAX)?;
    values.keep_alive_ms.in_range(1, TIME_MS_MAX)?;
    values.session_idle_ms.in_range(1, TIME_MS_MAX)?;
    values.channel_capacity.in_range(1, CHANNEL_CAPACITY_MAX)?;
    values.reconnect_delay_ms.in_range(0, TIME_MS_MAX)?;
    values.reconnects_max.in_range(1, RECONNECTS_MAX)?;
    values.idle_timeout_ms.in_range(1, TIME_MS_MAX)?;
    values.response_timeout_ms.in_range(1, TIME_MS_MAX)?;
    for retry_ms in values.retry_ms.1.iter().flatten() {
        values.retry_ms.0.in_range(*retry_ms, 0, TIME_MS_MAX)?;
    }
    check_combinations(values)
}

fn check_combinations(values: &TopologyValues) -> Result<(), PlanError> {
    values.latency_ms.with(&values.tick_ms, |latency_ms, tick_ms| {
        let off = !latency_ms.is_multiple_of(tick_ms);
        off.then_some(Problem::LatencyOffTick { latency_ms, tick_ms })
    })?;
    // Client, proxy, server and back: four links.
    values.response_timeout_ms.with(&values.latency_ms, |response_timeout_ms, latency_ms| {
        let too_short = response_timeout_ms <= 4 * latency_ms;
        too_short.then_some(Problem::ResponseTimeoutTooShort { response_timeout_ms, latency_ms })
    })?;
    values.idle_timeout_ms.with(&values.keep_alive_ms, |idle_timeout_ms, keep_alive_ms| {
        let too_long = idle_timeout_ms <= keep_alive_ms;
        too_long.then_some(Problem::KeepAliveTooLong { idle_timeout_ms, keep_alive_ms })
    })?;
    if values.priming.1.contains(&Priming::IdAndRetry) && values.retry_ms.1.contains(&None) {
        let error = values.priming.0.says(Problem::PrimingWithoutRetry);
        return Err(error.against(&values.retry_ms.0));
    }
    Ok(())
}
