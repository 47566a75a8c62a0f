//! What a case of the regression suite expects, and whether it came.
//!
//! Owns the comparison of one judgement with an expectation. A finding of a scenario's case is
//! compared by oracle and subject; that it comes in another state of the protocol does not make it
//! another finding. One of a regression is compared by its whole key. It must not know where
//! expectations are written.

use seamstress_oracle::{Finding, Judgement, Oracle, Verdict};

use crate::exit::Exit;

/// What must come of a case.
pub enum Expected {
    /// No finding.
    Holds,
    /// Defects were planted: any finding at all.
    FoundOut,
    /// These findings and no others.
    Exactly(Vec<ExpectedFinding>),
    /// Findings with these keys and no others.
    Keys(Vec<String>),
    /// A panic.
    Panics,
}

/// A finding that must come.
pub struct ExpectedFinding {
    /// The oracle.
    pub oracle: Oracle,
    /// The subject.
    pub subject: String,
}

/// What came of one run beside what was expected.
pub struct Comparison {
    /// What the findings lead to that nobody expected.
    pub exit: Exit,
    /// Their keys.
    pub unexpected: Vec<String>,
    /// Which of [`Expected::wanted`] came.
    pub came: Vec<bool>,
}

impl Expected {
    /// What must come in at least one run, in words.
    pub fn wanted(&self) -> Vec<String> {
        match self {
            Expected::Holds => Vec::new(),
            Expected::FoundOut => vec!["a finding".to_owned()],
            Expected::Keys(keys) => keys.clone(),
            Expected::Panics => vec!["a panic".to_owned()],
            Expected::Exactly(findings) => {
                let words =
                    |finding: &ExpectedFinding| format!("{}/{}", finding.oracle, finding.subject);
                findings.iter().map(words).collect()
            }
        }
    }

    /// Compares a judgement with this.
    pub fn compare(&self, judgement: &Judgement) -> Comparison {
        let came = match self {
            Expected::Holds => Vec::new(),
            Expected::FoundOut => vec![!judgement.findings.is_empty()],
            Expected::Keys(keys) => keys
                .iter()
                .map(|key| judgement.findings.iter().any(|found| found.key() == *key))
                .collect(),
            Expected::Panics => vec![judgement.verdict == Verdict::Error],
            Expected::Exactly(wanted) => wanted
                .iter()
                .map(|wanted| judgement.findings.iter().any(|found| wanted.is(found)))
                .collect(),
        };
        let mut exit = match judgement.verdict {
            Verdict::Error if matches!(self, Expected::Panics) => Exit::Holds,
            Verdict::Error => Exit::Internal,
            Verdict::Holds | Verdict::Violated | Verdict::Stuck => Exit::Holds,
        };
        let mut keys = Vec::new();
        for finding in judgement.findings.iter().filter(|found| !self.is_expected(found)) {
            exit = exit.max(Exit::of_class(finding.oracle.class()));
            keys.push(finding.key());
        }
        keys.sort();
        keys.dedup();
        Comparison { exit, unexpected: keys, came }
    }
}

impl Expected {
    /// Whether this finding is one of those that may come.
    pub fn is_expected(&self, finding: &Finding) -> bool {
        match self {
            Expected::Holds | Expected::Panics => false,
            Expected::FoundOut => true,
            Expected::Keys(keys) => keys.contains(&finding.key()),
            Expected::Exactly(wanted) => wanted.iter().any(|wanted| wanted.is(finding)),
        }
    }
}

impl ExpectedFinding {
    fn is(&self, finding: &Finding) -> bool {
        finding.oracle == self.oracle && finding.subject == self.subject
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judgement(findings: &[(Oracle, &'static str)]) -> Judgement {
        let finding = |(oracle, subject): &(Oracle, &'static str)| Finding {
            oracle: *oracle,
            subject,
            state: "resumed:resume".into(),
            sentence: String::new(),
            record: 0,
            related: Vec::new(),
            resumption: None,
        };
        Judgement {
            verdict: if findings.is_empty() { Verdict::Holds } else { Verdict::Violated },
            findings: findings.iter().map(finding).collect(),
            resumptions: Vec::new(),
            states: Default::default(),
            faults: Default::default(),
            emitted: 0,
            delivered: 0,
        }
    }

    fn skip_of_progress() -> Expected {
        let finding = ExpectedFinding { oracle: Oracle::Skip, subject: "progress".into() };
        Expected::Exactly(vec![finding])
    }

    #[test]
    fn an_expected_finding_that_comes_is_met_and_one_that_does_not_is_missing() {
        let came = skip_of_progress().compare(&judgement(&[(Oracle::Skip, "progress")]));
        assert_eq!((came.exit, came.came), (Exit::Holds, vec![true]));
        let came = skip_of_progress().compare(&judgement(&[]));
        assert_eq!((came.exit, came.came), (Exit::Holds, vec![false]));
    }

    #[test]
    fn the_same_oracle_with_another_subject_is_another_finding() {
        let came = skip_of_progress().compare(&judgement(&[(Oracle::Skip, "result")]));
        assert_eq!((came.exit, came.came), (Exit::Violated, vec![false]));
        assert_eq!(came.unexpected, ["skip/result/resumed:resume"]);
    }

    #[test]
    fn an_unexpected_finding_counts_by_its_class() {
        let stuck = Expected::Holds.compare(&judgement(&[(Oracle::Stuck, "call")]));
        assert_eq!(stuck.exit, Exit::Stuck);
        let both = judgement(&[(Oracle::Stuck, "call"), (Oracle::Duplicate, "result")]);
        assert_eq!(Expected::Holds.compare(&both).exit, Exit::Violated);
    }

    #[test]
    fn a_regression_wants_the_whole_key() {
        let expected = Expected::Keys(vec!["skip/progress/resumed:resume".to_owned()]);
        let came = expected.compare(&judgement(&[(Oracle::Skip, "progress")]));
        assert_eq!((came.exit, came.came), (Exit::Holds, vec![true]));
        let other = Expected::Keys(vec!["skip/progress/replayed".to_owned()]);
        let came = other.compare(&judgement(&[(Oracle::Skip, "progress")]));
        assert_eq!((came.exit, came.came), (Exit::Violated, vec![false]));
    }

    #[test]
    fn a_panic_that_is_expected_must_come() {
        let panicked = Judgement { verdict: Verdict::Error, ..judgement(&[]) };
        let came = Expected::Panics.compare(&panicked);
        assert_eq!((came.exit, came.came), (Exit::Holds, vec![true]));
        let came = Expected::Panics.compare(&judgement(&[]));
        assert_eq!((came.exit, came.came), (Exit::Holds, vec![false]));
    }

    #[test]
    fn planted_defects_are_found_out_by_any_finding_and_a_panic_is_none() {
        let found = Expected::FoundOut.compare(&judgement(&[(Oracle::Reorder, "result")]));
        assert_eq!((found.exit, found.came), (Exit::Holds, vec![true]));
        let panicked = Judgement { verdict: Verdict::Error, ..judgement(&[]) };
        let came = Expected::FoundOut.compare(&panicked);
        assert_eq!((came.exit, came.came), (Exit::Internal, vec![false]));
    }
}
