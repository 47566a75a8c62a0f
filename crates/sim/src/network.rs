//! The simulated network behind `seamstress-net`.
//!
//! Owns turmoil's sockets and what they lack: a reset on demand, and a count of what is open. It
//! must not know who talks.

use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use seamstress_net::{Listener, Network, Socket};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use turmoil::net::{TcpListener, TcpStream};

/// The network as one host sees it.
#[derive(Clone, Default)]
pub struct SimNetwork {
    /// Connections that were reset, by the address of the side that did it and of the other.
    ///
    /// turmoil sends a reset only when a socket is closed with unread data. Here the side that
    /// resets leaves a note, and the other side reads a reset where it would have read the end.
    resets: Arc<Mutex<BTreeSet<(SocketAddr, SocketAddr)>>>,
    open: Arc<AtomicU64>,
}

impl SimNetwork {
    /// The same network as another host sees it: its open sockets are counted apart.
    #[must_use]
    pub fn for_another_host(&self) -> SimNetwork {
        SimNetwork { resets: self.resets.clone(), open: Arc::default() }
    }

    /// How many sockets this host has open.
    #[must_use]
    pub fn open_sockets(&self) -> u64 {
        self.open.load(Ordering::Relaxed)
    }

    fn socket(&self, stream: TcpStream) -> io::Result<SimSocket> {
        let (near, far) = (stream.local_addr()?, stream.peer_addr()?);
        self.open.fetch_add(1, Ordering::Relaxed);
        Ok(SimSocket { stream, near, far, network: self.clone() })
    }
}

impl Network for SimNetwork {
    type Socket = SimSocket;
    type Listener = SimListener;

    async fn listen(&self, port: u16) -> io::Result<SimListener> {
        let listener = TcpListener::bind((IpAddr::V4(Ipv4Addr::UNSPECIFIED), port)).await?;
        Ok(SimListener { listener, network: self.clone() })
    }

    async fn connect(&self, host: &str, port: u16) -> io::Result<SimSocket> {
        let host = host.to_owned();
        // turmoil leaves the other side with a connection for ever if the caller gives up while
        // connecting: so somebody always waits for the connection, if only to close it.
        let connecting = tokio::spawn(async move { TcpStream::connect((host, port)).await });
        let stream = connecting.await.map_err(io::Error::other)??;
        self.socket(stream)
    }
}

/// A listening socket in the simulation.
pub struct SimListener {
    listener: TcpListener,
    network: SimNetwork,
}

impl Listener for SimListener {
    type Socket = SimSocket;

    async fn accept(&mut self) -> io::Result<SimSocket> {
        let (stream, _) = self.listener.accept().await?;
        self.network.socket(stream)
    }
}

/// A connection in the simulation.
pub struct SimSocket {
    stream: TcpStream,
    near: SocketAddr,
    far: SocketAddr,
    network: SimNetwork,
}

impl Socket for SimSocket {
    fn reset_on_close(&mut self) {
        let mut resets = self.network.resets.lock().unwrap_or_else(PoisonError::into_inner);
        resets.insert((self.near, self.far));
    }
}

impl Drop for SimSocket {
    fn drop(&mut self) {
        self.network.open.fetch_sub(1, Ordering::Relaxed);
    }
}

impl AsyncRead for SimSocket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let filled = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        if buffer.filled().len() == filled && buffer.remaining() > 0 {
            let mut resets = self.network.resets.lock().unwrap_or_else(PoisonError::into_inner);
            if resets.remove(&(self.far, self.near)) {
                return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for SimSocket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
