//! What a server under test is.
//!
//! Owns the two things that a player needs of it: that it can be started again and again, as a
//! process is, and that what was started answers HTTP requests. It must not know who asks.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::Incoming;
use tower::util::BoxCloneSyncService;
use tower::{Service, ServiceExt};

use crate::probes::Probes;

/// Any error of a service or a body.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
pub(crate) type Answer = Response<UnsyncBoxBody<Bytes, Failed>>;
pub(crate) type Answering = BoxCloneSyncService<Request<Incoming>, Answer, Failed>;
type Later = Pin<Box<dyn Future<Output = ()> + Send>>;
pub(crate) type Forget = Box<dyn Fn() -> Later + Send + Sync>;

/// A server under test.
///
/// Every closure that makes a [`Process`] is one:
///
/// ```
/// use seamstress_foreign::{Probes, Process, Subject};
/// use http_body_util::Empty;
/// use bytes::Bytes;
///
/// fn teapot(_probes: &Probes) -> Process {
///     Process::new(tower::service_fn(async |_request| {
///         let mut response = http::Response::new(Empty::<Bytes>::new());
///         *response.status_mut() = http::StatusCode::IM_A_TEAPOT;
///         Ok::<_, std::convert::Infallible>(response)
///     }))
/// }
///
/// let _subject: &dyn Subject = &teapot;
/// ```
pub trait Subject: Send + Sync {
    /// Starts a process of the server: one for each replica, and another one after each restart.
    /// It shares nothing with those before. `probes` is the application that it has to offer.
    fn start(&self, probes: &Probes) -> Process;

    /// Whether its event ids hold what differs from run to run, such as a random token or the
    /// machine's clock. If so, names stand for them in the trace.
    fn has_opaque_event_ids(&self) -> bool {
        false
    }
}

impl<F: Fn(&Probes) -> Process + Send + Sync> Subject for F {
    fn start(&self, probes: &Probes) -> Process {
        self(probes)
    }
}

/// A process of a server under test.
pub struct Process {
    pub(crate) service: Answering,
    pub(crate) forget_sessions: Option<Forget>,
    pub(crate) sessions: Option<Arc<dyn Fn() -> u64 + Send + Sync>>,
}

impl Process {
    /// A process that answers with a `tower::Service`, for example an `axum::Router`.
    pub fn new<S, B>(service: S) -> Process
    where
        S: Service<Request<Incoming>, Response = Response<B>> + Clone + Send + Sync + 'static,
        S::Future: Send + 'static,
        S::Error: Into<BoxError>,
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        let service = service
            .map_response(|response: Response<B>| {
                response.map(|body| body.map_err(Failed::new).boxed_unsync())
            })
            .map_err(Failed::new);
        let service = BoxCloneSyncService::new(service);
        Process { service, forget_sessions: None, sessions: None }
    }

    /// A process that answers with a `hyper` service.
    pub fn of_hyper<S, B>(service: S) -> Process
    where
        S: hyper::service::Service<Request<Incoming>, Response = Response<B>>,
        S: Clone + Send + Sync + 'static,
        S::Future: Send + 'static,
        S::Error: Into<BoxError>,
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        Process::new(tower::service_fn(move |request| service.call(request)))
    }

    /// Says how the process forgets all its sessions, for the fault that asks for it.
    #[must_use]
    pub fn forgetting<F, O>(mut self, forget: F) -> Process
    where
        F: Fn() -> O + Send + Sync + 'static,
        O: Future<Output = ()> + Send + 'static,
    {
        self.forget_sessions = Some(Box::new(move || Box::pin(forget())));
        self
    }

    /// Says how many sessions the process holds, so that a leak is seen.
    #[must_use]
    pub fn counting(mut self, sessions: impl Fn() -> u64 + Send + Sync + 'static) -> Process {
        self.sessions = Some(Arc::new(sessions));
        self
    }
}

/// A service or a body failed: the connection ends.
#[derive(Debug)]
pub(crate) struct Failed(BoxError);

impl Failed {
    fn new(error: impl Into<BoxError>) -> Failed {
        Failed(error.into())
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Failed {}
