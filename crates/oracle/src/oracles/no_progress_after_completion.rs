//! `no-progress-after-completion`: no progress is sent for a call that is done.
//!
//! Rests on `basic/utilities/progress` (all revisions): progress MUST stop after completion.
//! Judged where the server emits, because progress on another stream may be overtaken by the
//! result on the way; where nobody recorded the emissions, on the wire, within one stream.
//! Near misses: progress that was emitted before the response and arrives after it on another
//! stream; progress of another call.

use seamstress_trace::{Content, Message};

use crate::finding::{Finding, Oracle};
use crate::slots::Slots;
use crate::view::{SequenceKey, View};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    if view.emitted.is_empty() { on_the_wire(view) } else { as_emitted(view) }
}

fn as_emitted(view: &View) -> Vec<Finding> {
    let mut calls = Calls::new();
    for emitted in &view.emitted {
        if let (Some(message), SequenceKey::Stream { origin, stream }) =
            (emitted.message, view.sequences[emitted.sequence].key)
        {
            calls.add(Scope::Origin(origin), stream, message, emitted.record);
        }
    }
    let finding = |late: Late| late.finding("emitted".to_owned(), None);
    calls.late().map(finding).collect()
}

fn on_the_wire(view: &View) -> Vec<Finding> {
    let mut calls = Calls::new();
    for arrival in &view.wire {
        let exchange = &view.exchanges[arrival.exchange];
        if let (Some(stream), Some(name)) = (exchange.stream, exchange.stream_name) {
            calls.add(Scope::ClientStream(stream), name, arrival.message, arrival.record);
        }
    }
    let finding = |late: Late| {
        let by_record = view.wire.binary_search_by_key(&late.record, |arrival| arrival.record);
        let exchange = by_record.ok().map(|index| &view.exchanges[view.wire[index].exchange]);
        let state = exchange.map_or_else(|| "fresh".to_owned(), words::state);
        late.finding(state, exchange.and_then(|exchange| words::resumption(view, exchange)))
    };
    calls.late().map(finding).collect()
}

/// Within what a call is known by its label, and its messages have an order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Scope<'a> {
    Origin(&'a str),
    ClientStream(usize),
}

/// For each call the record of its response, and the first progress that came later.
struct Calls<'a> {
    slots: Slots<(Scope<'a>, &'a str)>,
    by_slot: Vec<(Option<usize>, Option<Late<'a>>)>,
}

/// Progress that came after the response.
#[derive(Clone, Copy)]
struct Late<'a> {
    message: &'a Message,
    record: usize,
    response: usize,
}

impl<'a> Calls<'a> {
    fn new() -> Calls<'a> {
        Calls { slots: Slots::new(), by_slot: Vec::new() }
    }

    /// Adds a message that came on a stream; a response that names no call completes the call
    /// whose stream it came on.
    fn add(&mut self, scope: Scope<'a>, stream: &'a str, message: &'a Message, record: usize) {
        let call = match &message.content {
            Content::Progress { call, .. } | Content::Result { call: Some(call), .. } => call,
            Content::Result { call: None, .. } | Content::Error { .. } => stream,
            _ => return,
        };
        let slot = self.slots.number((scope, call));
        if slot == self.by_slot.len() {
            self.by_slot.push((None, None));
        }
        let (response, late) = &mut self.by_slot[slot];
        if message.is_response() {
            response.get_or_insert(record);
        } else if let Some(response) = *response {
            late.get_or_insert(Late { message, record, response });
        }
    }

    fn late(self) -> impl Iterator<Item = Late<'a>> {
        self.by_slot.into_iter().filter_map(|(_, late)| late)
    }
}

impl Late<'_> {
    fn finding(self, state: String, resumption: Option<u64>) -> Finding {
        let progress = words::message(self.message, None);
        Finding {
            oracle: Oracle::NoProgressAfterCompletion,
            subject: "progress",
            state,
            sentence: format!("{progress} was sent after the response"),
            record: self.record,
            related: vec![self.response],
            resumption,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    fn call() -> Script {
        Script::new().session("s1").post(1, "c1").open(1).progress("c1").event(1, "s1.c1.1")
    }

    #[test]
    fn progress_emitted_after_the_result_is_one_finding() {
        let script = || call().result("c1").progress("c1").progress("c1");
        let keys = script().keys_of(Oracle::NoProgressAfterCompletion);
        assert_eq!(keys, ["no-progress-after-completion/progress/emitted"]);
        assert_eq!(
            script().sentences_of(Oracle::NoProgressAfterCompletion),
            ["progress 2 of c1 was sent after the response"]
        );
    }

    #[test]
    fn progress_on_another_stream_may_be_overtaken_by_the_result() {
        let script = call().listen(2).open(2).progress_on("standalone-1", "c1").result("c1");
        let script = script.event(1, "s1.c1.2").event(2, "s1.standalone-1.1");
        assert_eq!(script.keys_of(Oracle::NoProgressAfterCompletion), NOTHING);
    }

    #[test]
    fn progress_of_another_call_is_none() {
        let script = call().result("c1").post(2, "c2").open(2).progress("c2");
        assert_eq!(script.keys_of(Oracle::NoProgressAfterCompletion), NOTHING);
    }

    #[test]
    fn without_server_records_the_wire_of_one_stream_tells() {
        let script = || {
            let script = Script::new().captured().session("s1").post(1, "c1").open(1).listen(2);
            script.open(2).result("c1").event(1, "s1.c1.1")
        };
        let late = script().progress("c1").event(1, "s1.c1.2");
        let keys = late.keys_of(Oracle::NoProgressAfterCompletion);
        assert_eq!(keys, ["no-progress-after-completion/progress/fresh"]);
        let overtaken = script().progress_on("standalone-1", "c1").event(2, "s1.standalone-1.1");
        assert_eq!(overtaken.keys_of(Oracle::NoProgressAfterCompletion), NOTHING);
    }
}
