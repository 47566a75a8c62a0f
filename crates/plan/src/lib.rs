//! Scenarios, plans, faults and the generator: what is played, as data.
//!
//! Owns the straight line's first step: a scenario and a seed give a [`Plan`], and nothing that is
//! played later can change it. It must not know async code, the network or the judge.

mod draws;
mod fault;
mod fit;
mod generate;
mod model;
mod problem;
mod read;
mod regression;
mod scenario;
mod schedule;
mod shrink;
mod text;
mod validate;
mod write;

pub use draws::Draws;
pub use fault::{Action, Extent, ExtentNeeds, Family, Fault, Place, StreamRef, Trigger};
pub use generate::{Passed, Past, Redraw, generate, reseed};
pub use model::{
    Ask, ClientOptions, Operation, Phases, Plan, PlanKind, RmcpOptions, Role, SCHEMA,
    ServerOptions, Topology, Trio, Unverifiable,
};
pub use problem::{FieldPath, PlanError, Problem, ReadError};
pub use regression::{Regression, RegressionOutcome};
pub use scenario::{
    Builtin, Case, DrawnFaults, DrawnWorkload, Expectation, ExpectedCell, ExpectedFinding,
    ExpectedOutcome, ExtentSetting, Kinds, RmcpSettings, Scenario, Settable, Setting, Storm,
    StormFaults, TopologySettings, Workload, builtin, builtin_named,
};
pub use schedule::{AtEvent, Connection, Schedule};
pub use shrink::{Pass, Shown, Shrunk, Stop, Trial, Tried, shrink};
pub use validate::validate;
