//! A plan: everything that is played, as data.
//!
//! Owns the concrete values of one run: topology, workload, faults, phases. A seed only generates
//! a plan; the plan is what is played, saved, shrunk and mailed to a colleague. It must not hold
//! anything that has still to be drawn, and must not know how it is played.

use std::collections::BTreeSet;

use seamstress_mcp::sse::{LineEnding, Priming};
use seamstress_mcp::{Refusal, Revision};
use seamstress_resumption::{Floor, IdScheme};
use serde::{Deserialize, Serialize};

use crate::{Fault, Regression};

/// The version of the plan format that this build writes, and the newest it reads.
pub const SCHEMA: u32 = 1;

/// Everything that is played in one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Always `plan`.
    #[serde(rename = "type")]
    pub kind: PlanKind,
    /// The version of the format.
    pub schema: u32,
    /// A name for reports: `storm@7` for a generated plan.
    pub name: String,
    /// The root of every random stream that is drawn while playing (session ids).
    pub seed: u64,
    /// The participants and the network between them.
    pub topology: Topology,
    /// What the client asks for, in order of time.
    pub workload: Vec<Operation>,
    /// What goes wrong.
    pub faults: Vec<Fault>,
    /// When.
    pub phases: Phases,
    /// Which implementations the plan is meant for, when it is not the reference trio.
    #[serde(default, skip_serializing_if = "Trio::is_reference")]
    pub trio: Trio,
    /// What is known to come of it, and where it comes from, if it is kept as a regression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regression: Option<Regression>,
}

impl Plan {
    /// The plan without these operations and faults, and without the faults on the streams of
    /// those operations. It changes nothing else in the run.
    #[must_use]
    pub fn without(&self, ids: &BTreeSet<String>) -> Plan {
        let mut plan = self.clone();
        plan.workload.retain(|operation| !ids.contains(&operation.id));
        plan.faults.retain(|fault| {
            let is_on = fault.trigger.stream().is_some_and(|stream| ids.contains(stream));
            !ids.contains(&fault.id) && !is_on
        });
        plan
    }
}

/// The value of a plan's `type`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the name says it")]
pub enum PlanKind {
    #[default]
    Plan,
}

/// The three implementations under test, by the names of the command line: `reference`, or
/// `reference:` with defects separated by commas.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Trio {
    pub server: String,
    pub proxy: String,
    pub client: String,
}

impl Default for Trio {
    fn default() -> Trio {
        let reference = || "reference".to_owned();
        Trio { server: reference(), proxy: reference(), client: reference() }
    }
}

impl Trio {
    /// Whether all three are the reference without defects.
    #[must_use]
    pub fn is_reference(&self) -> bool {
        *self == Trio::default()
    }

    /// Each role with the implementation that plays it.
    ///
    /// ```
    /// use seamstress_plan::{Role, Trio};
    ///
    /// assert_eq!(Trio::default().by_role()[1], (Role::Proxy, "reference"));
    /// ```
    #[must_use]
    pub fn by_role(&self) -> [(Role, &str); 3] {
        let Trio { server, proxy, client } = self;
        [(Role::Server, server), (Role::Proxy, proxy), (Role::Client, client)]
    }

    /// This trio with another implementation in one role.
    ///
    /// ```
    /// use seamstress_plan::{Role, Trio};
    ///
    /// let trio = Trio::default().with(Role::Client, "reference:no-continuity-check");
    /// assert_eq!(trio.client, "reference:no-continuity-check");
    /// assert_eq!(trio.server, "reference");
    /// ```
    #[must_use]
    pub fn with(mut self, role: Role, name: &str) -> Trio {
        match role {
            Role::Server => self.server = name.to_owned(),
            Role::Proxy => self.proxy = name.to_owned(),
            Role::Client => self.client = name.to_owned(),
        }
        self
    }
}

/// The part that an implementation plays in a [`Trio`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Role {
    Server,
    Proxy,
    Client,
}

impl Role {
    /// The name in reports, and of the option that chooses the implementation.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Role::Server => "server",
            Role::Proxy => "proxy",
            Role::Client => "client",
        }
    }
}

/// The participants and the network between them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topology {
    /// One step of simulated time, in milliseconds: the network moves only at its edges.
    pub tick_ms: u64,
    /// The latency of every link, one way, in milliseconds.
    pub latency_ms: u64,
    /// Server replicas behind the proxy: 1 to 3.
    pub replicas: u64,
    /// The protocol revision that the client asks for.
    pub revision: Revision,
    /// The server's options.
    pub server: ServerOptions,
    /// The client's options.
    pub client: ClientOptions,
}

