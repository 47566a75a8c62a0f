//! Judging a trace: a pure function from what happened to what is wrong.
//!
//! Owns the oracles, one file each, and the accounting of resumptions. It must not know a clock,
//! the network, or how the trace was made: the same judge reads a simulated run, a recorded live
//! run and an imported incident.
//!
//! The way through it: [`judge()`] builds one index over the trace (`view`), asks every [`Oracle`]
//! (`oracles`), and puts every resumption into its [`Cell`] (`resumptions`).

mod finding;
mod judge;
mod omissions;
mod oracles;
mod order;
mod received;
mod resumptions;
mod runs;
#[cfg(test)]
mod script;
mod slots;
mod view;
mod words;

pub use finding::{Cell, Class, FaultTally, Finding, Judgement, Oracle, Resumption, Verdict};
pub use judge::judge;
