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

use crate::defects::Defect;
use crate::exchange::{Event, Events, Exchange};
use crate::misreading::Misreading;
use crate::session::{Answer, Session};
use crate::shared::{Ask, NOT_FOUND, Shared};
use crate::wire::is_event_stream;

/// How long a client that queues messages takes before it processes one, in milliseconds.
const QUEUED_MS: u64 = 2;

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
    /// How its last connection ended.
    last_end: End,
    /// A message that waits to be processed, with its exchange: a defect.
    queued: Option<(u64, Message)>,
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
            last_end: End::Clean,
            queued: None,
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
        let misreading = Misreading::of(&self.shared.options.defects);
        exchange.misread(response, idle_timeout, misreading)
    }

    /// Reads until the connection ends. `resumed`: the first event must continue the stream.
    /// False: it did not, and the session is lost.
    pub async fn read(&mut self, events: &mut Events, resumed: bool) -> bool {
        let mut unchecked = resumed;
        let mut brought_id = false;
        while let Some(event) = self.next(events).await {
            if let Some(retry_ms) = event.retry_ms {
                self.retry_ms = Some(retry_ms);
            }
            if event.has_empty_data() && self.has(Defect::EmptyDataParsed) {
                events.give_up_as_malformed();
                break;
            }
            if unchecked && (event.message.is_some() || event.id.is_some()) {
                unchecked = false;
                if !self.continues(events.number(), &event) {
                    self.shared.lose(&self.session, "continuity");
                    return false;
                }
            }
            brought_id |= event.id.is_some();
            self.process(events.number(), event);
        }
        if let Some(id) = events.unfinished_id() {
            self.move_cursor(Some(&id));
        }
        if resumed && !brought_id && self.has(Defect::CursorDroppedBySilentResume) {
            self.cursor = LastEventId::default();
        }
        true
    }

    /// The next event; none when the connection has ended.
    async fn next(&mut self, events: &mut Events) -> Option<Event> {
        if let Some((exchange, message)) = self.queued.take() {
            tokio::select! {
                biased;
                next = events.next() => {
                    // What is queued outlives the connection only if that was closed in order.
                    if matches!(next, Ok(_) | Err(End::Clean)) {
                        self.hand_over(exchange, message);
                    }
                    return self.note_end(next);
                }
                () = sleep(Duration::from_millis(QUEUED_MS)) => self.hand_over(exchange, message),
            }
        }
        let next = events.next().await;
        self.note_end(next)
    }

    fn note_end(&mut self, next: Result<Event, End>) -> Option<Event> {
        next.map_err(|end| self.last_end = end).ok()
    }

    /// Hands an event's message over, and only then moves the cursor past it.
    fn process(&mut self, exchange: u64, event: Event) {
        if event.message.is_none() && self.has(Defect::IdOnlyEventIgnored) {
            return;
        }
        let resets = event.has_empty_data() && self.has(Defect::PrimingResetsCursor);
        if let Some(message) = event.message {
            self.idle_reconnects = 0;
            if self.has(Defect::CursorBeforeProcessing) {
                self.queued = Some((exchange, message));
            } else {
                self.hand_over(exchange, message);
            }
        }
        let id = event.id.as_deref();
        self.move_cursor(if resets { Some(id.unwrap_or_default()) } else { id });
    }

    fn move_cursor(&mut self, id: Option<&str>) {
        if !self.has(Defect::OneCursorSlot) {
            self.cursor.observe(id);
        }
        let keeps_newest =
            [Defect::OneCursorSlot, Defect::ResumesWithIdOfOtherStream, Defect::LastEventIdOnPost];
        if keeps_newest.into_iter().any(|defect| self.has(defect)) {
            self.session.with_slot(|slot| slot.observe(id));
        }
    }

    fn hand_over(&self, exchange: u64, message: Message) {
        if self.has(Defect::FirstEventIsTheResponse) {
            self.session.answer_label(&self.label);
        }
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
        if self.has(Defect::ResumesWithIdOfOtherStream) {
            let newest = self.session.with_slot(|slot| slot.clone());
            self.cursor.observe(newest.header_value());
        }
        let Some(cursor) = self.current_cursor() else { return self.without_cursor().await };
        if let Err(lost) = self.wait_to_reconnect().await {
            return lost;
        }
        if self.has(Defect::TwoResumes) {
            self.resume_beside(&cursor);
        }
        self.get(Some(&cursor)).await
    }

    /// Without a cursor nothing can be resumed.
    async fn without_cursor(&mut self) -> Attempt {
        if self.has(Defect::CursorDroppedBySilentResume) {
            return self.listen_again().await;
        }
        Attempt::NoCursor
    }

    /// Resumes the same stream once more, in a task of its own: a defect.
    fn resume_beside(&self, cursor: &str) {
        let mut twin = Stream {
            shared: self.shared.clone(),
            session: self.session.clone(),
            label: self.label.clone(),
            cursor: self.cursor.clone(),
            retry_ms: None,
            idle_reconnects: 0,
            last_end: End::Clean,
            queued: None,
        };
        let cursor = cursor.to_owned();
        tokio::spawn(async move {
            let session = twin.session.clone();
            let follow = async {
                if let Attempt::Open(mut events) = twin.get(Some(&cursor)).await {
                    twin.read(&mut events, true).await;
                }
            };
            tokio::select! {
                biased;
                () = session.lost() => {}
                () = follow => {}
            }
        });
    }

    /// Begins a session by resuming with the cursor of the one before: a defect.
    pub async fn resume_from_before(&mut self, cursor: &str) -> Attempt {
        self.cursor.observe(Some(cursor));
        self.get(Some(cursor)).await
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

    /// Gives the session up because a stream broke, where the client does so: a defect.
    pub fn begins_anew_instead(&self) -> bool {
        let begins_anew = self.has(Defect::RepostInsteadOfResume);
        if begins_anew {
            self.shared.lose(&self.session, "reconnect");
        }
        begins_anew
    }

    /// Takes the transport down because a GET failed, where the client does so: a defect.
    pub fn takes_all_down(&self, failed: bool) -> bool {
        let broke = failed || self.last_end != End::Clean;
        let takes_down = broke && self.has(Defect::GetFailureIsFatal);
        if takes_down {
            self.session.cut_off();
        }
        takes_down
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
        let too_many = self.idle_reconnects > self.shared.options.reconnects_max;
        if too_many && !self.has(Defect::UnboundedReconnection) {
            let outlives = self.has(Defect::ReconnectOutlivesRequest);
            if !(outlives && self.session.is_answered(&self.label)) {
                self.shared.lose(&self.session, "gave-up");
            }
            return Err(Attempt::Lost);
        }
        let asked_ms = self.retry_ms.filter(|_| !self.has(Defect::IgnoresRetry));
        let delay_ms = asked_ms.unwrap_or(self.shared.options.reconnect_delay_ms);
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
        self.shared.has(defect)
    }
}
