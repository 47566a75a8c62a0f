//! The parts of the index: exchanges, sessions, streams, sequences, arrivals, calls, ids.
//!
//! Owns what is known of each, borrowed from the trace. Numbers that are positions in a list of
//! the index say in which; `record` is always the position in the trace. It must not know how the
//! parts are found (`view`) or put together (`build`).

use seamstress_trace::{Check, Decision, End, Host, Message, Method, Outcome, SessionState};

use super::client_name;
use crate::resumptions::Attempt;

/// One HTTP exchange, as the client saw it.
pub(crate) struct Exchange<'a> {
    pub number: u64,
    /// The index of the request's record; so for every field of this name.
    pub record: usize,
    pub at_ms: u64,
    pub method: Method,
    pub session_id: Option<&'a str>,
    pub cursor: Option<&'a str>,
    pub protocol_version: Option<&'a str>,
    pub rpc: Option<&'a str>,
    pub rpc_id: Option<&'a str>,
    pub stream_name: Option<&'a str>,
    /// The session in force at the client when it sent the request, in `View::sessions`.
    pub session: Option<usize>,
    /// The stream it begins or continues, in `View::streams`.
    pub stream: Option<usize>,
    /// The exchange that began the stream anew, this one included: in `View::exchanges`.
    pub begun_by: usize,
    /// The last complete id received on the stream before the request; empty if there is none.
    pub known_cursor: &'a str,
    /// The last complete id of the stream before it was begun anew by this request; empty if it was
    /// not, or if there is none.
    pub dropped_cursor: &'a str,
    /// The newest `retry` received on the stream before the request.
    pub known_retry_ms: Option<u64>,
    /// When the exchange that carried the stream before this one ended.
    pub previous_end_ms: Option<u64>,
    pub response: Option<Response>,
    pub verdict: Option<ServerVerdict<'a>>,
    pub continuity: Option<Continuity<'a>>,
    /// The first id received on it.
    pub first_id: Option<&'a str>,
    /// The records of its events that carry no message.
    pub blanks: Vec<usize>,
    /// Its events that carry one, in `View::wire`.
    pub wire: Vec<usize>,
    /// What was handed over from it, in `View::delivered`.
    pub delivered: Vec<usize>,
    pub end: Option<Ended>,
    /// Set if it is a resumption.
    pub attempt: Option<Attempt<'a>>,
    /// The newest accepted resumption of its stream up to here, this one included: in
    /// `View::exchanges`.
    pub resumed_by: Option<usize>,
}

#[derive(Clone, Copy)]
pub(crate) struct Response {
    pub record: usize,
    pub at_ms: u64,
    pub status: u16,
    pub event_stream: bool,
}

impl Response {
    /// Whether this is how a stream is opened or resumed.
    pub(crate) fn opens_stream(self) -> bool {
        self.status == 200 && self.event_stream
    }
}

#[derive(Clone, Copy)]
pub(crate) struct ServerVerdict<'a> {
    pub record: usize,
    pub session: Option<&'a str>,
    pub session_state: SessionState,
    pub cursor: &'a str,
    pub decision: &'a Decision,
    pub stream: Option<&'a str>,
    pub floors: &'a [(String, u64)],
}

#[derive(Clone, Copy)]
pub(crate) struct Continuity<'a> {
    pub record: usize,
    pub first: &'a str,
    pub check: Check,
    pub accepted: bool,
}

#[derive(Clone, Copy)]
pub(crate) struct Ended {
    pub record: usize,
    pub at_ms: u64,
    pub end: End,
}

/// A session as the client began it.
pub(crate) struct Session<'a> {
    pub record: usize,
    pub id: Option<&'a str>,
    pub origin: Option<&'a str>,
    /// Where its loss was declared, and why.
    pub lost: Option<(usize, &'a str)>,
}

/// A stream by the client's name, within one session of the client.
pub(crate) struct ClientStream<'a> {
    pub name: &'a str,
    /// The exchanges that carried it, in order.
    pub legs: Vec<usize>,
}

