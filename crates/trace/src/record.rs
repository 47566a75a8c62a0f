//! The records of a trace: what each participant did or saw, one closed enum.
//!
//! Owns the vocabulary that every judge, story and importer shares. A record states a fact at one
//! place on the path; it never states a conclusion (whether an event is a duplicate is for
//! `seamstress-oracle` to find). It must not know how a run was made: fields that a capture from
//! outside cannot know are optional.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where on the path a record was observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Host {
    /// The MCP client: its transport and the application above it.
    Client,
    /// The proxy between client and server.
    Proxy,
    /// The first (or only) server replica.
    Server,
    /// A further server replica behind the proxy.
    #[serde(rename = "server-2")]
    Server2,
    /// A further server replica behind the proxy.
    #[serde(rename = "server-3")]
    Server3,
    /// The run itself: its phases and its end.
    Run,
}

impl Host {
    /// The host of the server replica with this index, counted from 0; at most three replicas.
    #[must_use]
    pub const fn replica(index: usize) -> Host {
        match index {
            0 => Host::Server,
            1 => Host::Server2,
            _ => Host::Server3,
        }
    }

    /// The name used in traces and stories.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Host::Client => "client",
            Host::Proxy => "proxy",
            Host::Server => "server",
            Host::Server2 => "server-2",
            Host::Server3 => "server-3",
            Host::Run => "run",
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One line of a trace: when, where, what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Simulated (or captured) time since the start of the run, in milliseconds.
    pub at_ms: u64,
    /// Where it was observed.
    pub host: Host,
    /// What was observed.
    #[serde(flatten)]
    pub what: What,
}

/// The truth an event carries about itself: which session and stream it was emitted on, and its
/// place there. Ids are never the ground truth; these marks are (design section 5).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Mark {
    /// The emitting server's own name of the session.
    pub origin: String,
    /// The label of the stream it was emitted on: a call's label, or `standalone-1` and so on.
    pub stream: String,
    /// Its place on that stream, counted from 1.
    pub ordinal: u64,
}

/// What a message on a stream was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Content {
    /// Progress of the call with this token, and its value.
    Progress {
        /// The progress token: the label of the call.
        call: String,
        /// The value, which must rise.
        progress: u64,
    },
    /// The result of a call.
    Result {
        /// The JSON-RPC request id it answers, as text.
        request: String,
        /// The label of the call it claims to answer, if it carries one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<String>,
    },
    /// A JSON-RPC error.
    Error {
        /// The JSON-RPC request id it answers, as text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
        /// The JSON-RPC error code.
        code: i64,
    },
    /// A notification that belongs to no call.
    Notification,
    /// A JSON-RPC request or notification that the probes do not use.
    Other {
        /// Its method, or what kept it from being read.
        method: String,
    },
}

/// One message as carried by an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// What it was.
    #[serde(flatten)]
    pub content: Content,
    /// Its truth about itself, where it carries one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
}

impl Message {
    /// Whether this answers a request (a result or an error), which ends a call's stream.
    #[must_use]
    pub fn is_response(&self) -> bool {
        matches!(self.content, Content::Result { .. } | Content::Error { .. })
    }
}

/// How one HTTP exchange ended, as its receiver saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// The body ended with its last chunk.
    Clean,
    /// The connection was closed without the last chunk.
    NoLastChunk,
    /// The connection was reset.
    Reset,
    /// Nothing arrived for the client's idle limit, and the client left.
    IdleTimeout,
    /// No connection could be made, or no response head came in time.
    NoResponse,
    /// The receiver had what it wanted (or its session was gone) and left.
    Left,
    /// The bytes were not what the protocol allows, and the receiver left.
    Malformed,
}

/// The HTTP method of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[expect(missing_docs, reason = "the names are those of RFC 9110")]
pub enum Method {
    Get,
    Post,
    Delete,
}

/// What the server said of the session itself, apart from any cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SessionState {
    /// The session is in use.
    Live,
    /// The server does not know this session.
    Unknown,
    /// The server knew this session and ended it.
    Expired,
}

/// What the server decided about a cursor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// Accepted: this many events are replayed, then live events follow.
    Resume {
        /// How many events the server replays.
        replayed: u64,
    },
    /// Accepted: nothing is due.
    CaughtUp,
    /// Refused for this reason (a kebab-case name of the rule), or for want of a session.
    Refused {
        /// The reason's name.
        reason: String,
    },
}

/// How a call ended for the application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The result arrived.
    Done,
    /// An error arrived, or the call was certainly never run.
    Failed,
    /// The stream was lost and said so: the call may or may not have run.
    Unknown,
}

/// The client's continuity check of the first event after a resumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// The first event is the successor of the last one processed.
    Continuous,
    /// The first event is later than the successor.
    Gap,
    /// The first event is not later than the last one processed, or from another id space.
    RebasedOrReplayed,
    /// The ids do not tell.
    Unverifiable,
}

/// How far a fault of the plan got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultState {
    /// Its place in the protocol occurred.
    Reached,
    /// Its action was carried out.
    Fired,
    /// Its action changed something that another participant could see.
    Effective,
}

