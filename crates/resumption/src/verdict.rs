//! Owns the server's answers: the session verdict, the resumption verdict, the reasons for a
//! refusal, and `resume_stream`, the entry that cannot be ignored by accident.
//! It must not know status codes or header names; which answer a refusal becomes on the wire is
//! the server's choice.
//! It exists because session validity is a boolean while resumption validity is a partial order
//! over the event log: a session can be alive and its cursor worthless. One value must not stand
//! for both.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use crate::log::EventLog;
use crate::names::kebab_names;
use crate::stream::Retained;

/// Why a cursor cannot be resumed from.
///
/// A refusal names the first reason that applies. Numbers are compared only where they can be:
/// first the token must be readable (`malformed`), then it must belong here (`other-session`,
/// `other-epoch`, `unknown-stream`), then it is held against the window (`below-floor`, `ahead`,
/// `not-retained`), and what is left must be attributable (`ambiguous`).
///
/// The window is that of the session with `session-counter` ids, that of the cursor's stream with
/// the namespaced schemes, and the union of those of all streams with `stream-counter` ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Reason {
    /// Not a token of this session's id scheme.
    Malformed,
    /// Below the lowest retained event (if nothing is retained: below the next id to be issued).
    /// Events after it may be gone. Replaying from the floor instead would hide that.
    BelowFloor,
    /// Above the highest id issued: a replica that lags, a proxy that reorders, a forged cursor.
    Ahead,
    /// Inside the window, but neither retained nor the known predecessor of a retained event. It
    /// takes ids of several streams in one number space to get here.
    NotRetained,
    /// The session has more than one stream and nothing attributes the cursor to one of them. Only
    /// `stream-counter` ids end here, even if a single stream happens to hold the number: that it
    /// holds one does not say that the cursor came from there.
    Ambiguous,
    /// Names a stream that this session never had.
    UnknownStream,
    /// Issued in another epoch, in general before the ids were re-based.
    OtherEpoch,
    /// Issued in another session.
    OtherSession,
}

kebab_names!(Reason, "refusal reason", {
    Malformed => "malformed",
    BelowFloor => "below-floor",
    Ahead => "ahead",
    NotRetained => "not-retained",
    Ambiguous => "ambiguous",
    UnknownStream => "unknown-stream",
    OtherEpoch => "other-epoch",
    OtherSession => "other-session",
});

impl Reason {
    /// The reason as a clause about the cursor, for messages.
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::Malformed => "is not an event id of this session's scheme",
            Self::BelowFloor => "lies below the lowest retained event, so events may be missing",
            Self::Ahead => "lies above the highest event id issued here",
            Self::NotRetained => "is no longer retained, and no retained event is known to follow",
            Self::Ambiguous => "cannot be attributed to one of the session's streams",
            Self::UnknownStream => "names a stream that this session never had",
            Self::OtherEpoch => "was not issued since the event ids were re-based",
            Self::OtherSession => "was issued in another session",
        }
    }
}

/// The answer of [`EventLog::resolve_cursor`] to a cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a cursor that was not judged must not be resumed from"]
pub enum Resolution<P> {
    /// The stream goes on after the cursor; there is something to replay.
    Resume {
        /// The stream to which the cursor belongs.
        stream: Arc<str>,
        /// The position of the event that the cursor names.
        after: u64,
        /// Every event of the stream after it, in order; never empty.
        replay: Vec<Retained<P>>,
    },
    /// The cursor names the newest event issued on its stream; only live events follow.
    CaughtUp {
        /// The stream to which the cursor belongs.
        stream: Arc<str>,
        /// The position of the event that the cursor names.
        after: u64,
    },
    /// Continuity cannot be proven.
    Refused(Reason),
}

impl<P> Resolution<P> {
    /// The answer without the events, for a header or a trace.
    pub fn verdict(&self) -> ResumptionVerdict {
        match self {
            Self::Resume { .. } => ResumptionVerdict::Resumed,
            Self::CaughtUp { .. } => ResumptionVerdict::CaughtUp,
            Self::Refused(reason) => ResumptionVerdict::Refused(*reason),
        }
    }
}

/// Whether a presented session id names a session that is alive. It says nothing about a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum SessionVerdict {
    /// The session exists.
    Live,
    /// No session of this name was ever begun here.
    Unknown,
    /// The session existed and has ended.
    Expired,
}

kebab_names!(SessionVerdict, "session verdict", {
    Live => "live",
    Unknown => "unknown",
    Expired => "expired",
});

