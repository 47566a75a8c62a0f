//! The probe tools: what a call does, step by step.
//!
//! Owns reading a call's arguments and carrying it out. It must not know connections: it emits on
//! a stream by name, whether anybody is attached or not, because a disconnection is not a
//! cancellation (`basic/transports`, Sending Messages).

use std::sync::Arc;
use std::time::Duration;

use seamstress_mcp::message::{CallToolParams, ProgressToken, RequestId};
use seamstress_mcp::probe::{
    AnnounceArguments, CountArguments, MultipleReconnectionsArguments, ProgressOn,
    TEST_EVENT_REPLAY, TEST_MULTIPLE_RECONNECTIONS, TEST_RECONNECTION, TEST_TOOL_WITH_PROGRESS,
    TOOL_ANNOUNCE, TOOL_COUNT,
};
use seamstress_trace::{Host, What};
use serde::Deserialize;
use tokio::time::sleep;

use crate::defects::Defect;
use crate::emission::Emission;
use crate::http::Context;

/// How long `test_reconnection` and its like leave their connection closed, in milliseconds: what
/// the official conformance suite expects.
const CLOSED_MS: u64 = 100;
/// How many times `test_multiple_reconnections` closes if the call does not say.
const CHECKPOINTS: u64 = 3;
/// The most events or checkpoints that one call may ask for.
const EVENTS_MAX: u64 = 1_000_000;

/// A call that was understood.
pub(crate) struct Tool {
    call: String,
    token: Option<ProgressToken<'static>>,
    work: Work,
}

enum Work {
    Count {
        events: u64,
        interval_ms: u64,
        on: ProgressOn,
    },
    Announce {
        events: u64,
        interval_ms: u64,
    },
    /// Closes the connection of its own stream so many times, with a notification before the
    /// first closing and so many after the last.
    Reconnect {
        closings: u64,
        before: u64,
        after: u64,
    },
    Progress {
        values: &'static [u64],
    },
}

impl Tool {
    /// Reads a call; the text says what is wrong with it.
    pub fn read(params: &CallToolParams<'_>, id: &RequestId<'_>) -> Result<Tool, String> {
        let arguments = params.arguments.map_or("{}", |arguments| arguments.get());
        let token = params.meta.as_ref().and_then(|meta| meta.progress_token.clone());
        let token = token.map(RequestId::into_owned);
        let unnamed = || format!("call-{id}");
        let (call, work) = match params.name.as_ref() {
            TOOL_COUNT => {
                let asked: CountArguments<'_> = read(arguments)?;
                let (events, interval_ms) = (bounded(asked.events)?, asked.interval_ms);
                let work = Work::Count { events, interval_ms, on: asked.progress_on };
                (asked.call.into_owned(), work)
            }
            TOOL_ANNOUNCE => {
                let asked: AnnounceArguments<'_> = read(arguments)?;
                let (events, interval_ms) = (bounded(asked.events)?, asked.interval_ms);
                (asked.call.into_owned(), Work::Announce { events, interval_ms })
            }
            TEST_RECONNECTION => (unnamed(), Work::Reconnect { closings: 1, before: 0, after: 0 }),
            TEST_EVENT_REPLAY => (unnamed(), Work::Reconnect { closings: 1, before: 1, after: 2 }),
            TEST_MULTIPLE_RECONNECTIONS => {
                let asked: MultipleReconnectionsArguments = read(arguments)?;
                let closings = bounded(asked.checkpoints.unwrap_or(CHECKPOINTS))?;
                (unnamed(), Work::Reconnect { closings, before: 0, after: 0 })
            }
            TEST_TOOL_WITH_PROGRESS => (unnamed(), Work::Progress { values: &[0, 50, 100] }),
            other => return Err(format!("there is no tool {other:?}; see tools/list")),
        };
        if !is_label(&call) {
            return Err(format!(
                "the call's name {call:?} must be 1 to 64 letters, digits, - or _, and must not \
                 begin with \"standalone\""
            ));
        }
        Ok(Tool { call, token, work })
    }

    /// The name of the stream that answers it.
    pub fn stream(&self) -> &str {
        &self.call
    }
}

fn read<'a, T: Deserialize<'a>>(arguments: &'a str) -> Result<T, String> {
    serde_json::from_str(arguments).map_err(|error| format!("the arguments do not parse: {error}"))
}

fn bounded(events: u64) -> Result<u64, String> {
    if events > EVENTS_MAX {
        return Err(format!("{events} events are too many; at most {EVENTS_MAX} are emitted"));
    }
    Ok(events)
}

/// Whether a text can name a stream: it goes into event ids, and must not look like a standalone
/// stream's name.
fn is_label(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=64).contains(&text.len()) && text.bytes().all(is_plain) && !text.starts_with("standalone")
}

/// One call being carried out.
struct Run {
    context: Arc<Context>,
    session: String,
    call: String,
}

