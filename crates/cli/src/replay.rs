//! `seamstress replay`: one plan, played again.
//!
//! Owns what is said around one run, and the comparison of two. The drawn options come before the
//! run, so that a run that hangs has still told them; verdict, digest and the next draws come last.

use std::path::Path;

use seamstress_oracle::{Cell, Verdict};
use seamstress_report::Style;
use seamstress_trace::{Record, Trace, What};

use crate::args::{Format, ReplayArguments};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::output::{Output, say, write_file};
use crate::playing::Played;
use crate::target::{self, NamedPlan};
use crate::trio;

/// How many records before the first that differs are shown.
const RECORDS_BEFORE: usize = 10;

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
        match divergence(&played.trace, &again.trace) {
            None => {
                let records = played.trace.records.len();
                output.text(&format!("twice     both runs gave the same {records} records"))?;
            }
            Some(text) => {
                output.text(&format!("twice     {text}"))?;
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
        if let Some(text) = divergence(&played.trace, &again.trace) {
            say(&format!("error: {text}"));
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

/// Where two runs of one plan part, with both records and those before; none if they are equal.
fn divergence(first: &Trace, second: &Trace) -> Option<String> {
    if first == second {
        return None;
    }
    if first.header != second.header {
        return Some("NOT REPRODUCIBLE: the headers of the two traces differ".to_owned());
    }
    let (first, second) = (&first.records, &second.records);
    let same = first.iter().zip(second).take_while(|(one, other)| one == other).count();
    let mut lines =
        vec![format!("NOT REPRODUCIBLE: the runs part at record {same}, counted from 0")];
    let from = same.saturating_sub(RECORDS_BEFORE);
    lines.extend((from..same).map(|index| format!("  both    {}", text_of(first.get(index)))));
    lines.push(format!("  first   {}", text_of(first.get(same))));
    lines.push(format!("  second  {}", text_of(second.get(same))));
    Some(lines.join("\n"))
}

fn text_of(record: Option<&Record>) -> String {
    match record {
        None => "(the run is over)".to_owned(),
        // Records are numbers, texts and lists of them.
        Some(record) => serde_json::to_string(record).expect("a record is always JSON"),
    }
}

#[cfg(test)]
mod tests {
    use seamstress_trace::{Header, Host};

    use super::*;

    fn trace(phases: &[&str]) -> Trace {
        let header = Header {
            kind: "trace".into(),
            schema: 1,
            plan: "drop@7".into(),
            server: "reference".into(),
            proxy: "reference".into(),
            client: "reference".into(),
            tick_ms: 1,
            live_within_ms: 100,
            id_scheme: None,
            refusal: None,
        };
        let record = |(at_ms, phase): (usize, &&str)| Record {
            at_ms: at_ms as u64,
            host: Host::Run,
            what: What::Phase { phase: (*phase).to_owned() },
        };
        Trace { header, records: phases.iter().enumerate().map(record).collect() }
    }

    #[test]
    fn two_equal_traces_do_not_part() {
        assert_eq!(divergence(&trace(&["a", "b"]), &trace(&["a", "b"])), None);
    }

    #[test]
    fn runs_that_part_are_shown_with_both_records_and_the_ten_before() {
        let many: Vec<String> = (0..20).map(|number| format!("p{number}")).collect();
        let mut phases: Vec<&str> = many.iter().map(String::as_str).collect();
        let first = trace(&phases);
        phases[15] = "other";
        let text = divergence(&first, &trace(&phases)).expect("they part");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 13);
        assert!(lines[0].contains("at record 15"), "{text}");
        assert!(lines[1].starts_with("  both ") && lines[1].contains("p5"), "{text}");
        assert!(lines[11].starts_with("  first ") && lines[11].contains("p15"), "{text}");
        assert!(lines[12].starts_with("  second ") && lines[12].contains("other"), "{text}");
    }

    #[test]
    fn a_run_that_ends_early_parts_at_its_end() {
        let text = divergence(&trace(&["a"]), &trace(&["a", "b"])).expect("they part");
        assert!(text.contains("first   (the run is over)"), "{text}");
    }
}
