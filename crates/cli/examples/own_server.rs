//! Your own server in the storm, from your own test: here an axum router.
//!
//! The test is ten lines, at the end of the server. The server is about the smallest that can
//! resume: sessions, a log for each stream, and a replay. With `off-by-one` the replay begins one
//! event too late, and the test fails with a story and a plan file:
//!
//! ```text
//! cargo run -p seamstress --example own_server               # both routers
//! cargo run -p seamstress --example own_server -- sound      # passes
//! cargo run -p seamstress --example own_server -- off-by-one # fails
//! cargo test -p seamstress --example own_server
//! ```

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router, routing};
use futures_util::future::BoxFuture;
use futures_util::stream::{self, Stream, StreamExt};
use seamstress::{
    Harness, HarnessError, Held, Outlet, ProbeSession, Probes, Process, ProgressToken, RequestId,
    Routing, Sent, ToolCall,
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

// ---- the server ------------------------------------------------------------------------------

/// The server's state: its sessions by id.
#[derive(Clone)]
struct App {
    probes: Probes,
    sessions: Arc<Mutex<BTreeMap<String, Arc<Session>>>>,
    is_off_by_one: bool,
}

/// A session with the logs of its streams. The application behind it is `probes`.
struct Session {
    probes: Arc<ProbeSession>,
    streams: Mutex<BTreeMap<String, Log>>,
}

/// One stream: all its events, and whoever reads them now.
#[derive(Default)]
struct Log {
    events: Vec<String>,
    reader: Option<mpsc::UnboundedSender<(String, String)>>,
    has_ended: bool,
}

const STANDALONE: &str = "get";

fn router(probes: &Probes, is_off_by_one: bool) -> Router {
    let app = App { probes: probes.clone(), sessions: Arc::default(), is_off_by_one };
    let methods = routing::post(post).get(get).delete(delete);
    Router::new().route("/mcp", methods).with_state(app)
}

async fn post(State(app): State<App>, headers: HeaderMap, Json(message): Json<Value>) -> Response {
    let id = &message["id"];
    let result = |result: Value| json!({ "jsonrpc": "2.0", "id": id, "result": result });
    if message["method"] == "initialize" {
        let (name, session) = app.begin_session();
        let result = result(json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": { "tools": {}, "logging": {} },
            "serverInfo": { "name": "own", "version": "1" },
            "_meta": { "seamstress/session": session.probes.origin() },
        }));
        return ([("mcp-session-id", name)], Json(result)).into_response();
    }
    let Some(session) = app.session(&headers) else { return gone() };
    match message["method"].as_str() {
        Some("ping") => Json(result(json!({}))).into_response(),
        Some("tools/list") => Json(result(json!(seamstress::tools_list()))).into_response(),
        Some("tools/call") => call(session, message),
        _ => StatusCode::ACCEPTED.into_response(),
    }
}

/// Answers a call with a stream of its own; the tool goes on when nobody reads it.
fn call(session: Arc<Session>, message: Value) -> Response {
    let params = &message["params"];
    let stream = format!("call-{}", message["id"]);
    let events = session.attach(&stream, Vec::new());
    session.append(&stream, String::new()); // primes the client's cursor
    let token = params["_meta"]["progressToken"].as_str().map(str::to_owned);
    let (name, arguments) =
        (params["name"].as_str().unwrap_or("").to_owned(), params["arguments"].clone());
    tokio::spawn(async move {
        let id = message["id"].as_i64().unwrap_or(0);
        let call = ToolCall {
            name: &name,
            arguments: &arguments,
            progress_token: token.as_deref().map(ProgressToken::from),
            request: RequestId::from(id),
        };
        let own = ToStream(session.clone(), stream.clone());
        let answer = match session.probes.call(call, &own, Routing::ByApplication).await {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(say) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32602, "message": say } })
            }
        };
        session.append(&stream, answer.to_string());
        session.end(&stream);
    });
    Sse::new(events).into_response()
}

/// Opens the standalone stream, or resumes the stream that the cursor names.
async fn get(State(app): State<App>, headers: HeaderMap) -> Response {
    let Some(session) = app.session(&headers) else { return gone() };
    let Some(cursor) = headers.get("last-event-id").and_then(|value| value.to_str().ok()) else {
        let events = session.attach(STANDALONE, Vec::new());
        session.append(STANDALONE, String::new());
        return Sse::new(events).into_response();
    };
    let place = cursor
        .rsplit_once('.')
        .and_then(|(stream, number)| Some((stream, number.parse::<usize>().ok()?)));
    let Some((stream, seen)) = place else { return gone() };
    // The events are numbered from 1, so this is the index of the first one not seen.
    let next = if app.is_off_by_one { seen + 1 } else { seen };
    let Some(missed) = session.missed(stream, next) else { return gone() };
    Sse::new(session.attach(stream, missed)).into_response()
}

