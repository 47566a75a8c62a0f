//! All sessions of a server: what survives its process and is shared by its replicas.
//!
//! Owns the table of sessions and the one lock around it. Every operation is short and does no
//! I/O. It must not know HTTP status codes; it says what is the case and the handlers answer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use seamstress_mcp::message::{RequestId, code};
use seamstress_mcp::probe::{self, Mark};
use seamstress_mcp::resumption_header::ResumptionHeader;
use seamstress_mcp::sse::Priming;
use seamstress_resumption::{EventLog, Retained};
use seamstress_trace::{
    Content, Decision, Host, Mark as TraceMark, Message, Recorder, SessionState, What,
};

use crate::options::{Defect, Options};
use crate::session::{Attached, Resolved, Session, Stored, View, encode};

/// The sessions of a server. Cloning gives another handle to the same sessions.
#[derive(Clone)]
pub struct Store {
    pub(crate) options: Arc<Options>,
    pub(crate) recorder: Recorder,
    inner: Arc<Mutex<Inner>>,
}

pub(crate) struct Inner {
    pub sessions: BTreeMap<String, Session>,
    pub views: BTreeMap<usize, View>,
    ended: BTreeSet<String>,
    begun: u64,
    session_ids: Box<dyn FnMut() -> String + Send>,
}

/// What a server holds when everyone has gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leftover {
    /// Live sessions.
    pub sessions: u64,
    /// Connections attached to streams.
    pub streams: u64,
}

