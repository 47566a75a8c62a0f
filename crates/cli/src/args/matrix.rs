//! What can be typed after `matrix`.
//!
//! Owns its two verbs and what both take. It must not know how the tables are made.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, value_parser};

use super::JobsArguments;
use crate::seeds::SeedRange;

/// The arguments of `matrix`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  seamstress matrix kill --defect replay-whole-ring")]
pub struct MatrixArguments {
    /// Which of the two tables.
    #[command(subcommand)]
    pub what: MatrixVerb,
}

/// Which table of planted defects.
#[derive(Debug, Subcommand)]
pub enum MatrixVerb {
    /// Which oracles see each defect, and after how many seeds
    Kill(KillArguments),
    /// What escapes with one half of the rule off and on
    Defence(DefenceArguments),
}

/// The arguments of `matrix kill`.
#[derive(Debug, Args)]
#[command(after_help = "\
A quarter of the first range of seeds is played in every scenario; the three that show most of the
defect, or all if none shows anything, are played with the rest of it and, up to the first kill,
with every other range. A kill is any finding. A defect that nothing kills exits with 1, and so does
any finding on the reference trio, which is played with the same seeds.

Example:
  seamstress matrix kill --defect replay-whole-ring")]
pub struct KillArguments {
    /// Ranges of seeds over which the median is taken
    #[arg(long, value_name = "N", default_value = "20", value_parser = value_parser!(u64).range(1..=1000))]
    pub ranges: u64,
    /// Seeds in a range: the first has 0..N, the second N..2N
    #[arg(long, value_name = "N", default_value = "200", value_parser = value_parser!(u64).range(1..=100_000))]
    pub seeds_per_range: u64,
    #[command(flatten)]
    pub table: TableArguments,
}

/// The arguments of `matrix defence`.
#[derive(Debug, Args)]
#[command(after_help = "\
A defect of a server or a proxy is played with the client's continuity check off and on; one of a
client in front of a server whose half of the rule is off and on. Any finding on the reference trio
exits with 1.

Example:
  seamstress matrix defence --defect replay-whole-ring --seeds 0..50")]
pub struct DefenceArguments {
    /// Seeds of every scenario, from A, up to and without B
    #[arg(long, value_name = "A..B", default_value = "0..100", allow_hyphen_values = true)]
    pub seeds: SeedRange,
    #[command(flatten)]
    pub table: TableArguments,
}

/// What both tables take.
#[derive(Debug, Args)]
pub struct TableArguments {
    /// Only the defects of this name; can be given several times [default: all]
    #[arg(long = "defect", value_name = "NAME")]
    pub defects: Vec<String>,
    /// Only this scenario; can be given several times [default: all of this build in which
    /// anything is drawn]
    #[arg(long = "scenario", value_name = "SCENARIO")]
    pub scenarios: Vec<String>,
    #[command(flatten)]
    pub jobs: JobsArguments,
    /// Text for people, JSON Lines, or Markdown for a page
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: TableFormat,
    /// Put the table, as Markdown, into this page as well: between the comments that the Markdown
    /// begins and ends with
    #[arg(long, value_name = "FILE", conflicts_with_all = ["defects", "scenarios"])]
    pub update: Option<PathBuf>,
}

/// How a table is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// Aligned text for people
    Human,
    /// JSON Lines, and nothing else
    Json,
    /// A pipe table for a page
    Markdown,
}
