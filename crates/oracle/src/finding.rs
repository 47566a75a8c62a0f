//! What a judge says: findings, the cells of resumptions, the outcome of a run.
//!
//! Owns the closed list of oracles with their classes and clauses, and the shape of a judgement.
//! It must not know how a trace was made or how findings look when told.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::protocol_state::ProtocolState;

/// What an oracle watches over, which decides how a run is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// An anomaly handed to the application after an accepted resumption: it must never happen.
    Escape,
    /// Something due never came.
    Liveness,
    /// A rule of the protocol was broken at the wire.
    Protocol,
    /// Something was left over when everyone had gone.
    Quiescence,
}

macro_rules! oracles {
    ($(
        $(#[doc = $doc:literal])+
        $variant:ident = $name:literal, $class:ident, $clause:literal;
    )+) => {
        /// The oracles, by the names that reports and keys use.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Oracle {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Oracle {
            /// All of them.
            pub const ALL: &'static [Oracle] = &[$(Oracle::$variant,)+];

            /// The stable kebab-case name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Oracle::$variant => $name,)+ }
            }

            /// The one of this name, if there is one.
            #[must_use]
            pub fn named(name: &str) -> Option<Oracle> {
                Oracle::ALL.iter().copied().find(|oracle| oracle.name() == name)
            }

            /// What it watches over.
            #[must_use]
            pub const fn class(self) -> Class {
                match self { $(Oracle::$variant => Class::$class,)+ }
            }

            /// The clause it rests on.
            #[must_use]
            pub const fn clause(self) -> &'static str {
                match self { $(Oracle::$variant => $clause,)+ }
            }

            /// What it asserts, in one sentence.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self { $(Oracle::$variant => concat!($($doc,)+).trim_ascii_start(),)+ }
            }
        }
    };
}

oracles! {
    /// No message is handed to the application twice.
    Duplicate = "duplicate", Escape, "rule: exactly the events after the cursor are replayed";
    /// No message of a resumed stream is left out.
    Skip = "skip", Escape, "rule: every event after the cursor is replayed";
    /// The messages of a stream are handed over in the order in which they were emitted.
    Reorder = "reorder", Escape, "rule: events are replayed in order";
    /// A stream carries only its own messages.
    CrossStream = "cross-stream", Escape, "basic/transports, Resumability: MUST NOT replay messages of a different stream";
    /// A session carries only its own messages.
    ForeignSession = "foreign-session", Escape, "basic/transports, Resumability: ids are scoped to the session";
    /// A call is executed at most once.
    DoubleExecution = "double-execution", Escape, "rule: a client never sends a call again by itself";
    /// A response that was emitted reaches its caller, or its loss is declared.
    LostResponse = "lost-response", Escape, "basic/transports, Sending Messages: the stream SHOULD eventually carry the response";
    /// An event stored while its stream is open or resumed arrives, and every call ends.
    Stuck = "stuck", Liveness, "live-delivery, request-terminates: within the deadline once the faults have ended";
    /// Resumptions make progress.
    Livelock = "livelock", Liveness, "bounded-reconnects: progress is a message, not a new id";
    /// No id names two different events of a session.
    EventIdUnique = "event-id-unique", Protocol, "basic/transports, Resumability: ids MUST be unique within the session";
    /// Ids rise within a stream.
    EventIdMonotone = "event-id-monotone", Protocol, "rule: a cursor is a position in one ordered sequence";
    /// A replay begins strictly after the event that the cursor names.
    ReplayAfterCursor = "replay-after-cursor", Protocol, "basic/transports, Resumability: messages after the last event id";
    /// What follows a resumption that the server accepted continues the stream.
    ResumptionContinues = "resumption-continues", Protocol, "rule: exactly the events after the cursor are replayed";
    /// The messages of a stream never step back on the wire.
    StreamOrder = "stream-order", Protocol, "basic/transports, Resumability: a cursor within that stream";
    /// A message appears on one stream of its session only.
    MessageOnOneStream = "message-on-one-stream", Protocol, "basic/transports, Multiple Connections: MUST NOT broadcast";
    /// The progress of a token rises.
    ProgressIncreases = "progress-increases", Protocol, "basic/utilities/progress: the value MUST increase";
    /// No progress is sent for a call that is done.
    NoProgressAfterCompletion = "no-progress-after-completion", Protocol, "basic/utilities/progress: MUST stop after completion";
    /// No response is sent on a GET that resumes nothing.
    NoResponseOnFreshGet = "no-response-on-fresh-get", Protocol, "basic/transports, Listening for Messages: MUST NOT";
    /// A request is answered at most once.
    OneResponsePerRequest = "one-response-per-request", Protocol, "basic, Requests: an id is used once";
    /// The response a caller gets bears the mark of that caller's request.
    ResponseBelongsToRequest = "response-belongs-to-request", Protocol, "basic, Responses: the same id as the request";
    /// A GET is answered by an event stream or by 405.
    GetSseOr405 = "get-sse-or-405", Protocol, "basic/transports, Listening for Messages: MUST";
    /// An unusable cursor is answered as declared, and never by 404 while the session lives on.
    UnresumableAnswer = "unresumable-answer", Protocol, "rule: 404 is right only because the session is gone when it is said";
    /// 404 is said of a session that is gone, and of no other.
    GoneIs404 = "gone-is-404", Protocol, "basic/transports, Session Management: MUST respond with 404 once it is terminated";
    /// Event ids and cursors pass every hop as they are.
    TokensVerbatim = "tokens-verbatim", Protocol, "rule: the proxy rewrites neither Last-Event-ID nor id";
    /// Between the end of a stream and its resumption lies at least its last `retry`.
    RetryRespected = "retry-respected", Protocol, "basic/transports, Listening for Messages: the client MUST wait (2025-11-25)";
    /// A resumption names the last complete id received on that stream.
    CursorExact = "cursor-exact", Protocol, "WHATWG HTML 9.2: the last event id string";
    /// A cursor is used only in the session in which it was issued, and never on a POST.
    CursorSessionMatch = "cursor-session-match", Protocol, "basic/transports, Resumability: ids are scoped to the session";
    /// 404 leads to `initialize` without a session id, and the calls of the old session end.
    ReinitOn404 = "reinit-on-404", Protocol, "basic/transports, Session Management: MUST start a new session";
    /// The session id goes with every request after `initialize`.
    SessionHeaderSent = "session-header-sent", Protocol, "basic/transports, Session Management: MUST";
    /// The protocol version goes with every request after `initialize`.
    ProtocolVersionSent = "protocol-version-sent", Protocol, "basic/transports, Protocol Version Header: MUST (from 2025-06-18)";
    /// An event with empty data is not taken for a message.
    PrimingNotParsed = "priming-not-parsed", Protocol, "basic/transports, Sending Messages: an event with an id and empty data primes";
    /// Streams, sessions and connections are gone when everyone has gone.
    Leak = "leak", Quiescence, "no-leak-at-quiescence";
}

