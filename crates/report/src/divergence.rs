//! Where two runs of one plan part.
//!
//! Owns the comparison, in the order in which a run comes about: the plan, the records of the
//! trace, what would be drawn next, what the judge says, what the story tells. The first part that
//! differs is the one to look at: whatever comes after it follows from it. It must not know where
//! or when the two were played.

use seamstress_plan::Plan;
use seamstress_trace::{Record, Trace, What};

use crate::{Play, story};

/// How many lines before the first that differs are kept.
const LINES_BEFORE: usize = 10;

/// What of two runs differs first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What was played.
    Plan,
    /// The first line of the trace.
    Header,
    /// What happened.
    Records,
    /// What each random stream would give next, though all that happened is the same.
    NextDraws,
    /// What the judge says of two equal traces.
    Judgement,
    /// How two equal judgements are told.
    Story,
    /// What is left of a run on its line of a sweep, where nothing more is known.
    Line,
}

impl Part {
    /// The name in JSON lines.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Part::Plan => "plan",
            Part::Header => "header",
            Part::Records => "records",
            Part::NextDraws => "next-draws",
            Part::Judgement => "judgement",
            Part::Story => "story",
            Part::Line => "line",
        }
    }

    /// The place of a line of this part, in words.
    fn place(self, index: usize) -> String {
        match self {
            Part::Plan => format!("their plans differ in line {index}, counted from 0"),
            Part::Header => "the headers of the two traces differ".to_owned(),
            Part::Records => format!("the runs part at record {index}, counted from 0"),
            Part::NextDraws => "all records are the same, the next draws are not".to_owned(),
            Part::Judgement => "the traces are the same, the judgements are not".to_owned(),
            Part::Story => "the judgements are the same, the stories are not".to_owned(),
            Part::Line => "the runs do not come to the same".to_owned(),
        }
    }
}

/// Where two runs of one plan part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// What differs.
    pub part: Part,
    /// The first line of that part that differs, counted from 0. A record is a line.
    pub index: usize,
    /// The lines before it, which both have: ten at most.
    pub before: Vec<String>,
    /// That line of the first run; none if it has fewer.
    pub first: Option<String>,
    /// That line of the second run; none if it has fewer.
    pub second: Option<String>,
}

impl Divergence {
    /// Where the two part; none if they are the same in everything.
    #[must_use]
    pub fn between(first: &Play, second: &Play) -> Option<Divergence> {
        if first.plan != second.plan {
            return Divergence::in_lines(
                Part::Plan,
                &plan_lines(first.plan),
                &plan_lines(second.plan),
            );
        }
        if let Some(found) = between_traces(first.trace, second.trace) {
            return Some(found);
        }
        if first.judgement != second.judgement {
            let lines = [first, second].map(|play| lines_of(&format!("{:#?}", play.judgement)));
            return Divergence::in_lines(Part::Judgement, &lines[0], &lines[1]);
        }
        let (first, second) = (story(first), story(second));
        if first == second {
            return None;
        }
        Divergence::in_lines(Part::Story, &lines_of(&first), &lines_of(&second))
    }

    /// Where the lines of two runs in a sweep part, as far as they can be read; none if nothing
    /// differs. Each field is a line of its own.
    #[must_use]
    pub fn between_lines(first: &str, second: &str) -> Option<Divergence> {
        if first == second {
            return None;
        }
        // Equal fields in another order are other bytes.
        let whole = || Divergence::in_lines(Part::Line, &lines_of(first), &lines_of(second));
        Divergence::in_lines(Part::Line, &fields(first), &fields(second)).or_else(whole)
    }

    fn in_lines(part: Part, first: &[String], second: &[String]) -> Option<Divergence> {
        let index = first.iter().zip(second).take_while(|(one, other)| one == other).count();
        if index == first.len() && index == second.len() {
            return None;
        }
        let before = first[index.saturating_sub(LINES_BEFORE)..index].to_vec();
        let (first, second) = (first.get(index).cloned(), second.get(index).cloned());
        Some(Divergence { part, index, before, first, second })
    }

    /// The place in words, then the lines before it, then both sides. `names` are what the two runs
    /// are called, in at most seven letters each.
    #[must_use]
    pub fn text(&self, names: [&str; 2]) -> String {
        let mut text = format!("NOT REPRODUCIBLE: {}", self.part.place(self.index));
        let both = self.before.iter().map(|line| ("both", Some(line)));
        let sides = names.into_iter().zip([self.first.as_ref(), self.second.as_ref()]);
        for (name, line) in both.chain(sides) {
            let line = line.map_or("(the run is over)", |line| line.as_str());
            text += &format!("\n  {name:<7} {line}");
        }
        text
    }
}

fn between_traces(first: &Trace, second: &Trace) -> Option<Divergence> {
    if first.header != second.header {
        let lines = [first, second].map(|trace| vec![json(&trace.header)]);
        return Divergence::in_lines(Part::Header, &lines[0], &lines[1]);
    }
    let (first, second) = (&first.records, &second.records);
    let same = first.iter().zip(second).take_while(|(one, other)| one == other).count();
    let (one, other) = (first.get(same), second.get(same));
    if one.is_none() && other.is_none() {
        return None;
    }
    if let (Some(one), Some(other)) = (one, other)
        && without_draws(one) == without_draws(other)
    {
        return Divergence::in_lines(Part::NextDraws, &draws(one), &draws(other));
    }
    let before = first[same.saturating_sub(LINES_BEFORE)..same].iter().map(json).collect();
    let (first, second) = (one.map(json), other.map(json));
    Some(Divergence { part: Part::Records, index: same, before, first, second })
}

fn without_draws(record: &Record) -> Record {
    let mut record = record.clone();
    if let What::RunEnd { next_draws, .. } = &mut record.what {
        next_draws.clear();
    }
    record
}

fn draws(record: &Record) -> Vec<String> {
    let What::RunEnd { next_draws, .. } = &record.what else { return Vec::new() };
    next_draws.iter().map(|(name, draw)| format!("{name} {draw:016x}")).collect()
}

fn plan_lines(plan: &Plan) -> Vec<String> {
    lines_of(&plan.to_json())
}

fn lines_of(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// The fields of a JSON object, by name; the text itself if it is none.
fn fields(line: &str) -> Vec<String> {
    match serde_json::from_str::<serde_json::Value>(line) {
        Ok(serde_json::Value::Object(fields)) => {
            fields.iter().map(|(name, value)| format!("{name} {value}")).collect()
        }
        _ => vec![line.to_owned()],
    }
}

fn json(value: &impl serde::Serialize) -> String {
    // Headers and records are numbers, texts and lists of them.
    serde_json::to_string(value).expect("a part of a trace is always JSON")
}

#[cfg(test)]
mod tests;
