//! `seamstress replay`: one plan, played again.
//!
//! Owns what is said around one run. The drawn options come before the run, so that a run that
//! hangs has still told them; verdict, digest and the next draws come last. It must not know how
//! two runs are compared.

use std::path::Path;

use seamstress_oracle::{Cell, Verdict};
use seamstress_report::{Divergence, Style};
use seamstress_trace::{Record, What};

use crate::args::{Format, ReplayArguments};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::output::{Output, say, write_file};
use crate::playing::Played;
use crate::target::{self, NamedPlan};
use crate::trio;

/// What the two runs of `--twice` are called.
const RUNS: [&str; 2] = ["first", "second"];

/// Carries out `replay`.
///
/// # Errors
/// [`CommandError`] if it cannot begin, or the plan cannot be saved.
pub fn replay(
    arguments: &ReplayArguments,
    style: Style,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let named = target::plan(&arguments.target, &arguments.trio)?;
    trio::check(&named.plan.trio)?;
    if let Some(path) = &arguments.save {
        save(&named, path)?;
    }
    match arguments.format {
        Format::Human => replay_for_people(&named, arguments.twice, style, output),
        Format::Json => replay_for_programs(&named, arguments.twice, output),
    }
}

fn save(named: &NamedPlan, path: &Path) -> Result<(), CommandError> {
    write_file(path, named.plan.to_json().as_bytes())?;
    say(&format!("saved the plan of {} as {}", named.plan.name, path.display()));
    Ok(())
}

fn replay_for_people(
    named: &NamedPlan,
    is_twice: bool,
    style: Style,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let options = seamstress_report::options_block(&named.plan, None);
    output.text(&named.after_its_command(options))?;
    let played = Played::of(named.plan.clone())?;
    let verdict = played.judgement.verdict;
    if verdict != Verdict::Holds {
        let block = seamstress_report::failure_block(&played.as_play(), &named.typed, style);
        // Its head has been said before the run.
        let failure = block.split_once("\n\n").map_or(&*block, |(_, failure)| failure);
        output.text(&format!("\n{failure}"))?;
    }
    let cells = Cell::ALL.map(|cell| played.judgement.count(cell));
    output.text(&format!("\n{}", seamstress_report::resumption_table(cells)))?;
    let mut exit = Exit::of_verdict(verdict);
    if is_twice {
        let again = Played::of(named.plan.clone())?;
        match Divergence::between(&played.as_play(), &again.as_play()) {
            None => {
                let records = played.trace.records.len();
                output.text(&format!("twice     both runs gave the same {records} records"))?;
            }
            Some(parted) => {
                output.text(&format!("twice     {}", parted.text(RUNS)))?;
                exit = Exit::NotReproducible;
            }
        }
    }
    output.text(&format!("\n{}", last_line(&played)))?;
    Ok(exit)
}

fn replay_for_programs(
    named: &NamedPlan,
    is_twice: bool,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let played = play_and_print(named, output)?;
    let mut exit = Exit::of_verdict(played.judgement.verdict);
    if is_twice {
        let again = play_and_print(named, output)?;
        if let Some(parted) = Divergence::between(&played.as_play(), &again.as_play()) {
            say(&format!("error: {}", parted.text(RUNS)));
            exit = Exit::NotReproducible;
        }
    }
    Ok(exit)
}

fn play_and_print(named: &NamedPlan, output: &mut Output) -> Result<Played, CommandError> {
    let played = Played::of(named.plan.clone())?;
    output.text(&seamstress_report::play_line(
        &named.plan.name,
        named.path.as_deref(),
        None,
        &played.result(),
        None,
        None,
    ))?;
    Ok(played)
}

/// Verdict, digest, and what each random stream would give next.
fn last_line(played: &Played) -> String {
    let verdict = played.judgement.verdict.name();
    let mut line = format!("verdict   {verdict}   digest {}", played.digest);
    if let Some(Record { what: What::RunEnd { next_draws, .. }, .. }) = played.trace.records.last()
    {
        let draws: Vec<String> =
            next_draws.iter().map(|(name, draw)| format!("{name} {draw:016x}")).collect();
        if !draws.is_empty() {
            line += &format!("   next draws: {}", draws.join(", "));
        }
    }
    line
}