async fn delete(State(app): State<App>, headers: HeaderMap) -> Response {
    if let Some(name) = headers.get("mcp-session-id").and_then(|value| value.to_str().ok()) {
        lock(&app.sessions).remove(name);
    }
    StatusCode::NO_CONTENT.into_response()
}

fn gone() -> Response {
    StatusCode::NOT_FOUND.into_response()
}

impl App {
    fn begin_session(&self) -> (String, Arc<Session>) {
        let probes = self.probes.begin_session();
        let session = Arc::new(Session { probes, streams: Mutex::default() });
        let standalone = ToStream(session.clone(), STANDALONE.to_owned());
        session.probes.set_standalone(Arc::new(standalone));
        // A real server draws something that nobody can guess.
        let name = format!("session-{}", session.probes.origin());
        lock(&self.sessions).insert(name.clone(), session.clone());
        (name, session)
    }

    fn session(&self, headers: &HeaderMap) -> Option<Arc<Session>> {
        let name = headers.get("mcp-session-id")?.to_str().ok()?;
        lock(&self.sessions).get(name).cloned()
    }
}

impl Session {
    fn append(&self, stream: &str, text: String) {
        let mut streams = lock(&self.streams);
        let log = streams.entry(stream.to_owned()).or_default();
        log.events.push(text.clone());
        let id = format!("{stream}.{}", log.events.len());
        if let Some(reader) = &log.reader {
            // Whoever has left comes back with a cursor.
            let _ = reader.send((id, text));
        }
    }

    fn end(&self, stream: &str) {
        if let Some(log) = lock(&self.streams).get_mut(stream) {
            (log.has_ended, log.reader) = (true, None);
        }
    }

    /// The events of a stream from an index on; none if there is no such stream.
    fn missed(&self, stream: &str, from: usize) -> Option<Vec<(String, String)>> {
        let streams = lock(&self.streams);
        let events = streams.get(stream)?.events.iter().enumerate().skip(from);
        Some(events.map(|(at, text)| (format!("{stream}.{}", at + 1), text.clone())).collect())
    }

    /// What was missed, then what comes.
    fn attach(
        &self,
        stream: &str,
        missed: Vec<(String, String)>,
    ) -> impl Stream<Item = Result<Event, Infallible>> + use<> {
        let (reader, live) = mpsc::unbounded_channel();
        let mut streams = lock(&self.streams);
        let log = streams.entry(stream.to_owned()).or_default();
        if !log.has_ended {
            log.reader = Some(reader);
        }
        let live = stream::unfold(live, async |mut live: mpsc::UnboundedReceiver<_>| {
            live.recv().await.map(|event| (event, live))
        });
        stream::iter(missed).chain(live).map(|(id, text)| Ok(Event::default().id(id).data(text)))
    }
}

/// Sends the application's notifications on one stream.
struct ToStream(Arc<Session>, String);

impl Outlet for ToStream {
    fn send(&self, notification: String) -> BoxFuture<'_, Sent> {
        self.0.append(&self.1, notification);
        Box::pin(async { Sent::Yes })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

// ---- the test --------------------------------------------------------------------------------

fn check(is_off_by_one: bool) -> Result<Held, HarnessError> {
    Harness::new(move |probes: &Probes| Process::new(router(probes, is_off_by_one)))
        .scenario("storm")
        .seeds(0..100)
        .check()
}

#[test]
fn the_sound_router_holds() {
    let held = check(false).expect("no finding");
    assert!(held.sound > 100, "{held:?}");
}

#[test]
#[should_panic(expected = "FAIL skip")]
fn the_router_that_is_off_by_one_is_found_out() {
    Harness::new(|probes: &Probes| Process::new(router(probes, true))).assert_holds();
}

fn main() -> ExitCode {
    let asked = std::env::args().nth(1);
    let routers: &[(&str, bool)] = match asked.as_deref() {
        None => &[("sound", false), ("off-by-one", true)],
        Some("sound") => &[("sound", false)],
        Some("off-by-one") => &[("off-by-one", true)],
        Some(other) => {
            eprintln!("there is no router {other:?}; there are: sound, off-by-one");
            return ExitCode::from(2);
        }
    };
    let mut exit = ExitCode::SUCCESS;
    for (name, is_off_by_one) in routers {
        match check(*is_off_by_one) {
            Ok(held) => println!("{name}: holds in {} runs", held.runs),
            Err(error) => {
                println!("{name}: {error}");
                exit = ExitCode::FAILURE;
            }
        }
    }
    exit
}
