//! What the application asks for, and when all of it has ended.
//!
//! Owns the operations of a workload: each runs as a task of its own from its time on, in whatever
//! session is live then. A call whose stream is lost ends as unknown and is never sent again.

use std::sync::Arc;
use std::time::Duration;

use http::Response;
use hyper::body::Incoming;
use seamstress_mcp::message::{self, Empty, Message, RequestId, method};
use seamstress_net::Network;
use seamstress_plan::{Ask as Asked, Operation};
use seamstress_trace::{End, Host, Method, Outcome, What};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, sleep_until, timeout};

use crate::calls::call_text;
use crate::defects::Defect;
use crate::exchange::{Events, Exchange};
use crate::session::{Answer, Session};
use crate::shared::{Ask, Current, NOT_FOUND, Shared};
use crate::stream::{Attempt, Stream};
use crate::wire::is_event_stream;

/// Carries a workload out.
pub(crate) async fn run<N: Network>(shared: Arc<Shared<N>>, workload: Vec<Operation>) {
    let keeper = tokio::spawn(crate::keeper::keep(shared.clone()));
    let mut calls = JoinSet::new();
    let mut listener = None;
    for operation in workload {
        if operation.ask == Asked::Listen {
            listener = Some(tokio::spawn(listen(shared.clone(), operation)));
        } else {
            calls.spawn(operate(shared.clone(), operation));
        }
    }
    while calls.join_next().await.is_some() {}
    if let Some(listener) = listener {
        settle(&shared).await;
        if shared.has(Defect::LeavesStreamOpen) {
            return;
        }
        listener.abort();
        // The abort is the expected end; a panic has already reached the run's hook.
        let _ = listener.await;
    }
    // A session that was lost is followed by a new one even if nothing is left to ask for.
    let session = live_session(&shared).await;
    keeper.abort();
    // The abort is the expected end; a panic has already reached the run's hook.
    let _ = keeper.await;
    if let Some(session) = session {
        crate::keeper::delete(&shared, &session).await;
    }
}

/// Waits for the notifications that results have promised, as long as one may be under way.
async fn settle<N: Network>(shared: &Shared<N>) {
    let limit = Duration::from_millis(shared.options.live_within_ms);
    let tick = Duration::from_millis(1);
    let kept = async {
        loop {
            match &*shared.current.borrow() {
                Current::Live(session) if session.promises_kept() => return,
                Current::GaveUp => return,
                Current::Live(_) | Current::Beginning => {}
            }
            sleep(tick).await;
        }
    };
    // What has not come by then is for the judge to miss.
    let _ = timeout(limit, kept).await;
}

async fn operate<N: Network>(shared: Arc<Shared<N>>, operation: Operation) {
    let Some(session) = begin_at(&shared, operation.at_ms).await else {
        return shared.record_outcome(&operation, Outcome::Failed);
    };
    let outcome = match &operation.ask {
        Asked::Listen => return,
        Asked::ListTools => {
            exchange_one(&shared, &session, &operation.id, method::TOOLS_LIST).await
        }
        Asked::Ping => exchange_one(&shared, &session, &operation.id, method::PING).await,
        Asked::Count { .. } | Asked::Announce { .. } => {
            let outcome = call(&shared, &session, &operation).await;
            call_again(&shared, session, &operation, outcome).await
        }
    };
    shared.record_outcome(&operation, outcome);
}

/// The live session at the time of an operation; none when the client gave up.
async fn begin_at<N: Network>(shared: &Shared<N>, at_ms: u64) -> Option<Arc<Session>> {
    let mut current = shared.current.subscribe();
    let began = {
        let mut began = shared.began.subscribe();
        tokio::select! {
            biased;
            began = began.wait_for(Option::is_some) => (*began.ok()?)?,
            _ = current.wait_for(|current| matches!(current, Current::GaveUp)) => return None,
        }
    };
    sleep_until(began + Duration::from_millis(at_ms)).await;
    live_session(shared).await
}

async fn live_session<N: Network>(shared: &Shared<N>) -> Option<Arc<Session>> {
    session_once(shared, |_| true).await
}

/// The session that follows one which was lost just now.
async fn session_after_lost<N: Network>(shared: &Shared<N>) -> Option<Arc<Session>> {
    session_once(shared, |session| !session.is_lost()).await
}

