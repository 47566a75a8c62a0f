//! Faults that are not a matter of one connection's bytes.
//!
//! Owns carrying them out: rotations to come, requests that nobody asked for, and what only other
//! hands can do. What happens to bytes is done by `pump`.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, header};
use http_body_util::BodyExt;
use seamstress_mcp::headers::{self, name};
use seamstress_net::Network;
use seamstress_plan::{Action, Fault};
use tokio::time::sleep_until;

use crate::http::{Shared, lock};
use crate::sessions::Rotation;
use crate::upstream::Forward;

/// Carries out a fault that has a time for its place.
pub(crate) async fn act_at<N: Network>(shared: Arc<Shared<N>>, at_ms: u64, fault: Fault) {
    sleep_until(shared.instant(at_ms)).await;
    let due = shared.faults.observe(|_, _| vec![fault]);
    for fault in due {
        shared.act_on_all(&fault);
    }
}

/// Sends a request whose answer nobody reads on the way to the client.
pub(crate) async fn send_aside<N: Network>(
    shared: Arc<Shared<N>>,
    mut forward: Forward,
    replica: usize,
    fault: Fault,
) {
    shared.faults.fired(&fault);
    forward.headers.remove(name::EXCHANGE);
    let Some(upstream) = shared.send(forward, replica).await else { return };
    shared.faults.effective(&fault, format!("answered {}", upstream.response.status()));
    let (mut body, connection) = upstream.into_body();
    let chaos_end = shared.chaos_end();
    let read = async { while let Some(Ok(_)) = body.frame().await {} };
    // The other connection goes on reading at most as long as faults last.
    let _ = tokio::time::timeout_at(chaos_end, read).await;
    drop(connection);
}

impl<N: Network> Shared<N> {
    /// Carries out an action that is not a matter of one connection's bytes.
    pub fn act(self: &Arc<Self>, session: usize, stream: &str, fault: &Fault) {
        match fault.action {
            Action::RotateId | Action::RotateIdForgetOld => self.rotate_next(Some(session), fault),
            Action::IdleCut => {
                self.faults.fired(fault);
                lock(&self.idle_cuts).insert(stream.to_owned(), fault.clone());
            }
            Action::SecondConnection => self.connect_again(session, stream, fault),
            _ => self.act_by_hand(fault),
        }
    }

    /// Carries out an action for which a plan names no stream.
    fn act_on_all(&self, fault: &Fault) {
        match fault.action {
            Action::RotateId | Action::RotateIdForgetOld => self.rotate_next(None, fault),
            _ => self.act_by_hand(fault),
        }
    }

    fn act_by_hand(&self, fault: &Fault) {
        if let Some(effect) = self.hands.act(fault.action, fault.extent) {
            self.faults.fired(fault);
            self.faults.effective(fault, effect);
        }
    }

    fn rotate_next(&self, session: Option<usize>, fault: &Fault) {
        let rotation = Rotation {
            fault: fault.clone(),
            responses: fault.extent.count.unwrap_or(1),
            keeps_old: fault.action == Action::RotateId,
        };
        let mut sessions = lock(&self.sessions);
        match session {
            Some(number) => {
                if let Some(session) = sessions.get_mut(number) {
                    session.rotations.push(rotation);
                }
            }
            None => sessions.live_mut().for_each(|live| live.rotations.push(rotation.clone())),
        }
        drop(sessions);
        self.faults.fired(fault);
    }

    fn connect_again(self: &Arc<Self>, session: usize, stream: &str, fault: &Fault) {
        let events_ago = fault.extent.count.unwrap_or(1);
        let mut headers = HeaderMap::new();
        let replica = {
            let mut sessions = lock(&self.sessions);
            let Some(session) = sessions.get_mut(session) else { return };
            let Some(cursor) = session.stale_id(stream, events_ago) else { return };
            let Ok(cursor) = HeaderValue::from_str(cursor) else { return };
            headers.insert(name::LAST_EVENT_ID, cursor);
            if let Some(version) = &session.version {
                headers.insert(name::MCP_PROTOCOL_VERSION, version.clone());
            }
            session.home
        };
        let event_stream = HeaderValue::from_static(headers::TEXT_EVENT_STREAM);
        headers.insert(header::ACCEPT, event_stream);
        headers.insert(header::HOST, HeaderValue::from_static("localhost"));
        self.replace_session_id(session, &mut headers);
        let forward = Forward { method: Method::GET, headers, body: Bytes::new() };
        tokio::spawn(send_aside(self.clone(), forward, replica, fault.clone()));
    }

    /// The idle cut that a stream is under, as long as faults last.
    pub fn idle_cut_of(&self, stream: &str) -> Option<Fault> {
        let idle_cuts = lock(&self.idle_cuts);
        if idle_cuts.is_empty() || !self.faults.is_chaos() {
            return None;
        }
        idle_cuts.get(stream).cloned()
    }
}
