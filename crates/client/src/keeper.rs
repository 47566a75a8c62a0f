//! Beginning a session, and another one when it is lost.
//!
//! Owns `initialize` and `notifications/initialized`. A lost session is replaced at once, without
//! its id, as every conforming client must after 404 (`basic/transports`, Session Management).

use std::sync::Arc;
use std::time::Duration;

use seamstress_mcp::Revision;
use seamstress_mcp::message::{
    self, ClientCapabilities, Implementation, InitializeParams, InitializeResult, Message,
    RequestId, method,
};
use seamstress_net::Network;
use seamstress_trace::{End, Host, Method, What};
use tokio::time::{Instant, sleep};

use crate::session::Session;
use crate::shared::{Ask, Current, Shared};
use crate::wire::session_header;

/// Keeps a session alive until it is dropped, or none can be begun.
pub(crate) async fn keep<N: Network>(shared: Arc<Shared<N>>) {
    let mut failures = 0;
    loop {
        match begin(&shared).await {
            Some(session) => {
                failures = 0;
                shared.began.send_if_modified(|began| {
                    let first = began.is_none();
                    began.get_or_insert_with(Instant::now);
                    first
                });
                shared.current.send_replace(Current::Live(session.clone()));
                session.lost().await;
                shared.current.send_replace(Current::Beginning);
                if session.may_live_on() {
                    delete(&shared, &session).await;
                }
            }
            None => {
                failures += 1;
                if failures > shared.options.reconnects_max {
                    shared.current.send_replace(Current::GaveUp);
                    return;
                }
                sleep(Duration::from_millis(shared.options.reconnect_delay_ms)).await;
            }
        }
    }
}

async fn begin<N: Network>(shared: &Arc<Shared<N>>) -> Option<Arc<Session>> {
    let id = shared.next_request();
    let params = InitializeParams {
        protocol_version: shared.options.revision.as_str().into(),
        capabilities: ClientCapabilities::default(),
        client_info: Implementation {
            name: "seamstress-reference".into(),
            version: env!("CARGO_PKG_VERSION").into(),
        },
    };
    let text = message::request(&RequestId::from(id), method::INITIALIZE, &params).ok()?;
    let ask = Ask {
        method: Method::Post,
        session: None,
        cursor: None,
        stream: None,
        message: Some((method::INITIALIZE, Some(id.to_string()), text)),
    };
    let (exchange, response) = shared.send(&ask).await?;
    let session_id = session_header(&response).map(str::to_owned);
    let limit = Duration::from_millis(shared.options.response_timeout_ms);
    let body = exchange.answer(response, limit).await?;
    let Ok(Message::Response { result, .. }) = message::parse(&body) else { return None };
    let result: InitializeResult<'_> = serde_json::from_str(result.get()).ok()?;
    let revision: Revision = result.protocol_version.parse().ok()?;
    let record = What::SessionBegin {
        session: session_id.as_deref().map(|id| shared.recorder.session_name(id)),
        origin: result.meta.and_then(|meta| meta.session),
    };
    shared.recorder.record(Host::Client, record);
    let session = Session::new(session_id, revision);
    if confirm(shared, &session).await {
        return Some(session);
    }
    delete(shared, &session).await;
    None
}

async fn confirm<N: Network>(shared: &Arc<Shared<N>>, session: &Arc<Session>) -> bool {
    let Ok(text) = message::notification(method::INITIALIZED, &()) else { return false };
    let ask = Ask {
        method: Method::Post,
        session: Some(session),
        cursor: None,
        stream: None,
        message: Some((method::INITIALIZED, None, text)),
    };
    let Some((exchange, response)) = shared.send(&ask).await else {
        shared.lose(session, "not-initialized");
        return false;
    };
    let accepted = response.status().is_success();
    exchange.end(End::Clean);
    if !accepted {
        shared.lose(session, "not-initialized");
    }
    accepted
}

/// Tells the server that a session is done with.
pub(crate) async fn delete<N: Network>(shared: &Shared<N>, session: &Session) {
    if session.id().is_none() {
        return;
    }
    let ask = Ask {
        method: Method::Delete,
        session: Some(session),
        cursor: None,
        stream: None,
        message: None,
    };
    if let Some((exchange, _)) = shared.send(&ask).await {
        exchange.end(End::Clean);
    }
}
