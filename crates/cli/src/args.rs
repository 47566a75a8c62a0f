//! What can be typed.
//!
//! Owns the verbs, their arguments and the texts of `--help`. It must not know what is done with
//! them. The names are those of design section 9; verbs that do not exist yet are not listed.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

use crate::output::is_colour_wanted;
use crate::seeds::SeedRange;

mod doctor;
mod likelihood;
mod long;
mod matrix;
mod shrink;

pub use doctor::DoctorArguments;
pub use likelihood::LikelihoodArguments;
pub use long::LongArguments;
pub use matrix::{
    DefenceArguments, KillArguments, MatrixArguments, MatrixVerb, TableArguments, TableFormat,
};
pub use shrink::{ShrinkArguments, SmallArguments};

const EXIT_CODES: &str = "\
Exit codes:
    0  everything that was played holds
    1  an escape or a protocol violation
    2  the arguments or a file are wrong; nothing was played
    3  something due never came, and nothing else is wrong
    4  nothing ran, or a listed fault never fired: nothing is proven
    5  an expected finding no longer occurs
    6  the same plan gave two different traces
   70  a defect of seamstress, or a panic of the code under test
  130  interrupted; what was done is summarised

Example:
  seamstress sweep";

/// Finds out whether resumed MCP streams lose, repeat or misplace events.
#[derive(Debug, Parser)]
#[command(
    name = "seamstress",
    version,
    arg_required_else_help = true,
    disable_help_flag = true,
    disable_help_subcommand = true,
    max_term_width = 100,
    after_help = EXIT_CODES
)]
pub struct Arguments {
    /// Whether text for people carries colours; auto asks the terminal and NO_COLOR
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Colour,
    /// Print help
    // The same for both: clap's long form takes twice the lines and says no more.
    #[arg(short, long, global = true, display_order = 99, action = ArgAction::HelpShort)]
    help: Option<bool>,
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Play a scenario with many seeds and judge every run
    Sweep(SweepArguments),
    /// Play scenarios and saved plans and compare with what each file expects
    Run(RunArguments),
    /// Play one plan again
    Replay(ReplayArguments),
    /// Find the smallest plan that fails in the same way
    Shrink(ShrinkArguments),
    /// Tell what happened in one run
    Explain(ExplainArguments),
    /// Play every planted defect: who sees it, and which half of the rule protects against it
    Matrix(MatrixArguments),
    /// Show that the same seed gives the same bytes on this machine
    Doctor(DoctorArguments),
    /// List what there is
    List(ListArguments),
}

/// When text carries colours.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Colour {
    /// Whether text on standard output carries colours.
    pub fn for_standard_output(self) -> bool {
        match self {
            Colour::Auto => is_colour_wanted(),
            Colour::Always => true,
            Colour::Never => false,
        }
    }
}

/// For whom standard output is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for people
    Human,
    /// JSON Lines, and nothing else
    Json,
}

/// Who takes part, where it is not what the plan says.
#[derive(Debug, Default, Args)]
pub struct TrioArguments {
    /// The server under test: `reference`, or with planted defects `reference:DEFECT,...`
    #[arg(long, value_name = "NAME", help_heading = "Implementations")]
    pub server: Option<String>,
    /// The proxy under test
    #[arg(long, value_name = "NAME", help_heading = "Implementations")]
    pub proxy: Option<String>,
    /// The client under test: `reference`, or with planted defects `reference:DEFECT,...`
    #[arg(long, value_name = "NAME", help_heading = "Implementations")]
    pub client: Option<String>,
}

impl TrioArguments {
    /// Whether any of the three was asked for.
    pub fn is_given(&self) -> bool {
        self.server.is_some() || self.proxy.is_some() || self.client.is_some()
    }
}

