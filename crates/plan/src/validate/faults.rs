//! Which faults are possible.
//!
//! Owns the rules for faults: a trigger that fits the action and names a stream that exists, the
//! extent that the action reads and no more. It must not know where they come from.

use super::workload::{STANDALONE, check_name, check_number_of_events};
use super::{COUNT_MAX, TIME_MS_MAX};
use crate::problem::{FieldPath, PlanError, Problem, did_you_mean};
use crate::{Action, Ask, Extent, Family, Fault, Operation, Phases, Place, Trigger};

/// What a fault must fit into.
pub(crate) struct FaultContext<'a> {
    pub operations: &'a [Operation],
    /// The least number of replicas there can be.
    pub replicas_min: u64,
    pub phases: &'a Phases,
}

/// More faults than any scenario draws: two for each of 100 in each family.
const FAULTS_MAX: u64 = 2_000;

/// Refuses faults that cannot happen.
pub(crate) fn check_faults(
    faults: &[Fault],
    at: &FieldPath,
    context: &FaultContext<'_>,
) -> Result<(), PlanError> {
    at.at_most(FAULTS_MAX, faults.len() as u64, "faults")?;
    let mut events = 0;
    for (index, fault) in faults.iter().enumerate() {
        let at = at.index(index);
        check_name(&fault.id, &at.key("id"))?;
        let taken = faults[..index].iter().any(|other| other.id == fault.id)
            || context.operations.iter().any(|operation| operation.id == fault.id);
        if taken {
            return Err(at.key("id").says(Problem::RepeatedId { id: fault.id.clone() }));
        }
        check_action(fault, &at, context)?;
        check_trigger(fault, &at.key("trigger"), context)?;
        check_extent_of(fault.action, &fault.extent, &at.key("extent"))?;
        if fault.action.makes_events() {
            events += fault.extent.count.unwrap_or(0);
            check_number_of_events(events, &at.key("extent").key("count"))?;
        }
    }
    Ok(())
}

fn check_action(
    fault: &Fault,
    at: &FieldPath,
    context: &FaultContext<'_>,
) -> Result<(), PlanError> {
    let Fault { family, action, .. } = *fault;
    if family != action.family() {
        return Err(at.key("family").says(Problem::WrongFamily { action, family }));
    }
    if action.needs_another_replica() && context.replicas_min < 2 {
        return Err(at.key("action").says(Problem::NoOtherReplica { action }));
    }
    Ok(())
}

fn check_trigger(
    fault: &Fault,
    at: &FieldPath,
    context: &FaultContext<'_>,
) -> Result<(), PlanError> {
    let Fault { action, ref trigger, .. } = *fault;
    let fitting = action.fitting();
    if !fitting.contains(&trigger.kind()) {
        let names: Vec<&str> = fitting.iter().map(|kind| kind.name()).collect();
        let (trigger, fitting) = (trigger.kind().name(), names.join(", "));
        return Err(at.says(Problem::UnfittingTrigger { action, trigger, fitting }));
    }
    if let Some(stream) = trigger.stream() {
        check_stream(stream, trigger, at, context)?;
    }
    match trigger {
        Trigger::Event { nth, place, .. } => {
            at.key("nth").in_range(*nth, 1, COUNT_MAX)?;
            if *place != Place::After && action.family() != Family::Drop {
                return Err(at.key("place").says(Problem::UnfittingPlace { action }));
            }
            if let Place::Byte(bytes) = place {
                at.key("place").key("byte").in_range(*bytes, 1, COUNT_MAX)?;
            }
        }
        Trigger::Resume { nth, .. } => at.key("nth").in_range(*nth, 1, COUNT_MAX)?,
        Trigger::Replay { nth, events, .. } => {
            at.key("nth").in_range(*nth, 1, COUNT_MAX)?;
            at.key("events").in_range(*events, 0, COUNT_MAX)?;
        }
        Trigger::At { at_ms } => {
            let Phases { chaos_from_ms: from_ms, chaos_until_ms: until_ms, .. } = *context.phases;
            if !(from_ms..until_ms).contains(at_ms) {
                let problem = Problem::AtOutsideChaos { at_ms: *at_ms, from_ms, until_ms };
                return Err(at.key("at_ms").says(problem));
            }
        }
        Trigger::Head { .. } | Trigger::Response { .. } => {}
    }
    Ok(())
}

fn check_stream(
    stream: &str,
    trigger: &Trigger,
    at: &FieldPath,
    context: &FaultContext<'_>,
) -> Result<(), PlanError> {
    let at = at.key("stream");
    let Some(operation) = context.operations.iter().find(|operation| operation.id == stream) else {
        let with_streams = context.operations.iter().filter(|operation| operation.has_stream());
        let known: Vec<&str> = with_streams.map(|operation| operation.id.as_str()).collect();
        let way_out = did_you_mean(stream, &known);
        return Err(at.says(Problem::UnknownStream { stream: stream.to_owned(), way_out }));
    };
    if !operation.has_stream() {
        return Err(at.says(Problem::NoStream { operation: operation.id.clone() }));
    }
    if matches!(trigger, Trigger::Response { .. }) && operation.ask == Ask::Listen {
        return Err(at.says(Problem::NoResponse { operation: STANDALONE.to_owned() }));
    }
    Ok(())
}

fn check_extent_of(action: Action, extent: &Extent, at: &FieldPath) -> Result<(), PlanError> {
    let values = |number: Option<u64>| number.map(|number| vec![number]);
    let given = [values(extent.count), values(extent.bytes), values(extent.duration_ms)];
    check_extent(action, given, at)
}

/// Refuses an extent that the action does not read, or the lack of one that it reads. `given` are
/// the values that `count`, `bytes` and `duration_ms` may have, if they are given.
pub(crate) fn check_extent(
    action: Action,
    given: [Option<Vec<u64>>; 3],
    at: &FieldPath,
) -> Result<(), PlanError> {
    let needs = action.needs();
    let fields = [
        ("count", needs.count, COUNT_MAX),
        ("bytes", needs.bytes, COUNT_MAX),
        ("duration_ms", needs.duration_ms, TIME_MS_MAX),
    ];
    for ((field, needed, max), given) in fields.into_iter().zip(given) {
        match (needed, given) {
            (true, None) => return Err(at.says(Problem::MissingExtent { action, field })),
            (false, Some(_)) => {
                return Err(at.key(field).says(Problem::SuperfluousExtent { action, field }));
            }
            (true, Some(values)) => {
                values.iter().try_for_each(|value| at.key(field).in_range(*value, 1, max))?;
            }
            (false, None) => {}
        }
    }
    Ok(())
}