/// Carries a call out to its end, or until its session is gone.
pub(crate) async fn execute(context: Arc<Context>, session: String, tool: Tool) {
    let Tool { call, token, work } = tool;
    let run = Run { context, session, call };
    run.record_execution();
    let has_late_progress = run.context.store.options.defects.has(Defect::ProgressAfterResult);
    let late = token.clone().filter(|_| has_late_progress && matches!(work, Work::Count { .. }));
    let events = match work {
        Work::Count { events, interval_ms, on } => {
            let label = token.map_or_else(|| run.call.clone(), |token| token.to_string());
            run.count(&label, events, interval_ms, on).await
        }
        Work::Announce { events, interval_ms } => run.announce(events, interval_ms).await,
        Work::Reconnect { closings, before, after } => run.reconnect(closings, before, after).await,
        Work::Progress { values } => run.progress(token, values),
    };
    if let Some(events) = events {
        run.emit(&Emission::Result { call: &run.call, events });
        if let Some(token) = late {
            let (call, progress) = (token.to_string(), events + 1);
            run.emit_standalone(&Emission::Progress { call: &call, progress, total: progress });
        }
    }
}

impl Run {
    fn record_execution(&self) {
        let Some(session) = self.context.store.origin(&self.session) else { return };
        let execute = What::Execute { session, call: self.call.clone() };
        self.context.store.recorder.record(Host::replica(self.context.replica), execute);
    }

    /// Emits on the call's own stream; false when the session is gone.
    fn emit(&self, emission: &Emission<'_>) -> bool {
        self.context.store.emit(self.context.replica, &self.session, &self.call, emission)
    }

    fn emit_standalone(&self, emission: &Emission<'_>) -> bool {
        self.context.store.emit_standalone(self.context.replica, &self.session, emission)
    }

    async fn count(
        &self,
        label: &str,
        events: u64,
        interval_ms: u64,
        on: ProgressOn,
    ) -> Option<u64> {
        for progress in 1..=events {
            pause(interval_ms).await;
            let emission = Emission::Progress { call: label, progress, total: events };
            let emitted = match on {
                ProgressOn::Own => self.emit(&emission),
                ProgressOn::Standalone => self.emit_standalone(&emission),
            };
            if !emitted {
                return None;
            }
        }
        pause(interval_ms).await;
        Some(events)
    }

    async fn announce(&self, events: u64, interval_ms: u64) -> Option<u64> {
        for _ in 0..events {
            pause(interval_ms).await;
            if !self.emit_standalone(&Emission::Announcement) {
                return None;
            }
        }
        pause(interval_ms).await;
        Some(events)
    }

    async fn reconnect(&self, closings: u64, before: u64, after: u64) -> Option<u64> {
        for _ in 0..before {
            self.emit(&Emission::Announcement);
        }
        for _ in 0..closings {
            self.context.store.close_connection(&self.session, &self.call);
            sleep(Duration::from_millis(CLOSED_MS)).await;
        }
        for _ in 0..after {
            self.emit(&Emission::Announcement);
        }
        Some(before + after)
    }

    fn progress(&self, token: Option<ProgressToken<'_>>, values: &[u64]) -> Option<u64> {
        // Without a token the caller did not ask for progress (basic/utilities/progress).
        if let Some(token) = token {
            let call = token.to_string();
            for progress in values {
                self.emit(&Emission::Progress { call: &call, progress: *progress, total: 100 });
            }
        }
        Some(values.len() as u64)
    }
}

async fn pause(interval_ms: u64) {
    if interval_ms > 0 {
        sleep(Duration::from_millis(interval_ms)).await;
    } else {
        tokio::task::yield_now().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_call(json: &str) -> Result<Tool, String> {
        let params = serde_json::from_str(json).expect("JSON");
        Tool::read(&params, &RequestId::from(7))
    }

    #[test]
    fn a_call_of_a_probe_tool_is_named_by_its_caller() {
        let tool = read_call(r#"{"name":"count","arguments":{"call":"c1","events":3}}"#);
        assert_eq!(tool.expect("understood").stream(), "c1");
    }

    #[test]
    fn a_call_of_a_conformance_tool_is_named_after_its_request() {
        let tool = read_call(r#"{"name":"test_reconnection"}"#);
        assert_eq!(tool.expect("understood").stream(), "call-7");
    }

    #[test]
    fn names_that_would_break_event_ids_are_refused() {
        for name in ["", "a.b", "standalone-1", "ü", &"x".repeat(65)] {
            let call = serde_json::json!({
                "name": "count", "arguments": { "call": name, "events": 1 }
            });
            let error = read_call(&call.to_string()).err().expect("refused");
            assert!(error.contains("must be 1 to 64"), "{error}");
        }
    }

    #[test]
    fn a_call_cannot_ask_for_an_unbounded_number_of_events() {
        let error = read_call(r#"{"name":"count","arguments":{"call":"c","events":1000001}}"#);
        assert!(error.err().expect("refused").contains("at most 1000000"));
    }

    #[test]
    fn an_unknown_tool_is_refused_with_a_way_out() {
        let error = read_call(r#"{"name":"cuont"}"#).err().expect("refused");
        assert!(error.contains("tools/list"), "{error}");
    }
}
