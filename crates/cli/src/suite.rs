//! The regression suite: which files are played, and which cases are in them.
//!
//! Owns reading everything that `run` was given before any of it is played, and the one order in
//! which its cases come. It must not play any of them.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use seamstress_oracle::Oracle;
use seamstress_plan::{Plan, Regression, RegressionOutcome, Trio, builtin};

use crate::error::CommandError;
use crate::expect::{Expected, ExpectedFinding};
use crate::regressions::REGRESSIONS;
use crate::target::{self, NamedPlan, NamedScenario, SIMS, TargetError};
use crate::trio;

/// One file of the suite.
#[expect(clippy::large_enum_variant, reason = "there are as many as files")]
pub enum Item {
    /// A scenario.
    Scenario {
        /// The scenario.
        scenario: NamedScenario,
        /// Whether it was named itself, not the folder it lies in.
        is_named: bool,
    },
    /// A plan.
    Plan(NamedPlan),
}

/// One trio that plays one item, and what must come of it.
pub struct Case<'a> {
    /// What it plays.
    pub item: &'a Item,
    /// Its name in the scenario's file, if it has one there.
    pub name: Option<&'a str>,
    /// Who plays.
    pub trio: Trio,
    /// What must come of it.
    pub expected: Expected,
    /// The number of its first run among all runs of the suite.
    pub first_run: u64,
    /// How many runs it has: seeds from 0, or one.
    pub runs: u64,
}

/// Reads everything that these targets name, or without any the folder `sims`, or without that the
/// scenarios of this build.
///
/// # Errors
/// [`CommandError`] for the first file that is wrong.
pub fn read(targets: &[String]) -> Result<Vec<Item>, CommandError> {
    let mut items = Vec::new();
    if targets.is_empty() && Path::new(SIMS).is_dir() {
        // What was found once is asked for before anything else.
        let is_other = |path: &PathBuf| !path.starts_with(REGRESSIONS);
        let mut paths = files_below(Path::new(SIMS))?;
        paths.sort_by_key(is_other);
        for path in paths {
            items.push(read_file(&path)?);
        }
    } else if targets.is_empty() {
        for builtin in builtin() {
            let scenario = target::of_build(builtin)?;
            items.push(Item::Scenario { scenario, is_named: false });
        }
    }
    for text in targets {
        let path = Path::new(text);
        if path.is_dir() {
            for path in files_below(path)? {
                items.push(read_file(&path)?);
            }
        } else if path.extension() == Some(OsStr::new("json")) {
            items.push(Item::Plan(target::read_plan(text)?));
        } else {
            let scenario = target::scenario(text)?;
            items.push(Item::Scenario { scenario, is_named: true });
        }
    }
    Ok(items)
}

fn read_file(path: &Path) -> Result<Item, TargetError> {
    let text = path.to_string_lossy();
    if path.extension() == Some(OsStr::new("json")) {
        return Ok(Item::Plan(target::read_plan(&text)?));
    }
    // In sims a stem is enough to name it.
    let stem = path.file_stem().map(OsStr::to_string_lossy);
    let typed = match stem {
        Some(stem) if path.parent() == Some(Path::new(SIMS)) => stem,
        _ => text.clone(),
    };
    let scenario = target::read_scenario(&text, &typed)?;
    Ok(Item::Scenario { scenario, is_named: false })
}

/// All .toml and .json files below a folder, sorted by path.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>, TargetError> {
    let unreadable =
        |problem| TargetError::Unreadable { path: folder.display().to_string(), problem };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let path = entry.path();
        // A link to a folder is not followed: it may lead in a circle.
        if entry.file_type().map_err(unreadable)?.is_dir() {
            files.extend(files_below(&path)?);
        } else if matches!(path.extension().and_then(OsStr::to_str), Some("toml" | "json")) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The cases of these items, in order.
///
/// # Errors
/// [`CommandError`] if a case names an oracle or an implementation that does not exist.
pub fn cases(items: &[Item]) -> Result<Vec<Case<'_>>, CommandError> {
    let mut cases = Vec::new();
    for item in items {
        match item {
            Item::Plan(named) => cases.push(plan_case(item, named)),
            Item::Scenario { scenario, .. } => scenario_cases(item, scenario, &mut cases)?,
        }
    }
    let mut first_run = 0;
    for case in &mut cases {
        trio::check(&case.trio)?;
        case.first_run = first_run;
        first_run += case.runs;
    }
    Ok(cases)
}

