//! Events at the client, packed into runs.
//!
//! Owns the run of arrivals that is going on at each exchange, and whether what arrived was handed
//! to the application. It must not know when a run has to end: whoever walks over the trace does.

use std::collections::BTreeMap;

use seamstress_trace::{Host, Message};

use crate::messages::Messages;
use crate::moment::{Moment, Scene};

/// The runs that are going on, by exchange.
pub(crate) struct Arrivals<'a> {
    runs: BTreeMap<u64, Run<'a>>,
    /// Whether the trace tells at all what was handed to the application: a capture from outside
    /// does not.
    tells_deliveries: bool,
}

#[derive(Default)]
struct Run<'a> {
    from_ms: u64,
    at_ms: u64,
    records: Vec<usize>,
    messages: Messages<'a>,
    kept_back: Messages<'a>,
    /// An event whose message was not handed over yet.
    pending: Option<Pending<'a>>,
}

#[derive(Clone, Copy)]
struct Pending<'a> {
    record: usize,
    at_ms: u64,
    message: &'a Message,
}

impl<'a> Arrivals<'a> {
    pub(crate) fn new(tells_deliveries: bool) -> Arrivals<'a> {
        Arrivals { runs: BTreeMap::new(), tells_deliveries }
    }

    /// An event block with a message arrived.
    pub(crate) fn event(&mut self, exchange: u64, record: usize, at_ms: u64, message: &'a Message) {
        let run = self.runs.entry(exchange).or_default();
        run.settle(self.tells_deliveries);
        run.pending = Some(Pending { record, at_ms, message });
    }

    /// The record of the event that a delivery would belong to, if one is waiting for it.
    pub(crate) fn pending(&self, exchange: u64, message: &Message) -> Option<usize> {
        let pending = self.runs.get(&exchange)?.pending?;
        (pending.message == message).then_some(pending.record)
    }

    /// A message was handed to the application.
    pub(crate) fn delivery(
        &mut self,
        exchange: u64,
        record: usize,
        at_ms: u64,
        message: &'a Message,
    ) {
        let run = self.runs.entry(exchange).or_default();
        match run.pending.take_if(|pending| pending.message == message) {
            Some(pending) => run.note(pending.record, pending.at_ms),
            None => run.settle(self.tells_deliveries),
        }
        run.note(record, at_ms);
        run.messages.add(message);
    }

    /// Ends the run of an exchange and gives its moment. With `keep_pending`, the event that waits
    /// for its delivery becomes the first of the next run.
    pub(crate) fn end(
        &mut self,
        exchange: u64,
        stream: Option<&'a str>,
        keep_pending: bool,
    ) -> Option<Moment<'a>> {
        let mut run = self.runs.remove(&exchange)?;
        if keep_pending {
            let pending = run.pending.take();
            self.runs.insert(exchange, Run { pending, ..Run::default() });
        } else {
            run.settle(self.tells_deliveries);
        }
        if run.records.is_empty() {
            return None;
        }
        Some(Moment {
            from_ms: run.from_ms,
            at_ms: run.at_ms,
            host: Host::Client,
            records: run.records,
            exchange: Some(exchange),
            stream,
            quiet: false,
            scene: Scene::Arrives { messages: run.messages, kept_back: run.kept_back },
        })
    }

    /// The exchanges with a run going on.
    pub(crate) fn exchanges(&self) -> Vec<u64> {
        self.runs.keys().copied().collect()
    }
}

impl<'a> Run<'a> {
    /// The event that waited for its delivery gets none any more.
    fn settle(&mut self, tells_deliveries: bool) {
        let Some(Pending { record, at_ms, message }) = self.pending.take() else { return };
        self.note(record, at_ms);
        if tells_deliveries {
            self.kept_back.add(message);
        } else {
            self.messages.add(message);
        }
    }

    fn note(&mut self, record: usize, at_ms: u64) {
        if self.records.is_empty() {
            self.from_ms = at_ms;
        }
        self.at_ms = at_ms;
        self.records.push(record);
    }
}
