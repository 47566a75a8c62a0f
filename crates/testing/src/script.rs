//! A server that a test answers for.
//!
//! Owns the accept loop, handing each request to the test, and a response body that the test
//! writes and ends in a chosen way. The test reads as a dialogue: it takes a request, looks at it,
//! answers, and takes the next.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use seamstress_mcp::headers::{APPLICATION_JSON, TEXT_EVENT_STREAM};
use seamstress_net::{Listener, MemoryNetwork, Network, Valve, ValveHandle};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::soon;

/// The port that every participant listens on.
const PORT: u16 = 80;

/// See the file's head.
pub struct ScriptedServer {
    asked: mpsc::UnboundedReceiver<Asked>,
}

/// A request that awaits the test's answer. Dropping it closes its connection.
pub struct Asked {
    /// The HTTP method.
    pub method: Method,
    /// The headers.
    pub headers: HeaderMap,
    /// The message of a POST; null without one.
    pub message: Value,
    /// When it arrived.
    pub at: Instant,
    answer: oneshot::Sender<Response<ScriptBody>>,
    valve: ValveHandle,
    also: Vec<(HeaderName, HeaderValue)>,
}

/// A response body that the test writes. Dropping it ends it with its last chunk.
pub struct ScriptedStream {
    pieces: mpsc::UnboundedSender<Piece>,
    valve: ValveHandle,
}

enum Piece {
    Bytes(Bytes),
    Cut,
}

enum ScriptBody {
    Whole(Option<Bytes>),
    Pieces { pieces: mpsc::UnboundedReceiver<Piece>, cut: bool },
}

impl ScriptedServer {
    /// Listens as this host.
    ///
    /// # Panics
    ///
    /// If somebody listens there already.
    pub async fn listen(network: &MemoryNetwork, host: &str) -> ScriptedServer {
        let mut listener = network.for_host(host).listen(PORT).await.expect("the host is free");
        let (sender, asked) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok(socket) = listener.accept().await {
                let (socket, valve) = Valve::new(socket);
                let sender = sender.clone();
                let service =
                    service_fn(move |request| hand_over(sender.clone(), request, valve.clone()));
                let builder = hyper::server::conn::http1::Builder::new();
                tokio::spawn(builder.serve_connection(TokioIo::new(socket), service));
            }
        });
        ScriptedServer { asked }
    }

    /// The next request.
    ///
    /// # Panics
    ///
    /// If none comes.
    pub async fn next(&mut self) -> Asked {
        soon("a request", self.asked.recv()).await.expect("the accept loop runs")
    }

    /// The next request, which must be a GET.
    ///
    /// # Panics
    ///
    /// If it is another.
    pub async fn next_get(&mut self) -> Asked {
        let asked = self.next().await;
        assert_eq!(asked.method, Method::GET, "{}", asked.message);
        asked
    }

    /// The next request, which must be a POST of this JSON-RPC method.
    ///
    /// # Panics
    ///
    /// If it is another.
    pub async fn next_post(&mut self, method: &str) -> Asked {
        let asked = self.next().await;
        assert_eq!((&asked.method, asked.rpc()), (&Method::POST, method));
        asked
    }

    /// Begins a session under this id: answers `initialize` and `notifications/initialized`.
    pub async fn begin_session(&mut self, session: &str) {
        let initialize = self.next_post("initialize").await;
        assert_eq!(initialize.header("mcp-session-id"), None);
        let revision = initialize.message["params"]["protocolVersion"].clone();
        initialize.with("mcp-session-id", session).result(&json!({
            "protocolVersion": revision, "capabilities": { "tools": {} },
            "serverInfo": { "name": "a test", "version": "1" },
        }));
        let initialized = self.next_post("notifications/initialized").await;
        assert_eq!(initialized.header("mcp-session-id"), Some(session));
        initialized.status(202);
    }

    /// Takes the DELETE of the session under this id.
    ///
    /// # Panics
    ///
    /// If something else comes.
    pub async fn end_session(&mut self, session: &str) {
        let delete = self.next().await;
        assert_eq!(
            (&delete.method, delete.header("mcp-session-id")),
            (&Method::DELETE, Some(session))
        );
        delete.status(200);
    }

    /// Whether a request has come that was not taken yet.
    #[must_use]
    pub fn was_asked(&self) -> bool {
        !self.asked.is_empty()
    }
}

