//! A client that runs against a scripted server, and the events that such a server sends.

use seamstress_client::{Client, Options};
use seamstress_defects::Defects;
use seamstress_mcp::Revision;
use seamstress_mcp::message::{ProgressToken, RequestId};
use seamstress_mcp::probe::{Mark, announcement_text, progress_text, result_text};
use seamstress_net::MemoryNetwork;
use seamstress_plan::{Ask, Operation};
use seamstress_resumption::{IdScheme, UnverifiablePolicy};
use seamstress_testing::{Asked, ScriptedServer, ScriptedStream, Tape, soon};
use seamstress_trace::{Check, Outcome, What};
use tokio::task::JoinHandle;

/// A client and the server that the test answers for.
pub struct Dialogue {
    pub server: ScriptedServer,
    pub tape: Tape,
    client: JoinHandle<()>,
}

pub fn options() -> Options {
    Options {
        server: "server".to_owned(),
        revision: Revision::LATEST,
        id_scheme: Some(IdScheme::Namespaced),
        reconnect_delay_ms: 100,
        reconnects_max: 3,
        idle_timeout_ms: 10_000,
        response_timeout_ms: 2_000,
        live_within_ms: 500,
        unverifiable: UnverifiablePolicy::Accept,
        defects: Defects::default(),
    }
}

/// A call of `count` that begins at once. Operations of one time begin in no order that counts:
/// where a test depends on it, they begin at different times.
pub fn call(id: &str) -> Operation {
    call_at(id, 0)
}

pub fn call_at(id: &str, at_ms: u64) -> Operation {
    let ask = Ask::Count { events: 3, interval_ms: 10, progress_on_standalone: false };
    Operation { id: id.to_owned(), at_ms, ask }
}

pub fn listen() -> Operation {
    Operation { id: "standalone".to_owned(), at_ms: 0, ask: Ask::Listen }
}

impl Dialogue {
    /// A client that is about to begin a session.
    pub async fn begin(options: Options, workload: Vec<Operation>) -> Dialogue {
        let (network, tape) = (MemoryNetwork::default(), Tape::begin());
        let server = ScriptedServer::listen(&network, &options.server).await;
        let client = Client::new(network, options, tape.recorder());
        Dialogue { server, tape, client: tokio::spawn(client.run(workload)) }
    }

    /// A client that has begun the session `S1`.
    pub async fn in_session(options: Options, workload: Vec<Operation>) -> Dialogue {
        let mut dialogue = Dialogue::begin(options, workload).await;
        dialogue.server.begin_session("S1").await;
        dialogue
    }

    /// The next call, which must be this one, answered with a stream.
    pub async fn takes_call(&mut self, call: &str) -> (ScriptedStream, i64) {
        let asked = self.server.next_post("tools/call").await;
        assert_eq!(asked.call(), call);
        let id = request_id(&asked);
        (asked.stream(), id)
    }

    /// The next request, which must resume with this cursor, answered with a stream.
    pub async fn takes_resume(&mut self, cursor: &str) -> ScriptedStream {
        let asked = self.server.next_get().await;
        assert_eq!(asked.cursor(), Some(cursor));
        asked.stream()
    }

    /// The client has nothing more to ask for: it ends this session, and itself.
    pub async fn ends(&mut self, session: &str) {
        self.server.end_session(session).await;
        self.is_over().await;
    }

    pub async fn is_over(&mut self) {
        soon("the client's end", &mut self.client).await.expect("no panic");
        assert!(!self.server.was_asked());
    }

    /// How each operation ended, by its name.
    pub fn outcomes(&self) -> Vec<(String, Outcome)> {
        let mut outcomes = self.tape.pick(|what| match what {
            What::Outcome { call, outcome } => Some((call, outcome)),
            _ => None,
        });
        outcomes.sort_by(|(one, _), (other, _)| one.cmp(other));
        outcomes
    }

    /// To whom which message was handed: the receiver, and the message's own place.
    pub fn delivered(&self) -> Vec<(String, u64)> {
        self.tape.pick(|what| match what {
            What::Deliver { to, message, .. } => Some((to, message.mark?.ordinal)),
            _ => None,
        })
    }

    /// Why sessions were given up.
    pub fn losses(&self) -> Vec<String> {
        self.tape.pick(|what| match what {
            What::DeclareLoss { why, .. } => Some(why),
            _ => None,
        })
    }

    /// What the continuity checks gave, and whether the client went on.
    pub fn checks(&self) -> Vec<(Check, bool)> {
        self.tape.pick(|what| match what {
            What::Continuity { check, accepted, .. } => Some((check, accepted)),
            _ => None,
        })
    }
}

/// The JSON-RPC id of a request.
pub fn request_id(asked: &Asked) -> i64 {
    asked.message["id"].as_i64().expect("a number")
}

/// The text of progress number `n` of a call.
pub fn progress(call: &str, n: u64) -> String {
    progress_text(&Mark::new("s1", call, n), &ProgressToken::from(call), n, 3)
}

/// The text of the result of a call, its message number `n`.
pub fn result(call: &str, id: i64, n: u64) -> String {
    result_text(&Mark::new("s1", call, n), &RequestId::from(id), call, n - 1)
}

/// Sends progress number `n` of a call under the id `s1.CALL.n`.
pub fn step(stream: &ScriptedStream, call: &str, n: u64) {
    stream.send(&format!("id: s1.{call}.{n}\ndata: {}\n\n", progress(call, n)));
}

/// Sends the result of a call under the id `s1.CALL.n`.
pub fn finish(stream: &ScriptedStream, call: &str, id: i64, n: u64) {
    stream.send(&format!("id: s1.{call}.{n}\ndata: {}\n\n", result(call, id, n)));
}

/// Sends announcement number `n` under the id `s1.standalone-1.n`.
pub fn announce(stream: &ScriptedStream, n: u64) {
    let text = announcement_text(&Mark::new("s1", "standalone-1", n));
    stream.send(&format!("id: s1.standalone-1.{n}\ndata: {text}\n\n"));
}

/// The places of messages that were handed to one receiver.
pub fn places(to: &str, ordinals: impl IntoIterator<Item = u64>) -> Vec<(String, u64)> {
    ordinals.into_iter().map(|ordinal| (to.to_owned(), ordinal)).collect()
}

/// The outcome of one operation.
pub fn ended(call: &str, outcome: Outcome) -> (String, Outcome) {
    (call.to_owned(), outcome)
}
