//! Runs that part in each of the parts, and nowhere else.

use seamstress_oracle::{Judgement, Verdict};
use seamstress_trace::{Digest, Host, RunEnd};

use super::*;
use crate::sample::{self, Sample};

/// A run that can be changed, with its end.
struct Run {
    plan: Plan,
    trace: Trace,
    judgement: Judgement,
}

impl Run {
    fn new(phases: &[&str]) -> Run {
        let Sample { plan, mut trace, mut judgement } = sample::sound();
        // They stand in other records.
        judgement.resumptions.clear();
        trace.records = (0..)
            .zip(phases)
            .map(|(at_ms, phase)| {
                let what = What::Phase { phase: (*phase).to_owned() };
                Record { at_ms, host: Host::Run, what }
            })
            .collect();
        let next_draws = vec![("ids".to_owned(), 7), ("names".to_owned(), 8)];
        let end = What::RunEnd { why: RunEnd::Finished, detail: None, next_draws };
        trace.records.push(Record { at_ms: 99, host: Host::Run, what: end });
        Run { plan, trace, judgement }
    }

    fn and(&self, other: &Run) -> Option<Divergence> {
        Divergence::between(&self.play(), &other.play())
    }

    fn play(&self) -> Play<'_> {
        let Run { plan, trace, judgement } = self;
        Play { plan, trace, judgement, digest: Digest::of(b"run") }
    }
}

#[test]
fn two_equal_runs_do_not_part() {
    assert_eq!(Run::new(&["a", "b"]).and(&Run::new(&["a", "b"])), None);
}

#[test]
fn runs_that_part_are_shown_with_both_records_and_the_ten_before() {
    let many: Vec<String> = (0..20).map(|number| format!("p{number}")).collect();
    let mut phases: Vec<&str> = many.iter().map(String::as_str).collect();
    let first = Run::new(&phases);
    phases[15] = "other";
    let text = first.and(&Run::new(&phases)).expect("they part").text(["first", "second"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 13);
    assert_eq!(lines[0], "NOT REPRODUCIBLE: the runs part at record 15, counted from 0");
    assert!(lines[1].starts_with("  both    {") && lines[1].contains("p5"), "{text}");
    assert!(lines[11].starts_with("  first   {") && lines[11].contains("p15"), "{text}");
    assert!(lines[12].starts_with("  second  {") && lines[12].contains("other"), "{text}");
}

#[test]
fn a_run_that_ends_early_parts_at_its_end() {
    let (short, mut long) = (Run::new(&["a"]), Run::new(&["a"]));
    long.trace.records.push(Record {
        at_ms: 100,
        host: Host::Run,
        what: What::Phase { phase: "after the end".to_owned() },
    });
    let found = short.and(&long).expect("they part");
    assert_eq!((found.part, found.index), (Part::Records, 2));
    let text = found.text(["here", "there"]);
    assert!(text.contains("\n  here    (the run is over)\n  there   {"), "{text}");
}

#[test]
fn a_random_stream_that_is_further_on_is_told_by_its_name_though_nothing_shows_it() {
    let (first, mut second) = (Run::new(&["a"]), Run::new(&["a"]));
    let Some(Record { what: What::RunEnd { next_draws, .. }, .. }) =
        second.trace.records.last_mut()
    else {
        panic!("the end");
    };
    next_draws[1].1 = 9;
    let found = first.and(&second).expect("they part");
    assert_eq!((found.part, found.index), (Part::NextDraws, 1));
    assert_eq!(found.before, ["ids 0000000000000007"]);
    assert_eq!(found.first.as_deref(), Some("names 0000000000000008"));
    assert_eq!(found.second.as_deref(), Some("names 0000000000000009"));
}

#[test]
fn a_judge_that_changes_its_mind_is_found_with_equal_traces() {
    let (first, mut second) = (Run::new(&["a"]), Run::new(&["a"]));
    let other =
        if first.judgement.verdict == Verdict::Stuck { Verdict::Error } else { Verdict::Stuck };
    second.judgement.verdict = other;
    let found = first.and(&second).expect("they part");
    assert_eq!(found.part, Part::Judgement);
    assert!(found.second.is_some_and(|line| line.contains(&format!("{other:?}"))));
}

#[test]
fn a_story_that_is_told_in_another_way_is_found_with_equal_judgements() {
    let run = Run::new(&["a"]);
    // The digest stands in the head of the story.
    let other = Play { digest: Digest::of(b"another"), ..run.play() };
    let found = Divergence::between(&run.play(), &other).expect("they part");
    assert_eq!(found.part, Part::Story);
    assert!(found.first.is_some_and(|line| line.starts_with("digest ")));
}

#[test]
fn plans_are_compared_before_what_they_lead_to() {
    let (first, mut second) = (Run::new(&["a"]), Run::new(&["b"]));
    second.plan.seed += 1;
    let found = first.and(&second).expect("they part");
    assert_eq!(found.part, Part::Plan);
    assert!(found.first.is_some_and(|line| line.contains("seed")));
}

#[test]
fn lines_of_a_sweep_part_at_their_first_field_that_differs() {
    let line = |digest: &str| format!(r#"{{"type":"seed","seed":3,"digest":"{digest}"}}"#);
    assert_eq!(Divergence::between_lines(&line("aa"), &line("aa")), None);
    let found = Divergence::between_lines(&line("aa"), &line("bb")).expect("they part");
    assert_eq!(found.part, Part::Line);
    assert_eq!(found.first.as_deref(), Some(r#"digest "aa""#));
    assert_eq!(found.second.as_deref(), Some(r#"digest "bb""#));
}
