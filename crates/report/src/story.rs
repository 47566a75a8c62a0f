//! The story of a run, from its first moment to what came of it.
//!
//! Owns the order and the length of the story: options, phases with their moments, the cells, the
//! resumptions, what the application got, the findings, the faults. It must not grow with the run:
//! what does not fit is counted. It exists so that somebody who never saw the trace can follow what
//! happened and check the verdict by hand.

use std::collections::BTreeMap;

use seamstress_oracle::{Cell, Class, Finding, Oracle, Resumption, Verdict};
use seamstress_plan::Phases;
use seamstress_trace::{FaultState, What};

use crate::moment::{Moment, Scene};
use crate::telling::{Layout, main_finding, remarks, shown_by};
use crate::unfold::unfold;
use crate::wrap::wrap;
use crate::{Play, application, elide, foreign, options, table, words};

/// Moments told at most; more are left out around the first finding.
const MOMENTS_MAX: usize = 90;
/// Rows of any list below them.
const ROWS_MAX: usize = 14;
/// Findings told of one oracle.
const SENTENCES_MAX: usize = 3;
/// Lines of findings; oracles that come after are only named.
const FINDING_LINES_MAX: usize = 30;
/// Characters of a line of sentences.
const LINE_CHARACTERS_MAX: usize = 98;

/// The whole run, readable by a person, in at most about 200 lines.
#[must_use]
pub fn story(play: &Play) -> String {
    let moments = unfold(play);
    let mut text = options::options_block(play.plan, Some(play.digest));
    text.push_str(&told(play, &moments));
    let cells = Cell::ALL.map(|cell| play.judgement.count(cell));
    section(&mut text, "resumptions", &table::resumption_table(cells));
    text.push_str(&resumptions(&play.judgement.resumptions));
    section(&mut text, "what the application got", &application(play));
    section(&mut text, "findings", &findings(play));
    section(&mut text, "faults", &faults(play));
    let verdict = play.judgement.verdict.name();
    text.push_str(&format!("\nverdict   {verdict}\n"));
    text
}

fn section(text: &mut String, title: &str, body: &str) {
    let body: String = body.lines().map(|line| format!("  {line}\n")).collect();
    text.push_str(&format!("\n{title}\n{body}"));
}

/// The moments, phase by phase.
fn told(play: &Play, moments: &[Moment]) -> String {
    let loud: Vec<&Moment> = moments.iter().filter(|moment| !moment.quiet).collect();
    let remarks = remarks(play, &loud);
    let layout = Layout::of(&loud);
    let main = main_finding(play.plan, play.judgement);
    let focus = main.and_then(|finding| shown_by(&loud, finding.record));
    let ranges = elide::kept(loud.len(), MOMENTS_MAX, focus);
    let mut text = String::new();
    // The title of the phase, until it is written.
    let mut title = Some(phase_title("quiet", play.plan.phases));
    let mut next = 0;
    for range in ranges {
        for moment in &loud[next..range.start] {
            if let Scene::Phase(name) = moment.scene {
                title = Some(phase_title(name, play.plan.phases));
            }
        }
        if range.start > next {
            text.push_str(&format!("  ({} moments left out)\n", range.start - next));
        }
        for index in range.clone() {
            if let Scene::Phase(name) = loud[index].scene {
                title = Some(phase_title(name, play.plan.phases));
                continue;
            }
            if let Some(title) = title.take() {
                text.push_str(&format!("\n{title}\n"));
            }
            text.push_str(&layout.line(loud[index], remarks.get(&index).map(String::as_str)));
        }
        next = range.end;
    }
    text
}

fn phase_title(phase: &str, phases: Phases) -> String {
    let Phases { chaos_from_ms: chaos, chaos_until_ms: tail, .. } = phases;
    match phase {
        "quiet" => format!("set-up, until {chaos} ms: nothing goes wrong"),
        "chaos" => format!("chaos, from {chaos} ms until {tail} ms: the faults"),
        "tail" => format!("tail, from {tail} ms: no more faults, all must settle"),
        other => foreign::plain(other),
    }
}

fn resumptions(resumptions: &[Resumption]) -> String {
    let row = |resumption: &Resumption| {
        vec![
            resumption.exchange.to_string(),
            foreign::plain(&resumption.stream),
            foreign::id(&resumption.cursor),
            foreign::plain(&resumption.decision),
            resumption.cell.name().to_owned(),
        ]
    };
    if resumptions.is_empty() {
        return String::new();
    }
    // An escape must not be left out.
    let escape = resumptions.iter().position(|resumption| resumption.cell == Cell::Escape);
    let header = ["exchange", "stream", "cursor", "decision", "cell"].map(str::to_owned).to_vec();
    let mut rows = vec![header];
    let mut next = 0;
    for range in elide::kept(resumptions.len(), ROWS_MAX, escape) {
        if range.start > next {
            rows.push(vec![format!("({} more)", range.start - next)]);
        }
        rows.extend(resumptions[range.clone()].iter().map(row));
        next = range.end;
    }
    format!("\n{}", table::aligned(&rows, &[0], 2))
}

