//! The JSON lines of `matrix kill` and `matrix defence`.
//!
//! Owns their fields. The rules are those of the module above: names and order stay, fields are
//! only ever added. What has no number, such as the seeds to a kill that never came, is `null`.

use seamstress_oracle::Oracle;
use serde::Serialize;

use super::{Named, SCHEMA, line, rounded, seeds_per_cpu_second};
use crate::matrix::{
    Control, Defence, DefenceControl, DefenceMatrix, Half, Kill, KillMatrix, Killed, PlantedDefect,
    Protection, Rate,
};

/// The line of one defect: who saw it, and after how many seeds. Which seeds were played is in the
/// matrix.
#[must_use]
pub fn defect_line(kill: &Kill, seeds: u64, ranges: u64) -> String {
    let killed = kill.killed.as_ref();
    let oracles = killed.map_or(&[][..], |killed| &killed.oracles);
    let in_range = |seeds: &&Option<u64>| seeds.is_some();
    line(&DefectLine {
        schema: SCHEMA,
        kind: "defect",
        role: kill.defect.role.name(),
        name: kill.defect.name,
        oracles: oracles.iter().map(|(oracle, _)| oracle.name()).collect(),
        seeds_to_kill_median: killed.and_then(Killed::median),
        seeds_to_kill_max: killed.and_then(Killed::most),
        share: killed.map_or(0.0, |killed| share(killed.seeds_that_kill, killed.seeds)),
        scenario: killed.map(|killed| &*killed.scenario),
        server: (kill.defect.role == seamstress_plan::Role::Client)
            .then(|| killed.and_then(|killed| killed.against).unwrap_or("reference")),
        first_seed: killed.map(Killed::first_seed),
        seeds,
        seeds_that_kill: killed.map_or(0, |killed| killed.seeds_that_kill),
        seeds_by_oracle: Named(
            oracles.iter().map(|(o, seeds)| (Oracle::name(*o), *seeds)).collect(),
        ),
        ranges,
        ranges_with_kill: killed
            .map_or(0, |killed| killed.ranges.iter().filter(in_range).count() as u64),
    })
}

/// The line of the control: what the reference trio showed on the same seeds.
#[must_use]
pub fn control_line(control: &Control) -> String {
    let key = |(key, run): (&String, &String)| ControlKey { key: key.clone(), first: run.clone() };
    line(&ControlLine {
        schema: SCHEMA,
        kind: "control",
        runs: control.runs,
        failed: control.failed,
        keys: control.first_runs.iter().map(key).collect(),
    })
}

/// The last line of `matrix kill`. `cpu_seconds` is the CPU time of all workers, and `runs` counts
/// every run, those of the control too.
#[must_use]
pub fn kill_summary_line(
    matrix: &KillMatrix,
    runs: u64,
    cpu_seconds: f64,
    interrupted: bool,
) -> String {
    let not_killed = matrix.not_killed();
    line(&KillSummary {
        schema: SCHEMA,
        kind: "summary",
        defects: matrix.kills.len(),
        killed: matrix.kills.len() - not_killed.len(),
        not_killed: named(&not_killed),
        seeds_to_kill_median: matrix.median(),
        seeds_to_kill_max: matrix.greatest_median(),
        ranges: matrix.ranges,
        seeds_per_range: matrix.seeds_per_range,
        control_runs: matrix.control.as_ref().map(|control| control.runs),
        control_failed: matrix.control.as_ref().map(|control| control.failed),
        effort: Effort::of(runs, cpu_seconds, interrupted),
    })
}

/// The lines of one defect, with the half of the rule off and on that the defect leaves whole.
#[must_use]
pub fn defence_lines(defence: &Defence, control: &DefenceControl) -> [String; 2] {
    let protection = defence.protection(control);
    [("off", defence.off), ("on", defence.on)].map(|(guard, rate)| {
        line(&DefenceLine {
            schema: SCHEMA,
            kind: "defence",
            role: defence.defect.role.name(),
            name: defence.defect.name,
            guard,
            accepted: rate.accepted,
            escapes: rate.escapes,
            half: defence.half().name(),
            protection: protection.name(),
        })
    })
}

/// The lines of the control: the same without any defect, and what the reference trio showed.
#[must_use]
pub fn defence_control_lines(control: &DefenceControl) -> Vec<String> {
    let lines = Half::ALL.into_iter().flat_map(|half| {
        let rates: [(&str, Rate); 2] = [("off", control.off(half)), ("on", control.on)];
        rates.map(|(guard, Rate { accepted, escapes })| {
            let half = half.name();
            line(&RateLine { schema: SCHEMA, kind: "rate", half, guard, accepted, escapes })
        })
    });
    lines.chain([control_line(&control.reference)]).collect()
}

