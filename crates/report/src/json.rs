//! The JSON lines of design section 9.
//!
//! Owns the names, the nesting and the order of the fields, which programs rely on: `schema` first,
//! `type` second, and fields are only ever added. Counts are integers; the CPU time and the speed
//! are the only fractions. It must not know who prints the lines: each comes without a line break.

use seamstress_oracle::{Oracle, ProtocolState, Verdict};
use seamstress_plan::Family;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::shrunk::{MetKey, Shrinking};
use crate::sweep::{SweepEnd, SweepStart};
use crate::tally::{FaultCounts, KeyTally, SeedResult, Tally};

mod doctor;
mod likelihood;
mod matrix;
mod run;

pub use doctor::{checkup_line, doctor_started, found_line};
pub use likelihood::{likelihood_lines, nothing_to_explain_line};
pub use matrix::{control_line, defect_line, kill_summary_line};
pub use matrix::{defence_control_lines, defence_lines, defence_summary_line};
use run::{Resumptions, RunFields};
pub use run::{SeedLineError, read_seed_line, seed_line};

const SCHEMA: u32 = 1;

/// The first line of a sweep.
#[must_use]
pub fn sweep_started(start: &SweepStart) -> String {
    line(&SweepStarted {
        schema: SCHEMA,
        kind: "sweep_started",
        scenario: start.scenario,
        server: &start.trio.server,
        proxy: &start.trio.proxy,
        client: &start.trio.client,
        seeds: start.seeds,
        version: start.version,
        time_ms: start.time_ms,
        results: start.results.map(|results| results.path),
        seeds_in_results: start.results.map(|results| results.seeds),
    })
}

/// The line of one plan that was played outside of a sweep. `name` is the plan's; `plan_path` the
/// file it came from; `case` the trio of the scenario's expectation; `met_expectation` whether
/// what must come of it did; `problem` why not, or what kept it from being played as asked.
#[must_use]
pub fn play_line(
    name: &str,
    plan_path: Option<&str>,
    case: Option<&str>,
    result: &SeedResult,
    met_expectation: Option<bool>,
    problem: Option<&str>,
) -> String {
    line(&PlayLine {
        schema: SCHEMA,
        kind: "play",
        name,
        plan: plan_path,
        case,
        run: RunFields::of(result),
        met_expectation,
        problem,
    })
}

/// The line of a plan that was shrunk.
#[must_use]
pub fn shrunk_line(shrinking: &Shrinking) -> String {
    let Shrinking { key, from, to, runs, stop, is_confirmed, path, met } = shrinking;
    line(&ShrunkLine {
        schema: SCHEMA,
        kind: "shrunk",
        key,
        name: &from.name,
        faults: [from.faults.len(), to.faults.len()],
        operations: [from.workload.len(), to.workload.len()],
        runs: *runs,
        stop,
        plan: path,
        confirmed: *is_confirmed,
        met: met.iter().map(MetFields::of).collect(),
    })
}

/// The last line: what all runs add up to. `never_fired` are the listed families of which no fault
/// was carried out; `cpu_seconds` is the CPU time of all workers.
#[must_use]
pub fn summary_line(
    tally: &Tally,
    never_fired: &[Family],
    cpu_seconds: f64,
    interrupted: bool,
) -> String {
    let played = tally.seeds();
    line(&Summary { interrupted, ..Summary::of(tally, never_fired, cpu_seconds, played) })
}

/// The last line of a sweep: that of all runs, and which seeds were done.
#[must_use]
pub fn sweep_summary_line(tally: &Tally, never_fired: &[Family], end: &SweepEnd) -> String {
    line(&Summary {
        interrupted: end.is_interrupted,
        quiet_seeds: end.quiet_seeds,
        seeds_done: Some(end.seeds_done),
        time_up: Some(end.time_up.is_some()),
        ..Summary::of(tally, never_fired, end.cpu_seconds, end.seeds_played)
    })
}

/// How many runs a second of CPU time was good for, to one decimal; 0 if there was none.
pub(crate) fn seeds_per_cpu_second(seeds: u64, cpu_seconds: f64) -> f64 {
    if cpu_seconds <= 0.0 {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "a speed to one decimal")]
    let seeds = seeds as f64;
    rounded(seeds / cpu_seconds, 10.0)
}

fn rounded(value: f64, steps: f64) -> f64 {
    (value * steps).round() / steps
}

fn line(value: &impl Serialize) -> String {
    // Only strings, integers, finite fractions and maps with text keys: this cannot fail.
    serde_json::to_string(value).expect("a line serialises")
}