/// Whether a cursor was accepted, without the events. Displays as `resumed`, `caught-up`, or the
/// name of the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ResumptionVerdict {
    /// Accepted, with a replay.
    Resumed,
    /// Accepted, with nothing to replay.
    CaughtUp,
    /// Not accepted.
    Refused(Reason),
}

impl fmt::Display for ResumptionVerdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Resumed => "resumed",
            Self::CaughtUp => "caught-up",
            Self::Refused(reason) => reason.as_str(),
        })
    }
}

/// Both verdicts on one request, side by side and separate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Verdicts {
    /// About the session id.
    pub session: SessionVerdict,
    /// About the cursor; `None` if there was none to judge.
    pub resumption: Option<ResumptionVerdict>,
}

impl Verdicts {
    /// Whether a server that fails closed lets the session go on: it is alive and no cursor was
    /// refused. Otherwise the session is torn down, and only because it is gone may the answer be
    /// 404, which obliges the client to begin with a new `initialize` (MCP `basic/transports`,
    /// "Session Management").
    ///
    /// ```
    /// use seamstress_resumption::{Reason, ResumptionVerdict, SessionVerdict, Verdicts};
    ///
    /// let refused = ResumptionVerdict::Refused(Reason::BelowFloor);
    /// let verdicts = Verdicts { session: SessionVerdict::Live, resumption: Some(refused) };
    /// assert!(!verdicts.session_goes_on());
    /// ```
    pub const fn session_goes_on(self) -> bool {
        matches!(self.session, SessionVerdict::Live)
            && !matches!(self.resumption, Some(ResumptionVerdict::Refused(_)))
    }
}

/// A resumption that was proven continuous.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resumed<P> {
    /// The stream to go on with.
    pub stream: Arc<str>,
    /// The position of the event that the cursor names.
    pub after: u64,
    /// Every event of the stream after it, in order; empty if the client was caught up.
    pub replay: Vec<Retained<P>>,
}

/// A cursor that could not be proven continuous with the retained events.
///
/// The only safe way out is a new session. The cursor is quoted in the message as a literal, so
/// that a hostile one cannot forge a line of a log.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "cannot resume: the cursor {cursor:?} {} ({reason}); \
     end this session and initialize a new one",
    reason.explanation()
)]
pub struct ResumptionDesyncError {
    /// The first reason that applies.
    pub reason: Reason,
    /// The refused cursor as it was presented.
    pub cursor: String,
}

/// Resumes the stream to which a cursor belongs, or says why that would not be safe.
///
/// The same rule as [`EventLog::resolve_cursor`] in the form of a `Result`, so that a refusal
/// cannot be taken for an empty replay.
///
/// # Errors
/// [`ResumptionDesyncError`] with the first reason that applies.
pub fn resume_stream<P: Clone>(
    log: &EventLog<P>,
    cursor: &str,
) -> Result<Resumed<P>, ResumptionDesyncError> {
    match log.resolve_cursor(cursor) {
        Resolution::Resume { stream, after, replay } => Ok(Resumed { stream, after, replay }),
        Resolution::CaughtUp { stream, after } => Ok(Resumed { stream, after, replay: Vec::new() }),
        Resolution::Refused(reason) => {
            Err(ResumptionDesyncError { reason, cursor: cursor.to_owned() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_live_session_does_not_make_a_refused_cursor_good_nor_the_reverse() {
        let goes_on = |session, resumption| Verdicts { session, resumption }.session_goes_on();
        let resumed = Some(ResumptionVerdict::Resumed);
        assert!(goes_on(SessionVerdict::Live, None));
        assert!(goes_on(SessionVerdict::Live, resumed));
        assert!(goes_on(SessionVerdict::Live, Some(ResumptionVerdict::CaughtUp)));
        assert!(!goes_on(SessionVerdict::Live, Some(ResumptionVerdict::Refused(Reason::Ahead))));
        assert!(!goes_on(SessionVerdict::Expired, resumed));
        assert!(!goes_on(SessionVerdict::Unknown, None));
    }

    #[test]
    fn a_desync_error_says_why_and_what_to_do_and_quotes_a_hostile_cursor() {
        let cursor = "44\r\nSet-Cookie: x".to_owned();
        let error = ResumptionDesyncError { reason: Reason::Malformed, cursor };
        assert_eq!(
            error.to_string(),
            "cannot resume: the cursor \"44\\r\\nSet-Cookie: x\" is not an event id of this \
             session's scheme (malformed); end this session and initialize a new one"
        );
    }
}
