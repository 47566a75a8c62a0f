//! Which failures of many runs are told in full, and whether they are real.
//!
//! Owns the rule that each failure key is told once, by the first run that shows it, and that the
//! run is played a second time for it: a failure that does not come again in the same way is no
//! failure of the code under test, it is one of the tool's promise. It must not know how a failure
//! is told.

use std::collections::BTreeSet;

use seamstress_oracle::{Finding, Verdict};
use seamstress_plan::Plan;
use seamstress_report::{Style, failure_block};

use crate::error::CommandError;
use crate::playing::Played;
use crate::shrink::{ByItself, Made, known_line, told_key};
use crate::shrinking::keys;

/// How many failures are told in full; the others are counted.
const TOLD_MAX: usize = 5;

/// The failures told so far.
pub struct Failures {
    keys: BTreeSet<(usize, String)>,
    told: usize,
    told_max: usize,
}

impl Default for Failures {
    fn default() -> Failures {
        Failures { keys: BTreeSet::new(), told: 0, told_max: TOLD_MAX }
    }
}

impl Failures {
    /// For a sweep whose failures are kept: then none may be left out.
    pub fn all_of_them() -> Failures {
        Failures { told_max: usize::MAX, ..Failures::default() }
    }

    /// What this run of that case shows that is still to be told, if there is anything: the keys
    /// that it is the first to show, none for a panic alone. Each is announced once.
    pub fn note_new<'k>(
        &mut self,
        case: usize,
        verdict: Verdict,
        keys: impl Iterator<Item = &'k String>,
    ) -> Option<NewKeys> {
        let panicked = verdict == Verdict::Error && self.keys.insert((case, "error".to_owned()));
        let new: BTreeSet<String> =
            keys.filter(|key| self.keys.insert((case, (*key).clone()))).cloned().collect();
        if (!panicked && new.is_empty()) || self.told == self.told_max {
            return None;
        }
        self.told += 1;
        Some(NewKeys(new))
    }
}

/// The keys that a run is the first to show.
pub struct NewKeys(BTreeSet<String>);

impl NewKeys {
    /// Whether a finding is what the run is told for. Those that were told before are left out, so
    /// that the story is about the new one.
    pub fn are_of(&self, finding: &Finding) -> bool {
        self.0.is_empty() || self.0.contains(&finding.key())
    }
}

/// What came of playing a failed run a second time.
pub enum SecondRun {
    /// The same.
    Same(Told),
    /// Something else.
    Different {
        /// The digest of the first run.
        first: String,
        /// The digest of the second.
        second: String,
    },
}

/// A failure as it is told.
pub struct Told {
    /// The story, for people.
    pub block: String,
    /// How it was made small, for programs: a line for each of its keys.
    pub lines: Vec<String>,
}

/// How failures are told.
pub struct Teller {
    /// How texts look.
    pub style: Style,
    /// How they are made small first, if they are.
    pub small: Option<ByItself>,
}

impl Teller {
    /// Plays a failed run again and tells those of its findings that are failures, by the smallest
    /// plan that shows the same. `typed` is how commands name the run.
    ///
    /// # Errors
    /// [`CommandError`] if it can no longer be played, or a plan cannot be written.
    pub fn play_again(
        &self,
        plan: Plan,
        first: &str,
        typed: &str,
        is_failure: impl Fn(&Finding) -> bool,
    ) -> Result<SecondRun, CommandError> {
        let mut played = Played::of(plan)?;
        played.judgement.findings.retain(is_failure);
        let second = played.digest.to_string();
        if second != first {
            return Ok(SecondRun::Different { first: first.to_owned(), second });
        }
        let as_played = || failure_block(&played.as_play(), typed, self.style);
        let (Some(small), Some(key)) = (&self.small, told_key(&played)) else {
            return Ok(SecondRun::Same(Told { block: as_played(), lines: Vec::new() }));
        };
        let mut told = Told { block: String::new(), lines: Vec::new() };
        match small.make(&played.plan, &key)? {
            Made::New(small) => {
                if !small.is_stable() {
                    told.block.push_str(&as_played());
                }
                told.block.push_str(&small.story(typed, self.style));
                told.lines.push(small.line());
            }
            Made::Known(path) => told.block = format!("{}{}\n", as_played(), known_line(&path)),
        }
        if small.is_saving() {
            self.keep_others(small, &played, &key, &mut told)?;
        }
        Ok(SecondRun::Same(told))
    }

    /// Keeps what else is new in a run, without telling it.
    fn keep_others(
        &self,
        small: &ByItself,
        played: &Played,
        told_key: &str,
        told: &mut Told,
    ) -> Result<(), CommandError> {
        let keys = keys(&played.judgement).into_iter().filter(|key| key != told_key);
        for key in keys {
            if let Made::New(made) = small.make(&played.plan, &key)? {
                told.block.push_str(&format!("also      {key}\n{}", made.block()));
                told.lines.push(made.line());
            }
        }
        Ok(())
    }
}

/// The line for a run that is not reproducible.
pub fn not_reproducible(name: &str, typed: &str, first: &str, second: &str) -> String {
    format!(
        "error: {name} is not reproducible: its digest was {first} and then {second}; \
         `seamstress replay {typed} --twice` shows where the runs part"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::TrioArguments;
    use crate::target;

    fn told(failures: &mut Failures, case: usize, keys: &[&str]) -> bool {
        let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
        failures.note_new(case, Verdict::Violated, keys.iter()).is_some()
    }

    #[test]
    fn a_run_is_told_if_it_shows_a_key_that_its_case_has_not_shown() {
        let mut failures = Failures::default();
        assert!(told(&mut failures, 0, &["skip/a", "skip/b"]));
        assert!(!told(&mut failures, 0, &["skip/b"]));
        assert!(told(&mut failures, 0, &["skip/b", "skip/c"]));
        assert!(told(&mut failures, 1, &["skip/b"]), "another case");
        assert!(!told(&mut failures, 1, &[]), "nothing to tell");
    }

    #[test]
    fn after_five_failures_the_others_are_only_counted() {
        let mut failures = Failures::default();
        let keys = ["a", "b", "c", "d", "e", "f", "g"];
        let all = keys.iter().filter(|key| told(&mut failures, 0, &[key])).count();
        assert_eq!(all, TOLD_MAX);
    }

    #[test]
    fn a_panic_is_told_once_without_any_key() {
        let mut failures = Failures::default();
        assert!(failures.note_new(0, Verdict::Error, [].iter()).is_some());
        assert!(failures.note_new(0, Verdict::Error, [].iter()).is_none());
    }

    #[test]
    fn a_second_run_with_another_digest_is_not_reproducible() {
        let named = target::plan("drop@3", &TrioArguments::default()).expect("a plan");
        let teller = Teller { style: Style { colour: false }, small: None };
        let play =
            |first: &str| teller.play_again(named.plan.clone(), first, &named.typed, |_| true);
        let digest = Played::of(named.plan.clone()).expect("played").digest.to_string();
        assert!(matches!(play(&digest), Ok(SecondRun::Same(_))));
        let second = match play("another") {
            Ok(SecondRun::Different { second, .. }) => second,
            _ => "the same".to_owned(),
        };
        assert_eq!(second, digest);
    }
}
