//! Requests as they go over the wire, recorded as the client's transport sees them.
//!
//! Owns the numbers of exchanges, the headers that the protocol wants, and the records of requests
//! and response heads. A client that is not ours can be driven over it as well. It must not know
//! what a session is, or what an answer means.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, header};
use http_body_util::Full;
use hyper::body::Incoming;
use seamstress_mcp::headers::{self, name};
use seamstress_net::Network;
use seamstress_trace::{Host, Method, Recorder, What};

pub use crate::exchange::{Event, Events, Exchange};

/// The way of a client's requests to its server. Clones share the numbers of exchanges.
#[derive(Clone)]
pub struct Wire<N: Network> {
    network: N,
    server: String,
    limit: Duration,
    recorder: Recorder,
    exchanges: Arc<AtomicU64>,
    tokens: Tokens,
}

/// The calls that progress tokens stand for, where they are not the calls' names.
pub(crate) type Tokens = Arc<Mutex<BTreeMap<String, String>>>;

/// A request to be made.
pub struct Ask<'a> {
    /// How.
    pub method: Method,
    /// `Mcp-Session-Id`.
    pub session: Option<&'a str>,
    /// `MCP-Protocol-Version`.
    pub protocol_version: Option<&'a str>,
    /// `Last-Event-ID`; it may be empty.
    pub cursor: Option<&'a str>,
    /// The client's name of the stream that it begins or continues.
    pub stream: Option<&'a str>,
    /// The JSON-RPC message of a POST: method, id, text.
    pub message: Option<(&'a str, Option<&'a str>, &'a str)>,
}

impl<N: Network> Wire<N> {
    /// Requests to the host `server`; each waits for a connection and a response head no longer
    /// than `limit`.
    pub fn new(network: N, server: &str, limit: Duration, recorder: Recorder) -> Wire<N> {
        let (exchanges, tokens) = (Arc::default(), Arc::default());
        Wire { network, server: server.to_owned(), limit, recorder, exchanges, tokens }
    }

    /// Says which call a progress token stands for; the token itself if nothing is said.
    pub fn name_token(&self, token: &str, call: &str) {
        // Nothing that can panic happens under this lock.
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.insert(token.to_owned(), call.to_owned());
    }

    /// Makes a request; `None` when no response head came.
    pub async fn send(&self, ask: &Ask<'_>) -> Option<(Exchange, Response<Incoming>)> {
        let number = self.exchanges.fetch_add(1, Ordering::Relaxed) + 1;
        let record = What::Request {
            exchange: number,
            method: ask.method,
            session: ask.session.map(|id| self.recorder.session_name(id)),
            cursor: ask.cursor.map(str::to_owned),
            protocol_version: ask.protocol_version.map(str::to_owned),
            rpc: ask.message.map(|(rpc, _, _)| rpc.to_owned()),
            rpc_id: ask.message.and_then(|(_, id, _)| id).map(str::to_owned),
            stream: ask.stream.map(str::to_owned),
        };
        self.recorder.record(Host::Client, record);
        let (network, server) = (&self.network, &self.server);
        let request = request(number, ask);
        let exchange = Exchange::new(number, self.recorder.clone(), self.tokens.clone());
        let (exchange, response) = exchange.begin(network, server, request, self.limit).await?;
        self.record_response(number, &response);
        Some((exchange, response))
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
}

fn request(number: u64, ask: &Ask<'_>) -> Request<Full<Bytes>> {
    let (method, accept) = match ask.method {
        Method::Get => (http::Method::GET, headers::TEXT_EVENT_STREAM),
        Method::Post => (http::Method::POST, "application/json, text/event-stream"),
        Method::Delete => (http::Method::DELETE, "*/*"),
    };
    let text = ask.message.map(|(_, _, text)| text.to_owned()).unwrap_or_default();
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
    if let Some(id) = ask.session {
        insert(name::MCP_SESSION_ID, id);
    }
    if let Some(version) = ask.protocol_version {
        insert(name::MCP_PROTOCOL_VERSION, version);
    }
    if let Some(cursor) = ask.cursor {
        insert(name::LAST_EVENT_ID, cursor);
    }
    request
}

/// The session id that a response carries.
#[must_use]
pub fn session_header<B>(response: &Response<B>) -> Option<&str> {
    response.headers().get(name::MCP_SESSION_ID).and_then(|value| value.to_str().ok())
}

/// Whether a response is a stream of events.
#[must_use]
pub fn is_event_stream<B>(response: &Response<B>) -> bool {
    let value = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.is_some_and(|value| headers::content_type_is(value, headers::TEXT_EVENT_STREAM))
}
