//! Walking along a sequence as the application got it: where it jumps ahead, where it steps back.
//!
//! Owns what is expected next, which both `skip` and `reorder` ask for. It looks only at messages
//! that came on their own stream, for the first time: repeats are for `duplicate`, messages on
//! another stream for `cross-stream`. It must not word findings.

use std::cmp::Ordering;

use crate::view::{Arrival, Emitted, Exchange, STANDALONE, SequenceKey, View};

/// A place where the order of a sequence breaks. Deliveries are positions in `View::delivered`.
pub(crate) enum Break {
    /// Messages should have come before a delivery and had not come on their stream by then.
    Gap(Gap),
    /// This delivery should have come earlier.
    Back(usize),
}

/// Messages that were jumped over.
#[derive(Clone, Copy)]
pub(crate) struct Gap {
    /// The first and the last of their ordinals.
    pub from: u64,
    pub to: u64,
    /// What came instead, and what had come before it.
    pub delivery: usize,
    pub after: Option<usize>,
}

/// The breaks of a sequence, in order.
pub(crate) fn breaks(view: &View, sequence: usize) -> Vec<Break> {
    if matches!(view.sequences[sequence].key, SequenceKey::Answer { .. }) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut walk = Walk { previous: None, counting: false };
    for &delivery in &view.sequences[sequence].delivered {
        let arrival = &view.delivered[delivery];
        if arrival.earlier.is_some() || !arrival.at_home {
            continue;
        }
        let ordinal = arrival.place.map_or(0, |place| place.ordinal);
        let exchange = &view.exchanges[arrival.exchange];
        let (after, expected) = walk.expected(view, sequence, arrival, exchange, ordinal);
        match expected {
            Some(expected) if ordinal < expected => {
                found.push(Break::Back(delivery));
                continue;
            }
            Some(from) if ordinal > from => {
                found.push(Break::Gap(Gap { from, to: ordinal - 1, delivery, after }));
            }
            _ => {}
        }
        walk.previous = Some((delivery, ordinal));
    }
    found
}

struct Walk {
    /// The furthest delivery so far, with its ordinal.
    previous: Option<(usize, u64)>,
    /// Whether unmarked progress has counted 1, 2, 3, … as the probe tools do.
    counting: bool,
}

impl Walk {
    /// The delivery before this one, and the ordinal that must come now; none where there is
    /// nothing to compare with.
    fn expected(
        &mut self,
        view: &View,
        sequence: usize,
        arrival: &Arrival,
        exchange: &Exchange,
        ordinal: u64,
    ) -> (Option<usize>, Option<u64>) {
        let of = &view.sequences[sequence];
        if let SequenceKey::Token { .. } = of.key {
            return self.expected_of_token(view, arrival, ordinal);
        }
        let Some((previous, furthest)) = self.previous else {
            return (None, first_due(view, sequence, exchange, ordinal));
        };
        let begun_by = view.exchanges[view.delivered[previous].exchange].begun_by;
        if of.client_name() == Some(STANDALONE) && begun_by != exchange.begun_by {
            return (None, first_due(view, sequence, exchange, ordinal));
        }
        (Some(previous), Some(furthest.saturating_add(1)))
    }

    /// Without a mark the value of progress is all there is. It tells of a gap only where a tool
    /// visibly counts in ones and the gap lies at the seam of two exchanges: other tools may
    /// report 0, 50, 100.
    fn expected_of_token(
        &mut self,
        view: &View,
        arrival: &Arrival,
        ordinal: u64,
    ) -> (Option<usize>, Option<u64>) {
        let Some((previous, furthest)) = self.previous else {
            self.counting = ordinal == 1;
            return (None, None);
        };
        let next = furthest.saturating_add(1);
        let at_seam = view.delivered[previous].exchange != arrival.exchange;
        if !at_seam && ordinal > next {
            self.counting = false;
        }
        let tells = match ordinal.cmp(&next) {
            Ordering::Less => true,
            Ordering::Equal | Ordering::Greater => self.counting && at_seam,
        };
        (Some(previous), tells.then_some(next))
    }
}

/// The ordinal with which a sequence must begin at the client; none if it is free to begin with
/// `ordinal`.
fn first_due(view: &View, sequence: usize, exchange: &Exchange, ordinal: u64) -> Option<u64> {
    let of = &view.sequences[sequence];
    if of.client_name() != Some(STANDALONE) {
        return Some(1);
    }
    // A standalone stream may be joined anywhere, but a resumption says where.
    let origin = view.origin(exchange)?;
    let cursor = exchange.attempt.and(exchange.cursor)?;
    let named = view.event_with_id(origin, cursor, exchange.record);
    let own = |event: &&Emitted| event.sequence == sequence;
    let stands = named.filter(own).or_else(|| view.true_cursor(exchange).filter(own))?;
    let seen = |index: &usize| view.emitted[*index].position <= stands.position;
    let after = of.messages.get(of.messages.partition_point(seen))?;
    // What lies before the cursor is no later message out of order: `replay-after-cursor`.
    Some(view.emitted[*after].ordinal).filter(|due| *due <= ordinal)
}
