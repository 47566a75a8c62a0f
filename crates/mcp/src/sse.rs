//! Server-sent events, from both sides of the wire.
//!
//! It owns three things: writing events byte by byte ([`encode`], [`comment`],
//! [`priming_event`]); cutting a stream of bytes into verbatim blocks for those who forward them
//! ([`Scanner`], [`place_in_block`]); and the rule that turns decoded ids into a cursor
//! ([`LastEventId`]). Decoding for an application is the work of the `sse-stream` crate; the tests
//! of this crate hold the two against each other and against the web-platform-tests.
//!
//! A *block* is everything up to and including a blank line. It need not hold an event: comments,
//! ids and reconnection times come in blocks too.
//!
//! Rules: WHATWG HTML, section 9.2,
//! <https://html.spec.whatwg.org/multipage/server-sent-events.html>.

mod cursor;
mod encode;
mod place;
mod priming;
mod scan;

pub use cursor::LastEventId;
pub use encode::{EncodeError, Event, LineEnding, comment, encode};
pub use place::{Place, place_in_block};
pub use priming::{Priming, UnknownPriming, priming_event};
pub use scan::{BLOCK_BYTES_MAX, Block, ScanError, Scanner};
