//! What a cursor means to a session: where its stream goes on, and with which events.
//!
//! Owns asking the rule as one replica sees the session, and what defective servers make of the
//! same cursor. It must not know connections; nothing is changed here.

use seamstress_resumption::{Counters, EventLog, Reason, Resolution, Retained};

use crate::defects::Defect;
use crate::session::{Session, Stored};

/// How many events a server with [`Defect::ReplayLimit`] replays: few, as the streams of a storm
/// are short.
const REPLAYED_EVENTS_MAX: usize = 3;

/// What a replica sees of the sessions that all replicas share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// Everything.
    #[default]
    Current,
    /// Nothing that was stored in the last so many milliseconds.
    Lagging {
        /// See above.
        lag_ms: u64,
    },
    /// The session, and none of its events.
    Empty,
    /// The session, with events numbered in another epoch.
    OtherEpoch,
}

/// A cursor, resolved as one replica sees it.
pub(crate) enum Resolved {
    Accepted(Accepted),
    Refused(Reason),
}

/// Where and with what a stream goes on.
pub(crate) struct Accepted {
    pub stream: String,
    /// The position that the cursor names.
    pub after: u64,
    pub replay: Vec<Retained<Stored>>,
    /// How many milliseconds the replica lags.
    pub lag_ms: u64,
}

impl Session {
    /// Resolves a cursor as a replica with this view sees it.
    pub fn resolve(&self, cursor: &str, view: View, now_ms: u64) -> Resolved {
        if self.has(Defect::ReplayWholeRing) {
            return self.resolve_whole_ring();
        }
        let (resolution, lag_ms) = match view {
            View::Current => (self.log.resolve_cursor(cursor), 0),
            View::Lagging { lag_ms } => {
                let as_of_ms = now_ms.saturating_sub(lag_ms);
                (self.log.resolve_cursor_as_of(cursor, as_of_ms), lag_ms)
            }
            View::Empty | View::OtherEpoch => (self.resolve_elsewhere(cursor, view), 0),
        };
        let (stream, after, replay) = match resolution {
            Resolution::Refused(reason) => {
                let anyway = self.resolve_anyway(cursor, reason, view, now_ms);
                return anyway.unwrap_or(Resolved::Refused(reason));
            }
            Resolution::Resume { stream, after, replay } => (stream, after, replay),
            Resolution::CaughtUp { stream, after } => (stream, after, Vec::new()),
        };
        let stream = stream.to_string();
        let replay = self.misread(cursor, &stream, after, replay);
        Resolved::Accepted(Accepted { stream, after, replay, lag_ms })
    }

    /// What a replica makes of a cursor that holds the session and none of its events.
    fn resolve_elsewhere(&self, cursor: &str, view: View) -> Resolution<Stored> {
        let Ok(mut log) = EventLog::new(Session::log_options(&self.options, &self.origin)) else {
            return Resolution::Refused(Reason::OtherSession);
        };
        if view == View::OtherEpoch {
            log.rebase(Counters::Restarted);
        }
        log.resolve_cursor(cursor)
    }

    // What follows is for defects only.

    fn resolve_whole_ring(&self) -> Resolved {
        let Some(stream) = self.current_standalone() else {
            return Resolved::Refused(Reason::UnknownStream);
        };
        let replay = self.log.retained_all().map(|(_, event)| event.clone()).collect();
        Resolved::Accepted(Accepted { stream, after: 0, replay, lag_ms: 0 })
    }

    /// What a server makes of a cursor that the rule refuses, if it takes it nevertheless.
    fn resolve_anyway(
        &self,
        cursor: &str,
        reason: Reason,
        view: View,
        now_ms: u64,
    ) -> Option<Resolved> {
        let is_gone = matches!(reason, Reason::BelowFloor | Reason::NotRetained);
        if reason == Reason::Ambiguous && self.has(Defect::StreamCountersWithoutNamespace) {
            return self.resolve_in_first_stream(cursor);
        }
        let from_floor = is_gone && self.has(Defect::ClampToFloor);
        if from_floor || self.has(Defect::FullHistoryOnUnknown) {
            return self.accept_anyway(cursor, view, now_ms, true);
        }
        let at_the_end = reason == Reason::Ahead && self.has(Defect::AcceptAhead);
        if at_the_end || self.has(Defect::AcceptUnknownAsFresh) {
            return self.accept_anyway(cursor, view, now_ms, false);
        }
        None
    }

