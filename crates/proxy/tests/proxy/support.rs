//! A proxy with a scripted peer on each side.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use http::HeaderMap;
use seamstress_mcp::message::ProgressToken;
use seamstress_mcp::probe::{Mark, progress_text};
use seamstress_net::MemoryNetwork;
use seamstress_plan::{Action, Extent, Fault, Phases, Place, Trigger};
use seamstress_proxy::{Hands, Options, Proxy, ReplicaView};
use seamstress_testing::{Answer, Ask, Peer, ScriptedServer, ScriptedStream, Tape};
use seamstress_trace::{FaultState, What};
use serde_json::json;

/// When faults happen unless a test says otherwise, in milliseconds.
pub const PHASES: Phases = Phases { chaos_from_ms: 0, chaos_until_ms: 10_000, deadline_ms: 20_000 };

/// A proxy that listens, the replicas behind it, and a client with a session.
pub struct Through {
    pub server: ScriptedServer,
    /// The second replica.
    pub other: ScriptedServer,
    pub peer: Peer,
    pub tape: Tape,
    pub hands: Arc<TestHands>,
}

/// One exchange of which both heads have passed.
pub struct Passed {
    /// What the client gets.
    pub client: Answer,
    /// What the server writes.
    pub server: ScriptedStream,
    /// The headers that reached the server.
    pub upstream: HeaderMap,
}

/// Hands that note what they are asked for.
#[derive(Default)]
pub struct TestHands {
    pub acts: Mutex<Vec<(Action, Extent)>>,
    pub views: Mutex<Vec<(usize, ReplicaView)>>,
    /// Whether there is nothing to act on.
    pub are_empty: AtomicBool,
}

impl Hands for TestHands {
    fn act(&self, action: Action, extent: Extent) -> Option<String> {
        self.acts.lock().expect("no panic").push((action, extent));
        (!self.are_empty.load(Ordering::Relaxed)).then(|| "it was done".to_owned())
    }

    fn set_view(&self, replica: usize, view: ReplicaView) -> bool {
        self.views.lock().expect("no panic").push((replica, view));
        true
    }
}

impl Through {
    pub async fn begin(faults: Vec<Fault>) -> Through {
        Through::begin_in(PHASES, &["server", "server-2"], faults).await
    }

    /// With these planted defects.
    pub async fn begin_with(defects: &str, faults: Vec<Fault>) -> Through {
        Through::begin_all(PHASES, &["server", "server-2"], faults, defects).await
    }

    pub async fn begin_in(phases: Phases, replicas: &[&str], faults: Vec<Fault>) -> Through {
        Through::begin_all(phases, replicas, faults, "").await
    }

    async fn begin_all(
        phases: Phases,
        replicas: &[&str],
        faults: Vec<Fault>,
        defects: &str,
    ) -> Through {
        let (network, tape) = (MemoryNetwork::default(), Tape::begin());
        let mut server = ScriptedServer::listen(&network, "server").await;
        let other = ScriptedServer::listen(&network, "server-2").await;
        let hands = Arc::<TestHands>::default();
        let options = Options {
            replicas: replicas.iter().map(|name| (*name).to_owned()).collect(),
            response_timeout_ms: 2_000,
            faults,
            phases,
            defects: defects.parse().expect("a defect"),
        };
        let mut given = 0;
        let ids = move || {
            given += 1;
            format!("public-{given}")
        };
        let host = network.for_host("proxy");
        let proxy = Proxy::new(host, options, hands.clone(), tape.recorder(), ids);
        tokio::spawn(proxy.serve());
        tokio::task::yield_now().await;
        let begun = Peer::initialized(&network, "proxy", "2025-11-25");
        let (peer, ()) = tokio::join!(begun, server.begin_session("upstream-1"));
        Through { server, other, peer, tape, hands }
    }

    /// Sends a request through, which the server answers with a stream.
    pub async fn streams(&mut self, ask: Ask) -> Passed {
        streams(&mut self.server, ask).await
    }

    /// Calls a tool; the server answers with a stream.
    pub async fn calls(&mut self, call: &str) -> Passed {
        let ask = self.peer.call(7, "count", &json!({ "call": call, "events": 3 }));
        self.streams(ask).await
    }

    /// Listens without a cursor; the server answers with a stream.
    pub async fn listens(&mut self) -> Passed {
        self.streams(self.peer.listen()).await
    }

    /// Resumes with a cursor; the server answers with a stream.
    pub async fn resumes(&mut self, cursor: &str) -> Passed {
        self.streams(self.peer.resume(cursor)).await
    }

    /// How far a fault got, in the order of the records.
    pub fn states(&self, fault: &str) -> Vec<FaultState> {
        states_on(&self.tape, fault)
    }

    /// What a fault changed, in the words of its record.
    pub fn effect(&self, fault: &str) -> Option<String> {
        let effects = self.tape.pick(|what| match what {
            What::Fault { fault: id, state: FaultState::Effective, detail, .. } if id == fault => {
                detail
            }
            _ => None,
        });
        effects.into_iter().next()
    }
}

/// How far a fault got, in the order of the records of a tape.
pub fn states_on(tape: &Tape, fault: &str) -> Vec<FaultState> {
    tape.pick(|what| match what {
        What::Fault { fault: id, state, .. } if id == fault => Some(state),
        _ => None,
    })
}

/// Sends a request through, which this server answers with a stream.
pub async fn streams(server: &mut ScriptedServer, ask: Ask) -> Passed {
    let answer = async {
        let asked = server.next().await;
        let upstream = asked.headers.clone();
        (asked.stream(), upstream)
    };
    let (client, (server, upstream)) = tokio::join!(ask.send(), answer);
    Passed { client, server, upstream }
}

/// All three states, each once and in this order.
pub const EFFECTIVE: [FaultState; 3] =
    [FaultState::Reached, FaultState::Fired, FaultState::Effective];

/// A fault named after its action; where it needs an extent: 2 things, 16 bytes, 100 ms.
pub fn fault(action: Action, trigger: Trigger) -> Fault {
    let needs = action.needs();
    let extent = Extent {
        count: needs.count.then_some(2),
        bytes: needs.bytes.then_some(16),
        duration_ms: needs.duration_ms.then_some(100),
    };
    Fault { id: action.name().to_owned(), family: action.family(), trigger, action, extent }
}

/// After event number `nth` of the call `c1`.
pub fn after_event(nth: u64) -> Trigger {
    at_event(nth, Place::After)
}

pub fn at_event(nth: u64, place: Place) -> Trigger {
    Trigger::Event { stream: "c1".to_owned(), nth, place }
}

pub fn at_head() -> Trigger {
    Trigger::Head { stream: "c1".to_owned() }
}

pub fn at_resume(nth: u64) -> Trigger {
    Trigger::Resume { stream: "c1".to_owned(), nth }
}

/// The bytes of event number `n` of the call `c1`, with the id `s1.c1.n`.
pub fn event(n: u64) -> String {
    event_of("c1", n)
}

pub fn event_of(call: &str, n: u64) -> String {
    let text = progress_text(&Mark::new("s1", call, n), &ProgressToken::from("t7"), n, 3);
    format!("id: s1.{call}.{n}\ndata: {text}\n\n")
}

/// Sends these events of the call `c1`.
pub fn send(stream: &ScriptedStream, events: impl IntoIterator<Item = u64>) {
    events.into_iter().for_each(|n| stream.send(&event(n)));
}

/// The bytes of these events of the call `c1`.
pub fn events(events: impl IntoIterator<Item = u64>) -> String {
    events.into_iter().map(event).collect()
}