#[derive(Serialize)]
struct SweepStarted<'a> {
    schema: u32,
    #[serde(rename = "type")]
    kind: &'static str,
    scenario: &'a str,
    server: &'a str,
    proxy: &'a str,
    client: &'a str,
    seeds: (u64, Option<u64>),
    version: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seeds_in_results: Option<(u64, u64)>,
}

#[derive(Serialize)]
struct PlayLine<'a> {
    schema: u32,
    #[serde(rename = "type")]
    kind: &'static str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    case: Option<&'a str>,
    #[serde(flatten)]
    run: RunFields<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    met_expectation: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<&'a str>,
}

#[derive(Serialize)]
struct ShrunkLine<'a> {
    schema: u32,
    #[serde(rename = "type")]
    kind: &'static str,
    key: &'a str,
    name: &'a str,
    faults: [usize; 2],
    operations: [usize; 2],
    runs: u64,
    stop: &'a str,
    plan: &'a str,
    confirmed: bool,
    met: Vec<MetFields<'a>>,
}

#[derive(Serialize)]
struct MetFields<'a> {
    key: &'a str,
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<&'a str>,
}

impl MetFields<'_> {
    fn of(met: &MetKey) -> MetFields<'_> {
        MetFields { key: &met.key, count: met.count, plan: met.path.as_deref() }
    }
}

#[derive(Serialize)]
struct Summary<'a> {
    schema: u32,
    #[serde(rename = "type")]
    kind: &'static str,
    seeds: u64,
    outcomes: Named<u64>,
    findings: Named<u64>,
    resumptions: Resumptions,
    faults_fired: Named<u64>,
    faults: Named<FaultCounts>,
    actions: Named<FaultCounts>,
    keys: Vec<KeyFields<'a>>,
    states: States,
    cpu_seconds: f64,
    seeds_per_cpu_second: f64,
    never_fired: Vec<&'static str>,
    interrupted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    quiet_seeds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seeds_done: Option<(u64, u64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_up: Option<bool>,
}

impl Summary<'_> {
    /// What `played` of these runs took `cpu_seconds` for.
    fn of<'a>(
        tally: &'a Tally,
        never_fired: &[Family],
        cpu_seconds: f64,
        played: u64,
    ) -> Summary<'a> {
        let keys = tally.keys().iter().map(|(key, KeyTally { count, first_seed })| KeyFields {
            key,
            count: *count,
            first_seed: *first_seed,
        });
        let faults = tally.faults();
        Summary {
            schema: SCHEMA,
            kind: "summary",
            seeds: tally.seeds(),
            outcomes: Named(Verdict::ALL.map(|v| (v.name(), tally.outcome(v))).to_vec()),
            findings: Named(
                Oracle::ALL.iter().map(|o| (o.name(), tally.findings()[o])).collect::<Vec<_>>(),
            ),
            resumptions: Resumptions::of(tally.cells()),
            faults_fired: Named(
                faults.iter().map(|(f, counts)| (f.name(), counts.fired)).collect(),
            ),
            faults: Named(faults.iter().map(|(f, counts)| (f.name(), *counts)).collect()),
            actions: Named(
                tally.actions().iter().map(|(action, counts)| (action.name(), *counts)).collect(),
            ),
            keys: keys.collect(),
            states: States::of(tally),
            cpu_seconds: rounded(cpu_seconds, 1000.0),
            seeds_per_cpu_second: seeds_per_cpu_second(played, cpu_seconds),
            never_fired: never_fired.iter().map(|family| family.name()).collect(),
            interrupted: false,
            quiet_seeds: None,
            seeds_done: None,
            time_up: None,
        }
    }
}

#[derive(Serialize)]
struct KeyFields<'a> {
    key: &'a str,
    count: u64,
    first_seed: u64,
}

/// Which protocol states were seen, of all there are.
#[derive(Serialize)]
struct States {
    seen: usize,
    possible: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_new_seed: Option<u64>,
    list: Vec<StateFields>,
}

impl States {
    fn of(tally: &Tally) -> States {
        let fields = |(state, tally): (&ProtocolState, &KeyTally)| StateFields {
            state: *state,
            count: tally.count,
            first_seed: tally.first_seed,
        };
        States {
            seen: tally.states().len(),
            possible: ProtocolState::POSSIBLE,
            last_new_seed: tally.last_new_state(),
            list: tally.states().iter().map(fields).collect(),
        }
    }
}

#[derive(Serialize)]
struct StateFields {
    state: ProtocolState,
    count: u64,
    first_seed: u64,
}

/// An object whose fields stand in the order in which they are listed.
struct Named<V>(Vec<(&'static str, V)>);

impl<V: Serialize> Serialize for Named<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests;