fn plan_case<'a>(item: &'a Item, named: &NamedPlan) -> Case<'a> {
    let trio = named.plan.trio.clone();
    let expected = match &named.plan.regression {
        Some(regression) => expected_again(regression),
        None if trio::has_defects(&trio) => Expected::FoundOut,
        None => Expected::Holds,
    };
    Case { item, name: None, trio, expected, first_run: 0, runs: 1 }
}

/// What a regression says must come.
fn expected_again(regression: &Regression) -> Expected {
    match regression.outcome {
        RegressionOutcome::Holds => Expected::Holds,
        RegressionOutcome::Violated | RegressionOutcome::Stuck => {
            Expected::Keys(regression.findings.clone())
        }
        RegressionOutcome::Error => Expected::Panics,
    }
}

fn scenario_cases<'a>(
    item: &'a Item,
    named: &'a NamedScenario,
    cases: &mut Vec<Case<'a>>,
) -> Result<(), CommandError> {
    let NamedScenario { scenario, typed, .. } = named;
    let runs = scenario.seeds;
    let written = &scenario.expectation.cases;
    if written.is_empty() {
        let (trio, expected) = (Trio::default(), Expected::Holds);
        cases.push(Case { item, name: None, trio, expected, first_run: 0, runs });
    }
    for case in written {
        let finding = |expected: &seamstress_plan::ExpectedFinding| {
            let oracle = oracle_named(typed, &case.name, &expected.oracle)?;
            Ok(ExpectedFinding { oracle, subject: expected.subject.clone() })
        };
        let findings: Result<Vec<_>, CommandError> = case.findings.iter().map(finding).collect();
        let findings = findings?;
        let expected =
            if findings.is_empty() { Expected::Holds } else { Expected::Exactly(findings) };
        let name = Some(case.name.as_str());
        cases.push(Case { item, name, trio: case.trio(), expected, first_run: 0, runs });
    }
    Ok(())
}

fn oracle_named(scenario: &str, case: &str, name: &str) -> Result<Oracle, CommandError> {
    Oracle::named(name).ok_or_else(|| {
        let known = Oracle::ALL.iter().map(|oracle| oracle.name().to_owned()).collect();
        CommandError::UnknownOracle {
            scenario: scenario.to_owned(),
            case: case.to_owned(),
            oracle: name.to_owned(),
            way_out: target::did_you_mean(name, known),
        }
    })
}

impl Case<'_> {
    /// The plan of one of its runs, counted from 0.
    pub fn plan(&self, run: u64) -> Plan {
        match self.item {
            Item::Scenario { scenario, .. } => scenario.plan(run, &self.trio),
            Item::Plan(named) => named.plan.clone(),
        }
    }

    /// The name of the plan of one of its runs.
    pub fn plan_name(&self, run: u64) -> String {
        match self.item {
            Item::Scenario { scenario, .. } => format!("{}@{run}", scenario.name),
            Item::Plan(named) => named.plan.name.clone(),
        }
    }

    /// How commands name this run.
    pub fn typed(&self, run: u64) -> String {
        match self.item {
            Item::Scenario { scenario, .. } => scenario.typed_run(run, &self.trio),
            Item::Plan(named) => named.typed.clone(),
        }
    }

    /// The scenario, if it plays one.
    pub fn scenario(&self) -> Option<&NamedScenario> {
        match self.item {
            Item::Scenario { scenario, .. } => Some(scenario),
            Item::Plan(_) => None,
        }
    }

    /// The file of the plan, if it plays one.
    pub fn plan_path(&self) -> Option<&str> {
        match self.item {
            Item::Scenario { .. } => None,
            Item::Plan(named) => named.path.as_deref(),
        }
    }

    /// Whether it is a plan that is kept as a regression.
    pub fn is_regression(&self) -> bool {
        match self.item {
            Item::Scenario { .. } => false,
            Item::Plan(named) => named.plan.regression.is_some(),
        }
    }

    /// What lines of reports call it.
    pub fn label(&self) -> String {
        match (self.item, self.name) {
            (Item::Scenario { scenario, .. }, None) => scenario.typed.clone(),
            (Item::Scenario { scenario, .. }, Some(case)) => {
                format!("{}, case {case}", scenario.typed)
            }
            (Item::Plan(named), _) => named.path.clone().unwrap_or_else(|| named.typed.clone()),
        }
    }

    /// Whether it is one of the two cases of a scenario written by hand that was named.
    pub fn is_shown_side_by_side(&self) -> bool {
        match self.item {
            Item::Scenario { scenario, is_named } => {
                *is_named && scenario.is_written() && scenario.scenario.expectation.cases.len() == 2
            }
            Item::Plan(_) => false,
        }
    }
}
