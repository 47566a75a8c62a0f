//! The body of one event stream response.
//!
//! Owns the order of what goes out: first what is due at once, then what a lagging replica gets
//! late, then live events, with comments where nothing else is sent. It must not know sessions
//! beyond telling the store when it is dropped, which is how a server learns that a client left.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame};
use tokio::sync::mpsc;
use tokio::time::{Instant, Sleep, sleep};

use crate::session::{Attached, Late};
use crate::store::Store;

/// How far apart events are that go out beside what is live.
const BESIDE_EVERY: Duration = Duration::from_millis(1);

/// What a response body of this server can be.
pub(crate) enum ResponseBody {
    /// Nothing, or one message.
    Whole(Option<Bytes>),
    /// Events.
    Events(Box<EventBody>),
}

/// See the file's head.
pub(crate) struct EventBody {
    due: VecDeque<Bytes>,
    late: Option<(Pin<Box<Sleep>>, Late)>,
    beside: Option<(Pin<Box<Sleep>>, VecDeque<Bytes>)>,
    live: Option<mpsc::Receiver<Bytes>>,
    keep_alive: Pin<Box<Sleep>>,
    keep_alive_every: Duration,
    last_sent: Instant,
    store: Store,
    session: String,
    stream: String,
    number: u64,
    _silent: Option<mpsc::Sender<Bytes>>,
}

impl EventBody {
    pub fn new(attached: Attached, store: &Store, session: &str) -> EventBody {
        let keep_alive_every = Duration::from_millis(store.options.keep_alive_ms);
        let late = attached
            .late
            .map(|(wait_ms, events)| (Box::pin(sleep(Duration::from_millis(wait_ms))), events));
        let beside = (!attached.beside.is_empty())
            .then(|| (Box::pin(sleep(BESIDE_EVERY)), attached.beside.into()));
        EventBody {
            due: attached.first.into(),
            late,
            beside,
            live: attached.live,
            keep_alive: Box::pin(sleep(keep_alive_every)),
            keep_alive_every,
            last_sent: Instant::now(),
            store: store.clone(),
            session: session.to_owned(),
            stream: attached.stream,
            number: attached.number,
            _silent: attached.silent,
        }
    }

    fn poll_bytes(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            if let Some(bytes) = self.due.pop_front() {
                return Poll::Ready(Some(bytes));
            }
            if let Some((wait, events)) = &mut self.late {
                match wait.as_mut().poll(context) {
                    Poll::Pending => break,
                    Poll::Ready(()) => {
                        self.due = match events {
                            Late::Events(events) => std::mem::take(events).into(),
                            Late::After(position) => {
                                self.store.scan(&self.session, &self.stream, *position).into()
                            }
                        };
                        self.late = None;
                        continue;
                    }
                }
            }
            if let Some(bytes) = self.poll_beside(context) {
                return Poll::Ready(Some(bytes));
            }
            match &mut self.live {
                None if self.beside.is_some() => break,
                None => return Poll::Ready(None),
                Some(live) => match live.poll_recv(context) {
                    Poll::Pending => break,
                    Poll::Ready(None) => self.live = None,
                    ready => return ready,
                },
            }
        }
        self.poll_keep_alive(context)
    }

    /// The next event that goes out beside what is live, if it is time for it.
    fn poll_beside(&mut self, context: &mut Context<'_>) -> Option<Bytes> {
        let (wait, events) = self.beside.as_mut()?;
        if wait.as_mut().poll(context).is_pending() {
            return None;
        }
        let bytes = events.pop_front();
        wait.as_mut().reset(Instant::now() + BESIDE_EVERY);
        if events.is_empty() {
            self.beside = None;
        }
        bytes
    }

    /// A comment if nothing was sent for a while. The timer is not moved each time that something
    /// is sent, which is often; it looks at the last time when it fires, which is rare.
    fn poll_keep_alive(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        while self.keep_alive.as_mut().poll(context).is_ready() {
            let due = self.last_sent + self.keep_alive_every;
            let now = Instant::now();
            if due <= now {
                self.keep_alive.as_mut().reset(now + self.keep_alive_every);
                return Poll::Ready(Some(seamstress_mcp::sse::comment("keep-alive")));
            }
            self.keep_alive.as_mut().reset(due);
        }
        Poll::Pending
    }
}

impl Drop for EventBody {
    fn drop(&mut self) {
        self.store.detach(&self.session, &self.stream, self.number);
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match self.get_mut() {
            ResponseBody::Whole(bytes) => {
                Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes))))
            }
            ResponseBody::Events(events) => {
                let polled = events.poll_bytes(context);
                if let Poll::Ready(Some(_)) = polled {
                    events.last_sent = Instant::now();
                }
                polled.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, ResponseBody::Whole(None))
    }

    fn size_hint(&self) -> http_body::SizeHint {
        match self {
            ResponseBody::Whole(bytes) => {
                http_body::SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64)
            }
            ResponseBody::Events(_) => http_body::SizeHint::default(),
        }
    }
}
