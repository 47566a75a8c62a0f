//! The official Rust SDK, `rmcp`, as it is published: its server and its client.
//!
//! Owns nothing of it but the way in: the probe tools as its `ServerHandler`, the simulated network
//! as its HTTP client, and the options that may be set.

mod client;
mod http;
mod observed;
mod server;

pub use client::{ClientOptions, run};
pub use server::{RmcpServer, ServerOptions};
