//! Why a verb could not be carried out.
//!
//! Owns the one error that verbs return, and the exit code of each. A verdict is no error: a run
//! that was judged ends with an [`Exit`].

use std::io;
use std::ops::ControlFlow;

use seamstress_report::OtherProcess;
use seamstress_sim::PlayError;

use crate::doctor::ChildError;
use crate::exit::Exit;
use crate::results::ResultsError;
use crate::target::TargetError;

/// Why a verb could not be carried out, in one line with the way out.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error(transparent)]
    Play(#[from] PlayError),
    #[error(
        "{scenario}: the case `{case}` expects a finding of `{oracle}`, and no oracle is called \
         that; {way_out}"
    )]
    UnknownOracle { scenario: String, case: String, oracle: String, way_out: String },
    #[error("{plan}: a defect of seamstress itself: {message}; please report it")]
    Panicked { plan: String, message: String },
    #[error("{run} ended in a panic; `seamstress explain {run}` tells how it came to it")]
    RunPanicked { run: String },
    #[error(
        "{path} has no place for the table; put the first and the last line of `seamstress {table} \
         --format markdown` where it should stand"
    )]
    NoPlaceInPage { path: String, table: &'static str },
    #[error("{plan} shows no `{key}`; {way_out}")]
    NoSuchKey { plan: String, key: String, way_out: String },
    #[error("no process could be started to play a plan again: {problem}")]
    NoProcess { problem: io::Error },
    #[error(
        "`{path}` is the trace of a run that is over, and its rest cannot be drawn anew; give \
         --likelihood its plan, or its scenario and seed"
    )]
    TraceReseeded { path: String },
    #[error("--likelihood is told as text, svg or json, and not as a sequence diagram")]
    NoDiagramOfLikelihood,
    #[error("a picture is made of the likelihood alone; add --likelihood to --format svg")]
    NoPictureOfARun,
    #[error("no thread could be started: {problem}; lower --jobs")]
    NoThread { problem: io::Error },
    #[error("the process with seeds {}..{} in {} {problem}", .process.seeds.0, .process.seeds.1, .process.folder)]
    Process { process: OtherProcess, problem: ChildError },
    #[error("nothing can be written to standard output: {problem}")]
    StandardOutput { problem: io::Error },
    #[error("SEAMSTRESS_LOG={filter} is no filter: {problem}; write SEAMSTRESS_LOG=turmoil=trace")]
    Log { filter: String, problem: String },
    #[error("{path} cannot be written: {problem}; nothing was left there")]
    Unwritable { path: String, problem: io::Error },
    #[error(transparent)]
    Results(#[from] ResultsError),
    #[error(
        "the seeds {from}.. have no end; say when to end, as in --time 10m or --until-quiet 500"
    )]
    NoEnd { from: u64 },
}

impl CommandError {
    /// What the process exits with.
    pub const fn exit(&self) -> Exit {
        match self {
            CommandError::Target(_)
            | CommandError::Play(_)
            | CommandError::UnknownOracle { .. }
            | CommandError::NoPlaceInPage { .. }
            | CommandError::NoSuchKey { .. }
            | CommandError::TraceReseeded { .. }
            | CommandError::NoDiagramOfLikelihood
            | CommandError::NoPictureOfARun
            | CommandError::Log { .. }
            | CommandError::Unwritable { .. }
            | CommandError::Results(_)
            | CommandError::NoEnd { .. } => Exit::Usage,
            CommandError::Panicked { .. }
            | CommandError::RunPanicked { .. }
            | CommandError::NoProcess { .. }
            | CommandError::NoThread { .. }
            | CommandError::Process { .. }
            | CommandError::StandardOutput { .. } => Exit::Internal,
        }
    }
}

/// What ended many runs before the last of them, other than a signal.
pub enum Ended {
    /// Enough was seen: a failure with `--fail-fast`, a run that is not reproducible, nothing new
    /// with `--until-quiet`, or a reader that has gone.
    Enough,
    /// They could not go on.
    Problem(CommandError),
}

impl Ended {
    /// Keeps in `ended_by` why no more runs are taken, if so.
    pub fn note(
        taken: Result<ControlFlow<()>, CommandError>,
        ended_by: &mut Option<Ended>,
    ) -> ControlFlow<()> {
        *ended_by = match taken {
            Ok(ControlFlow::Continue(())) => return ControlFlow::Continue(()),
            Ok(ControlFlow::Break(())) => Some(Ended::Enough),
            Err(problem) => Some(Ended::Problem(problem)),
        };
        ControlFlow::Break(())
    }
}
