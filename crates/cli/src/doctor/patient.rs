//! What is examined: many seeds of a scenario, one of them, or a saved plan.
//!
//! Owns reading the target, the plan of each seed, and the commands with which this process and
//! another play the same. Those are ordinary verbs, so that a user can type them as well; files
//! are named by their whole path, because the other process works elsewhere.

use std::num::NonZeroUsize;
use std::path::{self, Path, PathBuf};

use seamstress_plan::{Plan, Trio};
use seamstress_report::SeedResult;

use crate::args::DoctorArguments;
use crate::seeds::SeedRange;
use crate::target::{self, NamedPlan, NamedScenario, TargetError};
use crate::trio;

/// How many seeds are played when nobody says.
const SEEDS: SeedRange = SeedRange { from: 0, until: 200 };

/// What is examined.
pub struct Patient {
    what: What,
    /// The file by its whole path, or the name of a scenario of this build.
    whole_name: String,
    /// The seeds; exactly one for a plan.
    pub seeds: SeedRange,
    /// Who plays.
    pub trio: Trio,
}

enum What {
    Scenario(Box<NamedScenario>),
    Plan(Box<NamedPlan>),
}

impl Patient {
    /// What the arguments mean.
    ///
    /// # Errors
    /// [`TargetError`] if there is no such thing, or a range is given for a single run.
    pub fn of(arguments: &DoctorArguments) -> Result<Patient, TargetError> {
        let DoctorArguments { target, seeds, trio: asked, .. } = arguments;
        let single = |found: &'static str| TargetError::OtherKind {
            text: target.clone(),
            found,
            way_out: "leave --seeds out".to_owned(),
        };
        if target::is_plan(target) {
            if seeds.is_some() {
                return Err(single("a plan, which has one seed"));
            }
            let named = target::plan(target, asked)?;
            let whole_name = whole_name(named.path.as_deref(), target)?;
            let (seeds, trio) = (one(named.plan.seed), named.plan.trio.clone());
            return Ok(Patient { what: What::Plan(Box::new(named)), whole_name, seeds, trio });
        }
        let (scenario, seed) = target::scenario_and_seed(target)?;
        let seeds = match (seeds, seed) {
            (Some(_), Some(_)) => return Err(single("a run of one seed")),
            (Some(seeds), None) => *seeds,
            (None, Some(seed)) => one(seed),
            // Nothing is drawn, so that one run shows all.
            (None, None) if scenario.is_written() => one(0),
            (None, None) => SEEDS,
        };
        let trio = trio::choose(asked, &Trio::default());
        let whole_name = whole_name(scenario.path.as_deref(), &scenario.name)?;
        Ok(Patient { what: What::Scenario(Box::new(scenario)), whole_name, seeds, trio })
    }

    /// The plan of a seed, made anew.
    pub fn plan(&self, seed: u64) -> Plan {
        match &self.what {
            What::Scenario(scenario) => scenario.plan(seed, &self.trio),
            What::Plan(named) => named.plan.clone(),
        }
    }

    /// How it is typed in a command, without the implementations.
    pub fn typed(&self) -> &str {
        match &self.what {
            What::Scenario(scenario) => &scenario.typed,
            What::Plan(named) => named.path.as_deref().unwrap_or(&named.typed),
        }
    }

    /// How the run of a seed is typed in a command.
    pub fn typed_run(&self, seed: u64) -> String {
        match &self.what {
            What::Scenario(scenario) => scenario.typed_run(seed, &self.trio),
            What::Plan(named) => named.typed.clone(),
        }
    }

    /// How all its runs are typed in a command.
    pub fn typed_runs(&self) -> String {
        match &self.what {
            What::Scenario(scenario) if self.seeds.count() != 1 => {
                let (scenario, trio) = (&scenario.typed, trio::as_arguments(&self.trio));
                format!("{} --seeds {}{trio}", trio::shell_word(scenario), self.seeds)
            }
            _ => self.typed_run(self.seeds.from),
        }
    }

    /// What a process says of a run that comes to this, if it is asked with
    /// [`Patient::arguments`].
    pub fn line(&self, result: &SeedResult) -> String {
        match &self.what {
            What::Scenario(_) => seamstress_report::seed_line(result),
            What::Plan(named) => {
                let (name, path) = (&named.plan.name, Some(&*self.whole_name));
                seamstress_report::play_line(name, path, None, result, None, None)
            }
        }
    }

    /// The arguments with which a process plays these seeds.
    pub fn arguments(&self, seeds: SeedRange, jobs: NonZeroUsize) -> Vec<String> {
        let name = self.whole_name.clone();
        let (seeds, jobs) = (seeds.to_string(), jobs.to_string());
        let asked = match &self.what {
            What::Scenario(_) => {
                vec!["sweep".into(), name, "--seeds".into(), seeds, "--jobs".into(), jobs]
            }
            What::Plan(_) => vec!["replay".into(), name],
        };
        asked.into_iter().chain(self.played_by()).collect()
    }

    /// The arguments with which a process writes the trace of a seed.
    pub fn trace_arguments(&self, seed: u64) -> Vec<String> {
        let name = match &self.what {
            What::Scenario(_) => format!("{}@{seed}", self.whole_name),
            What::Plan(_) => self.whole_name.clone(),
        };
        ["explain".to_owned(), name].into_iter().chain(self.played_by()).collect()
    }

    fn played_by(&self) -> impl Iterator<Item = String> {
        let roles = self.trio.by_role().into_iter();
        let roles = roles.flat_map(|(role, name)| [format!("--{}", role.name()), name.to_owned()]);
        roles.chain(["--format", "json"].map(str::to_owned))
    }

    /// Whether its name means the same to a process that works in this folder.
    pub fn is_known_in(&self, folder: &Path) -> bool {
        let of_build = match &self.what {
            What::Scenario(scenario) => scenario.path.is_none().then_some(&scenario.name),
            What::Plan(_) => None,
        };
        folder.is_dir()
            && of_build.is_none_or(|name| {
                let hidden_by: PathBuf = [target::SIMS, &format!("{name}.toml")].iter().collect();
                !folder.join(hidden_by).exists()
            })
    }
}

