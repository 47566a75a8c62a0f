//! The seam between simulated and real sockets.
//!
//! Owns what the participants need of a network: listen, accept, connect, and closing a connection
//! in a chosen way. It must not know MCP, HTTP or who is talking; which network lies behind it is
//! known only to whoever starts a participant.
//!
//! What this model of TCP lacks when the network is simulated: retransmission, segmentation by
//! size, TLS, and races between two tasks of one host. A real binary behind a proxy covers those.

#[cfg(any(test, feature = "memory"))]
mod memory;
mod valve;

use std::future::Future;
use std::io;

use tokio::io::{AsyncRead, AsyncWrite};

#[cfg(any(test, feature = "memory"))]
pub use memory::{MemoryListener, MemoryNetwork, MemorySocket};
pub use valve::{Valve, ValveHandle};

/// A network that a participant can listen and connect on.
pub trait Network: Clone + Send + Sync + 'static {
    /// A connection.
    type Socket: Socket;
    /// A place where connections arrive.
    type Listener: Listener<Socket = Self::Socket>;

    /// Listens on a port of this host.
    ///
    /// # Errors
    ///
    /// What the network says, for example that the port is taken.
    fn listen(&self, port: u16) -> impl Future<Output = io::Result<Self::Listener>> + Send;

    /// Connects to a port of a host by name.
    ///
    /// # Errors
    ///
    /// What the network says, for example that nobody listens there. It may also never return:
    /// callers set a time limit.
    fn connect(
        &self,
        host: &str,
        port: u16,
    ) -> impl Future<Output = io::Result<Self::Socket>> + Send;
}

/// A place where connections arrive.
pub trait Listener: Send + 'static {
    /// A connection.
    type Socket: Socket;

    /// The next connection.
    ///
    /// # Errors
    ///
    /// What the network says; the listener is then of no more use.
    fn accept(&mut self) -> impl Future<Output = io::Result<Self::Socket>> + Send;
}

/// A connection.
pub trait Socket: AsyncRead + AsyncWrite + Unpin + Send + 'static {
    /// Makes the closing of this connection a reset (RST) instead of an orderly end (FIN).
    fn reset_on_close(&mut self);
}
