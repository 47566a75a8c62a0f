//! The token-preserving proxy between a client and the replicas of a server.
//!
//! Owns public session ids (its own, which it may rotate), routing, and carrying out the faults of
//! a plan at their places in the protocol. `Last-Event-ID` and `id:` pass verbatim. It must not
//! know the server's log, or whether the network is simulated; what it cannot do to bytes it asks
//! of [`Hands`].
//!
//! | module | owns |
//! |---|---|
//! | `http` | the accept loop, one request, its response |
//! | `route` | which session, stream and replica a request is about |
//! | `acting` | faults that are not a matter of one connection's bytes |
//! | `upstream` | one request to a replica |
//! | `pump` | passing one event stream on, with the faults that happen inside it |
//! | `places` | where in an event a fault happens, and what an event carries |
//! | `shaping` | bytes in another shape: held back, delayed, withheld |
//! | `body` | the body of a response to the client, and the ways in which it ends |
//! | `sessions` | public ids, and which stream an event id belongs to |
//! | `faults` | what a fault does, and how far it got |
//! | `defects` | the names of what can be wrong on purpose |
//! | `cursors` | what defects do to the cursor of a request |
//! | `reshaping` | what defects do to the bytes of a stream |
//! | `sending_again` | what defects send upstream by themselves |

mod acting;
mod body;
mod cursors;
mod defects;
mod faults;
mod http;
mod places;
mod pump;
mod reshaping;
mod route;
mod sending_again;
mod sessions;
mod shaping;
mod upstream;

pub use defects::Defect;
pub use faults::{Hands, ReplicaView};
pub use http::{Options, Proxy};
