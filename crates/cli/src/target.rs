//! What is meant by `storm`, `storm@7`, `mine.toml@0x2a`, `plan.json`, `trace.ndjson`.
//!
//! Owns finding and reading the files, and how a target is typed again in a later command. Nothing
//! is played here. The name of a plan, and so its digest, comes from the file's stem alone: the
//! folder it is read from changes nothing.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufReader};
use std::path::Path;

use seamstress_plan::{
    Builtin, Family, Plan, Scenario, StormFaults, Trio, Workload, builtin, builtin_named, generate,
};
use seamstress_trace::{Digest, Trace};

use crate::args::TrioArguments;
use crate::seeds::{SeedsError, seed};
use crate::trio;

/// The folder in which scenarios are found by their stem.
pub const SIMS: &str = "sims";

const A_TRACE: &str = "the trace of a run that is over";

/// Why a target cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    #[error("there is no scenario `{name}`; {way_out}")]
    UnknownScenario { name: String, way_out: String },
    #[error("there is no defect `{name}`; {way_out}")]
    UnknownDefect { name: String, way_out: String },
    #[error("`{text}` has no seed; write {text}@7, say")]
    SeedMissing { text: String },
    #[error("{text}: {problem}")]
    BadSeed { text: String, problem: SeedsError },
    #[error("`{text}` is {found}; {way_out}")]
    OtherKind { text: String, found: &'static str, way_out: String },
    #[error("{path} cannot be read: {problem}")]
    Unreadable { path: String, problem: io::Error },
    #[error(transparent)]
    BadFile(#[from] seamstress_plan::ReadError),
    #[error("{path}: {problem}")]
    BadTrace { path: String, problem: seamstress_trace::ReadError },
}

/// A scenario with its name.
#[derive(Clone, Debug)]
pub struct NamedScenario {
    /// Its file's stem.
    pub name: String,
    /// How it is typed in a command.
    pub typed: String,
    /// Its file; none if it is of this build.
    pub path: Option<String>,
    /// What the file says.
    pub scenario: Scenario,
    /// The digest of the file.
    pub digest: Digest,
}

impl NamedScenario {
    /// Whether workload and faults are written by hand, so that all seeds play the same.
    pub fn is_written(&self) -> bool {
        let is_storm_written = match &self.scenario.storm.faults {
            StormFaults::Written(_) => true,
            StormFaults::Drawn(drawn) => drawn.families.is_empty(),
        };
        is_storm_written && matches!(self.scenario.workload, Workload::Written(_))
    }

    /// The families of faults that its runs are about, in the order of the file.
    pub fn families(&self) -> Vec<Family> {
        let mut families = Vec::new();
        match &self.scenario.storm.faults {
            StormFaults::Drawn(drawn) => families.clone_from(&drawn.families),
            StormFaults::Written(faults) => {
                for fault in faults {
                    if !families.contains(&fault.family) {
                        families.push(fault.family);
                    }
                }
            }
        }
        families
    }

    /// The plan of this seed, meant for this trio.
    pub fn plan(&self, seed: u64, trio: &Trio) -> Plan {
        Plan { trio: trio.clone(), ..generate(&self.scenario, &self.name, seed) }
    }

    /// How a run of this seed with this trio is named in a command.
    pub fn typed_run(&self, seed: u64, trio: &Trio) -> String {
        let run = format!("{}@{seed}", self.typed);
        format!("{}{}", trio::shell_word(&run), trio::as_arguments(trio))
    }
}

/// A plan with how its run is named in a command.
#[derive(Clone, Debug)]
pub struct NamedPlan {
    /// The plan.
    pub plan: Plan,
    /// Its file, if it comes from one.
    pub path: Option<String>,
    /// How its run is named in a command.
    pub typed: String,
}

impl NamedPlan {
    /// A text that begins with the plan's options, after the command that plays it. The report
    /// can only name that command for plans of this build's scenarios.
    pub fn after_its_command(&self, told: String) -> String {
        if told.starts_with("replay ") {
            return told;
        }
        format!("replay    seamstress replay {}\n{told}", self.typed)
    }
}

/// Finds a scenario by stem or path.
///
/// # Errors
/// [`TargetError`] if there is none, or if it is wrong.
pub fn scenario(text: &str) -> Result<NamedScenario, TargetError> {
    match kind(text) {
        Kind::Scenario => read_scenario(text, text),
        Kind::Stem => {
            let path = format!("{SIMS}/{text}.toml");
            if Path::new(&path).is_file() {
                return read_scenario(&path, text);
            }
            let found = builtin_named(text).ok_or_else(|| unknown_scenario(text))?;
            of_build(found)
        }
        Kind::Plan => {
            Err(other_kind(text, "a plan", format!("`seamstress replay {text}` plays it")))
        }
        Kind::Trace => Err(a_trace(text)),
        Kind::Other => Err(no_kind(text)),
    }
}

/// A scenario of this build.
///
/// # Errors
/// None in a build that passes its tests.
pub fn of_build(builtin: &Builtin) -> Result<NamedScenario, TargetError> {
    let Builtin { name, text, .. } = *builtin;
    let (scenario, digest) = read_text(&format!("{name}.toml"), text)?;
    let name = name.to_owned();
    Ok(NamedScenario { typed: name.clone(), name, path: None, scenario, digest })
}

/// Reads a scenario file that commands call `typed`.
///
/// # Errors
/// [`TargetError`] if it cannot be read or is wrong.
pub fn read_scenario(path: &str, typed: &str) -> Result<NamedScenario, TargetError> {
    let (scenario, digest) = read_text(path, &read(path)?)?;
    let (name, path) = (stem(path), Some(path.to_owned()));
    Ok(NamedScenario { name, typed: typed.to_owned(), path, scenario, digest })
}

fn read_text(path: &str, text: &str) -> Result<(Scenario, Digest), TargetError> {
    Ok((Scenario::from_toml(path, text)?, Digest::of(text.as_bytes())))
}

/// Reads a plan file.
///
/// # Errors
/// [`TargetError`] if it cannot be read or is wrong.
pub fn read_plan(path: &str) -> Result<NamedPlan, TargetError> {
    let plan = Plan::from_json(path, &read(path)?)?;
    Ok(NamedPlan { plan, path: Some(path.to_owned()), typed: trio::shell_word(path) })
}

/// Reads a trace file, for which nobody can ask for other implementations any more.
///
/// # Errors
/// [`TargetError`] if it cannot be read, was cut off or is wrong, or if somebody does.
pub fn trace(path: &str, trio: &TrioArguments) -> Result<Trace, TargetError> {
    if trio.is_given() {
        return Err(other_kind(
            path,
            A_TRACE,
            "leave --server, --proxy and --client out".to_owned(),
        ));
    }
    let file = fs::File::open(path).map_err(|problem| unreadable(path, problem))?;
    Trace::read(BufReader::new(file))
        .map_err(|problem| TargetError::BadTrace { path: path.to_owned(), problem })
}

/// Whether this names a trace file.
pub fn is_trace(text: &str) -> bool {
    kind(text) == Kind::Trace
}

/// Whether this names a plan file.
pub fn is_plan(text: &str) -> bool {
    kind(text) == Kind::Plan
}

/// Finds a plan, `PLAN` or `SCENARIO@SEED`, and puts in the implementations that were asked for.
///
/// # Errors
/// [`TargetError`] if there is none, or if a file is wrong.
pub fn plan(text: &str, trio: &TrioArguments) -> Result<NamedPlan, TargetError> {
    match kind(text) {
        Kind::Plan => {
            let mut named = read_plan(text)?;
            let asked = trio::choose(trio, &named.plan.trio);
            if asked != named.plan.trio {
                named.typed += &trio::as_arguments_beside(&asked, &named.plan.trio);
                named.plan.trio = asked;
            }
            Ok(named)
        }
        Kind::Trace => Err(a_trace(text)),
        Kind::Scenario | Kind::Stem | Kind::Other => {
            let (scenario, seed) = match scenario_and_seed(text)? {
                (scenario, Some(seed)) => (scenario, seed),
                (scenario, None) if scenario.is_written() => (scenario, 0),
                _ => return Err(TargetError::SeedMissing { text: text.to_owned() }),
            };
            let trio = trio::choose(trio, &Trio::default());
            let plan = scenario.plan(seed, &trio);
            Ok(NamedPlan { plan, path: None, typed: scenario.typed_run(seed, &trio) })
        }
    }
}

/// The scenario that a target's plan was drawn from: of a file it is the one that the plan is named
/// after, if this build has it.
///
/// # Errors
/// [`TargetError`] if there is none, or if it is wrong.
pub fn scenario_of(text: &str, plan: &Plan) -> Result<Option<NamedScenario>, TargetError> {
    if kind(text) == Kind::Plan {
        let named_after = plan.name.rsplit_once('@').and_then(|(name, _)| builtin_named(name));
        return named_after.map(of_build).transpose();
    }
    Ok(Some(scenario_and_seed(text)?.0))
}

/// Finds a scenario, and its seed if one is named with it.
///
/// # Errors
/// [`TargetError`] if there is no such scenario, or if the file or the seed is wrong.
pub fn scenario_and_seed(text: &str) -> Result<(NamedScenario, Option<u64>), TargetError> {
    // A path may hold an `@` of its own.
    let with_seed = if kind(text) == Kind::Scenario { None } else { text.rsplit_once('@') };
    if let Some((name, digits)) = with_seed {
        let scenario = scenario(name)?;
        let seed = seed(digits)
            .map_err(|problem| TargetError::BadSeed { text: text.to_owned(), problem })?;
        return Ok((scenario, Some(seed)));
    }
    Ok((scenario(text)?, None))
}

/// What a text names, by its looks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Scenario,
    Plan,
    Trace,
    /// A bare word.
    Stem,
    Other,
}

