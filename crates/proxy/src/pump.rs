//! Passing one event stream on, with the faults that happen inside it.
//!
//! Owns one connection's way from the replica to the client, event by event. Bytes pass verbatim;
//! the place of every event is found without changing them. It must not know how a fault was
//! chosen.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use seamstress_mcp::sse::{self, Block, Scanner};
use seamstress_net::{Network, ValveHandle};
use seamstress_plan::{Action, AtEvent, Connection, Fault, Place};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::body::Piece;
use crate::http::Shared;
use crate::places::{is_response, place_of};
use crate::reshaping::{LineEnds, Page};
use crate::sending_again::Again;
use crate::shaping::Shaper;
use crate::upstream::Upstream;

/// See the file's head.
pub(crate) struct Pump<N: Network> {
    pub shared: Arc<Shared<N>>,
    /// The session's number in the proxy's table.
    pub session: usize,
    /// The stream, by the operation that began it.
    pub stream: String,
    pub connection: Connection,
    pub valve: ValveHandle,
    pub client: mpsc::Sender<Piece>,
    /// Faults that happen as soon as the head is out.
    pub at_head: Vec<Fault>,
    /// The call of this stream, if a defect may send it again.
    pub again: Option<Again>,
    /// What a defect merges into this stream.
    pub merging: Option<JoinHandle<()>>,
    pub line_ends: LineEnds,
    pub page: Page,
    shaper: Shaper,
    events: u64,
}

/// Whether a connection goes on.
pub(crate) enum Flow {
    On,
    /// This fault cuts it.
    Cut(Fault),
    /// The client has left.
    Left,
    /// The call is sent again.
    Again,
}

impl<N: Network> Pump<N> {
    pub fn new(
        shared: Arc<Shared<N>>,
        (session, stream, connection): (usize, String, Connection),
        valve: ValveHandle,
        client: mpsc::Sender<Piece>,
        at_head: Vec<Fault>,
    ) -> Pump<N> {
        let (line_ends, page) = (LineEnds::of(&shared), Page::of(&shared));
        Pump {
            shared,
            session,
            stream,
            connection,
            valve,
            client,
            at_head,
            again: None,
            merging: None,
            line_ends,
            page,
            shaper: Shaper::default(),
            events: 0,
        }
    }

    /// Passes the response on until it ends, is cut, or the client leaves.
    pub async fn run(mut self, upstream: Upstream) {
        let (mut body, connection) = upstream.into_body();
        let mut flow = Flow::On;
        for fault in std::mem::take(&mut self.at_head) {
            if let Flow::On = flow {
                flow = self.apply(fault).await;
            }
        }
        self.begin().await;
        if let Flow::On = flow {
            flow = self.pass(&mut body).await;
        }
        while let Flow::Again = flow {
            flow = self.pass_again().await;
        }
        if let Flow::Cut(fault) = flow {
            self.shared.lose_mapping(self.session);
            if let Some(merging) = &self.merging {
                merging.abort();
            }
            self.cut(&fault, &mut body).await;
        }
        drop(connection);
    }

    async fn pass(&mut self, body: &mut Incoming) -> Flow {
        let mut scanner = Scanner::default();
        let mut blocks = Vec::new();
        let mut last_byte = Instant::now();
        loop {
            let idle_cut = self.idle_cut(last_byte);
            let discard_at = self.page.discard_at(last_byte);
            let release_at = self.shaper.is_holding().then(|| self.shared.chaos_end());
            tokio::select! {
                biased;
                () = self.client.closed() => return Flow::Left,
                frame = body.frame() => match frame {
                    Some(Ok(frame)) => {
                        last_byte = Instant::now();
                        let Ok(bytes) = frame.into_data() else { continue };
                        let bytes = self.line_ends.normalised(bytes);
                        if scanner.feed(&bytes, &mut blocks).is_err() {
                            return Flow::Left;
                        }
                        for block in blocks.drain(..) {
                            match self.pass_block(block).await {
                                Flow::On => {}
                                ended => return ended,
                            }
                        }
                    }
                    Some(Err(_)) => return self.upstream_broke(scanner).await,
                    None => return self.upstream_ended(scanner).await,
                },
                () = until(idle_cut.as_ref().map(|(at, _)| *at)) => {
                    if let Some((_, fault)) = idle_cut {
                        return Flow::Cut(fault);
                    }
                }
                () = until(discard_at) => self.page.discard(),
                () = until(release_at) => {
                    let held = self.shaper.flush();
                    if !self.send_all(held).await {
                        return Flow::Left;
                    }
                }
            }
        }
    }

