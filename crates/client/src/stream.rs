//! Reading one stream of a session, and resuming it when its connection breaks.
//!
//! Owns the stream's cursor, its `retry`, the bound on reconnections, and the continuity check. It
//! is the same for the stream of a call and for the standalone stream. It must not know what the
//! application does with messages.

use std::sync::Arc;
use std::time::Duration;

use http::{Response, StatusCode};
use hyper::body::Incoming;
use seamstress_mcp::sse::LastEventId;
use seamstress_net::Network;
use seamstress_resumption::{Continuity, on_reconnect, validate_resume};
use seamstress_trace::{Check, Content, End, Host, Message, Method, What};
use tokio::time::sleep;

use crate::exchange::{Event, Events, Exchange};
use crate::options::Defect;
use crate::session::{Answer, Session};
use crate::shared::{Ask, NOT_FOUND, Shared};
use crate::wire::is_event_stream;

/// One stream of a session.
pub(crate) struct Stream<N: Network> {
    shared: Arc<Shared<N>>,
    session: Arc<Session>,
    /// The client's name of it.
    label: String,
    cursor: LastEventId,
    retry_ms: Option<u64>,
    /// Reconnections since the last message.
    idle_reconnects: u64,
}

/// What became of an attempt to continue.
#[expect(clippy::large_enum_variant, reason = "one per reconnection, and used up at once")]
pub(crate) enum Attempt {
    /// A connection carries the stream again.
    Open(Events),
    /// Not this time.
    Failed,
    /// There is no cursor to resume with.
    NoCursor,
    /// The session is lost.
    Lost,
    /// The server has no such stream to listen to.
    NotOffered,
}

impl<N: Network> Stream<N> {
    pub fn new(shared: &Arc<Shared<N>>, session: &Arc<Session>, label: &str) -> Stream<N> {
        session.count_stream();
        Stream {
            shared: shared.clone(),
            session: session.clone(),
            label: label.to_owned(),
            cursor: LastEventId::default(),
            retry_ms: None,
            idle_reconnects: 0,
        }
    }

    /// Forgets the cursor: a fresh stream takes the place of the one before.
    pub fn begin_anew(&mut self) {
        self.cursor = LastEventId::default();
        self.session.count_stream();
        self.session.forget_promises();
    }

    /// Takes a response as the connection of this stream.
    pub fn attach(&self, exchange: Exchange, response: Response<Incoming>) -> Events {
        let idle_timeout = Duration::from_millis(self.shared.options.idle_timeout_ms);
        exchange.events(response, idle_timeout)
    }

    /// Reads until the connection ends. `resumed`: the first event must continue the stream.
    /// False: it did not, and the session is lost.
    pub async fn read(&mut self, events: &mut Events, resumed: bool) -> bool {
        let mut unchecked = resumed;
        while let Ok(event) = events.next().await {
            if let Some(retry_ms) = event.retry_ms {
                self.retry_ms = Some(retry_ms);
            }
            if unchecked && (event.message.is_some() || event.id.is_some()) {
                unchecked = false;
                if !self.continues(events.number(), &event) {
                    self.shared.lose(&self.session, "continuity");
                    return false;
                }
            }
            self.process(events.number(), event);
        }
        true
    }

    /// Hands an event's message over, and only then moves the cursor past it.
    fn process(&mut self, exchange: u64, event: Event) {
        if let Some(message) = event.message {
            self.idle_reconnects = 0;
            self.hand_over(exchange, message);
        }
        let id = event.id.as_deref();
        if self.has(Defect::OneCursorSlot) {
            self.session.with_slot(|slot| slot.observe(id));
        } else {
            self.cursor.observe(id);
        }
    }

    fn hand_over(&self, exchange: u64, message: Message) {
        let to = match &message.content {
            Content::Progress { call, .. } => Some(call.clone()),
            Content::Result { request, .. } => self.session.answer(request, Answer::Result),
            Content::Error { request: Some(request), .. } => {
                self.session.answer(request, Answer::Error)
            }
            Content::Error { request: None, .. } | Content::Other { .. } => None,
            Content::Notification => {
                self.session.count_notification();
                Some(self.label.clone())
            }
        };
        // A response to a request that was never made belongs to nobody.
        if let Some(to) = to {
            self.shared.recorder.record(Host::Client, What::Deliver { exchange, to, message });
        }
    }

