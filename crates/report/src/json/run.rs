//! What is said of one run, written and read.
//!
//! Owns the fields that a `seed` and a `play` line share, and reading a `seed` line back. The line
//! holds all of a [`SeedResult`], so that a file of them can stand for the runs themselves. What is
//! read must be what would be written: a field that is not known, or sums that do not add up, are
//! refused and never dropped. It must not know which file a line comes from.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use seamstress_oracle::{Oracle, ProtocolState, Verdict};
use seamstress_plan::Action;
use serde::{Deserialize, Serialize};

use super::{SCHEMA, line};
use crate::tally::{FaultCounts, KeyedFinding, SeedResult};

/// Why a line is not the result of a run.
#[derive(Debug, thiserror::Error)]
pub enum SeedLineError {
    /// It is cut, garbled, or something else.
    #[error("it is no `seed` line: {0}")]
    NoSeedLine(serde_json::Error),
    /// A name in it says nothing to this build.
    #[error("there is no {what} `{name}`")]
    UnknownName {
        /// What the name should be of.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// It is readable and says more, less or something else than this build would.
    #[error("its fields are not those of a `seed` line of this build, or contradict each other")]
    OtherFields,
}

/// The line of one run of a sweep.
#[must_use]
pub fn seed_line(result: &SeedResult) -> String {
    line(&SeedLine { schema: SCHEMA, kind: "seed".into(), run: RunFields::of(result) })
}

/// Reads what [`seed_line`] has written.
///
/// # Errors
/// [`SeedLineError`] if anything else stands there.
pub fn read_seed_line(text: &[u8]) -> Result<SeedResult, SeedLineError> {
    let read: SeedLine = serde_json::from_slice(text).map_err(SeedLineError::NoSeedLine)?;
    let result = read.run.into_result()?;
    if seed_line(&result).as_bytes() == text { Ok(result) } else { Err(SeedLineError::OtherFields) }
}

#[derive(Serialize, Deserialize)]
struct SeedLine<'a> {
    schema: u32,
    #[serde(rename = "type")]
    kind: Cow<'a, str>,
    #[serde(flatten)]
    run: RunFields<'a>,
}

/// What is said of every run.
#[derive(Serialize, Deserialize)]
pub(super) struct RunFields<'a> {
    seed: u64,
    outcome: Cow<'a, str>,
    digest: Cow<'a, str>,
    findings: Vec<FindingFields<'a>>,
    resumptions: Resumptions,
    faults: FaultCounts,
    actions: Cow<'a, BTreeMap<Action, FaultCounts>>,
    states: Cow<'a, BTreeSet<ProtocolState>>,
    events: Events,
    sim_ms: u64,
}

impl RunFields<'_> {
    pub(super) fn of(result: &SeedResult) -> RunFields<'_> {
        let mut faults = FaultCounts::default();
        result.faults.values().for_each(|counts| faults.add(*counts));
        RunFields {
            seed: result.seed,
            outcome: result.verdict.name().into(),
            digest: (&*result.digest).into(),
            findings: result.findings.iter().map(FindingFields::of).collect(),
            resumptions: Resumptions::of(result.cells),
            faults,
            actions: Cow::Borrowed(&result.faults),
            states: Cow::Borrowed(&result.states),
            events: Events { emitted: result.emitted, delivered: result.delivered },
            sim_ms: result.sim_ms,
        }
    }

    fn into_result(self) -> Result<SeedResult, SeedLineError> {
        let unknown = |what, name: &str| SeedLineError::UnknownName { what, name: name.to_owned() };
        let finding = |fields: FindingFields| {
            let oracle = Oracle::named(&fields.oracle);
            let oracle = oracle.ok_or_else(|| unknown("oracle", &fields.oracle))?;
            Ok(KeyedFinding { oracle, key: fields.key.into_owned() })
        };
        let verdict = Verdict::named(&self.outcome);
        Ok(SeedResult {
            seed: self.seed,
            verdict: verdict.ok_or_else(|| unknown("outcome", &self.outcome))?,
            digest: self.digest.into_owned(),
            findings: self.findings.into_iter().map(finding).collect::<Result<_, _>>()?,
            cells: self.resumptions.cells(),
            faults: self.actions.into_owned(),
            states: self.states.into_owned(),
            emitted: self.events.emitted,
            delivered: self.events.delivered,
            sim_ms: self.sim_ms,
        })
    }
}

#[derive(Serialize, Deserialize)]
struct FindingFields<'a> {
    oracle: Cow<'a, str>,
    key: Cow<'a, str>,
}

impl FindingFields<'_> {
    fn of(finding: &KeyedFinding) -> FindingFields<'_> {
        FindingFields { oracle: finding.oracle.name().into(), key: (&*finding.key).into() }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct Resumptions {
    sound: u64,
    escape: u64,
    needed: u64,
    needless: u64,
    unanswered: u64,
}

impl Resumptions {
    /// From counts in the order of `Cell::ALL`.
    pub(super) fn of([sound, escape, needed, needless, unanswered]: [u64; 5]) -> Resumptions {
        Resumptions { sound, escape, needed, needless, unanswered }
    }

    /// The counts in the order of `Cell::ALL`.
    fn cells(self) -> [u64; 5] {
        let Resumptions { sound, escape, needed, needless, unanswered } = self;
        [sound, escape, needed, needless, unanswered]
    }
}

#[derive(Serialize, Deserialize)]
struct Events {
    emitted: u64,
    delivered: u64,
}
