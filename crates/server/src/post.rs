//! POST: one JSON-RPC message.
//!
//! Owns which message is answered how: with one body of JSON, with 202, or with a stream. It must
//! not know what a tool does.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use seamstress_mcp::Revision;
use seamstress_mcp::headers::{self, name};
use seamstress_mcp::message::{
    self, Empty, Implementation, InitializeParams, InitializeResult, Message, RequestId,
    ServerCapabilities, SessionMeta, code, method,
};
use seamstress_mcp::probe;

use crate::body::ResponseBody;
use crate::http::{Context, events, live_session, no_session, refuse, refuse_with, text, whole};
use crate::tools::{self, Tool};

/// The longest body that is read.
const BODY_BYTES_MAX: usize = 1 << 20;

/// Answers a POST.
pub(crate) async fn answer(
    context: &Arc<Context>,
    request: Request<Incoming>,
) -> Response<ResponseBody> {
    let (head, body) = request.into_parts();
    let is_json = text(&head.headers, &header::CONTENT_TYPE)
        .is_some_and(|value| headers::content_type_is(value, headers::APPLICATION_JSON));
    if !is_json {
        let say = "Content-Type must be application/json";
        return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, code::BAD_REQUEST, say);
    }
    let Ok(body) = Limited::new(body, BODY_BYTES_MAX).collect().await else {
        let say = "the body was cut off, or is longer than 1 MiB";
        return refuse(StatusCode::BAD_REQUEST, code::BAD_REQUEST, say);
    };
    let body: Bytes = body.to_bytes();
    let message = match message::parse(&body) {
        Ok(message) => message,
        Err(error) => {
            return refuse(StatusCode::BAD_REQUEST, code::PARSE_ERROR, &error.to_string());
        }
    };
    if let Message::Request { id, method, params } = &message
        && method == method::INITIALIZE
    {
        return initialize(context, id, params.map_or("{}", |params| params.get()));
    }
    let session = match live_session(context, &head.headers) {
        Ok(session) => session,
        Err(refusal) => return *refusal,
    };
    match message {
        Message::Request { id, method, params } => {
            let params = params.map_or("{}", |params| params.get());
            request_in_session(context, session, id, &method, params)
        }
        // Notifications and responses need no answer; no tool of this server awaits one.
        _ => whole(StatusCode::ACCEPTED, None),
    }
}

fn initialize(context: &Context, id: &RequestId<'_>, params: &str) -> Response<ResponseBody> {
    let params: InitializeParams<'_> = match serde_json::from_str(params) {
        Ok(params) => params,
        Err(error) => return invalid_params(id, &error),
    };
    // A revision that this server does not speak is answered with the newest that it does
    // (basic/lifecycle, Version Negotiation).
    let revision: Revision = params.protocol_version.parse().unwrap_or(Revision::LATEST);
    let (session, origin) = context.store.begin_session(context.replica, revision.primes());
    let result = InitializeResult {
        protocol_version: revision.as_str().into(),
        capabilities: ServerCapabilities { tools: Some(Empty {}), logging: Some(Empty {}) },
        server_info: Implementation {
            name: "seamstress-reference".into(),
            version: env!("CARGO_PKG_VERSION").into(),
        },
        meta: Some(SessionMeta { session: Some(origin) }),
    };
    let mut response = whole(StatusCode::OK, message::response(id, &result).ok());
    // Session ids are made of visible ASCII, which a header can carry.
    if let Ok(value) = HeaderValue::from_str(&session) {
        response.headers_mut().insert(name::MCP_SESSION_ID, value);
    }
    response
}

fn request_in_session(
    context: &Arc<Context>,
    session: &str,
    id: RequestId<'_>,
    method: &str,
    params: &str,
) -> Response<ResponseBody> {
    match method {
        method::PING => whole(StatusCode::OK, message::response(&id, &Empty {}).ok()),
        method::TOOLS_LIST => {
            whole(StatusCode::OK, message::response(&id, &probe::tools_list()).ok())
        }
        method::TOOLS_CALL => call(context, session, id, params),
        _ => {
            let say = format!("there is no method {method:?}");
            refuse_with(StatusCode::OK, Some(&id), code::METHOD_NOT_FOUND, &say, &())
        }
    }
}

fn call(
    context: &Arc<Context>,
    session: &str,
    id: RequestId<'_>,
    params: &str,
) -> Response<ResponseBody> {
    let tool = match serde_json::from_str(params) {
        Ok(params) => Tool::read(&params, &id),
        Err(error) => return invalid_params(&id, &error),
    };
    let tool = match tool {
        Ok(tool) => tool,
        Err(say) => {
            return refuse_with(StatusCode::OK, Some(&id), code::INVALID_PARAMS, &say, &());
        }
    };
    let stream = tool.stream().to_owned();
    let id = id.into_owned();
    let attached = context.store.begin_call(context.replica, session, &stream, id.clone());
    let Some(attached) = attached else {
        if context.store.touch(session) != seamstress_trace::SessionState::Live {
            return no_session(context);
        }
        let say = format!("the call {stream:?} was made before in this session");
        return refuse_with(StatusCode::OK, Some(&id), code::INVALID_REQUEST, &say, &());
    };
    tokio::spawn(tools::execute(context.clone(), session.to_owned(), tool));
    events(context, session, attached)
}

fn invalid_params(id: &RequestId<'_>, error: &serde_json::Error) -> Response<ResponseBody> {
    let say = format!("the parameters do not parse: {error}");
    refuse_with(StatusCode::OK, Some(id), code::INVALID_PARAMS, &say, &())
}