    /// The continuity check.
    fn continues(&self, exchange: u64, event: &Event) -> bool {
        if self.has(Defect::NoContinuityCheck) {
            return true;
        }
        let Some(last) = self.cursor.header_value() else { return true };
        let first = event.id.as_deref().unwrap_or_default();
        let options = &self.shared.options;
        let streams = self.session.streams();
        let continuity = validate_resume(options.id_scheme, streams, last, first);
        let accepted = on_reconnect(continuity, last, first, options.unverifiable).is_ok();
        let record = What::Continuity {
            exchange,
            last: last.to_owned(),
            first: first.to_owned(),
            check: match continuity {
                Continuity::Continuous => Check::Continuous,
                Continuity::Gap => Check::Gap,
                Continuity::RebasedOrReplayed => Check::RebasedOrReplayed,
                Continuity::Unverifiable => Check::Unverifiable,
            },
            accepted,
        };
        self.shared.recorder.record(Host::Client, record);
        accepted
    }

    /// Waits as long as the server asked, then resumes with the stream's cursor.
    pub async fn resume(&mut self) -> Attempt {
        let Some(cursor) = self.current_cursor() else { return Attempt::NoCursor };
        match self.wait_to_reconnect().await {
            Ok(()) => self.get(Some(&cursor)).await,
            Err(lost) => lost,
        }
    }

    /// Waits likewise, then listens without a cursor.
    pub async fn listen_again(&mut self) -> Attempt {
        match self.wait_to_reconnect().await {
            Ok(()) => self.listen().await,
            Err(lost) => lost,
        }
    }

    /// Listens without a cursor.
    pub async fn listen(&mut self) -> Attempt {
        self.get(None).await
    }

    /// Whether one cursor stands for all streams of the session: a defect.
    pub fn shares_one_cursor(&self) -> bool {
        self.has(Defect::OneCursorSlot)
    }

    /// The cursor to resume with now, if there is one.
    pub fn current_cursor(&self) -> Option<String> {
        if self.has(Defect::OneCursorSlot) {
            return self.session.with_slot(|slot| slot.header_value().map(str::to_owned));
        }
        self.cursor.header_value().map(str::to_owned)
    }

    async fn wait_to_reconnect(&mut self) -> Result<(), Attempt> {
        self.idle_reconnects += 1;
        if self.idle_reconnects > self.shared.options.reconnects_max {
            self.shared.lose(&self.session, "gave-up");
            return Err(Attempt::Lost);
        }
        let delay_ms = self.retry_ms.unwrap_or(self.shared.options.reconnect_delay_ms);
        sleep(Duration::from_millis(delay_ms)).await;
        Ok(())
    }

    async fn get(&mut self, cursor: Option<&str>) -> Attempt {
        let ask = Ask {
            method: Method::Get,
            session: Some(&self.session),
            cursor,
            stream: Some(&self.label),
            message: None,
        };
        let Some((exchange, response)) = self.shared.send(&ask).await else {
            return Attempt::Failed;
        };
        match response.status() {
            StatusCode::OK if is_event_stream(&response) => {
                Attempt::Open(self.attach(exchange, response))
            }
            StatusCode::NOT_FOUND => {
                exchange.end(End::Clean);
                self.shared.lose(&self.session, NOT_FOUND);
                Attempt::Lost
            }
            status if status.is_server_error() => {
                exchange.end(End::Clean);
                Attempt::Failed
            }
            // The standalone stream is optional: without it the rest of the session goes on
            // (`basic/transports`, Listening for Messages).
            _ if cursor.is_none() => {
                exchange.end(End::Clean);
                Attempt::NotOffered
            }
            _ => {
                // Any other answer refuses the cursor: continuity cannot be proven.
                exchange.end(End::Clean);
                self.shared.lose(&self.session, "refused");
                Attempt::Lost
            }
        }
    }

    fn has(&self, defect: Defect) -> bool {
        self.shared.options.defects.has(defect)
    }
}
