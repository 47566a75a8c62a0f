//! `seamstress list`: what there is.
//!
//! Owns the rows of each list. They are made of the closed enums of the other crates, so that
//! nothing new can be forgotten here.

use std::io::{self, IsTerminal};

use seamstress_oracle::{Class, FaultFamily, Oracle, StreamState, VerdictReason};
use seamstress_plan::{Action, Role, builtin};
use seamstress_report::list_table;

use crate::args::Listed;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::output::Output;
use crate::planted::{self, Planted};
use crate::system::columns;
use crate::target::{self, NamedScenario, TargetError};

/// The narrowest second column, in characters.
const ABOUT_MIN: usize = 30;

/// Carries out `list`.
///
/// # Errors
/// [`CommandError`] if a scenario in `sims/` is wrong.
pub fn list(what: Listed, output: &mut Output) -> Result<Exit, CommandError> {
    let rows = match what {
        Listed::Scenarios => scenarios()?,
        Listed::Faults => faults(),
        Listed::Oracles => oracles(),
        Listed::States => states(),
        Listed::Defects => defects(),
        Listed::Servers => implementations(Role::Server),
        Listed::Clients => implementations(Role::Client),
    };
    let rows = if io::stdout().is_terminal() { wrapped(&rows, columns()) } else { rows };
    output.text(&list_table(&rows))?;
    Ok(Exit::Holds)
}

/// For a terminal: the second column within so many characters, and the first but once. Elsewhere
/// every row stays on one line, to be searched.
fn wrapped(rows: &[(String, String)], columns: usize) -> Vec<(String, String)> {
    let names = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let width = columns.saturating_sub(names + 2).max(ABOUT_MIN);
    let mut wrapped: Vec<(String, String)> = Vec::new();
    for (name, about) in rows {
        let mut line = String::new();
        let mut name = name.clone();
        for word in about.split(' ') {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
                wrapped.push((std::mem::take(&mut name), std::mem::take(&mut line)));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        wrapped.push((name, line));
    }
    wrapped
}

fn row(name: &str, about: &str) -> (String, String) {
    (name.to_owned(), about.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn scenarios() -> Result<Vec<(String, String)>, TargetError> {
    let mut names: Vec<String> = builtin().iter().map(|found| found.name.to_owned()).collect();
    for stem in target::stems_in_sims() {
        if !names.contains(&stem) {
            names.push(stem);
        }
    }
    let about = |name: &String| {
        let NamedScenario { scenario, .. } = target::scenario(name)?;
        Ok(row(name, &scenario.about))
    };
    names.iter().map(about).collect()
}

fn faults() -> Vec<(String, String)> {
    let about = |action: &Action| {
        row(&format!("{:<11} {}", action.family(), action.name()), action.about())
    };
    Action::ALL.iter().map(about).collect()
}

fn oracles() -> Vec<(String, String)> {
    let about = |oracle: &Oracle| {
        let class = match oracle.class() {
            Class::Escape => "escape",
            Class::Liveness => "liveness",
            Class::Protocol => "protocol",
            Class::Quiescence => "quiescence",
        };
        row(oracle.name(), &format!("{class}: {} ({})", oracle.about(), oracle.clause()))
    };
    Oracle::ALL.iter().map(about).collect()
}

/// A protocol state is one of each: `call-primed/drop/resume`.
fn states() -> Vec<(String, String)> {
    let of = |part: &str, name: &str, about: &str| row(name, &format!("{part}: {about}"));
    let streams = StreamState::ALL.iter().map(|one| of("stream", one.name(), one.about()));
    let families = FaultFamily::ALL.iter().map(|one| of("at work", one.name(), one.about()));
    let reasons = VerdictReason::ALL.iter().map(|one| of("answer", one.name(), one.about()));
    streams.chain(families).chain(reasons).collect()
}

fn defects() -> Vec<(String, String)> {
    let named = |planted: &Planted| {
        let option = format!("--{} {}", planted.defect.role.name(), planted.implementation());
        row(&option, planted.about)
    };
    planted::all().iter().map(named).collect()
}

fn implementations(role: Role) -> Vec<(String, String)> {
    let mut rows: Vec<(String, String)> = seamstress_sim::implementations(role)
        .into_iter()
        .map(|(name, about)| row(name, about))
        .collect();
    if planted::all().iter().any(|planted| planted.defect.role == role) {
        let about = "Ours with planted defects, separated by commas; `seamstress list defects` has \
                     their names.";
        rows.insert(1, row("reference:DEFECT,...", about));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_a_terminal_a_long_row_goes_on_below_itself() {
        let rows = [row("cut", "one two three four five six seven eight nine"), row("b", "short")];
        let lines = wrapped(&rows, 36);
        let lines: Vec<(&str, &str)> =
            lines.iter().map(|(name, about)| (name.as_str(), about.as_str())).collect();
        assert_eq!(
            lines,
            [("cut", "one two three four five six"), ("", "seven eight nine"), ("b", "short")]
        );
    }
}
