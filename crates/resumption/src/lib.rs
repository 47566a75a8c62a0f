//! The rule of stream resumption for MCP's Streamable HTTP transport: when may a broken stream go
//! on after a cursor, and when must everything begin anew?
//!
//! This crate owns the rule and nothing else. It does no I/O and knows no clock, no randomness, no
//! HTTP and no JSON; times and payloads are passed in. A server author can use it as it is.
//!
//! # A server, from the first event to a refusal
//!
//! ```
//! use seamstress_resumption::{
//!     EventLog, IdScheme, LogOptions, Reason, Retention, resume_stream,
//! };
//!
//! // One log for each session. The tag is a label of its own, not the session id.
//! let mut log = EventLog::new(LogOptions {
//!     retention: Retention { session_events_max: Some(1_000), ..Retention::UNBOUNDED },
//!     ..LogOptions::new(IdScheme::EpochNamespaced, "s1")
//! })?;
//!
//! // Record each event before it is written to a connection, and send it with the id assigned.
//! let progress = log.append("call-7", "progress 1", 0)?;
//! assert_eq!(progress.id.as_str(), "s1.1.call-7.1");
//! log.append("get", "list changed", 5)?;
//! log.append("call-7", "progress 2", 10)?;
//!
//! // The connection breaks; the client comes back with `Last-Event-ID: s1.1.call-7.1`. Check the
//! // session first, with whatever means the server has: it is another verdict.
//! let resumed = resume_stream(&log, "s1.1.call-7.1")?;
//! assert_eq!(&*resumed.stream, "call-7");
//! let mut written = resumed.after;
//! for event in &resumed.replay {
//!     // … write `event` to the connection …
//!     written = event.position;
//! }
//!
//! // An event that was appended while the replay was being written is sent once: go on after the
//! // position written last, and do so again whenever something is appended.
//! log.append("call-7", "result", 20)?;
//! let live = log.retained_after("call-7", written).expect("not overtaken by eviction");
//! assert_eq!(live.map(|event| event.payload).collect::<Vec<_>>(), ["result"]);
//!
//! // A cursor of which continuity cannot be proven is refused. End the session, answer 404 (the
//! // client must then initialize anew) and say why in a header of its own.
//! let desync = resume_stream(&log, "s1.1.call-7.9").unwrap_err();
//! assert_eq!(desync.reason, Reason::Ahead);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A client
//!
//! ```
//! use seamstress_resumption::{
//!     Cursors, EventId, IdScheme, UnverifiablePolicy, on_reconnect, validate_resume,
//! };
//!
//! // One cursor for each stream, advanced with every event that was processed.
//! let mut cursors = Cursors::new();
//! cursors.advance("call-7", EventId::from("s1.1.call-7.1"));
//!
//! // After a resumption the first event is held against the cursor before it is handed on.
//! let last = cursors.get("call-7").expect("advanced above").as_str();
//! let first = "s1.1.call-7.3";
//! let continuity = validate_resume(Some(IdScheme::EpochNamespaced), 2, last, first);
//! let gap = on_reconnect(continuity, last, first, UnverifiablePolicy::Refuse).unwrap_err();
//!
//! // Event 2 is missing: hand nothing on, drop the session, begin anew without cursors.
//! assert_eq!(gap.continuity.as_str(), "gap");
//! cursors.forget_all();
//! ```
//!
//! # The rule
//!
//! A session is alive or it is not; a cursor is a place in a partial order. Cursors of different
//! streams, epochs or sessions are not comparable, and a live session makes no cursor good. A
//! cursor is **accepted** only if every event of its stream after it is retained; exactly those
//! are replayed, in order. (The strict [`Floor`], the default, asks for a little more: the cursor
//! must not lie below the lowest retained event either.) Every other cursor is **refused**, with
//! the first [`Reason`] that applies, and never moved to a place from which a replay would work.
//! The session id plays no part in it: a proxy that rotates the id leaves every cursor as good as
//! it was, which is why no function of this crate takes one.
//!
//! The rule follows two public reports on the resumption of MCP streams. The first describes a
//! reconnect storm behind a proxy in which several streams of one session shared a cursor slot,
//! and a result arrived twice while a progress notification vanished. The second describes event
//! ids that begin again across a reconnect, and gives the client's check. The specification itself
//! leaves the answer to an unresumable cursor open (issue 1939 of
//! `modelcontextprotocol/modelcontextprotocol`).
//!
//! # Map
//!
//! [`IdScheme`] and [`EventId`]: tokens. [`LogOptions`], [`Retention`], [`Floor`], [`Counters`]:
//! options. [`EventLog`]: what was sent and is kept. [`EventLog::resolve_cursor`],
//! [`resume_stream`], [`Reason`], [`Verdicts`]: the server's judgement. [`Cursors`],
//! [`validate_resume`], [`on_reconnect`]: the client's. The feature `serde` reads and writes the
//! options and verdicts by their kebab-case names.

mod continuity;
mod cursors;
mod id;
mod log;
mod names;
mod resolve;
mod retention;
mod stream;
mod verdict;

pub use continuity::{
    Continuity, ResumeSequenceError, UnverifiablePolicy, on_reconnect, validate_resume,
};
pub use cursors::Cursors;
pub use id::{EventId, IdScheme};
pub use log::{Appended, EventLog};
pub use names::UnknownNameError;
pub use retention::{Counters, Floor, LogError, LogOptions, Retention};
pub use stream::Retained;
pub use verdict::{
    Reason, Resolution, Resumed, ResumptionDesyncError, ResumptionVerdict, SessionVerdict,
    Verdicts, resume_stream,
};
