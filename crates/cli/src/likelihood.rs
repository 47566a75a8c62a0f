//! `seamstress explain --likelihood`: when a finding was baked in.
//!
//! Owns the order: the run, its points, the rest of it drawn anew from each of them, and the run
//! without each of its faults. How a plan is drawn anew lies in the plan, how it is told in the
//! report. It must not keep a run longer than it takes to see what it shows.

mod past;
mod reseeding;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use seamstress_oracle::{Finding, Verdict};
use seamstress_plan::Redraw;
use seamstress_report::{
    Likelihood, Measured, Seen, Without, finding_to_explain, likelihood_lines, likelihood_svg,
    likelihood_text, marks, nothing_to_explain_line, points, sentence_of,
};

use crate::args::{ExplainArguments, ExplainFormat, Format};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::output::say;
use crate::playing::Played;
use crate::progress::Progress;
use crate::target::{self, NamedPlan};
use crate::{interrupt, many, trio};
use reseeding::{Reseeded, Reseeding};

/// In which form the likelihood can be told.
#[derive(Clone, Copy)]
enum Form {
    Text,
    Svg,
    Json,
}

impl Form {
    fn of(format: ExplainFormat) -> Result<Form, CommandError> {
        match format {
            ExplainFormat::Text => Ok(Form::Text),
            ExplainFormat::Svg => Ok(Form::Svg),
            ExplainFormat::Json => Ok(Form::Json),
            ExplainFormat::Mermaid => Err(CommandError::NoDiagramOfLikelihood),
        }
    }

    fn told(self, likelihood: &Likelihood) -> String {
        match self {
            Form::Text => likelihood_text(likelihood),
            Form::Svg => likelihood_svg(likelihood),
            Form::Json => likelihood_lines(likelihood),
        }
    }

    fn progress(self, total: u64) -> Progress {
        let format = match self {
            Form::Text | Form::Svg => Format::Human,
            Form::Json => Format::Json,
        };
        Progress::towards_units(total, "reseeds", format)
    }
}

/// Plays the run that is meant and draws its rest anew: the exit code, which is that of the run,
/// and what is told of it, if anything is.
///
/// # Errors
/// [`CommandError`] if there is nothing to play, or it cannot be played.
pub fn explain(arguments: &ExplainArguments) -> Result<(Exit, Option<String>), CommandError> {
    let (target, asked) = (&arguments.target, &arguments.likelihood);
    if target::is_trace(target) {
        return Err(CommandError::TraceReseeded { path: target.clone() });
    }
    let form = Form::of(arguments.format)?;
    let named = target::plan(target, &arguments.trio)?;
    trio::check(&named.plan.trio)?;
    let (redraw, drawn) = redraw(&named, target)?;
    let played = Played::of(named.plan.clone())?;
    let verdict = played.judgement.verdict;
    let Some(finding) = finding_to_explain(&played.as_play(), asked.key.as_deref()) else {
        return match &asked.key {
            Some(key) if verdict != Verdict::Holds => Err(no_such_finding(&named, key, &played)),
            _ => Ok((Exit::of_verdict(verdict), nothing_to_explain(&named, verdict, form))),
        };
    };
    interrupt::install();
    let measuring = Measuring {
        typed: &named.typed,
        played: &played,
        finding,
        points: asked.points(),
        reseeds: asked.reseeds(),
        jobs: asked.jobs(),
        form,
    };
    let likelihood = measuring.likelihood(&redraw, drawn)?;
    if likelihood.is_interrupted {
        say("interrupted: what is told is what the runs so far have shown");
        return Ok((Exit::Interrupted, Some(form.told(&likelihood))));
    }
    Ok((Exit::of_verdict(verdict), Some(form.told(&likelihood))))
}

fn no_such_finding(named: &NamedPlan, key: &str, played: &Played) -> CommandError {
    let mut keys: Vec<String> = played.judgement.findings.iter().map(Finding::key).collect();
    keys.sort();
    keys.dedup();
    let way_out = target::did_you_mean(key, keys);
    CommandError::NoSuchFinding { run: named.typed.clone(), key: key.to_owned(), way_out }
}

/// There is no picture of a run without a finding: then it is said on standard error.
fn nothing_to_explain(named: &NamedPlan, verdict: Verdict, form: Form) -> Option<String> {
    let run = &named.typed;
    let sentence = match verdict {
        Verdict::Error => format!("{run} ended in a panic: there is no finding to explain"),
        _ => format!("{run} holds: there is nothing to explain"),
    };
    match form {
        Form::Text => Some(sentence),
        Form::Json => Some(nothing_to_explain_line(run, verdict.name())),
        Form::Svg => {
            say(&sentence);
            None
        }
    }
}

