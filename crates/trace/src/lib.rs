//! What happened in a run, as data: one record a line, in canonical order, with a digest.
//!
//! Owns the records ([`What`]), their canonical NDJSON text, the digest over it, and the renaming
//! of opaque ids by order of first sight. A trace is written by a simulated run, a live proxy or
//! an importer, and read by one judge; this crate must not know that judge, nor how to run
//! anything. See [`Trace`] for the file format.

mod digest;
mod record;
mod recorder;
mod rename;
mod text;

pub use digest::Digest;
pub use record::{
    Check, Content, Decision, End, FaultState, Host, Mark, Message, Method, Outcome, Record,
    RunEnd, SessionState, What,
};
pub use recorder::Recorder;
pub use rename::Renamer;
pub use text::{Header, ReadError, SCHEMA, Trace};
