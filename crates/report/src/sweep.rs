//! How a sweep begins and ends, beside what its runs showed.
//!
//! Owns what its first and its last line are made of: which seeds were asked for and which are
//! done, how much time there was, what was known before. It must not know how a sweep goes on where
//! another one stopped, nor how anything looks.

use seamstress_plan::Trio;

/// What a sweep is about to do.
#[derive(Clone, Copy, Debug)]
pub struct SweepStart<'a> {
    /// The scenario's name.
    pub scenario: &'a str,
    /// Who takes part.
    pub trio: &'a Trio,
    /// The first seed, and the first one after them, if they have an end.
    pub seeds: (u64, Option<u64>),
    /// The version of this build.
    pub version: &'a str,
    /// How long seeds may be begun, in milliseconds.
    pub time_ms: Option<u64>,
    /// Where results are kept.
    pub results: Option<KeptResults<'a>>,
}

/// A file of results.
#[derive(Clone, Copy, Debug)]
pub struct KeptResults<'a> {
    /// The file, as it was typed.
    pub path: &'a str,
    /// The asked seeds that are done already: from the first, up to and without the second.
    pub seeds: (u64, u64),
}

/// How far a sweep came.
#[derive(Clone, Debug)]
pub struct SweepEnd {
    /// The seeds that are done: from the first, up to and without the second.
    pub seeds_done: (u64, u64),
    /// How many of them this process has played; the results of the others were kept by another.
    pub seeds_played: u64,
    /// The CPU time of all workers of this process.
    pub cpu_seconds: f64,
    /// The time budget, in words, if it ended the sweep before its last seed.
    pub time_up: Option<String>,
    /// How many seeds in a row had brought no new protocol state, if that ended the sweep.
    pub quiet_seeds: Option<u64>,
    /// Whether a signal did.
    pub is_interrupted: bool,
}
