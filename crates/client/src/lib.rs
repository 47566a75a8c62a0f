//! The reference MCP client over Streamable HTTP.
//!
//! Owns what a client does about broken streams: one cursor per stream, bounded reconnection that
//! honours `retry`, the continuity check of the first event after a resumption, and a fresh
//! `initialize` whenever continuity is gone. It is an ordinary async program over
//! `seamstress-net`: it must not know the server's log, or whether the network is simulated.
//!
//! | module | owns |
//! |---|---|
//! | `options` | what can be set, and the defects |
//! | `wire` | requests with their headers and records; what a client that is not ours needs too |
//! | `exchange` | one HTTP exchange, recorded as the client's transport sees it |
//! | `session` | one session: its id, its pending calls, its end |
//! | `keeper` | beginning a session, and another one when it is lost |
//! | `stream` | reading a stream, and resuming it when it breaks |
//! | `workload` | what the application asks for, and when all of it has ended |

mod exchange;
mod keeper;
mod options;
mod session;
mod shared;
mod stream;
pub mod wire;
mod workload;

pub use options::{Defect, Options};
pub use shared::Client;
pub use workload::probe_call;
