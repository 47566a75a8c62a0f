//! One HTTP exchange, recorded as the client's transport sees it.
//!
//! Owns connecting, sending one request, and reading the events of the answer with the client's
//! time limits. Every exchange has a connection of its own, so that cutting one touches no other.
//! It must not know what an event means for a stream.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use http::{Request, Response};
use http_body::{Body, Frame};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use seamstress_defects::Defects;
use seamstress_mcp::probe::{self, Probe};
use seamstress_net::Network;
use seamstress_trace::{Content, End, Host, Mark, Message, Recorder, What};
use sse_stream::{Sse, SseStream};
use tokio::task::JoinHandle;
use tokio::time::{Instant, Sleep, sleep, timeout};

use crate::misreading::Misreading;
use crate::wire::{Tokens, is_event_stream};

/// The longest single message that is read outside of a stream.
const MESSAGE_BYTES_MAX: usize = 4 << 20;

/// The port of the server.
const PORT: u16 = 80;

/// An exchange whose response head has arrived.
pub struct Exchange {
    number: u64,
    recorder: Recorder,
    tokens: Tokens,
    connection: Option<JoinHandle<()>>,
    ended: bool,
}

/// The events of an exchange.
pub struct Events {
    exchange: Exchange,
    stream: SseStream<Watched>,
    activity: Activity,
    misreading: Misreading,
    idle: Pin<Box<Sleep>>,
    idle_timeout: Duration,
}

/// One event block, with its message read.
pub struct Event {
    /// Its `id` field.
    pub id: Option<String>,
    /// Its `retry` field, in milliseconds.
    pub retry_ms: Option<u64>,
    /// Its `event` field, if it is given.
    pub kind: Option<String>,
    /// Its `data` fields, if there are any.
    pub data: Option<String>,
    /// The message that the data hold.
    pub message: Option<Message>,
}

impl Event {
    /// Whether it has data, and that is empty.
    pub(crate) fn has_empty_data(&self) -> bool {
        self.data.as_deref() == Some("")
    }
}

impl Exchange {
    /// Its number, unique in the run.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn new(number: u64, recorder: Recorder, tokens: Tokens) -> Exchange {
        Exchange { number, recorder, tokens, connection: None, ended: false }
    }

    /// Connects and sends a request; `None` when no response head came in time.
    pub(crate) async fn begin<N: Network>(
        mut self,
        network: &N,
        server: &str,
        request: Request<Full<Bytes>>,
        limit: Duration,
    ) -> Option<(Exchange, Response<Incoming>)> {
        match timeout(limit, self.send(network, server, request)).await {
            Ok(Some(response)) => Some((self, response)),
            Ok(None) | Err(_) => {
                self.end(End::NoResponse);
                None
            }
        }
    }

    async fn send<N: Network>(
        &mut self,
        network: &N,
        server: &str,
        request: Request<Full<Bytes>>,
    ) -> Option<Response<Incoming>> {
        let socket = network.connect(server, PORT).await.ok()?;
        let io = TokioIo::new(socket);
        let (mut sender, connection) = hyper::client::conn::http1::handshake(io).await.ok()?;
        self.connection = Some(tokio::spawn(async move {
            // What went wrong with the connection reaches whoever reads the response.
            let _ = connection.await;
        }));
        sender.send_request(request).await.ok()
    }

    /// Reads a body that is one message; `None` when it did not come whole in time.
    pub async fn whole(self, response: Response<Incoming>, limit: Duration) -> Option<Bytes> {
        let body = Limited::new(response.into_body(), MESSAGE_BYTES_MAX).collect();
        match timeout(limit, body).await {
            Ok(Ok(body)) => {
                self.end(End::Clean);
                Some(body.to_bytes())
            }
            Ok(Err(error)) => {
                let end = error.downcast_ref::<hyper::Error>().map_or(End::Malformed, end_of);
                self.end(end);
                None
            }
            Err(_) => {
                self.end(End::IdleTimeout);
                None
            }
        }
    }

    /// Reads a body that holds the answer to one request, whole or as a stream of events; `None`
    /// when the answer did not come.
    pub async fn answer(self, response: Response<Incoming>, limit: Duration) -> Option<Bytes> {
        if !is_event_stream(&response) {
            return self.whole(response, limit).await;
        }
        let mut events = self.events(response, limit);
        loop {
            let event = events.next().await.ok()?;
            if event.message.as_ref().is_some_and(Message::is_response) {
                return event.data.map(Bytes::from);
            }
        }
    }

    /// Reads a body that is a stream of events; it ends when no byte has come for `idle_timeout`.
    #[must_use]
    pub fn events(self, response: Response<Incoming>, idle_timeout: Duration) -> Events {
        self.misread(response, idle_timeout, Misreading::of(&Defects::default()))
    }

    /// The same, with a decoder that may have defects.
    pub(crate) fn misread(
        self,
        response: Response<Incoming>,
        idle_timeout: Duration,
        misreading: Misreading,
    ) -> Events {
        let activity = Activity::default();
        let body = Watched {
            body: response.into_body(),
            activity: activity.clone(),
            misreading: misreading.clone(),
        };
        let idle = Box::pin(sleep(idle_timeout));
        let stream = SseStream::new(body);
        Events { exchange: self, stream, activity, misreading, idle, idle_timeout }
    }

    /// Puts a call's name in the place of its progress token, where they differ.
    fn name_call(&self, token: &mut String) {
        // Nothing that can panic happens under this lock.
        let tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(call) = tokens.get(token) {
            token.clone_from(call);
        }
    }

    /// Records how it ended and closes the connection.
    pub fn end(mut self, end: End) {
        self.note_end(end);
    }

    fn note_end(&mut self, end: End) {
        if !self.ended {
            self.ended = true;
            self.recorder.record(Host::Client, What::End { exchange: self.number, end });
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.note_end(End::Left);
        if let Some(connection) = &self.connection {
            connection.abort();
        }
    }
}

