//! What can be typed.
//!
//! Owns the verbs, their arguments and the texts of `--help`. It must not know what is done with
//! them. The names are those of design section 9; verbs that do not exist yet are not listed.

mod likelihood;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum, value_parser};

pub use likelihood::LikelihoodArguments;

use crate::output::is_colour_wanted;
use crate::seeds::SeedRange;

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
    /// Tell what happened in one run
    Explain(ExplainArguments),
    /// Play every planted defect: who sees it, and which half of the rule protects against it
    Matrix(MatrixArguments),
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

Example:
  seamstress sweep drop --seeds 0..500 --server reference:replay-whole-ring")]
pub struct SweepArguments {
    /// A file stem in sims/, a scenario of this build, or the path of a .toml file
    #[arg(value_name = "SCENARIO", default_value = "storm")]
    pub scenario: String,
    /// Seeds from A, up to and without B, decimal or 0x hex [default: 0..1000, or what a scenario
    /// without draws says]
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    pub seeds: Option<SeedRange>,
    #[command(flatten)]
    pub trio: TrioArguments,
    #[command(flatten)]
    pub jobs: JobsArguments,
    /// End after the first seed, counted from A, that fails
    #[arg(long)]
    pub fail_fast: bool,
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
    /// What can be planted in the reference implementations
    Defects,
    /// What --server takes
    Servers,
    /// What --client takes
    Clients,
}
