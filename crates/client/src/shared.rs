//! What all tasks of one client share: the network, the options, the current session.
//!
//! Owns making requests with the headers that the protocol wants, and losing a session. It must
//! not know what an answer means.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, header};
use http_body_util::Full;
use hyper::body::Incoming;
use seamstress_mcp::headers::{self, name};
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
    pub network: N,
    pub options: Options,
    pub recorder: Recorder,
    pub current: watch::Sender<Current>,
    /// When the first session began: operations are timed from here.
    pub began: watch::Sender<Option<Instant>>,
    exchanges: AtomicU64,
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
        let shared = Shared {
            network,
            options,
            recorder,
            current: watch::Sender::new(Current::Beginning),
            began: watch::Sender::new(None),
            exchanges: AtomicU64::new(0),
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

    /// Makes a request; `None` when no response head came.
    pub async fn send(&self, ask: Ask<'_>) -> Option<(Exchange, Response<Incoming>)> {
        let number = self.exchanges.fetch_add(1, Ordering::Relaxed) + 1;
        let session_id = ask.session.and_then(Session::id);
        let version = ask
            .session
            .map(|session| session.revision.as_str())
            .filter(|_| ask.method != Method::Get || !self.has(Defect::ProtocolVersionDropped));
        let cursor = ask.cursor.map(str::to_owned).or_else(|| self.stray_cursor(&ask));
        let rpc = ask.message.as_ref().map(|(rpc, _, _)| (*rpc).to_owned());
        let rpc_id = ask.message.as_ref().and_then(|(_, id, _)| id.clone());
        let record = What::Request {
            exchange: number,
            method: ask.method,
            session: session_id.as_deref().map(|id| self.recorder.session_name(id)),
            cursor: cursor.clone(),
            protocol_version: version.map(str::to_owned),
            rpc,
            rpc_id,
            stream: ask.stream.map(str::to_owned),
        };
        self.recorder.record(Host::Client, record);
        let headers = [session_id.as_deref(), version, cursor.as_deref()];
        let request = self.request(number, &ask, headers);
        let limit = Duration::from_millis(self.options.response_timeout_ms);
        let (network, server) = (&self.network, &self.options.server);
        let begun = Exchange::begin(network, server, &self.recorder, number, request, limit).await;
        let (exchange, response) = begun?;
        self.record_response(number, &response);
        if let Some(session) = ask.session {
            match session_header(&response) {
                Some(id) if !self.has(Defect::AdoptsNoRotatedId) => session.adopt(id),
                None if self.has(Defect::SessionHeaderDropped) => session.forget_id(),
                Some(_) | None => {}
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

    fn request(
        &self,
        number: u64,
        ask: &Ask<'_>,
        [session_id, version, cursor]: [Option<&str>; 3],
    ) -> Request<Full<Bytes>> {
        let (method, accept) = match ask.method {
            Method::Get => (http::Method::GET, headers::TEXT_EVENT_STREAM),
            Method::Post => (http::Method::POST, "application/json, text/event-stream"),
            Method::Delete => (http::Method::DELETE, "*/*"),
        };
        let text = ask.message.as_ref().map(|(_, _, text)| text.clone()).unwrap_or_default();
        let mut request = Request::new(Full::from(text));
        *request.method_mut() = method;
        *request.uri_mut() = http::Uri::from_static("/mcp");
        let map = request.headers_mut();
        // A value that a header cannot carry is not sent: ids of foreign servers may be such.
        let mut insert = |name: header::HeaderName, value: &str| {
            if let Ok(value) = HeaderValue::from_str(value) {
                map.insert(name, value);
            }
        };
        insert(header::HOST, "localhost");
        insert(header::ACCEPT, accept);
        insert(name::EXCHANGE, &number.to_string());
        if ask.message.is_some() {
            insert(header::CONTENT_TYPE, headers::APPLICATION_JSON);
        }
        if let Some(id) = session_id {
            insert(name::MCP_SESSION_ID, id);
        }
        if let Some(version) = version {
            insert(name::MCP_PROTOCOL_VERSION, version);
        }
        if let Some(cursor) = cursor {
            insert(name::LAST_EVENT_ID, cursor);
        }
        request
    }

    fn record_response(&self, exchange: u64, response: &Response<Incoming>) {
        let text = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let record = What::Response {
            exchange,
            status: response.status().as_u16(),
            session: session_header(response).map(|id| self.recorder.session_name(id)),
            event_stream: is_event_stream(response),
            resumption: text(name::MCP_RESUMPTION).map(str::to_owned),
        };
        self.recorder.record(Host::Client, record);
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

/// The session id that a response carries.
pub(crate) fn session_header(response: &Response<Incoming>) -> Option<&str> {
    response.headers().get(name::MCP_SESSION_ID).and_then(|value| value.to_str().ok())
}

/// Whether a response is a stream of events.
pub(crate) fn is_event_stream(response: &Response<Incoming>) -> bool {
    let value = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.is_some_and(|value| headers::content_type_is(value, headers::TEXT_EVENT_STREAM))
}
