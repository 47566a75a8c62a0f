//! The command as its users see it: the real binary, its exit codes, what it writes and where.
//!
//! Owns no test itself; see the modules.

mod canaries;
mod coverage;
mod determinism;
mod doctor;
mod exit_codes;
mod explaining;
mod files;
#[cfg(feature = "rmcp")]
mod foreign;
mod json_lines;
mod likelihood;
mod listing;
mod logging;
mod long_sweeps;
mod matrix;
mod shrinking;
mod signals;
mod suite;
mod support;
mod wrong_input;