/// What can be set on the reference server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerOptions {
    /// How event ids are made.
    pub id_scheme: IdScheme,
    /// The first number of each counter.
    pub first_event_id: u64,
    /// Whether the cursor just below the floor is refused.
    pub floor: Floor,
    /// How many events the server keeps for a session; none for no bound.
    pub session_events_max: Option<u64>,
    /// How many events the server keeps for a stream; none for no bound.
    pub stream_events_max: Option<u64>,
    /// How long the server keeps an event, in milliseconds; none for no bound.
    pub event_age_ms_max: Option<u64>,
    /// What a refused cursor is answered.
    pub refusal: Refusal,
    /// What opens a stream.
    pub priming: Priming,
    /// The line end of the server's events.
    pub line_ending: LineEnding,
    /// The `retry` that the server sends, in milliseconds; none for none.
    pub retry_ms: Option<u64>,
    /// After how long without an event a comment is sent, in milliseconds.
    pub keep_alive_ms: u64,
    /// After how long without a connection or request a session expires, in milliseconds.
    pub session_idle_ms: u64,
    /// What only the server `rmcp` looks at. Of the rest it looks at `retry_ms` (its `sse_retry`,
    /// without which it does not prime) and `session_idle_ms` (its session `keep_alive`).
    #[serde(default, skip_serializing_if = "RmcpOptions::is_default")]
    pub rmcp: RmcpOptions,
}

/// What can be set on the server `rmcp`. Its keep-alive comments cannot: their timer mixes the
/// machine's clock into simulated time, so they are off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RmcpOptions {
    /// How many events it caches for each stream (`channel_capacity`).
    pub channel_capacity: u64,
    /// Whether it keeps sessions (`legacy_session_mode`); without them nothing can be resumed.
    pub stateful: bool,
}

impl Default for RmcpOptions {
    /// As published.
    fn default() -> RmcpOptions {
        RmcpOptions { channel_capacity: 16, stateful: true }
    }
}

impl RmcpOptions {
    fn is_default(&self) -> bool {
        *self == RmcpOptions::default()
    }
}

/// What can be set on the reference client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientOptions {
    /// How long it waits before it reconnects when no `retry` was given, in milliseconds.
    pub reconnect_delay_ms: u64,
    /// How many reconnections in a row without a new message it makes before it gives the session
    /// up.
    pub reconnects_max: u64,
    /// After how long without a byte it takes a connection for dead, in milliseconds.
    pub idle_timeout_ms: u64,
    /// How long it waits for a connection and for a response head, in milliseconds.
    pub response_timeout_ms: u64,
    /// What it does after a resumption whose ids do not tell whether they continue.
    pub unverifiable: Unverifiable,
}

/// See [`ClientOptions::unverifiable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unverifiable {
    /// It trusts the server's verdict and goes on.
    Accept,
    /// It gives the session up.
    Refuse,
}

/// One thing that the client's application asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    /// Unique in the plan; the label of the call and of its stream: `c1`, `a1`. The operation that
    /// listens is called `standalone`, after the stream it opens, and no other is.
    pub id: String,
    /// When, in milliseconds since the session was initialised.
    pub at_ms: u64,
    /// What.
    pub ask: Ask,
}

/// What an operation asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Ask {
    /// Opens the standalone stream and keeps it open until everything else has ended.
    Listen,
    /// Calls the probe tool that reports progress 1, 2, 3, … and then its result.
    Count {
        /// How many times it reports progress.
        events: u64,
        /// The time between two of them, in milliseconds.
        interval_ms: u64,
        /// Whether progress goes out on the standalone stream instead of the call's own, as the
        /// first source document reports.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        progress_on_standalone: bool,
    },
    /// Calls the probe tool that emits notifications on the standalone stream.
    Announce {
        /// How many.
        events: u64,
        /// The time between two of them, in milliseconds.
        interval_ms: u64,
    },
    /// Asks for the list of tools.
    ListTools,
    /// Pings.
    Ping,
}

impl Ask {
    /// How many events it asks for, its response not counted.
    pub(crate) const fn events(&self) -> u64 {
        match self {
            Ask::Count { events, .. } | Ask::Announce { events, .. } => *events,
            Ask::Listen | Ask::ListTools | Ask::Ping => 0,
        }
    }

    /// The time between two of its events, in milliseconds; none if it asks for none.
    pub(crate) const fn interval_ms(&self) -> Option<u64> {
        match self {
            Ask::Count { interval_ms, .. } | Ask::Announce { interval_ms, .. } => {
                Some(*interval_ms)
            }
            Ask::Listen | Ask::ListTools | Ask::Ping => None,
        }
    }

    /// The same with so many events and this time between two of them, if it asks for any.
    pub(crate) fn paced(&self, events: u64, interval_ms: u64) -> Ask {
        let mut ask = self.clone();
        if let Ask::Count { events: now, interval_ms: between, .. }
        | Ask::Announce { events: now, interval_ms: between } = &mut ask
        {
            (*now, *between) = (events, interval_ms);
        }
        ask
    }

    /// The name in plans, scenarios and swarm lists.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Ask::Listen => "listen",
            Ask::Count { .. } => "count",
            Ask::Announce { .. } => "announce",
            Ask::ListTools => "list-tools",
            Ask::Ping => "ping",
        }
    }
}

/// The phases of a run: quiet set-up, a bounded window of chaos, a quiet tail in which everything
/// must settle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phases {
    /// Faults are armed from here, in milliseconds since the start.
    pub chaos_from_ms: u64,
    /// No fault fires from here on, and lasting ones end.
    pub chaos_until_ms: u64,
    /// Whoever has not come to an end by here is stuck.
    pub deadline_ms: u64,
}
