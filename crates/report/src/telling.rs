//! What all tellings of a run share: which finding it is told by, which moment shows a finding, and
//! how a moment is set as a line.
//!
//! Owns the remarks beside moments and the columns of a line. It must not choose which moments are
//! told: stories, failures and diagrams do, each for itself.

use std::collections::BTreeMap;

use seamstress_oracle::{Class, Finding, Judgement, Oracle};
use seamstress_plan::Plan;

use crate::moment::{Moment, Scene};
use crate::{Play, foreign, words};

/// The finding that a run is told by: the one that its plan is kept for, or the first escape, or
/// else the first of all.
#[must_use]
pub fn main_finding<'a>(plan: &Plan, judgement: &'a Judgement) -> Option<&'a Finding> {
    let findings = &judgement.findings;
    let kept_for = plan.regression.as_ref().and_then(|known| known.findings.first());
    let kept = kept_for.and_then(|key| findings.iter().find(|found| found.key() == *key));
    let escape = || findings.iter().find(|found| found.oracle.class() == Class::Escape);
    kept.or_else(escape).or_else(|| findings.first())
}

/// The remarks of findings, by the moment that shows each.
pub(crate) fn remarks(play: &Play, moments: &[&Moment]) -> BTreeMap<usize, String> {
    let mut oracles: BTreeMap<usize, Vec<Oracle>> = BTreeMap::new();
    for finding in &play.judgement.findings {
        let Some(index) = shown_by(moments, finding.record) else { continue };
        let oracles = oracles.entry(index).or_default();
        if !oracles.contains(&finding.oracle) {
            oracles.push(finding.oracle);
        }
    }
    oracles.into_iter().map(|(index, oracles)| (index, words::remark(&oracles))).collect()
}

/// The moment that stands for a record, or the last one that was over by then.
pub(crate) fn shown_by(moments: &[&Moment], record: usize) -> Option<usize> {
    let covering = moments.iter().position(|moment| moment.covers(record));
    covering.or_else(|| moments.iter().rposition(|moment| moment.last() <= record))
}

/// How the lines of moments are set: time, host, stream, sentence.
pub(crate) struct Layout {
    time: usize,
    stream: usize,
}

impl Layout {
    pub(crate) fn of(moments: &[&Moment]) -> Layout {
        let times = moments.iter().map(|moment| moment.at_ms.to_string().len());
        let streams = moments.iter().filter_map(|moment| moment.stream).map(str::len);
        Layout { time: times.max().unwrap_or(1), stream: streams.max().unwrap_or(1) }
    }

    pub(crate) fn line(&self, moment: &Moment, remark: Option<&str>) -> String {
        let host = match moment.scene {
            Scene::Fires { .. } => "FAULT",
            _ => moment.host.name(),
        };
        let (time, width) = (self.time, self.stream);
        let stream = foreign::plain(moment.stream.unwrap_or_default());
        let sentence = words::sentence(moment);
        let remark = remark.map(|remark| format!("   {remark}")).unwrap_or_default();
        format!("  {:>time$} ms  {host:<8}  {stream:<width$}  {sentence}{remark}\n", moment.at_ms)
    }
}
