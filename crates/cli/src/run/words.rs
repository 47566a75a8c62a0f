//! What is said of a case: what was expected and what came.
//!
//! Owns the sentences and the line for programs. It must not decide whether that is good.

use seamstress_oracle::Verdict;
use seamstress_report::SeedResult;

use super::UnderWay;
use crate::expect::{Comparison, Expected};
use crate::suite::Case;

/// How many unexpected keys the line of a case names.
const KEYS_MAX: usize = 6;

pub(super) fn play_line(
    case: &Case,
    run: u64,
    result: &SeedResult,
    comparison: &Comparison,
) -> String {
    let mut problems: Vec<String> =
        comparison.unexpected.iter().map(|key| format!("unexpected: {key}")).collect();
    if case.runs == 1 {
        // With more runs, each expected finding must come in any of them.
        let wanted = case.expected.wanted();
        let missing = wanted.iter().zip(&comparison.came).filter(|(_, came)| !**came);
        problems.extend(missing.map(|(wanted, _)| format!("missing: {wanted}")));
    }
    if result.verdict == Verdict::Error {
        problems.push("the run ended in a panic".to_owned());
    }
    let problem = (!problems.is_empty()).then(|| problems.join("; "));
    seamstress_report::play_line(
        &case.plan_name(run),
        case.plan_path(),
        case.name,
        result,
        Some(problem.is_none()),
        problem.as_deref(),
    )
}

pub(super) fn what_is_expected(expected: &Expected) -> String {
    match expected {
        Expected::Holds => "no finding".to_owned(),
        Expected::FoundOut | Expected::Exactly(_) | Expected::Keys(_) | Expected::Panics => {
            expected.wanted().join(", ")
        }
    }
}

pub(super) fn what_came(expected: &Expected, over: &UnderWay, missing: &[&str]) -> String {
    let runs = over.tally.seeds();
    let mut parts = Vec::new();
    if over.runs_with_unexpected > 0 {
        let mut keys: Vec<&str> = over.unexpected.iter().map(String::as_str).collect();
        let more = keys.len().saturating_sub(KEYS_MAX);
        keys.truncate(KEYS_MAX);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let panicked = over.tally.outcome(Verdict::Error);
        if panicked > 0 {
            parts.push(format!("{panicked} of {runs} runs ended in a panic"));
        }
        if !keys.is_empty() {
            let with = over.runs_with_unexpected - panicked;
            parts.push(format!("in {with} of {runs} runs unexpected: {}{more}", keys.join(", ")));
        }
    }
    if !missing.is_empty() {
        parts.push(format!("missing: {}", missing.join(", ")));
    }
    if parts.is_empty() {
        parts.push(match expected {
            Expected::Holds => format!("none in {}", count(runs, "run")),
            Expected::FoundOut => "the defects were found out".to_owned(),
            Expected::Exactly(_) | Expected::Keys(_) | Expected::Panics => {
                "all of that came, and nothing else".to_owned()
            }
        });
    }
    parts.join("; ")
}

/// For example `1 run`, `2 runs`.
pub(super) fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
