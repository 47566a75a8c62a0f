//! What can be set on the reference server.
//!
//! Owns the options; what can be wrong on purpose stands in `defects`. It must not know where the
//! values come from.

use seamstress_defects::Defects;
use seamstress_mcp::Refusal;
use seamstress_mcp::sse::{LineEnding, Priming};
use seamstress_resumption::{Floor, IdScheme, Retention};

use crate::defects::Defect;

/// What can be set on the reference server.
#[derive(Clone, Debug)]
pub struct Options {
    /// How event ids are made.
    pub id_scheme: IdScheme,
    /// The first number of each counter.
    pub first_event_id: u64,
    /// Whether the cursor just below the floor is refused.
    pub floor: Floor,
    /// What the event log keeps.
    pub retention: Retention,
    /// What a refused cursor is answered.
    pub refusal: Refusal,
    /// What opens a stream, in revisions that prime.
    pub priming: Priming,
    /// How lines of events end.
    pub line_ending: LineEnding,
    /// The reconnection time sent to clients, in milliseconds.
    pub retry_ms: Option<u64>,
    /// After how long without an event a comment is sent, in milliseconds.
    pub keep_alive_ms: u64,
    /// After how long without a connection or request a session expires, in milliseconds.
    pub session_idle_ms: u64,
    /// What is wrong on purpose.
    pub defects: Defects<Defect>,
}
