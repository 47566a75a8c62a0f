//! How likely a finding was from each point of a run on, and which fault raised it.
//!
//! Owns the points at which a run is told apart from what might have come ([`points`]), the
//! arithmetic over what came of drawing the rest anew ([`Share`], [`Likelihood::rises`]), and the
//! two pictures of it, text and SVG. It must not know how a plan is drawn anew or played: whoever
//! does that brings the counts. It exists because a story says what led to a finding, and not
//! whether it was bound to come.

mod points;
mod rises;
mod share;
mod svg;
mod text;

pub use points::{Point, points};
pub use rises::Rise;
pub use share::Share;
pub use svg::likelihood_svg;
pub use text::likelihood_text;

use seamstress_oracle::Finding;
use seamstress_plan::Fault;
use seamstress_trace::{FaultState, What};

use crate::telling::main_finding;
use crate::{Play, foreign, words};

/// What came of drawing the rest of a run anew, from every point of it.
#[derive(Clone, Debug)]
pub struct Likelihood {
    /// What stands behind `seamstress replay` to have the run again.
    pub target: String,
    /// The key of the finding.
    pub key: String,
    /// The finding in one sentence.
    pub sentence: String,
    /// When it is seen, in milliseconds since the start of the run.
    pub found_ms: u64,
    /// How the rest was drawn, as a clause: `operations and faults, as storm draws them`.
    pub drawn: String,
    /// How often the rest was to be drawn anew from each point.
    pub reseeds: u64,
    /// What came of it, by point, in order. Never empty.
    pub curve: Vec<Measured>,
    /// The faults of the run that happened before the finding was seen, in order.
    pub faults: Vec<Mark>,
    /// What came of the whole run without one of its faults.
    pub without: Vec<Without>,
    /// How many runs were played for all of that.
    pub runs: u64,
    /// Somebody wanted an end before all were played.
    pub is_interrupted: bool,
}

/// What came of drawing the rest anew from one point.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The point.
    pub point: Point,
    /// What the runs showed.
    pub seen: Seen,
}

/// What runs with the same past showed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// How many showed the finding.
    pub finding: u64,
    /// How many showed another one, and not this.
    pub other: u64,
    /// How many showed nothing.
    pub nothing: u64,
    /// How many had another past than the run that is explained. They say nothing about the point,
    /// and are not counted above.
    pub parted: u64,
}

impl Seen {
    /// The share that showed the finding.
    #[must_use]
    pub const fn finding(self) -> Share {
        Share { hits: self.finding, of: self.counted() }
    }

    /// The share that showed another finding.
    #[must_use]
    pub const fn other(self) -> Share {
        Share { hits: self.other, of: self.counted() }
    }

    /// Counts one more run, by what it showed; none if it had another past.
    pub fn add(&mut self, shows: Option<&Shows>) {
        match shows {
            Some(Shows::Finding) => self.finding += 1,
            Some(Shows::Other(_)) => self.other += 1,
            Some(Shows::Nothing) => self.nothing += 1,
            None => self.parted += 1,
        }
    }

    const fn counted(self) -> u64 {
        self.finding + self.other + self.nothing
    }
}

/// A fault of the run that happened before the finding was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its id in the plan.
    pub fault: String,
    /// What it does and where: `cut-reset after event 5 of c1`.
    pub words: String,
    /// When its place was reached, in milliseconds since the start of the run.
    pub at_ms: u64,
    /// The index in the trace of the record that says so.
    pub record: usize,
}

/// What came of the whole run without one of its faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Without {
    /// The fault's id in the plan.
    pub fault: String,
    /// What the run showed.
    pub shows: Shows,
}

/// What one run showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shows {
    /// The same finding.
    Finding,
    /// Not the same: the key of the finding by which the run is told, or none if it ended in a
    /// panic without any.
    Other(Option<String>),
    /// Nothing.
    Nothing,
}

/// The finding with this key, or without a key the one that a run is told by.
#[must_use]
pub fn finding_to_explain<'a>(play: &Play<'a>, key: Option<&str>) -> Option<&'a Finding> {
    match key {
        Some(key) => play.judgement.findings.iter().find(|finding| finding.key() == key),
        None => main_finding(play.plan, play.judgement),
    }
}

/// The finding as one sentence, fit for a line.
#[must_use]
pub fn sentence_of(finding: &Finding) -> String {
    format!("{}.", foreign::plain(&finding.sentence))
}

/// The faults that were carried out, and whose place was reached before this record; in the order
/// in which it was.
#[must_use]
pub fn marks(play: &Play, before: usize) -> Vec<Mark> {
    let records = &play.trace.records;
    let fired = |id: &str| {
        let is_it = |what: &What| match what {
            What::Fault { fault, state, .. } => fault == id && *state == FaultState::Fired,
            _ => false,
        };
        records.iter().any(|record| is_it(&record.what))
    };
    let mut marks: Vec<Mark> = Vec::new();
    for (index, record) in records.iter().enumerate().take(before) {
        let What::Fault { fault, .. } = &record.what else { continue };
        let planned: Option<&Fault> = play.plan.faults.iter().find(|planned| planned.id == *fault);
        let Some(planned) = planned.filter(|planned| fired(&planned.id)) else { continue };
        if marks.iter().all(|mark| mark.fault != *fault) {
            let (fault, words) = (fault.clone(), words::fault(planned));
            marks.push(Mark { fault, words, at_ms: record.at_ms, record: index });
        }
    }
    marks
}

#[cfg(test)]
mod tests;
