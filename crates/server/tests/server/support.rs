//! A running server and its store, and the options that most dialogues share.

use seamstress_defects::Defects;
use seamstress_mcp::sse::{LineEnding, Priming};
use seamstress_mcp::{Refusal, Revision};
use seamstress_net::MemoryNetwork;
use seamstress_resumption::{Floor, IdScheme, Retention};
use seamstress_server::{Control, Options, Server, Store};
use seamstress_testing::{Answer, Peer, Tape, soon};
use seamstress_trace::{Decision, What};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// The host names of the replicas.
const REPLICAS: [&str; 2] = ["server", "server-2"];

/// A server that listens, with as many replicas as were asked for.
pub struct Running {
    pub network: MemoryNetwork,
    pub tape: Tape,
    pub store: Store,
    processes: Vec<JoinHandle<std::io::Result<()>>>,
}

/// What most dialogues need: no retention bound, long timers, ids that name session and stream.
pub fn options() -> Options {
    Options {
        id_scheme: IdScheme::Namespaced,
        first_event_id: 1,
        floor: Floor::Strict,
        retention: Retention::UNBOUNDED,
        refusal: Refusal::NotFoundAndEndSession,
        priming: Priming::IdAndEmptyData,
        line_ending: LineEnding::Lf,
        retry_ms: None,
        keep_alive_ms: 15_000,
        session_idle_ms: 300_000,
        defects: Defects::default(),
    }
}

impl Running {
    pub async fn begin(options: Options) -> Running {
        let (network, tape) = (MemoryNetwork::default(), Tape::begin());
        let mut begun = 0;
        let store = Store::new(options, tape.recorder(), move || {
            begun += 1;
            format!("session-id-{begun}")
        });
        let mut running = Running { network, tape, store, processes: Vec::new() };
        running.begin_replica().await;
        running
    }

    /// Starts one more replica over the same store.
    pub async fn begin_replica(&mut self) {
        let replica = self.processes.len();
        self.processes.push(self.serve(replica));
        tokio::task::yield_now().await;
    }

    /// Drops the first replica and serves again on the same store.
    pub async fn restart(&mut self) {
        self.processes[0].abort();
        soon("the end of the process", &mut self.processes[0]).await.expect_err("aborted");
        self.processes[0] = self.serve(0);
        tokio::task::yield_now().await;
    }

    fn serve(&self, replica: usize) -> JoinHandle<std::io::Result<()>> {
        let network = self.network.for_host(REPLICAS[replica]);
        tokio::spawn(Server::new(network, self.store.clone(), replica).serve())
    }

    /// A client without a session.
    pub fn stranger(&self) -> Peer {
        Peer::of(&self.network, REPLICAS[0])
    }

    /// A client with a session of the newest revision.
    pub async fn peer(&self) -> Peer {
        self.peer_of(Revision::LATEST).await
    }

    pub async fn peer_of(&self, revision: Revision) -> Peer {
        Peer::initialized(&self.network, REPLICAS[0], revision.as_str()).await
    }

    /// The same client, talking to another replica.
    pub fn at_replica(&self, replica: usize, peer: &Peer) -> Peer {
        Peer::of(&self.network, REPLICAS[replica]).with_session(peer.session())
    }

    pub fn control(&self) -> Control {
        Control::new(self.store.clone())
    }

    /// The reasons for which sessions have ended, in order.
    pub fn session_ends(&self) -> Vec<String> {
        self.tape.pick(|what| match what {
            What::SessionEnd { why, .. } => Some(why),
            _ => None,
        })
    }

    /// The verdicts on cursors, in order.
    pub fn verdicts(&self) -> Vec<Decision> {
        self.tape.pick(|what| match what {
            What::Verdict { decision, .. } => Some(decision),
            _ => None,
        })
    }
}

/// The arguments of `count`: so many events, one every 10 ms.
pub fn count(call: &str, events: u64) -> Value {
    json!({ "call": call, "events": events, "interval_ms": 10 })
}

/// The arguments of `announce`: so many events at once.
pub fn announce(call: &str, events: u64) -> Value {
    json!({ "call": call, "events": events })
}

/// The verdict header of an answer.
pub fn resumption(answer: &Answer) -> Option<&str> {
    answer.header("mcp-resumption")
}

/// Whether the session still answers.
pub async fn is_alive(peer: &Peer) -> bool {
    match peer.request("ping", &json!({})).send().await.status {
        200 => true,
        404 => false,
        status => panic!("a ping was answered {status}"),
    }
}
