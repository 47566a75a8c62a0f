//! The JSON lines of `doctor`.
//!
//! Owns their fields. The rules are those of the module above: names and order stay, fields are
//! only ever added. Both sides of a divergence are texts: a record's is its line of the trace.

use seamstress_plan::Trio;
use serde::Serialize;

use super::{SCHEMA, line};
use crate::doctor::{Checkup, Found, OtherProcess, Stage};

/// The first line. `target` is what is played, as it was typed; `seeds` is half open.
#[must_use]
pub fn doctor_started(
    target: &str,
    trio: &Trio,
    seeds: (u64, u64),
    jobs: u64,
    version: &str,
) -> String {
    line(&DoctorStarted {
        schema: SCHEMA,
        kind: "doctor_started",
        target,
        server: &trio.server,
        proxy: &trio.proxy,
        client: &trio.client,
        seeds: [seeds.0, seeds.1],
        jobs,
        version,
    })
}

/// The line of a seed whose runs part.
#[must_use]
pub fn found_line(found: &Found) -> String {
    let Found { plan, seed, stage, divergence, note, again } = *found;
    let (stage, process) = match stage {
        Stage::Threads => ("threads", None),
        Stage::Process(process) => ("processes", Some(ProcessFields::of(process))),
    };
    line(&DivergenceLine {
        schema: SCHEMA,
        kind: "divergence",
        plan,
        seed,
        stage,
        process,
        part: divergence.part.name(),
        index: divergence.index,
        before: &divergence.before,
        first: divergence.first.as_deref(),
        second: divergence.second.as_deref(),
        note,
        again,
    })
}

/// The last line. Seeds with findings are only counted if all was reproducible.
#[must_use]
pub fn checkup_line(checkup: &Checkup, interrupted: bool) -> String {
    line(&CheckupLine {
        schema: SCHEMA,
        kind: "summary",
        reproducible: checkup.is_reproducible(),
        seeds: checkup.seeds,
        records: checkup.records,
        parted_in_threads: checkup.parted_in_threads,
        processes: checkup.processes.iter().map(ProcessFields::of).collect(),
        runs_in_processes: checkup.runs_in_processes,
        parted_in_processes: checkup.parted_in_processes,
        seeds_with_findings: checkup.is_reproducible().then_some(checkup.with_findings),
        interrupted,
    })
}

#[derive(Serialize)]
struct DoctorStarted<'a> {
    schema: u32,
    #[serde(rename = "type")]
    kind: &'static str,
    target: &'a str,
    server: &'a str,
    proxy: &'a str,
    client: &'a str,
    seeds: [u64; 2],
    jobs: u64,
    version: &'a str,
}

#[derive(Serialize)]
struct DivergenceLine<'a> {
    schema: u32,
    #[serde(rename = "type")]
    kind: &'static str,
    plan: &'a str,
    seed: u64,
    stage: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    process: Option<ProcessFields<'a>>,
    part: &'static str,
    index: usize,
    before: &'a [String],
    first: Option<&'a str>,
    second: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
    again: &'a str,
}

#[derive(Serialize)]
struct ProcessFields<'a> {
    seeds: [u64; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    jobs: Option<u64>,
    folder: &'a str,
    environment: &'a [String],
}

impl ProcessFields<'_> {
    fn of(process: &OtherProcess) -> ProcessFields<'_> {
        let OtherProcess { seeds, jobs, folder, environment } = process;
        ProcessFields { seeds: [seeds.0, seeds.1], jobs: *jobs, folder, environment }
    }
}

#[derive(Serialize)]
struct CheckupLine<'a> {
    schema: u32,
    #[serde(rename = "type")]
    kind: &'static str,
    reproducible: bool,
    seeds: u64,
    records: u64,
    parted_in_threads: u64,
    processes: Vec<ProcessFields<'a>>,
    runs_in_processes: u64,
    parted_in_processes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    seeds_with_findings: Option<u64>,
    interrupted: bool,
}
