//! The curve as text: a bar for each point, the faults between them, and what raises it.
//!
//! Owns the layout, at most 100 columns wide. It must not compute shares.

use super::{Likelihood, Mark, Measured, Rise, Shows, Without};
use crate::table::aligned;
use crate::words::{count, list};
use crate::wrap::wrap;

/// Characters of a bar.
const BAR_CHARACTERS: u64 = 25;
/// Characters of what has happened at a point, at most; the JSON lines have all of it.
const WORDS_CHARACTERS_MAX: usize = 42;
/// Characters of a line at most.
const LINE_CHARACTERS_MAX: usize = 98;

/// The curve for a terminal, with its attribution.
#[must_use]
pub fn likelihood_text(likelihood: &Likelihood) -> String {
    let mut text = head(likelihood);
    text.push_str("\nhow likely the finding is if the rest is drawn anew from here on\n");
    text.push_str(&curve(likelihood));
    text.push_str(&legend(likelihood));
    text.push_str(&format!("\nwhat raises it\n{}", attribution(likelihood)));
    if !likelihood.without.is_empty() {
        text.push_str(&format!("\nthe whole run without one fault\n{}", without(likelihood)));
    }
    text
}

fn head(likelihood: &Likelihood) -> String {
    let Likelihood { target, key, sentence, found_ms, drawn, reseeds, curve, runs, .. } =
        likelihood;
    let points = count(curve.len() as u64, "point");
    let mut lines = vec![
        ("replay", format!("seamstress replay {target}")),
        ("finding", format!("{key}, seen at {found_ms} ms")),
        ("", sentence.clone()),
        ("drawn", drawn.clone()),
        ("runs", format!("{runs} in all: {} from each of {points}", count(*reseeds, "reseed"))),
    ];
    if likelihood.is_interrupted {
        lines.push(("stopped", "before all of them were played".to_owned()));
    }
    let mut text = String::new();
    for (name, told) in lines {
        for (index, line) in wrap(&told, LINE_CHARACTERS_MAX - 10, 0).iter().enumerate() {
            let name = if index == 0 { name } else { "" };
            text.push_str(&format!("{name:<9} {line}\n"));
        }
    }
    text
}

fn curve(likelihood: &Likelihood) -> String {
    let digits = likelihood.found_ms.to_string().len();
    let mut text = String::new();
    for (index, measured) in likelihood.curve.iter().enumerate() {
        text.push_str(&line(measured, digits));
        for mark in likelihood.between(index) {
            text.push_str(&fault_line(mark, digits));
        }
    }
    let Likelihood { found_ms, key, .. } = likelihood;
    let oracle = key.split('/').next().unwrap_or(key);
    text.push_str(&format!("  {found_ms:>digits$} ms  the finding is seen: {oracle}\n"));
    text
}

fn line(measured: &Measured, digits: usize) -> String {
    let Measured { point, seen } = measured;
    let at_ms = point.at_ms.unwrap_or(0);
    let words = shortened(&point.after);
    let share = seen.finding();
    let (low, high) = share.range_per_mille();
    // Rounded outwards, as the range is.
    let range = format!("{}..{} %", low / 10, high.div_ceil(10));
    let width = WORDS_CHARACTERS_MAX;
    let bar = bar(measured);
    let percent = share.per_cent();
    format!("  {at_ms:>digits$} ms  {words:<width$}  {bar} {percent:>3} %  {range:>8}\n")
}

/// The finding first, other findings after it, and room up to the whole.
fn bar(measured: &Measured) -> String {
    let cells = |per_mille: u64| (per_mille * BAR_CHARACTERS + 500) / 1_000;
    let finding = cells(measured.seen.finding().per_mille());
    let other = cells(measured.seen.other().per_mille()).min(BAR_CHARACTERS - finding);
    let repeated = |text: &str, number: u64| text.repeat(usize::try_from(number).unwrap_or(0));
    let rest = BAR_CHARACTERS - finding - other;
    format!("|{}{}{}|", repeated("#", finding), repeated(".", other), repeated(" ", rest))
}

fn fault_line(mark: &Mark, digits: usize) -> String {
    let Mark { fault, words, at_ms, .. } = mark;
    format!("  {at_ms:>digits$} ms  FAULT {fault}: {words}\n")
}

/// On one line of the column, with what was left out marked.
fn shortened(words: &str) -> String {
    if words.chars().count() <= WORDS_CHARACTERS_MAX {
        return words.to_owned();
    }
    let kept: String = words.chars().take(WORDS_CHARACTERS_MAX - 1).collect();
    format!("{}…", kept.trim_end())
}

fn legend(likelihood: &Likelihood) -> String {
    let sum = |of: fn(&Measured) -> u64| likelihood.curve.iter().map(of).sum::<u64>();
    let mut lines = vec![
        "# shows this finding, . another one; A..B: where the true share lies, 95 % sure"
            .to_owned(),
    ];
    let parted = sum(|measured| measured.seen.parted);
    if parted > 0 {
        lines.push(format!(
            "{} not counted: its past was not that of the run",
            count(parted, "more run")
        ));
    }
    lines.iter().map(|line| format!("  {line}\n")).collect()
}

fn attribution(likelihood: &Likelihood) -> String {
    if likelihood.curve.iter().all(|measured| measured.seen.finding().of == 0) {
        return "  that is not known: no run was counted\n".to_owned();
    }
    let Some(steepest) = likelihood.steepest() else {
        return "  nothing: it was certain from the beginning\n".to_owned();
    };
    let mut steps = likelihood.rises();
    if steps.is_empty() {
        let told = told(likelihood, &steepest);
        let more = "that is within chance: more --reseeds would tell";
        return format!("{}    {more}\n", rise_lines(&steepest, "", &told));
    }
    if !steps.contains(&steepest) {
        steps.push(steepest.clone());
        steps.sort_by_key(|step| step.from_point);
    }
    let line = |step: &Rise| {
        let mark = if steps.len() > 1 && *step == steepest { ", the steepest" } else { "" };
        rise_lines(step, mark, &told(likelihood, step))
    };
    steps.iter().map(line).collect()
}

fn rise_lines(step: &Rise, mark: &str, words: &str) -> String {
    let (from, to) = (step.from.per_cent(), step.to.per_cent());
    let line = format!("  from {from} % to {to} %{mark}: {words}");
    let lines = wrap(&line, LINE_CHARACTERS_MAX, 4);
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// What happens in a step: its faults, or else what is told of the point after it.
pub(super) fn told(likelihood: &Likelihood, step: &Rise) -> String {
    if step.faults.is_empty() {
        let next = likelihood.curve.get(step.from_point + 1);
        let next = next.map_or("the finding", |next| &next.point.after);
        return format!("no fault happens, up to: {next}");
    }
    let told = step.faults.iter().map(|mark| format!("{} {}", mark.fault, mark.words));
    list(&told.collect::<Vec<_>>())
}

fn without(likelihood: &Likelihood) -> String {
    let row = |without: &Without| {
        let shows = match &without.shows {
            Shows::Finding => "the same finding".to_owned(),
            Shows::Nothing => "holds".to_owned(),
            Shows::Other(Some(key)) => format!("another finding: {key}"),
            Shows::Other(None) => "ends in a panic".to_owned(),
        };
        vec![format!("without {}", without.fault), shows]
    };
    aligned(&likelihood.without.iter().map(row).collect::<Vec<_>>(), &[], 2)
}
