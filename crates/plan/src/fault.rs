//! Faults: what goes wrong, at which place in the protocol.
//!
//! Owns the vocabulary of design section 6: families, actions, triggers, extents. A fault is plain
//! data: `{ id, family, trigger, action, extent }`. Nothing here carries a fault out, and nothing
//! knows a clock; a trigger names a place in the protocol wherever there is one, so that it stays
//! where it was when times shift.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One thing that goes wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Unique in the plan. A generated one is named after its family, `drop-1`, and the cut that it
    /// brings along after it, `rotation-2-cut`.
    pub id: String,
    /// The family, which must be the action's.
    pub family: Family,
    /// Where it happens.
    pub trigger: Trigger,
    /// What happens.
    pub action: Action,
    /// How much of it.
    #[serde(default, skip_serializing_if = "Extent::is_empty")]
    pub extent: Extent,
}

/// The families of design section 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// A connection ends.
    Drop,
    /// The session's public id changes.
    Rotation,
    /// Events or whole sessions leave the server's memory.
    Eviction,
    /// Bytes stop or slow down.
    Silence,
    /// Another replica, or another life of the server, answers.
    Routing,
    /// More than one connection wants a stream.
    Concurrency,
    /// The same bytes in another shape.
    Shape,
}

impl Family {
    /// All of them, in the order of the design.
    pub const ALL: [Family; 7] = [
        Family::Drop,
        Family::Rotation,
        Family::Eviction,
        Family::Silence,
        Family::Routing,
        Family::Concurrency,
        Family::Shape,
    ];

    /// The name in plans and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Family::Drop => "drop",
            Family::Rotation => "rotation",
            Family::Eviction => "eviction",
            Family::Silence => "silence",
            Family::Routing => "routing",
            Family::Concurrency => "concurrency",
            Family::Shape => "shape",
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Which stream a trigger speaks of: the id of the operation that began it, which is `standalone`
/// for the standalone stream.
pub type StreamRef = String;

/// The place in the protocol at which a fault happens. Directions are named as the proxy sees
/// them; counts begin at 1 and run over the whole life of a stream, replays included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "on", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Trigger {
    /// The response head of the stream's first connection has gone to the client, no body byte
    /// has: a client cut here has nothing to resume with (MCP `basic/transports`, priming).
    Head {
        /// The stream.
        stream: StreamRef,
    },
    /// An event that carries a message, server to client.
    Event {
        /// The stream.
        stream: StreamRef,
        /// Which one.
        nth: u64,
        /// Where in it.
        #[serde(default, skip_serializing_if = "Place::is_after")]
        place: Place,
    },
    /// The event that carries the response of the call: it has been written by the server and has
    /// not gone to the client.
    Response {
        /// The stream.
        stream: StreamRef,
    },
    /// A request to resume the stream, before it goes to the server.
    Resume {
        /// The stream.
        stream: StreamRef,
        /// Which one.
        nth: u64,
    },
    /// Inside the replay that answers a request to resume.
    Replay {
        /// The stream.
        stream: StreamRef,
        /// Which request to resume.
        nth: u64,
        /// After how many events of its answer.
        events: u64,
    },
    /// A time, for what has no place in the protocol.
    At {
        /// Milliseconds since the start of the run.
        at_ms: u64,
    },
}

impl Trigger {
    /// The stream it speaks of, if any.
    #[must_use]
    pub fn stream(&self) -> Option<&str> {
        match self {
            Trigger::Head { stream }
            | Trigger::Event { stream, .. }
            | Trigger::Response { stream }
            | Trigger::Resume { stream, .. }
            | Trigger::Replay { stream, .. } => Some(stream),
            Trigger::At { .. } => None,
        }
    }
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trigger::Head { stream } => write!(f, "before the first id of {stream}"),
            Trigger::Event { stream, nth, place } => write!(f, "{place} event {nth} of {stream}"),
            Trigger::Response { stream } => write!(f, "before the response of {stream} is read"),
            Trigger::Resume { stream, nth } => write!(f, "at resume {nth} of {stream}"),
            Trigger::Replay { stream, nth, events } => {
                write!(f, "after event {events} of the answer to resume {nth} of {stream}")
            }
            Trigger::At { at_ms } => write!(f, "at {at_ms} ms"),
        }
    }
}

/// A place relative to one event's bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// Before its first byte.
    Before,
    /// After its blank line.
    #[default]
    After,
    /// After this many of its bytes, at most all but one.
    Byte(u64),
    /// In the middle of its data field.
    MidField,
    /// Between two bytes of one UTF-8 character; in the middle of the data if it has none.
    MidCharacter,
    /// Between a CR and its LF; before the blank line if lines do not end so.
    BetweenCrAndLf,
}

impl Place {
    /// Whether this is the default.
    #[must_use]
    pub fn is_after(&self) -> bool {
        *self == Place::After
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Before => f.write_str("before"),
            Place::After => f.write_str("after"),
            Place::Byte(bytes) => write!(f, "after byte {bytes} of"),
            Place::MidField => f.write_str("inside a field of"),
            Place::MidCharacter => f.write_str("inside a character of"),
            Place::BetweenCrAndLf => f.write_str("between CR and LF of"),
        }
    }
}

/// How much of an action. Which fields an action reads is said at the action; others are refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extent {
    /// A number of things: events, responses, requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// A number of bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// A time, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

impl Extent {
    /// Whether nothing is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Extent::default()
    }
}

