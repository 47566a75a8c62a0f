//! The `seamstress` command: what a person or a build server types, and what comes back.
//!
//! Owns arguments, the choice of what is played, spreading a sweep over threads, exit codes, and
//! where text goes. It must not know how a plan is drawn, played or judged, nor how a report looks:
//! it calls the crates that do. It is the leaf of the workspace.
//!
//! It is also the library with which somebody puts their own server into the storm, from their own
//! test: see [`Harness`].
//!
//! | module | owns |
//! |---|---|
//! | `args` | what can be typed |
//! | `target`, `seeds`, `trio`, `planted` | what is meant by it |
//! | `sweep`, `run`, `replay`, `shrink`, `explain`, `matrix`, `doctor`, `list` | one verb each |
//! | `likelihood` | `explain --likelihood` |
//! | `suite`, `expect`, `coverage` | the cases of `run`; whether what came was expected, and is enough |
//! | `playing`, `recorded` | one run; one that is over |
//! | `shrinking`, `regressions` | making a failure small; keeping it |
//! | `harness` | the library face: somebody's own server |
//! | `pool`, `many`, `failures` | many runs in order; telling their failures |
//! | `budget`, `results` | long sweeps: when they end, and what outlives them |
//! | `output`, `progress`, `log`, `interrupt`, `system` | standard output and error, signals, the machine |
//! | `exit`, `error`, `panics` | how it ends |

mod args;
mod budget;
mod coverage;
mod doctor;
mod error;
mod exit;
mod expect;
mod explain;
mod failures;
mod harness;
mod interrupt;
mod likelihood;
mod list;
mod log;
mod many;
mod matrix;
mod output;
mod panics;
mod planted;
mod playing;
mod pool;
mod progress;
mod recorded;
mod regressions;
mod replay;
mod results;
mod run;
mod seeds;
mod shrink;
mod shrinking;
mod suite;
mod sweep;
mod system;
mod target;
mod trio;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::Parser;
pub use seamstress_foreign::{
    Outlet, ProbeSession, Probes, Process, Routing, Sent, Subject, ToolCall,
};
pub use seamstress_mcp::message::{ProgressToken, RequestId};
pub use seamstress_mcp::probe::tools_list;
use seamstress_report::Style;

use crate::args::{Arguments, Verb};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::output::{Output, say};

pub use crate::harness::{Failure, Harness, HarnessError, Held, PLAN_VARIABLE};

/// Does what the arguments of this process say.
///
/// The exit code is one of the table in `seamstress --help`. Nothing panics out of it: a defect of
/// the tool is one line on standard error and exit code 70.
#[must_use]
pub fn main() -> ExitCode {
    panics::silence();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help goes to standard output, and a reader may have had enough of it.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(Exit::Usage.code()));
        }
    };
    let exit = match catch_unwind(AssertUnwindSafe(|| carry_out(&arguments))) {
        Ok(Ok(exit)) => exit,
        Ok(Err(error)) => {
            say(&format!("error: {error}"));
            error.exit()
        }
        Err(payload) => {
            let message = panics::message(&*payload);
            say(&format!("error: a defect of seamstress itself: {message}; please report it"));
            Exit::Internal
        }
    };
    ExitCode::from(exit.code())
}

fn carry_out(arguments: &Arguments) -> Result<Exit, CommandError> {
    log::begin()?;
    let style = Style { colour: arguments.color.for_standard_output() };
    let mut output = Output::new();
    match &arguments.verb {
        Verb::Sweep(arguments) => sweep::sweep(arguments, style, &mut output),
        Verb::Run(arguments) => run::run(arguments, style, &mut output),
        Verb::Replay(arguments) => replay::replay(arguments, style, &mut output),
        Verb::Shrink(arguments) => shrink::shrink(arguments, style, &mut output),
        Verb::Explain(arguments) => explain::explain(arguments, &mut output),
        Verb::Matrix(arguments) => matrix::matrix(&arguments.what, style, &mut output),
        Verb::Doctor(arguments) => doctor::doctor(arguments, style, &mut output),
        Verb::List(arguments) => list::list(arguments.what, &mut output),
    }
}