impl Events {
    /// The number of the exchange.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.exchange.number
    }

    /// The next event, recorded.
    ///
    /// # Errors
    /// How the exchange ended, recorded too.
    pub async fn next(&mut self) -> Result<Event, End> {
        let next = poll_fn(|context| {
            loop {
                match self.stream.poll_next_unpin(context) {
                    Poll::Ready(Some(Ok(block))) if self.misreading.drops(block.data.is_some()) => {
                    }
                    Poll::Ready(next) => return Poll::Ready(Some(next)),
                    Poll::Pending => return self.poll_idle(context).map(|()| None),
                }
            }
        });
        match next.await {
            Some(Some(Ok(block))) => Ok(self.read(block)),
            Some(Some(Err(error))) => Err(self.ended(end_of_stream(&error))),
            Some(None) => Err(self.ended(End::Clean)),
            None => Err(self.ended(End::IdleTimeout)),
        }
    }

    /// Gives the exchange up: its bytes make no sense.
    pub fn give_up_as_malformed(&mut self) {
        self.exchange.note_end(End::Malformed);
    }

    /// The id of a block that the end of the body cut off, if that counts: a defect.
    pub fn unfinished_id(&self) -> Option<String> {
        self.misreading.unfinished_id()
    }

    /// Ready when no byte has come for the idle limit: a comment counts, though the decoder shows
    /// none of it. The timer is not moved with each byte; it looks at the last one when it fires.
    fn poll_idle(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while self.idle.as_mut().poll(context).is_ready() {
            let due = self.activity.last() + self.idle_timeout;
            if due <= Instant::now() {
                return Poll::Ready(());
            }
            self.idle.as_mut().reset(due);
        }
        Poll::Pending
    }

    fn ended(&mut self, end: End) -> End {
        self.exchange.note_end(end);
        end
    }

    fn read(&self, block: Sse) -> Event {
        // An event with empty data primes a cursor; it is no message (SEP-1699).
        let mut message = block.data.as_deref().filter(|data| !data.is_empty()).map(read_message);
        if let Some(Message { content: Content::Progress { call, .. }, .. }) = &mut message {
            self.exchange.name_call(call);
        }
        let Sse { id, retry, event, data, .. } = block;
        let event = Event { id, retry_ms: retry, kind: event, data, message };
        let record = What::Event {
            exchange: self.exchange.number,
            id: event.id.clone(),
            retry_ms: event.retry_ms,
            message: event.message.clone(),
        };
        self.exchange.recorder.record(Host::Client, record);
        event
    }
}

fn read_message(data: &str) -> Message {
    match probe::read(data) {
        Ok(read) => {
            let mark = read.mark.map(|mark| Mark {
                origin: mark.origin.into_owned(),
                stream: mark.stream.into_owned(),
                ordinal: mark.ordinal,
            });
            Message { content: content(read.probe), mark }
        }
        Err(error) => Message { content: Content::Other { method: error.to_string() }, mark: None },
    }
}

fn content(probe: Probe<'_>) -> Content {
    match probe {
        Probe::Progress { token, progress } => {
            Content::Progress { call: token.to_string(), progress }
        }
        Probe::Result { id, call, .. } => {
            Content::Result { request: id.to_string(), call: call.map(|call| call.into_owned()) }
        }
        Probe::Error { id, code, .. } => {
            Content::Error { request: id.map(|id| id.to_string()), code }
        }
        Probe::Announcement => Content::Notification,
        Probe::Request { method, .. } | Probe::OtherNotification { method } => {
            Content::Other { method: method.into_owned() }
        }
    }
}

fn end_of_stream(error: &sse_stream::Error) -> End {
    match error {
        sse_stream::Error::Body(error) => {
            error.downcast_ref::<hyper::Error>().map_or(End::Malformed, end_of)
        }
        _ => End::Malformed,
    }
}

fn end_of(error: &hyper::Error) -> End {
    let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref());
    let is_reset = cause
        .is_some_and(|cause: &std::io::Error| cause.kind() == std::io::ErrorKind::ConnectionReset);
    match (
        is_reset,
        error.is_incomplete_message() || error.is_closed() || error.is_body_write_aborted(),
    ) {
        (true, _) => End::Reset,
        (false, true) => End::NoLastChunk,
        (false, false) if cause.is_some() => End::NoLastChunk,
        (false, false) => End::Malformed,
    }
}

/// When a body last gave a byte.
#[derive(Clone)]
struct Activity(Arc<Mutex<Instant>>);

impl Default for Activity {
    fn default() -> Activity {
        Activity(Arc::new(Mutex::new(Instant::now())))
    }
}

impl Activity {
    fn last(&self) -> Instant {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

/// A body that notes when it gives bytes.
struct Watched {
    body: Incoming,
    activity: Activity,
    misreading: Misreading,
}

impl Body for Watched {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(_))) = &polled {
            self.activity.note();
        }
        polled.map_ok(|frame| frame.map_data(|bytes| self.misreading.bytes(bytes)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.size_hint()
    }
}
