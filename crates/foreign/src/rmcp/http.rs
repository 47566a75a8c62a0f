//! The simulated network as an HTTP client of `rmcp`, and what is observed on it.
//!
//! Owns the SDK's trait for HTTP clients, carried out over the client's recorded wire with the
//! decisions that the SDK's own `reqwest` client makes: which status is which error, what counts
//! as an answer. It also owns finding out which stream a request belongs to, since the SDK does
//! not say. It must not wait, retry or give up on its own.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use http::{HeaderName, HeaderValue, Response, StatusCode, header};
use hyper::body::Incoming;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use seamstress_client::wire::{self, Ask, Events, Exchange, Wire};
use seamstress_mcp::headers::{self, name};
use seamstress_mcp::message::{InitializeResult, method};
use seamstress_mcp::probe;
use seamstress_net::Network;
use seamstress_trace::{Content, End, Host, Message, Method, Recorder, What};
use serde_json::Value;
use sse_stream::Sse;

/// The client's name of its standalone stream.
const STANDALONE: &str = "standalone";
/// The SDK has no idle limit: this one is never reached.
const NEVER: Duration = Duration::from_secs(86_400);

/// See the file's head.
#[derive(Clone)]
pub(crate) struct Http<N: Network> {
    wire: Wire<N>,
    observed: Observed,
}

/// No response head came, or not a usable one.
#[derive(Debug)]
pub(crate) struct NoResponse(String);

impl std::fmt::Display for NoResponse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoResponse {}

type Failure = StreamableHttpError<NoResponse>;
type SseEvents = BoxStream<'static, Result<Sse, SseError>>;
#[expect(clippy::disallowed_types, reason = "the SDK's trait asks for it; it is only looked up in")]
type CustomHeaders = std::collections::HashMap<HeaderName, HeaderValue>;

impl<N: Network> Http<N> {
    pub fn new(wire: Wire<N>, observed: Observed) -> Http<N> {
        Http { wire, observed }
    }

    async fn ask(&self, ask: Ask<'_>) -> Result<(Exchange, Response<Incoming>), Failure> {
        let answered = self.wire.send(&ask).await;
        answered.ok_or_else(|| failure("no response came"))
    }

    /// The events of a response, as the SDK wants them.
    fn events(&self, exchange: Exchange, response: Response<Incoming>, label: String) -> SseEvents {
        let events = exchange.events(response, NEVER);
        let reading = Reading { events, label, observed: self.observed.clone() };
        let next = |reading: Option<Reading>| async {
            let mut reading = reading?;
            match reading.next().await {
                Ok(block) => Some((Ok(block), Some(reading))),
                Err(End::Clean) => None,
                Err(end) => {
                    let error = NoResponse(format!("the connection ended: {end:?}"));
                    Some((Err(SseError::Body(Box::new(error))), None))
                }
            }
        };
        stream::unfold(Some(reading), next).boxed()
    }
}

fn failure(say: impl Into<String>) -> Failure {
    StreamableHttpError::Client(NoResponse(say.into()))
}

fn version(headers: &CustomHeaders) -> Option<&str> {
    headers.get(&name::MCP_PROTOCOL_VERSION).and_then(|value| value.to_str().ok())
}

fn is_json(response: &Response<Incoming>) -> bool {
    let value = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.is_some_and(|value| headers::content_type_is(value, headers::APPLICATION_JSON))
}

impl<N: Network> StreamableHttpClient for Http<N> {
    type Error = NoResponse;

    async fn post_message(
        &self,
        _uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _auth_header: Option<String>,
        headers: CustomHeaders,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let text = serde_json::to_string(&message)?;
        let asked = self.observed.asked(&self.wire, &text);
        let ask = Ask {
            method: Method::Post,
            session: session.as_deref(),
            protocol_version: version(&headers),
            cursor: None,
            stream: asked.label.as_deref(),
            message: Some((&asked.rpc, asked.id.as_deref(), &text)),
        };
        let (exchange, response) = self.ask(ask).await?;
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            exchange.end(End::Clean);
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && session.is_some() {
            exchange.end(End::Clean);
            return Err(StreamableHttpError::SessionExpired);
        }
        let id = wire::session_header(&response).map(str::to_owned);
        self.observed.session_is(id.as_deref(), &asked.rpc);
        if status.is_success() && wire::is_event_stream(&response) {
            let label = asked.label.unwrap_or(asked.rpc);
            return Ok(StreamableHttpPostResponse::Sse(self.events(exchange, response, label), id));
        }
        let is_json = is_json(&response);
        let body = exchange.whole(response, NEVER).await;
        let body = body.ok_or_else(|| failure("the response was cut off"))?;
        let read = serde_json::from_slice::<ServerJsonRpcMessage>(&body);
        match read {
            Ok(message) if is_json && (status.is_success() || is_error(&message)) => {
                self.observed.answered(&String::from_utf8_lossy(&body));
                Ok(StreamableHttpPostResponse::Json(message, id))
            }
            _ if status.is_success() && asked.id.is_none() => {
                Ok(StreamableHttpPostResponse::Accepted)
            }
            _ => Err(failure(format!("HTTP {status}"))),
        }
    }

