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
//! becomes of planted defects stands in a [`KillMatrix`] and a [`DefenceMatrix`], and how likely a
//! finding was from each point of a run on in a [`Likelihood`]. Where two runs of one plan part is
//! a [`Divergence`], and what that came to for many of them a [`Checkup`].

mod application;
mod coverage;
mod divergence;
mod doctor;
mod elide;
mod failure;
mod foreign;
mod json;
mod likelihood;
mod matrix;
mod mermaid;
mod messages;
mod moment;
mod options;
#[cfg(test)]
mod sample;
mod shrunk;
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

pub use divergence::{Divergence, Part};
pub use doctor::{Checkup, Found, OtherProcess, Stage, checkup_summary, found_block};
pub use failure::{failure_block, failure_block_of_shrunk, failure_block_of_test};
pub use json::{SeedLineError, play_line, read_seed_line, seed_line, shrunk_line};
pub use json::{checkup_line, doctor_started, found_line};
pub use json::{control_line, defect_line, kill_summary_line};
pub use json::{defence_control_lines, defence_lines, defence_summary_line};
pub use json::{likelihood_lines, nothing_to_explain_line};
pub use json::{summary_line, sweep_started, sweep_summary_line};
pub use likelihood::{
    Likelihood, Mark, Measured, Point, Rise, Seen, Share, Shows, Without, finding_to_explain,
    likelihood_svg, likelihood_text, marks, points, sentence_of,
};
pub use matrix::{
    Control, Defence, DefenceControl, DefenceMatrix, Half, Kill, KillMatrix, Killed, PlantedDefect,
    Protection, Rate, effort_line, replace_block,
};
pub use mermaid::mermaid;
pub use options::options_block;
pub use shrunk::{MetKey, Shrinking, shrunk_block};
pub use side_by_side::side_by_side;
pub use story::story;
pub use style::Style;
pub use summary::{Unseen, sweep_summary};
pub use sweep::{KeptResults, SweepEnd, SweepStart};
pub use table::{list_table, resumption_table};
pub use tally::{FaultCounts, KeyTally, KeyedFinding, SeedResult, Tally};
pub use telling::main_finding;

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
