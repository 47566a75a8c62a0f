//! A test's trace, written as a dialogue.
//!
//! Owns the spelling of records in tests: each step is one line (or the two that always go
//! together), one millisecond after the step before. What the server emits gets its id, position
//! and mark by itself (`s1.c1.3` is the third event of c1 in s1), so that a test says only what
//! it is about. It must not judge.

use std::collections::BTreeMap;

use seamstress_trace::{
    Check, Content, Decision, End, FaultState, Header, Host, Mark, Message, Method, Outcome,
    Record, RunEnd, SCHEMA, SessionState, Trace, What,
};

use crate::{Judgement, Oracle, judge};

pub(crate) struct Script {
    header: Header,
    records: Vec<Record>,
    now_ms: u64,
    same_instant: bool,
    origin: String,
    sessions: u64,
    marked: bool,
    server_seen: bool,
    /// By origin and stream: how many events, how many messages, and the lowest retained position.
    streams: BTreeMap<(String, String), (u64, u64, u64)>,
    progress: BTreeMap<String, u64>,
    requests: BTreeMap<String, String>,
    /// By event id.
    log: BTreeMap<String, (String, Option<Message>)>,
}

impl Script {
    pub(crate) fn new() -> Script {
        let header = Header {
            kind: "trace".into(),
            schema: SCHEMA,
            plan: "script".into(),
            server: "reference".into(),
            proxy: "reference".into(),
            client: "reference".into(),
            tick_ms: 1,
            live_within_ms: 100,
            id_scheme: Some("namespaced".into()),
            refusal: None,
        };
        Script {
            header,
            records: Vec::new(),
            now_ms: 0,
            same_instant: false,
            origin: String::new(),
            sessions: 0,
            marked: true,
            server_seen: true,
            streams: BTreeMap::new(),
            progress: BTreeMap::new(),
            requests: BTreeMap::new(),
            log: BTreeMap::new(),
        }
    }

    pub(crate) fn scheme(mut self, scheme: &str) -> Script {
        self.header.id_scheme = Some(scheme.into());
        self
    }

    pub(crate) fn declares(mut self, refusal: &str) -> Script {
        self.header.refusal = Some(refusal.into());
        self
    }

    /// From here on messages carry no marks, as from a server that is not ours.
    pub(crate) fn unmarked(mut self) -> Script {
        self.marked = false;
        self
    }

    /// From here on the server's own records are missing, as in a capture from outside.
    pub(crate) fn captured(mut self) -> Script {
        self.server_seen = false;
        self
    }

    /// Lets time pass before the next step.
    pub(crate) fn wait(mut self, ms: u64) -> Script {
        self.now_ms += ms;
        self
    }

    /// The next step happens in the same instant as the one before.
    pub(crate) fn at_once(mut self) -> Script {
        self.same_instant = true;
        self
    }

    pub(crate) fn record(mut self, host: Host, what: What) -> Script {
        if !std::mem::take(&mut self.same_instant) {
            self.now_ms += 1;
        }
        self.records.push(Record { at_ms: self.now_ms, host, what });
        self
    }

    fn client(self, what: What) -> Script {
        self.record(Host::Client, what)
    }

    fn server(self, what: What) -> Script {
        if self.server_seen { self.record(Host::Server, what) } else { self }
    }

    // The client's requests.

    /// The client has begun a session that the server calls `origin`.
    pub(crate) fn session(mut self, origin: &str) -> Script {
        self.origin = origin.into();
        self.sessions += 1;
        let session = Some(self.session_id());
        let origin = self.server_seen.then(|| origin.to_owned());
        self.client(What::SessionBegin { session, origin })
    }

    fn session_id(&self) -> String {
        format!("S{}", self.sessions)
    }

    /// A request with everything that belongs to it; `change` may take something away.
    pub(crate) fn request(
        self,
        exchange: u64,
        method: Method,
        stream: Option<&str>,
        change: impl FnOnce(&mut What),
    ) -> Script {
        let mut what = What::Request {
            exchange,
            method,
            session: Some(self.session_id()),
            cursor: None,
            protocol_version: Some("2025-11-25".into()),
            rpc: None,
            rpc_id: None,
            stream: stream.map(Into::into),
        };
        change(&mut what);
        self.client(what)
    }

