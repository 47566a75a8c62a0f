//! One session: its event log and its streams.
//!
//! Owns the state that a replay and a live event must agree on, so that there is no seam between
//! them: appending and handing to the attached connection happen together, as do reading the
//! replay and attaching. It must not know HTTP; bytes go into a queue that somebody else drains.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use seamstress_mcp::message::RequestId;
use seamstress_mcp::sse::{self, Event, Priming};
use seamstress_resumption::{EventLog, IdScheme, LogOptions};
use tokio::sync::mpsc;

use crate::defects::Defect;
use crate::options::Options;

/// How many events may wait for one connection before it is closed: a reader that is this far
/// behind must resume.
const QUEUED_EVENTS_MAX: usize = 8192;

/// An event as the log keeps it: its data, or none for a priming event.
pub(crate) type Stored = Option<Arc<str>>;

/// One connection that a stream is attached to.
struct Attachment {
    number: u64,
    /// The replica whose process holds it.
    replica: usize,
    /// Nothing is sent on it before this time, in milliseconds.
    from_ms: u64,
    queue: mpsc::Sender<Bytes>,
}

/// One stream of a session; it outlives its connections.
pub(crate) struct Stream {
    /// The request it answers; none for a standalone stream.
    pub request: Option<RequestId<'static>>,
    /// How many messages it has carried.
    pub messages: u64,
    /// Whether nothing more will come: it was answered, or superseded.
    pub ended: bool,
    /// Whether a connection was ever attached.
    pub connected: bool,
    /// The replica whose process runs its call.
    pub runs_on: usize,
    /// Whether its call was given up: a defect.
    pub cancelled: bool,
    attachment: Option<Attachment>,
}

/// One session.
pub(crate) struct Session {
    /// The server's own name of it, for marks and traces.
    pub origin: String,
    pub options: Arc<Options>,
    pub log: EventLog<Stored>,
    pub streams: BTreeMap<String, Stream>,
    /// How many standalone streams there were.
    pub standalone_streams: u64,
    pub last_active_ms: u64,
    /// Whether the negotiated revision primes streams.
    pub primes: bool,
    /// The replica that took it over last.
    pub home: usize,
    /// The newest request.
    pub newest_request: Option<RequestId<'static>>,
    /// The stream on which each id was issued; empty unless a defect reads it.
    pub index: BTreeMap<String, String>,
    /// How many broken connections were not released: a defect.
    leaked: u64,
    /// Connections that are open and of which no stream knows: a defect.
    forgotten: Vec<Attachment>,
    connections: u64,
}

/// What goes out some time after a connection was attached, before anything live.
pub(crate) enum Late {
    /// Events that are known.
    Events(Vec<Bytes>),
    /// What the stream will retain by then after this position.
    After(u64),
}

/// What a connection is attached with.
pub(crate) struct Attached {
    /// What goes out at once.
    pub first: Vec<Bytes>,
    /// What goes out after a replica has caught up, and how long that takes, in milliseconds.
    pub late: Option<(u64, Late)>,
    /// What goes out beside what is live.
    pub beside: Vec<Bytes>,
    /// What comes after; none if the stream has ended.
    pub live: Option<mpsc::Receiver<Bytes>>,
    /// The number under which the connection is detached again.
    pub number: u64,
    /// The stream.
    pub stream: String,
    /// Keeps `live` open without ever sending, for a connection that is attached to nothing.
    pub silent: Option<mpsc::Sender<Bytes>>,
}

impl Attached {
    /// A connection that is attached to nothing, as some servers in the field give it; it carries
    /// these events and after them comments only.
    pub fn silent(first: Vec<Bytes>) -> Attached {
        let (queue, live) = mpsc::channel::<Bytes>(1);
        Attached {
            first,
            late: None,
            beside: Vec::new(),
            live: Some(live),
            number: 0,
            stream: String::new(),
            silent: Some(queue),
        }
    }
}

impl Session {
    pub fn new(
        origin: String,
        options: Arc<Options>,
        log: EventLog<Stored>,
        primes: bool,
        now_ms: u64,
    ) -> Session {
        Session {
            origin,
            options,
            log,
            streams: BTreeMap::new(),
            standalone_streams: 0,
            last_active_ms: now_ms,
            primes,
            home: 0,
            newest_request: None,
            index: BTreeMap::new(),
            leaked: 0,
            forgotten: Vec::new(),
            connections: 0,
        }
    }

    /// Whether this server has a defect.
    pub fn has(&self, defect: Defect) -> bool {
        self.options.defects.has(defect)
    }

    /// The options of a log for a session of this name.
    pub fn log_options(options: &Options, origin: &str) -> LogOptions {
        let has_bare_counters = options.defects.has(Defect::StreamCountersWithoutNamespace);
        let scheme = if has_bare_counters { IdScheme::StreamCounter } else { options.id_scheme };
        LogOptions {
            scheme,
            floor: options.floor,
            retention: options.retention,
            session_tag: origin.to_owned(),
            first_counter: options.first_event_id,
        }
    }

    /// Begins a stream; a priming event is appended by the caller.
    pub fn begin(&mut self, name: &str, request: Option<RequestId<'static>>, runs_on: usize) {
        let stream = Stream {
            request,
            messages: 0,
            ended: false,
            connected: false,
            runs_on,
            cancelled: false,
            attachment: None,
        };
        self.streams.insert(name.to_owned(), stream);
    }

    /// The standalone stream that is current, if there ever was one.
    pub fn current_standalone(&self) -> Option<String> {
        (self.standalone_streams > 0).then(|| format!("standalone-{}", self.standalone_streams))
    }

