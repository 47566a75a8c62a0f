//! A socket whose shape and end can be decided from outside while somebody else uses it.
//!
//! Owns splitting writes into pieces and closing by reset. It exists because an HTTP library takes
//! the socket for itself, and a fault has to reach it nevertheless. It knows nothing of HTTP or
//! events: cutting at a place of the protocol is done by whoever knows the protocol.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::Socket;

/// A socket under the control of a [`ValveHandle`].
pub struct Valve<S: Socket> {
    socket: S,
    handle: ValveHandle,
}

/// Decides about the [`Valve`] it was taken from. Cloning it gives another handle to the same.
#[derive(Clone, Debug, Default)]
pub struct ValveHandle {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    /// 0: writes go through whole.
    piece_bytes_max: AtomicUsize,
    reset: AtomicBool,
}

impl<S: Socket> Valve<S> {
    /// Puts a valve on a socket; at first it lets everything through.
    pub fn new(socket: S) -> (Valve<S>, ValveHandle) {
        let handle = ValveHandle::default();
        (Valve { socket, handle: handle.clone() }, handle)
    }
}

impl ValveHandle {
    /// From now on each write is cut into pieces of at most this many bytes, each a segment of its
    /// own.
    pub fn split_writes(&self, piece_bytes_max: usize) {
        self.shared.piece_bytes_max.store(piece_bytes_max.max(1), Ordering::Relaxed);
    }

    /// When the connection closes it will be by a reset.
    pub fn reset_on_close(&self) {
        self.shared.reset.store(true, Ordering::Relaxed);
    }
}

impl<S: Socket> Drop for Valve<S> {
    fn drop(&mut self) {
        if self.handle.shared.reset.load(Ordering::Relaxed) {
            self.socket.reset_on_close();
        }
    }
}

impl<S: Socket> AsyncRead for Valve<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_read(context, buffer)
    }
}

impl<S: Socket> AsyncWrite for Valve<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let piece_bytes_max = self.handle.shared.piece_bytes_max.load(Ordering::Relaxed);
        let piece = match piece_bytes_max {
            0 => bytes,
            most => &bytes[..bytes.len().min(most)],
        };
        Pin::new(&mut self.socket).poll_write(context, piece)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.handle.shared.reset.load(Ordering::Relaxed) {
            // An orderly end first would hide the reset that is due.
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    struct Ended {
        stream: DuplexStream,
        reset: Arc<AtomicBool>,
    }

    impl Socket for Ended {
        fn reset_on_close(&mut self) {
            self.reset.store(true, Ordering::Relaxed);
        }
    }

    impl AsyncRead for Ended {
        fn poll_read(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
            buffer: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            Pin::new(&mut self.stream).poll_read(context, buffer)
        }
    }

    impl AsyncWrite for Ended {
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

        fn poll_shutdown(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<io::Result<()>> {
            Pin::new(&mut self.stream).poll_shutdown(context)
        }
    }

    fn pair() -> (Ended, DuplexStream, Arc<AtomicBool>) {
        let (near, far) = duplex(1024);
        let reset = Arc::new(AtomicBool::new(false));
        (Ended { stream: near, reset: reset.clone() }, far, reset)
    }

    #[tokio::test(flavor = "current_thread")]
    async fn writes_are_cut_into_pieces_and_nothing_is_lost() {
        let (socket, mut far, _) = pair();
        let (mut valve, handle) = Valve::new(socket);
        handle.split_writes(3);
        assert_eq!(valve.write(b"abcdefg").await.expect("written"), 3);
        valve.write_all(b"defg").await.expect("written");
        let mut got = [0; 7];
        far.read_exact(&mut got).await.expect("read");
        assert_eq!(&got, b"abcdefg");
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_valve_closes_in_order_unless_told_to_reset() {
        let (socket, _far, reset) = pair();
        let (valve, _handle) = Valve::new(socket);
        drop(valve);
        assert!(!reset.load(Ordering::Relaxed));

        let (socket, _far, reset) = pair();
        let (mut valve, handle) = Valve::new(socket);
        handle.reset_on_close();
        valve.shutdown().await.expect("nothing is sent");
        drop(valve);
        assert!(reset.load(Ordering::Relaxed));
    }
}
