//! What each adapter of a published server promises: its sessions have names, what the probe tools
//! emit bears marks that tell the truth about the stream it goes out on, and sessions are
//! forgotten when asked.

#![cfg(any(feature = "rmcp", feature = "rust-mcp-sdk", feature = "tower-mcp"))]

use std::sync::Arc;
use std::time::Duration;

use seamstress_client::wire::{self, Ask, Events, Exchange, Wire};
use seamstress_foreign::{Hosting, Subject};
use seamstress_mcp::message::InitializeResult;
use seamstress_mcp::probe::{TOOL_ANNOUNCE, TOOL_COUNT};
use seamstress_net::MemoryNetwork;
use seamstress_trace::{Content, End, Message, Method, Recorder, What};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

const LIMIT: Duration = Duration::from_millis(500);
const VERSION: &str = "2025-11-25";
const STANDALONE: &str = "standalone-1";

/// Where a message belongs by its mark, its place there, and what it is.
type Seen = (String, u64, Content);
type Answered = (Exchange, http::Response<hyper::body::Incoming>);

/// A server that runs, and a client with one session there.
struct Dialogue {
    hosting: Hosting,
    recorder: Recorder,
    wire: Wire<MemoryNetwork>,
    session: Option<String>,
    requests: i64,
}

impl Dialogue {
    /// Begins the session, which the application calls `s1`.
    async fn begin(subject: impl Subject + 'static) -> Dialogue {
        let recorder = Recorder::new(|| 0);
        let hosting = Hosting::new(Arc::new(subject), recorder.clone());
        let network = MemoryNetwork::default();
        tokio::spawn(hosting.clone().serve(network.for_host("server"), 0));
        tokio::task::yield_now().await;
        let wire = Wire::new(network.for_host("client"), "server", LIMIT, recorder.clone());
        let mut dialogue = Dialogue { hosting, recorder, wire, session: None, requests: 0 };
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client});
        let (status, answer) = dialogue.request("initialize", params).await;
        assert_eq!(status, 200);
        let result = answer["result"].to_string();
        let result: InitializeResult<'_> = serde_json::from_str(&result).expect("a result");
        assert_eq!(result.meta.and_then(|meta| meta.session).as_deref(), Some("s1"));
        let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
        let message = Some(("notifications/initialized", None, &*note));
        let (exchange, response) = dialogue.ask(Method::Post, message).await;
        assert!(response.status().is_success());
        exchange.end(End::Clean);
        dialogue
    }

    async fn ask(&self, method: Method, message: Option<(&str, Option<&str>, &str)>) -> Answered {
        let session = self.session.as_deref();
        let protocol_version = session.map(|_| VERSION);
        let ask = Ask { method, session, protocol_version, cursor: None, stream: None, message };
        self.wire.send(&ask).await.expect("a response head")
    }

    /// Posts a request: the status, and the whole answer.
    async fn request(&mut self, rpc: &str, params: Value) -> (u16, Value) {
        self.requests += 1;
        let id = self.requests;
        let text = json!({"jsonrpc": "2.0", "id": id, "method": rpc, "params": params}).to_string();
        let message = Some((rpc, Some(&*id.to_string()), &*text));
        let (exchange, response) = self.ask(Method::Post, message).await;
        let status = response.status().as_u16();
        if let Some(session) = wire::session_header(&response) {
            self.session = Some(session.to_owned());
        }
        let body = exchange.answer(response, LIMIT).await.unwrap_or_default();
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }

    /// Calls a probe tool as `c1`.
    async fn call(&mut self, tool: &str, events: u64) {
        let params = json!({
            "name": tool, "_meta": {"progressToken": "c1"},
            "arguments": {"call": "c1", "events": events, "interval_ms": 1},
        });
        let (status, answer) = self.request("tools/call", params).await;
        assert_eq!(status, 200);
        assert_eq!(answer["result"]["structuredContent"]["events"], events, "{answer}");
    }

    async fn listen(&self) -> Events {
        let (exchange, response) = self.ask(Method::Get, None).await;
        assert_eq!(response.status(), 200);
        assert!(wire::is_event_stream(&response));
        exchange.events(response, LIMIT)
    }

    /// The marked messages that came by now: to the listener, and on all other exchanges.
    fn seen(&self, listening: &Events) -> (Vec<Seen>, Vec<Seen>) {
        let seen = self.recorder.take().into_iter().filter_map(|record| match record.what {
            What::Event {
                exchange, message: Some(Message { content, mark: Some(mark) }), ..
            } => {
                assert_eq!(mark.origin, "s1");
                Some((exchange, (mark.stream, mark.ordinal, content)))
            }
            _ => None,
        });
        let (heard, answered): (Vec<_>, Vec<_>) =
            seen.partition(|(exchange, _)| *exchange == listening.number());
        let without_exchange =
            |seen: Vec<(u64, Seen)>| seen.into_iter().map(|(_, it)| it).collect();
        (without_exchange(heard), without_exchange(answered))
    }
}

/// Reads what comes within a short time.
async fn drain(events: &mut Events) {
    while let Ok(Ok(_)) = timeout(Duration::from_millis(5), events.next()).await {}
}

