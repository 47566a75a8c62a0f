//! Calls of the probe tools, as any server hands them to its application.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use seamstress_foreign::{Outlet, ProbeSession, Probes, Routing, Sent, ToolCall};
use seamstress_mcp::message::RequestId;
use seamstress_mcp::probe;
use seamstress_testing::Tape;
use serde_json::{Value, json};

/// Keeps what was sent, until its session is gone.
#[derive(Default)]
struct Outbox {
    sent: Mutex<Vec<String>>,
    is_gone: bool,
}

impl Outbox {
    /// Stream and place of each message.
    fn marks(&self) -> Vec<(String, u64)> {
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let mark = |text: &String| {
            let mark = probe::read(text).expect("a probe").mark.expect("a mark");
            (mark.stream.into_owned(), mark.ordinal)
        };
        sent.iter().map(mark).collect()
    }
}

impl Outlet for Outbox {
    fn send(&self, notification: String) -> BoxFuture<'_, Sent> {
        Box::pin(async move {
            if self.is_gone {
                return Sent::SessionGone;
            }
            self.sent.lock().unwrap_or_else(PoisonError::into_inner).push(notification);
            Sent::Yes
        })
    }
}

fn session() -> Arc<ProbeSession> {
    Probes::new(Tape::begin().recorder(), 0, Arc::default()).begin_session()
}

fn called<'a>(name: &'a str, arguments: &'a Value) -> ToolCall<'a> {
    ToolCall { name, arguments, progress_token: None, request: RequestId::from(1) }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_cannot_be_carried_out_is_refused_with_one_sentence() {
    let session = session();
    for (tool, arguments, says) in [
        ("cuont", json!({}), "there is no tool \"cuont\"; see tools/list"),
        ("count", json!({ "call": "c1" }), "the arguments do not parse: missing field `events`"),
        ("count", json!({ "events": 3 }), "the arguments do not parse: missing field `call`"),
        ("count", Value::Null, "the arguments do not parse: invalid type: null"),
        ("announce", json!({ "call": 5 }), "the arguments do not parse: invalid type: integer"),
    ] {
        let own = Outbox::default();
        let refused = session.call(called(tool, &arguments), &own, Routing::ByApplication).await;
        let refused = refused.expect_err("nothing that could be called");
        assert!(refused.starts_with(says), "{tool} {arguments}: {refused}");
        assert_eq!(refused.lines().count(), 1, "{refused}");
        assert_eq!(own.marks(), []);
    }
}

#[tokio::test(start_paused = true)]
async fn progress_goes_where_the_arguments_want_it_unless_the_server_routes_it_by_its_token() {
    let arguments = json!({ "call": "c1", "events": 2, "progress_on": "standalone" });
    for (routing, on_own, on_standalone) in [
        (
            Routing::ByApplication,
            vec![],
            vec![("standalone-1".to_owned(), 1), ("standalone-1".to_owned(), 2)],
        ),
        (Routing::ByToken, vec![("c1".to_owned(), 1), ("c1".to_owned(), 2)], vec![]),
    ] {
        let (session, own) = (session(), Outbox::default());
        let standalone = Arc::new(Outbox::default());
        session.set_standalone(standalone.clone());
        let result = session.call(called("count", &arguments), &own, routing).await;
        assert!(result.is_ok(), "{result:?}");
        assert_eq!((own.marks(), standalone.marks()), (on_own, on_standalone), "{routing:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_in_a_session_that_is_gone_ends_with_that() {
    let arguments = json!({ "call": "c1", "events": 2 });
    let gone = Outbox { is_gone: true, ..Outbox::default() };
    let counted = session().call(called("count", &arguments), &gone, Routing::ByToken).await;
    assert_eq!(counted, Err("the session is gone".to_owned()));
    // Nobody has said where announcements go.
    let own = Outbox::default();
    let announced = session().call(called("announce", &arguments), &own, Routing::ByToken).await;
    assert_eq!(announced, Err("the session is gone".to_owned()));
}
