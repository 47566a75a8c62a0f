//! Judging a trace: a pure function from what happened to what is wrong.
//!
//! Owns the oracles, one file each, and the accounting of resumptions. It must not know a clock,
//! the network, or how the trace was made: the same judge reads a simulated run, a recorded live
//! run and an imported incident.
//!
//! The way through it: [`judge()`] builds one index over the trace (`view`), asks every [`Oracle`]
//! (`oracles`), puts every resumption into its [`Cell`] (`resumptions`), and notes in which
//! [`ProtocolState`] it was (`states`).

mod finding;
mod judge;
mod omissions;
mod oracles;
mod order;
mod protocol_state;
mod received;
mod resumptions;
mod runs;
#[cfg(test)]
mod script;
mod slots;
mod states;
mod view;
mod words;

pub use finding::{Cell, Class, FaultTally, Finding, Judgement, Oracle, Resumption, Verdict};
pub use judge::judge;
pub use protocol_state::{FaultFamily, NoSuchState, ProtocolState, StreamState, VerdictReason};
