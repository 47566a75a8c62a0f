//! A client that a test speaks for: one request at a time, each on a connection of its own.
//!
//! Owns writing requests with the headers that the protocol wants (a test takes away or changes
//! what it is about) and reading answers: whole, as raw bytes, or as events. Events are decoded by
//! `sse-stream`, which shares no code with the encoder of this project.

use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use seamstress_mcp::headers::TEXT_EVENT_STREAM;
use seamstress_mcp::probe;
use seamstress_net::{MemoryNetwork, Network};
use seamstress_trace::End;
use serde_json::{Value, json};
use sse_stream::{Sse, SseStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::soon;

/// The port that every participant listens on.
const PORT: u16 = 80;

/// See the file's head.
#[derive(Clone)]
pub struct Peer {
    network: MemoryNetwork,
    host: String,
    session: Option<String>,
    revision: String,
}

/// A request that is being made up.
pub struct Ask {
    peer: Peer,
    method: Method,
    headers: HeaderMap,
    body: String,
}

/// An answer of which the head has arrived.
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    body: Incoming,
    connection: Connection,
}

/// An answer that is a stream of events.
pub struct Events {
    stream: SseStream<Incoming>,
    _connection: Connection,
}

/// Closes the connection when the test is done with it.
struct Connection(JoinHandle<()>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Peer {
    /// A client of this host, without a session.
    #[must_use]
    pub fn of(network: &MemoryNetwork, host: &str) -> Peer {
        let revision = "2025-11-25".to_owned();
        Peer { network: network.clone(), host: host.to_owned(), session: None, revision }
    }

    /// A client of this host that has begun a session, asking for this revision.
    pub async fn initialized(network: &MemoryNetwork, host: &str, revision: &str) -> Peer {
        let mut peer = Peer { revision: revision.to_owned(), ..Peer::of(network, host) };
        let answer = peer.initialize(revision).send().await;
        peer.session = answer.header("mcp-session-id").map(str::to_owned);
        let body = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(peer.post(&body).send().await.status, 202);
        peer
    }

    /// The session id that it sends.
    #[must_use]
    pub fn session(&self) -> &str {
        self.session.as_deref().unwrap_or_default()
    }

    /// The same client with another session id.
    #[must_use]
    pub fn with_session(&self, session: &str) -> Peer {
        Peer { session: Some(session.to_owned()), ..self.clone() }
    }

    /// An `initialize` that asks for this revision.
    #[must_use]
    pub fn initialize(&self, revision: &str) -> Ask {
        let params = json!({
            "protocolVersion": revision, "capabilities": {},
            "clientInfo": { "name": "a test", "version": "1" },
        });
        self.request("initialize", &params).without("mcp-protocol-version")
    }

    /// A POST of this message.
    #[must_use]
    pub fn post(&self, message: &Value) -> Ask {
        let ask = self.ask(Method::POST).header("accept", "application/json, text/event-stream");
        Ask { body: message.to_string(), ..ask.header("content-type", "application/json") }
    }

    /// A POST of a request, under the id `1`.
    #[must_use]
    pub fn request(&self, method: &str, params: &Value) -> Ask {
        self.post(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }))
    }

    /// A POST that calls a tool, under this id.
    #[must_use]
    pub fn call(&self, id: u64, tool: &str, arguments: &Value) -> Ask {
        let params = json!({
            "name": tool, "arguments": arguments, "_meta": { "progressToken": format!("t{id}") },
        });
        let method = "tools/call";
        self.post(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
    }

    /// A GET without a cursor.
    #[must_use]
    pub fn listen(&self) -> Ask {
        self.ask(Method::GET).header("accept", TEXT_EVENT_STREAM)
    }

    /// A GET with a cursor.
    #[must_use]
    pub fn resume(&self, cursor: &str) -> Ask {
        self.listen().header("last-event-id", cursor)
    }

    /// A DELETE.
    #[must_use]
    pub fn delete(&self) -> Ask {
        self.ask(Method::DELETE)
    }

    /// A request with no more than the session's headers.
    #[must_use]
    pub fn ask(&self, method: Method) -> Ask {
        let headers = HeaderMap::new();
        let ask = Ask { peer: self.clone(), method, headers, body: String::new() };
        let ask = ask.header("host", "localhost").header("mcp-protocol-version", &self.revision);
        match &self.session {
            Some(session) => ask.header("mcp-session-id", session),
            None => ask,
        }
    }
}

impl Ask {
    /// With this header, in place of another of its name.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: &str) -> Ask {
        let value = HeaderValue::from_str(value).expect("the test gives a value");
        self.headers.insert(HeaderName::from_static(name), value);
        self
    }

    /// Without this header.
    #[must_use]
    pub fn without(mut self, name: &'static str) -> Ask {
        self.headers.remove(name);
        self
    }

    /// With these bytes as its body.
    #[must_use]
    pub fn body(self, text: &str) -> Ask {
        Ask { body: text.to_owned(), ..self }
    }

    /// Sends it and waits for the head of the answer.
    ///
    /// # Panics
    ///
    /// If no answer comes.
    pub async fn send(self) -> Answer {
        soon("the answer", self.try_send()).await.expect("an answer")
    }

    async fn try_send(self) -> Option<Answer> {
        let socket = self.peer.network.connect(&self.peer.host, PORT).await.ok()?;
        let handshake = hyper::client::conn::http1::handshake(TokioIo::new(socket)).await;
        let (mut sender, connection) = handshake.ok()?;
        let connection = Connection(tokio::spawn(async move {
            // What went wrong with the connection reaches whoever reads the answer.
            let _ = connection.await;
        }));
        let mut request = Request::new(Full::new(Bytes::from(self.body)));
        *request.method_mut() = self.method;
        *request.uri_mut() = http::Uri::from_static("/mcp");
        *request.headers_mut() = self.headers;
        let (head, body) = sender.send_request(request).await.ok()?.into_parts();
        Some(Answer { status: head.status.as_u16(), headers: head.headers, body, connection })
    }

    /// Sends it and takes the answer as events.
    pub async fn events(self) -> Events {
        self.send().await.events()
    }
}

