//! Which trigger fits which action.
//!
//! Owns the table that says at which places in the protocol an action can happen, and which
//! operations have a stream to place a fault on. Checking and generating read the same table. It
//! must not know how likely a place is.

use crate::{Action, Ask, Operation, Trigger};

/// A trigger without its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TriggerKind {
    Head,
    Event,
    Response,
    Resume,
    Replay,
    At,
}

impl TriggerKind {
    /// The value of `on` in files.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            TriggerKind::Head => "head",
            TriggerKind::Event => "event",
            TriggerKind::Response => "response",
            TriggerKind::Resume => "resume",
            TriggerKind::Replay => "replay",
            TriggerKind::At => "at",
        }
    }

    /// Whether it comes only after the stream's connection has been cut.
    pub(crate) const fn follows_a_cut(self) -> bool {
        matches!(self, TriggerKind::Resume | TriggerKind::Replay)
    }
}

impl Trigger {
    /// Which trigger it is.
    pub(crate) const fn kind(&self) -> TriggerKind {
        match self {
            Trigger::Head { .. } => TriggerKind::Head,
            Trigger::Event { .. } => TriggerKind::Event,
            Trigger::Response { .. } => TriggerKind::Response,
            Trigger::Resume { .. } => TriggerKind::Resume,
            Trigger::Replay { .. } => TriggerKind::Replay,
            Trigger::At { .. } => TriggerKind::At,
        }
    }
}

impl Action {
    /// The triggers on which it can happen. What ends or reshapes a connection needs that
    /// connection; what changes the server or the session can also happen at a time; what chooses
    /// a server for a request, or doubles it, needs a request to resume.
    pub(crate) const fn fitting(self) -> &'static [TriggerKind] {
        use TriggerKind::{At, Event, Head, Replay, Response, Resume};
        match self {
            Action::CutClean
            | Action::CutNoLastChunk
            | Action::CutReset
            | Action::CutClientSide => &[Event, Head, Response, Resume, Replay],
            Action::RotateId
            | Action::RotateIdForgetOld
            | Action::Burst
            | Action::ShrinkRing
            | Action::AgeOut
            | Action::EvictSession
            | Action::RestartKeepLog
            | Action::RestartLoseLog
            | Action::Rebase => &[Event, Resume, At],
            Action::IdleCut
            | Action::BlackHole
            | Action::SlowReader
            | Action::Rechunk
            | Action::BufferBytes
            | Action::BufferUntilEnd
            | Action::InsertComment
            | Action::InsertRetry
            | Action::InsertEmptyEvent => &[Event, Head],
            Action::HoldLink => &[Event, At],
            Action::RouteToLagging
            | Action::RouteToEmpty
            | Action::RouteToOtherEpoch
            | Action::TwinResume => &[Resume],
            Action::SecondConnection => &[Event],
        }
    }

    /// Whether it sends a request to a replica other than the one that has the session.
    pub(crate) const fn needs_another_replica(self) -> bool {
        matches!(self, Action::RouteToLagging | Action::RouteToEmpty | Action::RouteToOtherEpoch)
    }
}

impl Operation {
    /// Whether it opens a stream; `tools/list` and `ping` are answered by one JSON body.
    pub(crate) const fn has_stream(&self) -> bool {
        matches!(self.ask, Ask::Listen | Ask::Count { .. } | Ask::Announce { .. })
    }
}
