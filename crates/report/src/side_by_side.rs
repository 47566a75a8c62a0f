//! Two runs of one plan beside each other: the same incident with two trios.
//!
//! Owns the two columns: how each resumption went, what the application got, and the verdicts at
//! the foot. It must not say which of the two is right beyond what the judge says.

use std::collections::BTreeMap;

use comfy_table::presets::ASCII_NO_BORDERS;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width};
use seamstress_oracle::{Class, Oracle, Resumption, Verdict};

use crate::application::{self, Got};
use crate::moment::{Moment, Scene};
use crate::unfold::unfold;
use crate::wrap::wrap;
use crate::{Play, foreign, words};

/// Narrower than this nothing can be read.
const WIDTH_MIN: usize = 40;
/// Wider than this no line is read with ease.
const WIDTH_MAX: usize = 160;
/// Resumptions told at most, and likewise calls and findings.
const ROWS_MAX: usize = 12;

/// Two runs of one plan, each with a name, in two columns that together are at most `width`
/// characters wide (but at least 40 and at most 160).
#[must_use]
pub fn side_by_side(left: (&str, &Play), right: (&str, &Play), width: usize) -> String {
    let sides = [Side::of(left.1), Side::of(right.1)];
    let mut rows = vec![sides.each_ref().map(Side::trio)];
    let most = sides.iter().map(|side| side.resumptions().len()).max().unwrap_or(0);
    rows.extend((0..most.min(ROWS_MAX)).map(|nth| sides.each_ref().map(|s| s.resumption(nth))));
    if most > ROWS_MAX {
        rows.push(sides.each_ref().map(|side| {
            let more = side.resumptions().len().saturating_sub(ROWS_MAX);
            if more == 0 { String::new() } else { format!("({more} resumptions more)") }
        }));
    }
    let application = sides.each_ref().map(|side| side.application(&labels(&sides)));
    rows.push(application);
    rows.push(sides.each_ref().map(Side::findings));
    rows.push(sides.each_ref().map(Side::verdict));
    table([left.0, right.0], rows, width.clamp(WIDTH_MIN, WIDTH_MAX))
}

fn table(names: [&str; 2], rows: Vec<[String; 2]>, width: usize) -> String {
    // One character for the line between the columns, and a space on either side of each.
    let half = (width - 1) / 2;
    let wrapped = |cell: String| {
        let lines = cell.lines().flat_map(|line| wrap(line, half.saturating_sub(2), 4));
        lines.collect::<Vec<String>>().join("\n")
    };
    let rows = rows.into_iter().map(|row| Vec::from(row.map(wrapped)));
    let mut table = Table::new();
    table
        .load_style(ASCII_NO_BORDERS)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(width).unwrap_or(u16::MAX))
        .set_header(names.to_vec())
        .add_rows(rows);
    let half_width = u16::try_from(half).unwrap_or(u16::MAX);
    for column in table.column_iter_mut() {
        column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(half_width)));
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// What either side has something to say of, in the order of the plan.
fn labels<'a>(sides: &[Side<'a>; 2]) -> Vec<&'a str> {
    let mut labels: Vec<&str> = Vec::new();
    for got in sides.iter().flat_map(|side| &side.got) {
        if !labels.contains(&got.label) {
            labels.push(got.label);
        }
    }
    labels
}

/// For example `c1 (done): progress 1 to 9 and the result`.
fn account(label: &str, got: Option<&Got>) -> String {
    let Some(got) = got else { return format!("{label}: nothing") };
    let outcome = match got.outcome() {
        "" => String::new(),
        outcome => format!(" ({outcome})"),
    };
    let missing = got.missing().map(|missing| format!("; never came: {missing}"));
    format!("{label}{outcome}: {}{}", got.messages(), missing.unwrap_or_default())
}

struct Side<'a> {
    play: &'a Play<'a>,
    moments: Vec<Moment<'a>>,
    got: Vec<Got<'a>>,
}

impl<'a> Side<'a> {
    fn of(play: &'a Play<'a>) -> Side<'a> {
        Side { play, moments: unfold(play), got: application::got(play) }
    }

    fn trio(&self) -> String {
        let trio = &self.play.plan.trio;
        format!("server  {}\nproxy   {}\nclient  {}", trio.server, trio.proxy, trio.client)
    }

    fn resumptions(&self) -> &'a [Resumption] {
        &self.play.judgement.resumptions
    }

    /// The steps of one resumption, from its request to what came of it.
    fn resumption(&self, nth: usize) -> String {
        let Some(resumption) = self.resumptions().get(nth) else { return String::new() };
        let own = |moment: &&Moment| {
            let is_step =
                !matches!(moment.scene, Scene::Ends(_) | Scene::Answers { status: 200, .. });
            is_step && !moment.quiet && moment.exchange == Some(resumption.exchange)
        };
        let mut lines: Vec<String> = Vec::new();
        let mut last = resumption.record;
        for moment in self.moments.iter().filter(own) {
            last = last.max(moment.last());
            lines.push(match moment.scene {
                Scene::Resumes { .. } => format!(
                    "{} ms, {}: {}",
                    moment.at_ms,
                    resumption.stream,
                    words::sentence(moment)
                ),
                _ => format!("  {}: {}", moment.host, words::sentence(moment)),
            });
        }
        if !resumption.accepted {
            let loses = |m: &&Moment| matches!(m.scene, Scene::Loses { .. }) && m.last() > last;
            let loss = self.moments.iter().find(loses);
            lines.extend(loss.map(|loss| format!("  {}: {}", loss.host, words::sentence(loss))));
        }
        lines.push(format!("  = {}", resumption.cell.name()));
        lines.join("\n")
    }

    fn application(&self, labels: &[&str]) -> String {
        let mut lines = vec!["the application got".to_owned()];
        for label in labels.iter().take(ROWS_MAX) {
            let got = self.got.iter().find(|got| got.label == *label);
            lines.push(format!("  {}", account(label, got)));
        }
        if labels.len() > ROWS_MAX {
            lines.push(format!("  ({} more)", labels.len() - ROWS_MAX));
        }
        lines.join("\n")
    }

    /// The first sentence of each escape or liveness finding; broken rules by name.
    fn findings(&self) -> String {
        let findings = &self.play.judgement.findings;
        if findings.is_empty() {
            return match self.play.judgement.verdict {
                Verdict::Error => "the run ended in a panic".to_owned(),
                _ => "nothing escaped".to_owned(),
            };
        }
        let mut told: BTreeMap<(Class, Oracle), (String, usize)> = BTreeMap::new();
        for finding in findings {
            let key = (finding.oracle.class(), finding.oracle);
            told.entry(key).or_insert_with(|| (foreign::plain(&finding.sentence), 0)).1 += 1;
        }
        let mut lines: Vec<String> = Vec::new();
        let mut rules: Vec<&str> = Vec::new();
        for ((class, oracle), (sentence, times)) in told {
            match class {
                Class::Escape | Class::Liveness => {
                    let more =
                        if times > 1 { format!(" (and {} more)", times - 1) } else { "".into() };
                    lines.push(format!("{oracle}: {sentence}{more}"));
                }
                Class::Protocol | Class::Quiescence => rules.push(oracle.name()),
            }
        }
        if !rules.is_empty() {
            lines.push(format!("rules broken: {}", words::list(&rules)));
        }
        lines.join("\n")
    }

    fn verdict(&self) -> String {
        format!("verdict: {}", self.play.judgement.verdict.name())
    }
}

#[cfg(test)]
mod tests;
