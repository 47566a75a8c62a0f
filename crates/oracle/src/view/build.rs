//! Building the index: one pass over the records, then sorting what must be looked up.
//!
//! Owns what the client knew at each request (its cursor, the `retry` in force), which can only be
//! told while walking through the trace in order. It must not judge. Records that name an exchange
//! without a request are left out: a trace that was put together badly is judged as far as it
//! goes.

use std::collections::BTreeMap;

use seamstress_trace::{Content, Decision, FaultState, Message, Method, Record, Trace, What};

use super::{
    Arrival, Call, ClientStream, Continuity, Emitted, Ended, Exchange, Issued, Phases, Place,
    Response, Sequence, SequenceKey, ServerVerdict, Session, View, client_name,
};
use crate::resumptions;
use crate::slots::Slots;

/// The families whose faults hold events back without losing them.
const DELAYING_FAMILIES: [&str; 3] = ["silence", "shape", "routing"];
/// The action after which a connection is dead and neither side is told.
const SILENT_DEATH: &str = "black-hole";

pub(super) fn view(trace: &Trace) -> View<'_> {
    let mut builder = Builder { view: empty(trace), cursors: Vec::new() };
    for (index, record) in trace.records.iter().enumerate() {
        builder.add(index, record);
    }
    let mut view = builder.view;
    resumptions::mark_attempts(&mut view);
    super::lookup::prepare(&mut view);
    view
}

fn empty(trace: &Trace) -> View<'_> {
    View {
        header: &trace.header,
        records: &trace.records,
        exchanges: Vec::with_capacity(trace.records.len() / 8),
        sessions: Vec::new(),
        streams: Vec::new(),
        sequences: Vec::new(),
        emitted: Vec::with_capacity(trace.records.len() / 4),
        wire: Vec::with_capacity(trace.records.len() / 4),
        delivered: Vec::with_capacity(trace.records.len() / 4),
        calls: Vec::new(),
        issued: Vec::with_capacity(trace.records.len() / 4),
        session_ends: BTreeMap::new(),
        fired: Vec::new(),
        end: None,
        phases: Phases::default(),
        exchange_by_number: BTreeMap::new(),
        stream_by_name: Slots::new(),
        sequence_by_key: Slots::new(),
        call_by_label: Slots::new(),
        caller_by_request: BTreeMap::new(),
    }
}

struct Builder<'a> {
    view: View<'a>,
    /// What the client knows of each of its streams by now; parallel to `View::streams`.
    cursors: Vec<Known<'a>>,
}

#[derive(Clone, Copy)]
struct Known<'a> {
    begun_by: usize,
    cursor: &'a str,
    retry_ms: Option<u64>,
}

impl<'a> Builder<'a> {
    fn add(&mut self, index: usize, record: &'a Record) {
        let at_ms = record.at_ms;
        match &record.what {
            What::Emit { .. } => self.emit(index, record),
            What::Execute { call, .. } => self.call(call).executes.push(index),
            What::Verdict { .. } => self.verdict(index, &record.what),
            What::SessionEnd { session, .. } => {
                self.view.session_ends.entry(session).or_insert(index);
            }
            What::Request { .. } => self.request(index, record),
            What::Response { exchange, status, event_stream, .. } => {
                let response =
                    Response { record: index, at_ms, status: *status, event_stream: *event_stream };
                self.with(*exchange, |exchange| exchange.response = Some(response));
            }
            What::Event { .. } => self.event(index, &record.what),
            What::End { exchange, end } => {
                let ended = Ended { record: index, at_ms, end: *end };
                self.with(*exchange, |exchange| exchange.end = Some(ended));
            }
            What::Continuity { exchange, first, check, accepted, .. } => {
                let (check, accepted) = (*check, *accepted);
                let continuity = Continuity { record: index, first, check, accepted };
                self.with(*exchange, |exchange| exchange.continuity = Some(continuity));
            }
            What::Deliver { exchange, to, message } => self.deliver(index, *exchange, to, message),
            What::Outcome { call, outcome } => {
                self.call(call).outcome.get_or_insert((index, *outcome));
            }
            What::SessionBegin { session, origin } => self.view.sessions.push(Session {
                record: index,
                id: session.as_deref(),
                origin: origin.as_deref(),
                lost: None,
            }),
            What::DeclareLoss { why, .. } => {
                if let Some(session) = self.view.sessions.last_mut() {
                    session.lost.get_or_insert((index, why));
                }
            }
            What::Fault { family, action, state: FaultState::Fired, .. } => {
                self.view.fired.push(index);
                self.view.phases.delaying_fault |= DELAYING_FAMILIES.contains(&family.as_str());
                self.view.phases.silent_death |= action == SILENT_DEATH;
            }
            What::Phase { phase } if phase == "tail" => self.view.phases.tail_ms = Some(at_ms),
            What::RunEnd { why, .. } => self.view.end = Some((index, *why)),
            What::Fault { .. } | What::Phase { .. } | What::Rotate { .. } => {}
            What::Leftover { .. } => {}
        }
    }

