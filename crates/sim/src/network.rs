//! The simulated network behind `seamstress-net`.
//!
//! Owns turmoil's sockets and what they lack: a reset on demand, and a count of what is open. It
//! must not know who talks.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use seamstress_net::{Listener, Network, Socket};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;
use turmoil::net::{TcpListener, TcpStream};

/// The network as one host sees it.
#[derive(Clone, Default)]
pub struct SimNetwork {
    /// Connections that were reset, by the address of the side that did it and of the other.
    ///
    /// turmoil sends a reset only when a socket is closed with unread data. Here the side that
    /// resets leaves a note, and the other side reads a reset where it would have read the end.
    resets: Arc<Mutex<BTreeSet<(SocketAddr, SocketAddr)>>>,
    host: Arc<OfHost>,
}

/// What a host has open.
#[derive(Default)]
struct OfHost {
    sockets: Mutex<Sockets>,
    killed: Notify,
}

#[derive(Default)]
struct Sockets {
    opened: u64,
    open: BTreeMap<u64, Shared>,
}

/// A socket that its user and its host hold; none when the host has closed it.
type Shared = Arc<Mutex<Option<TcpStream>>>;

impl SimNetwork {
    /// The same network as another host sees it.
    #[must_use]
    pub fn for_another_host(&self) -> SimNetwork {
        SimNetwork { resets: self.resets.clone(), host: Arc::default() }
    }

    /// How many sockets this host has open.
    #[must_use]
    pub fn open_sockets(&self) -> u64 {
        lock(&self.host.sockets).open.len() as u64
    }

    /// Lets this host die in its next step: see [`SimNetwork::until_killed`].
    pub fn kill(&self) {
        self.host.killed.notify_one();
    }

    /// Waits until the host is to die, and closes all its sockets in the order in which they were
    /// opened.
    ///
    /// When a runtime is dropped, tokio drops its tasks in an order that depends on a counter of
    /// the whole process, and so would the ends of their connections be sent.
    pub async fn until_killed(&self) {
        self.host.killed.notified().await;
        let open: Vec<Shared> = lock(&self.host.sockets).open.values().cloned().collect();
        for socket in open {
            drop(lock(&socket).take());
        }
    }

    fn socket(&self, stream: TcpStream) -> io::Result<SimSocket> {
        let (near, far) = (stream.local_addr()?, stream.peer_addr()?);
        let stream = Arc::new(Mutex::new(Some(stream)));
        let mut sockets = lock(&self.host.sockets);
        sockets.opened += 1;
        let number = sockets.opened;
        sockets.open.insert(number, stream.clone());
        Ok(SimSocket { number, stream, near, far, network: self.clone() })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic elsewhere has already ended the run.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
    number: u64,
    stream: Shared,
    near: SocketAddr,
    far: SocketAddr,
    network: SimNetwork,
}

impl SimSocket {
    /// Does something with the stream; a socket whose host has died is broken.
    fn with<T>(
        &self,
        act: impl FnOnce(Pin<&mut TcpStream>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        match lock(&self.stream).as_mut() {
            Some(stream) => act(Pin::new(stream)),
            None => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        }
    }
}

impl Socket for SimSocket {
    fn reset_on_close(&mut self) {
        lock(&self.network.resets).insert((self.near, self.far));
    }
}

impl Drop for SimSocket {
    fn drop(&mut self) {
        lock(&self.network.host.sockets).open.remove(&self.number);
    }
}

impl AsyncRead for SimSocket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let filled = buffer.filled().len();
        ready!(self.with(|stream| stream.poll_read(context, buffer)))?;
        if buffer.filled().len() == filled && buffer.remaining() > 0 {
            let mut resets = lock(&self.network.resets);
            if resets.remove(&(self.far, self.near)) {
                return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for SimSocket {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.with(|stream| stream.poll_write(context, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with(|stream| stream.poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with(|stream| stream.poll_shutdown(context))
    }
}
