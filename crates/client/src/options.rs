//! What can be set on the reference client.
//!
//! Owns the options. It must not know where their values come from.

use seamstress_defects::Defects;
use seamstress_mcp::Revision;
use seamstress_resumption::{IdScheme, UnverifiablePolicy};

use crate::defects::Defect;

/// What can be set on the reference client.
#[derive(Clone, Debug)]
pub struct Options {
    /// The host to connect to.
    pub server: String,
    /// The revision to ask for.
    pub revision: Revision,
    /// How the server makes event ids; none if they are opaque.
    pub id_scheme: Option<IdScheme>,
    /// How long to wait before reconnecting when no `retry` was given, in milliseconds.
    pub reconnect_delay_ms: u64,
    /// How many reconnections in a row without a new message are made.
    pub reconnects_max: u64,
    /// After how long without a byte a connection counts as dead, in milliseconds.
    pub idle_timeout_ms: u64,
    /// How long to wait for a connection and for a response head, in milliseconds.
    pub response_timeout_ms: u64,
    /// How long an event may be under way on a healthy stream, in milliseconds: how long the
    /// client waits for announced notifications before it ends.
    pub live_within_ms: u64,
    /// What to do when the ids do not tell whether a resumed stream continues.
    pub unverifiable: UnverifiablePolicy,
    /// What is wrong on purpose.
    pub defects: Defects<Defect>,
}
