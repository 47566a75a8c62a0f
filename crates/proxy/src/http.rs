//! The accept loop, and what happens to one request.
//!
//! Owns connections, sending a request on, and the head of its response. It must not look into
//! event streams; `pump` does.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use seamstress_defects::Defects;
use seamstress_mcp::headers::{self, name};
use seamstress_mcp::message::{self, code};
use seamstress_net::{Listener, Network, Valve, ValveHandle};
use seamstress_plan::{Connection, Fault, Phases};
use seamstress_trace::{Host, Recorder, What};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::acting::{act_at, send_aside};
use crate::body::{CutByFault, Piece, ProxyBody};
use crate::defects::Defect;
use crate::faults::{Faults, Hands};
use crate::pump::Pump;
use crate::route::Route;
use crate::sessions::{Rotation, Sessions};
use crate::upstream::{Forward, Upstream, end_to_end};

/// The port that the proxy listens on.
const PORT: u16 = 80;
/// The longest request body that is taken.
const BODY_BYTES_MAX: usize = 1 << 20;
/// The longest response that is passed on in one piece.
const RESPONSE_BYTES_MAX: usize = 4 << 20;
/// How many pieces may wait for a client before the replica has to wait too.
const QUEUED_PIECES_MAX: usize = 64;

/// What can be set on the proxy.
#[derive(Clone, Debug)]
pub struct Options {
    /// The replicas, by host name; the first is every session's home unless a fault says
    /// otherwise.
    pub replicas: Vec<String>,
    /// How long to wait for a replica's connection and response head, in milliseconds.
    pub response_timeout_ms: u64,
    /// What goes wrong.
    pub faults: Vec<Fault>,
    /// When.
    pub phases: Phases,
    /// What is wrong on purpose.
    pub defects: Defects<Defect>,
}

/// The proxy.
pub struct Proxy<N: Network> {
    shared: Arc<Shared<N>>,
}

pub(crate) struct Shared<N: Network> {
    pub network: N,
    pub faults: Faults,
    pub options: Options,
    pub hands: Arc<dyn Hands>,
    pub sessions: Mutex<Sessions>,
    pub idle_cuts: Mutex<BTreeMap<String, Fault>>,
    recorder: Recorder,
    session_ids: Mutex<Box<dyn FnMut() -> String + Send>>,
    started: Mutex<Option<(Instant, u64)>>,
}

impl<N: Network> Proxy<N> {
    /// A proxy over this network. `session_ids` gives a fresh public session id each time.
    pub fn new(
        network: N,
        options: Options,
        hands: Arc<dyn Hands>,
        recorder: Recorder,
        session_ids: impl FnMut() -> String + Send + 'static,
    ) -> Proxy<N> {
        let faults = Faults::new(&options.faults, options.phases, recorder.clone());
        let shared = Shared {
            network,
            faults,
            options,
            recorder,
            hands,
            sessions: Mutex::default(),
            session_ids: Mutex::new(Box::new(session_ids)),
            idle_cuts: Mutex::default(),
            started: Mutex::default(),
        };
        Proxy { shared: Arc::new(shared) }
    }