impl Answer {
    /// A header's value, if it is there.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The whole body, and how the connection ended.
    pub async fn bytes(mut self) -> (Vec<u8>, End) {
        let mut bytes = Vec::new();
        let end = soon("the end of the body", self.read_into(&mut bytes)).await;
        (bytes, end)
    }

    /// The same as text.
    pub async fn text(self) -> (String, End) {
        let (bytes, end) = self.bytes().await;
        (String::from_utf8_lossy(&bytes).into_owned(), end)
    }

    /// Checks that not a byte comes, and no end, for so many milliseconds.
    ///
    /// # Panics
    ///
    /// If something comes.
    pub async fn is_silent_for_ms(&mut self, duration_ms: u64) {
        let next = timeout(Duration::from_millis(duration_ms), self.body.frame()).await;
        assert!(next.is_err(), "silence was due, and there came {next:?}");
    }

    /// What comes of the body within so many milliseconds.
    pub async fn text_within_ms(&mut self, duration_ms: u64) -> String {
        let mut bytes = Vec::new();
        // Either it has ended, or the time is up.
        let _ = timeout(Duration::from_millis(duration_ms), self.read_into(&mut bytes)).await;
        String::from_utf8_lossy(&bytes).into_owned()
    }

    async fn read_into(&mut self, bytes: &mut Vec<u8>) -> End {
        loop {
            match self.body.frame().await {
                Some(Ok(frame)) => bytes.extend(frame.into_data().unwrap_or_default()),
                Some(Err(error)) => return end_of(&error),
                None => return End::Clean,
            }
        }
    }

    /// The body as one JSON value; null if there is none.
    ///
    /// # Panics
    ///
    /// If it is no JSON, or broke off.
    pub async fn json(self) -> Value {
        let (text, end) = self.text().await;
        assert_eq!(end, End::Clean);
        if text.is_empty() {
            return Value::Null;
        }
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// The body as events.
    ///
    /// # Panics
    ///
    /// If the answer is no stream of events.
    #[must_use]
    pub fn events(self) -> Events {
        assert_eq!((self.status, self.header("content-type")), (200, Some(TEXT_EVENT_STREAM)));
        Events { stream: SseStream::new(self.body), _connection: self.connection }
    }
}

impl Events {
    /// The next block that is no mere comment.
    ///
    /// # Panics
    ///
    /// If the connection ends instead.
    pub async fn next(&mut self) -> Sse {
        match soon("an event", self.stream.next()).await {
            Some(Ok(block)) => block,
            Some(Err(error)) => panic!("an event was due, and the connection broke: {error}"),
            None => panic!("an event was due, and the connection ended"),
        }
    }

    /// The next so many blocks.
    pub async fn take(&mut self, count: usize) -> Vec<Sse> {
        let mut taken = Vec::with_capacity(count);
        while taken.len() < count {
            taken.push(self.next().await);
        }
        taken
    }

    /// All blocks up to the end, and how it ended.
    pub async fn rest(mut self) -> (Vec<Sse>, End) {
        let mut rest = Vec::new();
        loop {
            match soon("the end of the stream", self.stream.next()).await {
                Some(Ok(block)) => rest.push(block),
                Some(Err(sse_stream::Error::Body(error))) => {
                    let end = error.downcast_ref().map_or(End::Malformed, end_of);
                    return (rest, end);
                }
                Some(Err(_)) => return (rest, End::Malformed),
                None => return (rest, End::Clean),
            }
        }
    }

    /// Checks that nothing but comments comes, and no end, for so many milliseconds.
    ///
    /// # Panics
    ///
    /// If something comes.
    pub async fn is_silent_for_ms(&mut self, duration_ms: u64) {
        let next = timeout(Duration::from_millis(duration_ms), self.stream.next()).await;
        assert!(next.is_err(), "silence was due, and there came {next:?}");
    }
}

fn end_of(error: &hyper::Error) -> End {
    let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref());
    let kind = cause.map(std::io::Error::kind);
    if kind == Some(std::io::ErrorKind::ConnectionReset) { End::Reset } else { End::NoLastChunk }
}

/// The stream and the place on it that an event claims for itself; none for a priming event.
#[must_use]
pub fn mark(event: &Sse) -> Option<(String, u64)> {
    let data = event.data.as_deref().filter(|data| !data.is_empty())?;
    let mark = probe::read(data).expect("a message").mark?;
    Some((mark.stream.into_owned(), mark.ordinal))
}

/// The places of the messages among these blocks, in their order.
#[must_use]
pub fn ordinals(events: &[Sse]) -> Vec<u64> {
    events.iter().filter_map(mark).map(|(_, ordinal)| ordinal).collect()
}
