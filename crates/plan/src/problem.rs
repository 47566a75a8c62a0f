//! What can be wrong with a scenario or a plan, said once.
//!
//! Owns the closed list of problems with their sentences, and the two errors that carry them: with
//! the field alone ([`PlanError`], for a plan that was made in memory) or with file, line and
//! column as well ([`ReadError`]). It must not know how a file is read or what is checked when.

use std::fmt;

use thiserror::Error;

use crate::{Action, Family};

/// An impossible value in a plan or scenario, and the field that holds it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", on_one_line(&format!("{field}: {problem}")))]
pub struct PlanError {
    /// The field, as in `faults[2].extent.bytes`.
    pub field: FieldPath,
    /// The field that it does not go with, if it would be possible by itself.
    pub other: Option<FieldPath>,
    /// What is wrong with it.
    pub problem: Problem,
}

impl PlanError {
    /// Names the field that this one does not go with.
    pub(crate) fn against(self, other: &FieldPath) -> PlanError {
        PlanError { other: Some(other.clone()), ..self }
    }
}

/// Why a file is no usable scenario or plan. Its text is one line: place, field, sentence.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}:{column}: {}", on_one_line(&format!("{}{problem}", Prefix(.field))))]
pub struct ReadError {
    /// The file, as the caller named it.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The character in the line, counted from 1.
    pub column: usize,
    /// The field, if it lies in one.
    pub field: FieldPath,
    /// What is wrong.
    pub problem: Problem,
}

struct Prefix<'a>(&'a FieldPath);

impl fmt::Display for Prefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.steps.is_empty() { Ok(()) } else { write!(f, "{}: ", self.0) }
    }
}

/// This text with escapes for what would break the line or steer a terminal: messages quote words
/// of files, which may hold anything.
fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}

/// The way from the top of a file to a field. Lists count from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldPath {
    steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

impl FieldPath {
    pub(crate) fn key(&self, key: &str) -> FieldPath {
        self.with(Step::Key(key.to_owned()))
    }

    pub(crate) fn index(&self, index: usize) -> FieldPath {
        self.with(Step::Index(index))
    }

    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    fn with(&self, step: Step) -> FieldPath {
        let mut steps = self.steps.clone();
        steps.push(step);
        FieldPath { steps }
    }
}

