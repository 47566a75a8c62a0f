//! What can be typed about making failures small: the verb `shrink`, and the options of `sweep`
//! and `run` for what they do by themselves.
//!
//! It must not know how plans become smaller.

use std::path::PathBuf;

use clap::{Args, value_parser};

use super::{Format, JobsArguments, TrioArguments};
use crate::regressions::REGRESSIONS;

/// What becomes of failures by itself.
#[derive(Debug, Args)]
pub struct SmallArguments {
    /// Tell failures as they were played, without looking for a smaller plan
    #[arg(long, help_heading = "Failures", conflicts_with = "save")]
    pub no_shrink: bool,
    /// Plans to play at most to make one failure small
    #[arg(long, value_name = "N", default_value = "2000", help_heading = "Failures",
          value_parser = value_parser!(u64).range(1..=1_000_000))]
    pub shrink_runs: u64,
    /// Keep the smallest plan of each new key in this folder, from which `run` plays it
    /// [default folder: sims/regressions]
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true,
          default_missing_value = REGRESSIONS, help_heading = "Failures")]
    pub save: Option<PathBuf>,
}

/// The arguments of `shrink`.
#[derive(Debug, Args)]
#[command(after_help = "\
Faults, operations, hosts and events are taken away, extents weakened and times brought forward,
as long as the same key is found and the reference holds with the same plan. The smallest plan is
played again in three fresh threads and a fresh process. The exit code is that of the run, or 6 if
the same plan did not give the same trace again.

Example:
  seamstress shrink storm@7 --server reference:replay-whole-ring")]
pub struct ShrinkArguments {
    /// A plan (.json), or a scenario with a seed: storm@7
    #[arg(value_name = "PLAN|SCENARIO@SEED")]
    pub target: String,
    /// Which finding must stay [default: the one that the run is told by]
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
    /// Plans to play at most
    #[arg(long, value_name = "N", default_value = "10000",
          value_parser = value_parser!(u64).range(1..=10_000_000))]
    pub runs: u64,
    /// Where the smallest plan goes [default: ORACLE-NAMES-HASH.json in this folder]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Keep plans that showed other keys on the way in this folder
    #[arg(long, value_name = "DIR")]
    pub others: Option<PathBuf>,
    #[command(flatten)]
    pub trio: TrioArguments,
    #[command(flatten)]
    pub jobs: JobsArguments,
    /// Text for people, or JSON Lines: a play line for the run and for the smallest, then shrunk
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Format,
}
