//! The index that all oracles share: a trace, ordered by what it tells about.
//!
//! Owns the lists (exchanges, sessions, the client's streams, the sequences of messages as the
//! server emitted them, arrivals on the wire and at the application) and the look-ups between
//! them. Everything is borrowed from the trace and built in one pass (`build`). It must not find
//! anything wrong: that is for the oracles. It exists so that each oracle is a few lines over
//! ordered lists, and a judgement costs no more than reading the trace once.

mod build;
mod lookup;
mod parts;

use std::collections::BTreeMap;

use seamstress_trace::{Header, Record, RunEnd, Trace};

pub(crate) use self::parts::{
    Arrival, Call, ClientStream, Continuity, Emitted, Ended, Exchange, Issued, Place, Response,
    Sequence, SequenceKey, ServerVerdict, Session,
};
use crate::slots::Slots;

/// The client's name of the stream that a GET without a cursor opens.
pub(crate) const STANDALONE: &str = "standalone";

/// The index over one trace.
pub(crate) struct View<'a> {
    pub header: &'a Header,
    pub records: &'a [Record],
    /// In the order of their requests.
    pub exchanges: Vec<Exchange<'a>>,
    pub sessions: Vec<Session<'a>>,
    pub streams: Vec<ClientStream<'a>>,
    pub sequences: Vec<Sequence<'a>>,
    pub emitted: Vec<Emitted<'a>>,
    /// Every event that carries a message, as the client's transport decoded it.
    pub wire: Vec<Arrival<'a>>,
    /// Every message handed to the application.
    pub delivered: Vec<Arrival<'a>>,
    pub calls: Vec<Call<'a>>,
    /// Every id under which an event was stored, sorted.
    pub issued: Vec<Issued<'a>>,
    /// The record at which the server first ended a session, by origin.
    pub session_ends: BTreeMap<&'a str, usize>,
    /// The records of faults that were carried out.
    pub fired: Vec<usize>,
    pub end: Option<(usize, RunEnd)>,
    phases: Phases,
    exchange_by_number: BTreeMap<u64, usize>,
    stream_by_name: Slots<(Option<usize>, &'a str)>,
    sequence_by_key: Slots<SequenceKey<'a>>,
    call_by_label: Slots<&'a str>,
    caller_by_request: BTreeMap<(Option<usize>, &'a str), &'a str>,
}

/// From when on nothing delays an event any more.
#[derive(Default)]
struct Phases {
    tail_ms: Option<u64>,
    delaying_fault: bool,
    /// Whether a fault may have killed a connection without a word.
    silent_death: bool,
}

impl<'a> View<'a> {
    /// Builds the index, reading the trace once.
    pub(crate) fn of(trace: &'a Trace) -> View<'a> {
        build::view(trace)
    }

    pub(crate) fn exchange_numbered(&self, number: u64) -> Option<usize> {
        self.exchange_by_number.get(&number).copied()
    }

    pub(crate) fn call(&self, label: &str) -> Option<&Call<'a>> {
        self.call_by_label.get(label).map(|index| &self.calls[index])
    }

    /// The label of the call whose POST carried this request id in this session.
    pub(crate) fn caller(&self, session: Option<usize>, request: &str) -> Option<&'a str> {
        self.caller_by_request.get(&(session, request)).copied()
    }

    pub(crate) fn stream(&self, session: Option<usize>, name: &str) -> Option<&ClientStream<'a>> {
        self.stream_by_name.get((session, name)).map(|index| &self.streams[index])
    }

    /// The sequence of a server's stream.
    pub(crate) fn sequence(&self, origin: &str, stream: &str) -> Option<usize> {
        self.sequence_by_key.get(SequenceKey::Stream { origin, stream })
    }

    /// The standalone stream of a session, if it has exactly one.
    pub(crate) fn sole_standalone(&self, origin: &str) -> Option<usize> {
        // Nothing but standalone streams is called so, and all digits lie before the colon.
        let from = SequenceKey::Stream { origin, stream: "standalone-" };
        let until = SequenceKey::Stream { origin, stream: "standalone-:" };
        let mut found = self.sequence_by_key.range(from, until);
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// The session in force at the client when this record was written.
    pub(crate) fn session_at(&self, record: usize) -> Option<&Session<'a>> {
        let after = self.sessions.partition_point(|session| session.record <= record);
        after.checked_sub(1).map(|index| &self.sessions[index])
    }

    /// The server's name of the session that an exchange is bound to.
    pub(crate) fn origin(&self, exchange: &Exchange) -> Option<&'a str> {
        self.sessions[exchange.session?].origin
    }

    /// The event of the log that an arrived message is, where the log is known.
    pub(crate) fn emitted_at(&self, place: Place) -> Option<&Emitted<'a>> {
        let messages = &self.sequences[place.sequence].messages;
        let by_ordinal = |index: &usize| self.emitted[*index].ordinal;
        let found = messages.binary_search_by_key(&place.ordinal, by_ordinal).ok()?;
        Some(&self.emitted[messages[found]])
    }

    /// The one event of a session that had this id before `record`; none if there are two.
    pub(crate) fn event_with_id(
        &self,
        origin: &str,
        id: &str,
        record: usize,
    ) -> Option<&Emitted<'a>> {
        let from = self.issued.partition_point(|issued| (issued.id, issued.origin) < (id, origin));
        let same = |issued: &&Issued| (issued.id, issued.origin) == (id, origin);
        self.only_one(self.issued[from..].iter().take_while(same), record)
    }

    /// Whether a session issued this id before `record`, be it for one event or for several.
    pub(crate) fn has_issued(&self, origin: &str, id: &str, record: usize) -> bool {
        let from = self.issued.partition_point(|issued| (issued.id, issued.origin) < (id, origin));
        let mut same = self.issued[from..].iter().take_while(|i| (i.id, i.origin) == (id, origin));
        same.any(|issued| self.emitted[issued.emitted].record < record)
    }

    /// The event with this id before `record` as the client must understand it: the only one of
    /// the session, or the only one of that stream.
    pub(crate) fn event_for_stream(
        &self,
        origin: &str,
        id: &str,
        client_name: &str,
        record: usize,
    ) -> Option<&Emitted<'a>> {
        self.event_with_id(origin, id, record).or_else(|| {
            let key = (id, origin, client_name);
            let of = |issued: &Issued<'a>| (issued.id, issued.origin, issued.client_name);
            let from = self.issued.partition_point(|issued| of(issued) < key);
            let same = self.issued[from..].iter().take_while(|issued| of(issued) == key);
            self.only_one(same, record)
        })
    }

    fn only_one<'i>(
        &self,
        issued: impl Iterator<Item = &'i Issued<'a>>,
        record: usize,
    ) -> Option<&Emitted<'a>>
    where
        'a: 'i,
    {
        let mut events =
            issued.map(|issued| &self.emitted[issued.emitted]).filter(|e| e.record < record);
        let first = events.next()?;
        // Another replica may record the same event of the same log once more.
        let other = |e: &&Emitted| (e.sequence, e.position) != (first.sequence, first.position);
        events.find(other).is_none().then_some(first)
    }

    /// The event that an exchange's cursor, as far as the client can know it, names on its own
    /// stream: where the client truly stands.
    pub(crate) fn true_cursor(&self, exchange: &Exchange) -> Option<&Emitted<'a>> {
        let (origin, name) = (self.origin(exchange)?, exchange.stream_name?);
        let event = self.event_for_stream(origin, exchange.known_cursor, name, exchange.record)?;
        (self.sequences[event.sequence].client_name() == Some(name)).then_some(event)
    }

    /// From when on, in milliseconds, an event must arrive within the header's bound on a
    /// connection that was opened at this time. None if faults that delay were still possible
    /// when the run ended, or may have killed the connection without a word: then it stays dead
    /// after the faults have ended, until the client notices.
    pub(crate) fn settled_from_ms(&self, opened_ms: u64) -> Option<u64> {
        match self.phases.tail_ms {
            Some(tail_ms) if self.phases.silent_death && opened_ms < tail_ms => None,
            Some(tail_ms) => Some(tail_ms.max(opened_ms)),
            None => (!self.phases.delaying_fault).then_some(opened_ms),
        }
    }

    /// The last record of the trace.
    pub(crate) fn last_record(&self) -> usize {
        self.records.len().saturating_sub(1)
    }

    /// When the last record was written.
    pub(crate) fn last_ms(&self) -> u64 {
        self.records.last().map_or(0, |record| record.at_ms)
    }
}

/// The client's name of a server's stream: every `standalone-k` is the client's `standalone`.
pub(crate) fn client_name(stream: &str) -> &str {
    match stream.strip_prefix("standalone-") {
        Some(k) if !k.is_empty() && k.bytes().all(|byte| byte.is_ascii_digit()) => STANDALONE,
        _ => stream,
    }
}

#[cfg(test)]
mod tests {
    use super::client_name;

    #[test]
    fn only_a_numbered_standalone_stream_is_the_clients_standalone_stream() {
        assert_eq!(client_name("standalone-1"), "standalone");
        assert_eq!(client_name("standalone-12"), "standalone");
        for other in ["standalone-", "standalone-x", "standalone-1x", "c1", "my-standalone-1"] {
            assert_eq!(client_name(other), other);
        }
    }
}