    async fn delete_session(
        &self,
        _uri: Arc<str>,
        session: Arc<str>,
        _auth_header: Option<String>,
        headers: CustomHeaders,
    ) -> Result<(), Failure> {
        let ask = Ask {
            method: Method::Delete,
            session: Some(&session),
            protocol_version: version(&headers),
            cursor: None,
            stream: None,
            message: None,
        };
        let (exchange, response) = self.ask(ask).await?;
        exchange.end(End::Clean);
        match response.status() {
            StatusCode::METHOD_NOT_ALLOWED => Ok(()),
            status if status.is_success() => Ok(()),
            status => Err(failure(format!("HTTP {status}"))),
        }
    }

    async fn get_stream(
        &self,
        _uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event_id: Option<String>,
        _auth_header: Option<String>,
        headers: CustomHeaders,
    ) -> Result<SseEvents, Failure> {
        let label = self.observed.stream_of(last_event_id.as_deref());
        let ask = Ask {
            method: Method::Get,
            session: session.as_deref(),
            protocol_version: version(&headers),
            cursor: last_event_id.as_deref(),
            stream: Some(&label),
            message: None,
        };
        let (exchange, response) = self.ask(ask).await?;
        let status = response.status();
        if status == StatusCode::METHOD_NOT_ALLOWED {
            exchange.end(End::Clean);
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        if !status.is_success() {
            exchange.end(End::Clean);
            return Err(failure(format!("HTTP {status}")));
        }
        if !wire::is_event_stream(&response) && !is_json(&response) {
            exchange.end(End::Clean);
            return Err(StreamableHttpError::UnexpectedContentType(None));
        }
        Ok(self.events(exchange, response, label))
    }
}

fn is_error(message: &ServerJsonRpcMessage) -> bool {
    matches!(message, ServerJsonRpcMessage::Error(_))
}

/// A stream of events on its way to the SDK.
struct Reading {
    events: Events,
    label: String,
    observed: Observed,
}

impl Reading {
    async fn next(&mut self) -> Result<Sse, End> {
        let event = match self.events.next().await {
            Ok(event) => event,
            Err(end) => {
                self.observed.ended(&self.label);
                return Err(end);
            }
        };
        let exchange = self.events.number();
        self.observed.arrived(exchange, &self.label, event.id.as_deref(), event.message);
        if let Some(data) = &event.data {
            self.observed.answered(data);
        }
        let (id, retry) = (event.id, event.retry_ms);
        Ok(Sse { event: event.kind, data: event.data, id, retry })
    }
}

/// What is known from looking at the wire.
#[derive(Clone)]
pub(crate) struct Observed {
    recorder: Recorder,
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    /// The operation that made a request, by its JSON-RPC id.
    operations: BTreeMap<String, String>,
    /// The last event id of each stream, and whether its connection has ended; oldest first.
    cursors: Vec<Cursor>,
    /// Messages that the SDK has been given and has not yet handed over.
    under_way: VecDeque<Arrived>,
    /// An `initialize` awaits its answer, which comes with this session id.
    beginning: Option<Option<String>>,
    promised: u64,
    notifications: u64,
}

struct Cursor {
    label: String,
    id: Option<String>,
    has_ended: bool,
}

struct Arrived {
    exchange: u64,
    label: String,
    message: Message,
}

/// What a POST asks for.
pub(crate) struct Asked {
    rpc: String,
    id: Option<String>,
    label: Option<String>,
}

impl Observed {
    pub fn new(recorder: Recorder) -> Observed {
        Observed { recorder, inner: Arc::default() }
    }

    /// A POST goes out. The SDK gives progress tokens of its own; they are noted as names of calls.
    fn asked<N: Network>(&self, wire: &Wire<N>, text: &str) -> Asked {
        let message: Value = serde_json::from_str(text).unwrap_or_default();
        let words = |value: &Value| match value {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        };
        let rpc = words(&message["method"]).unwrap_or_default();
        let id = words(&message["id"]);
        let params = &message["params"];
        let call = params["arguments"]["call"].as_str();
        // Requests that are no calls are streams too, if the server answers them with one.
        let label = match (call, &id) {
            (Some(call), _) => Some(call.to_owned()),
            (None, Some(id)) if rpc != method::INITIALIZE => Some(format!("{rpc}-{id}")),
            _ => None,
        };
        if let (Some(call), Some(token)) = (call, words(&params["_meta"]["progressToken"])) {
            wire.name_token(&token, call);
        }
        if let (Some(id), Some(label)) = (&id, &label) {
            self.lock().operations.insert(id.clone(), label.clone());
        }
        Asked { rpc, id, label }
    }

