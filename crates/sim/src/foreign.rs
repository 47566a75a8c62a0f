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
    #[cfg(feature = "rust-mcp-sdk")]
    Builtin {
        name: "rust-mcp-sdk",
        about: "The server of rust-mcp-sdk 1.1.0, with its event store in memory.",
        make: rust_mcp_sdk,
    },
    #[cfg(feature = "tower-mcp")]
    Builtin {
        name: "tower-mcp",
        about: "The server of tower-mcp 0.25.0, with its event store in memory.",
        make: tower_mcp,
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

#[cfg(feature = "rust-mcp-sdk")]
fn rust_mcp_sdk(topology: &Topology) -> Arc<dyn Subject> {
    use seamstress_foreign::rust_mcp_sdk::{RustMcpSdkServer, ServerOptions};

    let server = &topology.server;
    Arc::new(RustMcpSdkServer(ServerOptions {
        session_events_max: events_max(topology),
        ping_interval_ms: server.keep_alive_ms,
    }))
}

#[cfg(feature = "tower-mcp")]
fn tower_mcp(topology: &Topology) -> Arc<dyn Subject> {
    use seamstress_foreign::tower_mcp::{ServerOptions, TowerMcpServer};

    Arc::new(TowerMcpServer(ServerOptions { session_events_max: events_max(topology) }))
}

/// How many events are kept for a session; none for as many as the server keeps by itself.
#[cfg(any(feature = "rust-mcp-sdk", feature = "tower-mcp"))]
fn events_max(topology: &Topology) -> Option<usize> {
    let events_max = topology.server.session_events_max?;
    Some(usize::try_from(events_max).unwrap_or(usize::MAX))
}
