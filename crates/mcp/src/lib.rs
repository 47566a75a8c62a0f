//! The wire of MCP Streamable HTTP: what bytes and header values mean, and how they are written.
//!
//! This crate owns header names, protocol revisions, the JSON-RPC messages in use, server-sent
//! events and the payloads of the probe tools. It does no I/O, knows no async code and does not
//! know who sends a message or why. Server, proxy, client and oracle share it, so that a rule of
//! the wire is written once.
//!
//! | module | owns |
//! |---|---|
//! | [`headers`] | header names, media types, the checks of single header values |
//! | [`message`] | JSON-RPC 2.0 as MCP uses it: parsing, writing, typed params and results |
//! | [`probe`] | the probe tools and the mark that makes each event carry its own truth |
//! | [`sse`] | encoding events, cutting a byte stream into blocks, the cursor rule |
//! | [`resumption_header`] | the `Mcp-Resumption` field that names a resumption verdict |
//! | [`Refusal`] | what servers answer to a cursor that cannot be resumed |
//! | [`Revision`] | the protocol revisions that know resumption |
//!
//! Rules come from the MCP specification, pages `basic/transports`, `basic/lifecycle` and
//! `basic/utilities/*` under <https://modelcontextprotocol.io/specification/>, and from section
//! 9.2 of the WHATWG HTML standard,
//! <https://html.spec.whatwg.org/multipage/server-sent-events.html>.

pub mod headers;
mod json;
pub mod message;
pub mod probe;
mod refusal;
pub mod resumption_header;
mod revision;
pub mod sse;

pub use refusal::Refusal;
pub use revision::{Revision, UnknownRevision};
