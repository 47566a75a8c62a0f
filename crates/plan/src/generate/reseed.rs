//! From a plan and a point of its run to a plan with the same past and another future.
//!
//! Owns what stays and what is drawn anew. Whatever has begun or was reached by the point stays as
//! it is, and so do topology, phases and seed; the remaining operations and faults are drawn as the
//! scenario draws them, under another seed. It must not know how the past was found out, nor what
//! is played. It exists so that one can ask, for every point of a run, how likely its end was.
//!
//! **What is drawn must lie after the point.** Times and places that have passed for certain are
//! left out here. Whether another place had passed shows only when the plan is played: whoever
//! plays it takes out what came too early ([`Plan::without`]), which changes nothing else.

use std::collections::{BTreeMap, BTreeSet};

use super::{faults, workload};
use crate::problem::FieldPath;
use crate::scenario::{DrawnFaults, DrawnWorkload, Setting};
use crate::validate::check_work_ends;
use crate::{Family, Fault, Operation, Plan, Scenario, StormFaults, Trigger, Workload};

/// What had happened by a point of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// The operations that had begun, or whose time had come.
    pub operations: BTreeSet<String>,
    /// The faults that had been reached.
    pub faults: BTreeSet<String>,
    /// The time since the start of the run, in milliseconds; none before the first record.
    pub now_ms: Option<u64>,
    /// The time since the session was initialised, in milliseconds; none before that.
    pub session_ms: Option<u64>,
    /// What had passed of each stream for certain.
    pub streams: BTreeMap<String, Passed>,
}

/// What has passed of a stream for certain: more may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// The response head of its first connection has.
    pub head: bool,
    /// How many events that carry a message.
    pub events: u64,
    /// The event that carries the response has.
    pub response: bool,
    /// How many requests to resume it.
    pub resumes: u64,
}

impl Past {
    /// Whether the place of this trigger has passed for certain.
    fn has_passed(&self, trigger: &Trigger) -> bool {
        if let Trigger::At { at_ms } = trigger {
            return self.now_ms.is_some_and(|now_ms| *at_ms <= now_ms);
        }
        let passed = trigger.stream().and_then(|stream| self.streams.get(stream));
        let Some(passed) = passed else { return false };
        match trigger {
            Trigger::Head { .. } => passed.head,
            Trigger::Event { nth, .. } => *nth <= passed.events,
            Trigger::Response { .. } => passed.response,
            Trigger::Resume { nth, .. } => *nth <= passed.resumes,
            // The answer to the newest request may still be under way.
            Trigger::Replay { nth, .. } => *nth < passed.resumes,
            Trigger::At { .. } => false,
        }
    }
}

/// What the rest of a plan is drawn from.
#[derive(Clone, Debug)]
pub struct Redraw {
    /// None: the operations stay as they are.
    workload: Option<DrawnWorkload>,
    faults: DrawnFaults,
}

impl Redraw {
    /// As this scenario draws; none if nothing is drawn in it.
    #[must_use]
    pub fn of_scenario(scenario: &Scenario) -> Option<Redraw> {
        let workload = match &scenario.workload {
            Workload::Drawn(drawn) => Some(drawn.clone()),
            Workload::Written(_) => None,
        };
        let StormFaults::Drawn(faults) = &scenario.storm.faults else { return None };
        let is_anything_drawn = workload.is_some() || !faults.families.is_empty();
        is_anything_drawn.then(|| Redraw { workload, faults: faults.clone() })
    }

    /// For a plan of which nobody knows how it was drawn: its operations stay, and of each family
    /// that it has faults of, one fault up to as many as it has of any family is drawn, of any
    /// action and in the usual amounts.
    #[must_use]
    pub fn of_plan(plan: &Plan) -> Redraw {
        let count = |family: &Family| plan.faults.iter().filter(|f| f.family == *family).count();
        let has = |family: &Family| count(family) > 0;
        let most = Family::ALL.iter().map(count).max().unwrap_or(0).clamp(1, FAULTS_MAX);
        let faults_per_family = Setting::between(1, most as u64);
        Redraw {
            workload: None,
            faults: DrawnFaults {
                families: Family::ALL.into_iter().filter(has).collect(),
                actions: Vec::new(),
                faults_per_family: faults_per_family.unwrap_or_else(|_| Setting::fixed(1)),
                extents: BTreeMap::new(),
            },
        }
    }