fn progress(stream: &str, value: u64) -> Seen {
    (stream.into(), value, Content::Progress { call: "c1".into(), progress: value })
}

fn announcement(ordinal: u64) -> Seen {
    (STANDALONE.into(), ordinal, Content::Notification)
}

/// The result of the second request of a session.
fn result(ordinal: u64) -> Seen {
    ("c1".into(), ordinal, Content::Result { request: "2".into(), call: Some("c1".into()) })
}

/// A call reports its progress on its own stream or on the standalone one, its result comes on its
/// own, and all of them say so.
async fn a_call_is_served(subject: impl Subject + 'static, progress_on_own: bool) {
    let mut dialogue = Dialogue::begin(subject).await;
    let mut listening = dialogue.listen().await;
    dialogue.call(TOOL_COUNT, 2).await;
    drain(&mut listening).await;
    let (heard, answered) = dialogue.seen(&listening);
    if progress_on_own {
        assert_eq!(answered, [progress("c1", 1), progress("c1", 2), result(3)]);
        assert_eq!(heard, []);
    } else {
        assert_eq!(answered, [result(1)]);
        assert_eq!(heard, [progress(STANDALONE, 1), progress(STANDALONE, 2)]);
    }
}

/// What is emitted for the standalone stream arrives there in order, during a call and without one.
async fn announcements_arrive(subject: impl Subject + 'static) {
    let mut dialogue = Dialogue::begin(subject).await;
    let mut listening = dialogue.listen().await;
    assert_eq!(dialogue.hosting.burst(2), 1, "one session");
    drain(&mut listening).await;
    dialogue.call(TOOL_ANNOUNCE, 2).await;
    drain(&mut listening).await;
    let (heard, answered) = dialogue.seen(&listening);
    assert_eq!(heard, [1, 2, 3, 4].map(announcement));
    assert_eq!(answered, [result(1)]);
}

/// A session that is forgotten is gone for the client and for the application.
async fn a_session_is_forgotten(subject: impl Subject + 'static, is_counted: bool) {
    let mut dialogue = Dialogue::begin(subject).await;
    let _listening = dialogue.listen().await;
    assert_eq!(dialogue.hosting.sessions(), u64::from(is_counted));
    assert_eq!(dialogue.hosting.forget_sessions(), Some(1));
    sleep(Duration::from_millis(1)).await;
    assert_eq!(dialogue.request("ping", json!({})).await.0, 404);
    assert_eq!(dialogue.hosting.sessions(), 0);
    assert_eq!(dialogue.hosting.burst(1), 0, "nobody is left to tell");
    assert_eq!(dialogue.hosting.forget_sessions(), Some(0), "and nobody to forget");
}

/// A session that the client ends leaves nothing behind.
async fn a_session_is_ended(subject: impl Subject + 'static) {
    let dialogue = Dialogue::begin(subject).await;
    let (exchange, response) = dialogue.ask(Method::Delete, None).await;
    assert!(response.status().is_success());
    exchange.end(End::Clean);
    sleep(Duration::from_millis(1)).await;
    assert_eq!(dialogue.hosting.sessions(), 0);
    assert_eq!(dialogue.hosting.burst(1), 0, "nobody is left to tell");
}

/// The same four checks of every server.
macro_rules! checks {
    ($name:ident, progress_on_own: $own:literal, is_counted: $counted:literal) => {
        use super::*;

        #[tokio::test(start_paused = true)]
        async fn a_call_reports_progress_and_ends_with_marks() {
            a_call_is_served($name(), $own).await;
        }

        #[tokio::test(start_paused = true)]
        async fn announcements_reach_the_listener_with_and_without_a_call() {
            announcements_arrive($name()).await;
        }

        #[tokio::test(start_paused = true)]
        async fn sessions_are_forgotten_when_asked() {
            a_session_is_forgotten($name(), $counted).await;
        }

        #[tokio::test(start_paused = true)]
        async fn an_ended_session_leaves_nothing_behind() {
            a_session_is_ended($name()).await;
        }
    };
}

#[cfg(feature = "rmcp")]
mod rmcp {
    use seamstress_foreign::rmcp::{RmcpServer, ServerOptions};

    checks!(server, progress_on_own: true, is_counted: true);

    fn server() -> RmcpServer {
        RmcpServer(ServerOptions {
            channel_capacity: 16,
            session_keep_alive_ms: 400,
            retry_ms: None,
            stateful: true,
        })
    }
}

#[cfg(feature = "rust-mcp-sdk")]
mod rust_mcp_sdk {
    use seamstress_foreign::rust_mcp_sdk::{RustMcpSdkServer, ServerOptions};

    checks!(server, progress_on_own: true, is_counted: true);

    fn server() -> RustMcpSdkServer {
        RustMcpSdkServer(ServerOptions { session_events_max: None, ping_interval_ms: 40 })
    }
}

#[cfg(feature = "tower-mcp")]
mod tower_mcp {
    use seamstress_foreign::tower_mcp::{ServerOptions, TowerMcpServer};

    // Sessions of this server end by the machine's clock, so those that are left tell nothing.
    checks!(server, progress_on_own: false, is_counted: false);

    fn server() -> TowerMcpServer {
        TowerMcpServer(ServerOptions { session_events_max: None })
    }
}