    /// POST of a tool call; its request id is the number of the exchange.
    pub(crate) fn post(self, exchange: u64, label: &str) -> Script {
        self.post_as(exchange, label, &exchange.to_string())
    }

    /// POST of a tool call with this request id.
    pub(crate) fn post_as(mut self, exchange: u64, label: &str, request: &str) -> Script {
        self.requests.insert(label.into(), request.into());
        self.request(exchange, Method::Post, Some(label), |what| {
            if let What::Request { rpc, rpc_id, .. } = what {
                *rpc = Some("tools/call".into());
                *rpc_id = Some(request.into());
            }
        })
    }

    /// POST of `initialize`.
    pub(crate) fn initialize(self, exchange: u64, with_session: bool) -> Script {
        self.request(exchange, Method::Post, None, |what| {
            if let What::Request { session, protocol_version, rpc, rpc_id, .. } = what {
                *session = with_session.then(|| session.take()).flatten();
                *protocol_version = None;
                *rpc = Some("initialize".into());
                *rpc_id = Some(exchange.to_string());
            }
        })
    }

    /// GET without a cursor.
    pub(crate) fn listen(self, exchange: u64) -> Script {
        self.request(exchange, Method::Get, Some("standalone"), |_| {})
    }

    /// GET with a cursor.
    pub(crate) fn resume(self, exchange: u64, stream: &str, last: &str) -> Script {
        self.request(exchange, Method::Get, Some(stream), |what| {
            if let What::Request { cursor, .. } = what {
                *cursor = Some(last.into());
            }
        })
    }

    pub(crate) fn delete(self, exchange: u64) -> Script {
        self.request(exchange, Method::Delete, None, |_| {})
    }

    // What comes back.

    /// The exchange is answered by an event stream.
    pub(crate) fn open(self, exchange: u64) -> Script {
        self.response(exchange, 200, true)
    }

    /// The exchange is answered by something else than an event stream.
    pub(crate) fn status(self, exchange: u64, status: u16) -> Script {
        self.response(exchange, status, false)
    }

    fn response(self, exchange: u64, status: u16, event_stream: bool) -> Script {
        let (session, resumption) = (None, None);
        self.client(What::Response { exchange, status, session, event_stream, resumption })
    }

    /// The event with this id arrives on the wire.
    pub(crate) fn event(self, exchange: u64, id: &str) -> Script {
        let message = self.log[id].1.clone();
        self.raw_event(exchange, Some(id), message)
    }

    /// An event block as it stands on the wire.
    pub(crate) fn raw_event(
        self,
        exchange: u64,
        id: Option<&str>,
        message: Option<Message>,
    ) -> Script {
        let id = id.map(Into::into);
        self.client(What::Event { exchange, id, retry_ms: None, message })
    }

    /// A block with nothing but a `retry`.
    pub(crate) fn retry(self, exchange: u64, retry_ms: u64) -> Script {
        let retry_ms = Some(retry_ms);
        self.client(What::Event { exchange, id: None, retry_ms, message: None })
    }

    /// The message of the event with this id is handed to the application.
    pub(crate) fn deliver(self, exchange: u64, id: &str) -> Script {
        let (to, message) = self.log[id].clone();
        let message = message.expect("a priming event is never delivered");
        self.deliver_to(exchange, &to, message)
    }

    pub(crate) fn deliver_to(self, exchange: u64, to: &str, message: Message) -> Script {
        self.client(What::Deliver { exchange, to: to.into(), message })
    }

    /// The event with this id arrives and is handed over.
    pub(crate) fn take(self, exchange: u64, id: &str) -> Script {
        self.event(exchange, id).at_once().deliver(exchange, id)
    }

    /// Several of them, one after the other.
    pub(crate) fn take_all(self, exchange: u64, ids: &[&str]) -> Script {
        ids.iter().fold(self, |script, id| script.take(exchange, id))
    }

    pub(crate) fn cut(self, exchange: u64, end: End) -> Script {
        self.client(What::End { exchange, end })
    }

    pub(crate) fn drop(self, exchange: u64) -> Script {
        self.cut(exchange, End::NoLastChunk)
    }

    pub(crate) fn leave(self, exchange: u64) -> Script {
        self.cut(exchange, End::Left)
    }