fn application(play: &Play) -> String {
    let got = application::got(play);
    let any_missing = got.iter().any(|got| got.missing().is_some());
    let mut rows = vec![["operation", "outcome", "got"].map(str::to_owned).to_vec()];
    if any_missing {
        rows[0].push("never came".to_owned());
    }
    rows.extend(got.iter().map(|got| {
        let label = foreign::plain(got.label);
        let mut row = vec![label, got.outcome().to_owned(), got.messages()];
        row.extend(got.missing());
        row
    }));
    if got.is_empty() {
        return "nothing\n".to_owned();
    }
    shorten(&mut rows);
    table::aligned(&rows, &[], 0)
}

/// Findings by oracle, the escapes first.
fn findings(play: &Play) -> String {
    let findings = &play.judgement.findings;
    if play.judgement.verdict == Verdict::Error {
        return "none: a run that ended in a panic proves nothing\n".to_owned();
    }
    if findings.is_empty() {
        return "nothing escaped\n".to_owned();
    }
    let mut by_oracle: BTreeMap<(Class, Oracle), Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        by_oracle.entry((finding.oracle.class(), finding.oracle)).or_default().push(finding);
    }
    let mut lines: Vec<String> = Vec::new();
    let mut unsaid: Vec<String> = Vec::new();
    for ((_, oracle), found) in by_oracle {
        let told = sentences(oracle, &found);
        if lines.len() + told.len() <= FINDING_LINES_MAX {
            lines.extend(told);
        } else {
            unsaid.push(format!("{oracle} ({})", found.len()));
        }
    }
    if !unsaid.is_empty() {
        lines.extend(wrap(&format!("and {}", words::list(&unsaid)), LINE_CHARACTERS_MAX, 2));
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// What one oracle found, under its name and clause.
fn sentences(oracle: Oracle, found: &[&Finding]) -> Vec<String> {
    let mut lines = vec![format!("{oracle} ({})", oracle.clause())];
    for finding in found.iter().take(SENTENCES_MAX) {
        let sentence = format!("  {}", foreign::plain(&finding.sentence));
        lines.extend(wrap(&sentence, LINE_CHARACTERS_MAX, 4));
    }
    if found.len() > SENTENCES_MAX {
        lines.push(format!("  and {} more", found.len() - SENTENCES_MAX));
    }
    lines
}

fn faults(play: &Play) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let reached = reached(play);
    for fault in &play.plan.faults {
        let how_far = how_far(reached.get(fault.id.as_str()));
        let row = [fault.id.clone(), words::fault(fault), how_far];
        rows.push(row.map(|cell| foreign::plain(&cell)).to_vec());
    }
    if rows.is_empty() {
        return "none were planned\n".to_owned();
    }
    shorten(&mut rows);
    table::aligned(&rows, &[], 0)
}

/// How far a fault got, with its observed effect.
type Reached<'a> = (FaultState, Option<&'a str>);

/// How far each fault got that was reached at all, by its id.
fn reached<'a>(play: &Play<'a>) -> BTreeMap<&'a str, Reached<'a>> {
    let mut furthest: BTreeMap<&str, Reached> = BTreeMap::new();
    for record in &play.trace.records {
        if let What::Fault { fault, state, detail, .. } = &record.what
            && furthest.get(fault.as_str()).is_none_or(|(before, _)| before <= state)
        {
            furthest.insert(fault, (*state, detail.as_deref()));
        }
    }
    furthest
}

fn how_far(reached: Option<&Reached>) -> String {
    match reached.copied() {
        None => "never reached".to_owned(),
        Some((FaultState::Reached, _)) => "reached, not fired".to_owned(),
        Some((FaultState::Fired, _)) => "fired without an observed effect".to_owned(),
        Some((FaultState::Effective, None)) => "effective".to_owned(),
        Some((FaultState::Effective, Some(effect))) => format!("effective: {effect}"),
    }
}

/// Keeps the first rows and counts the others.
fn shorten(rows: &mut Vec<Vec<String>>) {
    if rows.len() > ROWS_MAX {
        let more = rows.len() - ROWS_MAX;
        rows.truncate(ROWS_MAX);
        rows.push(vec![format!("({more} more)")]);
    }
}

#[cfg(test)]
mod tests;
