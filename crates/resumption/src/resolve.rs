//! Owns the rule itself: which cursor may be resumed from, what is replayed then, and the first
//! reason that applies otherwise.
//! It must not know the session id (a proxy may rotate it without touching a cursor) or what the
//! server answers to a refusal.
//! It exists as one file so that the rule can be read in one go and held against the table of
//! [`Reason`].

use crate::id::{IdScheme, Token};
use crate::log::EventLog;
use crate::retention::Floor;
use crate::stream::Stream;
use crate::verdict::{Reason, Resolution};

/// A stream of the log and the position on it that a cursor stands for.
type Located<'log, P> = (&'log Stream<P>, u64);

impl<P: Clone> EventLog<P> {
    /// Judges a cursor, the text of a `Last-Event-ID` header, against what the log holds now.
    ///
    /// Accepted means that every event of the cursor's stream after it is retained, and exactly
    /// those are in `replay`, in order. A refusal names the first reason that applies, in the
    /// order described at [`Reason`].
    ///
    /// With `session-counter` and `stream-counter` ids a cursor of another session is judged as if
    /// it were one of this session, because nothing in it says otherwise.
    pub fn resolve_cursor(&self, cursor: &str) -> Resolution<P> {
        self.resolve_cursor_as_of(cursor, u64::MAX)
    }

    /// Judges a cursor as a replica does that lags behind and has received only what was appended
    /// at or before `as_of_ms`: later events count as not issued, streams opened later as unknown.
    ///
    /// What the log has evicted is gone for the replica too, and a re-base is known to it at once.
    /// If nothing has been evicted or re-based since `as_of_ms`, the answer is that of a log that
    /// stopped at that time.
    pub fn resolve_cursor_as_of(&self, cursor: &str, as_of_ms: u64) -> Resolution<P> {
        match self.locate(cursor, as_of_ms) {
            Ok((stream, after)) => replay_after(stream, after, as_of_ms),
            Err(reason) => Resolution::Refused(reason),
        }
    }

    fn locate(&self, cursor: &str, as_of_ms: u64) -> Result<Located<'_, P>, Reason> {
        let scheme = self.options().scheme;
        let token = scheme.parse(cursor).ok_or(Reason::Malformed)?;
        match scheme {
            IdScheme::SessionCounter => self.locate_in_session(token.number, as_of_ms),
            IdScheme::Namespaced | IdScheme::EpochNamespaced => {
                self.locate_in_named_stream(token, as_of_ms)
            }
            IdScheme::StreamCounter => self.locate_in_any_stream(token.number, as_of_ms),
        }
    }

    /// One window for the whole session, and attribution by look-up. Because the look-up names
    /// one stream or none, `ambiguous` cannot arise here.
    fn locate_in_session(&self, number: u64, as_of_ms: u64) -> Result<Located<'_, P>, Reason> {
        let predecessor = || {
            self.streams_as_of(as_of_ms)
                .find_map(|stream| Some((stream, stream.predecessor_position(number, as_of_ms)?)))
        };
        if number < self.floor_counter() {
            return match self.options().floor {
                Floor::Strict => Err(Reason::BelowFloor),
                Floor::Predecessor => predecessor().ok_or(Reason::BelowFloor),
            };
        }
        if number >= self.end_counter(as_of_ms) {
            return Err(Reason::Ahead);
        }
        // Inside the window an event can be missing only because its stream hit its own limit. If
        // it was the last one that did, all that follows on its stream is retained: continuity is
        // proven under either floor, because the floor is that of the session.
        self.find_counter(number).or_else(predecessor).ok_or(Reason::NotRetained)
    }

    /// The token says where it belongs. Numbers are compared only once it is known to belong here:
    /// cursors of other sessions, epochs and streams are not comparable.
    fn locate_in_named_stream(
        &self,
        token: Token<'_>,
        as_of_ms: u64,
    ) -> Result<Located<'_, P>, Reason> {
        if token.tag.is_some_and(|tag| tag != self.options().session_tag) {
            return Err(Reason::OtherSession);
        }
        if token.epoch.is_some_and(|epoch| epoch != self.epoch()) {
            return Err(Reason::OtherEpoch);
        }
        let named = token.stream.and_then(|name| self.stream(name));
        let stream =
            named.filter(|stream| stream.opened_at_ms <= as_of_ms).ok_or(Reason::UnknownStream)?;
        if token.number < stream.floor_sequence() {
            let position = match self.options().floor {
                Floor::Strict => None,
                Floor::Predecessor => stream.predecessor_position(token.number, as_of_ms),
            };
            return position.map(|position| (stream, position)).ok_or(Reason::BelowFloor);
        }
        // A stream is evicted from its front only, so what is neither below the floor nor retained
        // has not been issued (or has not reached this reader).
        let position = stream.position_of(token.number, as_of_ms).ok_or(Reason::Ahead)?;
        Ok((stream, position))
    }

    /// A bare number that any stream may have issued. It is attributed only if there is no choice.
    fn locate_in_any_stream(&self, number: u64, as_of_ms: u64) -> Result<Located<'_, P>, Reason> {
        let streams = || self.streams_as_of(as_of_ms);
        let first_counter = self.options().first_counter;
        let floor_min = streams().map(Stream::floor_sequence).min().unwrap_or(first_counter);
        let end_max = streams().map(|stream| stream.end_sequence(as_of_ms)).max();
        let predecessor = || {
            streams()
                .find_map(|stream| Some((stream, stream.predecessor_position(number, as_of_ms)?)))
        };
        let retained =
            || streams().find_map(|stream| Some((stream, stream.position_of(number, as_of_ms)?)));
        let below_floor = number < floor_min;
        if below_floor && (self.options().floor == Floor::Strict || predecessor().is_none()) {
            return Err(Reason::BelowFloor);
        }
        if number >= end_max.unwrap_or(first_counter) {
            return Err(Reason::Ahead);
        }
        let located = retained().or_else(predecessor).ok_or(Reason::NotRetained)?;
        if streams().nth(1).is_some() { Err(Reason::Ambiguous) } else { Ok(located) }
    }
}

fn replay_after<P: Clone>(stream: &Stream<P>, after: u64, as_of_ms: u64) -> Resolution<P> {
    // A located position is retained or the last one evicted, so an index after it exists. Should
    // that ever be broken, refusing is the safe answer.
    let Some(first) = stream.index_after(after) else {
        return Resolution::Refused(Reason::NotRetained);
    };
    let visible = stream.visible_count(as_of_ms);
    let name = stream.name.clone();
    if first >= visible {
        return Resolution::CaughtUp { stream: name, after };
    }
    let replay = stream.retained.range(first..visible).map(|held| held.event.clone()).collect();
    Resolution::Resume { stream: name, after, replay }
}
