//! The reference MCP server over Streamable HTTP: correct by default, with named defects.
//!
//! Owns sessions, their event logs, the probe tools and the answers to GET, POST and DELETE. It is
//! an ordinary async program over `seamstress-net`: it must not know the proxy, the plan or
//! whether the network is simulated. Everything that survives the process lives in a [`Store`],
//! which several replicas may share; everything else dies with [`Server::serve`].
//!
//! | module | owns |
//! |---|---|
//! | `options` | what can be set |
//! | `defects` | what can be wrong on purpose |
//! | `store` | sessions and their streams: beginning, attaching, ending |
//! | `resuming` | a request to resume: the verdict, and the connection that it gets |
//! | `resolving` | what a cursor means to a session |
//! | `emission` | how a message becomes an event of a stream |
//! | `session` | one session |
//! | `body` | the body of one event stream response |
//! | `http` | the accept loop and the checks that every request passes |
//! | `get`, `post` | the answers |
//! | `tools` | the probe tools |
//! | `control` | what faults do to a server from inside |

mod body;
mod control;
mod defects;
mod emission;
mod get;
mod http;
mod options;
mod post;
mod resolving;
mod resuming;
mod session;
mod store;
mod tools;

pub use control::{Control, Effect};
pub use defects::Defect;
pub use http::Server;
pub use options::Options;
pub use resolving::View;
pub use store::{Leftover, Store};
