//! What all tasks of one client share: the network, the options, the current session.
//!
//! Owns what a request takes from its session and gives to it, and losing a session. It must not
//! know what an answer means, or how a request looks on the wire.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use http::Response;
use hyper::body::Incoming;
use seamstress_mcp::message::method;
use seamstress_net::Network;
use seamstress_plan::Operation;
use seamstress_trace::{Host, Method, Recorder, What};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::defects::Defect;
use crate::exchange::Exchange;
use crate::options::Options;
use crate::session::Session;
use crate::wire::{self, Wire};

/// Why a session is lost that the server no longer knows.
pub(crate) const NOT_FOUND: &str = "not-found";

/// The client.
pub struct Client<N: Network> {
    shared: Arc<Shared<N>>,
}

/// Where the client stands.
#[derive(Clone)]
pub(crate) enum Current {
    /// A session is being begun.
    Beginning,
    /// A session is in use.
    Live(Arc<Session>),
    /// No session could be begun.
    GaveUp,
}

pub(crate) struct Shared<N: Network> {
    pub wire: Wire<N>,
    pub options: Options,
    pub recorder: Recorder,
    pub current: watch::Sender<Current>,
    /// When the first session began: operations are timed from here.
    pub began: watch::Sender<Option<Instant>>,
    requests: AtomicI64,
}

/// A request to be made in a session.
pub(crate) struct Ask<'a> {
    pub method: Method,
    pub session: Option<&'a Session>,
    pub cursor: Option<&'a str>,
    /// The client's name of the stream.
    pub stream: Option<&'a str>,
    /// The JSON-RPC message of a POST: method, id, text.
    pub message: Option<(&'a str, Option<String>, String)>,
}

impl<N: Network> Client<N> {
    /// A client over this network.
    pub fn new(network: N, options: Options, recorder: Recorder) -> Client<N> {
        let limit = Duration::from_millis(options.response_timeout_ms);
        let shared = Shared {
            wire: Wire::new(network, &options.server, limit, recorder.clone()),
            options,
            recorder,
            current: watch::Sender::new(Current::Beginning),
            began: watch::Sender::new(None),
            requests: AtomicI64::new(0),
        };
        Client { shared: Arc::new(shared) }
    }

    /// Initialises, carries the workload out, and deletes the session when all has ended.
    pub async fn run(self, workload: Vec<Operation>) {
        crate::workload::run(self.shared, workload).await;
    }
}

impl<N: Network> Shared<N> {
    /// Whether a defect is planted.
    pub fn has(&self, defect: Defect) -> bool {
        self.options.defects.has(defect)
    }

    /// The next JSON-RPC request id.
    pub fn next_request(&self) -> i64 {
        self.requests.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Makes a request in a session; `None` when no response head came.
    pub async fn send(&self, ask: &Ask<'_>) -> Option<(Exchange, Response<Incoming>)> {
        let session_id = ask.session.and_then(Session::id);
        let stray = self.stray_cursor(ask);
        let drops_version = ask.method == Method::Get && self.has(Defect::ProtocolVersionDropped);
        let asked = wire::Ask {
            method: ask.method,
            session: session_id.as_deref(),
            protocol_version: ask
                .session
                .map(|session| session.revision.as_str())
                .filter(|_| !drops_version),
            cursor: ask.cursor.or(stray.as_deref()),
            stream: ask.stream,
            message: ask.message.as_ref().map(|(rpc, id, text)| (*rpc, id.as_deref(), &**text)),
        };
        let (exchange, response) = self.wire.send(&asked).await?;
        if let Some(session) = ask.session {
            match wire::session_header(&response) {
                Some(id) => session.adopt(id),
                None if self.has(Defect::SessionHeaderDropped) => session.forget_id(),
                None => {}
            }
        }
        Some((exchange, response))
    }

    /// The cursor that a call carries although it resumes nothing: a defect.
    fn stray_cursor(&self, ask: &Ask<'_>) -> Option<String> {
        let is_call = matches!(&ask.message, Some((rpc, ..)) if *rpc == method::TOOLS_CALL);
        let session = ask.session.filter(|_| is_call && self.has(Defect::LastEventIdOnPost))?;
        session.with_slot(|slot| slot.header_value().map(str::to_owned))
    }

    /// Tells the application that continuity is gone: the calls of this session end, and the
    /// keeper begins another one.
    pub fn lose(&self, session: &Arc<Session>, why: &str) {
        if why == NOT_FOUND {
            session.note_not_found();
        }
        if self.has(Defect::ClearOnlyOn404) && why == NOT_FOUND {
            return session.forget_id();
        }
        if self.has(Defect::StuckOn404) && session.was_not_found() {
            return;
        }
        // 404 is said of a session that is gone; any other loss leaves it to be ended.
        if session.lose(why != NOT_FOUND) {
            let name = session.id().map(|id| self.recorder.session_name(&id));
            let record = What::DeclareLoss { session: name, why: why.to_owned() };
            self.recorder.record(Host::Client, record);
        }
    }
}
