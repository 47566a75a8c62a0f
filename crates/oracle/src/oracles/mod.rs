//! The oracles, one file each, and the one place that calls them by name.
//!
//! Owns the mapping from the closed list of [`Oracle`] to the functions. Each is pure: it reads
//! the shared index and returns what it finds. They must not know of each other; where two would
//! name one cause twice, the comment at the top of the file says which of them keeps quiet.

mod cross_stream;
mod cursor_exact;
mod cursor_session_match;
mod double_execution;
mod duplicate;
mod event_id_monotone;
mod event_id_unique;
mod foreign_session;
mod get_sse_or_405;
mod gone_is_404;
mod leak;
mod livelock;
mod lost_response;
mod message_on_one_stream;
mod no_progress_after_completion;
mod no_response_on_fresh_get;
mod one_response_per_request;
mod priming_not_parsed;
mod progress_increases;
mod protocol_version_sent;
mod reinit_on_404;
mod reorder;
mod replay_after_cursor;
mod response_belongs_to_request;
mod resumption_continues;
mod retry_respected;
mod session_header_sent;
mod skip;
mod stream_order;
mod stuck;
mod tokens_verbatim;
mod unresumable_answer;

use crate::finding::{Finding, Oracle};
use crate::view::View;

/// Asks one oracle.
pub(crate) fn ask(oracle: Oracle, view: &View) -> Vec<Finding> {
    match oracle {
        Oracle::Duplicate => duplicate::judge(view),
        Oracle::Skip => skip::judge(view),
        Oracle::Reorder => reorder::judge(view),
        Oracle::CrossStream => cross_stream::judge(view),
        Oracle::ForeignSession => foreign_session::judge(view),
        Oracle::DoubleExecution => double_execution::judge(view),
        Oracle::LostResponse => lost_response::judge(view),
        Oracle::Stuck => stuck::judge(view),
        Oracle::Livelock => livelock::judge(view),
        Oracle::EventIdUnique => event_id_unique::judge(view),
        Oracle::EventIdMonotone => event_id_monotone::judge(view),
        Oracle::ReplayAfterCursor => replay_after_cursor::judge(view),
        Oracle::ResumptionContinues => resumption_continues::judge(view),
        Oracle::StreamOrder => stream_order::judge(view),
        Oracle::MessageOnOneStream => message_on_one_stream::judge(view),
        Oracle::ProgressIncreases => progress_increases::judge(view),
        Oracle::NoProgressAfterCompletion => no_progress_after_completion::judge(view),
        Oracle::NoResponseOnFreshGet => no_response_on_fresh_get::judge(view),
        Oracle::OneResponsePerRequest => one_response_per_request::judge(view),
        Oracle::ResponseBelongsToRequest => response_belongs_to_request::judge(view),
        Oracle::GetSseOr405 => get_sse_or_405::judge(view),
        Oracle::UnresumableAnswer => unresumable_answer::judge(view),
        Oracle::GoneIs404 => gone_is_404::judge(view),
        Oracle::TokensVerbatim => tokens_verbatim::judge(view),
        Oracle::RetryRespected => retry_respected::judge(view),
        Oracle::CursorExact => cursor_exact::judge(view),
        Oracle::CursorSessionMatch => cursor_session_match::judge(view),
        Oracle::ReinitOn404 => reinit_on_404::judge(view),
        Oracle::SessionHeaderSent => session_header_sent::judge(view),
        Oracle::ProtocolVersionSent => protocol_version_sent::judge(view),
        Oracle::PrimingNotParsed => priming_not_parsed::judge(view),
        Oracle::Leak => leak::judge(view),
    }
}