impl fmt::Display for Oracle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One thing that is wrong with a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Who says so.
    pub oracle: Oracle,
    /// What is wrong, normalised: the kind of stream or call, never its name.
    pub subject: &'static str,
    /// The state of the protocol in which it went wrong, normalised.
    pub state: String,
    /// One sentence with names and numbers: what was expected and what was seen.
    pub sentence: String,
    /// The index in the trace of the record that shows it.
    pub record: usize,
    /// The indices of further records that the story needs, such as the first delivery of a
    /// duplicate.
    pub related: Vec<usize>,
    /// The exchange of the accepted resumption after which it happened.
    pub resumption: Option<u64>,
}

impl Finding {
    /// What failures are counted, de-duplicated and shrunk by: it stays the same when names,
    /// numbers and times change.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}/{}/{}", self.oracle, self.subject, self.state)
    }
}

/// The cell in which a resumption lands (design section 7), and the one for attempts that are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cell {
    /// Accepted, and continuity held.
    Sound,
    /// Accepted, and continuity did not hold.
    Escape,
    /// Refused, and continuity could not have been proven.
    Needed,
    /// Refused, although continuity could have been proven.
    Needless,
    /// No server gave a verdict and the client got no answer to its cursor: it lost the connection
    /// first, or a hop on the way failed.
    Unanswered,
}

impl Cell {
    /// All of them.
    pub const ALL: [Cell; 5] =
        [Cell::Sound, Cell::Escape, Cell::Needed, Cell::Needless, Cell::Unanswered];

    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Cell::Sound => "sound",
            Cell::Escape => "escape",
            Cell::Needed => "needed",
            Cell::Needless => "needless",
            Cell::Unanswered => "unanswered",
        }
    }
}

/// One attempt to continue a stream with a cursor, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resumption {
    /// The exchange.
    pub exchange: u64,
    /// The index in the trace of the request.
    pub record: usize,
    /// The client's name of the stream.
    pub stream: String,
    /// The cursor presented.
    pub cursor: String,
    /// The session verdict, if a server gave one.
    pub session_state: Option<seamstress_trace::SessionState>,
    /// What the server or, after it, the client decided: `resume`, `caught-up`, a reason of
    /// refusal, `status 409`, `continuity check: gap`, and so on.
    pub decision: String,
    /// Whether neither side refused.
    pub accepted: bool,
    /// Where it lands.
    pub cell: Cell,
}

/// How a run is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// No finding.
    Holds,
    /// An escape, a protocol violation or a leak.
    Violated,
    /// Liveness findings only.
    Stuck,
    /// The harness, or code under test, panicked: nothing can be said.
    Error,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Verdict; 4] =
        [Verdict::Holds, Verdict::Violated, Verdict::Stuck, Verdict::Error];

    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
            Verdict::Stuck => "stuck",
            Verdict::Error => "error",
        }
    }

    /// The one of this name, if there is one.
    #[must_use]
    pub fn named(name: &str) -> Option<Verdict> {
        Verdict::ALL.into_iter().find(|verdict| verdict.name() == name)
    }
}

/// How far the faults of a plan got, by action.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultTally {
    /// Faults whose place occurred.
    pub reached: BTreeMap<String, u64>,
    /// Faults carried out.
    pub fired: BTreeMap<String, u64>,
    /// Faults with an observed effect.
    pub effective: BTreeMap<String, u64>,
}

/// All that is said of one trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// How the run is counted.
    pub verdict: Verdict,
    /// What is wrong, in the order of the trace.
    pub findings: Vec<Finding>,
    /// Every resumption, in order.
    pub resumptions: Vec<Resumption>,
    /// The protocol states in which its resumptions were.
    pub states: BTreeSet<ProtocolState>,
    /// How far the faults got.
    pub faults: FaultTally,
    /// Messages that the server's application emitted.
    pub emitted: u64,
    /// Messages that the client's application got.
    pub delivered: u64,
}

impl Judgement {
    /// How many resumptions landed in a cell.
    #[must_use]
    pub fn count(&self, cell: Cell) -> u64 {
        self.resumptions.iter().filter(|resumption| resumption.cell == cell).count() as u64
    }
}
