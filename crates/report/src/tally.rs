//! What a sweep keeps of each run, and how it adds up.
//!
//! Owns the counts that summaries and JSON lines are made of. Merging is commutative and
//! associative, so that workers may finish in any order and the sum is the same; what is kept does
//! not grow with the number of runs. It must not know how anything looks.

use std::collections::BTreeMap;

use seamstress_oracle::{Cell, Oracle, Verdict};
use seamstress_plan::{ExpectedCell, Family, Fault};
use serde::{Deserialize, Serialize};

use crate::Play;

/// What is kept of one run of a sweep, once its trace is dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedResult {
    /// The seed.
    pub seed: u64,
    /// How the run is counted.
    pub verdict: Verdict,
    /// The digest of its trace, in hexadecimal.
    pub digest: String,
    /// Its findings, in the order of the trace.
    pub findings: Vec<KeyedFinding>,
    /// Its resumptions by cell, in the order of [`Cell::ALL`].
    pub cells: [u64; 5],
    /// How far its faults got; a family without any is left out.
    pub faults: BTreeMap<Family, FaultCounts>,
    /// Messages that the server's application emitted.
    pub emitted: u64,
    /// Messages that the client's application got.
    pub delivered: u64,
    /// How long it took in simulated time, in milliseconds.
    pub sim_ms: u64,
}

/// A finding as a sweep counts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyedFinding {
    /// Who found it.
    pub oracle: Oracle,
    /// Its key.
    pub key: String,
}

impl SeedResult {
    /// What is kept of a run.
    #[must_use]
    pub fn of(seed: u64, play: &Play) -> SeedResult {
        let judgement = play.judgement;
        let keyed = |finding: &seamstress_oracle::Finding| KeyedFinding {
            oracle: finding.oracle,
            key: finding.key(),
        };
        SeedResult {
            seed,
            verdict: judgement.verdict,
            digest: play.digest.to_string(),
            findings: judgement.findings.iter().map(keyed).collect(),
            cells: Cell::ALL.map(|cell| judgement.count(cell)),
            faults: faults_by_family(play),
            emitted: judgement.emitted,
            delivered: judgement.delivered,
            sim_ms: play.trace.records.last().map_or(0, |record| record.at_ms),
        }
    }
}

fn faults_by_family(play: &Play) -> BTreeMap<Family, FaultCounts> {
    let judged = &play.judgement.faults;
    let counts = |family: Family| {
        // The judge counts by the name in the trace; a name that is no family's is no fault of a
        // plan.
        let count =
            |counts: &BTreeMap<String, u64>| counts.get(family.name()).copied().unwrap_or(0);
        let is_of_it = |fault: &&Fault| fault.family == family;
        let counts = FaultCounts {
            planned: play.plan.faults.iter().filter(is_of_it).count() as u64,
            reached: count(&judged.reached),
            fired: count(&judged.fired),
            effective: count(&judged.effective),
        };
        (counts != FaultCounts::default()).then_some((family, counts))
    };
    Family::ALL.into_iter().filter_map(counts).collect()
}

/// How often a key was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyTally {
    /// In how many runs, however often in each.
    pub count: u64,
    /// The lowest seed that shows it.
    pub first_seed: u64,
}

/// How far the faults of a family got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultCounts {
    /// Faults in plans.
    pub planned: u64,
    /// Faults whose place occurred.
    pub reached: u64,
    /// Faults carried out.
    pub fired: u64,
    /// Faults with an observed effect.
    pub effective: u64,
}

impl FaultCounts {
    /// Adds the counts of others.
    pub(crate) fn add(&mut self, others: FaultCounts) {
        let FaultCounts { planned, reached, fired, effective } = others;
        self.planned += planned;
        self.reached += reached;
        self.fired += fired;
        self.effective += effective;
    }
}

/// What a sweep adds up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    seeds: u64,
    outcomes: BTreeMap<Verdict, u64>,
    cells: [u64; 5],
    findings: BTreeMap<Oracle, u64>,
    keys: BTreeMap<String, KeyTally>,
    faults: BTreeMap<Family, FaultCounts>,
}

