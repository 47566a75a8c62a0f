//! The JSON lines of design section 9.
//!
//! Owns the names, the nesting and the order of the fields, which programs rely on: `schema` first,
//! `type` second, and fields are only ever added. Counts are integers; the CPU time and the speed
//! are the only fractions. It must not know who prints the lines: each comes without a line break.

use std::collections::BTreeSet;

use seamstress_oracle::{Oracle, ProtocolState, Verdict};
use seamstress_plan::{Family, Trio};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::shrunk::{MetKey, Shrinking};
use crate::tally::{FaultCounts, KeyTally, KeyedFinding, SeedResult, Tally};

mod doctor;
mod likelihood;
mod matrix;

pub use doctor::{checkup_line, doctor_started, found_line};
pub use likelihood::{likelihood_lines, nothing_to_explain_line};
pub use matrix::{control_line, defect_line, kill_summary_line};
pub use matrix::{defence_control_lines, defence_lines, defence_summary_line};

const SCHEMA: u32 = 1;

/// The first line of a sweep. `seeds` is half open, and may have no end.
#[must_use]
pub fn sweep_started(
    scenario: &str,
    trio: &Trio,
    seeds: (u64, Option<u64>),
    version: &str,
) -> String {
    line(&SweepStarted {
        schema: SCHEMA,
        kind: "sweep_started",
        scenario,
        server: &trio.server,
        proxy: &trio.proxy,
        client: &trio.client,
        seeds,
        version,
    })
}

/// The line of one run of a sweep.
#[must_use]
pub fn seed_line(result: &SeedResult) -> String {
    line(&SeedLine { schema: SCHEMA, kind: "seed", run: RunFields::of(result) })
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
/// was carried out; `cpu_seconds` is the CPU time of all workers; `quiet_seeds` is how many seeds
/// in a row brought no new protocol state, if that is why a sweep ended.
#[must_use]
pub fn summary_line(
    tally: &Tally,
    never_fired: &[Family],
    cpu_seconds: f64,
    interrupted: bool,
    quiet_seeds: Option<u64>,
) -> String {
    let keys = tally.keys().iter().map(|(key, KeyTally { count, first_seed })| KeyFields {
        key,
        count: *count,
        first_seed: *first_seed,
    });
    let faults = tally.faults();
    line(&Summary {
        schema: SCHEMA,
        kind: "summary",
        seeds: tally.seeds(),
        outcomes: Named(Verdict::ALL.map(|v| (v.name(), tally.outcome(v))).to_vec()),
        findings: Named(
            Oracle::ALL.iter().map(|o| (o.name(), tally.findings()[o])).collect::<Vec<_>>(),
        ),
        resumptions: Resumptions::of(tally.cells()),
        faults_fired: Named(faults.iter().map(|(f, counts)| (f.name(), counts.fired)).collect()),
        faults: Named(faults.iter().map(|(family, counts)| (family.name(), *counts)).collect()),
        actions: Named(
            tally.actions().iter().map(|(action, counts)| (action.name(), *counts)).collect(),
        ),
        keys: keys.collect(),
        states: States::of(tally),
        cpu_seconds: rounded(cpu_seconds, 1000.0),
        seeds_per_cpu_second: seeds_per_cpu_second(tally.seeds(), cpu_seconds),
        never_fired: never_fired.iter().map(|family| family.name()).collect(),
        interrupted,
        quiet_seeds,
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
}

#[derive(Serialize)]
struct SeedLine<'a> {
    schema: u32,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(flatten)]
    run: RunFields<'a>,
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

/// What is said of every run.
#[derive(Serialize)]
struct RunFields<'a> {
    seed: u64,
    outcome: &'static str,
    digest: &'a str,
    findings: Vec<FindingFields<'a>>,
    resumptions: Resumptions,
    faults: FaultCounts,
    states: &'a BTreeSet<ProtocolState>,
    events: Events,
    sim_ms: u64,
}

impl RunFields<'_> {
    fn of(result: &SeedResult) -> RunFields<'_> {
        let mut faults = FaultCounts::default();
        result.faults.values().for_each(|counts| faults.add(*counts));
        RunFields {
            seed: result.seed,
            outcome: result.verdict.name(),
            digest: &result.digest,
            findings: result.findings.iter().map(FindingFields::of).collect(),
            resumptions: Resumptions::of(result.cells),
            faults,
            states: &result.states,
            events: Events { emitted: result.emitted, delivered: result.delivered },
            sim_ms: result.sim_ms,
        }
    }
}

#[derive(Serialize)]
struct FindingFields<'a> {
    oracle: &'static str,
    key: &'a str,
}

impl FindingFields<'_> {
    fn of(finding: &KeyedFinding) -> FindingFields<'_> {
        FindingFields { oracle: finding.oracle.name(), key: &finding.key }
    }
}

#[derive(Serialize)]
struct Resumptions {
    sound: u64,
    escape: u64,
    needed: u64,
    needless: u64,
    unanswered: u64,
}

impl Resumptions {
    /// From counts in the order of `Cell::ALL`.
    fn of([sound, escape, needed, needless, unanswered]: [u64; 5]) -> Resumptions {
        Resumptions { sound, escape, needed, needless, unanswered }
    }
}

#[derive(Serialize)]
struct Events {
    emitted: u64,
    delivered: u64,
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
