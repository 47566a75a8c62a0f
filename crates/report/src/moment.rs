//! The moments of a run: what is worth a line of a story.
//!
//! Owns the shape between a trace and its telling. A moment stands for one record or for a run of
//! them; it holds facts, the words are found elsewhere. It must not know which renderer reads it.

use seamstress_plan::{Ask, Fault};
use seamstress_trace::{Check, Decision, End, Host, Method, Outcome, RunEnd, SessionState};

use crate::messages::Messages;

/// One thing that happened, or a run of things that belong together.
#[derive(Clone, Debug)]
pub(crate) struct Moment<'a> {
    /// When its first record was made, in milliseconds.
    pub from_ms: u64,
    /// When its last record was made, in milliseconds. Moments are in the order of their last
    /// records.
    pub at_ms: u64,
    /// Where.
    pub host: Host,
    /// The records it stands for, as indices in the trace, rising.
    pub records: Vec<usize>,
    /// The client's exchange, if it belongs to one.
    pub exchange: Option<u64>,
    /// The client's name of the stream, if it belongs to one.
    pub stream: Option<&'a str>,
    /// Goes without saying when all is well: only who looks for it tells it.
    pub quiet: bool,
    /// What happened.
    pub scene: Scene<'a>,
}

impl Moment<'_> {
    /// The last of its records, by which moments are ordered.
    pub(crate) fn last(&self) -> usize {
        self.records.last().copied().unwrap_or(0)
    }

    /// Whether it stands for this record.
    pub(crate) fn covers(&self, record: usize) -> bool {
        self.records.binary_search(&record).is_ok()
    }
}

/// What happened.
#[derive(Clone, Debug)]
pub(crate) enum Scene<'a> {
    /// A phase of the run began.
    Phase(&'a str),
    SessionBegins {
        session: Option<&'a str>,
        origin: Option<&'a str>,
    },
    /// A request that resumes nothing.
    Asks {
        method: Method,
        rpc: Option<&'a str>,
        session: Option<&'a str>,
        asked: Option<&'a Ask>,
    },
    /// A request with a cursor.
    Resumes {
        cursor: &'a str,
        /// The public session id, if it was renamed since the session began.
        renamed: Option<&'a str>,
    },
    /// A response head arrived.
    Answers {
        status: u16,
        event_stream: bool,
        resumes: bool,
    },
    /// The server began to run a call's tool.
    Executes,
    /// The server stored an event.
    Stores {
        id: Option<&'a str>,
        /// At most one; none for a priming event.
        messages: Messages<'a>,
    },
    /// The server decided about a cursor.
    Decides(Box<Decided<'a>>),
    /// The client compared the first event after a resumption with its cursor.
    Checks {
        last: &'a str,
        first: &'a str,
        check: Check,
        accepted: bool,
    },
    /// Events arrived at the client.
    Arrives {
        messages: Messages<'a>,
        /// Arrived, and not handed to the application.
        kept_back: Messages<'a>,
    },
    /// An event block without a message arrived.
    ArrivesEmpty {
        id: Option<&'a str>,
        retry_ms: Option<u64>,
    },
    /// An exchange ended.
    Ends(End),
    /// Calls ended for the application.
    CallsEnd {
        calls: Vec<&'a str>,
        outcome: Outcome,
    },
    /// The application was told that continuity is gone.
    Loses {
        session: Option<&'a str>,
        why: &'a str,
    },
    /// The proxy renamed a session, perhaps several times in a row.
    Rotates {
        from: &'a str,
        to: &'a str,
        count: u64,
        keeps_old: bool,
    },
    /// A fault was carried out.
    Fires {
        /// The fault as planned, if the plan has it.
        planned: Option<&'a Fault>,
        action: &'a str,
        /// Its place, as recorded.
        place: Option<&'a str>,
        effect: Option<&'a str>,
    },
    SessionEnds {
        session: &'a str,
        why: &'a str,
    },
    LeftOver {
        sessions: u64,
        streams: u64,
        connections: u64,
    },
    RunEnds {
        why: RunEnd,
        detail: Option<&'a str>,
    },
}

/// What a server decided about a cursor, beside what the event log says.
#[derive(Clone, Debug)]
pub(crate) struct Decided<'a> {
    pub cursor: &'a str,
    /// The client's resumption has an exchange; a connection that the proxy made has none.
    pub by_client: bool,
    pub session_state: SessionState,
    pub decision: &'a Decision,
    /// The stream that the server took the cursor for, by the client's name.
    pub named: Option<&'a str>,
    /// What was due by the event log; none if the cursor is not in it.
    pub due: Option<Due<'a>>,
    /// The session ended with the refusal.
    pub ends_session: bool,
}

/// What stood in a stream's log after a cursor when the server decided about it.
#[derive(Clone, Debug)]
pub(crate) struct Due<'a> {
    /// The stream the cursor is from, by the client's name.
    pub stream: &'a str,
    /// The place in the stream's log of the event that the cursor names.
    pub position: u64,
    /// How many events follow it.
    pub events: u64,
    /// Their messages.
    pub messages: Messages<'a>,
    /// The lowest place that was retained, if the verdict says.
    pub oldest: Option<u64>,
}