/// What the rest is drawn from, and that in words.
fn redraw(named: &NamedPlan, target: &str) -> Result<(Redraw, String), CommandError> {
    let scenario = target::scenario_of(target, &named.plan)?;
    let Some(found) = scenario else {
        let why = "no scenario is known that drew this plan";
        return Ok((Redraw::of_plan(&named.plan), of_plan_in_words(why)));
    };
    let name = &found.name;
    let Some(redraw) = Redraw::of_scenario(&found.scenario) else {
        let why = format!("nothing is drawn in {name}");
        return Ok((Redraw::of_plan(&named.plan), of_plan_in_words(&why)));
    };
    let drawn = if redraw.draws_operations() {
        format!("operations and faults, as {name} draws them")
    } else {
        format!("faults, as {name} draws them; its operations stay")
    };
    Ok((redraw, drawn))
}

fn of_plan_in_words(why: &str) -> String {
    format!(
        "faults of the families of the plan, in the usual amounts, since {why}; operations stay"
    )
}

/// What is measured, and how closely.
struct Measuring<'a> {
    typed: &'a str,
    played: &'a Played,
    finding: &'a Finding,
    points: usize,
    reseeds: u64,
    jobs: NonZeroUsize,
    form: Form,
}

impl Measuring<'_> {
    fn likelihood(&self, redraw: &Redraw, drawn: String) -> Result<Likelihood, CommandError> {
        let (play, found) = (self.played.as_play(), self.finding.record);
        let faults = marks(&play, found);
        let points = points(&play, found, &faults, self.points);
        let key = self.finding.key();
        let reseeding = Reseeding::new(self.played, redraw, &key, &points);
        let mut seen = vec![Seen::default(); points.len()];
        // The run itself was played as well.
        let mut runs = 1;
        let is_whole = self.reseed(&reseeding, &mut seen, &mut runs)?;
        let without = self.without(&reseeding)?;
        Ok(Likelihood {
            target: self.typed.to_owned(),
            sentence: sentence_of(self.finding),
            found_ms: self.played.trace.records[found].at_ms,
            drawn,
            reseeds: self.reseeds,
            runs: runs + without.len() as u64,
            curve: points
                .iter()
                .zip(seen)
                .map(|(point, seen)| Measured { point: point.clone(), seen })
                .collect(),
            faults,
            without,
            is_interrupted: !is_whole,
            key: key.clone(),
        })
    }

    /// Draws the rest anew from all points, and answers whether that was done as often as asked
    /// for. All points are taken once before any is a second time: an interrupt leaves a whole
    /// curve behind, only a rougher one.
    fn reseed(
        &self,
        reseeding: &Reseeding<'_>,
        seen: &mut [Seen],
        runs: &mut u64,
    ) -> Result<bool, CommandError> {
        let points = seen.len();
        let point = |number: u64| usize::try_from(number).map_or(0, |number| number % points);
        let total = self.reseeds.saturating_mul(points as u64);
        let progress = self.form.progress(total);
        let work = |number| Ok(reseeding.reseeded(point(number), number / points as u64)?);
        let take = |number, reseeded: Reseeded| {
            progress.advance();
            *runs += reseeded.runs;
            seen[point(number)].add(reseeded.shows.as_ref());
            Ok(ControlFlow::Continue(()))
        };
        let is_whole = many::in_order(self.jobs, total, |_| self.typed.to_owned(), work, take)?;
        progress.finish();
        Ok(is_whole)
    }

    /// The run without each of the faults that were carried out; of others it would be the same.
    fn without(&self, reseeding: &Reseeding<'_>) -> Result<Vec<Without>, CommandError> {
        let marks = marks(&self.played.as_play(), usize::MAX);
        let fault = |number: u64| usize::try_from(number).map_or("", |index| &marks[index].fault);
        let mut without = Vec::new();
        let work = |number| Ok(reseeding.without(fault(number))?);
        let take = |number, shows| {
            without.push(Without { fault: fault(number).to_owned(), shows });
            Ok(ControlFlow::Continue(()))
        };
        let name = |number| format!("{} without {}", self.typed, fault(number));
        many::in_order(self.jobs, marks.len() as u64, name, work, take)?;
        Ok(without)
    }
}