fn kind(text: &str) -> Kind {
    let path = Path::new(text);
    match path.extension().and_then(OsStr::to_str) {
        Some("toml") => Kind::Scenario,
        Some("json") => Kind::Plan,
        Some("ndjson") => Kind::Trace,
        _ if !text.is_empty() && path.file_name() == Some(OsStr::new(text)) && !path.is_dir() => {
            Kind::Stem
        }
        _ => Kind::Other,
    }
}

fn stem(path: &str) -> String {
    Path::new(path).file_stem().unwrap_or(OsStr::new(path)).to_string_lossy().into_owned()
}

fn read(path: &str) -> Result<String, TargetError> {
    fs::read_to_string(path).map_err(|problem| unreadable(path, problem))
}

fn unreadable(path: &str, problem: io::Error) -> TargetError {
    TargetError::Unreadable { path: path.to_owned(), problem }
}

fn other_kind(text: &str, found: &'static str, way_out: String) -> TargetError {
    TargetError::OtherKind { text: text.to_owned(), found, way_out }
}

fn a_trace(text: &str) -> TargetError {
    other_kind(text, A_TRACE, format!("`seamstress explain {text}` reads it"))
}

fn no_kind(text: &str) -> TargetError {
    let way_out = "name a scenario, or a file that ends in .toml or .json".to_owned();
    other_kind(text, "neither a scenario nor a file that can be played", way_out)
}