    pub(crate) fn check(self, exchange: u64, ids: [&str; 2], check: Check) -> Script {
        let [last, first] = ids.map(Into::into);
        let accepted = check == Check::Continuous;
        self.client(What::Continuity { exchange, last, first, check, accepted })
    }

    // What the client tells the application.

    pub(crate) fn outcome(self, call: &str, outcome: Outcome) -> Script {
        self.client(What::Outcome { call: call.into(), outcome })
    }

    pub(crate) fn done(self, call: &str) -> Script {
        self.outcome(call, Outcome::Done)
    }

    pub(crate) fn unknown(self, call: &str) -> Script {
        self.outcome(call, Outcome::Unknown)
    }

    pub(crate) fn declare_loss(self, why: &str) -> Script {
        let session = Some(self.session_id());
        self.client(What::DeclareLoss { session, why: why.into() })
    }

    // The server.

    pub(crate) fn execute(self, call: &str) -> Script {
        let session = self.origin.clone();
        self.server(What::Execute { session, call: call.into() })
    }

    /// Emits a priming event.
    pub(crate) fn prime(self, stream: &str) -> Script {
        self.emit(stream, None, None)
    }

    /// Emits the next progress of a call on the call's own stream.
    pub(crate) fn progress(self, call: &str) -> Script {
        self.progress_on(call, call)
    }

    /// Emits this much progress of a call on its own stream.
    pub(crate) fn progresses(self, call: &str, count: u64) -> Script {
        (0..count).fold(self, |script, _| script.progress(call))
    }

    /// Emits the next progress of a call on this stream.
    pub(crate) fn progress_on(self, stream: &str, call: &str) -> Script {
        self.progress_as(stream, call, None)
    }

    pub(crate) fn progress_as(mut self, stream: &str, call: &str, id: Option<&str>) -> Script {
        let progress = self.progress.entry(call.into()).or_default();
        *progress += 1;
        let content = Content::Progress { call: call.into(), progress: *progress };
        self.emit(stream, Some(content), id)
    }

    pub(crate) fn notify(self, stream: &str) -> Script {
        self.emit(stream, Some(Content::Notification), None)
    }

    pub(crate) fn notify_as(self, stream: &str, id: &str) -> Script {
        self.emit(stream, Some(Content::Notification), Some(id))
    }

    pub(crate) fn result(self, call: &str) -> Script {
        self.result_as(call, None)
    }

    pub(crate) fn result_as(self, call: &str, id: Option<&str>) -> Script {
        let request = self.requests.get(call).cloned().unwrap_or_default();
        let content = Content::Result { request, call: Some(call.into()) };
        self.emit(call, Some(content), id)
    }

    /// Emits an event; its id is `origin.stream.position` unless given.
    pub(crate) fn emit(
        mut self,
        stream: &str,
        content: Option<Content>,
        id: Option<&str>,
    ) -> Script {
        let session = self.origin.clone();
        let key = (session.clone(), stream.to_owned());
        let (position, messages, _) = self.streams.entry(key).or_insert((0, 0, 1));
        *position += 1;
        *messages += u64::from(content.is_some());
        let (position, ordinal) = (*position, *messages);
        let mark = Mark { origin: session.clone(), stream: stream.into(), ordinal };
        let mark = self.marked.then_some(mark);
        let message = content.map(|content| Message { content, mark });
        let id = id.map_or_else(|| format!("{session}.{stream}.{position}"), Into::into);
        let to = match &message.as_ref().map(|message| &message.content) {
            Some(Content::Progress { call, .. }) => call.clone(),
            _ => crate::view::client_name(stream).to_owned(),
        };
        self.log.insert(id.clone(), (to, message.clone()));
        let stream = stream.into();
        self.server(What::Emit { session, stream, id: Some(id), position, message })
    }

    /// The server forgets the events of a stream below this position.
    pub(crate) fn evict_below(mut self, stream: &str, floor: u64) -> Script {
        let key = (self.origin.clone(), stream.to_owned());
        self.streams.get_mut(&key).expect("a stream that has events").2 = floor;
        self
    }

    /// The server accepts the cursor of this exchange, which it attributes to this stream.
    pub(crate) fn resumes(self, exchange: u64, stream: &str, replayed: u64) -> Script {
        let decision = match replayed {
            0 => Decision::CaughtUp,
            _ => Decision::Resume { replayed },
        };
        self.verdict(exchange, Some(stream), SessionState::Live, decision)
    }

