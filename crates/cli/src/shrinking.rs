//! Making a failure small: candidates are played, and the smallest is played again until it can be
//! believed.
//!
//! Owns what counts as the same failure: the same key, on implementations that differ from the
//! reference only if the reference holds with the same plan, because a plan that nobody can
//! survive proves nothing. It must not know which candidates are tried; that is the plan crate's.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::thread;

use seamstress_oracle::{Judgement, Verdict};
use seamstress_plan::{
    Pass, Plan, Regression, RegressionOutcome, Shown, Stop, Trial, Tried, Trio, shrink,
};
use seamstress_sim::PlayError;
use seamstress_trace::Trace;

use crate::error::CommandError;
use crate::playing::Played;
use crate::{interrupt, pool};

/// The key of a run that ended in a panic, which has no findings.
pub const PANIC_KEY: &str = "panic";

/// In how many fresh threads the smallest plan is played again.
const CONFIRMATIONS: usize = 3;

/// How a plan is played: on what this program knows, or against somebody's own server.
pub type Player<'p> = dyn Fn(Plan) -> Result<Played, PlayError> + Sync + 'p;

/// How much may be spent.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Candidates at most.
    pub runs_max: u64,
    /// Runs at once; nothing but the speed depends on it.
    pub jobs: NonZeroUsize,
}

/// A failure made small.
pub struct Reduced {
    /// The key that stayed.
    pub key: String,
    /// What it was made from.
    pub from: Plan,
    /// The smallest run. Its plan says what must come of it and where it comes from.
    pub played: Played,
    /// How many candidates were played.
    pub runs: u64,
    /// Why it ended: `1-minimal`, `budget`, `unstable` or `interrupted`.
    pub stop: &'static str,
    /// Other keys that candidates showed, with how many did, and the smallest of those plans.
    pub met: BTreeMap<String, (u64, Plan)>,
}

impl Reduced {
    /// Whether the same plan always gave the same trace.
    pub fn is_stable(&self) -> bool {
        self.stop != UNSTABLE
    }
}

const UNSTABLE: &str = "unstable";

/// Makes a plan that shows `key` as small as it gets. `watch` is told of each smaller plan, and
/// after how many runs it was found.
///
/// # Errors
/// [`CommandError`] if plans cannot be played at all.
pub fn reduce(
    plan: &Plan,
    key: &str,
    limits: Limits,
    player: &Player<'_>,
    watch: &dyn Fn(Pass, &Plan, u64),
) -> Result<Reduced, CommandError> {
    let from = plan.clone();
    let start = Plan { name: shrunk_name(&plan.name), regression: None, ..plan.clone() };
    let first = player(start.clone())?;
    let second = in_fresh_thread(player, start.clone())?;
    let (is_same, shown) = (first.digest == second.digest, shows(&first, key));
    let (Some(shown), true) = (shown, is_same) else {
        let (key, met) = (key.to_owned(), BTreeMap::new());
        return Ok(Reduced { key, from, played: first, runs: 0, stop: UNSTABLE, met });
    };
    let mut candidates = Candidates {
        key,
        jobs: limits.jobs,
        player,
        watch,
        is_controlled: reference_holds(&start)?,
        met: BTreeMap::new(),
        problem: None,
    };
    let shrunk = shrink(&start, shown, limits.runs_max, &mut candidates);
    let Candidates { met, problem, .. } = candidates;
    if let Some(problem) = problem {
        return Err(problem);
    }
    let played = player(shrunk.plan)?;
    let stop = if is_confirmed(&played, key, player)? { stop_name(shrunk.stop) } else { UNSTABLE };
    let mut reduced = Reduced { key: key.to_owned(), from, played, runs: shrunk.runs, stop, met };
    reduced.played.plan.regression = Some(regression(&reduced));
    Ok(reduced)
}

/// A plan that is no longer what its scenario makes of its seed needs another name.
fn shrunk_name(name: &str) -> String {
    const SUFFIX: &str = ", shrunk";
    if name.ends_with(SUFFIX) { name.to_owned() } else { format!("{name}{SUFFIX}") }
}

