//! What can be typed after `doctor`.
//!
//! Owns its arguments and the text of its `--help`. It must not know what is done with them.

use clap::Args;

use super::{Format, JobsArguments, TrioArguments};
use crate::seeds::SeedRange;

/// The arguments of `doctor`.
#[derive(Debug, Args)]
#[command(after_help = "\
Every seed is played twice, each time in a fresh thread, and again in other processes with another
environment, folder, number of jobs and order of seeds. Traces, next draws, verdicts and stories
must be the same; if not, the first record that differs is shown and the exit code is 6. Findings
do not change the exit code.

Example:
  seamstress doctor storm --seeds 0..2000")]
pub struct DoctorArguments {
    /// A scenario, a plan (.json), or a scenario with a seed, as in storm@7
    #[arg(value_name = "SCENARIO|PLAN|SCENARIO@SEED", default_value = "storm")]
    pub target: String,
    /// Seeds from A, up to and without B, decimal or 0x hex [default: 0..200, or a single one where
    /// nothing is drawn]
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    pub seeds: Option<SeedRange>,
    #[command(flatten)]
    pub trio: TrioArguments,
    #[command(flatten)]
    pub jobs: JobsArguments,
    /// Text for people, or JSON Lines: doctor_started, a line per divergence, summary
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Format,
}