impl Default for Tally {
    /// Nothing yet: every oracle and every family stands at 0.
    fn default() -> Tally {
        Tally {
            seeds: 0,
            outcomes: BTreeMap::new(),
            cells: [0; 5],
            findings: Oracle::ALL.iter().map(|oracle| (*oracle, 0)).collect(),
            keys: BTreeMap::new(),
            faults: Family::ALL.into_iter().map(|f| (f, FaultCounts::default())).collect(),
        }
    }
}

impl Tally {
    /// Adds a run; `seed` is how its keys name it.
    pub fn add(&mut self, seed: u64, result: &SeedResult) {
        self.seeds += 1;
        *self.outcomes.entry(result.verdict).or_insert(0) += 1;
        for (sum, count) in self.cells.iter_mut().zip(result.cells) {
            *sum += count;
        }
        let mut seen: Vec<&str> = Vec::new();
        for KeyedFinding { oracle, key } in &result.findings {
            *self.findings.entry(*oracle).or_insert(0) += 1;
            if !seen.contains(&key.as_str()) {
                seen.push(key);
                self.add_key(key.clone(), KeyTally { count: 1, first_seed: seed });
            }
        }
        for (family, counts) in &result.faults {
            self.add_faults(*family, *counts);
        }
    }

    /// Adds another tally: in any order, the sum is the same.
    pub fn merge(&mut self, other: Tally) {
        self.seeds += other.seeds;
        for (verdict, count) in other.outcomes {
            *self.outcomes.entry(verdict).or_insert(0) += count;
        }
        for (sum, count) in self.cells.iter_mut().zip(other.cells) {
            *sum += count;
        }
        for (oracle, count) in other.findings {
            *self.findings.entry(oracle).or_insert(0) += count;
        }
        for (key, tally) in other.keys {
            self.add_key(key, tally);
        }
        for (family, counts) in other.faults {
            self.add_faults(family, counts);
        }
    }

    fn add_key(&mut self, key: String, tally: KeyTally) {
        let entry = self.keys.entry(key);
        let sum = entry.or_insert(KeyTally { count: 0, first_seed: tally.first_seed });
        sum.count += tally.count;
        sum.first_seed = sum.first_seed.min(tally.first_seed);
    }

    fn add_faults(&mut self, family: Family, counts: FaultCounts) {
        self.faults.entry(family).or_default().add(counts);
    }

    /// How many runs.
    #[must_use]
    pub fn seeds(&self) -> u64 {
        self.seeds
    }

    /// How many runs were counted so.
    #[must_use]
    pub fn outcome(&self, verdict: Verdict) -> u64 {
        self.outcomes.get(&verdict).copied().unwrap_or(0)
    }

    /// How many resumptions landed in this cell.
    #[must_use]
    pub fn cell(&self, cell: Cell) -> u64 {
        let at = Cell::ALL.iter().position(|other| *other == cell);
        at.map_or(0, |at| self.cells[at])
    }

    /// The counts of all cells, in the order of [`Cell::ALL`].
    pub(crate) fn cells(&self) -> [u64; 5] {
        self.cells
    }

    /// How many findings each oracle has; every oracle is there, with 0 if it found nothing.
    #[must_use]
    pub fn findings(&self) -> &BTreeMap<Oracle, u64> {
        &self.findings
    }

    /// How often each key was found.
    #[must_use]
    pub fn keys(&self) -> &BTreeMap<String, KeyTally> {
        &self.keys
    }

    /// How far the faults of each family got; every family is there.
    #[must_use]
    pub fn faults(&self) -> &BTreeMap<Family, FaultCounts> {
        &self.faults
    }

    /// The families among `listed` of which no fault was carried out.
    #[must_use]
    pub fn never_fired(&self, listed: &[Family]) -> Vec<Family> {
        let fired = |family: &Family| self.faults.get(family).map_or(0, |counts| counts.fired);
        listed.iter().copied().filter(|family| fired(family) == 0).collect()
    }

    /// The cells among `wanted` in which no resumption landed.
    #[must_use]
    pub fn missing_cells(&self, wanted: &[ExpectedCell]) -> Vec<ExpectedCell> {
        let count = |cell: &ExpectedCell| match cell {
            ExpectedCell::Sound => self.cell(Cell::Sound),
            ExpectedCell::Needed => self.cell(Cell::Needed),
            ExpectedCell::Needless => self.cell(Cell::Needless),
        };
        wanted.iter().copied().filter(|cell| count(cell) == 0).collect()
    }
}

#[cfg(test)]
mod tests;
