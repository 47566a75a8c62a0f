//! The library face: somebody's own server in the storm, from their own test.
//!
//! Owns playing seeds of a scenario against a server that is given as a value, and telling a
//! failure in such a way that it can be had again: as a story, a plan file and the command that
//! plays it. It must not know the command line. The test needs the flag `--cfg tokio_unstable`, as
//! the README says.

use std::fmt;
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use seamstress_foreign::Subject;
use seamstress_oracle::{Cell, Verdict};
use seamstress_plan::{Family, Plan, Trio};
use seamstress_report::{SeedResult, Style, Tally, failure_block_of_test};
use seamstress_sim::{OWN_SERVER, PlayError};

use crate::error::CommandError;
use crate::failures::Failures;
use crate::output;
use crate::playing::Played;
use crate::pool::{self, Panic};
use crate::regressions;
use crate::shrink::told_key;
use crate::shrinking::{Limits, reduce};
use crate::target::{self, NamedScenario, TargetError};

/// The variable that names a plan file; with it, a test plays that plan and nothing else.
pub const PLAN_VARIABLE: &str = "SEAMSTRESS_PLAN";

/// A server under test with what is played against it.
///
/// ```no_run
/// use seamstress::{Harness, Probes, Process};
/// # fn my_router(_probes: &Probes) -> axum::Router { axum::Router::new() }
///
/// # #[allow(dead_code)]
/// #[test]
/// fn my_server_resumes_soundly() {
///     Harness::new(|probes: &Probes| Process::new(my_router(probes)))
///         .scenario("storm")
///         .seeds(0..100)
///         .assert_holds();
/// }
/// ```
pub struct Harness {
    server: Arc<dyn Subject>,
    scenario: String,
    seeds: Range<u64>,
    proxy: String,
    client: String,
}

/// What a test may build on when its server held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// How many runs there were.
    pub runs: u64,
    /// Accepted resumptions after which continuity held.
    pub sound: u64,
    /// Refused resumptions.
    pub refused: u64,
    /// Families of faults that the scenario lists and that never fired: what they would have shown
    /// is not proven. A server that is given as a value alone cannot be made to forget events.
    pub never_fired: Vec<Family>,
}

/// Why a test must not go on.
#[derive(Debug, thiserror::Error)]
pub enum HarnessError {
    /// At least one run shows something that must never happen.
    #[error("{0}")]
    Failed(Box<Failure>),
    /// Nothing was resumed: a green run would prove nothing.
    #[error(
        "nothing is proven: in {runs} runs of {scenario} no stream was resumed; does the server \
         offer the probe tools `count` and `announce`, and answer with event streams?"
    )]
    NothingResumed {
        /// The scenario.
        scenario: String,
        /// How many runs there were.
        runs: u64,
    },
    /// The scenario cannot be played.
    #[error("{0}")]
    Scenario(String),
    /// The plan file that the environment names cannot be played.
    #[error("{PLAN_VARIABLE}={path}: {problem}")]
    Plan {
        /// The file.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// No proxy or client of this name.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// A plan was not written.
    #[error("{path} cannot be written: {problem}")]
    Unwritable {
        /// The file.
        path: String,
        /// What the system says.
        problem: io::Error,
    },
    /// The machine gives no thread.
    #[error("no thread could be started: {0}")]
    NoThread(io::Error),
}

/// What must never happen, and happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The stories of the first runs that show each failure, at most five.
    pub stories: Vec<String>,
    /// Each failure's key with how many runs show it.
    pub keys: Vec<(String, u64)>,
    /// The plan files of those runs.
    pub plans: Vec<PathBuf>,
    /// How many runs there were, and how many of them failed.
    pub runs: (u64, u64),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (runs, failed) = self.runs;
        writeln!(f, "{failed} of {runs} runs failed")?;
        for story in &self.stories {
            writeln!(f, "\n{story}")?;
        }
        writeln!(f, "   runs  failure")?;
        for (key, count) in &self.keys {
            writeln!(f, "{count:>7}  {key}")?;
        }
        Ok(())
    }
}

