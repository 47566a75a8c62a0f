//! From a scenario and a seed to a plan.
//!
//! Owns the draw of everything that a scenario leaves open. It is a pure function, and everything
//! that is drawn has its own stream, named after what it is for: switching one family of faults or
//! one kind of operation off leaves every other draw as it was (the one exception is said in
//! `faults`). It must not know how a plan is played.

mod extent;
mod faults;
mod place;
mod reseed;
mod workload;

pub use reseed::{Passed, Past, Redraw, reseed};

use crate::model::PlanKind;
use crate::scenario::{Scenario, StormFaults, Workload};
use crate::{Plan, SCHEMA, Trio};

/// The plan that this seed makes of a scenario called `name`.
///
/// The same arguments give the same plan, whatever was generated before. A scenario that passed
/// [`Scenario::check`] gives plans that pass [`validate`](crate::validate()).
#[must_use]
pub fn generate(scenario: &Scenario, name: &str, seed: u64) -> Plan {
    let topology = scenario.topology.draw(seed);
    let workload = match &scenario.workload {
        Workload::Drawn(drawn) => workload::draw(drawn, seed),
        Workload::Written(operations) => operations.clone(),
    };
    let phases = scenario.storm.phases;
    let faults = match &scenario.storm.faults {
        StormFaults::Drawn(drawn) => {
            faults::draw(drawn, seed, topology.replicas, &workload, &phases)
        }
        StormFaults::Written(faults) => faults.clone(),
    };
    Plan {
        kind: PlanKind::Plan,
        schema: SCHEMA,
        name: format!("{name}@{seed}"),
        seed,
        topology,
        workload,
        faults,
        phases,
        trio: Trio::default(),
        regression: None,
    }
}
