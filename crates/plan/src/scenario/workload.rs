//! The `[workload]` of a scenario: what the client asks for, drawn or written by hand.
//!
//! Owns both forms and their check. It must not know how operations are drawn.

use serde::Deserialize;

use super::Setting;
use crate::Operation;
use crate::problem::{FieldPath, PlanError, Problem};
use crate::validate::{
    COUNT_MAX, TIME_MS_MAX, check_number_of_events, check_operations, check_work_ends,
};

/// What the client asks for.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one in a scenario")]
pub enum Workload {
    /// Each seed draws its operations.
    Drawn(DrawnWorkload),
    /// `[[workload.operation]]`: these, in the shape that they have in a plan.
    Written(Vec<Operation>),
}

/// Operations that each seed draws.
#[derive(Clone, Debug)]
pub struct DrawnWorkload {
    /// How many of each kind.
    pub kinds: Kinds,
    /// How many events a count or an announcement has.
    pub events: Setting<u64>,
    /// The time between two of them, in milliseconds.
    pub interval_ms: Setting<u64>,
    /// When an operation begins, in milliseconds since the session was initialised.
    pub at_ms: Setting<u64>,
    /// Whether a count reports its progress on the standalone stream.
    pub progress_on_standalone: Setting<bool>,
}

/// How many operations of each kind, by the names of [`Ask::name`](crate::Ask::name). A range that
/// begins at 0 leaves the kind to the swarm: out for every other seed, and at least one otherwise.
/// There is always at least one count.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names are those of the operations")]
pub struct Kinds {
    pub count: Setting<u64>,
    pub announce: Setting<u64>,
    pub list_tools: Setting<u64>,
    pub ping: Setting<u64>,
    /// At most one.
    pub listen: Setting<u64>,
}

impl Default for Kinds {
    fn default() -> Kinds {
        let none = || Setting::fixed(0);
        Kinds {
            count: Setting::fixed(1),
            announce: none(),
            list_tools: none(),
            ping: none(),
            listen: none(),
        }
    }
}

/// The part as it is written.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct WorkloadFile {
    kinds: Option<Kinds>,
    events: Option<Setting<u64>>,
    interval_ms: Option<Setting<u64>>,
    at_ms: Option<Setting<u64>>,
    progress_on_standalone: Option<Setting<bool>>,
    operation: Option<Vec<Operation>>,
}

/// A range that is the default of a setting.
fn range(from: u64, to: u64) -> Setting<u64> {
    Setting::between(from, to).expect("the defaults below are in order")
}

impl WorkloadFile {
    pub(super) fn finish(self, at: &FieldPath) -> Result<Workload, PlanError> {
        let drawn_keys = [
            ("kinds", self.kinds.is_some()),
            ("events", self.events.is_some()),
            ("interval_ms", self.interval_ms.is_some()),
            ("at_ms", self.at_ms.is_some()),
            ("progress_on_standalone", self.progress_on_standalone.is_some()),
        ];
        if let Some(operations) = self.operation {
            return match drawn_keys.into_iter().find(|(_, given)| *given) {
                Some((key, _)) => {
                    let problem = Problem::DrawnAndWritten { written: "operation" };
                    Err(at.key(key).says(problem))
                }
                None => Ok(Workload::Written(operations)),
            };
        }
        Ok(Workload::Drawn(DrawnWorkload {
            kinds: self.kinds.unwrap_or_default(),
            events: self.events.unwrap_or_else(|| range(5, 25)),
            interval_ms: self.interval_ms.unwrap_or_else(|| range(1, 4)),
            at_ms: self.at_ms.unwrap_or_else(|| range(0, 20)),
            progress_on_standalone: self
                .progress_on_standalone
                .unwrap_or_else(|| Setting::fixed(false)),
        }))
    }
}

/// More operations of one kind than a run can tell apart.
const OPERATIONS_MAX: u64 = 100;

impl Workload {
    pub(super) fn check(&self, at: &FieldPath, deadline_ms: u64) -> Result<(), PlanError> {
        match self {
            Workload::Drawn(drawn) => drawn.check(at, deadline_ms),
            Workload::Written(operations) => {
                check_operations(operations, &at.key("operation"), deadline_ms)
            }
        }
    }
}

impl DrawnWorkload {
    fn check(&self, at: &FieldPath, deadline_ms: u64) -> Result<(), PlanError> {
        let kinds_at = at.key("kinds");
        let Kinds { count, announce, list_tools, ping, listen } = &self.kinds;
        in_range(count, &kinds_at.key("count"), 1, OPERATIONS_MAX)?;
        in_range(announce, &kinds_at.key("announce"), 0, OPERATIONS_MAX)?;
        in_range(list_tools, &kinds_at.key("list-tools"), 0, OPERATIONS_MAX)?;
        in_range(ping, &kinds_at.key("ping"), 0, OPERATIONS_MAX)?;
        in_range(listen, &kinds_at.key("listen"), 0, 1)?;
        in_range(&self.events, &at.key("events"), 1, COUNT_MAX)?;
        in_range(&self.interval_ms, &at.key("interval_ms"), 0, TIME_MS_MAX)?;
        in_range(&self.at_ms, &at.key("at_ms"), 0, TIME_MS_MAX)?;
        let (events, interval_ms) = (self.events.highest(), self.interval_ms.highest());
        let with_events = count.highest() + announce.highest();
        check_number_of_events(with_events * events, &at.key("events"))?;
        check_work_ends(self.at_ms.highest(), events, interval_ms, &at.key("events"), deadline_ms)
    }
}

fn in_range(setting: &Setting<u64>, at: &FieldPath, from: u64, to: u64) -> Result<(), PlanError> {
    setting.telling().into_iter().try_for_each(|value| at.in_range(value, from, to))
}