impl Harness {
    /// A server under test: a closure that makes a [`Process`](crate::Process) of it, or anything
    /// else that is a [`Subject`].
    pub fn new(server: impl Subject + 'static) -> Harness {
        Harness {
            server: Arc::new(server),
            scenario: "storm".to_owned(),
            seeds: 0..100,
            proxy: "reference".to_owned(),
            client: "reference".to_owned(),
        }
    }

    /// What is played: a scenario of this crate by name, or a file. Otherwise `storm`.
    #[must_use]
    pub fn scenario(mut self, name_or_path: &str) -> Harness {
        name_or_path.clone_into(&mut self.scenario);
        self
    }

    /// Which seeds are played; otherwise 0 to 99.
    #[must_use]
    pub fn seeds(mut self, seeds: Range<u64>) -> Harness {
        self.seeds = seeds;
        self
    }

    /// The client in front of it, as on the command line: `rmcp`, for example.
    #[must_use]
    pub fn client(mut self, name: &str) -> Harness {
        name.clone_into(&mut self.client);
        self
    }

    /// The proxy between them, as on the command line.
    #[must_use]
    pub fn proxy(mut self, name: &str) -> Harness {
        name.clone_into(&mut self.proxy);
        self
    }

    /// Plays all of it, and panics with the stories if anything is wrong.
    ///
    /// # Panics
    /// With the text of the [`HarnessError`] that [`Harness::check`] gives.
    pub fn assert_holds(&self) {
        if let Err(error) = self.check() {
            panic!("{error}");
        }
    }

    /// Plays all of it; or, if the environment variable `SEAMSTRESS_PLAN` names a plan file, only
    /// that plan.
    ///
    /// # Errors
    /// [`HarnessError::Failed`] with stories and plan files if anything must never happen and did;
    /// the others if nothing was proven, or nothing could be played.
    pub fn check(&self) -> Result<Held, HarnessError> {
        if let Ok(path) = std::env::var(PLAN_VARIABLE) {
            return self.check_plan(&path);
        }
        let told = |error: TargetError| HarnessError::Scenario(error.to_string());
        let scenario = target::scenario(&self.scenario).map_err(told)?;
        let trio = self.trio();
        let total = self.seeds.end.saturating_sub(self.seeds.start);
        let mut sums = Sums::default();
        let mut problem = None;
        let work = |number| -> Result<SeedResult, PlayError> {
            let plan = scenario.plan(self.seeds.start + number, &trio);
            Ok(Played::against(plan, &self.server)?.result())
        };
        let each = |number, done: Result<Result<SeedResult, PlayError>, Panic>| {
            let plan = || scenario.plan(self.seeds.start + number, &trio);
            let taken = match done {
                Ok(Ok(result)) => sums.add(&result, plan, self),
                Ok(Err(error)) => Err(error.into()),
                Err(Panic(message)) => Err(HarnessError::Scenario(message)),
            };
            match taken {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    problem = Some(error);
                    ControlFlow::Break(())
                }
            }
        };
        pool::in_order(jobs(), total, || false, work, each).map_err(HarnessError::NoThread)?;
        match problem {
            Some(error) => Err(error),
            None => sums.end(&scenario),
        }
    }

    fn trio(&self) -> Trio {
        Trio {
            server: OWN_SERVER.to_owned(),
            proxy: self.proxy.clone(),
            client: self.client.clone(),
        }
    }

    fn check_plan(&self, path: &str) -> Result<Held, HarnessError> {
        let bad = |problem: String| HarnessError::Plan { path: path.to_owned(), problem };
        let named = target::read_plan(path).map_err(|error| bad(error.to_string()))?;
        let played = Played::against(named.plan, &self.server)?;
        let result = played.result();
        let mut tally = Tally::default();
        tally.add(result.seed, &result);
        if result.verdict == Verdict::Holds {
            return Ok(held(&tally, Vec::new()));
        }
        // The whole story: whoever plays one plan wants to see what happens in it.
        let story = seamstress_report::story(&played.as_play());
        let block = failure_block_of_test(&played.as_play(), &command(Path::new(path)), PLAIN);
        let stories = vec![story, block];
        let plans = vec![PathBuf::from(path)];
        let failure = Failure { stories, keys: keys(&tally), plans, runs: (1, 1) };
        Err(HarnessError::Failed(Box::new(failure)))
    }
}

