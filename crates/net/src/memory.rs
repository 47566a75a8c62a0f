//! A network inside one program, for tests.
//!
//! Owns named hosts, ports and the pipes between them, and closing a pipe by reset. It exists so
//! that a participant can be tested as the ordinary async program it is, without a simulation
//! around it: there is no latency, no loss, and nothing here depends on a clock. It must not know
//! what travels through it.

use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf, duplex};
use tokio::sync::mpsc;

use crate::{Listener, Network, Socket};

/// How many bytes a pipe holds, each way, before its writer has to wait.
const PIPE_BYTES_MAX: usize = 64 * 1024;

/// Who listens, by host name and port.
type Listening = BTreeMap<(String, u16), mpsc::UnboundedSender<MemorySocket>>;

/// The network as one host sees it.
///
/// ```
/// # use seamstress_net::{Listener, MemoryNetwork, Network};
/// # use tokio::io::{AsyncReadExt, AsyncWriteExt};
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let network = MemoryNetwork::default();
/// let mut listener = network.for_host("server").listen(80).await?;
/// let mut near = network.for_host("client").connect("server", 80).await?;
/// let mut far = listener.accept().await?;
/// near.write_all(b"hello").await?;
/// drop(near);
/// let mut heard = String::new();
/// far.read_to_string(&mut heard).await?;
/// assert_eq!(heard, "hello");
/// # std::io::Result::Ok(())
/// # })?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct MemoryNetwork {
    host: String,
    listening: Arc<Mutex<Listening>>,
}

impl MemoryNetwork {
    /// The same network as the host of this name sees it: what it listens on is found there.
    #[must_use]
    pub fn for_host(&self, name: &str) -> MemoryNetwork {
        MemoryNetwork { host: name.to_owned(), listening: self.listening.clone() }
    }

    fn lock(&self) -> MutexGuard<'_, Listening> {
        // Nothing that can panic happens under this lock.
        self.listening.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Network for MemoryNetwork {
    type Socket = MemorySocket;
    type Listener = MemoryListener;

    /// A port can be listened on again as soon as its listener is dropped.
    async fn listen(&self, port: u16) -> io::Result<MemoryListener> {
        let place = (self.host.clone(), port);
        let mut listening = self.lock();
        if listening.get(&place).is_some_and(|taken| !taken.is_closed()) {
            return Err(io::ErrorKind::AddrInUse.into());
        }
        let (sender, arriving) = mpsc::unbounded_channel();
        listening.insert(place, sender);
        Ok(MemoryListener { arriving })
    }

    async fn connect(&self, host: &str, port: u16) -> io::Result<MemorySocket> {
        let (near, far) = MemorySocket::pair();
        let listening = self.lock();
        let refused = || io::Error::from(io::ErrorKind::ConnectionRefused);
        let listener = listening.get(&(host.to_owned(), port)).ok_or_else(refused)?;
        listener.send(far).map_err(|_| refused())?;
        Ok(near)
    }
}

/// A place in memory where connections arrive.
pub struct MemoryListener {
    arriving: mpsc::UnboundedReceiver<MemorySocket>,
}

impl Listener for MemoryListener {
    type Socket = MemorySocket;

    async fn accept(&mut self) -> io::Result<MemorySocket> {
        // The sender stays in the table until the port is listened on again.
        self.arriving.recv().await.ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }
}

/// One end of a connection in memory.
pub struct MemorySocket {
    stream: DuplexStream,
    /// Whether this end closes by reset.
    resets: Arc<AtomicBool>,
    /// Whether the other end does.
    is_reset: Arc<AtomicBool>,
}

impl MemorySocket {
    fn pair() -> (MemorySocket, MemorySocket) {
        let (near, far) = duplex(PIPE_BYTES_MAX);
        let (near_resets, far_resets) = (Arc::<AtomicBool>::default(), Arc::default());
        (
            MemorySocket {
                stream: near,
                resets: near_resets.clone(),
                is_reset: Arc::clone(&far_resets),
            },
            MemorySocket { stream: far, resets: far_resets, is_reset: near_resets },
        )
    }
}

impl Socket for MemorySocket {
    fn reset_on_close(&mut self) {
        self.resets.store(true, Ordering::Relaxed);
    }
}

impl AsyncRead for MemorySocket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let filled = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        let is_end = buffer.filled().len() == filled && buffer.remaining() > 0;
        if is_end && self.is_reset.load(Ordering::Relaxed) {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for MemorySocket {
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

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    async fn connected() -> (MemorySocket, MemorySocket) {
        let network = MemoryNetwork::default();
        let mut listener = network.for_host("server").listen(80).await.expect("free");
        let near = network.for_host("client").connect("server", 80).await.expect("accepted");
        (near, listener.accept().await.expect("arrived"))
    }

    #[tokio::test(flavor = "current_thread")]
    async fn bytes_travel_both_ways_and_an_orderly_end_reads_as_the_end() {
        let (mut near, mut far) = connected().await;
        near.write_all(b"ask").await.expect("written");
        near.shutdown().await.expect("half closed");
        far.write_all(b"answer").await.expect("written");
        drop(far);
        let mut got = Vec::new();
        near.read_to_end(&mut got).await.expect("an orderly end");
        assert_eq!(got, b"answer");
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_reset_is_read_after_the_bytes_that_were_sent_before_it() {
        let (mut near, mut far) = connected().await;
        far.write_all(b"answer").await.expect("written");
        far.reset_on_close();
        drop(far);
        let mut got = Vec::new();
        let error = near.read_to_end(&mut got).await.expect_err("a reset");
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
        assert_eq!(got, b"answer");
    }

    #[tokio::test(flavor = "current_thread")]
    async fn the_side_that_resets_reads_no_reset_itself() {
        let (mut near, far) = connected().await;
        near.reset_on_close();
        drop(far);
        assert_eq!(near.read(&mut [0; 8]).await.expect("an orderly end"), 0);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn connecting_to_nobody_is_refused() {
        let network = MemoryNetwork::default();
        let listener = network.for_host("server").listen(80).await.expect("free");
        for (host, port) in [("server", 81), ("proxy", 80)] {
            let error = network.connect(host, port).await.err().expect("refused");
            assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused, "{host}:{port}");
        }
        drop(listener);
        let error = network.connect("server", 80).await.err().expect("refused");
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_port_is_taken_as_long_as_its_listener_lives_and_each_host_has_its_own() {
        let network = MemoryNetwork::default();
        let server = network.for_host("server");
        let listener = server.listen(80).await.expect("free");
        let error = server.listen(80).await.err().expect("taken");
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
        let _other = network.for_host("proxy").listen(80).await.expect("another host");
        drop(listener);
        server.listen(80).await.expect("free again");
    }
}