    /// Whether operations are drawn, and not only faults.
    #[must_use]
    pub const fn draws_operations(&self) -> bool {
        self.workload.is_some()
    }
}

/// Faults of one family that are drawn at most for a plan that was written by hand.
const FAULTS_MAX: usize = 4;

/// The plan with the same past and a future of another seed.
///
/// A plan that passes [`validate`](crate::validate()) gives one that does.
#[must_use]
pub fn reseed(plan: &Plan, past: &Past, redraw: &Redraw, seed: u64) -> Plan {
    let kept: Vec<Fault> =
        plan.faults.iter().filter(|fault| past.faults.contains(&fault.id)).cloned().collect();
    let operations = operations(plan, past, redraw, &kept, seed);
    let drawn =
        faults::draw(&redraw.faults, seed, plan.topology.replicas, &operations, &plan.phases);
    let mut drawn = remaining(drawn, &kept);
    drawn.retain(|fault| !past.has_passed(&fault.trigger));
    let mut taken: BTreeSet<String> = operations.iter().map(|o| o.id.clone()).collect();
    taken.extend(kept.iter().map(|fault| fault.id.clone()));
    for fault in &mut drawn {
        fault.id = free(&fault.id, &taken);
        taken.insert(fault.id.clone());
    }
    let faults = kept.into_iter().chain(drawn).collect();
    Plan { workload: operations, faults, ..plan.clone() }
}

/// Those that have begun, and after them those that are drawn and begin after the point.
fn operations(
    plan: &Plan,
    past: &Past,
    redraw: &Redraw,
    kept: &[Fault],
    seed: u64,
) -> Vec<Operation> {
    let Some(drawn) = &redraw.workload else { return plan.workload.clone() };
    let has_begun = |operation: &Operation| {
        past.operations.contains(&operation.id)
            || kept.iter().any(|fault| fault.trigger.stream() == Some(&operation.id))
    };
    let mut operations: Vec<Operation> =
        plan.workload.iter().filter(|operation| has_begun(operation)).cloned().collect();
    let is_later = |operation: &Operation| match past.session_ms {
        Some(session_ms) => operation.at_ms > session_ms,
        None => true,
    };
    let has_time = |Operation { at_ms, ask, .. }: &Operation| {
        let (deadline_ms, at) = (plan.phases.deadline_ms, FieldPath::default());
        let interval_ms = ask.interval_ms().unwrap_or(0);
        check_work_ends(*at_ms, ask.events(), interval_ms, &at, deadline_ms).is_ok()
    };
    for operation in workload::draw(drawn, seed) {
        let is_taken = operations.iter().any(|other| other.id == operation.id)
            || kept.iter().any(|fault| fault.id == operation.id);
        if !is_taken && is_later(&operation) && has_time(&operation) {
            operations.push(operation);
        }
    }
    operations.sort_by_key(|operation| operation.at_ms);
    operations
}

/// Of the faults that a seed gives a family, those that are left when as many are gone as it has
/// had: the one of the same id, or else the last. A cut that a fault brings along goes with it.
fn remaining(mut drawn: Vec<Fault>, kept: &[Fault]) -> Vec<Fault> {
    for gone in kept.iter().filter(|fault| !is_brought_along(fault)) {
        let same = drawn.iter().position(|fault| fault.id == gone.id);
        let of_family = |fault: &Fault| fault.family == gone.family && !is_brought_along(fault);
        if let Some(index) = same.or_else(|| drawn.iter().rposition(of_family)) {
            let id = drawn.remove(index).id;
            drawn.retain(|fault| fault.id.strip_suffix(CUT) != Some(&id));
        }
    }
    drawn
}

/// How the id of a cut ends that another fault brings along.
const CUT: &str = "-cut";

fn is_brought_along(fault: &Fault) -> bool {
    fault.id.ends_with(CUT)
}

/// The id, or if it is taken the first of `ID-2`, `ID-3`… that is not.
fn free(id: &str, taken: &BTreeSet<String>) -> String {
    let numbered = (2..).map(|number: u64| format!("{id}-{number}"));
    let mut ids = std::iter::once(id.to_owned()).chain(numbered);
    // Never none: there are more numbers than ids.
    ids.find(|id| !taken.contains(id)).unwrap_or_default()
}