/// Plans that are played at most to make one failure small: somebody waits for a test.
const SHRINK_RUNS: u64 = 500;

const PLAIN: Style = Style { colour: false };

/// What came of the runs so far.
#[derive(Default)]
struct Sums {
    tally: Tally,
    told: Failures,
    stories: Vec<String>,
    plans: Vec<PathBuf>,
    failed: u64,
}

impl Sums {
    fn add(
        &mut self,
        result: &SeedResult,
        plan: impl Fn() -> Plan,
        harness: &Harness,
    ) -> Result<(), HarnessError> {
        self.tally.add(result.seed, result);
        if result.verdict == Verdict::Holds {
            return Ok(());
        }
        self.failed += 1;
        let keys = result.findings.iter().map(|finding| &finding.key);
        if let Some(new) = self.told.note_new(0, result.verdict, keys) {
            let mut played = Played::against(plan(), &harness.server)?;
            played.judgement.findings.retain(|found| new.are_of(found));
            if let Some(key) = told_key(&played) {
                played = smallest(played, &key, &harness.server)?;
            }
            let path = save(&played.plan)?;
            let block = failure_block_of_test(&played.as_play(), &command(&path), PLAIN);
            self.stories.push(block);
            self.plans.push(path);
        }
        Ok(())
    }

    fn end(self, scenario: &NamedScenario) -> Result<Held, HarnessError> {
        let runs = self.tally.seeds();
        if self.failed > 0 {
            let Sums { stories, plans, failed, .. } = self;
            let keys = keys(&self.tally);
            let failure = Failure { stories, keys, plans, runs: (runs, failed) };
            return Err(HarnessError::Failed(Box::new(failure)));
        }
        let held = held(&self.tally, self.tally.never_fired(&scenario.families()));
        if held.sound + held.refused == 0 {
            let scenario = scenario.name.clone();
            return Err(HarnessError::NothingResumed { scenario, runs });
        }
        Ok(held)
    }
}

/// The smallest run that fails in the same way; the run itself if it does not come again.
fn smallest(played: Played, key: &str, server: &Arc<dyn Subject>) -> Result<Played, HarnessError> {
    let limits = Limits { runs_max: SHRINK_RUNS, jobs: jobs() };
    let player = |plan| Played::against(plan, server);
    let reduced = reduce(&played.plan, key, limits, &player, &|_, _, _| {});
    let reduced = reduced.map_err(|error| HarnessError::Scenario(error.to_string()))?;
    Ok(if reduced.is_stable() { reduced.played } else { played })
}

fn held(tally: &Tally, never_fired: Vec<Family>) -> Held {
    Held {
        runs: tally.seeds(),
        sound: tally.cell(Cell::Sound),
        refused: tally.cell(Cell::Needed) + tally.cell(Cell::Needless),
        never_fired,
    }
}

fn keys(tally: &Tally) -> Vec<(String, u64)> {
    tally.keys().iter().map(|(key, seen)| (key.clone(), seen.count)).collect()
}

/// The command that plays a plan again with the test that is running: its thread bears its name.
fn command(plan: &Path) -> String {
    let current = thread::current();
    let test = current.name().filter(|name| *name != "main");
    let test = test.map_or_else(String::new, |name| format!(" {name}"));
    format!("{PLAN_VARIABLE}={} cargo test{test}", plan.display())
}

/// Writes a plan where the build puts its results.
fn save(plan: &Plan) -> Result<PathBuf, HarnessError> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let plain = |letter: char| if is_plain(letter) { letter } else { '-' };
    let name: String = plan.name.replace(", ", "-").chars().map(plain).collect();
    let folder = regressions::passing_folder();
    let path = folder.join(format!("{name}.json"));
    let unwritable = |problem| {
        let path = path.display().to_string();
        HarnessError::Unwritable { path, problem }
    };
    fs::create_dir_all(&folder).map_err(unwritable)?;
    match output::write_file(&path, plan.to_json().as_bytes()) {
        Ok(()) => {}
        Err(CommandError::Unwritable { problem, .. }) => return Err(unwritable(problem)),
        Err(error) => return Err(unwritable(io::Error::other(error.to_string()))),
    }
    Ok(path)
}

fn jobs() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}
