//! The accept loop, and what every request passes before its method is looked at.
//!
//! Owns connections and the checks of `basic/transports`: `Origin`, `Accept`, the protocol
//! version, the session. It must not know streams; GET and POST are answered elsewhere.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use seamstress_mcp::Revision;
use seamstress_mcp::headers::{self, name};
use seamstress_mcp::message::{self, RequestId, code};
use seamstress_net::{Listener, Network};
use seamstress_trace::SessionState;
use tokio::time::sleep;

use crate::body::{EventBody, ResponseBody};
use crate::defects::Defect;
use crate::session::Attached;
use crate::store::Store;

/// The port that the server listens on.
const PORT: u16 = 80;

/// One process of the server: one replica.
pub struct Server<N: Network> {
    network: N,
    store: Store,
    replica: usize,
}

/// What the handlers share.
pub(crate) struct Context {
    pub store: Store,
    pub replica: usize,
}

impl<N: Network> Server<N> {
    /// The process of replica number `replica` (from 0) over the sessions of `store`.
    pub fn new(network: N, store: Store, replica: usize) -> Server<N> {
        Server { network, store, replica }
    }

    /// Serves until it is dropped.
    ///
    /// # Errors
    ///
    /// What the network says when it cannot listen or accept.
    pub async fn serve(self) -> std::io::Result<()> {
        self.store.recover(self.replica);
        let context = Arc::new(Context { store: self.store, replica: self.replica });
        tokio::spawn(end_idle_sessions(context.clone()));
        let mut listener = self.network.listen(PORT).await?;
        loop {
            let socket = listener.accept().await?;
            let context = context.clone();
            tokio::spawn(async move {
                let service = service_fn(|request| {
                    let context = context.clone();
                    async move { Ok::<_, Infallible>(answer(&context, request).await) }
                });
                // An error here is a client that left, which the body's drop has already told.
                let _ = hyper::server::conn::http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(None)
                    .auto_date_header(false)
                    .serve_connection(TokioIo::new(socket), service)
                    .await;
            });
        }
    }
}

async fn end_idle_sessions(context: Arc<Context>) {
    let every = Duration::from_millis((context.store.options.session_idle_ms / 2).max(1));
    loop {
        sleep(every).await;
        context.store.end_idle_sessions(context.replica);
    }
}

async fn answer(context: &Arc<Context>, request: Request<Incoming>) -> Response<ResponseBody> {
    if let Some(origin) = text(request.headers(), &header::ORIGIN)
        && !headers::origin_is_local(origin)
    {
        return refuse(StatusCode::FORBIDDEN, code::BAD_REQUEST, "the Origin is not a local one");
    }
    let accept = text(request.headers(), &header::ACCEPT).unwrap_or_default();
    let method = request.method().clone();
    let acceptable = match method {
        Method::POST => headers::post_accept_is_valid(accept),
        Method::GET => headers::get_accept_is_valid(accept),
        _ => true,
    };
    if !acceptable {
        let say = "Accept must list text/event-stream, and application/json too on a POST";
        return refuse(StatusCode::NOT_ACCEPTABLE, code::BAD_REQUEST, say);
    }
    if let Some(version) = text(request.headers(), &name::MCP_PROTOCOL_VERSION)
        && version.parse::<Revision>().is_err()
    {
        let say = "MCP-Protocol-Version is not a revision that this server speaks";
        return refuse(StatusCode::BAD_REQUEST, code::BAD_REQUEST, say);
    }
    match method {
        Method::POST => crate::post::answer(context, request).await,
        Method::GET => crate::get::answer(context, request.headers()),
        Method::DELETE => delete(context, request.headers()),
        _ => method_not_allowed(),
    }
}

/// 405, which must name what is allowed (RFC 9110, section 15.5.6).
fn method_not_allowed() -> Response<ResponseBody> {
    let say = "use GET, POST or DELETE";
    let mut response = refuse(StatusCode::METHOD_NOT_ALLOWED, code::BAD_REQUEST, say);
    let allowed = HeaderValue::from_static("GET, POST, DELETE");
    response.headers_mut().insert(header::ALLOW, allowed);
    response
}

fn delete(context: &Context, headers: &HeaderMap) -> Response<ResponseBody> {
    let session = match live_session(context, headers) {
        Ok(session) => session,
        Err(refusal) => return *refusal,
    };
    context.store.end_session(context.replica, session, "deleted");
    whole(StatusCode::OK, None)
}

/// The session that a request names; otherwise the answer that is due.
pub(crate) fn named_session(headers: &HeaderMap) -> Result<&str, Box<Response<ResponseBody>>> {
    text(headers, &name::MCP_SESSION_ID).ok_or_else(|| {
        let say = "Mcp-Session-Id is missing; begin with initialize";
        Box::new(refuse(StatusCode::BAD_REQUEST, code::BAD_REQUEST, say))
    })
}

/// The session that a request names, if it is alive; otherwise the answer that is due.
pub(crate) fn live_session<'a>(
    context: &Context,
    headers: &'a HeaderMap,
) -> Result<&'a str, Box<Response<ResponseBody>>> {
    let session = named_session(headers)?;
    match context.store.touch(session) {
        SessionState::Live => Ok(session),
        SessionState::Unknown | SessionState::Expired => Err(Box::new(no_session(context))),
    }
}

/// 404: the session is gone.
pub(crate) fn no_session(context: &Context) -> Response<ResponseBody> {
    let say = "there is no such session; initialize again";
    let is_400 = context.store.options.defects.has(Defect::UnknownSessionIs400);
    let status = if is_400 { StatusCode::BAD_REQUEST } else { StatusCode::NOT_FOUND };
    refuse(status, code::SESSION_NOT_FOUND, say)
}

/// A header's value as text, if it is there and is text.
pub(crate) fn text<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The client's number of the exchange, if it says.
pub(crate) fn exchange(headers: &HeaderMap) -> Option<u64> {
    headers
        .get(name::EXCHANGE)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.parse().ok())
}

/// A response with no body or one message.
pub(crate) fn whole(status: StatusCode, message: Option<String>) -> Response<ResponseBody> {
    let is_message = message.is_some();
    let mut response = Response::new(ResponseBody::Whole(message.map(Bytes::from)));
    *response.status_mut() = status;
    if is_message {
        let json = HeaderValue::from_static(headers::APPLICATION_JSON);
        response.headers_mut().insert(header::CONTENT_TYPE, json);
    }
    response
}

/// A response that carries a JSON-RPC error for no request in particular.
pub(crate) fn refuse(status: StatusCode, code: i64, say: &str) -> Response<ResponseBody> {
    refuse_with(status, None, code, say, &())
}

/// A response that carries a JSON-RPC error.
pub(crate) fn refuse_with(
    status: StatusCode,
    id: Option<&RequestId<'_>>,
    code: i64,
    say: &str,
    data: &impl serde::Serialize,
) -> Response<ResponseBody> {
    whole(status, message::error(id, code, say, data).ok())
}

/// A response that carries events.
pub(crate) fn events(
    context: &Context,
    session: &str,
    attached: Attached,
) -> Response<ResponseBody> {
    let body = EventBody::new(attached, &context.store, session);
    let mut response = Response::new(ResponseBody::Events(Box::new(body)));
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static(seamstress_mcp::headers::TEXT_EVENT_STREAM),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
