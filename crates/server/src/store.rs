//! All sessions of a server: what survives its process and is shared by its replicas.
//!
//! Owns the table of sessions and the one lock around it. Every operation is short and does no
//! I/O. It must not know HTTP status codes; it says what is the case and the handlers answer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use seamstress_mcp::message::RequestId;
use seamstress_resumption::{Counters, EventLog};
use seamstress_trace::{Host, Recorder, SessionState, What};

use crate::defects::Defect;
use crate::emission::Emission;
use crate::options::Options;
use crate::resolving::View;
use crate::session::{Attached, Session, encode};

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
    /// Sessions that have ended and whose events are kept: a defect.
    pub buried: Vec<Session>,
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
            buried: Vec::new(),
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
    pub(crate) fn begin_session(&self, replica: usize, primes: bool) -> (String, String) {
        let now_ms = self.recorder.now_ms();
        let mut inner = self.lock();
        inner.begun += 1;
        let origin = format!("s{}", inner.begun);
        let id = (inner.session_ids)();
        // The name is made of letters and digits, which every log accepts.
        let log = EventLog::new(Session::log_options(&self.options, &origin))
            .unwrap_or_else(|error| unreachable!("{error}"));
        let options = self.options.clone();
        let mut session = Session::new(origin.clone(), options, log, primes, now_ms);
        session.home = replica;
        inner.sessions.insert(id.clone(), session);
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
    pub(crate) fn end_session(&self, replica: usize, session: &str, why: &str) -> bool {
        let ended = self.lock().end(session);
        let Some(origin) = ended else { return false };
        self.recorder.record(
            Host::replica(replica),
            What::SessionEnd { session: origin, why: why.to_owned() },
        );
        true
    }

    /// Ends the sessions that nobody has used for the idle limit.
    pub(crate) fn end_idle_sessions(&self, replica: usize) {
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
            self.end_session(replica, &session, "idle");
        }
    }

    /// Begins the stream that answers a call and attaches its first connection. `None`: the
    /// session is gone, or has a stream of this name already.
    pub(crate) fn begin_call(
        &self,
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
        session.newest_request = Some(request.clone());
        session.begin(call, Some(request), replica);
        let first = self.open(replica, session, call);
        session.attach(call, first, replica)
    }

    /// Attaches a GET without a cursor: to the first standalone stream if no connection ever was,
    /// otherwise to a new one.
    pub(crate) fn listen(&self, replica: usize, session_id: &str) -> Option<Attached> {
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
                let first = self.open(replica, session, &name);
                (name, first)
            }
        };
        session.attach(&name, first, replica)
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
    pub(crate) fn recover(&self, replica: usize) {
        let mut inner = self.lock();
        for session in inner.sessions.values_mut() {
            session.detach_replica(replica);
            if session.has(Defect::RebaseOnRestart) {
                session.log.rebase(Counters::Restarted);
            }
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
                self.emit_in(replica, session, &stream, &Emission::Failure { message });
            }
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic elsewhere ends the run; what the table holds does not matter any more.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    pub(crate) fn state(&self, session: &str) -> SessionState {
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
        let origin = found.origin.clone();
        if found.has(Defect::ReplayAllSessions) {
            self.buried.push(found);
        }
        Some(origin)
    }
}
