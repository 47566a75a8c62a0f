//! The server of `rmcp`: its `StreamableHttpService` with the probe tools behind it.
//!
//! Owns the options and the handler. The service, its session manager and its event cache are the
//! SDK's own. It must not know how the service is reached.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::BoxFuture;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, InitializeRequestParams,
    InitializeResult, JsonRpcMessage, ListToolsResult, NumberOrString, PaginatedRequestParams,
    ServerCapabilities, ServerJsonRpcMessage, ServerNotification,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData as McpError, ServerHandler};
use seamstress_mcp::message::RequestId;
use seamstress_mcp::probe;
use serde_json::Value;

use crate::{Outlet, ProbeSession, Probes, Process, Routing, Sent, Subject, ToolCall};

/// What can be set on the server.
///
/// Its keep-alive comments cannot: their timer mixes the machine's clock into simulated time, and
/// fires without end. They are always off.
#[derive(Clone, Copy, Debug)]
pub struct ServerOptions {
    /// How many events each stream caches (`SessionConfig::channel_capacity`).
    pub channel_capacity: usize,
    /// After how long without traffic a session ends, in milliseconds
    /// (`SessionConfig::keep_alive`).
    pub session_keep_alive_ms: u64,
    /// The reconnection time in priming events, in milliseconds; none for no priming events
    /// (`sse_retry`).
    pub retry_ms: Option<u64>,
    /// Whether there are sessions (`legacy_session_mode`).
    pub stateful: bool,
}

/// The server as a subject.
pub struct RmcpServer(pub ServerOptions);

impl Subject for RmcpServer {
    fn start(&self, probes: &Probes) -> Process {
        let options = self.0;
        let retry = options.retry_ms.map(Duration::from_millis);
        let mut manager = LocalSessionManager::default();
        manager.session_config.channel_capacity = options.channel_capacity;
        manager.session_config.keep_alive =
            Some(Duration::from_millis(options.session_keep_alive_ms));
        manager.session_config.sse_retry = retry;
        let manager = Arc::new(manager);
        let mut config = StreamableHttpServerConfig::default();
        config.sse_keep_alive = None;
        config.sse_retry = retry;
        config.legacy_session_mode = options.stateful;
        let probes = probes.clone();
        let make = move || Ok(Handler { probes: probes.clone(), session: OnceLock::new() });
        let service = StreamableHttpService::new(make, manager.clone(), config);
        let counted = manager.clone();
        Process::new(service)
            .counting(move || counted.sessions.try_read().map_or(0, |held| held.len() as u64))
            .forgetting(move || forget_sessions(manager.clone()))
    }
}

async fn forget_sessions(manager: Arc<LocalSessionManager>) {
    let mut ids: Vec<_> = manager.sessions.read().await.keys().cloned().collect();
    ids.sort();
    for id in ids {
        // A session that cannot be closed is gone already.
        let _ = manager.close_session(&id).await;
    }
}

/// One session's handler; the SDK makes one for each `initialize`.
struct Handler {
    probes: Probes,
    session: OnceLock<Arc<ProbeSession>>,
}

impl Handler {
    fn session(&self) -> &Arc<ProbeSession> {
        self.session.get_or_init(|| self.probes.begin_session())
    }
}

impl ServerHandler for Handler {
    #[expect(deprecated, reason = "the revisions with sessions have it")]
    fn get_info(&self) -> InitializeResult {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_logging().build();
        InitializeResult::new(capabilities)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, McpError> {
        context.peer.set_peer_info(request.clone());
        self.session().set_standalone(Arc::new(ToPeer(context.peer)));
        let mut result = self.negotiate_initialize(&request)?;
        let meta = serde_json::json!({ "seamstress/session": self.session().origin() });
        result.meta = serde_json::from_value(meta).ok();
        Ok(result)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, McpError> {
        from_value(serde_json::to_value(probe::tools_list()).map_err(internal)?)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, McpError> {
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let progress_token = context.meta.get_progress_token();
        let call = ToolCall {
            name: &request.name,
            arguments: &arguments,
            progress_token: progress_token.map(|token| id(token.0)),
            request: id(context.id.clone()),
        };
        let own = ToPeer(context.peer);
        let result = self.session().call(call, &own, Routing::ByToken).await;
        let result = result.map_err(|say| ErrorData::invalid_params(say, None))?;
        Ok(from_value::<CallToolResult>(result)?.into())
    }
}

fn id(id: NumberOrString) -> RequestId<'static> {
    match id {
        NumberOrString::Number(number) => RequestId::from(number),
        NumberOrString::String(text) => RequestId::Text(text.to_string().into()),
    }
}

fn from_value<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, McpError> {
    serde_json::from_value(value).map_err(internal)
}

fn internal(error: serde_json::Error) -> McpError {
    ErrorData::internal_error(error.to_string(), None)
}

/// Notifications to the other side of a session. The SDK chooses the stream: progress goes to the
/// stream of the request with its token, the rest to the standalone one.
struct ToPeer(Peer<RoleServer>);

impl Outlet for ToPeer {
    fn send(&self, notification: String) -> BoxFuture<'_, Sent> {
        Box::pin(async move {
            match read(&notification) {
                Some(notification) => match self.0.send_notification(notification).await {
                    Ok(()) => Sent::Yes,
                    Err(_) => Sent::SessionGone,
                },
                // Texts of the probes are notifications; see the test below.
                None => Sent::SessionGone,
            }
        })
    }
}

fn read(notification: &str) -> Option<ServerNotification> {
    match serde_json::from_str(notification) {
        Ok::<ServerJsonRpcMessage, _>(JsonRpcMessage::Notification(read)) => {
            Some(read.notification)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use seamstress_mcp::message::ProgressToken;
    use seamstress_mcp::probe::{Mark, announcement_text, progress_text};

    use super::*;

    /// The notification as the SDK writes it after it has read it.
    fn written_again(text: &str) -> String {
        let read = read(text).expect("the SDK knows it");
        serde_json::to_string(&ServerJsonRpcMessage::notification(read)).expect("JSON")
    }

    #[test]
    fn the_notifications_of_the_probes_are_ones_that_the_sdk_knows_and_keep_their_marks() {
        let mark = Mark::new("s1", "c1", 3);
        for token in [ProgressToken::from("t1"), ProgressToken::from(7)] {
            let text = progress_text(&mark, &token, 2, 9);
            let known = matches!(read(&text), Some(ServerNotification::ProgressNotification(_)));
            assert!(known, "{text}");
            let again = written_again(&text);
            assert_eq!(probe::read(&again), probe::read(&text));
            assert_eq!(probe::read(&again).expect("a probe").mark, Some(mark.clone()));
        }
        let text = announcement_text(&mark);
        let known = matches!(read(&text), Some(ServerNotification::LoggingMessageNotification(_)));
        assert!(known, "{text}");
        let again = written_again(&text);
        assert_eq!(probe::read(&again), probe::read(&text));
        assert_eq!(probe::read(&again).expect("a probe").mark, Some(mark));
    }

    #[test]
    fn what_is_no_notification_is_not_sent_as_one() {
        let response = probe::result_text(&Mark::new("s1", "c1", 1), &RequestId::from(1), "c1", 0);
        assert!(read(&response).is_none());
        assert!(read("{}").is_none());
    }
}
