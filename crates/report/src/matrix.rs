//! The two tables about planted defects: who sees each of them, and what protects against it.
//!
//! Owns the numbers of both tables, their statistics, and how they look to people: aligned text
//! for a terminal, pipe tables for a page. It must not know how anything is played. All arithmetic
//! is on integers; the fractions that are shown are rounded last.

mod control;
mod defence;
mod kill;
mod markdown;
mod rate;

pub use control::Control;
pub use defence::{Defence, DefenceControl, DefenceMatrix, Half, Protection};
pub use kill::{Kill, KillMatrix, Killed};
pub use markdown::replace_block;
pub use rate::Rate;

use seamstress_plan::Role;

use crate::json::seeds_per_cpu_second;
use crate::words::count;

/// A defect, by the role of the implementation that it is planted in and its name there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlantedDefect {
    /// Whose.
    pub role: Role,
    /// The name on the command line.
    pub name: &'static str,
}

/// What a table cost, for people: `runs` counts those of the control too, `cpu_seconds` is the CPU
/// time of all workers.
#[must_use]
pub fn effort_line(runs: u64, cpu_seconds: f64) -> String {
    let speed = seeds_per_cpu_second(runs, cpu_seconds);
    format!(
        "{}, {cpu_seconds:.3} s of CPU time, {speed:.1} runs per CPU second",
        count(runs, "run")
    )
}

/// For example `server clamp-to-floor, client one-cursor-slot`.
fn names(defects: &[PlantedDefect]) -> String {
    let names = defects.iter().map(|defect| format!("{} {}", defect.role.name(), defect.name));
    names.collect::<Vec<_>>().join(", ")
}