    /// Serves until it is dropped.
    ///
    /// # Errors
    ///
    /// What the network says when it cannot listen or accept.
    pub async fn serve(self) -> std::io::Result<()> {
        let shared = self.shared;
        *lock(&shared.started) = Some((Instant::now(), shared.recorder.now_ms()));
        for (at_ms, fault) in shared.faults.timed() {
            tokio::spawn(act_at(shared.clone(), at_ms, fault));
        }
        let mut listener = shared.network.listen(PORT).await?;
        loop {
            let (socket, valve) = Valve::new(listener.accept().await?);
            let shared = shared.clone();
            tokio::spawn(async move {
                let service = service_fn(|request| {
                    let (shared, valve) = (shared.clone(), valve.clone());
                    async move { Ok::<_, CutByFault>(handle(shared, request, valve).await) }
                });
                // An error here is a client that left, or one that was cut off.
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

async fn handle<N: Network>(
    shared: Arc<Shared<N>>,
    request: Request<Incoming>,
    valve: ValveHandle,
) -> Response<ProxyBody> {
    let (head, body) = request.into_parts();
    let Ok(body) = Limited::new(body, BODY_BYTES_MAX).collect().await else {
        return refuse(StatusCode::BAD_REQUEST, code::BAD_REQUEST, "the request body is too long");
    };
    let body = body.to_bytes();
    let mut route = match shared.route(&head.method, &head.headers, &body) {
        Ok(route) => route,
        Err(refusal) => return *refusal,
    };
    let mut headers = end_to_end(&head.headers);
    if let Some(session) = route.session {
        shared.find_mapping_again(session).await;
        shared.replace_session_id(session, &mut headers);
    }
    shared.change_cursor(&route, &mut headers);
    let forward = Forward { method: head.method.clone(), headers, body };
    if let Some(twin) = route.twin.take() {
        tokio::spawn(send_aside(shared.clone(), forward.clone(), route.replica, twin));
    }
    route.kept = shared.keeps_requests().then(|| forward.clone());
    let mut upstream = shared.send(forward, route.replica).await;
    if upstream.is_none()
        && let Some(again) = shared.again(&mut route)
    {
        upstream = shared.send_again(&again).await;
    }
    let Some(upstream) = upstream else {
        if shared.has(Defect::NotFoundAfterForwarding) && route.session.is_some() {
            let say = "there is no such session; initialize again";
            return refuse(StatusCode::NOT_FOUND, code::SESSION_NOT_FOUND, say);
        }
        let say = "the server did not answer";
        return refuse(StatusCode::BAD_GATEWAY, code::INTERNAL_ERROR, say);
    };
    if let Some(fault) = &route.routed {
        shared.faults.effective(fault, format!("answered {}", upstream.response.status()));
    }
    let mut response = shared.pass_on(&head.method, route, upstream, valve).await;
    if head.method == Method::GET
        && response.status() == StatusCode::OK
        && shared.has(Defect::AnswersGetWith202)
    {
        *response.status_mut() = StatusCode::ACCEPTED;
    }
    response
}

impl<N: Network> Shared<N> {
    /// Whether a defect is planted.
    pub fn has(&self, defect: Defect) -> bool {
        self.options.defects.has(defect)
    }

    pub async fn send(&self, forward: Forward, replica: usize) -> Option<Upstream> {
        let limit = Duration::from_millis(self.options.response_timeout_ms);
        let replica = self.options.replicas.get(replica)?;
        Upstream::send(&self.network, replica, forward, limit).await
    }

    pub fn replace_session_id(&self, session: usize, headers: &mut http::HeaderMap) {
        let mut sessions = lock(&self.sessions);
        let Some(session) = sessions.get_mut(session) else { return };
        // The server's own id came in a header, so it can go in one.
        if let Ok(id) = HeaderValue::from_str(&session.upstream_id) {
            headers.insert(name::MCP_SESSION_ID, id);
        }
    }

    /// Gives the client a replica's response.
    async fn pass_on(
        self: &Arc<Self>,
        method: &Method,
        mut route: Route,
        upstream: Upstream,
        valve: ValveHandle,
    ) -> Response<ProxyBody> {
        let status = upstream.response.status();
        let mut headers = end_to_end(upstream.response.headers());
        if let Some(id) = headers.remove(name::MCP_SESSION_ID)
            && let Ok(id) = id.to_str()
            && route.session.is_none()
        {
            let session = self.begin_session(id, route.replica);
            self.keep_initialize(session, &route);
            route.session = Some(session);
            self.say_public_id(route.session, &mut headers);
        }
        if let Some(session) = route.session {
            if status == StatusCode::NOT_FOUND || *method == Method::DELETE {
                lock(&self.sessions).end(session);
            } else if self.rotate(session) && !self.has(Defect::RotatesSilently) {
                self.say_public_id(route.session, &mut headers);
            }
        }
        let is_events = headers
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .is_some_and(|value| headers::content_type_is(value, headers::TEXT_EVENT_STREAM));
        let again = if is_events { self.again(&mut route) } else { None };
        let body = match (route.session, route.stream) {
            (Some(session), Some(stream)) if is_events => {
                let connection = route.resume.map_or(Connection::Fresh, Connection::Resume);
                let mut at_head = route.at_head;
                at_head.extend(
                    self.faults
                        .observe(|schedule, now_ms| schedule.head(&stream, connection, now_ms)),
                );
                let (client, pieces) = mpsc::channel::<Piece>(QUEUED_PIECES_MAX);
                let place = (session, stream, connection);
                let merging = self.merge_listening(&place, route.kept, &client);
                let mut pump = Pump::new(self.clone(), place, valve, client, at_head);
                (pump.again, pump.merging) = (again, merging);
                tokio::spawn(pump.run(upstream));
                ProxyBody::Pieces { pieces, cut: false }
            }
            _ => {
                let (body, connection) = upstream.into_body();
                let body = Limited::new(body, RESPONSE_BYTES_MAX).collect().await;
                drop(connection);
                match body {
                    Ok(body) => ProxyBody::Whole(Some(body.to_bytes()).filter(|b| !b.is_empty())),
                    Err(_) => {
                        let say = "the server's answer was cut off";
                        return refuse(StatusCode::BAD_GATEWAY, code::INTERNAL_ERROR, say);
                    }
                }
            }
        };
        let mut response = Response::new(body);
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        response
    }

    fn begin_session(&self, upstream_id: &str, home: usize) -> usize {
        let public_id = self.new_session_id();
        let mut sessions = lock(&self.sessions);
        sessions.begin(&public_id, upstream_id, home);
        sessions.find(&public_id).unwrap_or_default()
    }

    fn new_session_id(&self) -> String {
        (lock(&self.session_ids))()
    }

    /// Gives the session another public id if a rotation is due on this response.
    fn rotate(&self, session: usize) -> bool {
        let mut sessions = lock(&self.sessions);
        let Some(found) = sessions.get_mut(session) else { return false };
        let Some(rotation) = found.rotations.first_mut() else { return false };
        rotation.responses = rotation.responses.saturating_sub(1);
        let Rotation { fault, responses, keeps_old } = rotation.clone();
        if responses == 0 {
            found.rotations.remove(0);
        }
        let public_id = self.new_session_id();
        let before = sessions.rotate(session, &public_id, keeps_old).unwrap_or_default();
        drop(sessions);
        let from = self.recorder.session_name(&before);
        let to = self.recorder.session_name(&public_id);
        self.faults.effective(&fault, format!("{from} became {to}"));
        self.recorder.record(Host::Proxy, What::Rotate { from, to, keeps_old });
        true
    }

    fn say_public_id(&self, session: Option<usize>, headers: &mut http::HeaderMap) {
        let mut sessions = lock(&self.sessions);
        let Some(session) = session.and_then(|number| sessions.get_mut(number)) else { return };
        // Public ids are made of visible ASCII, which a header can carry.
        if let Ok(id) = HeaderValue::from_str(&session.public_id) {
            headers.insert(name::MCP_SESSION_ID, id);
        }
    }

    pub fn note_id(&self, session: usize, stream: &str, id: String) {
        if let Some(session) = lock(&self.sessions).get_mut(session) {
            if self.has(Defect::ScalarCursor) {
                session.keep_newest_id(&id);
            }
            session.note_id(stream, id);
        }
    }

    /// When lasting faults end.
    pub fn chaos_end(&self) -> Instant {
        self.instant(self.options.phases.chaos_until_ms)
    }

    /// The instant at which the run is so many milliseconds old.
    pub fn instant(&self, at_ms: u64) -> Instant {
        match *lock(&self.started) {
            Some((instant, now_ms)) => {
                instant + Duration::from_millis(at_ms.saturating_sub(now_ms))
            }
            None => Instant::now(),
        }
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic elsewhere ends the run; what the tables hold does not matter any more.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn refuse(status: StatusCode, code: i64, say: &str) -> Response<ProxyBody> {
    let text = message::error(None, code, say, &()).ok();
    let mut response = Response::new(ProxyBody::Whole(text.map(Bytes::from)));
    *response.status_mut() = status;
    let json = HeaderValue::from_static(headers::APPLICATION_JSON);
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}