const fn stop_name(stop: Stop) -> &'static str {
    match stop {
        Stop::OneMinimal => "1-minimal",
        Stop::Budget => "budget",
        Stop::Interrupted => "interrupted",
    }
}

/// What the smallest plan says about itself. One that was small already keeps what it said.
fn regression(reduced: &Reduced) -> Regression {
    let Reduced { key, from, played, runs, stop, .. } = reduced;
    let mut others = keys(&played.judgement);
    others.retain(|other| other != key);
    others.dedup();
    let before = from.regression.as_ref();
    let is_as_before = |known: &&Regression| {
        let same = Plan { name: from.name.clone(), ..played.plan.clone() };
        same == Plan { regression: None, ..from.clone() } && known.findings.first() == Some(key)
    };
    if let Some(known) = before.filter(is_as_before) {
        return known.clone();
    }
    let count = |length: usize| length as u64;
    Regression {
        outcome: match played.judgement.verdict {
            Verdict::Holds => RegressionOutcome::Holds,
            Verdict::Violated => RegressionOutcome::Violated,
            Verdict::Stuck => RegressionOutcome::Stuck,
            Verdict::Error => RegressionOutcome::Error,
        },
        findings: [key.clone()].into_iter().chain(others).collect(),
        shrunk_from: before.map_or_else(|| from.name.clone(), |known| known.shrunk_from.clone()),
        faults: [
            before.map_or(count(from.faults.len()), |known| known.faults[0]),
            count(played.plan.faults.len()),
        ],
        operations: [
            before.map_or(count(from.workload.len()), |known| known.operations[0]),
            count(played.plan.workload.len()),
        ],
        runs: before.map_or(0, |known| known.runs) + runs,
        stop: (*stop).to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// All keys that a run shows, sorted.
pub fn keys(judgement: &Judgement) -> Vec<String> {
    let mut keys: Vec<String> = judgement.findings.iter().map(|found| found.key()).collect();
    if judgement.verdict == Verdict::Error {
        keys.push(PANIC_KEY.to_owned());
    }
    keys.sort();
    keys.dedup();
    keys
}

fn shows(played: &Played, key: &str) -> Option<Shown> {
    let at_ms = |trace: &Trace, record: usize| trace.records.get(record).map(|found| found.at_ms);
    let Played { trace, judgement, .. } = played;
    if key == PANIC_KEY && judgement.verdict == Verdict::Error {
        return trace.records.last().map(|last| Shown { at_ms: last.at_ms });
    }
    let found = judgement.findings.iter().find(|finding| finding.key() == key)?;
    Some(Shown { at_ms: at_ms(trace, found.record)? })
}

/// Whether the reference holds with this plan, and so must hold with every candidate.
fn reference_holds(plan: &Plan) -> Result<bool, CommandError> {
    Ok(!plan.trio.is_reference() && holds_on_reference(plan)?)
}

fn holds_on_reference(plan: &Plan) -> Result<bool, PlayError> {
    let control = Plan { trio: Trio::default(), ..plan.clone() };
    Ok(Played::of(control)?.judgement.verdict == Verdict::Holds)
}

/// Plays candidates for the search.
struct Candidates<'a> {
    key: &'a str,
    jobs: NonZeroUsize,
    player: &'a Player<'a>,
    watch: &'a dyn Fn(Pass, &Plan, u64),
    is_controlled: bool,
    met: BTreeMap<String, (u64, Plan)>,
    problem: Option<CommandError>,
}

/// What is kept of one candidate.
struct Candidate {
    shown: Option<Shown>,
    others: Vec<String>,
}

/// Plays one candidate; on the reference too if that holds with the plan that is shrunk.
fn try_one(
    plan: &Plan,
    key: &str,
    is_controlled: bool,
    player: &Player<'_>,
) -> Result<Candidate, PlayError> {
    let played = player(plan.clone())?;
    let mut shown = shows(&played, key);
    if shown.is_some() && is_controlled && !holds_on_reference(plan)? {
        shown = None;
    }
    let mut others = keys(&played.judgement);
    others.retain(|other| other != key);
    Ok(Candidate { shown, others })
}

impl Candidates<'_> {
    fn note_others(&mut self, others: Vec<String>, plan: &Plan) {
        let size = |plan: &Plan| plan.faults.len() + plan.workload.len();
        for key in others {
            let (count, smallest) = self.met.entry(key).or_insert_with(|| (0, plan.clone()));
            *count += 1;
            if size(plan) < size(smallest) {
                smallest.clone_from(plan);
            }
        }
    }
}

