//! Scenarios: what a plan is generated from.
//!
//! Owns the scenario file with its four parts, topology, workload, storm and expectation, and the
//! check that every plan that can be drawn from it is possible. It must not know how a plan is
//! drawn (`generate`) or played.

mod builtin;
mod expectation;
mod setting;
mod storm;
mod topology;
mod workload;

pub use builtin::{Builtin, builtin, builtin_named};
pub use expectation::{Case, Expectation, ExpectedCell, ExpectedFinding, ExpectedOutcome};
pub use setting::{Settable, Setting};
pub use storm::{DrawnFaults, ExtentSetting, Storm, StormFaults};
pub use topology::{RmcpSettings, TopologySettings};
pub use workload::{DrawnWorkload, Kinds, Workload};

use serde::Deserialize;

use crate::problem::{FieldPath, PlanError, Problem, ReadError};
use crate::text::Document;
use crate::validate::{FaultContext, check_faults, check_phases, check_topology};
use crate::{Action, Phases};

/// What a plan is generated from: some values fixed, some left to the seed.
///
/// ```
/// use seamstress_plan::{Scenario, generate};
///
/// let text = r#"
/// about = "A call whose connection is cut now and then."
/// [topology]
/// session_events_max = { any = [4, 8, "none"] }
/// [workload]
/// events = { from = 5, to = 15 }
/// [storm]
/// families = ["drop"]
/// "#;
/// let scenario = Scenario::from_toml("cuts.toml", text)?;
/// let plan = generate(&scenario, "cuts", 7);
/// assert_eq!(plan.name, "cuts@7");
/// # Ok::<(), seamstress_plan::ReadError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scenario {
    /// One or two sentences on what it shows.
    pub about: String,
    /// How many seeds the regression suite plays.
    pub seeds: u64,
    /// Who takes part.
    pub topology: TopologySettings,
    /// What the client asks for.
    pub workload: Workload,
    /// What goes wrong, and when.
    pub storm: Storm,
    /// What must come of it.
    pub expectation: Expectation,
}

/// A scenario file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScenarioFile {
    about: String,
    #[serde(default = "one_seed")]
    seeds: u64,
    like: Option<String>,
    topology: Option<TopologySettings>,
    workload: Option<workload::WorkloadFile>,
    storm: Option<storm::StormFile>,
    #[serde(default)]
    expectation: Expectation,
}

impl ScenarioFile {
    /// The scenario, with the parts of the one that it is like, if it says so.
    fn finish(self) -> Result<Scenario, PlanError> {
        let top = FieldPath::default();
        let (about, seeds, expectation) = (self.about, self.seeds, self.expectation);
        let Some(like) = self.like else {
            let workload = self.workload.unwrap_or_default();
            let storm = self.storm.unwrap_or_default();
            return Ok(Scenario {
                about,
                seeds,
                topology: self.topology.unwrap_or_default(),
                workload: workload.finish(&top.key("workload"))?,
                storm: storm.finish(&top.key("storm"))?,
                expectation,
            });
        };
        let has_parts = [
            ("topology", self.topology.is_some()),
            ("workload", self.workload.is_some()),
            ("storm", self.storm.is_some()),
        ];
        if let Some((part, _)) = has_parts.into_iter().find(|(_, is_there)| *is_there) {
            return Err(top.key(part).says(Problem::PartOfAnotherScenario { like }));
        }
        // The scenarios of the build are read by its tests.
        let found = builtin_named(&like);
        let found = found.and_then(|found| Scenario::from_toml(found.name, found.text).ok());
        let Some(found) = found else {
            let known = builtin().iter().map(|found| found.name).collect::<Vec<_>>().join(", ");
            return Err(top.key("like").says(Problem::NoSuchScenario { name: like, known }));
        };
        Ok(Scenario { about, seeds, expectation, ..found })
    }
}

fn one_seed() -> u64 {
    1
}

/// More seeds than anyone plays in one go.
const SEEDS_MAX: u64 = 1_000_000_000;

impl Scenario {
    /// Reads a scenario file. `file` is how messages call it.
    ///
    /// # Errors
    /// [`ReadError`] with line and column, if the text is no TOML, if a key or word is not known
    /// or missing, or if a plan drawn from it could be impossible.
    pub fn from_toml(file: &str, text: &str) -> Result<Scenario, ReadError> {
        let document = Document::toml(file, text)?;
        let read: ScenarioFile = document.decode()?;
        let place = |error| document.place(error);
        let scenario = read.finish().map_err(place)?;
        scenario.check().map_err(place)?;
        Ok(scenario)
    }

    /// The actions that its faults may have, in the order of [`Action::ALL`].
    #[must_use]
    pub fn actions(&self) -> Vec<Action> {
        let is_listed = |action: &Action| match &self.storm.faults {
            StormFaults::Written(faults) => faults.iter().any(|fault| fault.action == *action),
            StormFaults::Drawn(drawn) => {
                drawn.usable(action.family(), self.topology.replicas.highest()).contains(action)
            }
        };
        Action::ALL.iter().copied().filter(is_listed).collect()
    }

    /// Refuses a scenario from which an impossible plan could be drawn. [`Scenario::from_toml`] has
    /// done that already; it is for scenarios put together in memory.
    ///
    /// # Errors
    /// The first value that is or may become impossible.
    pub fn check(&self) -> Result<(), PlanError> {
        let top = FieldPath::default();
        if self.about.trim().is_empty() {
            return Err(top.key("about").says(Problem::Empty));
        }
        top.key("seeds").in_range(self.seeds, 1, SEEDS_MAX)?;
        check_topology(&self.topology.values(&top.key("topology")))?;
        let (workload_at, storm_at) = (top.key("workload"), top.key("storm"));
        let phases: &Phases = &self.storm.phases;
        check_phases(phases, &storm_at)?;
        self.workload.check(&workload_at, phases.deadline_ms)?;
        match (&self.storm.faults, &self.workload) {
            (StormFaults::Drawn(drawn), _) => drawn.check(&storm_at, &self.topology)?,
            (StormFaults::Written(faults), Workload::Written(operations)) => {
                let replicas = self.topology.replicas.telling();
                let context = FaultContext {
                    operations,
                    // Never none: a setting has at least one value.
                    replicas_min: replicas.into_iter().min().unwrap_or(1),
                    phases,
                };
                check_faults(faults, &storm_at.key("fault"), &context)?;
            }
            (StormFaults::Written(_), Workload::Drawn(_)) => {
                return Err(storm_at.key("fault").says(Problem::WrittenFaultsOnDrawnWorkload));
            }
        }
        self.expectation.check(&top.key("expectation"))
    }
}
