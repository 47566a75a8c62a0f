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
//! | `rust_mcp_sdk` | the server of `rust-mcp-sdk` (feature `rust-mcp-sdk`) |
//! | `tower_mcp` | the server of `tower-mcp` (feature `tower-mcp`) |
//! | `notification` | the probes' notifications in the types of those two |

mod hosting;
#[cfg(any(feature = "rust-mcp-sdk", feature = "tower-mcp"))]
mod notification;
mod probes;
#[cfg(feature = "rmcp")]
pub mod rmcp;
#[cfg(feature = "rust-mcp-sdk")]
pub mod rust_mcp_sdk;
mod session;
mod subject;
#[cfg(feature = "tower-mcp")]
pub mod tower_mcp;
mod turnstile;

pub use hosting::Hosting;
pub use probes::Probes;
pub use session::{Outlet, ProbeSession, Routing, Sent, ToolCall};
pub use subject::{BoxError, Process, Subject};
