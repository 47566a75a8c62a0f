//! A log of what the simulation does, for whoever looks below the story.
//!
//! Owns when it is written, where, and with which time: the simulated one, so that two logs of one
//! run are the same. Nothing else writes one, and no verdict depends on it.

use std::fmt;
use std::io;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;

use crate::error::CommandError;

/// The variable that asks for the log and says what of it.
pub const VARIABLE: &str = "SEAMSTRESS_LOG";

/// Writes the log on standard error if the environment asks for it, as in
/// `SEAMSTRESS_LOG=turmoil=trace`, which shows every segment on the simulated network.
pub fn begin() -> Result<(), CommandError> {
    let Ok(filter) = std::env::var(VARIABLE) else { return Ok(()) };
    let filter = EnvFilter::try_new(&filter)
        .map_err(|error| CommandError::Log { filter, problem: error.to_string() })?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_timer(SimulatedTime)
        .with_writer(io::stderr)
        .with_ansi(false)
        .init();
    Ok(())
}

/// The time inside the run.
struct SimulatedTime;

impl FormatTime for SimulatedTime {
    fn format_time(&self, writer: &mut Writer<'_>) -> fmt::Result {
        match seamstress_sim::simulated_ms() {
            Some(now_ms) => write!(writer, "{now_ms:>6} ms"),
            None => write!(writer, "         "),
        }
    }
}
