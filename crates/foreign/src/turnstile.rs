//! Letting what became ready in one instant go out in one order.
//!
//! Owns the bodies of responses on their way out of a server, and the ends of a client's calls.
//! Foreign code may keep its streams in a map whose order differs from run to run, and end them
//! all at once; what goes out first would then differ as well, and with it the run. So whatever is
//! ready in one instant goes out in the order of its numbers. No time passes, and nothing changes
//! within a body.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::sync::Notify;
use tokio::task::yield_now;

/// The turnstile of one process.
#[derive(Clone, Default)]
pub(crate) struct Turnstile(Arc<Shared>);

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    somebody_waits: Notify,
}

#[derive(Default)]
struct Queue {
    bodies: u64,
    /// Who waits, by number.
    waiting: BTreeMap<u64, Waker>,
}

impl Turnstile {
    /// A body that goes through the turnstile, after all those made before it.
    pub fn through<B: Body>(&self, body: B) -> Turned<B> {
        let mut queue = self.lock();
        queue.bodies += 1;
        Turned { body, number: queue.bodies, ready: None, turnstile: self.clone() }
    }

    /// Waits until everybody who came in this instant with a lower number has passed.
    #[cfg(feature = "rmcp")]
    pub async fn pass(&self, number: u64) {
        let mut has_come = false;
        std::future::poll_fn(|context| {
            if has_come && !self.is_waiting(number) {
                return Poll::Ready(());
            }
            has_come = true;
            self.wait(number, context.waker());
            Poll::Pending
        })
        .await;
    }

    /// Lets whoever waits pass, in order, for as long as it is polled.
    pub async fn turn(self) {
        loop {
            self.0.somebody_waits.notified().await;
            // All that became ready in this instant has come to the turnstile when this returns.
            yield_now().await;
            let waiting = std::mem::take(&mut self.lock().waiting);
            waiting.into_values().for_each(Waker::wake);
        }
    }

    fn wait(&self, number: u64, waker: &Waker) {
        self.lock().waiting.insert(number, waker.clone());
        self.0.somebody_waits.notify_one();
    }

    fn is_waiting(&self, number: u64) -> bool {
        self.lock().waiting.contains_key(&number)
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Nothing that can panic happens under this lock.
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// See [`Turnstile::through`].
pub(crate) struct Turned<B: Body> {
    body: B,
    number: u64,
    ready: Option<Item<B>>,
    turnstile: Turnstile,
}

type Item<B> = Option<Result<Frame<Bytes>, <B as Body>::Error>>;

impl<B: Body<Data = Bytes> + Unpin> Body for Turned<B>
where
    B::Error: Unpin,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let this = &mut *self;
        if let Some(item) = this.ready.take() {
            if !this.turnstile.is_waiting(this.number) {
                return Poll::Ready(item);
            }
            this.ready = Some(item);
            this.turnstile.wait(this.number, context.waker());
            return Poll::Pending;
        }
        match Pin::new(&mut this.body).poll_frame(context) {
            Poll::Ready(item) => {
                this.ready = Some(item);
                this.turnstile.wait(this.number, context.waker());
                Poll::Pending
            }
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.ready.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        // What waits is a part of it, and nobody has asked for an exact size of a stream.
        if self.ready.is_none() { self.body.size_hint() } else { SizeHint::default() }
    }
}

impl<B: Body> Drop for Turned<B> {
    fn drop(&mut self) {
        self.turnstile.lock().waiting.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use http_body_util::BodyExt;
    use http_body_util::channel::Channel;
    use tokio::sync::mpsc;

    use super::*;

    async fn order_of_ends(ended: [usize; 3]) -> Vec<usize> {
        let turnstile = Turnstile::default();
        tokio::spawn(turnstile.clone().turn());
        let (seen, mut order) = mpsc::unbounded_channel();
        let mut senders = Vec::new();
        for number in 0..3 {
            let (sender, body) = Channel::<Bytes, Infallible>::new(1);
            senders.push(Some(sender));
            let body = turnstile.through(Box::pin(body));
            let seen = seen.clone();
            tokio::spawn(async move {
                let read = body.collect().await.map(|whole| whole.to_bytes());
                let _ = seen.send((number, read));
            });
        }
        // Everybody is now waiting for a frame.
        yield_now().await;
        for number in ended {
            senders[number] = None;
        }
        drop(seen);
        let mut numbers = Vec::new();
        while let Some((number, read)) = order.recv().await {
            assert_eq!(read, Ok(Bytes::new()));
            numbers.push(number);
        }
        numbers
    }

    #[tokio::test]
    async fn streams_that_end_at_once_end_in_the_order_of_their_connections() {
        for ended in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            assert_eq!(order_of_ends(ended).await, [0, 1, 2], "ended as {ended:?}");
        }
    }
}
