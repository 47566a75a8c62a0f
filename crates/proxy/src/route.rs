//! The way of a request: which session, which stream, which replica, with which faults.
//!
//! Owns finding out what a request is about before it goes on. The faults of a resumption happen
//! here. It must not send anything itself.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Method, Response, StatusCode};
use seamstress_mcp::headers::{self, name};
use seamstress_mcp::message::{self, CallToolParams, Message, code, method};
use seamstress_net::Network;
use seamstress_plan::{Action, Fault};
use serde::Deserialize;

use crate::body::ProxyBody;
use crate::defects::Defect;
use crate::faults::ReplicaView;
use crate::http::{Shared, lock, refuse};
use crate::sessions::STANDALONE;
use crate::upstream::Forward;

/// What is known of a request before it goes on.
pub(crate) struct Route {
    /// The session's number in the table; none before there is one.
    pub session: Option<usize>,
    /// The stream that the response will carry, if it carries one.
    pub stream: Option<String>,
    pub replica: usize,
    /// Which resumption of the stream it is.
    pub resume: Option<u64>,
    /// Faults that happen when the response head is out.
    pub at_head: Vec<Fault>,
    /// The fault that sends the request twice.
    pub twin: Option<Fault>,
    /// The fault that chose the replica.
    pub routed: Option<Fault>,
    /// The request as it went on, if a defect may want it again.
    pub kept: Option<Forward>,
}

impl<N: Network> Shared<N> {
    /// Finds the way of a request; the faults of a resumption happen here.
    pub fn route(
        self: &Arc<Self>,
        method: &Method,
        headers: &HeaderMap,
        body: &Bytes,
    ) -> Result<Route, Box<Response<ProxyBody>>> {
        let mut route = Route {
            session: None,
            stream: None,
            replica: 0,
            resume: None,
            at_head: Vec::new(),
            twin: None,
            routed: None,
            kept: None,
        };
        let Some(public_id) = headers.get(name::MCP_SESSION_ID) else { return Ok(route) };
        let found = public_id.to_str().ok().and_then(|id| lock(&self.sessions).find(id));
        let Some(session) = found else {
            let say = "there is no such session; initialize again";
            let status = if self.has(Defect::UnknownSession400) {
                StatusCode::BAD_REQUEST
            } else {
                StatusCode::NOT_FOUND
            };
            let refusal = refuse(status, code::SESSION_NOT_FOUND, say);
            return Err(Box::new(refusal));
        };
        route.session = Some(session);
        if let Some(session) = lock(&self.sessions).get_mut(session) {
            route.replica = session.home;
            session.version = headers.get(name::MCP_PROTOCOL_VERSION).cloned();
        }
        match *method {
            Method::POST => route.stream = called(body),
            Method::GET => self.route_get(session, headers, &mut route),
            _ => {}
        }
        Ok(route)
    }

    fn route_get(self: &Arc<Self>, session: usize, headers: &HeaderMap, route: &mut Route) {
        let cursor = headers::last_event_id(headers).ok().flatten().filter(|id| !id.is_empty());
        let Some(cursor) = cursor else {
            route.stream = Some(STANDALONE.to_owned());
            return;
        };
        let stream = {
            let mut sessions = lock(&self.sessions);
            let found = sessions.get_mut(session).and_then(|session| session.stream_of(cursor));
            found.unwrap_or(STANDALONE).to_owned()
        };
        let mut nth = 0;
        let due = self.faults.observe(|schedule, now_ms| {
            let (count, due) = schedule.resume(&stream, now_ms);
            nth = count;
            due
        });
        route.resume = Some(nth);
        for fault in due {
            self.apply_at_resume(session, &stream, fault, route);
        }
        route.stream = Some(stream);
    }

    fn apply_at_resume(
        self: &Arc<Self>,
        session: usize,
        stream: &str,
        fault: Fault,
        route: &mut Route,
    ) {
        if let Some(view) = ReplicaView::of(&fault) {
            let others = self.options.replicas.len();
            let other = (route.replica + 1) % others.max(1);
            if others > 1 && self.hands.set_view(other, view) {
                route.replica = other;
                self.faults.fired(&fault);
                route.routed = Some(fault);
            }
            return;
        }
        match fault.action {
            Action::TwinResume => route.twin = Some(fault),
            Action::CutClean
            | Action::CutNoLastChunk
            | Action::CutReset
            | Action::CutClientSide
            | Action::BlackHole
            | Action::SlowReader
            | Action::Rechunk
            | Action::BufferBytes
            | Action::BufferUntilEnd
            | Action::InsertComment
            | Action::InsertRetry
            | Action::InsertEmptyEvent => route.at_head.push(fault),
            _ => self.act(session, stream, &fault),
        }
    }
}

/// The stream that a POST begins: named by the call, or by its request id.
fn called(body: &Bytes) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        call: String,
    }
    match message::parse(body) {
        Ok(Message::Request { id, method, params: Some(params) })
            if method == method::TOOLS_CALL =>
        {
            let params: CallToolParams<'_> = serde_json::from_str(params.get()).ok()?;
            let named = params
                .arguments
                .and_then(|arguments| serde_json::from_str::<Named>(arguments.get()).ok());
            Some(named.map_or_else(|| format!("call-{id}"), |named| named.call))
        }
        _ => None,
    }
}
