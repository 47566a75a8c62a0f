//! The calls of a workload as messages.
//!
//! Owns which tool an operation calls, and with which arguments. It must not send anything.

use seamstress_mcp::message::{self, CallMeta, CallToolParams, ProgressToken, RequestId, method};
use seamstress_mcp::probe::{
    AnnounceArguments, CountArguments, ProgressOn, TOOL_ANNOUNCE, TOOL_COUNT,
};
use seamstress_plan::{Ask, Operation};
use serde_json::value::RawValue;

/// The JSON-RPC message of an operation's call; none for an operation that calls nothing.
pub(crate) fn call_text(id: i64, operation: &Operation) -> Option<String> {
    let (name, arguments) = probe_call(operation)?;
    let arguments = RawValue::from_string(arguments).ok()?;
    let token = ProgressToken::from(operation.id.as_str());
    let params = CallToolParams {
        name: name.into(),
        arguments: Some(&arguments),
        meta: Some(CallMeta { progress_token: Some(token) }),
    };
    message::request(&RequestId::from(id), method::TOOLS_CALL, &params).ok()
}

/// The tool that an operation calls and its arguments, as the text of a JSON object; none for an
/// operation that calls none.
#[must_use]
pub fn probe_call(operation: &Operation) -> Option<(&'static str, String)> {
    let call = operation.id.as_str().into();
    match &operation.ask {
        Ask::Count { events, interval_ms, progress_on_standalone } => {
            let progress_on =
                if *progress_on_standalone { ProgressOn::Standalone } else { ProgressOn::Own };
            let arguments =
                CountArguments { call, events: *events, interval_ms: *interval_ms, progress_on };
            Some((TOOL_COUNT, serde_json::to_string(&arguments).ok()?))
        }
        Ask::Announce { events, interval_ms } => {
            let arguments = AnnounceArguments { call, events: *events, interval_ms: *interval_ms };
            Some((TOOL_ANNOUNCE, serde_json::to_string(&arguments).ok()?))
        }
        Ask::Listen | Ask::ListTools | Ask::Ping => None,
    }
}