/// A message that the application emits.
pub(crate) enum Emission<'a> {
    Progress { call: &'a str, progress: u64, total: u64 },
    Result { call: &'a str, events: u64 },
    Failure { message: &'a str },
    Announcement,
}

/// What became of a request to resume.
pub(crate) enum Resumed {
    /// Accepted, with the value of the verdict header.
    Accepted { attached: Attached, verdict: ResumptionHeader },
    /// The cursor is refused.
    Refused { reason: String },
    /// There is no such session.
    NoSession,
}

impl Store {
    /// An empty store. `session_ids` gives a fresh public session id each time.
    pub fn new(
        options: Options,
        recorder: Recorder,
        session_ids: impl FnMut() -> String + Send + 'static,
    ) -> Store {
        let inner = Inner {
            sessions: BTreeMap::new(),
            views: BTreeMap::new(),
            ended: BTreeSet::new(),
            begun: 0,
            session_ids: Box::new(session_ids),
        };
        Store { options: Arc::new(options), recorder, inner: Arc::new(Mutex::new(inner)) }
    }

    /// What is still held.
    #[must_use]
    pub fn leftover(&self) -> Leftover {
        let inner = self.lock();
        Leftover {
            sessions: inner.sessions.len() as u64,
            streams: inner.sessions.values().map(Session::attached).sum(),
        }
    }

    /// Begins a session and gives its public id and the server's own name of it.
    pub(crate) fn begin_session(&self, primes: bool) -> (String, String) {
        let now_ms = self.recorder.now_ms();
        let mut inner = self.lock();
        inner.begun += 1;
        let origin = format!("s{}", inner.begun);
        let id = (inner.session_ids)();
        // The name is made of letters and digits, which every log accepts.
        let log = EventLog::new(Session::log_options(&self.options, &origin))
            .unwrap_or_else(|error| unreachable!("{error}"));
        inner.sessions.insert(id.clone(), Session::new(origin.clone(), log, primes, now_ms));
        (id, origin)
    }

    /// Whether a session is alive, and notes that it is in use.
    pub(crate) fn touch(&self, session: &str) -> SessionState {
        let now_ms = self.recorder.now_ms();
        let mut inner = self.lock();
        if let Some(found) = inner.sessions.get_mut(session) {
            found.last_active_ms = now_ms;
        }
        inner.state(session)
    }

    /// Ends a session: all its connections close, and its id is of no more use.
    pub(crate) fn end_session(&self, host: Host, session: &str, why: &str) -> bool {
        let ended = self.lock().end(session);
        let Some(origin) = ended else { return false };
        self.recorder.record(host, What::SessionEnd { session: origin, why: why.to_owned() });
        true
    }

    /// Ends the sessions that nobody has used for the idle limit.
    pub(crate) fn end_idle_sessions(&self, host: Host) {
        let now_ms = self.recorder.now_ms();
        let idle_since_ms = now_ms.saturating_sub(self.options.session_idle_ms);
        let inner = self.lock();
        let idle =
            |session: &Session| session.attached() == 0 && session.last_active_ms < idle_since_ms;
        let idle: Vec<String> = inner
            .sessions
            .iter()
            .filter(|(_, session)| idle(session))
            .map(|(id, _)| id.clone())
            .collect();
        drop(inner);
        for session in idle {
            self.end_session(host, &session, "idle");
        }
    }

    /// Begins the stream that answers a call and attaches its first connection. `None`: the
    /// session is gone, or has a stream of this name already.
    pub(crate) fn begin_call(
        &self,
        host: Host,
        replica: usize,
        session_id: &str,
        call: &str,
        request: RequestId<'static>,
    ) -> Option<Attached> {
        let mut inner = self.lock();
        let session = inner.sessions.get_mut(session_id)?;
        if session.streams.contains_key(call) {
            return None;
        }
        session.begin(call, Some(request), replica);
        let first = self.open(host, session, call);
        session.attach(call, first)
    }

    /// Attaches a GET without a cursor: to the first standalone stream if no connection ever was,
    /// otherwise to a new one.
    pub(crate) fn listen(&self, host: Host, session_id: &str) -> Option<Attached> {
        let mut inner = self.lock();
        let session = inner.sessions.get_mut(session_id)?;
        let waiting = session
            .current_standalone()
            .filter(|name| session.streams.get(name).is_some_and(|stream| !stream.connected));
        let (name, first) = match waiting {
            Some(name) => {
                let kept = session.log.retained(&name);
                let kept = kept.map(|kept| encode(kept.id.as_str(), &kept.payload, &self.options));
                let first = self.retry().into_iter().chain(kept).collect();
                (name, first)
            }
            None => {
                let name = session.next_standalone();
                let first = self.open(host, session, &name);
                (name, first)
            }
        };
        session.attach(&name, first)
    }

    /// Judges a cursor and, if it is accepted, attaches the connection: one step, so that an event
    /// produced meanwhile is sent once, either in the replay or live.
    pub(crate) fn resume(
        &self,
        host: Host,
        replica: usize,
        session_id: &str,
        cursor: &str,
        exchange: Option<u64>,
    ) -> Resumed {
        let now_ms = self.recorder.now_ms();
        let mut inner = self.lock();
        let view = inner.views.remove(&replica).unwrap_or_default();
        let state = inner.state(session_id);
        let Some(session) = inner.sessions.get_mut(session_id) else {
            let reason = "no-session".to_owned();
            let decision = Decision::Refused { reason };
            self.record_verdict(host, None, state, cursor, decision, None, exchange);
            return Resumed::NoSession;
        };
        session.log.expire(now_ms);
        let resolved = session.resolve(cursor, view, &self.options, now_ms);
        match resolved {
            Resolved::Refused(reason) => {
                let reason = reason.to_string();
                let decision = Decision::Refused { reason: reason.clone() };
                self.record_verdict(host, Some(session), state, cursor, decision, None, exchange);
                Resumed::Refused { reason }
            }
            Resolved::Accepted { stream, after, replay, lag_ms, caught_up } => {
                let decision = if caught_up {
                    Decision::CaughtUp
                } else {
                    Decision::Resume { replayed: replay.len() as u64 }
                };
                let verdict = verdict_header(&decision, &stream, after);
                let named = Some(stream.clone());
                self.record_verdict(host, Some(session), state, cursor, decision, named, exchange);
                match self.attach_replay(session, &stream, replay, lag_ms, now_ms) {
                    Some(attached) => Resumed::Accepted { attached, verdict },
                    None => Resumed::Refused { reason: "unknown-stream".to_owned() },
                }
            }
        }
    }

    fn attach_replay(
        &self,
        session: &mut Session,
        stream: &str,
        replay: Vec<Retained<Stored>>,
        lag_ms: u64,
        now_ms: u64,
    ) -> Option<Attached> {
        let bytes =
            |event: &Retained<Stored>| encode(event.id.as_str(), &event.payload, &self.options);
        let first = self.retry().into_iter().chain(replay.iter().map(bytes)).collect();
        let mut attached = session.attach(stream, first)?;
        if self.options.defects.has(Defect::ReplayWholeRing) {
            session.attach_all_to(stream);
        }
        if lag_ms > 0 {
            // The replica gets the newest events later than the log has them. The replay that it
            // could give stops where its view ends; the rest follows, before anything live.
            let as_of_ms = now_ms.saturating_sub(lag_ms);
            let unseen = session.log.retained(stream);
            let unseen = unseen.filter(|event| event.appended_at_ms > as_of_ms);
            let unseen: Vec<Bytes> = unseen.map(bytes).collect();
            attached.late = (!unseen.is_empty()).then_some((lag_ms, unseen));
        }
        Some(attached)
    }

    /// Emits a message on a stream: it gets an ordinal and an id, stands in the log, and goes to
    /// the attached connection. False: the session is gone, nothing was emitted.
    pub(crate) fn emit(
        &self,
        host: Host,
        session_id: &str,
        stream: &str,
        emission: &Emission<'_>,
    ) -> bool {
        let mut inner = self.lock();
        match inner.sessions.get_mut(session_id) {
            Some(session) => {
                self.emit_in(host, session, stream, emission);
                true
            }
            None => false,
        }
    }

    /// Emits on the session's standalone stream, which begins if there was none.
    pub(crate) fn emit_standalone(
        &self,
        host: Host,
        session_id: &str,
        emission: &Emission<'_>,
    ) -> bool {
        let mut inner = self.lock();
        let Some(session) = inner.sessions.get_mut(session_id) else { return false };
        self.emit_standalone_in(host, session, emission);
        true
    }

    pub(crate) fn emit_standalone_in(
        &self,
        host: Host,
        session: &mut Session,
        emission: &Emission<'_>,
    ) {
        let stream = match session.current_standalone() {
            Some(stream) => stream,
            None => {
                let stream = session.next_standalone();
                self.open(host, session, &stream);
                stream
            }
        };
        self.emit_in(host, session, &stream, emission);
    }

    pub(crate) fn emit_in(
        &self,
        host: Host,
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
        self.append(host, session, name, Some((text, message)));
        if ends {
            session.end_stream(name);
        }
    }

    /// Opens a stream: the reconnection time and the priming event, as far as they are sent.
    fn open(&self, host: Host, session: &mut Session, stream: &str) -> Vec<Bytes> {
        let mut first: Vec<Bytes> = self.retry().into_iter().collect();
        if session.primes && self.options.priming != Priming::None {
            first.push(self.append(host, session, stream, None));
        }
        first
    }

    fn retry(&self) -> Option<Bytes> {
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
        host: Host,
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
        self.recorder.record(host, emit);
        bytes
    }

    #[expect(clippy::too_many_arguments, reason = "one argument per field of the record")]
    fn record_verdict(
        &self,
        host: Host,
        session: Option<&Session>,
        session_state: SessionState,
        cursor: &str,
        decision: Decision,
        stream: Option<String>,
        exchange: Option<u64>,
    ) {
        let verdict = What::Verdict {
            exchange,
            session: session.map(|session| session.origin.clone()),
            session_state,
            cursor: cursor.to_owned(),
            decision,
            stream,
            floors: session.map(Session::floors).unwrap_or_default(),
        };
        self.recorder.record(host, verdict);
    }

    /// The server's own name of a session.
    pub(crate) fn origin(&self, session_id: &str) -> Option<String> {
        self.lock().sessions.get(session_id).map(|session| session.origin.clone())
    }

    /// Closes the connection of a stream; the stream goes on (SEP-1699).
    pub(crate) fn close_connection(&self, session_id: &str, stream: &str) {
        if let Some(session) = self.lock().sessions.get_mut(session_id) {
            session.close_connection(stream);
        }
    }

    /// A connection is gone.
    pub(crate) fn detach(&self, session_id: &str, stream: &str, number: u64) {
        let now_ms = self.recorder.now_ms();
        if let Some(session) = self.lock().sessions.get_mut(session_id) {
            session.last_active_ms = now_ms;
            session.detach(stream, number);
        }
    }

    /// A replica's process begins: its connections are gone, and so are the calls that it ran.
    /// They end with an error on their streams, so that nobody waits for them for ever.
    pub(crate) fn recover(&self, host: Host, replica: usize) {
        let mut inner = self.lock();
        for session in inner.sessions.values_mut() {
            session.detach_all();
            let orphans: Vec<String> = session
                .streams
                .iter()
                .filter(|(_, stream)| {
                    stream.request.is_some() && !stream.ended && stream.runs_on == replica
                })
                .map(|(name, _)| name.clone())
                .collect();
            for stream in orphans {
                let message = "the server was restarted while the call was running";
                self.emit_in(host, session, &stream, &Emission::Failure { message });
            }
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic elsewhere ends the run; what the table holds does not matter any more.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn state(&self, session: &str) -> SessionState {
        match (self.sessions.contains_key(session), self.ended.contains(session)) {
            (true, _) => SessionState::Live,
            (false, true) => SessionState::Expired,
            (false, false) => SessionState::Unknown,
        }
    }

    fn end(&mut self, session: &str) -> Option<String> {
        let mut found = self.sessions.remove(session)?;
        found.detach_all();
        self.ended.insert(session.to_owned());
        Some(found.origin)
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

fn verdict_header(decision: &Decision, stream: &str, after: u64) -> ResumptionHeader {
    let stream = stream.to_owned();
    match decision {
        Decision::Resume { replayed } => {
            ResumptionHeader::Resume { stream, after, replay: *replayed }
        }
        Decision::CaughtUp => ResumptionHeader::CaughtUp { stream },
        Decision::Refused { reason } => ResumptionHeader::Refused { reason: reason.clone() },
    }
}