/// The whole path of a file; without one, the name.
fn whole_name(file: Option<&str>, name: &str) -> Result<String, TargetError> {
    let Some(file) = file else { return Ok(name.to_owned()) };
    let whole = path::absolute(file);
    let whole =
        whole.map_err(|problem| TargetError::Unreadable { path: file.to_owned(), problem })?;
    Ok(whole.to_string_lossy().into_owned())
}

const fn one(seed: u64) -> SeedRange {
    SeedRange { from: seed, until: seed.saturating_add(1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Arguments, Verb};
    use clap::Parser;

    fn patient(typed: &str) -> Result<Patient, TargetError> {
        let words = ["seamstress", "doctor"].into_iter().chain(typed.split(' '));
        let arguments = Arguments::try_parse_from(words.filter(|word| !word.is_empty()));
        match arguments.expect("arguments").verb {
            Verb::Doctor(arguments) => Patient::of(&arguments),
            _ => panic!("another verb"),
        }
    }

    fn jobs(count: usize) -> NonZeroUsize {
        NonZeroUsize::new(count).expect("not 0")
    }

    #[test]
    fn without_arguments_many_seeds_of_the_storm_are_examined() {
        let patient = patient("").expect("a patient");
        assert_eq!((patient.typed(), patient.seeds), ("storm", SEEDS));
        assert_eq!(patient.typed_runs(), "storm --seeds 0..200");
        let arguments = patient.arguments(patient.seeds, jobs(1)).join(" ");
        assert!(arguments.starts_with("sweep storm --seeds 0..200 --jobs 1 --server reference "));
    }

    #[test]
    fn what_has_a_single_run_is_examined_with_that_one() {
        for (typed, seeds) in [("incident-4471", 0..1), ("drop@0x2a", 42..43)] {
            let patient = patient(typed).expect("a patient");
            let SeedRange { from, until } = patient.seeds;
            assert_eq!(from..until, seeds, "{typed}");
        }
        assert_eq!(patient("drop@42").expect("a patient").typed_runs(), "drop@42");
        for typed in ["drop@42 --seeds 0..9", "plan.json --seeds 0..9"] {
            let error = patient(typed).err().expect("refused").to_string();
            assert!(error.ends_with("leave --seeds out"), "{error}");
        }
    }

    #[test]
    fn a_run_is_asked_for_with_its_implementations_and_by_the_whole_path_of_its_file() {
        let patient = patient("../../sims/drop.toml@7 --server canary:run-counter").expect("there");
        let arguments = patient.trace_arguments(7);
        assert!(Path::new(&arguments[1]).is_absolute(), "{arguments:?}");
        assert!(arguments[1].ends_with("/sims/drop.toml@7"), "{arguments:?}");
        assert_eq!(arguments[2..4], ["--server", "canary:run-counter"]);
        assert_eq!(patient.typed_run(7), "../../sims/drop.toml@7 --server canary:run-counter");
    }

    #[test]
    fn a_scenario_of_this_build_is_not_asked_for_where_a_file_would_hide_it() {
        let patient = patient("drop").expect("a patient");
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        assert!(!patient.is_known_in(&root), "there is sims/drop.toml");
        assert!(patient.is_known_in(&root.join("crates")));
        assert!(!patient.is_known_in(Path::new("/no/such/folder")));
    }
}
