//! Emitting: how a message of the application becomes an event of a stream.
//!
//! Owns ordinals, marks and texts of what is emitted, and that appending, recording and handing to
//! the attached connection are one step under the store's lock. It must not know who asked.

use std::sync::Arc;

use bytes::Bytes;
use seamstress_mcp::message::{RequestId, code};
use seamstress_mcp::probe::{self, Mark};
use seamstress_mcp::sse::Priming;
use seamstress_trace::{Content, Host, Mark as TraceMark, Message, What};

use crate::defects::{Defect, keep_index};
use crate::session::{Session, Stream, encode};
use crate::store::Store;

/// A message that the application emits.
pub(crate) enum Emission<'a> {
    Progress { call: &'a str, progress: u64, total: u64 },
    Result { call: &'a str, events: u64 },
    Failure { message: &'a str },
    Announcement,
}

impl Store {
    /// Emits a message on a stream: it gets an ordinal and an id, stands in the log, and goes to
    /// the attached connection. False: the session is gone, or the call was given up; the
    /// application need not go on.
    pub(crate) fn emit(
        &self,
        replica: usize,
        session_id: &str,
        stream: &str,
        emission: &Emission<'_>,
    ) -> bool {
        let mut inner = self.lock();
        let Some(session) = inner.sessions.get_mut(session_id) else { return false };
        self.emit_in(replica, session, stream, emission);
        session.streams.get(stream).is_none_or(|stream| !stream.cancelled)
    }

    /// Emits on the session's standalone stream, which begins if there was none.
    pub(crate) fn emit_standalone(
        &self,
        replica: usize,
        session_id: &str,
        emission: &Emission<'_>,
    ) -> bool {
        let mut inner = self.lock();
        let Some(session) = inner.sessions.get_mut(session_id) else { return false };
        self.emit_standalone_in(replica, session, emission);
        true
    }

    pub(crate) fn emit_standalone_in(
        &self,
        replica: usize,
        session: &mut Session,
        emission: &Emission<'_>,
    ) {
        let stream = match session.current_standalone() {
            Some(stream) => stream,
            None => {
                let stream = session.next_standalone();
                self.open(replica, session, &stream);
                stream
            }
        };
        self.emit_in(replica, session, &stream, emission);
    }

    pub(crate) fn emit_in(
        &self,
        replica: usize,
        session: &mut Session,
        name: &str,
        emission: &Emission<'_>,
    ) {
        let is_open = |stream: &&Stream| !stream.ended && !stream.cancelled;
        let Some(stream) = session.streams.get(name).filter(is_open) else { return };
        let mut request = stream.request.clone();
        if self.options.defects.has(Defect::OneRequestSlot) && request.is_some() {
            request.clone_from(&session.newest_request);
        }
        let request = request.unwrap_or(RequestId::Number(0));
        let ends = self.emit_one(replica, session, name, &request, emission);
        if ends {
            if session.has(Defect::AnswersTwice) {
                self.emit_one(replica, session, name, &request, emission);
            }
            session.end_stream(name);
        }
    }

    /// Gives a message its ordinal and appends it; whether it is the last of its stream.
    fn emit_one(
        &self,
        replica: usize,
        session: &mut Session,
        name: &str,
        request: &RequestId<'_>,
        emission: &Emission<'_>,
    ) -> bool {
        let Some(stream) = session.streams.get_mut(name) else { return false };
        stream.messages += 1;
        let ordinal = stream.messages;
        let mark = Mark::new(&session.origin, name, ordinal);
        let (text, content, ends) = write(emission, &mark, request);
        let mark = TraceMark { origin: session.origin.clone(), stream: name.to_owned(), ordinal };
        let message = Message { content, mark: Some(mark) };
        self.append(replica, session, name, Some((text, message)));
        ends
    }

    /// Opens a stream: the reconnection time and the priming event, as far as they are sent.
    pub(crate) fn open(&self, replica: usize, session: &mut Session, stream: &str) -> Vec<Bytes> {
        let mut first: Vec<Bytes> = self.retry().into_iter().collect();
        if session.primes && self.options.priming != Priming::None {
            first.push(if session.has(Defect::PrimingIdCollides) {
                self.prime_with_next_id(replica, session, stream)
            } else {
                self.append(replica, session, stream, None)
            });
        }
        first
    }

    /// A priming event that is not stored and has the id of the next one that is: a defect.
    fn prime_with_next_id(&self, replica: usize, session: &mut Session, stream: &str) -> Bytes {
        // Stream names are checked where streams begin.
        let next = session.log.open_stream(stream);
        let next = next.and_then(|()| session.log.clone().append(stream, None, 0));
        let id = next.unwrap_or_else(|error| unreachable!("{error}")).id;
        self.record_emit(replica, session, stream, (Some(id.to_string()), 0), None);
        encode(id.as_str(), &None, &self.options)
    }

    pub(crate) fn retry(&self) -> Option<Bytes> {
        let event = seamstress_mcp::sse::Event {
            id: None,
            event: None,
            data: None,
            retry_ms: Some(self.options.retry_ms?),
        };
        seamstress_mcp::sse::encode(&event, self.options.line_ending).ok()
    }

    /// Appends to the log, records it, sends it to the attached connection, and gives the bytes.
    fn append(
        &self,
        replica: usize,
        session: &mut Session,
        stream: &str,
        message: Option<(String, Message)>,
    ) -> Bytes {
        let now_ms = self.recorder.now_ms();
        let (stored, message) = match message {
            Some((text, message)) => (Some(Arc::from(text)), Some(message)),
            None => (None, None),
        };
        let is_response = message.as_ref().is_some_and(Message::is_response);
        if is_response
            && session.has(Defect::ResultNotStoredWhenDisconnected)
            && !session.is_attached(stream)
        {
            let position = session.log.high_water_position(stream).unwrap_or_default() + 1;
            self.record_emit(replica, session, stream, (None, position), message);
            return Bytes::new();
        }
        // Stream names are checked where streams begin.
        let appended = match session.log.append(stream, stored.clone(), now_ms) {
            Ok(appended) => appended,
            Err(error) => unreachable!("{error}"),
        };
        if keep_index(&self.options.defects) {
            session.index.insert(appended.id.to_string(), stream.to_owned());
        }
        let bytes = encode(appended.id.as_str(), &stored, &self.options);
        session.send(stream, bytes.clone(), now_ms);
        for other in self.also_on(session, stream, is_response) {
            session.send(&other, bytes.clone(), now_ms);
        }
        let place = (Some(appended.id.to_string()), appended.position);
        self.record_emit(replica, session, stream, place, message);
        bytes
    }

    /// The other streams on which a message goes out as well: none, but for defects.
    fn also_on(&self, session: &Session, stream: &str, is_response: bool) -> Vec<String> {
        let broadcasts = session.has(Defect::Broadcast);
        let copies_response = is_response && session.has(Defect::ResponseOnGet);
        if !broadcasts && !copies_response {
            return Vec::new();
        }
        let standalone = session.current_standalone();
        let is_meant =
            |name: &&String| *name != stream && (broadcasts || standalone.as_ref() == Some(*name));
        session.streams.keys().filter(is_meant).cloned().collect()
    }

    fn record_emit(
        &self,
        replica: usize,
        session: &Session,
        stream: &str,
        (id, position): (Option<String>, u64),
        message: Option<Message>,
    ) {
        let emit = What::Emit {
            session: session.origin.clone(),
            stream: stream.to_owned(),
            id,
            position,
            message,
        };
        self.recorder.record(Host::replica(replica), emit);
    }
}

fn write(
    emission: &Emission<'_>,
    mark: &Mark<'_>,
    request: &RequestId<'_>,
) -> (String, Content, bool) {
    match *emission {
        Emission::Progress { call, progress, total } => {
            let token = RequestId::from(call);
            let text = probe::progress_text(mark, &token, progress, total);
            (text, Content::Progress { call: call.to_owned(), progress }, false)
        }
        Emission::Result { call, events } => {
            let text = probe::result_text(mark, request, call, events);
            let content =
                Content::Result { request: request.to_string(), call: Some(call.to_owned()) };
            (text, content, true)
        }
        Emission::Failure { message } => {
            let code = code::INTERNAL_ERROR;
            let text = probe::error_text(mark, request, code, message);
            (text, Content::Error { request: Some(request.to_string()), code }, true)
        }
        Emission::Announcement => (probe::announcement_text(mark), Content::Notification, false),
    }
}
