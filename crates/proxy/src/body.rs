//! The body of a response to the client, and the ways in which it ends.
//!
//! Owns getting what was sent out before the connection is cut. It must not know why it is cut.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame};
use tokio::sync::mpsc;

/// One thing that happens to a response body. Dropping the sender ends it cleanly.
pub(crate) enum Piece {
    /// These bytes go out.
    Bytes(Bytes),
    /// The connection is closed without the last chunk.
    Cut,
}

/// See the file's head.
pub(crate) enum ProxyBody {
    /// Nothing, or one message.
    Whole(Option<Bytes>),
    /// Pieces, as they come.
    Pieces {
        /// Where they come from.
        pieces: mpsc::Receiver<Piece>,
        /// Whether the cut has come.
        cut: bool,
    },
}

/// What HTTP is told when a fault cuts a connection.
#[derive(Debug)]
pub(crate) struct CutByFault;

impl fmt::Display for CutByFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a fault of the plan cuts this connection")
    }
}

impl std::error::Error for CutByFault {}

impl Body for ProxyBody {
    type Data = Bytes;
    type Error = CutByFault;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CutByFault>>> {
        match self.get_mut() {
            ProxyBody::Whole(bytes) => {
                Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes))))
            }
            ProxyBody::Pieces { cut: true, .. } => Poll::Ready(Some(Err(CutByFault))),
            ProxyBody::Pieces { pieces, cut } => match pieces.poll_recv(context) {
                Poll::Pending => Poll::Pending,
                Poll::Ready(None) => Poll::Ready(None),
                Poll::Ready(Some(Piece::Bytes(bytes))) => Poll::Ready(Some(Ok(Frame::data(bytes)))),
                Poll::Ready(Some(Piece::Cut)) => {
                    // The HTTP library writes out what it holds when the body has nothing more for
                    // now; only then may the connection die.
                    *cut = true;
                    context.waker().wake_by_ref();
                    Poll::Pending
                }
            },
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, ProxyBody::Whole(None))
    }

    fn size_hint(&self) -> http_body::SizeHint {
        match self {
            ProxyBody::Whole(bytes) => {
                http_body::SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64)
            }
            ProxyBody::Pieces { .. } => http_body::SizeHint::default(),
        }
    }
}
