//! The protocol states in which a run can be seen to resume: a closed universe of names.
//!
//! Owns three closed lists and their product. A [`ProtocolState`] says in which state a stream was
//! when the client presented its cursor ([`StreamState`]), a family of faults that was at work
//! ([`FaultFamily`]), and what came of it ([`VerdictReason`]). It must not know how a state is told
//! from a trace; `states` does.
//! It exists so that "never seen" is a list like "seen". No combination is left out, although the
//! reference trio cannot show all of them: a server under test may answer anything in any state.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

macro_rules! closed_list {
    (
        $(#[doc = $about:literal])+
        $list:ident {
            $($(#[doc = $doc:literal])+ $variant:ident = $name:literal;)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $list {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl $list {
            /// All of them.
            pub const ALL: &'static [$list] = &[$($list::$variant,)+];

            /// The stable kebab-case name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $($list::$variant => $name,)+ }
            }

            /// What it says, in one sentence.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self { $($list::$variant => concat!($($doc,)+).trim_ascii_start(),)+ }
            }

            /// The one with this name.
            pub(crate) fn named(name: &str) -> Option<$list> {
                $list::ALL.iter().copied().find(|one| one.name() == name)
            }
        }

        impl fmt::Display for $list {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

closed_list! {
    /// What a stream was in when the client presented its cursor. The first that applies, in this
    /// order.
    StreamState {
        /// The cursor is not the last id that this stream brought in this session: an older one, or
        /// that of another stream or session.
        Misplaced = "misplaced";
        /// A call's; the server has numbered its events anew since it stored the cursor's event.
        CallRebased = "call-rebased";
        /// A call's; the attempt before this one presented the same cursor.
        CallRetried = "call-retried";
        /// A call's; the resumption before this one was cut before all of its replay had come.
        CallReplaying = "call-replaying";
        /// A call's; the server has emitted the response, and the client has not read it.
        CallAnswered = "call-answered";
        /// A call's; no message has come on it yet, only an id.
        CallPrimed = "call-primed";
        /// A call's, in the middle.
        CallStreaming = "call-streaming";
        /// The standalone stream's; the server has numbered its events anew since it stored the
        /// cursor's event.
        StandaloneRebased = "standalone-rebased";
        /// The standalone stream's; the attempt before this one presented the same cursor.
        StandaloneRetried = "standalone-retried";
        /// The standalone stream's; the resumption before this one was cut before all of its replay
        /// had come.
        StandaloneReplaying = "standalone-replaying";
        /// The standalone stream's; no message has come on it yet, only an id.
        StandalonePrimed = "standalone-primed";
        /// The standalone stream's, in the middle.
        StandaloneStreaming = "standalone-streaming";
    }
}

closed_list! {
    /// A family of faults that was at work around a resumption: of which a fault was carried out
    /// since the request for the stream's connection before, and until the resumption was decided.
    /// Whose stream a fault struck does not matter, as a session is one log. A fault that lasts
    /// counts when it first struck, except that a rotation counts each time that an id changes.
    FaultFamily {
        /// No fault at all was carried out meanwhile.
        NoFault = "none";
        /// A connection ended.
        Drop = "drop";
        /// The session's public id changed.
        Rotation = "rotation";
        /// Events or sessions left the server's memory.
        Eviction = "eviction";
        /// Bytes stopped or slowed down.
        Silence = "silence";
        /// Another replica, or another life of the server, answered.
        Routing = "routing";
        /// More than one connection wanted a stream.
        Concurrency = "concurrency";
        /// The bytes came in another shape.
        Shape = "shape";
    }
}

closed_list! {
    /// What was said to a resumption: by the server's verdict, else by the client's continuity
    /// check, else by the status.
    VerdictReason {
        /// Accepted, with a replay.
        Resume = "resume";
        /// Accepted, with nothing to replay.
        CaughtUp = "caught-up";
        /// Answered with an event stream, by a server whose verdict is not known.
        Unstated = "unstated";
        /// Refused: no token of the session's id scheme.
        Malformed = "malformed";
        /// Refused: below the lowest retained event.
        BelowFloor = "below-floor";
        /// Refused: above the highest id issued.
        Ahead = "ahead";
        /// Refused: inside the window, but no longer retained.
        NotRetained = "not-retained";
        /// Refused: cannot be attributed to one of the session's streams.
        Ambiguous = "ambiguous";
        /// Refused: names a stream that the session never had.
        UnknownStream = "unknown-stream";
        /// Refused: issued before the ids were re-based.
        OtherEpoch = "other-epoch";
        /// Refused: issued in another session.
        OtherSession = "other-session";
        /// Refused: the server does not know the session.
        SessionUnknown = "session-unknown";
        /// Refused: the server has ended the session.
        SessionExpired = "session-expired";
        /// Stopped by the continuity check: the first event is later than the successor.
        CheckGap = "check-gap";
        /// Stopped by the continuity check: the first event is not later than the last processed.
        CheckRebasedOrReplayed = "check-rebased-or-replayed";
        /// Stopped by the continuity check: the ids do not tell.
        CheckUnverifiable = "check-unverifiable";
        /// Refused with 404, by a server whose verdict is not known or by the proxy.
        NotFound = "status-404";
        /// Refused in any other way: another status, 200 without an event stream, or a reason that
        /// the rule does not have.
        OtherRefusal = "other-refusal";
        /// A hop on the way failed: a status from 500 on, and no verdict.
        HopFailed = "status-5xx";
        /// No verdict and no answer: the connection was lost first.
        Unanswered = "unanswered";
    }
}

/// One way to resume: the stream's state, a family of faults at work, and what was said to it.
///
/// ```
/// use seamstress_oracle::{FaultFamily, ProtocolState, StreamState, VerdictReason};
///
/// let state = ProtocolState {
///     stream: StreamState::CallPrimed,
///     fault: FaultFamily::Drop,
///     reason: VerdictReason::Resume,
/// };
/// assert_eq!(state.to_string(), "call-primed/drop/resume");
/// assert_eq!("call-primed/drop/resume".parse(), Ok(state));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ProtocolState {
    /// What the stream was in.
    pub stream: StreamState,
    /// What was at work.
    pub fault: FaultFamily,
    /// What was said.
    pub reason: VerdictReason,
}

impl ProtocolState {
    /// How many there are.
    pub const POSSIBLE: usize =
        StreamState::ALL.len() * FaultFamily::ALL.len() * VerdictReason::ALL.len();
}

impl fmt::Display for ProtocolState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.stream, self.fault, self.reason)
    }
}