    /// When an idle cut is due, if the stream is under one.
    fn idle_cut(&self, last_byte: Instant) -> Option<(Instant, Fault)> {
        let fault = self.shared.idle_cut_of(&self.stream)?;
        let at = last_byte + Duration::from_millis(fault.extent.duration_ms?);
        // One that is due only after the faults have ended does not come any more.
        (at < self.shared.chaos_end()).then_some((at, fault))
    }

    async fn pass_block(&mut self, block: Block) -> Flow {
        let mut block = self.reshaped(block);
        if let Some(id) = block.id.take().filter(|id| !id.is_empty()) {
            self.shared.note_id(self.session, &self.stream, id);
        }
        if !block.has_data || block.data_is_empty {
            return self.send(block.bytes).await;
        }
        self.events += 1;
        let at = self.observe(&block);
        for fault in at.before {
            match self.apply(fault).await {
                Flow::On => {}
                ended => return ended,
            }
        }
        if let Some((place, fault)) = at.inside.into_iter().next() {
            let bytes = block.bytes.slice(..place_of(&block, place));
            let bytes = self.completed(bytes, Some(&fault));
            return match self.send(bytes).await {
                Flow::On => self.apply_inside(fault, &block, place).await,
                ended => ended,
            };
        }
        if let Flow::Left = self.send(block.bytes.clone()).await {
            return Flow::Left;
        }
        self.sent(&block);
        for fault in at.after {
            match self.apply(fault).await {
                Flow::On => {}
                ended => return ended,
            }
        }
        Flow::On
    }

    /// A fault inside an event: what is left of the event goes out unless the fault cuts.
    async fn apply_inside(&mut self, fault: Fault, block: &Block, place: Place) -> Flow {
        match self.apply(fault).await {
            Flow::On => self.send(block.bytes.slice(place_of(block, place)..)).await,
            ended => ended,
        }
    }

    fn observe(&self, block: &Block) -> AtEvent {
        let (stream, connection, events) = (&self.stream, self.connection, self.events);
        self.shared.faults.observe_event(|schedule, now_ms| {
            schedule.event(stream, connection, events, now_ms, || is_response(block))
        })
    }

    /// Carries out a fault at this place of the stream.
    async fn apply(&mut self, fault: Fault) -> Flow {
        let extent = fault.extent;
        match fault.action {
            Action::CutClean
            | Action::CutNoLastChunk
            | Action::CutReset
            | Action::CutClientSide => return Flow::Cut(fault),
            Action::BlackHole => {
                self.shared.faults.fired(&fault);
                self.shaper.withhold(fault);
            }
            Action::SlowReader => {
                self.shared.faults.fired(&fault);
                self.shaper.delay(extent.duration_ms.unwrap_or(1), fault);
            }
            Action::BufferBytes => {
                self.shared.faults.fired(&fault);
                self.shaper.hold(Some(extent.bytes.unwrap_or(1)), fault);
            }
            Action::BufferUntilEnd => {
                self.shared.faults.fired(&fault);
                self.shaper.hold(None, fault);
            }
            Action::Rechunk => {
                let bytes = extent.bytes.unwrap_or(1);
                self.shared.faults.fired(&fault);
                let bytes_max = usize::try_from(bytes).unwrap_or(usize::MAX);
                self.valve.split_writes(bytes_max);
                self.line_ends.read_at_most(bytes_max);
                self.shared.faults.effective(&fault, format!("pieces of at most {bytes} bytes"));
            }
            Action::InsertComment | Action::InsertRetry | Action::InsertEmptyEvent => {
                return self.insert(&fault).await;
            }
            _ => self.shared.act(self.session, &self.stream, &fault),
        }
        Flow::On
    }

