//! Servers and clients that are not ours, adapted to be played.
//!
//! Owns what every server under test needs around it (an accept loop, the application with the
//! probe tools) and the adapters of published implementations, each behind a cargo feature. What
//! is adapted is used as it is published; nothing here corrects it. It must not know turmoil, the
//! plan's faults or the judge.
//!
//! | module | owns |
//! |---|---|
//! | `subject` | what a server under test is: something that starts a process |
//! | `hosting` | its processes: the accept loop, and what is asked of them from outside |
//! | `turnstile` | one order for what those have ready in one instant |
//! | `probes`, `session` | the application behind it: the probe tools, and the record of what they emit |
//! | `rmcp` | the official Rust SDK, server and client (feature `rmcp`) |

mod hosting;
mod probes;
#[cfg(feature = "rmcp")]
pub mod rmcp;
mod session;
mod subject;
mod turnstile;

pub use hosting::Hosting;
pub use probes::Probes;
pub use session::{Outlet, ProbeSession, Routing, Sent, ToolCall};
pub use subject::{BoxError, Process, Subject};
