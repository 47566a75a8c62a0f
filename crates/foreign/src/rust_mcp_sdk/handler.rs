//! The probe tools as a handler of the SDK.
//!
//! Owns what the application does with a request, and on which stream it sends: the SDK sends a
//! notification on the stream of the request whose task sends it, and on the standalone stream
//! from any other task. It must not know what a probe tool does.

use std::sync::{Arc, Weak};

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use rust_mcp_sdk::error::SdkResult;
use rust_mcp_sdk::mcp_server::{
    McpServerHandler, ServerHandler, ToMcpServerHandler, enforce_compatible_protocol_version,
};
use rust_mcp_sdk::schema::schema_utils::{
    CallToolError, ClientJsonrpcNotification, ClientJsonrpcRequest, NotificationFromServer,
    ResultFromServer,
};
use rust_mcp_sdk::schema::{
    CallToolRequestParams, CallToolResult, InitializeRequestParams, InitializeResult,
    ListToolsResult, PaginatedRequestParams, ProgressToken, RequestId, RpcError,
};
use rust_mcp_sdk::session_store::SessionStore;
use rust_mcp_sdk::{McpServer, SessionId};
use seamstress_mcp::message;
use seamstress_mcp::probe;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::sessions::Sessions;
use crate::{Outlet, ProbeSession, Probes, Routing, Sent, ToolCall, notification};

/// What a request in a session that is over is told.
const OVER: &str = "the session is over";

tokio::task_local! {
    /// The request that is being handled: the SDK keeps its id to itself.
    static REQUEST: RequestId;
}

/// The handler of all sessions of a process.
pub(super) fn handler(probes: Probes, sessions: &Arc<Sessions>) -> Arc<dyn McpServerHandler> {
    let sessions = Arc::downgrade(sessions);
    Arc::new(Noting(Application { probes, sessions }.to_mcp_server_handler()))
}

/// Notes the id of each request, and leaves the rest to the SDK.
struct Noting(Arc<dyn McpServerHandler>);

#[async_trait]
impl McpServerHandler for Noting {
    async fn handle_request(
        &self,
        request: ClientJsonrpcRequest,
        runtime: Arc<dyn McpServer>,
    ) -> Result<ResultFromServer, RpcError> {
        let id = request.request_id().clone();
        REQUEST.scope(id, self.0.handle_request(request, runtime)).await
    }

    async fn handle_error(&self, error: &RpcError, runtime: Arc<dyn McpServer>) -> SdkResult<()> {
        self.0.handle_error(error, runtime).await
    }

    async fn handle_notification(
        &self,
        notification: ClientJsonrpcNotification,
        runtime: Arc<dyn McpServer>,
    ) -> SdkResult<()> {
        self.0.handle_notification(notification, runtime).await
    }
}

struct Application {
    probes: Probes,
    /// They hold this, by way of what the SDK has of a session.
    sessions: Weak<Sessions>,
}

impl Application {
    /// Begins the application's side of a session.
    fn begin(&self, runtime: Arc<dyn McpServer>) -> Option<Arc<ProbeSession>> {
        let id = runtime.session_id()?;
        let application = self.probes.begin_session();
        self.sessions.upgrade()?.begin(id.clone(), application.clone());
        let sessions = self.sessions.clone();
        application.set_standalone(Arc::new(Standalone { runtime, sessions, id }));
        Some(application)
    }

    fn of(&self, runtime: &Arc<dyn McpServer>) -> Option<Arc<ProbeSession>> {
        self.sessions.upgrade()?.application(&runtime.session_id()?)
    }
}

