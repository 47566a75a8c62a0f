//! GET: listening, and resuming with a cursor.
//!
//! Owns the answer to a resumption, accepted or not. It must not decide about a cursor: the rule
//! does, in the store.

use http::{HeaderMap, HeaderValue, Response, StatusCode};
use seamstress_mcp::Refusal;
use seamstress_mcp::headers::{self, name};
use seamstress_mcp::message::code;
use seamstress_mcp::resumption_header::ResumptionHeader;

use crate::body::ResponseBody;
use crate::defects::Defect;
use crate::http::{
    Context, events, exchange, live_session, named_session, no_session, refuse_with, whole,
};
use crate::resuming::Resumed;
use crate::session::Attached;

/// Answers a GET.
pub(crate) fn answer(context: &Context, headers: &HeaderMap) -> Response<ResponseBody> {
    let cursor = match headers::last_event_id(headers) {
        // Bytes that are no text name no event: the rule refuses them as malformed.
        Err(_) => Some("\u{fffd}"),
        // An empty value is what a reset cursor looks like when it is sent: no cursor.
        Ok(cursor) => cursor.filter(|cursor| !cursor.is_empty()),
    };
    match cursor {
        Some(cursor) => resume(context, headers, cursor),
        None => listen(context, headers),
    }
}

fn listen(context: &Context, headers: &HeaderMap) -> Response<ResponseBody> {
    let session = match live_session(context, headers) {
        Ok(session) => session,
        Err(refusal) => return *refusal,
    };
    if context.store.options.defects.has(Defect::GetIsJson) {
        let say = "send your messages by POST";
        return refuse_with(StatusCode::OK, None, code::BAD_REQUEST, say, &());
    }
    match context.store.listen(context.replica, session) {
        Some(attached) => events(context, session, attached),
        None => no_session(context),
    }
}

fn resume(context: &Context, headers: &HeaderMap, cursor: &str) -> Response<ResponseBody> {
    let session = match named_session(headers) {
        Ok(session) => session,
        Err(refusal) => return *refusal,
    };
    let exchange = exchange(headers);
    match context.store.resume(context.replica, session, cursor, exchange) {
        Resumed::Accepted { attached, verdict } => {
            let mut response = events(context, session, attached);
            say_verdict(&mut response, &verdict);
            response
        }
        Resumed::NoSession => no_session(context),
        Resumed::Refused { reason } => refused(context, session, &reason),
    }
}

fn refused(context: &Context, session: &str, reason: &str) -> Response<ResponseBody> {
    let has = |defect| context.store.options.defects.has(defect);
    let refusal = match context.store.options.refusal {
        _ if has(Defect::EmptyOn200) => Refusal::OkAndEmpty,
        _ if has(Defect::SilentOn200) => Refusal::OkAndSilent,
        declared => declared,
    };
    if refusal.ends_session() && !has(Defect::NotFoundWhileAlive) {
        // Before the answer: 404 is right only because the session is gone when it is said.
        context.store.end_session(context.replica, session, "refused");
    }
    let mut response = match refusal {
        Refusal::OkAndEmpty => {
            let mut response = whole(StatusCode::OK, None);
            let event_stream = HeaderValue::from_static(headers::TEXT_EVENT_STREAM);
            response.headers_mut().insert(http::header::CONTENT_TYPE, event_stream);
            response
        }
        Refusal::OkAndSilent => events(context, session, Attached::silent(Vec::new())),
        other => {
            let say = format!("the cursor cannot be resumed ({reason}); initialize again");
            let data = serde_json::json!({ "reason": reason });
            refuse_with(other.status(), None, code::RESUMPTION_REFUSED, &say, &data)
        }
    };
    say_verdict(&mut response, &ResumptionHeader::Refused { reason: reason.to_owned() });
    response
}

fn say_verdict(response: &mut Response<ResponseBody>, verdict: &ResumptionHeader) {
    // A verdict is made of tokens and stream names, which a header can carry.
    let value = verdict.to_value().ok();
    if let Some(value) = value.and_then(|value| HeaderValue::from_str(&value).ok()) {
        response.headers_mut().insert(name::MCP_RESUMPTION, value);
    }
}
