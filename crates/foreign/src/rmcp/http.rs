//! The simulated network as an HTTP client of `rmcp`.
//!
//! Owns the SDK's trait for HTTP clients, carried out over the client's recorded wire with the
//! decisions that the SDK's own `reqwest` client makes: which status is which error, what counts
//! as an answer. It must not wait, retry or give up on its own.

use std::sync::Arc;
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
use seamstress_net::Network;
use seamstress_trace::{End, Method};
use sse_stream::Sse;

use super::observed::Observed;

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
