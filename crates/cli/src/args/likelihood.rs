//! The arguments of `explain --likelihood`.
//!
//! Owns what can be typed about the curve, and that none of it means anything without
//! `--likelihood`. It must not know what is done with it.

use std::num::NonZeroUsize;

use clap::{Args, value_parser};

/// How many points when nobody says.
const POINTS: u64 = 20;
/// How many reseeds of each when nobody says.
const RESEEDS: u64 = 50;

/// Whether the likelihood of a finding is asked for, and how closely.
#[derive(Debug, Args)]
pub struct LikelihoodArguments {
    /// Draw the rest of the run anew from several points of it: how likely the finding is from
    /// each of them on, and which fault raises it
    #[arg(long, help_heading = LIKELIHOOD)]
    pub likelihood: bool,
    /// From how many points, the beginning and the last moment before the finding among them
    /// [default: 20]
    #[arg(long, value_name = "N", requires = "likelihood", help_heading = LIKELIHOOD,
        value_parser = value_parser!(u64).range(2..=200))]
    points: Option<u64>,
    /// How often from each point [default: 50]
    #[arg(long, value_name = "N", requires = "likelihood", help_heading = LIKELIHOOD,
        value_parser = value_parser!(u64).range(1..=10_000))]
    reseeds: Option<u64>,
    /// Of the finding with this key [default: the one that the run is told by]
    #[arg(long, value_name = "KEY", requires = "likelihood", help_heading = LIKELIHOOD)]
    pub key: Option<String>,
    /// Runs at once; nothing but the speed depends on it [default: one for each processor]
    #[arg(short, long, value_name = "N", requires = "likelihood", help_heading = LIKELIHOOD)]
    jobs: Option<NonZeroUsize>,
}

const LIKELIHOOD: &str = "When it was baked in";

impl LikelihoodArguments {
    /// From how many points at most.
    pub fn points(&self) -> usize {
        usize::try_from(self.points.unwrap_or(POINTS)).unwrap_or(usize::MAX)
    }

    /// How often from each point.
    pub fn reseeds(&self) -> u64 {
        self.reseeds.unwrap_or(RESEEDS)
    }

    /// How many runs at once.
    pub fn jobs(&self) -> NonZeroUsize {
        super::jobs_or_all(self.jobs)
    }
}