    /// The same for another cursor than the client presented.
    pub(crate) fn resumes_from(
        self,
        exchange: u64,
        stream: &str,
        replayed: u64,
        judged: &str,
    ) -> Script {
        let mut script = self.resumes(exchange, stream, replayed);
        if let Some(Record { what: What::Verdict { cursor, .. }, .. }) = script.records.last_mut() {
            judged.clone_into(cursor);
        }
        script
    }

    pub(crate) fn refuses(self, exchange: u64, reason: &str) -> Script {
        let decision = Decision::Refused { reason: reason.into() };
        self.verdict(exchange, None, SessionState::Live, decision)
    }

    pub(crate) fn verdict(
        self,
        exchange: u64,
        stream: Option<&str>,
        session_state: SessionState,
        decision: Decision,
    ) -> Script {
        let of_session = |((origin, stream), (_, _, floor)): (&(String, String), &_)| {
            (*origin == self.origin).then(|| (stream.clone(), *floor))
        };
        let live = session_state == SessionState::Live;
        let floors =
            if live { self.streams.iter().filter_map(of_session).collect() } else { vec![] };
        let what = What::Verdict {
            exchange: Some(exchange),
            session: live.then(|| self.origin.clone()),
            session_state,
            cursor: self.cursor_of(exchange),
            decision,
            stream: stream.map(Into::into),
            floors,
        };
        self.server(what)
    }

    /// The cursor that the client presented on an exchange.
    fn cursor_of(&self, number: u64) -> String {
        let cursor = self.records.iter().rev().find_map(|record| match &record.what {
            What::Request { exchange, cursor, .. } if *exchange == number => cursor.clone(),
            _ => None,
        });
        cursor.unwrap_or_default()
    }

    pub(crate) fn session_end(self, why: &str) -> Script {
        let session = self.origin.clone();
        self.server(What::SessionEnd { session, why: why.into() })
    }

    // The run.

    pub(crate) fn phase(self, phase: &str) -> Script {
        self.record(Host::Run, What::Phase { phase: phase.into() })
    }

    pub(crate) fn fault(self, family: &str, state: FaultState) -> Script {
        self.fault_is(family, "some", state)
    }

    /// A fault with this action is carried out.
    pub(crate) fn fault_of(self, family: &str, action: &str) -> Script {
        self.fault_is(family, action, FaultState::Fired)
    }

    fn fault_is(self, family: &str, action: &str, state: FaultState) -> Script {
        let (family, action) = (family.into(), action.into());
        let fault = What::Fault { fault: "f1".into(), family, action, state, detail: None };
        self.record(Host::Proxy, fault)
    }

    /// Everybody has gone and left nothing behind.
    pub(crate) fn finish(self) -> Script {
        let nothing = || What::Leftover { sessions: 0, streams: 0, connections: 0 };
        self.record(Host::Proxy, nothing()).record(Host::Server, nothing()).ended(RunEnd::Finished)
    }

    pub(crate) fn ended(self, why: RunEnd) -> Script {
        let (detail, next_draws) = (None, Vec::new());
        self.record(Host::Run, What::RunEnd { why, detail, next_draws })
    }

    pub(crate) fn trace(self) -> Trace {
        Trace { header: self.header, records: self.records }
    }

    pub(crate) fn judge(self) -> Judgement {
        judge(&self.trace())
    }

    /// The keys of all findings, in the order of the trace.
    pub(crate) fn keys(self) -> Vec<String> {
        self.judge().findings.iter().map(crate::Finding::key).collect()
    }

    /// The keys of one oracle's findings.
    pub(crate) fn keys_of(self, oracle: Oracle) -> Vec<String> {
        let findings = self.judge().findings;
        findings.iter().filter(|f| f.oracle == oracle).map(crate::Finding::key).collect()
    }

    /// The sentences of one oracle's findings.
    pub(crate) fn sentences_of(self, oracle: Oracle) -> Vec<String> {
        let findings = self.judge().findings;
        findings.into_iter().filter(|f| f.oracle == oracle).map(|f| f.sentence).collect()
    }
}

/// A list of keys, to compare with.
pub(crate) const NOTHING: [&str; 0] = [];
