//! Owns the options of an event log: what it keeps, where it draws the floor, what a re-base does
//! to its counters.
//! It must not know how events are stored or how a cursor is resolved.
//! It exists apart from the log because plan files and command lines name these options too.

use thiserror::Error;

use crate::id::{IdScheme, is_name};
use crate::names::kebab_names;

/// What to do with a cursor below the lowest retained event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Floor {
    /// Refuse it, even the one just below the floor whose successor is retained. The rule is then
    /// decidable from the retained set alone, and a log that forgot more than it remembers having
    /// forgotten (a restart, a shared store that evicts by itself) stays safe.
    #[default]
    Strict,
    /// Accept it when continuity can still be proven: it is the last event evicted from its
    /// stream, so everything after it is retained. What this accepts and `Strict` refuses is the
    /// price of strictness, counted as needless refusals.
    Predecessor,
}

kebab_names!(Floor, "floor", { Strict => "strict", Predecessor => "predecessor" });

/// What a re-base does to the numbering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Counters {
    /// Numbering goes on above everything ever issued: the counter is persisted, as "design A"
    /// demands, and only the buffer is lost. No id is ever used twice.
    Persisted,
    /// Numbering begins again at `first_counter`. Old ids come back with a new meaning, and only
    /// `epoch-namespaced` ids can tell; in every other scheme a cursor of the last epoch may be
    /// accepted as if it were of this one. It is the fault that the rule's second source document
    /// describes, and is here to be studied.
    Restarted,
}

kebab_names!(Counters, "counter mode", { Persisted => "persisted", Restarted => "restarted" });

/// How much an event log keeps. `None` sets no limit; all limits hold together.
///
/// Where several limits call for eviction at once, age goes first, then the limit of each stream,
/// then the limit of the session. `Some(0)` keeps nothing at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct Retention {
    /// Most events kept for the session, over all its streams. The oldest goes first.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub session_events_max: Option<u64>,
    /// Most events kept for each stream.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub stream_events_max: Option<u64>,
    /// Greatest age of a kept event in milliseconds; an event of exactly this age is still kept.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub age_ms_max: Option<u64>,
}

impl Retention {
    /// Keep everything.
    pub const UNBOUNDED: Self =
        Self { session_events_max: None, stream_events_max: None, age_ms_max: None };
}

/// The options of an [`EventLog`](crate::EventLog). Begin with [`LogOptions::new`] and change what
/// differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogOptions {
    /// The form of the event ids.
    pub scheme: IdScheme,
    /// What happens to a cursor below the lowest retained event.
    pub floor: Floor,
    /// How much is kept.
    pub retention: Retention,
    /// The label of the session in namespaced ids: 1 to 64 of the characters `A-Z a-z 0-9 _ -`,
    /// different for every session of the server. It makes a cursor of another session
    /// recognisable. **Not the session id**: that one is a secret, and a proxy may rotate it while
    /// the session lives on, which must not touch the cursors.
    pub session_tag: String,
    /// The number of the first event, for the session counter and for every sequence of a stream.
    pub first_counter: u64,
}

impl LogOptions {
    /// A log that keeps everything, with the strict floor and numbers from 1.
    pub fn new(scheme: IdScheme, session_tag: impl Into<String>) -> Self {
        Self {
            scheme,
            floor: Floor::Strict,
            retention: Retention::UNBOUNDED,
            session_tag: session_tag.into(),
            first_counter: 1,
        }
    }
}

/// An input that the event log cannot take. The log is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LogError {
    /// The session tag does not fit into a token.
    #[error("session tag {tag:?} cannot stand in an event id; {NAME_RULE}")]
    SessionTag {
        /// The refused tag.
        tag: String,
    },
    /// The stream name does not fit into a token.
    #[error("stream name {stream:?} cannot stand in an event id; {NAME_RULE}")]
    StreamName {
        /// The refused name.
        stream: String,
    },
    /// The counter stands at the end of `u64`, which is never issued so that a next id exists.
    #[error("the event counter is used up; end the session, or choose a lower first counter")]
    CounterExhausted,
}

const NAME_RULE: &str = "use 1 to 64 of the characters A-Z, a-z, 0-9, `_` and `-`";

pub(crate) fn check_session_tag(tag: &str) -> Result<(), LogError> {
    if is_name(tag) { Ok(()) } else { Err(LogError::SessionTag { tag: tag.to_owned() }) }
}

pub(crate) fn check_stream_name(stream: &str) -> Result<(), LogError> {
    if is_name(stream) { Ok(()) } else { Err(LogError::StreamName { stream: stream.to_owned() }) }
}