impl Trial for Candidates<'_> {
    fn first(&mut self, candidates: &[Plan]) -> Tried {
        let mut tried = Vec::new();
        let each = |_, done: Result<Result<Candidate, PlayError>, pool::Panic>| {
            let is_last = !matches!(&done, Ok(Ok(Candidate { shown: None, .. })));
            tried.push(done);
            if is_last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let Candidates { key, is_controlled, player, .. } = *self;
        // There are as many pieces of work as candidates.
        let work = |number: u64| {
            let plan = &candidates[usize::try_from(number).unwrap_or(usize::MAX)];
            try_one(plan, key, is_controlled, player)
        };
        let total = candidates.len() as u64;
        let spread = pool::in_order(self.jobs, total, interrupt::is_requested, work, each);
        if let Err(problem) = spread {
            self.problem = Some(CommandError::NoThread { problem });
            return Tried::Interrupted;
        }
        let count = tried.len();
        for (index, done) in tried.into_iter().enumerate() {
            let plan = &candidates[index];
            match done {
                Ok(Ok(Candidate { shown, others })) => {
                    self.note_others(others, plan);
                    if let Some(shown) = shown {
                        return Tried::Found { index, shown };
                    }
                }
                Ok(Err(problem)) => self.problem = Some(problem.into()),
                Err(pool::Panic(message)) => {
                    let plan = plan.name.clone();
                    self.problem = Some(CommandError::Panicked { plan, message });
                }
            }
        }
        let is_cut_short = count < candidates.len();
        if self.problem.is_some() || is_cut_short { Tried::Interrupted } else { Tried::Nothing }
    }

    fn is_smaller(&mut self, pass: Pass, best: &Plan, runs: u64) {
        (self.watch)(pass, best, runs);
    }
}

/// Whether a run comes again with the same bytes in fresh threads, and shows the key.
fn is_confirmed(played: &Played, key: &str, player: &Player<'_>) -> Result<bool, CommandError> {
    for _ in 0..CONFIRMATIONS {
        let again = in_fresh_thread(player, played.plan.clone())?;
        if again.digest != played.digest || shows(&again, key).is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn in_fresh_thread(player: &Player<'_>, plan: Plan) -> Result<Played, CommandError> {
    let name = plan.name.clone();
    let joined = thread::scope(|scope| {
        let fresh = thread::Builder::new().spawn_scoped(scope, || player(plan));
        fresh.map(|thread| thread.join())
    });
    match joined.map_err(|problem| CommandError::NoThread { problem })? {
        Ok(played) => Ok(played?),
        Err(payload) => {
            let message = crate::panics::message(&*payload);
            Err(CommandError::Panicked { plan: name, message })
        }
    }
}

/// Whether a plan file, played by a fresh process of this program, gives the same bytes.
///
/// # Errors
/// [`CommandError::NoProcess`] if no process can be started.
pub fn is_same_in_a_fresh_process(path: &Path, played: &Played) -> Result<bool, CommandError> {
    let replay = std::env::current_exe().and_then(|program| {
        Command::new(program).arg("replay").arg(path).args(["--format", "json"]).output()
    });
    let replay = replay.map_err(|problem| CommandError::NoProcess { problem })?;
    let digest = format!("\"digest\":\"{}\"", played.digest);
    Ok(String::from_utf8_lossy(&replay.stdout).contains(&digest))
}
