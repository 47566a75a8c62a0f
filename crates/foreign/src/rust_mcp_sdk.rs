//! The server of `rust-mcp-sdk`, as it is published, with the probe tools behind it.
//!
//! Owns the options and the way in. Streams, sessions and stored events are the SDK's own; its
//! framework-independent `McpHttpHandler` is called as its `axum` crate calls it. It must not know
//! how the server is reached.

mod handler;
mod sessions;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use rust_mcp_sdk::TransportOptions;
use rust_mcp_sdk::event_store::InMemoryEventStore;
use rust_mcp_sdk::id_generator::{FastIdGenerator, UuidGenerator};
use rust_mcp_sdk::mcp_http::{GenericBody, GenericBodyExt, McpAppState, McpHttpHandler};
use rust_mcp_sdk::schema::{
    Implementation, InitializeResult, ServerCapabilities, ServerCapabilitiesTools,
};
use rust_mcp_sdk::session_store::SessionStore;

use crate::{Probes, Process, Subject};

use sessions::Sessions;

/// What can be set on the server.
#[derive(Clone, Copy, Debug)]
pub struct ServerOptions {
    /// How many events it stores for a session, of all its streams together; none for 64, as
    /// published (`InMemoryEventStore::new`).
    pub session_events_max: Option<usize>,
    /// How often it sends a blank line on each stream, in milliseconds (`ping_interval`, by default
    /// twelve seconds). Only by that does it notice that the client of a standalone stream has
    /// left: until then it refuses every other one with 409.
    pub ping_interval_ms: u64,
}

/// The server as a subject.
pub struct RustMcpSdkServer(pub ServerOptions);

impl Subject for RustMcpSdkServer {
    fn start(&self, probes: &Probes) -> Process {
        let sessions = Arc::new(Sessions::default());
        let state = Arc::new(self.state(probes, &sessions));
        let handler = McpHttpHandler::new(Vec::new(), None);
        let service = service_fn(move |request| answer(handler.clone(), state.clone(), request));
        let counted = sessions.clone();
        Process::of_hyper(service)
            // The locks of the store are free whenever no task of the process is running.
            .counting(move || counted.keys().now_or_never().map_or(0, |keys| keys.len() as u64))
            .forgetting(move || {
                let sessions = sessions.clone();
                async move { sessions.clear().await }
            })
    }

    /// They hold a random session id and the machine's clock.
    fn has_opaque_event_ids(&self) -> bool {
        true
    }
}

impl RustMcpSdkServer {
    fn state(&self, probes: &Probes, sessions: &Arc<Sessions>) -> McpAppState {
        let options = self.0;
        McpAppState {
            session_store: sessions.clone(),
            id_generator: Arc::new(UuidGenerator {}),
            stream_id_gen: Arc::new(FastIdGenerator::new(Some("s_"))),
            server_details: Arc::new(details()),
            handler: handler::handler(probes.clone(), sessions),
            ping_interval: Duration::from_millis(options.ping_interval_ms),
            transport_options: Arc::new(TransportOptions::default()),
            enable_json_response: false,
            event_store: Some(Arc::new(InMemoryEventStore::new(options.session_events_max))),
            task_store: None,
            client_task_store: None,
            message_observer: None,
        }
    }
}

fn details() -> InitializeResult {
    InitializeResult {
        capabilities: ServerCapabilities {
            tools: Some(ServerCapabilitiesTools { list_changed: None }),
            logging: Some(serde_json::Map::new()),
            ..ServerCapabilities::default()
        },
        instructions: None,
        meta: None,
        protocol_version: "2025-11-25".to_owned(),
        server_info: Implementation {
            name: "rust-mcp-sdk".to_owned(),
            version: "1.1.0".to_owned(),
            description: None,
            icons: Vec::new(),
            title: None,
            website_url: None,
        },
    }
}

/// Answers as the SDK's `axum` crate does: every error is 500 with an empty body.
async fn answer(
    handler: McpHttpHandler,
    state: Arc<McpAppState>,
    request: Request<Incoming>,
) -> Result<Response<GenericBody>, Infallible> {
    let (parts, body) = request.into_parts();
    let Ok(body) = body.collect().await else { return Ok(failed(StatusCode::BAD_REQUEST)) };
    let body = body.to_bytes();
    let Ok(text) = str::from_utf8(&body) else { return Ok(failed(StatusCode::BAD_REQUEST)) };
    let (method, uri, headers) = (parts.method, parts.uri, parts.headers);
    let request = McpHttpHandler::create_request(method, uri, headers, Some(text));
    let answered = handler.handle_streamable_http(request, state).await;
    Ok(answered.unwrap_or_else(|_| failed(StatusCode::INTERNAL_SERVER_ERROR)))
}

fn failed(status: StatusCode) -> Response<GenericBody> {
    let mut response = Response::new(GenericBody::empty());
    *response.status_mut() = status;
    response.headers_mut().insert(http::header::CONTENT_LENGTH, HeaderValue::from_static("0"));
    response
}
