//! Grouping: one finding for a run of anomalies, not one for each message.
//!
//! Owns what a run is: arrivals next to each other in their list, on one exchange, all anomalous,
//! told apart by kind of message and by sequence (a duplicate result is another matter than
//! duplicate progress). It must not know which oracle asks.

use crate::finding::{Finding, Oracle};
use crate::view::{Arrival, View};
use crate::words::{self, Span};

/// A run of anomalous arrivals of one kind.
pub(crate) struct Run<'a> {
    /// The first of them, in the list that was asked about.
    pub first: usize,
    pub exchange: usize,
    pub span: Span<'a>,
    sequence: Option<usize>,
}

impl Run<'_> {
    /// The finding that this run of arrivals is, in the words of the oracle that asked.
    pub(crate) fn finding(
        &self,
        view: &View,
        arrivals: &[Arrival],
        oracle: Oracle,
        sentence: String,
    ) -> Finding {
        let (exchange, first) = (&view.exchanges[self.exchange], &arrivals[self.first]);
        Finding {
            oracle,
            subject: self.span.subject(),
            state: words::arrival_state(view, exchange, first.place),
            sentence,
            record: first.record,
            related: Vec::new(),
            resumption: words::resumption(view, exchange),
        }
    }
}

/// The runs among these members of a list of arrivals, in order of their first arrival.
pub(crate) fn runs<'a>(
    arrivals: &[Arrival<'a>],
    members: &[usize],
    mut anomalous: impl FnMut(&Arrival<'a>) -> bool,
) -> Vec<Run<'a>> {
    let mut closed = Vec::new();
    // The run in progress; more than one entry where several kinds alternate.
    let mut open: Vec<Run<'a>> = Vec::new();
    for &index in members {
        let arrival = &arrivals[index];
        if !anomalous(arrival) {
            closed.append(&mut open);
            continue;
        }
        if open.first().is_some_and(|run| run.exchange != arrival.exchange) {
            closed.append(&mut open);
        }
        let ordinal = arrival.place.map_or(0, |place| place.ordinal);
        let sequence = arrival.place.map(|place| place.sequence);
        let subject = words::subject(arrival.message);
        let same = |run: &&mut Run| run.span.subject() == subject && run.sequence == sequence;
        match open.iter_mut().find(same) {
            Some(run) => run.span.add(arrival.message, ordinal),
            None => open.push(Run {
                first: index,
                exchange: arrival.exchange,
                span: Span::of(arrival.message, ordinal),
                sequence,
            }),
        }
    }
    closed.append(&mut open);
    closed
}
