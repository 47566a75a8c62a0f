//! What can be typed about long sweeps.
//!
//! Owns the options of when a sweep ends, other than by its last seed, and of results that outlive
//! the process. It must not know what is done with them.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;

use crate::budget::TimeBudget;

/// What a sweep takes that is to run for long.
#[derive(Debug, Args)]
pub struct LongArguments {
    /// Begin no seed after this time: 90s, 10m, 1h30m; without --seeds there is no other end
    #[arg(long, value_name = "TIME", help_heading = "Long sweeps")]
    pub time: Option<TimeBudget>,
    /// End once K seeds in a row have brought no new protocol state; without --seeds there is no
    /// other end
    #[arg(long, value_name = "K", help_heading = "Long sweeps")]
    pub until_quiet: Option<NonZeroU64>,
    /// Keep the result of every seed in this file, as JSON Lines; a crash loses no more than the
    /// seeds under way
    #[arg(long, value_name = "FILE", help_heading = "Long sweeps")]
    pub results: Option<PathBuf>,
    /// Go on where the file of results ends, or begin it [default file: here, named after scenario
    /// and implementations]
    #[arg(long, help_heading = "Long sweeps")]
    pub resume: bool,
}