/// Which fields of [`Extent`] an action needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtentNeeds {
    /// Needs `count`.
    pub count: bool,
    /// Needs `bytes`.
    pub bytes: bool,
    /// Needs `duration_ms`.
    pub duration_ms: bool,
}

impl Action {
    /// Whether `count` says how many things it makes, rather than how many it lets pass or keeps.
    pub(crate) const fn makes_events(self) -> bool {
        matches!(self, Action::Burst | Action::InsertComment | Action::InsertEmptyEvent)
    }
}

macro_rules! actions {
    ($(
        $(#[doc = $doc:literal])+
        $variant:ident = $name:literal, $family:ident $(, $needs:ident)*;
    )+) => {
        /// What a fault does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Action {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Action {
            /// All of them, family by family.
            pub const ALL: &'static [Action] = &[$(Action::$variant,)+];

            /// The name in plans and reports.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Action::$variant => $name,)+ }
            }

            /// The family it belongs to.
            #[must_use]
            pub const fn family(self) -> Family {
                match self { $(Action::$variant => Family::$family,)+ }
            }

            /// One sentence on what it does, with its extent.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self { $(Action::$variant => concat!($($doc,)+).trim_ascii_start(),)+ }
            }

            /// The fields of the extent that it reads; all of them must be given.
            #[must_use]
            #[allow(unused_mut, reason = "some actions need nothing")]
            pub const fn needs(self) -> ExtentNeeds {
                let mut needs = ExtentNeeds { count: false, bytes: false, duration_ms: false };
                match self { $(Action::$variant => { $(needs.$needs = true;)* })+ }
                needs
            }
        }
    };
}

actions! {
    /// Ends the response with its last chunk, as if the server had finished.
    CutClean = "cut-clean", Drop;
    /// Closes the connection without the last chunk, as nginx and HAProxy end an idle stream.
    CutNoLastChunk = "cut-no-last-chunk", Drop;
    /// Resets the connection.
    CutReset = "cut-reset", Drop;
    /// Closes the client's side only: the server goes on writing into a connection that nobody
    /// reads (half open) for `duration_ms`.
    CutClientSide = "cut-client-side", Drop, duration_ms;
    /// Gives the session a new public id on the next `count` responses, and goes on taking the
    /// older ones.
    RotateId = "rotate-id", Rotation, count;
    /// Gives the session a new public id on the next `count` responses; a request that carries an
    /// older one is answered 404 from then on.
    RotateIdForgetOld = "rotate-id-forget-old", Rotation, count;
    /// The server emits `count` notifications at once, which may overrun the ring.
    Burst = "burst", Eviction, count;
    /// The server's retention shrinks to the newest `count` events of the session.
    ShrinkRing = "shrink-ring", Eviction, count;
    /// The server forgets every event older than `duration_ms`.
    AgeOut = "age-out", Eviction, duration_ms;
    /// The server forgets the whole session.
    EvictSession = "evict-session", Eviction;
    /// The proxy closes the stream's connections whenever no byte has passed for `duration_ms`,
    /// without the last chunk, as load balancers do; for the rest of the stream's life.
    IdleCut = "idle-cut", Silence, duration_ms;
    /// The proxy stops passing bytes of this connection on and never closes it.
    BlackHole = "black-hole", Silence;
    /// The link between client and proxy holds everything back for `duration_ms`, then delivers
    /// all of it in order: an outage that heals.
    HoldLink = "hold-link", Silence, duration_ms;
    /// The proxy passes this connection's bytes on only after `duration_ms` each time.
    SlowReader = "slow-reader", Silence, duration_ms;
    /// The request goes to a replica that has not yet received the events of the last
    /// `duration_ms`.
    RouteToLagging = "route-to-lagging", Routing, duration_ms;
    /// The request goes to a replica that knows the session and has none of its events.
    RouteToEmpty = "route-to-empty", Routing;
    /// The request goes to a replica that numbers the session's events in another epoch.
    RouteToOtherEpoch = "route-to-other-epoch", Routing;
    /// The server process is killed and started again; sessions and event log survive.
    RestartKeepLog = "restart-keep-log", Routing;
    /// The server process is killed and started again; sessions and event log are gone.
    RestartLoseLog = "restart-lose-log", Routing;
    /// The server numbers its events anew while the session id stays: what was retained under the
    /// old numbers is gone.
    Rebase = "rebase", Routing;
    /// While the stream's connection is alive, somebody else resumes the stream with a cursor that
    /// is `count` events old.
    SecondConnection = "second-connection", Concurrency, count;
    /// The request to resume reaches the server twice at once; the answer to one of them is thrown
    /// away.
    TwinResume = "twin-resume", Concurrency;
    /// From here on this connection's bytes arrive in pieces of at most `bytes` bytes.
    Rechunk = "rechunk", Shape, bytes;
    /// The proxy holds this connection's bytes back until it has `bytes` of them, or the end.
    BufferBytes = "buffer-bytes", Shape, bytes;
    /// The proxy holds this connection's bytes back until the server has finished.
    BufferUntilEnd = "buffer-until-end", Shape;
    /// The proxy inserts `count` comment lines.
    InsertComment = "insert-comment", Shape, count;
    /// The proxy inserts a `retry` field of `duration_ms`.
    InsertRetry = "insert-retry", Shape, duration_ms;
    /// The proxy inserts `count` events with empty data and no id.
    InsertEmptyEvent = "insert-empty-event", Shape, count;
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