#[async_trait]
impl ServerHandler for Application {
    /// As the SDK does it, with the session's name added.
    async fn handle_initialize_request(
        &self,
        params: InitializeRequestParams,
        runtime: Arc<dyn McpServer>,
    ) -> Result<InitializeResult, RpcError> {
        let mut result = runtime.server_info().to_owned();
        let (asked, offered) = (&params.protocol_version, &result.protocol_version);
        let version = enforce_compatible_protocol_version(asked, offered).map_err(internal)?;
        if let Some(version) = version {
            result.protocol_version = version;
        }
        runtime.set_client_details(params).await.map_err(internal)?;
        let application = self.begin(runtime).ok_or_else(|| internal(OVER))?;
        let origin = Value::from(application.origin());
        result.meta = Some([("seamstress/session".to_owned(), origin)].into_iter().collect());
        Ok(result)
    }

    async fn handle_list_tools_request(
        &self,
        _params: Option<PaginatedRequestParams>,
        _runtime: Arc<dyn McpServer>,
    ) -> Result<ListToolsResult, RpcError> {
        let list = serde_json::to_value(probe::tools_list()).map_err(internal)?;
        from_value(list).map_err(internal)
    }

    async fn handle_call_tool_request(
        &self,
        params: CallToolRequestParams,
        runtime: Arc<dyn McpServer>,
    ) -> Result<CallToolResult, CallToolError> {
        let session = self.of(&runtime).ok_or_else(|| CallToolError::from_message(OVER))?;
        let arguments = params.arguments.map_or_else(|| json!({}), Value::Object);
        let progress_token = params.meta.and_then(|meta| meta.progress_token);
        let request = REQUEST.try_with(id).map_err(CallToolError::new)?;
        let call = ToolCall {
            name: &params.name,
            arguments: &arguments,
            progress_token: progress_token.map(|token| match token {
                ProgressToken::Integer(number) => message::RequestId::from(number),
                ProgressToken::String(text) => message::RequestId::Text(text.into()),
            }),
            request,
        };
        let result = session.call(call, &Own(runtime), Routing::ByApplication).await;
        let result = result.map_err(CallToolError::from_message)?;
        from_value(result).map_err(CallToolError::new)
    }
}

fn id(id: &RequestId) -> message::RequestId<'static> {
    match id {
        RequestId::Integer(number) => message::RequestId::from(*number),
        RequestId::String(text) => message::RequestId::Text(text.clone().into()),
    }
}

fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, serde_json::Error> {
    serde_json::from_value(value)
}

fn internal(error: impl ToString) -> RpcError {
    RpcError::internal_error().with_message(error.to_string())
}

fn read(text: &str) -> Option<NotificationFromServer> {
    notification::read(
        text,
        NotificationFromServer::ProgressNotification,
        NotificationFromServer::LoggingMessageNotification,
    )
}

/// The stream of the request that is being handled, from within its task.
struct Own(Arc<dyn McpServer>);

impl Outlet for Own {
    fn send(&self, notification: String) -> BoxFuture<'_, Sent> {
        Box::pin(async move {
            let Some(notification) = read(&notification) else { return Sent::SessionGone };
            // An error says that the client of this stream has left; the event is stored, and the
            // call goes on.
            let _ = self.0.send_notification(notification).await;
            Sent::Yes
        })
    }
}

/// The standalone stream of a session.
struct Standalone {
    runtime: Arc<dyn McpServer>,
    sessions: Weak<Sessions>,
    id: SessionId,
}

impl Standalone {
    async fn is_in_use(&self) -> bool {
        match self.sessions.upgrade() {
            Some(sessions) => sessions.has(&self.id).await,
            None => false,
        }
    }
}

impl Outlet for Standalone {
    fn send(&self, notification: String) -> BoxFuture<'_, Sent> {
        Box::pin(async move {
            let Some(notification) = read(&notification) else { return Sent::SessionGone };
            let runtime = self.runtime.clone();
            // In a task of its own, lest it goes out on the stream of a request; also where there
            // is none, so that all of them go out in order.
            let sending = async move { runtime.send_notification(notification).await };
            let sent = tokio::spawn(sending).await;
            // An error may also say that no client has listened yet, or that it has left.
            let is_sent = matches!(sent, Ok(Ok(())));
            if is_sent || self.is_in_use().await { Sent::Yes } else { Sent::SessionGone }
        })
    }
}