async fn hand_over(
    sender: mpsc::UnboundedSender<Asked>,
    request: Request<Incoming>,
    valve: ValveHandle,
) -> Result<Response<ScriptBody>, oneshot::error::RecvError> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let message = serde_json::from_slice(&body).unwrap_or_default();
    let (answer, answered) = oneshot::channel();
    let (method, headers, at) = (head.method, head.headers, Instant::now());
    // If the test has ended, so has everything that it asks of its server.
    let _ = sender.send(Asked { method, headers, message, at, answer, valve, also: Vec::new() });
    answered.await
}

impl Asked {
    /// A header's value, if it is there.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The cursor, if it is there.
    #[must_use]
    pub fn cursor(&self) -> Option<&str> {
        self.header("last-event-id")
    }

    /// The JSON-RPC method; empty without one.
    #[must_use]
    pub fn rpc(&self) -> &str {
        self.message["method"].as_str().unwrap_or_default()
    }

    /// The application's name of the tool call; empty if it is none.
    #[must_use]
    pub fn call(&self) -> &str {
        self.message["params"]["arguments"]["call"].as_str().unwrap_or_default()
    }

    /// The answer will have this header.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: &str) -> Asked {
        let value = HeaderValue::from_str(value).expect("the test gives a value");
        self.also.push((HeaderName::from_static(name), value));
        self
    }

    /// Answers with this status and nothing else.
    pub fn status(self, status: u16) {
        self.answer(status, None, ScriptBody::Whole(None));
    }

    /// Answers with one JSON-RPC result.
    pub fn result(self, result: &Value) {
        let text = json!({ "jsonrpc": "2.0", "id": self.message["id"], "result": result });
        let body = ScriptBody::Whole(Some(Bytes::from(text.to_string())));
        self.answer(200, Some(APPLICATION_JSON), body);
    }

    /// Answers with a stream of events that the test writes.
    #[must_use]
    pub fn stream(self) -> ScriptedStream {
        let (sender, pieces) = mpsc::unbounded_channel();
        let stream = ScriptedStream { pieces: sender, valve: self.valve.clone() };
        self.answer(200, Some(TEXT_EVENT_STREAM), ScriptBody::Pieces { pieces, cut: false });
        stream
    }

    fn answer(self, status: u16, content_type: Option<&'static str>, body: ScriptBody) {
        let mut response = Response::new(body);
        *response.status_mut() = StatusCode::from_u16(status).expect("the test gives a status");
        if let Some(content_type) = content_type {
            let value = HeaderValue::from_static(content_type);
            response.headers_mut().insert(http::header::CONTENT_TYPE, value);
        }
        response.headers_mut().extend(self.also);
        // If the client has left, nobody awaits the answer.
        let _ = self.answer.send(response);
    }
}

impl ScriptedStream {
    /// Sends this text.
    pub fn send(&self, text: &str) {
        self.send_bytes(text.as_bytes());
    }

    /// Sends these bytes, which may be part of a character.
    pub fn send_bytes(&self, bytes: &[u8]) {
        self.piece(Piece::Bytes(Bytes::copy_from_slice(bytes)));
    }

    /// Ends with the last chunk.
    pub fn end(self) {}

    /// Closes the connection without the last chunk.
    pub fn cut(self) {
        self.piece(Piece::Cut);
    }

    /// Resets the connection.
    pub fn reset(self) {
        self.valve.reset_on_close();
        self.piece(Piece::Cut);
    }

    /// Waits until the other side has left.
    pub async fn left(&self) {
        soon("the other side's leaving", self.pieces.closed()).await;
    }

    /// Whether the other side has left.
    #[must_use]
    pub fn is_left(&self) -> bool {
        self.pieces.is_closed()
    }

    fn piece(&self, piece: Piece) {
        // If the other side has left, nobody reads it; tests ask `is_left`.
        let _ = self.pieces.send(piece);
    }
}

impl Body for ScriptBody {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        let (pieces, cut) = match self.get_mut() {
            ScriptBody::Whole(bytes) => {
                return Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes))));
            }
            ScriptBody::Pieces { pieces, cut } => (pieces, cut),
        };
        if *cut {
            return Poll::Ready(Some(Err(std::io::ErrorKind::ConnectionAborted.into())));
        }
        match std::task::ready!(pieces.poll_recv(context)) {
            None => Poll::Ready(None),
            Some(Piece::Bytes(bytes)) => Poll::Ready(Some(Ok(Frame::data(bytes)))),
            Some(Piece::Cut) => {
                // What was sent before is written out first.
                *cut = true;
                context.waker().wake_by_ref();
                Poll::Pending
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, ScriptBody::Whole(None))
    }

    fn size_hint(&self) -> http_body::SizeHint {
        match self {
            ScriptBody::Whole(bytes) => {
                http_body::SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64)
            }
            ScriptBody::Pieces { .. } => http_body::SizeHint::default(),
        }
    }
}
