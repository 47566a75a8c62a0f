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

use crate::session::{Session, encode};
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
    /// the attached connection. False: the session is gone, nothing was emitted.
    pub(crate) fn emit(
        &self,
        replica: usize,
        session_id: &str,
        stream: &str,
        emission: &Emission<'_>,
    ) -> bool {
        let mut inner = self.lock();
        match inner.sessions.get_mut(session_id) {
            Some(session) => {
                self.emit_in(replica, session, stream, emission);
                true
            }
            None => false,
        }
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
        let Some(stream) = session.streams.get_mut(name).filter(|stream| !stream.ended) else {
            return;
        };
        stream.messages += 1;
        let request = stream.request.clone().unwrap_or(RequestId::Number(0));
        let mark = Mark::new(&session.origin, name, stream.messages);
        let (text, content, ends) = write(emission, &mark, &request);
        let mark = TraceMark {
            origin: session.origin.clone(),
            stream: name.to_owned(),
            ordinal: stream.messages,
        };
        let message = Message { content, mark: Some(mark) };
        self.append(replica, session, name, Some((text, message)));
        if ends {
            session.end_stream(name);
        }
    }

    /// Opens a stream: the reconnection time and the priming event, as far as they are sent.
    pub(crate) fn open(&self, replica: usize, session: &mut Session, stream: &str) -> Vec<Bytes> {
        let mut first: Vec<Bytes> = self.retry().into_iter().collect();
        if session.primes && self.options.priming != Priming::None {
            first.push(self.append(replica, session, stream, None));
        }
        first
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
        // Stream names are checked where streams begin.
        let appended = match session.log.append(stream, stored.clone(), now_ms) {
            Ok(appended) => appended,
            Err(error) => unreachable!("{error}"),
        };
        let bytes = encode(appended.id.as_str(), &stored, &self.options);
        session.send(stream, bytes.clone());
        let emit = What::Emit {
            session: session.origin.clone(),
            stream: stream.to_owned(),
            id: Some(appended.id.to_string()),
            position: appended.position,
            message,
        };
        self.recorder.record(Host::replica(replica), emit);
        bytes
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