/// What makes messages belong to one ordered sequence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SequenceKey<'a> {
    /// Marked messages: the server's session and stream.
    Stream { origin: &'a str, stream: &'a str },
    /// Progress without a mark: the client's session and the token.
    Token { session: Option<usize>, call: &'a str },
    /// A response without a mark: the client's session and the request id.
    Answer { session: Option<usize>, request: &'a str },
}

/// Messages that have an order among themselves.
pub(crate) struct Sequence<'a> {
    pub key: SequenceKey<'a>,
    /// All its events, in `View::emitted`.
    pub emitted: Vec<usize>,
    /// Those that carry a marked message, by ordinal: the ones that an arrival can be told to be.
    pub messages: Vec<usize>,
    /// Arrivals in `View::wire`, in order.
    pub wire: Vec<usize>,
    /// Arrivals in `View::delivered`, in order.
    pub delivered: Vec<usize>,
    /// Every ordinal delivered with its first delivery, by ordinal.
    pub first_deliveries: Vec<(u64, usize)>,
}

impl<'a> Sequence<'a> {
    pub(crate) fn new(key: SequenceKey<'a>) -> Sequence<'a> {
        // Most sequences of a run hold about this many messages.
        let list = || Vec::with_capacity(16);
        Sequence {
            key,
            emitted: list(),
            messages: list(),
            wire: list(),
            delivered: list(),
            first_deliveries: Vec::new(),
        }
    }

    /// The stream by the client's name, if this is one.
    pub(crate) fn client_name(&self) -> Option<&'a str> {
        match self.key {
            SequenceKey::Stream { stream, .. } => Some(client_name(stream)),
            _ => None,
        }
    }

    /// The first delivery of the message with this ordinal, in `View::delivered`.
    pub(crate) fn first_delivery(&self, ordinal: u64) -> Option<usize> {
        let found = self.first_deliveries.binary_search_by_key(&ordinal, |(ordinal, _)| *ordinal);
        found.ok().map(|index| self.first_deliveries[index].1)
    }
}

/// One event of the server's log.
pub(crate) struct Emitted<'a> {
    pub record: usize,
    pub at_ms: u64,
    pub host: Host,
    pub sequence: usize,
    pub position: u64,
    pub id: Option<&'a str>,
    pub message: Option<&'a Message>,
    /// The ordinal that its message is marked with; 0 for an event without such a message.
    pub ordinal: u64,
}

/// A message's place in the truth: sequence (in `View::sequences`) and ordinal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub sequence: usize,
    pub ordinal: u64,
}

/// A message that arrived: on the wire, or at the application.
pub(crate) struct Arrival<'a> {
    pub record: usize,
    /// The exchange that carried it, in `View::exchanges`.
    pub exchange: usize,
    /// The id of the event; none at the application.
    pub id: Option<&'a str>,
    /// The operation it was handed to; none on the wire.
    pub to: Option<&'a str>,
    pub message: &'a Message,
    /// Nothing for what has neither a mark nor a token nor a request.
    pub place: Option<Place>,
    /// Whether it came on the stream, and in the session, that its mark says it was emitted for.
    pub at_home: bool,
    /// The first arrival of the same message, if this is not it.
    pub earlier: Option<usize>,
}

/// A tool call, by its label.
pub(crate) struct Call<'a> {
    pub label: &'a str,
    /// Its POSTs, in `View::exchanges`.
    pub posts: Vec<usize>,
    pub executes: Vec<usize>,
    pub outcome: Option<(usize, Outcome)>,
    /// Whether a response to it arrived on the wire.
    pub answered: bool,
}

/// An event id in the order in which ids are looked up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Issued<'a> {
    pub id: &'a str,
    pub origin: &'a str,
    pub client_name: &'a str,
    /// In `View::emitted`.
    pub emitted: usize,
}
