//! The servers that are not ours and were built in, and what a plan's options mean to them.
//!
//! Owns their names and the translation. What they do, nobody here knows.

use std::sync::Arc;

use seamstress_foreign::Subject;
use seamstress_plan::Topology;

/// A server that is not ours.
pub(crate) struct Builtin {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Makes it, with the options of a plan.
    pub make: fn(&Topology) -> Arc<dyn Subject>,
}

/// All that are built in.
static BUILTIN: &[Builtin] = &[
    #[cfg(feature = "rmcp")]
    Builtin {
        name: "rmcp",
        about: "The server of rmcp 3.11.0, the official Rust SDK, with its local sessions.",
        make: rmcp,
    },
];

pub(crate) fn servers() -> impl Iterator<Item = &'static Builtin> {
    BUILTIN.iter()
}

pub(crate) fn server_named(name: &str) -> Option<&'static Builtin> {
    servers().find(|server| server.name == name)
}

#[cfg(feature = "rmcp")]
fn rmcp(topology: &Topology) -> Arc<dyn Subject> {
    use seamstress_foreign::rmcp::{RmcpServer, ServerOptions};

    let server = &topology.server;
    Arc::new(RmcpServer(ServerOptions {
        channel_capacity: usize::try_from(server.rmcp.channel_capacity).unwrap_or(usize::MAX),
        session_keep_alive_ms: server.session_idle_ms,
        retry_ms: server.retry_ms,
        stateful: server.rmcp.stateful,
    }))
}
