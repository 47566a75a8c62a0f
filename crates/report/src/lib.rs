//! What a run or a sweep showed, told to people and to programs: stories, tables, diagrams and
//! JSON lines.
//!
//! Owns every word that Seamstress says about a run. All of it is a pure function of a [`Play`] or
//! a [`Tally`]: no wall clock, no machine paths, no colour unless [`Style`] asks for it, so that
//! every text can be a snapshot. It must not know how to play, judge or print anything.
//!
//! The way through it: `unfold` turns the records of a trace into the few moments worth telling,
//! `words` gives each of them its sentence, and the renderers ([`story`], [`failure_block`],
//! [`side_by_side`], [`mermaid`]) choose and arrange them. A sweep keeps a [`SeedResult`] of each
//! run and adds them up in a [`Tally`], which [`sweep_summary`] and the JSON lines read. What
//! becomes of planted defects stands in a [`KillMatrix`] and a [`DefenceMatrix`].

mod application;
mod elide;
mod failure;
mod foreign;
mod json;
mod matrix;
mod mermaid;
mod messages;
mod moment;
mod options;
#[cfg(test)]
mod sample;
mod side_by_side;
mod story;
mod style;
mod summary;
mod sweep;
mod table;
mod tally;
mod telling;
mod unfold;
mod words;
mod wrap;

use seamstress_oracle::Judgement;
use seamstress_plan::Plan;
use seamstress_trace::{Digest, Trace};

pub use failure::{failure_block, failure_block_of_test};
pub use json::{SeedLineError, play_line, read_seed_line, seed_line};
pub use json::{control_line, defect_line, kill_summary_line};
pub use json::{defence_control_lines, defence_lines, defence_summary_line};
pub use json::{summary_line, sweep_started, sweep_summary_line};
pub use matrix::{
    Control, Defence, DefenceControl, DefenceMatrix, Half, Kill, KillMatrix, Killed, PlantedDefect,
    Protection, Rate, effort_line, replace_block,
};
pub use mermaid::mermaid;
pub use options::options_block;
pub use side_by_side::side_by_side;
pub use story::story;
pub use style::Style;
pub use summary::sweep_summary;
pub use sweep::{KeptResults, SweepEnd, SweepStart};
pub use table::{list_table, resumption_table};
pub use tally::{FaultCounts, KeyTally, KeyedFinding, SeedResult, Tally};

/// Everything about one played plan.
#[derive(Clone, Copy, Debug)]
pub struct Play<'a> {
    /// What was played.
    pub plan: &'a Plan,
    /// What happened.
    pub trace: &'a Trace,
    /// What the judge says of it.
    pub judgement: &'a Judgement,
    /// The digest of the trace.
    pub digest: Digest,
}