    fn with(&mut self, number: u64, change: impl FnOnce(&mut Exchange<'a>)) {
        if let Some(index) = self.view.exchange_numbered(number) {
            change(&mut self.view.exchanges[index]);
        }
    }

    fn call(&mut self, label: &'a str) -> &mut Call<'a> {
        let index = self.view.call_by_label.number(label);
        let calls = &mut self.view.calls;
        if index == calls.len() {
            let (posts, executes) = (Vec::new(), Vec::new());
            calls.push(Call { label, posts, executes, outcome: None, answered: false });
        }
        &mut calls[index]
    }

    fn sequence(&mut self, key: SequenceKey<'a>) -> usize {
        let index = self.view.sequence_by_key.number(key);
        if index == self.view.sequences.len() {
            self.view.sequences.push(Sequence::new(key));
        }
        index
    }

    fn emit(&mut self, index: usize, record: &'a Record) {
        let What::Emit { session, stream, id, position, message } = &record.what else { return };
        let sequence = self.sequence(SequenceKey::Stream { origin: session, stream });
        let emitted = self.view.emitted.len();
        let of_sequence = &mut self.view.sequences[sequence];
        of_sequence.emitted.push(emitted);
        let mark = message.as_ref().and_then(|message| message.mark.as_ref());
        if mark.is_some() {
            of_sequence.messages.push(emitted);
        }
        if let Some(id) = id {
            let client_name = client_name(stream);
            self.view.issued.push(Issued { origin: session, id, client_name, emitted });
        }
        self.view.emitted.push(Emitted {
            record: index,
            at_ms: record.at_ms,
            host: record.host,
            sequence,
            position: *position,
            id: id.as_deref(),
            message: message.as_ref(),
            ordinal: mark.map_or(0, |mark| mark.ordinal),
        });
    }

    fn verdict(&mut self, index: usize, what: &'a What) {
        let What::Verdict { exchange, session, session_state, cursor, decision, stream, floors } =
            what
        else {
            return;
        };
        let Some(exchange) = exchange.and_then(|number| self.view.exchange_numbered(number)) else {
            return;
        };
        let verdict = ServerVerdict {
            record: index,
            session: session.as_deref(),
            session_state: *session_state,
            cursor,
            decision,
            stream: stream.as_deref(),
            floors,
        };
        let known = &mut self.view.exchanges[exchange].verdict;
        // A request that reached the server twice has two verdicts; the client sees one answer,
        // and what was accepted once may have had its effect.
        let refused =
            |verdict: &ServerVerdict| matches!(verdict.decision, Decision::Refused { .. });
        if known.as_ref().is_none_or(refused) {
            *known = Some(verdict);
        }
    }

    fn request(&mut self, index: usize, record: &'a Record) {
        let What::Request {
            exchange: number,
            method,
            session,
            cursor,
            protocol_version,
            rpc,
            rpc_id,
            stream,
        } = &record.what
        else {
            return;
        };
        let exchange = self.view.exchanges.len();
        let in_session = self.view.sessions.len().checked_sub(1);
        let anew = *method != Method::Get || cursor.is_none();
        let stream_index = stream.as_deref().map(|name| self.client_stream(in_session, name));
        let known_before = stream_index.map_or("", |stream| self.cursors[stream].cursor);
        let (known, previous_end_ms) = match stream_index {
            Some(stream) => self.leg(stream, exchange, anew),
            None => (Known { begun_by: exchange, cursor: "", retry_ms: None }, None),
        };
        if let (Some("tools/call"), Some(label)) = (rpc.as_deref(), stream) {
            self.call(label).posts.push(exchange);
            if let Some(rpc_id) = rpc_id {
                self.view.caller_by_request.insert((in_session, rpc_id), label);
            }
        }
        self.view.exchange_by_number.insert(*number, exchange);
        self.view.exchanges.push(Exchange {
            number: *number,
            record: index,
            at_ms: record.at_ms,
            method: *method,
            session_id: session.as_deref(),
            cursor: cursor.as_deref(),
            protocol_version: protocol_version.as_deref(),
            rpc: rpc.as_deref(),
            rpc_id: rpc_id.as_deref(),
            stream_name: stream.as_deref(),
            session: in_session,
            stream: stream_index,
            begun_by: known.begun_by,
            known_cursor: known.cursor,
            dropped_cursor: if anew { known_before } else { "" },
            known_retry_ms: known.retry_ms,
            previous_end_ms,
            response: None,
            verdict: None,
            continuity: None,
            first_id: None,
            blanks: Vec::new(),
            wire: Vec::new(),
            delivered: Vec::new(),
            end: None,
            attempt: None,
            resumed_by: None,
        });
    }

    fn client_stream(&mut self, session: Option<usize>, name: &'a str) -> usize {
        let index = self.view.stream_by_name.number((session, name));
        if index == self.view.streams.len() {
            self.view.streams.push(ClientStream { name, legs: Vec::new() });
            // `leg` sets this right before anybody reads it.
            self.cursors.push(Known { begun_by: usize::MAX, cursor: "", retry_ms: None });
        }
        index
    }

    /// Adds an exchange to a stream, and says what the client knew and when the stream's exchange
    /// before it ended.
    fn leg(&mut self, stream: usize, exchange: usize, anew: bool) -> (Known<'a>, Option<u64>) {
        let legs = &mut self.view.streams[stream].legs;
        let known = &mut self.cursors[stream];
        let mut previous_end_ms = None;
        if anew || legs.is_empty() {
            *known = Known { begun_by: exchange, cursor: "", retry_ms: None };
        } else if let Some(previous) = legs.last() {
            previous_end_ms = self.view.exchanges[*previous].end.map(|end| end.at_ms);
        }
        legs.push(exchange);
        (*known, previous_end_ms)
    }

    fn event(&mut self, index: usize, what: &'a What) {
        let What::Event { exchange, id, retry_ms, message } = what else { return };
        let Some(exchange) = self.view.exchange_numbered(*exchange) else { return };
        // WHATWG HTML 9.2: an id that contains NUL is ignored.
        let id = id.as_deref().filter(|id| !id.contains('\0'));
        let carrier = &mut self.view.exchanges[exchange];
        carrier.first_id = carrier.first_id.or(id);
        if let Some(known) = carrier.stream.map(|stream| &mut self.cursors[stream])
            && known.begun_by == carrier.begun_by
        {
            known.cursor = id.unwrap_or(known.cursor);
            known.retry_ms = retry_ms.or(known.retry_ms);
        }
        let Some(message) = message else {
            carrier.blanks.push(index);
            return;
        };
        let session = carrier.session;
        let arrival = self.view.wire.len();
        carrier.wire.push(arrival);
        let at_home = is_at_home(&self.view, exchange, message);
        let place = self.place(exchange, message);
        if let Some(place) = place {
            self.view.sequences[place.sequence].wire.push(arrival);
        }
        self.note_answer(session, message);
        self.view.wire.push(Arrival {
            record: index,
            exchange,
            id,
            to: None,
            message,
            place,
            at_home,
            earlier: None,
        });
    }

    fn note_answer(&mut self, session: Option<usize>, message: &'a Message) {
        let request = match &message.content {
            Content::Result { request, .. } => Some(request),
            Content::Error { request, .. } => request.as_ref(),
            _ => None,
        };
        if let Some(caller) = request.and_then(|request| self.view.caller(session, request)) {
            self.call(caller).answered = true;
        }
    }

    fn deliver(&mut self, index: usize, exchange: u64, to: &'a str, message: &'a Message) {
        let Some(exchange) = self.view.exchange_numbered(exchange) else { return };
        let arrival = self.view.delivered.len();
        let carrier = &mut self.view.exchanges[exchange];
        carrier.delivered.push(arrival);
        let at_home = is_at_home(&self.view, exchange, message);
        let place = self.place(exchange, message);
        if let Some(place) = place {
            self.view.sequences[place.sequence].delivered.push(arrival);
        }
        self.view.delivered.push(Arrival {
            record: index,
            exchange,
            id: None,
            to: Some(to),
            message,
            place,
            at_home,
            earlier: None,
        });
    }

    /// The place of a message in the truth: by its mark, else by its token or its request.
    fn place(&mut self, exchange: usize, message: &'a Message) -> Option<Place> {
        let Exchange { session, rpc, .. } = self.view.exchanges[exchange];
        let (key, ordinal) = match (&message.mark, &message.content) {
            (Some(mark), _) => {
                let key = SequenceKey::Stream { origin: &mark.origin, stream: &mark.stream };
                (key, mark.ordinal)
            }
            (None, Content::Progress { call, progress }) => {
                (SequenceKey::Token { session, call }, *progress)
            }
            // An `initialize` counts its ids for the session that is only about to begin.
            (None, Content::Result { request, .. })
            | (None, Content::Error { request: Some(request), .. })
                if rpc != Some("initialize") =>
            {
                (SequenceKey::Answer { session, request }, 1)
            }
            _ => return None,
        };
        Some(Place { sequence: self.sequence(key), ordinal })
    }
}

/// Whether a message came on the stream, and in the session, that its mark says it was emitted
/// for.
fn is_at_home(view: &View, exchange: usize, message: &Message) -> bool {
    let Some(mark) = &message.mark else { return true };
    let exchange = &view.exchanges[exchange];
    view.origin(exchange).is_none_or(|origin| origin == mark.origin)
        && exchange.stream_name.is_none_or(|name| name == client_name(&mark.stream))
}