    fn session_is(&self, id: Option<&str>, rpc: &str) {
        if rpc == method::INITIALIZE {
            self.lock().beginning = Some(id.map(str::to_owned));
        }
    }

    /// A message came that may be the answer to `initialize`.
    fn answered(&self, text: &str) {
        if self.lock().beginning.is_none() {
            return;
        }
        let message: Value = serde_json::from_str(text).unwrap_or_default();
        let result = message["result"].to_string();
        let Ok(result) = serde_json::from_str::<InitializeResult<'_>>(&result) else { return };
        let Some(session) = self.lock().beginning.take() else { return };
        let record = What::SessionBegin {
            session: session.map(|id| self.recorder.session_name(&id)),
            origin: result.meta.and_then(|meta| meta.session),
        };
        self.recorder.record(Host::Client, record);
    }

    /// An event was given to the SDK.
    fn arrived(&self, exchange: u64, label: &str, id: Option<&str>, message: Option<Message>) {
        let mut inner = self.lock();
        let cursor = inner.cursor(label);
        cursor.has_ended = false;
        if let Some(id) = id {
            cursor.id = Some(id.to_owned());
        }
        if let Some(message) = message {
            inner.under_way.push_back(Arrived { exchange, label: label.to_owned(), message });
        }
    }

    fn ended(&self, label: &str) {
        self.lock().cursor(label).has_ended = true;
    }

    /// Whose cursor this is: that of the stream whose connection has ended and which stands there.
    fn stream_of(&self, cursor: Option<&str>) -> String {
        let Some(cursor) = cursor else { return STANDALONE.to_owned() };
        let inner = self.lock();
        let stands_there = |known: &&Cursor| known.id.as_deref() == Some(cursor);
        let ended = inner.cursors.iter().find(|known| stands_there(known) && known.has_ended);
        let found = ended.or_else(|| inner.cursors.iter().find(stands_there));
        found.map_or_else(|| STANDALONE.to_owned(), |known| known.label.clone())
    }

    /// The SDK's transport hands a message to the service.
    pub fn handed_over(&self, text: &str) {
        let Ok(read) = probe::read(text) else { return };
        let mut inner = self.lock();
        let is_it = |arrived: &Arrived| {
            let mark = arrived.message.mark.as_ref();
            mark.map(|mark| (&*mark.origin, &*mark.stream, mark.ordinal))
                == read.mark.as_ref().map(|mark| (&*mark.origin, &*mark.stream, mark.ordinal))
                && is_same_kind(&arrived.message.content, &read.probe)
        };
        let Some(place) = inner.under_way.iter().position(is_it) else { return };
        let Some(Arrived { exchange, label, message }) = inner.under_way.remove(place) else {
            return;
        };
        let to = match &message.content {
            Content::Progress { call, .. } => Some(call.clone()),
            Content::Result { request, .. } | Content::Error { request: Some(request), .. } => {
                inner.operations.get(request).cloned()
            }
            Content::Error { request: None, .. } | Content::Other { .. } => None,
            Content::Notification => {
                inner.notifications += 1;
                Some(label)
            }
        };
        drop(inner);
        if let Some(to) = to {
            self.recorder.record(Host::Client, What::Deliver { exchange, to, message });
        }
    }

    /// A call's result has named so many notifications.
    pub fn promise_notifications(&self, count: u64) {
        self.lock().promised += count;
    }

    pub fn are_promises_kept(&self) -> bool {
        let inner = self.lock();
        inner.notifications >= inner.promised
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing that can panic happens under this lock.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn cursor(&mut self, label: &str) -> &mut Cursor {
        let place = self.cursors.iter().position(|known| known.label == label);
        let place = place.unwrap_or_else(|| {
            let label = label.to_owned();
            self.cursors.push(Cursor { label, id: None, has_ended: false });
            self.cursors.len() - 1
        });
        &mut self.cursors[place]
    }
}

fn is_same_kind(content: &Content, read: &probe::Probe<'_>) -> bool {
    use probe::Probe;
    match (content, read) {
        (Content::Progress { progress, .. }, Probe::Progress { progress: read, .. }) => {
            progress == read
        }
        (Content::Result { request, .. }, Probe::Result { id, .. }) => *request == id.to_string(),
        (Content::Error { request, .. }, Probe::Error { id, .. }) => {
            *request == id.as_ref().map(ToString::to_string)
        }
        (Content::Notification, Probe::Announcement) => true,
        _ => false,
    }
}
