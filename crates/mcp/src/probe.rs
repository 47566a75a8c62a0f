//! The probe tools, and the mark that makes each of their events carry its own truth.
//!
//! Event ids are what is under test, so they cannot be the ground truth. Each probe event says in
//! its payload which session and stream it belongs to and which place it has there. Whoever reads
//! the event, at the wire or at the application, can judge it without asking the server.
//!
//! It owns names, arguments, payload texts and their reading. It does not know event ids, what was
//! emitted before, or whether an order is right.
//!
//! The mark travels under [`MARK_KEY`]: in `_meta` of params or of a result, and in `error.data`.
//! Progress, results and announcements hold one character of several bytes, so that a cut inside
//! a character has a place in each of them.

mod mark;
mod read;
mod tools;

pub use mark::{
    MARK_KEY, Mark, announcement_text, error_text, progress_text, result_object_text, result_text,
};
pub use read::{Probe, ReadProbe, read};
pub use tools::{
    AnnounceArguments, Argument, ArgumentKind, CountArguments, MultipleReconnectionsArguments,
    ProgressOn, TEST_EVENT_REPLAY, TEST_MULTIPLE_RECONNECTIONS, TEST_RECONNECTION,
    TEST_TOOL_WITH_PROGRESS, TOOL_ANNOUNCE, TOOL_COUNT, TOOLS, Tool, ToolsList, tools_list,
};

/// The `logger` of an announcement.
const LOGGER: &str = "probe";
