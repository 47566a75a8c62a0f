//! What defects send upstream although no client asked for it.
//!
//! Owns beginning a session upstream a second time, sending a call again, and listening beside a
//! resumption. The proxy without defects never gets here: it sends what it was sent, once.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Method};
use http_body_util::BodyExt;
use seamstress_mcp::headers::name;
use seamstress_mcp::message::{self, method};
use seamstress_net::Network;
use seamstress_plan::Connection;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::body::Piece;
use crate::defects::Defect;
use crate::http::{Shared, lock};
use crate::route::Route;
use crate::sessions::STANDALONE;
use crate::upstream::{Forward, Upstream};

/// A call that can be sent again.
pub(crate) struct Again {
    session: usize,
    replica: usize,
    forward: Forward,
}

impl<N: Network> Shared<N> {
    /// Whether a defect may want a request again that went on.
    pub fn keeps_requests(&self) -> bool {
        self.has(Defect::LosesSessionMapping)
            || self.has(Defect::ResendsPost)
            || self.has(Defect::FansOutResumptions)
    }

    /// Keeps what began a session.
    pub fn keep_initialize(&self, session: usize, route: &Route) {
        if let Some(session) = lock(&self.sessions).get_mut(session) {
            session.kept.initialize.clone_from(&route.kept);
        }
    }

    /// Forgets the place of a session upstream when a connection of it breaks.
    pub fn lose_mapping(&self, session: usize) {
        if self.has(Defect::LosesSessionMapping)
            && let Some(session) = lock(&self.sessions).get_mut(session)
        {
            session.kept.is_mapping_lost = true;
        }
    }

    /// Begins a session whose place upstream is forgotten a second time, and tells nobody.
    pub async fn find_mapping_again(&self, session: usize) {
        let (lost, replica) = match lock(&self.sessions).get_mut(session) {
            Some(found) => (std::mem::take(&mut found.kept.is_mapping_lost), found.home),
            None => return,
        };
        if !lost {
            return;
        }
        let begun = self.begin_upstream(session, replica).await;
        if let Some(id) = begun.as_ref().and_then(|id| id.to_str().ok())
            && let Some(session) = lock(&self.sessions).get_mut(session)
        {
            session.upstream_id = id.to_owned();
        }
    }

    /// A call that is to be sent again if its answer breaks off or does not come; once only.
    pub fn again(&self, route: &mut Route) -> Option<Again> {
        let is_call = |forward: &Forward| forward.method == Method::POST && route.stream.is_some();
        if !self.has(Defect::ResendsPost) || !route.kept.as_ref().is_some_and(is_call) {
            return None;
        }
        let replica = (route.replica + 1) % self.options.replicas.len().max(1);
        Some(Again { session: route.session?, replica, forward: route.kept.take()? })
    }

    /// Sends a call again, in a session of its own.
    pub async fn send_again(&self, again: &Again) -> Option<Upstream> {
        let id = self.begin_upstream(again.session, again.replica).await?;
        let mut forward = again.forward.clone();
        forward.headers.insert(name::MCP_SESSION_ID, id);
        self.send(forward, again.replica).await
    }

    /// Begins another session upstream as the client began its own; gives the server's id.
    async fn begin_upstream(&self, session: usize, replica: usize) -> Option<HeaderValue> {
        let (initialize, version) = {
            let mut sessions = lock(&self.sessions);
            let session = sessions.get_mut(session)?;
            (session.kept.initialize.clone()?, session.version.clone())
        };
        let mut headers = initialize.headers.clone();
        headers.remove(name::EXCHANGE);
        let forward = Forward { headers: headers.clone(), ..initialize };
        let begun = self.send(forward, replica).await?;
        let id = begun.response.headers().get(name::MCP_SESSION_ID)?.clone();
        headers.insert(name::MCP_SESSION_ID, id.clone());
        if let Some(version) = version {
            headers.insert(name::MCP_PROTOCOL_VERSION, version);
        }
        let body = Bytes::from(message::notification(method::INITIALIZED, &()).ok()?);
        self.send(Forward { method: Method::POST, headers, body }, replica).await?;
        Some(id)
    }

    /// Listens anew beside the resumption of a call's stream.
    pub fn merge_listening(
        self: &Arc<Self>,
        (session, stream, connection): &(usize, String, Connection),
        resumption: Option<Forward>,
        client: &mpsc::Sender<Piece>,
    ) -> Option<JoinHandle<()>> {
        let is_resumed = matches!(connection, Connection::Resume(_)) && stream != STANDALONE;
        if !is_resumed || !self.has(Defect::FansOutResumptions) {
            return None;
        }
        let home = lock(&self.sessions).get_mut(*session)?.home;
        let mut forward = resumption?;
        forward.headers.remove(name::LAST_EVENT_ID);
        forward.headers.remove(name::EXCHANGE);
        Some(tokio::spawn(merge(self.clone(), forward, home, client.clone())))
    }
}

/// Sends what comes on one connection to the client of another.
async fn merge<N: Network>(
    shared: Arc<Shared<N>>,
    forward: Forward,
    replica: usize,
    client: mpsc::Sender<Piece>,
) {
    let Some(upstream) = shared.send(forward, replica).await else { return };
    if !upstream.response.status().is_success() {
        return;
    }
    let (mut body, connection) = upstream.into_body();
    loop {
        let frame = tokio::select! {
            biased;
            () = client.closed() => break,
            frame = body.frame() => frame,
        };
        let Some(Ok(frame)) = frame else { break };
        let Ok(bytes) = frame.into_data() else { continue };
        if client.send(Piece::Bytes(bytes)).await.is_err() {
            break;
        }
    }
    drop(connection);
}