/// The live session as soon as it is one that will do; none when the client gave up.
async fn session_once<N: Network>(
    shared: &Shared<N>,
    will_do: impl Fn(&Session) -> bool,
) -> Option<Arc<Session>> {
    let mut current = shared.current.subscribe();
    let settled = current.wait_for(|current| match current {
        Current::Live(session) => will_do(session),
        Current::Beginning => false,
        Current::GaveUp => true,
    });
    match &*settled.await.ok()? {
        Current::Live(session) => Some(session.clone()),
        Current::Beginning | Current::GaveUp => None,
    }
}

/// A request whose answer is one message; a server may give it on a stream of events.
async fn exchange_one<N: Network>(
    shared: &Arc<Shared<N>>,
    session: &Arc<Session>,
    label: &str,
    rpc: &str,
) -> Outcome {
    let id = shared.next_request();
    match message::request(&RequestId::from(id), rpc, &Empty {}) {
        Ok(text) => request(shared, session, post(session, label, rpc, id, text)).await,
        Err(_) => Outcome::Failed,
    }
}

/// Reads an answer that is one message.
async fn one_message<N: Network>(
    shared: &Arc<Shared<N>>,
    session: &Arc<Session>,
    exchange: Exchange,
    response: Response<Incoming>,
) -> Outcome {
    let limit = Duration::from_millis(shared.options.idle_timeout_ms);
    let body = tokio::select! {
        biased;
        () = session.lost() => return Outcome::Unknown,
        body = exchange.whole(response, limit) => body,
    };
    match body.as_deref().map(message::parse) {
        Some(Ok(Message::Response { .. })) => Outcome::Done,
        Some(_) => Outcome::Failed,
        None => Outcome::Unknown,
    }
}

fn post<'a>(session: &'a Session, label: &'a str, rpc: &'a str, id: i64, text: String) -> Ask<'a> {
    Ask {
        method: Method::Post,
        session: Some(session),
        cursor: None,
        stream: Some(label),
        message: Some((rpc, Some(id.to_string()), text)),
    }
}

/// Calls a tool.
async fn call<N: Network>(
    shared: &Arc<Shared<N>>,
    session: &Arc<Session>,
    operation: &Operation,
) -> Outcome {
    let id = shared.next_request();
    let Some(text) = call_text(id, operation) else { return Outcome::Failed };
    let ask = post(session, &operation.id, method::TOOLS_CALL, id, text);
    let outcome = request(shared, session, ask).await;
    if outcome == Outcome::Done
        && let Asked::Announce { events, .. } = operation.ask
    {
        session.promise_notifications(events);
    }
    outcome
}

/// Makes a request and reads its answer to the end, however often its stream has to be resumed.
async fn request<N: Network>(
    shared: &Arc<Shared<N>>,
    session: &Arc<Session>,
    ask: Ask<'_>,
) -> Outcome {
    let label = ask.stream.unwrap_or_default();
    let id = ask.message.as_ref().and_then(|(_, id, _)| id.clone()).unwrap_or_default();
    let answered = session.expect(&id, label);
    let Some((exchange, response)) = shared.send(&ask).await else { return Outcome::Unknown };
    match response.status() {
        http::StatusCode::OK if is_event_stream(&response) => {}
        http::StatusCode::NOT_FOUND => {
            exchange.end(End::Clean);
            shared.lose(session, NOT_FOUND);
            return Outcome::Failed;
        }
        // A server may answer with one body of JSON, and a client must take it
        // (`basic/transports`, Sending Messages to the Server).
        http::StatusCode::OK => return one_message(shared, session, exchange, response).await,
        status => {
            exchange.end(End::Clean);
            let certain = status.is_client_error();
            return if certain { Outcome::Failed } else { Outcome::Unknown };
        }
    }
    let mut stream = Stream::new(shared, session, label);
    let events = stream.attach(exchange, response);
    if shared.has(Defect::ReconnectOutlivesRequest) {
        // Nobody ends this task when the call has ended.
        let of_follower = session.clone();
        let follower = tokio::spawn(async move {
            tokio::select! {
                biased;
                () = of_follower.lost() => {}
                () = follow(&mut stream, events, false) => {}
            }
        });
        return follow_call(shared, session, answered, async { drop(follower.await) }).await;
    }
    follow_call(shared, session, answered, follow(&mut stream, events, false)).await
}

