//! Servers that are not ours, behind the accept loop that they are played with.
//!
//! Each file holds one subject. A test is the client, in memory and on tokio's paused clock.

mod calls;
mod processes;
#[cfg(feature = "rmcp")]
mod rmcp_server;
mod support;