    /// Goes on with a stream although the cursor is worth nothing: from the oldest event that this
    /// replica has of it, or with live events only.
    fn accept_anyway(
        &self,
        cursor: &str,
        view: View,
        now_ms: u64,
        replays: bool,
    ) -> Option<Resolved> {
        let stream = self.attribute(cursor)?;
        let (lag_ms, as_of_ms) = match view {
            View::Current => (0, Some(u64::MAX)),
            View::Lagging { lag_ms } => (lag_ms, Some(now_ms.saturating_sub(lag_ms))),
            View::Empty | View::OtherEpoch => (0, None),
        };
        let is_seen = |event: &&Retained<Stored>| {
            as_of_ms.is_some_and(|as_of_ms| event.appended_at_ms <= as_of_ms)
        };
        let replay: Vec<_> = if replays {
            self.log.retained(&stream).filter(is_seen).cloned().collect()
        } else {
            Vec::new()
        };
        let after = match replay.first() {
            Some(first) => first.position.saturating_sub(1),
            None => self.log.high_water_position(&stream).unwrap_or_default(),
        };
        Some(Resolved::Accepted(Accepted { stream, after, replay, lag_ms }))
    }

    /// The stream of a cursor: the one it names, the one its id was issued on, or the standalone
    /// stream.
    fn attribute(&self, cursor: &str) -> Option<String> {
        let named = cursor.rsplit('.').nth(1);
        let named = named.filter(|name| self.streams.contains_key(*name));
        let known = named.or_else(|| self.index.get(cursor).map(String::as_str));
        known.map(str::to_owned).or_else(|| self.current_standalone())
    }

    fn resolve_in_first_stream(&self, cursor: &str) -> Option<Resolved> {
        let located = |stream| {
            let named = self.log.retained(stream).find(|event| event.id.as_str() == cursor)?;
            Some((stream.to_owned(), named.position))
        };
        let (stream, after) = self.log.streams().find_map(located)?;
        let replay: Vec<_> = self.log.retained_after(&stream, after)?.cloned().collect();
        Some(Resolved::Accepted(Accepted { stream, after, replay, lag_ms: 0 }))
    }

    /// What a server replays that reads its log wrongly.
    fn misread(
        &self,
        cursor: &str,
        stream: &str,
        after: u64,
        mut replay: Vec<Retained<Stored>>,
    ) -> Vec<Retained<Stored>> {
        if self.has(Defect::StreamDroppedAtResult) && self.is_answered(stream) {
            return Vec::new();
        }
        if self.has(Defect::ReplayAllStreams) || self.has(Defect::ReplayAllSessions) {
            // Should the named event itself be gone, all that is left lies after it.
            let all: Vec<_> = self.log.retained_all().map(|(_, event)| event).collect();
            let named = all.iter().position(|event| event.id.as_str() == cursor);
            let first = named.map_or(0, |named| named + 1);
            replay = all[first..].iter().map(|event| (*event).clone()).collect();
        }
        if self.has(Defect::ReplaySkipsOne) && !replay.is_empty() {
            replay.remove(0);
        }
        if self.has(Defect::InclusiveReplay)
            && let Some(named) = self.log.retained(stream).find(|event| event.position == after)
        {
            replay.insert(0, named.clone());
        }
        if self.has(Defect::ReplayLimit) {
            replay.truncate(REPLAYED_EVENTS_MAX);
        }
        replay
    }
    /// Whether a stream is that of a call which has its response.
    fn is_answered(&self, stream: &str) -> bool {
        self.streams.get(stream).is_some_and(|stream| stream.request.is_some() && stream.ended)
    }
}
