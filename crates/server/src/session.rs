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
use seamstress_resumption::{EventLog, LogOptions, Reason, Resolution, Retained};
use tokio::sync::mpsc;

use crate::options::{Defect, Options};

/// How many events may wait for one connection before it is closed: a reader that is this far
/// behind must resume.
const QUEUED_EVENTS_MAX: usize = 8192;

/// An event as the log keeps it: its data, or none for a priming event.
pub(crate) type Stored = Option<Arc<str>>;

/// What a replica sees of the sessions that all replicas share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// Everything.
    #[default]
    Current,
    /// Nothing that was stored in the last so many milliseconds.
    Lagging {
        /// See above.
        lag_ms: u64,
    },
    /// The session, and none of its events.
    Empty,
    /// The session, with events numbered in another epoch.
    OtherEpoch,
}

/// One connection that a stream is attached to.
struct Attachment {
    number: u64,
    /// The replica whose process holds it.
    replica: usize,
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
    attachment: Option<Attachment>,
}

/// One session.
pub(crate) struct Session {
    /// The server's own name of it, for marks and traces.
    pub origin: String,
    pub log: EventLog<Stored>,
    pub streams: BTreeMap<String, Stream>,
    /// How many standalone streams there were.
    pub standalone_streams: u64,
    pub last_active_ms: u64,
    /// Whether the negotiated revision primes streams.
    pub primes: bool,
    connections: u64,
}

/// What a connection is attached with.
pub(crate) struct Attached {
    /// What goes out at once.
    pub first: Vec<Bytes>,
    /// What goes out after a replica has caught up, and how long that takes, in milliseconds.
    pub late: Option<(u64, Vec<Bytes>)>,
    /// What comes after; none if the stream has ended.
    pub live: Option<mpsc::Receiver<Bytes>>,
    /// The number under which the connection is detached again.
    pub number: u64,
    /// The stream.
    pub stream: String,
    /// Keeps `live` open without ever sending, for a connection that is attached to nothing.
    pub silent: Option<mpsc::Sender<Bytes>>,
}

/// A cursor, resolved as one replica sees it.
pub(crate) enum Resolved {
    /// Accepted: the stream, and how many milliseconds the replica lags.
    Accepted {
        stream: String,
        after: u64,
        replay: Vec<Retained<Stored>>,
        lag_ms: u64,
        caught_up: bool,
    },
    Refused(Reason),
}

impl Session {
    pub fn new(origin: String, log: EventLog<Stored>, primes: bool, now_ms: u64) -> Session {
        Session {
            origin,
            log,
            streams: BTreeMap::new(),
            standalone_streams: 0,
            last_active_ms: now_ms,
            primes,
            connections: 0,
        }
    }

    /// The options of a log for a session of this name.
    pub fn log_options(options: &Options, origin: &str) -> LogOptions {
        LogOptions {
            scheme: options.id_scheme,
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
    pub fn send(&mut self, stream: &str, bytes: Bytes) {
        let Some(stream) = self.streams.get_mut(stream) else { return };
        if let Some(attachment) = &stream.attachment
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
            stream.attachment = Some(Attachment { number, replica, queue });
            live
        });
        Some(Attached { first, late: None, live, number, stream: name.to_owned(), silent: None })
    }

    /// Puts every stream that has no connection on the one of stream `name`, as a server does that
    /// knows connections of a session and no streams.
    pub fn attach_all_to(&mut self, name: &str) {
        let Some(Attachment { number, replica, queue }) =
            self.streams.get(name).and_then(|stream| stream.attachment.as_ref())
        else {
            return;
        };
        let (number, replica, queue) = (*number, *replica, queue.clone());
        let loose = |stream: &&mut Stream| !stream.ended && stream.attachment.is_none();
        for stream in self.streams.values_mut().filter(loose) {
            stream.attachment = Some(Attachment { number, replica, queue: queue.clone() });
        }
    }

    /// A connection is gone. Only that one is detached: its successor may be attached already.
    pub fn detach(&mut self, name: &str, number: u64) {
        if let Some(stream) = self.streams.get_mut(name)
            && stream.attachment.as_ref().is_some_and(|attachment| attachment.number == number)
        {
            stream.attachment = None;
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
        self.streams.values_mut().for_each(|stream| stream.attachment = None);
    }

    /// How many connections are attached.
    pub fn attached(&self) -> u64 {
        self.streams.values().filter(|stream| stream.attachment.is_some()).count() as u64
    }

    /// Resolves a cursor as a replica with this view sees it.
    pub fn resolve(&self, cursor: &str, view: View, options: &Options, now_ms: u64) -> Resolved {
        if options.defects.has(Defect::ReplayWholeRing) {
            return self.resolve_whole_ring();
        }
        let (resolution, lag_ms) = match view {
            View::Current => (self.log.resolve_cursor(cursor), 0),
            View::Lagging { lag_ms } => {
                let as_of_ms = now_ms.saturating_sub(lag_ms);
                (self.log.resolve_cursor_as_of(cursor, as_of_ms), lag_ms)
            }
            View::Empty | View::OtherEpoch => (self.resolve_elsewhere(cursor, view, options), 0),
        };
        match resolution {
            Resolution::Refused(reason) => Resolved::Refused(reason),
            Resolution::Resume { stream, after, replay } => Resolved::Accepted {
                stream: stream.to_string(),
                after,
                replay,
                lag_ms,
                caught_up: false,
            },
            Resolution::CaughtUp { stream, after } => Resolved::Accepted {
                stream: stream.to_string(),
                after,
                replay: Vec::new(),
                lag_ms,
                caught_up: true,
            },
        }
    }

    /// What a replica makes of a cursor that holds the session and none of its events.
    fn resolve_elsewhere(&self, cursor: &str, view: View, options: &Options) -> Resolution<Stored> {
        let Ok(mut log) = EventLog::new(Session::log_options(options, &self.origin)) else {
            return Resolution::Refused(Reason::OtherSession);
        };
        if view == View::OtherEpoch {
            log.rebase(seamstress_resumption::Counters::Restarted);
        }
        log.resolve_cursor(cursor)
    }

    fn resolve_whole_ring(&self) -> Resolved {
        let Some(stream) = self.current_standalone() else {
            return Resolved::Refused(Reason::UnknownStream);
        };
        let replay = self.log.retained_all().map(|(_, event)| event.clone()).collect();
        Resolved::Accepted { stream, after: 0, replay, lag_ms: 0, caught_up: false }
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
