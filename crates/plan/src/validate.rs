//! Which plans are possible.
//!
//! Owns the check of a whole [`Plan`]. The rules lie in one file each for topology, workload and
//! faults, and speak of values, so that a scenario is held to the same rules before anything is
//! drawn from it. It must not know how plans are read or made: a plan that was put together in
//! memory is checked like one from a file.

mod faults;
mod regression;
mod topology;
mod workload;

pub(crate) use faults::{FaultContext, check_extent, check_faults};
use regression::check_regression;
pub(crate) use topology::{Numbers, TopologyValues, check_topology};
pub(crate) use workload::{
    STANDALONE, check_name, check_number_of_events, check_operations, check_work_ends,
};

use crate::problem::{FieldPath, PlanError, Problem};
use crate::{Phases, Plan, SCHEMA, Topology};

/// The longest time in a plan, in milliseconds: one day. No run needs more, and sums of times stay
/// far from overflowing.
pub(crate) const TIME_MS_MAX: u64 = 86_400_000;

/// The largest number of things in a plan.
pub(crate) const COUNT_MAX: u64 = 1_000_000;

/// The most events that the operations of a plan ask for in all, and again those that its faults
/// make: each takes some 3 KB of memory while the run is recorded and judged.
pub(crate) const EVENTS_MAX: u64 = 100_000;

impl FieldPath {
    pub(crate) fn says(&self, problem: Problem) -> PlanError {
        PlanError { field: self.clone(), other: None, problem }
    }

    /// Refuses more than `max` of these things, which have a name in the plural.
    pub(crate) fn at_most(
        &self,
        max: u64,
        found: u64,
        things: &'static str,
    ) -> Result<(), PlanError> {
        if found <= max { Ok(()) } else { Err(self.says(Problem::TooMany { found, things, max })) }
    }

    /// Refuses a number outside of this range, both ends included.
    pub(crate) fn in_range(&self, value: u64, from: u64, to: u64) -> Result<(), PlanError> {
        if (from..=to).contains(&value) {
            Ok(())
        } else {
            Err(self.says(Problem::OutOfRange { value, from, to }))
        }
    }
}

/// Refuses a plan that no run could mean anything with: a tick of 0 ms, a trigger on a stream that
/// no operation opens, an extent that the action does not read, and so on.
///
/// # Errors
/// The first such value.
pub fn validate(plan: &Plan) -> Result<(), PlanError> {
    let top = FieldPath::default();
    if plan.schema != SCHEMA {
        return Err(top.key("schema").says(schema_problem(u64::from(plan.schema))));
    }
    if plan.name.trim().is_empty() {
        return Err(top.key("name").says(Problem::Empty));
    }
    check_topology(&plan_values(&plan.topology, &top.key("topology")))?;
    check_phases(&plan.phases, &top.key("phases"))?;
    check_operations(&plan.workload, &top.key("workload"), plan.phases.deadline_ms)?;
    let context = FaultContext {
        operations: &plan.workload,
        replicas_min: plan.topology.replicas,
        phases: &plan.phases,
    };
    check_faults(&plan.faults, &top.key("faults"), &context)?;
    for (role, name) in plan.trio.by_role() {
        if name.trim().is_empty() {
            return Err(top.key("trio").key(role.name()).says(Problem::Empty));
        }
    }
    match &plan.regression {
        Some(regression) => check_regression(regression, &top.key("regression")),
        None => Ok(()),
    }
}

/// What is wrong with a version of the format that is not [`SCHEMA`].
pub(crate) fn schema_problem(found: u64) -> Problem {
    if found > u64::from(SCHEMA) {
        Problem::NewerSchema { found, newest: SCHEMA }
    } else {
        Problem::NoSuchSchema { found }
    }
}

/// Refuses phases that are out of order.
pub(crate) fn check_phases(phases: &Phases, at: &FieldPath) -> Result<(), PlanError> {
    let Phases { chaos_from_ms: from_ms, chaos_until_ms: until_ms, deadline_ms } = *phases;
    at.key("deadline_ms").in_range(deadline_ms, 1, TIME_MS_MAX)?;
    if from_ms > until_ms {
        let problem = Problem::ChaosEndsBeforeItBegins { from_ms, until_ms };
        let error = at.key("chaos_until_ms").says(problem);
        return Err(error.against(&at.key("chaos_from_ms")));
    }
    if until_ms >= deadline_ms {
        let error = at.key("deadline_ms").says(Problem::NoQuietTail { deadline_ms, until_ms });
        return Err(error.against(&at.key("chaos_until_ms")));
    }
    Ok(())
}

fn plan_values(topology: &Topology, at: &FieldPath) -> TopologyValues {
    let number = |at: &FieldPath, key: &str, value: u64| Numbers::new(at, key, vec![value]);
    let (server_at, client_at) = (at.key("server"), at.key("client"));
    let (server, client) = (&topology.server, &topology.client);
    TopologyValues {
        tick_ms: number(at, "tick_ms", topology.tick_ms),
        latency_ms: number(at, "latency_ms", topology.latency_ms),
        replicas: number(at, "replicas", topology.replicas),
        first_event_id: number(&server_at, "first_event_id", server.first_event_id),
        retry_ms: (server_at.key("retry_ms"), vec![server.retry_ms]),
        priming: (server_at.key("priming"), vec![server.priming]),
        keep_alive_ms: number(&server_at, "keep_alive_ms", server.keep_alive_ms),
        session_idle_ms: number(&server_at, "session_idle_ms", server.session_idle_ms),
        channel_capacity: number(
            &server_at.key("rmcp"),
            "channel_capacity",
            server.rmcp.channel_capacity,
        ),
        reconnect_delay_ms: number(&client_at, "reconnect_delay_ms", client.reconnect_delay_ms),
        reconnects_max: number(&client_at, "reconnects_max", client.reconnects_max),
        idle_timeout_ms: number(&client_at, "idle_timeout_ms", client.idle_timeout_ms),
        response_timeout_ms: number(&client_at, "response_timeout_ms", client.response_timeout_ms),
    }
}
