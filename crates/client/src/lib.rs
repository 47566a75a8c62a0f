//! The reference MCP client over Streamable HTTP.
//!
//! Owns what a client does about broken streams: one cursor per stream, bounded reconnection that
//! honours `retry`, the continuity check of the first event after a resumption, and a fresh
//! `initialize` whenever continuity is gone. It is an ordinary async program over
//! `seamstress-net`: it must not know the server's log, or whether the network is simulated.
//!
//! | module | owns |
//! |---|---|
//! | `options` | what can be set |
//! | `calls` | the calls of a workload as messages |
//! | `defects` | what can be wrong on purpose |
//! | `misreading` | what a decoder with planted defects makes of bytes |
//! | `wire` | requests with their headers and records; what a client that is not ours needs too |
//! | `exchange` | one HTTP exchange, recorded as the client's transport sees it |
//! | `session` | one session: its id, its pending calls, its end |
//! | `keeper` | beginning a session, and another one when it is lost |
//! | `stream` | reading a stream, and resuming it when it breaks |
//! | `workload` | what the application asks for, and when all of it has ended |

mod calls;
mod defects;
mod exchange;
mod keeper;
mod misreading;
mod options;
mod session;
mod shared;
mod stream;
pub mod wire;
mod workload;

pub use calls::probe_call;
pub use defects::Defect;
pub use options::Options;
pub use shared::Client;
