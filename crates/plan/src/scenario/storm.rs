//! The `[storm]` of a scenario: what goes wrong and when, drawn or written by hand.
//!
//! Owns both forms and their check. It must not know how faults are drawn.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Setting, TopologySettings};
use crate::problem::{FieldPath, PlanError, Problem};
use crate::validate::{EVENTS_MAX, check_extent};
use crate::{Action, Family, Fault, Phases};

/// What goes wrong, and when.
#[derive(Clone, Debug)]
pub struct Storm {
    /// The phases of each run.
    pub phases: Phases,
    /// The faults.
    pub faults: StormFaults,
}

/// Where the faults come from.
#[derive(Clone, Debug)]
pub enum StormFaults {
    /// Each seed draws its own.
    Drawn(DrawnFaults),
    /// `[[storm.fault]]`: these, in the shape that they have in a plan.
    Written(Vec<Fault>),
}

/// Faults that each seed draws.
#[derive(Clone, Debug)]
pub struct DrawnFaults {
    /// The families that may take part; each is out for every other seed.
    pub families: Vec<Family>,
    /// The only actions that may be drawn; empty for all of the families.
    pub actions: Vec<Action>,
    /// How many faults each family has that takes part.
    pub faults_per_family: Setting<u64>,
    /// How much of an action, where the usual amount (made for streams of some ten milliseconds)
    /// does not fit.
    pub extents: BTreeMap<Action, ExtentSetting>,
}

/// An [`Extent`](crate::Extent) with open values; the action says which field it reads.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "said at Extent")]
pub struct ExtentSetting {
    pub count: Option<Setting<u64>>,
    pub bytes: Option<Setting<u64>>,
    pub duration_ms: Option<Setting<u64>>,
}

/// The part as it is written.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct StormFile {
    families: Option<Vec<Family>>,
    actions: Option<Vec<Action>>,
    faults_per_family: Option<Setting<u64>>,
    extents: Option<BTreeMap<Action, ExtentSetting>>,
    chaos_from_ms: u64,
    chaos_until_ms: u64,
    deadline_ms: u64,
    fault: Option<Vec<Fault>>,
}

impl Default for StormFile {
    fn default() -> StormFile {
        StormFile {
            families: None,
            actions: None,
            faults_per_family: None,
            extents: None,
            chaos_from_ms: 10,
            chaos_until_ms: 160,
            deadline_ms: 1_500,
            fault: None,
        }
    }
}

impl StormFile {
    pub(super) fn finish(self, at: &FieldPath) -> Result<Storm, PlanError> {
        let phases = Phases {
            chaos_from_ms: self.chaos_from_ms,
            chaos_until_ms: self.chaos_until_ms,
            deadline_ms: self.deadline_ms,
        };
        let drawn_keys = [
            ("families", self.families.is_some()),
            ("actions", self.actions.is_some()),
            ("faults_per_family", self.faults_per_family.is_some()),
            ("extents", self.extents.is_some()),
        ];
        if let Some(faults) = self.fault {
            return match drawn_keys.into_iter().find(|(_, given)| *given) {
                Some((key, _)) => {
                    Err(at.key(key).says(Problem::DrawnAndWritten { written: "fault" }))
                }
                None => Ok(Storm { phases, faults: StormFaults::Written(faults) }),
            };
        }
        let faults = StormFaults::Drawn(DrawnFaults {
            families: self.families.unwrap_or_default(),
            actions: self.actions.unwrap_or_default(),
            faults_per_family: self.faults_per_family.unwrap_or_else(|| Setting::fixed(1)),
            extents: self.extents.unwrap_or_default(),
        });
        Ok(Storm { phases, faults })
    }
}

/// As many of the events that faults make as those of one family may be. The actions that make
/// some are of two families, one of which may come in its usual amount.
const DRAWN_EVENTS_MAX: u64 = EVENTS_MAX / 4;

/// More faults of one family than a run of this size can feel.
const FAULTS_PER_FAMILY_MAX: u64 = 100;

impl DrawnFaults {
    /// The actions of this family that may be drawn with this many replicas, in the order of
    /// [`Action::ALL`].
    pub(crate) fn usable(&self, family: Family, replicas: u64) -> Vec<Action> {
        let usable = |action: &Action| {
            action.family() == family
                && self.may_be_drawn(*action)
                && (replicas >= 2 || !action.needs_another_replica())
        };
        Action::ALL.iter().copied().filter(usable).collect()
    }

    fn may_be_drawn(&self, action: Action) -> bool {
        self.families.contains(&action.family())
            && (self.actions.is_empty() || self.actions.contains(&action))
    }

    pub(super) fn check(
        &self,
        at: &FieldPath,
        topology: &TopologySettings,
    ) -> Result<(), PlanError> {
        let replicas_max = topology.replicas.highest();
        for (index, family) in self.families.iter().enumerate() {
            let at = at.key("families").index(index);
            if self.families[..index].contains(family) {
                return Err(at.says(Problem::NamedTwice { name: family.to_string() }));
            }
            if self.usable(*family, replicas_max).is_empty() {
                return Err(at.says(self.why_unusable(*family)));
            }
        }
        for (index, action) in self.actions.iter().enumerate() {
            let at = at.key("actions").index(index);
            if self.actions[..index].contains(action) {
                return Err(at.says(Problem::NamedTwice { name: action.to_string() }));
            }
            if !self.may_be_drawn(*action) {
                return Err(at.says(Problem::NeverDrawn { action: *action }));
            }
        }
        let per_family_at = at.key("faults_per_family");
        for number in self.faults_per_family.telling() {
            per_family_at.in_range(number, 0, FAULTS_PER_FAMILY_MAX)?;
        }
        self.check_extents(&at.key("extents"))
    }

    fn why_unusable(&self, family: Family) -> Problem {
        let way_out = if self.usable(family, u64::MAX).is_empty() {
            "name one of its actions in `actions`, or remove the family"
        } else {
            "those in `actions` need a second replica, so let `replicas` be 2 or 3"
        };
        Problem::FamilyWithoutAction { family, way_out }
    }

    fn check_extents(&self, at: &FieldPath) -> Result<(), PlanError> {
        for (action, extent) in &self.extents {
            let at = at.key(action.name());
            if !self.may_be_drawn(*action) {
                return Err(at.says(Problem::NeverDrawn { action: *action }));
            }
            let values = |setting: &Option<Setting<u64>>| setting.as_ref().map(Setting::telling);
            let given = [values(&extent.count), values(&extent.bytes), values(&extent.duration_ms)];
            check_extent(*action, given, &at)?;
            if action.makes_events() {
                let each = extent.count.as_ref().map_or(0, Setting::highest);
                let events = each * self.faults_per_family.highest();
                at.key("count").at_most(DRAWN_EVENTS_MAX, events, "events in all")?;
            }
        }
        Ok(())
    }
}
