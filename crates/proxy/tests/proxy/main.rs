//! The proxy between a client and a server that the test both speaks for: dialogues in memory.
//!
//! Each file holds one subject. What went in on one side is compared, byte for byte, with what came
//! out on the other. Time is tokio's paused clock, so a delay is measured exactly.

mod by_hand;
mod concurrency;
mod cuts;
mod defects;
mod every_action;
mod passing;
mod rotation;
mod routing;
mod shape;
mod silence;
mod support;
mod window;