/// A text that names no protocol state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` names no protocol state; one is written call-primed/drop/resume, say")]
pub struct NoSuchState {
    text: String,
}

impl FromStr for ProtocolState {
    type Err = NoSuchState;

    fn from_str(text: &str) -> Result<ProtocolState, NoSuchState> {
        let read = || {
            let (stream, rest) = text.split_once('/')?;
            let (fault, reason) = rest.split_once('/')?;
            Some(ProtocolState {
                stream: StreamState::named(stream)?,
                fault: FaultFamily::named(fault)?,
                reason: VerdictReason::named(reason)?,
            })
        };
        read().ok_or_else(|| NoSuchState { text: text.to_owned() })
    }
}

impl From<ProtocolState> for String {
    fn from(state: ProtocolState) -> String {
        state.to_string()
    }
}

impl TryFrom<String> for ProtocolState {
    type Error = NoSuchState;

    fn try_from(text: String) -> Result<ProtocolState, NoSuchState> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_state_of_the_universe_has_a_name_of_its_own_that_reads_back() {
        let mut names = BTreeSet::new();
        for stream in StreamState::ALL.iter().copied() {
            for fault in FaultFamily::ALL.iter().copied() {
                for reason in VerdictReason::ALL.iter().copied() {
                    let state = ProtocolState { stream, fault, reason };
                    assert_eq!(state.to_string().parse(), Ok(state));
                    names.insert(state.to_string());
                }
            }
        }
        assert_eq!(names.len(), ProtocolState::POSSIBLE);
    }

    #[test]
    fn what_is_no_state_is_refused_with_an_example() {
        for text in ["", "call-primed", "call-primed/drop", "call-primed/drop/resume/", "a/b/c"] {
            let refusal = text.parse::<ProtocolState>().expect_err("refused").to_string();
            assert!(refusal.starts_with(&format!("`{text}` names no protocol state")), "{refusal}");
        }
    }
}