    async fn insert(&mut self, fault: &Fault) -> Flow {
        self.shared.faults.fired(fault);
        let (count, bytes) = match fault.action {
            Action::InsertRetry => {
                let retry_ms = fault.extent.duration_ms.unwrap_or(1);
                (1, Bytes::from(format!("retry: {retry_ms}\n\n")))
            }
            Action::InsertEmptyEvent => {
                (fault.extent.count.unwrap_or(1), Bytes::from_static(b"data:\n\n"))
            }
            _ => (fault.extent.count.unwrap_or(1), sse::comment("inserted")),
        };
        for _ in 0..count {
            if let Flow::Left = self.send(bytes.clone()).await {
                return Flow::Left;
            }
        }
        self.shared.faults.effective(fault, format!("{count} inserted"));
        Flow::On
    }

    /// Sends bytes in the shape that lasting faults give them.
    pub(crate) async fn send(&mut self, bytes: Bytes) -> Flow {
        let shaped = self.shaper.push(bytes, self.shared.faults.is_chaos());
        for (fault, effect) in &shaped.effects {
            self.shared.faults.effective(fault, *effect);
        }
        if shaped.delay_ms > 0 {
            sleep(Duration::from_millis(shaped.delay_ms)).await;
        }
        if self.send_all(shaped.out).await { Flow::On } else { Flow::Left }
    }

    async fn send_all(&mut self, pieces: Vec<Bytes>) -> bool {
        for bytes in pieces.into_iter().flat_map(|bytes| self.page.take(bytes)) {
            if self.client.send(Piece::Bytes(bytes)).await.is_err() {
                return false;
            }
        }
        true
    }

    /// The replica has finished: so is the response, after what is held back.
    async fn upstream_ended(&mut self, scanner: Scanner) -> Flow {
        let unfinished = scanner.into_pending();
        if !unfinished.is_empty() {
            self.send(unfinished).await;
        }
        let held = self.shaper.flush();
        self.send_all(held).await;
        if let Some(held) = self.page.last() {
            // If the client has left, nobody misses it.
            let _ = self.client.send(Piece::Bytes(held)).await;
        }
        if self.shaper.is_black_hole() {
            // A black hole never says that the response has ended.
            self.client.closed().await;
        }
        Flow::Left
    }

    /// The replica's connection broke: so does the client's.
    async fn upstream_broke(&mut self, scanner: Scanner) -> Flow {
        if self.again.is_some() {
            return Flow::Again;
        }
        let unfinished = self.completed(scanner.into_pending(), None);
        if !unfinished.is_empty() {
            self.send(unfinished).await;
        }
        if self.shaper.is_black_hole() {
            self.client.closed().await;
        }
        self.cut_off().await
    }

    /// The client's connection ends without its last chunk, and without what is held back.
    async fn cut_off(&mut self) -> Flow {
        // If the client has left, there is nobody to cut off.
        let _ = self.client.send(Piece::Cut).await;
        Flow::Left
    }

    /// Goes on with the answer to the same call, sent again.
    async fn pass_again(&mut self) -> Flow {
        let Some(again) = self.again.take() else { return Flow::Left };
        let Some(upstream) = self.shared.send_again(&again).await else {
            return self.cut_off().await;
        };
        let (mut body, connection) = upstream.into_body();
        let flow = self.pass(&mut body).await;
        drop(connection);
        flow
    }

    async fn cut(self, fault: &Fault, body: &mut Incoming) {
        let Pump { shared, client, valve, .. } = self;
        shared.faults.fired(fault);
        let was_open = !client.is_closed();
        if fault.action == Action::CutReset {
            valve.reset_on_close();
        }
        if fault.action != Action::CutClean {
            // If the client has left, there is nobody to cut off.
            let _ = client.send(Piece::Cut).await;
        }
        drop(client);
        if was_open {
            shared.faults.effective(fault, "the client's connection ended");
        }
        if fault.action == Action::CutClientSide {
            // Half open: the replica goes on writing for a while to a client that is gone.
            let limit = Duration::from_millis(fault.extent.duration_ms.unwrap_or(1));
            let swallow = async { while let Some(Ok(_)) = body.frame().await {} };
            let _ = timeout(limit, swallow).await;
        }
    }
}

/// Returns at a time; never if there is none.
async fn until(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}
