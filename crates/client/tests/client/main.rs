//! The reference client against a server that the test answers for: dialogues in memory.
//!
//! Each file holds one subject. Time is tokio's paused clock, so a delay is measured exactly. What
//! the client does is seen in its requests; what it tells its application, in its records.

mod answers;
mod continuity;
mod cursors;
mod defects;
mod giving_up;
mod headers;
mod losing;
mod reconnecting;
mod support;