/// How many runs at once.
#[derive(Debug, Args)]
pub struct JobsArguments {
    /// Runs at once; nothing but the speed depends on it [default: one for each processor]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

impl JobsArguments {
    /// The number given, or one for each processor.
    pub fn count(&self) -> NonZeroUsize {
        jobs_or_all(self.jobs)
    }
}

fn jobs_or_all(jobs: Option<NonZeroUsize>) -> NonZeroUsize {
    let available = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    jobs.unwrap_or_else(available)
}

/// The arguments of `sweep`.
#[derive(Debug, Args)]
#[command(after_help = "\
At least 20 seeds must make every listed family of faults fire, and 1000 must see the cells that the
scenario expects; otherwise nothing is proven and the exit code is 4.

With --resume the same command can be typed again after any end, a crash too: seeds whose results
are in the file are counted and not played again.

Example:
  seamstress sweep drop --seeds 0..500 --server reference:replay-whole-ring

Long ones:
  seamstress sweep --time 10m
  seamstress sweep --until-quiet 500 --coverage
  seamstress sweep --seeds 0..100000 --resume")]
pub struct SweepArguments {
    /// A file stem in sims/, a scenario of this build, or the path of a .toml file
    #[arg(value_name = "SCENARIO", default_value = "storm")]
    pub scenario: String,
    /// Seeds from A, up to and without B, decimal or 0x hex; with --time or --until-quiet, A.. has
    /// no end [default: 0..1000, 0.. with one of those, or what a scenario without draws says]
    #[arg(long, value_name = "A..B", allow_hyphen_values = true,
          value_parser = SeedRange::read_open)]
    pub seeds: Option<SeedRange>,
    #[command(flatten)]
    pub trio: TrioArguments,
    #[command(flatten)]
    pub jobs: JobsArguments,
    #[command(flatten)]
    pub long: LongArguments,
    /// End after the first seed, counted from A, that fails
    #[arg(long)]
    pub fail_fast: bool,
    #[command(flatten)]
    pub small: SmallArguments,
    /// Add how far every action got, and which protocol states were seen
    #[arg(long)]
    pub coverage: bool,
    /// Text for people, or JSON Lines: sweep_started, a line per seed, summary
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Format,
}

/// The arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = "\
A scenario must hold for every seed with the reference trio, or give exactly the findings of its
cases. A plan must hold; one that is meant for planted defects must be found out. A scenario written
by hand with two cases is shown side by side if it is named.

Example:
  seamstress run incident-4471 regressions/")]
pub struct RunArguments {
    /// Scenarios, .toml files, plans (.json) and folders of them [default: sims/, or without one
    /// the scenarios of this build]
    #[arg(value_name = "SCENARIO|PLAN|DIR")]
    pub targets: Vec<String>,
    #[command(flatten)]
    pub jobs: JobsArguments,
    #[command(flatten)]
    pub small: SmallArguments,
    /// Text for people, or JSON Lines: a line per run, summary
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Format,
}

/// The arguments of `replay`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  seamstress replay storm@7 --twice --save storm-7.json")]
pub struct ReplayArguments {
    /// A plan (.json), or a scenario with a seed: storm@7, mine.toml@0x2a; without draws in the
    /// scenario the seed may be left out
    #[arg(value_name = "PLAN|SCENARIO@SEED")]
    pub target: String,
    /// Play it two times and compare record by record
    #[arg(long)]
    pub twice: bool,
    /// Save the plan as JSON, with the implementations it was played with
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    #[command(flatten)]
    pub trio: TrioArguments,
    /// Text for people, or JSON Lines: a line per run
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Format,
}

/// The arguments of `explain`.
#[derive(Debug, Args)]
#[command(after_help = "\
The exit code is that of the run: 0 if it holds, 1 if not, and so on.

Example:
  seamstress explain storm@7 --format mermaid --output storm-7.mmd
  seamstress explain storm@6 --server rmcp --likelihood --format svg --output storm-6.svg")]
pub struct ExplainArguments {
    /// A plan (.json), a scenario with a seed (storm@7), or a trace (.ndjson), which is read and
    /// not played
    #[arg(value_name = "PLAN|SCENARIO@SEED|TRACE")]
    pub target: String,
    /// How to tell it
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: ExplainFormat,
    /// Write to this file, whole or not at all, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub trio: TrioArguments,
    #[command(flatten)]
    pub likelihood: LikelihoodArguments,
}

/// How a run is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExplainFormat {
    /// A story
    Text,
    /// A sequence diagram in Mermaid
    Mermaid,
    /// A picture of its own, of --likelihood
    Svg,
    /// The trace itself: JSON Lines, a header, then one record a line; with --likelihood a line a
    /// point, then a summary
    Json,
}

/// The arguments of `list`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  seamstress list faults")]
pub struct ListArguments {
    /// What to list
    pub what: Listed,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Listed {
    /// The scenarios in sims/ and of this build
    Scenarios,
    /// What can go wrong, family by family
    Faults,
    /// What is looked for in every run
    Oracles,
    /// The parts of the protocol states that a sweep counts
    States,
    /// What can be planted in the reference implementations
    Defects,
    /// What --server takes
    Servers,
    /// What --client takes
    Clients,
}
