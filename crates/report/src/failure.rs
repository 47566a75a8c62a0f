//! A failure as a short story: what was played, what is wrong, the few steps that led there, and
//! what to type next.
//!
//! Owns the block that every command prints for a failed run. It must not tell more than one
//! finding in full: the others are counted by key. Which steps caused it is chosen in `causes`.

mod causes;

use std::collections::BTreeMap;

use seamstress_oracle::{Class, Finding, Judgement, Oracle, Verdict};

use crate::moment::{Moment, Scene};
use crate::style::{Style, Tone};
use crate::telling::{Layout, main_finding, shown_by};
use crate::unfold::unfold;
use crate::words::count;
use crate::wrap::wrap;
use crate::{Play, foreign, options, words};

/// Steps of the schedule at most (design section 9).
const STEPS_MAX: usize = 10;
/// Characters of a line of the sentence.
const LINE_CHARACTERS_MAX: usize = 98;
/// Keys of other findings at most.
const KEYS_MAX: usize = 6;

/// The block for a run that does not hold. `replay_target` is what stands behind
/// `seamstress replay`, ready to be typed: `storm@7 --server reference:replay-whole-ring`.
#[must_use]
pub fn failure_block(play: &Play, replay_target: &str, style: Style) -> String {
    let verb = |verb: &str| format!("seamstress {verb} {replay_target}");
    block(play, &verb("replay"), &["replay", "explain", "shrink"].map(verb), style)
}

/// The same for a plan that was shrunk. `from` is what stands behind the verb for the run that it
/// was shrunk from.
#[must_use]
pub fn failure_block_of_shrunk(
    play: &Play,
    replay_target: &str,
    from: &str,
    style: Style,
) -> String {
    let verb = |verb: &str, target: &str| format!("seamstress {verb} {target}");
    let replay = verb("replay", replay_target);
    let next = [replay.clone(), verb("explain", replay_target), verb("explain", from)];
    block(play, &replay, &next, style)
}

/// The same for a run in somebody's own test, which this command plays again and explains.
#[must_use]
pub fn failure_block_of_test(play: &Play, command: &str, style: Style) -> String {
    block(play, command, &[command.to_owned()], style)
}

fn block(play: &Play, replay: &str, next: &[String], style: Style) -> String {
    let mut text = options::block(play.plan, Some(play.digest), Some(replay));
    let moments = unfold(play);
    let main = main_finding(play.plan, play.judgement);
    let steps: Vec<&Moment> = match main {
        Some(finding) => {
            text.push_str(&headline(finding, style));
            causes::of(&told(&moments), finding)
        }
        None => {
            text.push_str(&without_finding(play, style));
            last(told(&moments))
        }
    };
    text.push('\n');
    let layout = Layout::of(&steps);
    // Only the finding that is told is remarked: the others are counted below.
    let remark = main.and_then(|finding| {
        Some((shown_by(&steps, finding.record)?, words::remark(&[finding.oracle])))
    });
    for (index, moment) in steps.iter().enumerate() {
        let remark = remark.as_ref().filter(|(at, _)| *at == index);
        text.push_str(&layout.line(moment, remark.map(|(_, remark)| remark.as_str())));
    }
    text.push('\n');
    text.push_str(&others(play.judgement, main));
    text.push_str(&faults(play));
    for (index, command) in next.iter().enumerate() {
        let name = if index == 0 { "next" } else { "" };
        text.push_str(&format!("{name:<9} {command}\n"));
    }
    text
}

fn headline(finding: &Finding, style: Style) -> String {
    let word = match finding.oracle.class() {
        Class::Liveness => style.paint(Tone::Doubtful, "STUCK"),
        _ => style.paint(Tone::Bad, "FAIL"),
    };
    let sentence = format!("  {}.", foreign::plain(&finding.sentence));
    let sentence = wrap(&sentence, LINE_CHARACTERS_MAX, 2).join("\n");
    let (oracle, key) = (finding.oracle, finding.key());
    format!("\n{word} {oracle}   key {key}\n{sentence}\n  ({})\n", oracle.clause())
}

fn without_finding(play: &Play, style: Style) -> String {
    match play.judgement.verdict {
        Verdict::Error => {
            let word = style.paint(Tone::Bad, "ERROR");
            format!("\n{word} the run ended in a panic: nothing can be said about resumption\n")
        }
        _ => format!("\n{} nothing escaped\n", style.paint(Tone::Good, "HOLDS")),
    }
}

/// The steps that a schedule may have.
fn told<'v, 'a>(moments: &'v [Moment<'a>]) -> Vec<&'v Moment<'a>> {
    moments.iter().filter(|m| !m.quiet && !matches!(m.scene, Scene::Phase(_))).collect()
}

/// The last steps of a run of which nothing else is known.
fn last<'v, 'a>(mut told: Vec<&'v Moment<'a>>) -> Vec<&'v Moment<'a>> {
    told.split_off(told.len().saturating_sub(STEPS_MAX))
}

/// The keys of the findings that are not told, each with how often it was found.
fn others(judgement: &Judgement, main: Option<&Finding>) -> String {
    let mut keys: BTreeMap<(Class, Oracle, String), u64> = BTreeMap::new();
    for finding in &judgement.findings {
        if !main.is_some_and(|main| std::ptr::eq(main, finding)) {
            let oracle = finding.oracle;
            *keys.entry((oracle.class(), oracle, finding.key())).or_insert(0) += 1;
        }
    }
    let mut text = String::new();
    for (index, ((_, _, key), count)) in keys.iter().take(KEYS_MAX).enumerate() {
        let name = if index == 0 { "also" } else { "" };
        let times = if *count == 1 { String::new() } else { format!(" ({count} times)") };
        text.push_str(&format!("{name:<9} {key}{times}\n"));
    }
    if keys.len() > KEYS_MAX {
        text.push_str(&format!(
            "{:<9} and {} more\n",
            "",
            count((keys.len() - KEYS_MAX) as u64, "key")
        ));
    }
    text
}

fn faults(play: &Play) -> String {
    let sum = |counts: &BTreeMap<String, u64>| counts.values().sum::<u64>();
    let tally = &play.judgement.faults;
    format!(
        "{:<9} {} planned, {} reached, {} fired, {} with an observed effect\n",
        "faults",
        play.plan.faults.len(),
        sum(&tally.reached),
        sum(&tally.fired),
        sum(&tally.effective)
    )
}

#[cfg(test)]
mod tests;
