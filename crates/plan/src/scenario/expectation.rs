//! The `[expectation]` of a scenario: what must come of it.
//!
//! Owns the outcome of the reference trio, the cells that a sweep must have seen, and the cases in
//! which other implementations play the same plan and must be found out. Oracles and their
//! subjects are words here: this crate must not know the judge.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::Trio;
use crate::problem::{FieldPath, PlanError, Problem};
use crate::validate::check_name;

/// What must come of a scenario.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Expectation {
    /// What must come of each seed with the reference trio.
    pub outcome: ExpectedOutcome,
    /// The cells that a sweep of at least [`Expectation::CELLS_SEEDS_MIN`] seeds must have seen.
    pub cells: Vec<ExpectedCell>,
    /// Trios that are shown side by side. If there are any, they are played instead of the
    /// reference trio alone.
    #[serde(rename = "case")]
    pub cases: Vec<Case>,
}

/// What must come of each seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExpectedOutcome {
    /// No finding.
    #[default]
    Holds,
}

/// A cell of the table in design section 7 in which resumptions of correct implementations land.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExpectedCell {
    /// Accepted, and continuity held.
    Sound,
    /// Refused, and continuity could not have been proven.
    Needed,
    /// Refused, although continuity could have been proven.
    Needless,
}

impl ExpectedCell {
    /// The name in files and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ExpectedCell::Sound => "sound",
            ExpectedCell::Needed => "needed",
            ExpectedCell::Needless => "needless",
        }
    }
}

/// One trio, and all that must be found with it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What reports call it.
    pub name: String,
    /// The server under test.
    #[serde(default = "reference")]
    pub server: String,
    /// The proxy under test.
    #[serde(default = "reference")]
    pub proxy: String,
    /// The client under test.
    #[serde(default = "reference")]
    pub client: String,
    /// Exactly what must be found; nothing at all if this is empty.
    #[serde(default)]
    pub findings: Vec<ExpectedFinding>,
}

fn reference() -> String {
    "reference".to_owned()
}

impl Case {
    /// The three implementations.
    #[must_use]
    pub fn trio(&self) -> Trio {
        Trio { server: self.server.clone(), proxy: self.proxy.clone(), client: self.client.clone() }
    }
}

/// A finding that must occur.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedFinding {
    /// The oracle's name.
    pub oracle: String,
    /// The finding's subject.
    pub subject: String,
    /// What it means here, in one sentence.
    pub about: String,
    /// Where it is reported, or how it is known.
    #[serde(default)]
    pub reference: String,
}

impl Expectation {
    /// How many seeds a sweep needs before a cell that it never saw means anything.
    pub const CELLS_SEEDS_MIN: u64 = 1_000;

    pub(super) fn check(&self, at: &FieldPath) -> Result<(), PlanError> {
        for (index, cell) in self.cells.iter().enumerate() {
            if self.cells[..index].contains(cell) {
                let problem = Problem::NamedTwice { name: cell.name().to_owned() };
                return Err(at.key("cells").index(index).says(problem));
            }
        }
        let mut names = BTreeSet::new();
        for (index, case) in self.cases.iter().enumerate() {
            let at = at.key("case").index(index);
            check_name(&case.name, &at.key("name"))?;
            if !names.insert(&case.name) {
                let problem = Problem::NamedTwice { name: case.name.clone() };
                return Err(at.key("name").says(problem));
            }
            case.check(&at)?;
        }
        Ok(())
    }
}

impl Case {
    fn check(&self, at: &FieldPath) -> Result<(), PlanError> {
        for (role, name) in
            [("server", &self.server), ("proxy", &self.proxy), ("client", &self.client)]
        {
            if name.trim().is_empty() {
                return Err(at.key(role).says(Problem::Empty));
            }
        }
        let mut found = BTreeSet::new();
        for (index, finding) in self.findings.iter().enumerate() {
            let at = at.key("findings").index(index);
            check_name(&finding.oracle, &at.key("oracle"))?;
            check_name(&finding.subject, &at.key("subject"))?;
            if finding.about.trim().is_empty() {
                return Err(at.key("about").says(Problem::Empty));
            }
            if !found.insert((&finding.oracle, &finding.subject)) {
                let name = format!("{}/{}", finding.oracle, finding.subject);
                return Err(at.says(Problem::NamedTwice { name }));
            }
        }
        Ok(())
    }
}