/// The last line of `matrix defence`; `runs` and `cpu_seconds` are as in [`kill_summary_line`].
#[must_use]
pub fn defence_summary_line(
    matrix: &DefenceMatrix,
    runs: u64,
    cpu_seconds: f64,
    interrupted: bool,
) -> String {
    let count = |protection: Protection| (protection.name(), matrix.with(protection).len() as u64);
    line(&DefenceSummary {
        schema: SCHEMA,
        kind: "summary",
        defects: matrix.defences.len(),
        protection: Named(Protection::ALL.map(count).to_vec()),
        unprotected: named(&matrix.with(Protection::None)),
        scenarios: &matrix.scenarios,
        seeds: [matrix.seeds.0, matrix.seeds.1],
        server_rule_off: matrix.server_rule_off,
        client_check_off: matrix.client_check_off,
        control_runs: matrix.control.reference.runs,
        control_failed: matrix.control.reference.failed,
        effort: Effort::of(runs, cpu_seconds, interrupted),
    })
}

fn share(part: u64, of: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a share to three decimals")]
    let share = part as f64 / of.max(1) as f64;
    rounded(share, 1000.0)
}

fn named(defects: &[PlantedDefect]) -> Vec<DefectName> {
    let name = |defect: &PlantedDefect| DefectName { role: defect.role.name(), name: defect.name };
    defects.iter().map(name).collect()
}

#[derive(Serialize)]
struct DefectLine<'a> {
    schema: u32,
    #[serde(rename = "type")]
    kind: &'static str,
    role: &'static str,
    name: &'static str,
    oracles: Vec<&'static str>,
    seeds_to_kill_median: Option<u64>,
    seeds_to_kill_max: Option<u64>,
    share: f64,
    scenario: Option<&'a str>,
    /// The server in front of which a client was played.
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<&'static str>,
    first_seed: Option<u64>,
    seeds: u64,
    seeds_that_kill: u64,
    seeds_by_oracle: Named<u64>,
    ranges: u64,
    ranges_with_kill: u64,
}

#[derive(Serialize)]
struct ControlLine {
    schema: u32,
    #[serde(rename = "type")]
    kind: &'static str,
    runs: u64,
    failed: u64,
    keys: Vec<ControlKey>,
}

#[derive(Serialize)]
struct ControlKey {
    key: String,
    first: String,
}

#[derive(Serialize)]
struct KillSummary {
    schema: u32,
    #[serde(rename = "type")]
    kind: &'static str,
    defects: usize,
    killed: usize,
    not_killed: Vec<DefectName>,
    seeds_to_kill_median: Option<u64>,
    seeds_to_kill_max: Option<u64>,
    ranges: u64,
    seeds_per_range: u64,
    control_runs: Option<u64>,
    control_failed: Option<u64>,
    #[serde(flatten)]
    effort: Effort,
}

#[derive(Serialize)]
struct DefectName {
    role: &'static str,
    name: &'static str,
}

#[derive(Serialize)]
struct DefenceLine {
    schema: u32,
    #[serde(rename = "type")]
    kind: &'static str,
    role: &'static str,
    name: &'static str,
    guard: &'static str,
    accepted: u64,
    escapes: u64,
    half: &'static str,
    protection: &'static str,
}

#[derive(Serialize)]
struct RateLine {
    schema: u32,
    #[serde(rename = "type")]
    kind: &'static str,
    half: &'static str,
    guard: &'static str,
    accepted: u64,
    escapes: u64,
}

#[derive(Serialize)]
struct DefenceSummary<'a> {
    schema: u32,
    #[serde(rename = "type")]
    kind: &'static str,
    defects: usize,
    protection: Named<u64>,
    unprotected: Vec<DefectName>,
    scenarios: &'a [String],
    seeds: [u64; 2],
    server_rule_off: &'static str,
    client_check_off: &'static str,
    control_runs: u64,
    control_failed: u64,
    #[serde(flatten)]
    effort: Effort,
}

/// What it cost.
#[derive(Serialize)]
struct Effort {
    runs: u64,
    cpu_seconds: f64,
    runs_per_cpu_second: f64,
    interrupted: bool,
}

impl Effort {
    fn of(runs: u64, cpu_seconds: f64, interrupted: bool) -> Effort {
        Effort {
            runs,
            cpu_seconds: rounded(cpu_seconds, 1000.0),
            runs_per_cpu_second: seeds_per_cpu_second(runs, cpu_seconds),
            interrupted,
        }
    }
}

#[cfg(test)]
mod tests;