    /// Begins the next standalone stream and supersedes the one before.
    pub fn next_standalone(&mut self) -> String {
        if let Some(before) = self.current_standalone() {
            self.end_stream(&before);
        }
        self.standalone_streams += 1;
        let name = format!("standalone-{}", self.standalone_streams);
        self.begin(&name, None, 0);
        name
    }

    /// Sends bytes to the connection attached to a stream, if there is one.
    pub fn send(&mut self, stream: &str, bytes: Bytes, now_ms: u64) {
        let Some(stream) = self.streams.get_mut(stream) else { return };
        if let Some(attachment) = &stream.attachment
            && now_ms >= attachment.from_ms
            && attachment.queue.try_send(bytes).is_err()
        {
            // Too far behind, or gone: the connection ends, and its client resumes.
            stream.attachment = None;
        }
    }

    /// Nothing more will come on this stream: its connection ends after what is queued.
    pub fn end_stream(&mut self, stream: &str) {
        if let Some(stream) = self.streams.get_mut(stream) {
            stream.ended = true;
            stream.attachment = None;
        }
    }

    /// Attaches a connection to a stream; one that was attached before ends.
    pub fn attach(&mut self, name: &str, first: Vec<Bytes>, replica: usize) -> Option<Attached> {
        let stream = self.streams.get_mut(name)?;
        self.connections += 1;
        stream.connected = true;
        let number = self.connections;
        let live = (!stream.ended).then(|| {
            let (queue, live) = mpsc::channel(QUEUED_EVENTS_MAX);
            stream.attachment = Some(Attachment { number, replica, from_ms: 0, queue });
            live
        });
        Some(Attached {
            first,
            late: None,
            beside: Vec::new(),
            live,
            number,
            stream: name.to_owned(),
            silent: None,
        })
    }

    /// Nothing is sent on the connection of a stream before this time, in milliseconds.
    pub fn register_from(&mut self, name: &str, from_ms: u64) {
        let stream = self.streams.get_mut(name);
        if let Some(attachment) = stream.and_then(|stream| stream.attachment.as_mut()) {
            attachment.from_ms = from_ms;
        }
    }

    /// Whether a connection is attached to a stream.
    pub fn is_attached(&self, name: &str) -> bool {
        self.streams.get(name).is_some_and(|stream| stream.attachment.is_some())
    }

    /// Puts every stream that has no connection on the one of stream `name`, as a server does that
    /// knows connections of a session and no streams.
    pub fn attach_all_to(&mut self, name: &str) {
        let Some(Attachment { number, replica, from_ms, queue }) =
            self.streams.get(name).and_then(|stream| stream.attachment.as_ref())
        else {
            return;
        };
        let (number, replica, from_ms) = (*number, *replica, *from_ms);
        let queue = queue.clone();
        let loose = |stream: &&mut Stream| !stream.ended && stream.attachment.is_none();
        for stream in self.streams.values_mut().filter(loose) {
            let queue = queue.clone();
            stream.attachment = Some(Attachment { number, replica, from_ms, queue });
        }
    }

    /// A connection is gone. Only that one is detached: its successor may be attached already.
    pub fn detach(&mut self, name: &str, number: u64) {
        let leaks = self.has(Defect::ConnectionLeak);
        let takes_any = self.has(Defect::StaleDisconnectDeregistersSuccessor);
        let cancels = self.has(Defect::DisconnectCancelsCall);
        let Some(stream) = self.streams.get_mut(name) else { return };
        let Some(attachment) = &stream.attachment else { return };
        if attachment.number == number {
            stream.attachment = None;
            stream.cancelled = cancels && stream.request.is_some();
            self.leaked += u64::from(leaks);
        } else if takes_any {
            self.forgotten.extend(stream.attachment.take());
        }
    }

    /// Closes the connection of a stream that goes on.
    pub fn close_connection(&mut self, stream: &str) {
        if let Some(stream) = self.streams.get_mut(stream) {
            stream.attachment = None;
        }
    }

    /// Ends the connections that a replica's process held: it is gone.
    pub fn detach_replica(&mut self, replica: usize) {
        for stream in self.streams.values_mut() {
            if stream.attachment.as_ref().is_some_and(|held| held.replica == replica) {
                stream.attachment = None;
            }
        }
    }

    /// Ends all connections at once: the session is gone.
    pub fn detach_all(&mut self) {
        self.forgotten.clear();
        self.streams.values_mut().for_each(|stream| stream.attachment = None);
    }

    /// How many connections are attached.
    pub fn attached(&self) -> u64 {
        let held = self.streams.values().filter(|stream| stream.attachment.is_some());
        held.count() as u64 + self.leaked
    }

    /// Every stream with its lowest retained position.
    pub fn floors(&self) -> Vec<(String, u64)> {
        let floor =
            |stream: &str| (stream.to_owned(), self.log.floor_position(stream).unwrap_or_default());
        self.log.streams().map(floor).collect()
    }
}

/// The bytes of one stored event.
pub(crate) fn encode(id: &str, stored: &Stored, options: &Options) -> Bytes {
    let Some(data) = stored else { return encode_priming(id, options) };
    let event = Event { id: Some(id), event: None, data: Some(data), retry_ms: None };
    // Ids are made by the log: they hold no character that an `id` field cannot carry.
    sse::encode(&event, options.line_ending).unwrap_or_default()
}

fn encode_priming(id: &str, options: &Options) -> Bytes {
    let form = match (options.priming, options.retry_ms) {
        // A log that was written under another form is still read.
        (Priming::None, _) => Priming::IdAndEmptyData,
        (Priming::IdAndRetry, None) => Priming::IdOnly,
        (form, _) => form,
    };
    let retry_ms = options.retry_ms.unwrap_or_default();
    let event = sse::priming_event(form, id, retry_ms, options.line_ending);
    event.ok().flatten().unwrap_or_default()
}