/// Waits until a call is answered or its stream cannot be followed any more.
async fn follow_call<N: Network>(
    shared: &Shared<N>,
    session: &Arc<Session>,
    mut answered: watch::Receiver<Option<Answer>>,
    following: impl Future<Output = ()>,
) -> Outcome {
    let outcome = tokio::select! {
        biased;
        () = session.is_cut_off(), if shared.has(Defect::GetFailureIsFatal) => None,
        answer = answered.wait_for(Option::is_some) => match answer.as_deref() {
            Ok(Some(Answer::Result)) => Some(Outcome::Done),
            Ok(_) | Err(_) => Some(Outcome::Failed),
        },
        () = session.lost() => Some(Outcome::Unknown),
        () = following => Some(Outcome::Unknown),
    };
    let orphans = session.is_lost() && shared.has(Defect::ReinitOrphansCalls);
    // The answer and the end of a stream without a cursor may come at once.
    match (outcome, answered.borrow().as_ref()) {
        (Some(Outcome::Unknown), Some(Answer::Result)) => return Outcome::Done,
        (Some(Outcome::Unknown), Some(_)) => return Outcome::Failed,
        _ => {}
    }
    match outcome {
        Some(Outcome::Unknown) if orphans => std::future::pending().await,
        Some(outcome) => outcome,
        None => std::future::pending().await,
    }
}

/// Reads a stream and resumes it, until it cannot be resumed any more.
async fn follow<N: Network>(stream: &mut Stream<N>, mut events: Events, resumed: bool) {
    let mut resumed = resumed;
    loop {
        if !stream.read(&mut events, resumed).await {
            return;
        }
        drop(events);
        if stream.begins_anew_instead() {
            return;
        }
        if stream.shares_one_cursor() {
            // One GET stands for all streams of the session, and it is the listener's.
            return std::future::pending().await;
        }
        events = loop {
            match stream.resume().await {
                Attempt::Open(events) => break events,
                Attempt::Failed => {}
                Attempt::NoCursor | Attempt::Lost | Attempt::NotOffered => return,
            }
        };
        resumed = true;
    }
}

/// Keeps the standalone stream open, in one session after the other.
async fn listen<N: Network>(shared: Arc<Shared<N>>, operation: Operation) {
    let mut session = begin_at(&shared, operation.at_ms).await;
    let mut kept_cursor = None;
    while let Some(live) = session {
        let mut stream = Stream::new(&shared, &live, &operation.id);
        tokio::select! {
            biased;
            () = live.lost() => {}
            () = listen_in_session(&mut stream, kept_cursor.as_deref()) => return,
        }
        if shared.has(Defect::KeepsCursorIntoNewSession) {
            kept_cursor = stream.current_cursor().or(kept_cursor);
        }
        session = live_session(&shared).await;
    }
}

/// Returns when the server offers no standalone stream.
async fn listen_in_session<N: Network>(stream: &mut Stream<N>, kept_cursor: Option<&str>) {
    let mut resumed = kept_cursor.is_some();
    let mut attempt = match kept_cursor {
        Some(cursor) => stream.resume_from_before(cursor).await,
        None => stream.listen().await,
    };
    loop {
        match attempt {
            Attempt::Open(mut events) => {
                if !stream.read(&mut events, resumed).await || stream.takes_all_down(false) {
                    return std::future::pending().await;
                }
            }
            Attempt::Failed if stream.takes_all_down(true) => {
                return std::future::pending().await;
            }
            Attempt::Failed => {}
            // The session is lost: whoever selects on that goes on.
            Attempt::Lost => return std::future::pending().await,
            Attempt::NoCursor => {}
            Attempt::NotOffered => return,
        }
        resumed = stream.current_cursor().is_some();
        attempt = if resumed {
            stream.resume().await
        } else {
            stream.begin_anew();
            stream.listen_again().await
        };
    }
}

/// Sends a call again in the next session, where the client does so: two defects.
async fn call_again<N: Network>(
    shared: &Arc<Shared<N>>,
    mut session: Arc<Session>,
    operation: &Operation,
    mut outcome: Outcome,
) -> Outcome {
    for _ in 0..shared.options.reconnects_max {
        let after_break = outcome == Outcome::Unknown && shared.has(Defect::RepostInsteadOfResume);
        let after_404 = outcome != Outcome::Done
            && session.was_not_found()
            && shared.has(Defect::RepostAfter404);
        if !after_break && !after_404 {
            break;
        }
        let Some(next) = session_after_lost(shared).await else { break };
        session = next;
        outcome = call(shared, &session, operation).await;
    }
    outcome
}

impl<N: Network> Shared<N> {
    fn record_outcome(&self, operation: &Operation, outcome: Outcome) {
        let record = What::Outcome { call: operation.id.clone(), outcome };
        self.recorder.record(Host::Client, record);
    }
}