fn unknown_scenario(name: &str) -> TargetError {
    let stems = builtin().iter().map(|found| found.name.to_owned()).chain(stems_in_sims());
    let way_out = did_you_mean(name, stems.collect());
    TargetError::UnknownScenario { name: name.to_owned(), way_out }
}

/// The stems of the scenario files in the folder [`SIMS`], sorted; none without one.
pub fn stems_in_sims() -> Vec<String> {
    let entries = fs::read_dir(SIMS).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let mut stems: Vec<String> = paths
        .filter(|path| path.extension() == Some(OsStr::new("toml")))
        .map(|path| stem(&path.to_string_lossy()))
        .collect();
    stems.sort();
    stems
}

/// The way out for a word that is not known: the one that was probably meant, or all there are.
pub fn did_you_mean(word: &str, known: Vec<String>) -> String {
    let distance = |candidate: &String| strsim::osa_distance(word, candidate);
    match known.iter().min_by_key(|candidate| distance(candidate)) {
        Some(nearest) if distance(nearest) <= 2.max(word.len() / 3) => {
            format!("did you mean `{nearest}`?")
        }
        _ => format!("there is: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_file_changes_neither_name_nor_plan() {
        let here = of_build(&builtin()[0]).expect("a scenario");
        let there = NamedScenario { typed: "far/away/drop.toml".into(), ..here.clone() };
        let trio = Trio::default();
        assert_eq!(here.plan(7, &trio), there.plan(7, &trio));
        assert_eq!(there.typed_run(7, &trio), "far/away/drop.toml@7");
    }

    #[test]
    fn a_seed_may_be_left_out_only_where_nothing_is_drawn() {
        let trio = TrioArguments::default();
        assert_eq!(plan("incident-4471", &trio).expect("written").plan.seed, 0);
        assert!(matches!(plan("drop", &trio), Err(TargetError::SeedMissing { .. })));
        assert_eq!(plan("drop@0x2a", &trio).expect("a plan").plan.name, "drop@42");
    }

    #[test]
    fn an_at_in_the_path_of_a_file_begins_no_seed() {
        let error = plan("v@1/mine.toml", &TrioArguments::default()).expect_err("no such file");
        assert!(error.to_string().starts_with("v@1/mine.toml cannot be read: "), "{error}");
        let error = plan("v@1/mine.toml@7", &TrioArguments::default()).expect_err("no such file");
        assert!(error.to_string().starts_with("v@1/mine.toml cannot be read: "), "{error}");
    }

    #[test]
    fn a_slip_in_a_name_is_answered_with_what_was_meant() {
        let message = |text: &str| scenario(text).expect_err("unknown").to_string();
        assert_eq!(message("strom"), "there is no scenario `strom`; did you mean `storm`?");
        assert!(message("weather-report").contains("there is: drop, rotation, "));
    }

    #[test]
    fn files_of_another_kind_are_sent_to_the_verb_that_reads_them() {
        let message = |text: &str| scenario(text).expect_err("refused").to_string();
        assert!(message("a.json").contains("`seamstress replay a.json` plays it"));
        assert!(message("a.ndjson").contains("`seamstress explain a.ndjson` reads it"));
        assert!(message("no/such").contains("name a scenario, or a file that ends in "));
        assert!(message("").contains("name a scenario, or a file that ends in "));
    }
}