/// What was observed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum What {
    /// The server's application emitted a message, which now stands in the event log.
    Emit {
        /// The server's own name of the session.
        session: String,
        /// The server's name of the stream.
        stream: String,
        /// The event id it was stored under; none if it was not stored with one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// Its place in the stream's log, counted from 1 and never reset.
        position: u64,
        /// The message; none for a priming event.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<Message>,
    },
    /// The server began to execute a tool.
    Execute {
        /// The server's own name of the session.
        session: String,
        /// The label of the call.
        call: String,
    },
    /// The server decided about a cursor.
    Verdict {
        /// The exchange, as the client numbers it, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exchange: Option<u64>,
        /// The server's own name of the session; none if it is unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<String>,
        /// The session verdict, which is a value of its own.
        session_state: SessionState,
        /// The cursor that was presented.
        cursor: String,
        /// The resumption verdict.
        decision: Decision,
        /// The stream the cursor was attributed to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stream: Option<String>,
        /// Every stream of the session's log with its lowest retained position (one more than the
        /// newest when nothing is retained) as the log, not the replica, has it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        floors: Vec<(String, u64)>,
    },
    /// The server ended a session.
    SessionEnd {
        /// The server's own name of the session.
        session: String,
        /// Why: `deleted`, `refused`, `idle`, `evicted`, `lost`.
        why: String,
    },
    /// The client sent a request.
    Request {
        /// The number of the exchange, unique in the run.
        exchange: u64,
        /// The HTTP method.
        method: Method,
        /// `Mcp-Session-Id`, renamed by first sight.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<String>,
        /// `Last-Event-ID`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cursor: Option<String>,
        /// `MCP-Protocol-Version`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        protocol_version: Option<String>,
        /// The JSON-RPC method of a POST.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rpc: Option<String>,
        /// The JSON-RPC request id of a POST, as text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rpc_id: Option<String>,
        /// The client's name of the stream that this exchange begins or continues: the label of an
        /// operation, or `standalone`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stream: Option<String>,
    },
    /// The client received a response head.
    Response {
        /// The exchange.
        exchange: u64,
        /// The HTTP status.
        status: u16,
        /// `Mcp-Session-Id`, renamed by first sight.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<String>,
        /// Whether the body is an event stream.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        event_stream: bool,
        /// `Mcp-Resumption`, the server's stated verdict.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resumption: Option<String>,
    },
    /// The client's transport decoded one event block.
    Event {
        /// The exchange.
        exchange: u64,
        /// The block's `id` field: none without one, empty if it resets the cursor.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The block's `retry` field, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_ms: Option<u64>,
        /// The message; none if the data were empty or absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<Message>,
    },
    /// The exchange ended at the client.
    End {
        /// The exchange.
        exchange: u64,
        /// How.
        end: End,
    },
    /// The client compared the first event after a resumption with its cursor.
    Continuity {
        /// The exchange of the resumption.
        exchange: u64,
        /// The id of the last event processed on this stream.
        last: String,
        /// The id of the first event received.
        first: String,
        /// What the comparison gave.
        check: Check,
        /// Whether the client went on.
        accepted: bool,
    },
    /// The client handed a message to the application.
    Deliver {
        /// The exchange it came on.
        exchange: u64,
        /// The label of the operation it was handed to, or `standalone`.
        to: String,
        /// The message.
        message: Message,
    },
    /// A call ended for the application.
    Outcome {
        /// The label of the call.
        call: String,
        /// How.
        outcome: Outcome,
    },
    /// A session began at the client.
    SessionBegin {
        /// `Mcp-Session-Id`, renamed by first sight; none if the server gave none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<String>,
        /// The server's own name of the session, if it told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<String>,
    },
    /// The client told the application that continuity is gone: all streams of the session are
    /// given up, and their pending calls end.
    DeclareLoss {
        /// `Mcp-Session-Id`, renamed by first sight.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<String>,
        /// Why: `not-found`, `continuity`, `gave-up`, and so on.
        why: String,
    },
    /// The proxy gave a session another public id.
    Rotate {
        /// The id before, renamed by first sight.
        from: String,
        /// The id after, renamed by first sight.
        to: String,
        /// Whether the one before is still taken.
        keeps_old: bool,
    },
    /// A fault of the plan moved on.
    Fault {
        /// The fault's id in the plan.
        fault: String,
        /// Its family.
        family: String,
        /// Its action.
        action: String,
        /// How far it got.
        state: FaultState,
        /// Where, or with what observed effect, in a few words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// What a participant still held when the client had gone and all timers had run.
    Leftover {
        /// Live sessions.
        sessions: u64,
        /// Connections still attached to streams.
        streams: u64,
        /// Open connections.
        connections: u64,
    },
    /// A phase of the run began: `chaos`, `tail`, `drain`.
    Phase {
        /// Its name.
        phase: String,
    },
    /// The run ended.
    RunEnd {
        /// How it came to an end.
        why: RunEnd,
        /// A panic's message, or what was awaited.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
        /// The next draw of each random stream used while playing, by name: equal in two runs of
        /// one plan, or the runs differ.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        next_draws: Vec<(String, u64)>,
    },
}

impl What {
    /// The event ids in a record: those of events, and cursors.
    pub(crate) fn event_ids_mut(&mut self) -> [Option<&mut String>; 2] {
        match self {
            What::Emit { id, .. } | What::Event { id, .. } => [id.as_mut(), None],
            What::Request { cursor, .. } => [cursor.as_mut(), None],
            What::Verdict { cursor, .. } => [Some(cursor), None],
            What::Continuity { last, first, .. } => [Some(last), Some(first)],
            _ => [None, None],
        }
    }
}

/// How a run came to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunEnd {
    /// Every operation had ended.
    Finished,
    /// The deadline passed first.
    Deadline,
    /// A participant panicked: a defect of the harness or of the code under test.
    Panicked,
}
