//! The server of `tower-mcp`, as it is published, with the probe tools behind it.
//!
//! Owns the options, the tools, and a layer that gives each session its side of the application.
//! The transport, its sessions and its event store are the crate's own. It must not know how the
//! server is reached.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, TryFutureExt};
use seamstress_mcp::message;
use seamstress_mcp::probe::{TOOLS, Tool as ProbeTool};
use serde_json::{Value, json};
use tower::{Layer, Service};
use tower_mcp::context::{NotificationSender, ServerNotification};
use tower_mcp::event_store::{DEFAULT_MAX_EVENTS_PER_SESSION, MemoryEventStore};
use tower_mcp::extract::{Context, Extension, RawArgs};
use tower_mcp::protocol::McpResponse;
use tower_mcp::transport::http::{HttpTransport, SessionConfig, SessionHandle};
use tower_mcp::{CallToolResult, McpRouter, RouterRequest, RouterResponse, Tool, ToolBuilder};

use crate::{
    Outlet, ProbeSession, Probes, Process, Routing, Sent, Subject, ToolCall, notification,
};

/// Longer than any run. Sessions expire by the machine's clock, which has no part in a run.
const NEVER: Duration = Duration::from_secs(86_400);

/// What can be set on the server.
///
/// How long a session lives cannot, see above; nor can its keep-alive comments, one every thirty
/// seconds.
#[derive(Clone, Copy, Debug)]
pub struct ServerOptions {
    /// How many events it stores for a session; none for a thousand, as published
    /// (`MemoryEventStore::with_capacity`).
    pub session_events_max: Option<usize>,
}

/// The server as a subject.
pub struct TowerMcpServer(pub ServerOptions);

impl Subject for TowerMcpServer {
    fn start(&self, probes: &Probes) -> Process {
        let capacity = self.0.session_events_max.unwrap_or(DEFAULT_MAX_EVENTS_PER_SESSION);
        let info = McpRouter::new().server_info("tower-mcp", "0.25.0");
        let router = TOOLS.iter().fold(info, |router, probe| router.tool(tool(probe)));
        let (app, sessions) = HttpTransport::new(router)
            .sse_responses(true)
            .require_sessions()
            .event_store(Arc::new(MemoryEventStore::with_capacity(capacity)))
            .disable_host_validation()
            .disable_origin_validation()
            .session_config(SessionConfig::with_ttl(NEVER).cleanup_interval(NEVER))
            .layer(Applications(probes.clone()))
            .into_router_at_with_handle("/mcp");
        Process::new(app).forgetting(move || forget_sessions(sessions.clone()))
    }
}

async fn forget_sessions(sessions: SessionHandle) {
    for session in sessions.list_sessions().await {
        sessions.terminate_session(&session.id).await;
    }
}

/// A probe tool; its call goes on when the client leaves, as the protocol wants it.
fn tool(probe: &'static ProbeTool) -> Tool {
    let described = serde_json::to_value(probe).unwrap_or_default();
    ToolBuilder::new(probe.name)
        .description(probe.description)
        .input_schema(described["inputSchema"].clone())
        .extractor_handler((), async move |context: Context, application, arguments| {
            let Extension(application): Extension<Application> = application;
            let RawArgs(arguments): RawArgs = arguments;
            let call = tokio::spawn(call(probe.name, context, application, arguments));
            let result = call.await.unwrap_or_else(|ended| Err(ended.to_string()));
            Ok(result.unwrap_or_else(CallToolResult::error))
        })
        .build()
}

async fn call(
    name: &str,
    context: Context,
    Application(session): Application,
    arguments: Value,
) -> Result<CallToolResult, String> {
    let call = ToolCall {
        name,
        arguments: &arguments,
        progress_token: context.progress_token().map(|token| id(&json!(token))),
        request: id(&json!(context.request_id())),
    };
    // The call's own stream carries nothing but the result.
    let result = session.call(call, &Nowhere, Routing::StandaloneOnly).await?;
    serde_json::from_value(result).map_err(|error| error.to_string())
}

/// An id or a token: a whole number or a text. The crate's types may grow, their JSON may not.
fn id(value: &Value) -> message::RequestId<'static> {
    match value.as_i64() {
        Some(number) => message::RequestId::from(number),
        None => message::RequestId::Text(value.as_str().unwrap_or_default().to_owned().into()),
    }
}

/// Gives each session its side of the application, and hands that to the tools.
struct Applications(Probes);

/// A session's side of the application. The crate keeps it with the session, and the session until
/// it is ended and no client listens to it any more.
#[derive(Clone)]
struct Application(Arc<ProbeSession>);

impl Layer<McpRouter> for Applications {
    type Service = WithApplication;

    /// Called anew for each request, with the router of its session.
    fn layer(&self, router: McpRouter) -> WithApplication {
        let application = router.session().get::<Application>().or_else(|| {
            let standalone = router.notification_sender()?.clone();
            let session = self.0.begin_session();
            session.set_standalone(Arc::new(Standalone(standalone)));
            let application = Application(session);
            router.session().insert(application.clone());
            Some(application)
        });
        WithApplication { router, application }
    }
}

#[derive(Clone)]
struct WithApplication {
    router: McpRouter,
    application: Option<Application>,
}

impl Service<RouterRequest> for WithApplication {
    type Response = RouterResponse;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<RouterResponse, Infallible>>;

    fn poll_ready(&mut self, context: &mut TaskContext<'_>) -> Poll<Result<(), Infallible>> {
        self.router.poll_ready(context)
    }

    fn call(&mut self, mut request: RouterRequest) -> Self::Future {
        let Some(application) = self.application.clone() else {
            return self.router.call(request).boxed();
        };
        let origin = application.0.origin().to_owned();
        request.extensions.insert(application);
        let answered = self.router.call(request);
        let tell_origin = move |mut response: RouterResponse| {
            if let Ok(McpResponse::Initialize(result)) = &mut response.inner {
                result.meta = Some(json!({ "seamstress/session": origin }));
            }
            response
        };
        answered.map_ok(tell_origin).boxed()
    }
}

/// The stream of a session that carries all its notifications.
struct Standalone(NotificationSender);

impl Outlet for Standalone {
    fn send(&self, notification: String) -> BoxFuture<'_, Sent> {
        Box::pin(async move {
            match read(&notification) {
                Some(notification) => match self.0.send(notification).await {
                    Ok(()) => Sent::Yes,
                    Err(_) => Sent::SessionGone,
                },
                // Texts of the probes are notifications; see the tests of `notification`.
                None => Sent::SessionGone,
            }
        })
    }
}

fn read(text: &str) -> Option<ServerNotification> {
    notification::read(text, ServerNotification::Progress, ServerNotification::LogMessage)
}

/// The stream of a call: nothing but its result can be sent on it.
struct Nowhere;

impl Outlet for Nowhere {
    fn send(&self, _notification: String) -> BoxFuture<'_, Sent> {
        Box::pin(async { Sent::SessionGone })
    }
}