impl From<Vec<Step>> for FieldPath {
    fn from(steps: Vec<Step>) -> FieldPath {
        FieldPath { steps }
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, step) in self.steps.iter().enumerate() {
            match step {
                Step::Key(key) if place == 0 => f.write_str(key)?,
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// Everything that can be wrong with a scenario or a plan.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the sentence of each says it")]
pub enum Problem {
    // The text.
    #[error("the file ends too early; it was not written or copied to its end, so get it again")]
    CutShort,
    #[error("this is not {format}: {message}; mend the text here")]
    Syntax { format: &'static str, message: String },
    #[error("the values lie deeper than any plan goes; this is no file of Seamstress")]
    TooDeep,
    #[error("this file has {found}, so it is no plan; give one whose `type` is \"plan\"")]
    NotAPlan { found: String },
    #[error(
        "the file has format {found} and this build reads up to {newest}; \
         use the build that wrote it or a newer one"
    )]
    NewerSchema { found: u64, newest: u32 },
    #[error("there was never a format {found}; write `\"schema\": 1`")]
    NoSuchSchema { found: u64 },
    #[error("unknown key `{key}`; {way_out}")]
    UnknownKey { key: String, way_out: String },
    #[error("the key `{key}` is given twice; remove one of them")]
    RepeatedKey { key: String },
    #[error("the key `{key}` is missing; add it")]
    MissingKey { key: String },
    #[error("`{value}` is not known here; {way_out}")]
    UnknownValue { value: String, way_out: String },
    #[error("{found} cannot stand here; write {expected}")]
    WrongType { found: String, expected: String },
    #[error("{message}")]
    Refused { message: String },

    // Values on their own.
    #[error("{value} is out of range; write a number from {from} to {to}")]
    OutOfRange { value: u64, from: u64, to: u64 },
    #[error("{found} {things} are too many; at most {max} make a run that fits into memory")]
    TooMany { found: u64, things: &'static str, max: u64 },
    #[error("nothing to choose from; name at least one value in `any`")]
    NothingToChoose,
    #[error("`from` is {from} and `to` is {to}; exchange them")]
    FromAboveTo { from: u64, to: u64 },
    #[error("`any` and `from` to `to` exclude each other; keep one of them")]
    AnyAndRange,
    #[error("{name:?} is no usable name; use 1 to 64 of the characters A-Z a-z 0-9 `_` `-`")]
    BadName { name: String },
    #[error("this is empty; say it in words")]
    Empty,

    // Values that do not go together.
    #[error(
        "a latency of {latency_ms} ms is no multiple of the tick of {tick_ms} ms, and the network \
         moves only at the edges of ticks; change one of the two"
    )]
    LatencyOffTick { latency_ms: u64, tick_ms: u64 },
    #[error(
        "no response can arrive within {response_timeout_ms} ms: there and back over the proxy \
         takes four times the latency of {latency_ms} ms; raise the timeout above that"
    )]
    ResponseTimeoutTooShort { response_timeout_ms: u64, latency_ms: u64 },
    #[error(
        "the client gives up after {idle_timeout_ms} ms without a byte, and the keep-alive comes \
         every {keep_alive_ms} ms only; make the keep-alive shorter than the idle timeout"
    )]
    KeepAliveTooLong { idle_timeout_ms: u64, keep_alive_ms: u64 },
    #[error("priming with `id-and-retry` needs a retry to send; set `retry_ms` to a number")]
    PrimingWithoutRetry,
    #[error(
        "the chaos begins at {from_ms} ms and ends at {until_ms} ms; let it end after it begins"
    )]
    ChaosEndsBeforeItBegins { from_ms: u64, until_ms: u64 },
    #[error(
        "the deadline of {deadline_ms} ms leaves no quiet tail after the chaos, which ends at \
         {until_ms} ms; set the deadline later"
    )]
    NoQuietTail { deadline_ms: u64, until_ms: u64 },

    // Operations.
    #[error("the id `{id}` is taken; every operation and every fault has its own")]
    RepeatedId { id: String },
    #[error("an operation that listens is called `standalone`, after its stream; rename `{id}`")]
    ListenNotStandalone { id: String },
    #[error("only the operation that listens is called `standalone`; give this one another id")]
    StandaloneDoesNotListen,
    #[error("`{id}` comes before an earlier operation; write operations in the order of time")]
    OutOfOrder { id: String },
    #[error(
        "the work takes until {ends_ms} ms and the deadline is {deadline_ms} ms; set the deadline \
         later, or ask for less"
    )]
    WorkAfterDeadline { ends_ms: u64, deadline_ms: u64 },

    // What a regression says about itself.
    #[error("it holds, and so it has no findings; empty the list, or say what comes of it")]
    FindingsThoughItHolds,
    #[error("something is found, and the list is empty; name the keys of the findings")]
    NoFindingThoughItFails,

    // Faults.
    #[error("no operation is called `{stream}`; {way_out}")]
    UnknownStream { stream: String, way_out: String },
    #[error(
        "`{operation}` is answered by one JSON body and has no stream to place a fault on; name a \
         `count`, `announce` or `listen`"
    )]
    NoStream { operation: String },
    #[error("`{operation}` listens and gets no response; use another trigger, such as `event`")]
    NoResponse { operation: String },
    #[error("`{action}` cannot happen on `{trigger}`; use one of: {fitting}")]
    UnfittingTrigger { action: Action, trigger: &'static str, fitting: String },
    #[error("`{action}` happens after a whole event; only cuts take another place than `after`")]
    UnfittingPlace { action: Action },
    #[error("`{action}` is of the family `{}`, not of `{family}`; write that", .action.family())]
    WrongFamily { action: Action, family: Family },
    #[error("`{action}` needs `{field}`; add it")]
    MissingExtent { action: Action, field: &'static str },
    #[error("`{action}` does not read `{field}`; remove it")]
    SuperfluousExtent { action: Action, field: &'static str },
    #[error("`{action}` needs another replica and there may be only one; set `replicas` to 2 or 3")]
    NoOtherReplica { action: Action },
    #[error(
        "at {at_ms} ms there is no chaos, which goes from {from_ms} ms to before {until_ms} ms, so \
         this never happens; move one of the two"
    )]
    AtOutsideChaos { at_ms: u64, from_ms: u64, until_ms: u64 },

    // Scenarios.
    #[error(
        "this draws at random and `{written}` is written by hand; keep one of the two and remove \
         the other"
    )]
    DrawnAndWritten { written: &'static str },
    #[error(
        "faults written by hand name operations; write the workload by hand too, in \
         [[workload.operation]]"
    )]
    WrittenFaultsOnDrawnWorkload,
    #[error("a scenario that is like `{like}` takes this part from it; leave it out")]
    PartOfAnotherScenario { like: String },
    #[error("this build has no scenario `{name}`; write one of: {known}")]
    NoSuchScenario { name: String, known: String },
    #[error("no action is left that the family `{family}` can use here; {way_out}")]
    FamilyWithoutAction { family: Family, way_out: &'static str },
    #[error(
        "`{action}` is never drawn here; list its family `{}` in `families` and, if there are any, \
         the action in `actions`", .action.family()
    )]
    NeverDrawn { action: Action },
    #[error("`{name}` is named twice; remove one of them")]
    NamedTwice { name: String },
}

/// The way out for a word that is not known: the word that was probably meant, or all that exist.
pub(crate) fn did_you_mean(word: &str, known: &[&str]) -> String {
    // A word is meant if this one is its beginning, or a few slips away and not all slips.
    let slips = |candidate: &str| strsim::osa_distance(word, candidate);
    let slips_max = 2.max(word.len() / 3).min(word.len().saturating_sub(1));
    let begun = known.iter().find(|candidate| word.len() >= 3 && candidate.starts_with(word));
    let nearest = known.iter().min_by_key(|candidate| slips(candidate));
    match begun.or(nearest.filter(|candidate| slips(candidate) <= slips_max)) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if known.is_empty() => "remove it".to_owned(),
        None if known.len() == 1 => format!("write `{}`", known[0]),
        None => format!("write one of: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_answered_with_the_word_that_was_meant_and_a_guess_with_all_words() {
        let known = ["retained", "replicas", "tick_ms"];
        assert_eq!(did_you_mean("retaind", &known), "did you mean `retained`?");
        assert_eq!(did_you_mean("tickms", &known), "did you mean `tick_ms`?");
        assert_eq!(did_you_mean("colour", &known), "write one of: retained, replicas, tick_ms");
        assert_eq!(did_you_mean("tick", &known), "did you mean `tick_ms`?");
        assert_eq!(did_you_mean("x", &["c1"]), "write `c1`");
        assert_eq!(did_you_mean("x", &[]), "remove it");
    }

    #[test]
    fn a_path_reads_like_the_expression_that_would_fetch_the_field() {
        let path = FieldPath::default().key("faults").index(2).key("extent").key("bytes");
        assert_eq!(path.to_string(), "faults[2].extent.bytes");
    }
}
