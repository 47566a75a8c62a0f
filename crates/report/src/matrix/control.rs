//! The control of both tables: the reference trio on the seeds that the defects were played with.
//!
//! Owns its counts and the sentence about it. An oracle that cries wolf would see every defect, so
//! a table without its control says nothing.

use std::collections::BTreeMap;

use crate::words::count;

/// What the reference trio, without any defect, showed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Control {
    /// How many runs.
    pub runs: u64,
    /// In how many of them something was found.
    pub failed: u64,
    /// The key of each finding with the first run that showed it, as it is typed: `storm@7`.
    pub first_runs: BTreeMap<String, String>,
}

impl Control {
    /// For example `no finding in 1400 runs of the same seeds`.
    pub(crate) fn sentence(&self) -> String {
        let runs = count(self.runs, "run");
        match self.failed {
            0 => format!("no finding in {runs} of the same seeds"),
            failed => format!("findings in {failed} of {runs} of the same seeds"),
        }
    }

    /// A line for each key that was found, if any was.
    pub(crate) fn lines(&self) -> String {
        self.first_runs.iter().map(|(key, run)| format!("  {run}  {key}\n")).collect()
    }
}
