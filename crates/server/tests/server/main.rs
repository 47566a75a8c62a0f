//! The reference server as its clients see it: dialogues over a network in memory.
//!
//! Each file holds one subject. Time is tokio's paused clock: waiting costs nothing, and what a
//! test measures is exact. No test looks inside the server; what cannot be seen in an answer is
//! read from the records that the server writes.

mod calls;
mod checks;
mod conformance;
mod control;
mod defective_replays;
mod defective_servers;
mod framing;
mod lifecycle;
mod refusals;
mod replicas;
mod restarting;
mod resuming;
mod standalone;
mod support;
