//! The JSON lines of `explain --likelihood`: one for each point, and a summary.
//!
//! Owns their fields. The rules are those of the module above: names and order stay, fields are
//! only ever added. Shares are counts; ranges are in thousandths.

use serde::Serialize;

use super::{SCHEMA, line};
use crate::likelihood::{Likelihood, Mark, Measured, Rise, Share, Shows, Without};

/// The lines of a curve: its points in order, then what raises it.
#[must_use]
pub fn likelihood_lines(likelihood: &Likelihood) -> String {
    let points =
        likelihood.curve.iter().enumerate().map(|(index, measured)| point(index, measured));
    let lines: Vec<String> = points.chain([summary(likelihood)]).collect();
    lines.join("\n")
}

/// The only line for a run without a finding.
#[must_use]
pub fn nothing_to_explain_line(target: &str, outcome: &str) -> String {
    line(&Nothing { schema: SCHEMA, kind: "summary", run: target, outcome, key: None })
}

fn point(index: usize, measured: &Measured) -> String {
    let Measured { point, seen } = measured;
    let (low_per_mille, high_per_mille) = seen.finding().range_per_mille();
    line(&PointLine {
        schema: SCHEMA,
        kind: "likelihood_point",
        point: index,
        at_ms: point.at_ms.unwrap_or(0),
        records: point.records,
        after: &point.after,
        reseeds: seen.finding().of,
        finding: seen.finding,
        other: seen.other,
        nothing: seen.nothing,
        parted: seen.parted,
        low_per_mille,
        high_per_mille,
    })
}

fn summary(likelihood: &Likelihood) -> String {
    let Likelihood { target, key, sentence, found_ms, drawn, reseeds, runs, .. } = likelihood;
    line(&Summary {
        schema: SCHEMA,
        kind: "summary",
        run: target,
        key: Some(key),
        sentence,
        found_ms: *found_ms,
        drawn,
        points: likelihood.curve.len(),
        reseeds: *reseeds,
        runs: *runs,
        parted: likelihood.curve.iter().map(|measured| measured.seen.parted).sum(),
        faults: likelihood.faults.iter().map(FaultFields::of).collect(),
        steepest: likelihood.steepest().as_ref().map(RiseFields::of),
        rises: likelihood.rises().iter().map(RiseFields::of).collect(),
        without: likelihood.without.iter().map(WithoutFields::of).collect(),
        interrupted: likelihood.is_interrupted,
    })
}

#[derive(Serialize)]
struct PointLine<'a> {
    schema: u32,
    #[serde(rename = "type")]
    kind: &'static str,
    point: usize,
    at_ms: u64,
    records: usize,
    after: &'a str,
    reseeds: u64,
    finding: u64,
    other: u64,
    nothing: u64,
    parted: u64,
    low_per_mille: u64,
    high_per_mille: u64,
}

#[derive(Serialize)]
struct Nothing<'a> {
    schema: u32,
    #[serde(rename = "type")]
    kind: &'static str,
    run: &'a str,
    outcome: &'a str,
    key: Option<&'a str>,
}

#[derive(Serialize)]
struct Summary<'a> {
    schema: u32,
    #[serde(rename = "type")]
    kind: &'static str,
    run: &'a str,
    key: Option<&'a str>,
    sentence: &'a str,
    found_ms: u64,
    drawn: &'a str,
    points: usize,
    reseeds: u64,
    runs: u64,
    parted: u64,
    faults: Vec<FaultFields<'a>>,
    steepest: Option<RiseFields<'a>>,
    rises: Vec<RiseFields<'a>>,
    without: Vec<WithoutFields<'a>>,
    interrupted: bool,
}

#[derive(Serialize)]
struct FaultFields<'a> {
    fault: &'a str,
    words: &'a str,
    at_ms: u64,
}

impl FaultFields<'_> {
    fn of(mark: &Mark) -> FaultFields<'_> {
        FaultFields { fault: &mark.fault, words: &mark.words, at_ms: mark.at_ms }
    }
}

/// A step of the curve: `to_point` is null where it ends at the finding.
#[derive(Serialize)]
struct RiseFields<'a> {
    from_point: usize,
    to_point: Option<usize>,
    from: ShareFields,
    to: ShareFields,
    clear: bool,
    faults: Vec<&'a str>,
}

impl RiseFields<'_> {
    fn of<'a>(rise: &Rise<'a>) -> RiseFields<'a> {
        RiseFields {
            from_point: rise.from_point,
            to_point: (!rise.ends_at_finding).then_some(rise.from_point + 1),
            from: ShareFields::of(rise.from),
            to: ShareFields::of(rise.to),
            clear: rise.is_clear(),
            faults: rise.faults.iter().map(|mark| &*mark.fault).collect(),
        }
    }
}

#[derive(Serialize)]
struct ShareFields {
    finding: u64,
    reseeds: u64,
}

impl ShareFields {
    fn of(share: Share) -> ShareFields {
        ShareFields { finding: share.hits, reseeds: share.of }
    }
}

#[derive(Serialize)]
struct WithoutFields<'a> {
    fault: &'a str,
    shows: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
}

impl WithoutFields<'_> {
    fn of(without: &Without) -> WithoutFields<'_> {
        let (shows, key) = match &without.shows {
            Shows::Finding => ("finding", None),
            Shows::Nothing => ("nothing", None),
            Shows::Other(key) => ("other", key.as_deref()),
        };
        WithoutFields { fault: &without.fault, shows, key }
    }
}
