//! A server that listens in memory.

use std::sync::Arc;

use seamstress_foreign::{Hosting, Subject};
use seamstress_net::MemoryNetwork;
use seamstress_testing::{Peer, Tape};

const HOST: &str = "server";

/// One process of a server, the network on which it listens, and what it recorded.
pub struct Running {
    pub hosting: Hosting,
    pub tape: Tape,
    pub network: MemoryNetwork,
}

impl Running {
    pub async fn begin(subject: impl Subject + 'static) -> Running {
        let (network, tape) = (MemoryNetwork::default(), Tape::begin());
        let hosting = Hosting::new(Arc::new(subject), tape.recorder());
        tokio::spawn(hosting.clone().serve(network.for_host(HOST), 0));
        tokio::task::yield_now().await;
        Running { hosting, tape, network }
    }

    /// A client without a session.
    pub fn stranger(&self) -> Peer {
        Peer::of(&self.network, HOST)
    }
}
