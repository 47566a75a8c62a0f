//! Owns the events of one stream: a queue whose back is the newest event issued and whose front is
//! the floor, and the memory of the last event that fell off the front.
//! It must not know of other streams, of limits, or of tokens.
//! It exists so that the log can evict at the front, append at the back and find an event by its
//! number, each cheaply, and so that "known predecessor" has one definition.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::id::EventId;

/// One event that the log still holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retained<P> {
    /// The event id under which it was sent.
    pub id: EventId,
    /// Its place in its stream, counted from 1 over the whole life of the log. A re-base does not
    /// reset it, so it is the ground truth against which ids can be judged.
    pub position: u64,
    /// What the server sends.
    pub payload: P,
    /// When it was appended, by the clock of the log, in milliseconds.
    pub appended_at_ms: u64,
}

/// A retained event with the number that its token carries.
#[derive(Debug, Clone)]
pub(crate) struct Numbered<P> {
    pub(crate) number: u64,
    pub(crate) event: Retained<P>,
}

/// All that is remembered of an evicted event.
#[derive(Debug, Clone, Copy)]
struct Evicted {
    number: u64,
    position: u64,
    appended_at_ms: u64,
}

/// One stream of the log. Within an epoch the positions of the retained events have no holes,
/// because eviction only ever takes the front; neither have the sequences.
#[derive(Debug, Clone)]
pub(crate) struct Stream<P> {
    pub(crate) name: Arc<str>,
    pub(crate) opened_at_ms: u64,
    pub(crate) next_position: u64,
    pub(crate) next_sequence: u64,
    pub(crate) retained: VecDeque<Numbered<P>>,
    last_evicted: Option<Evicted>,
}

impl<P> Stream<P> {
    pub(crate) fn new(name: Arc<str>, opened_at_ms: u64, first_sequence: u64) -> Self {
        Self {
            name,
            opened_at_ms,
            next_position: 1,
            next_sequence: first_sequence,
            retained: VecDeque::new(),
            last_evicted: None,
        }
    }

    pub(crate) fn push(&mut self, number: u64, event: Retained<P>) {
        debug_assert_eq!(event.position, self.next_position, "positions have no holes");
        self.next_position += 1;
        self.next_sequence += 1;
        self.retained.push_back(Numbered { number, event });
    }

    pub(crate) fn evict_oldest(&mut self) {
        if let Some(Numbered { number, event }) = self.retained.pop_front() {
            let Retained { position, appended_at_ms, .. } = event;
            self.last_evicted = Some(Evicted { number, position, appended_at_ms });
        }
    }

    /// Loses the events and the memory of evicted ones; position and sequence go on.
    pub(crate) fn forget_events(&mut self) {
        self.retained.clear();
        self.last_evicted = None;
    }

    pub(crate) fn retained_count(&self) -> u64 {
        self.retained.len() as u64
    }

    /// The lowest retained position, or the next one if nothing is retained.
    pub(crate) fn floor_position(&self) -> u64 {
        self.next_position - self.retained_count()
    }

    /// The lowest retained sequence, or the next one if nothing is retained.
    pub(crate) fn floor_sequence(&self) -> u64 {
        self.next_sequence - self.retained_count()
    }

    /// The first sequence that a reader at `as_of_ms` has not seen issued. Everything below the
    /// floor counts as issued.
    pub(crate) fn end_sequence(&self, as_of_ms: u64) -> u64 {
        self.floor_sequence() + self.visible_count(as_of_ms) as u64
    }

    /// How many retained events were appended at or before `as_of_ms`: always the front ones,
    /// because the clock of the log never goes back.
    pub(crate) fn visible_count(&self, as_of_ms: u64) -> usize {
        self.retained.partition_point(|numbered| numbered.event.appended_at_ms <= as_of_ms)
    }

    /// The position of the retained event with this number.
    pub(crate) fn position_of(&self, number: u64, as_of_ms: u64) -> Option<u64> {
        let index = self.retained.binary_search_by_key(&number, |numbered| numbered.number).ok()?;
        let event = &self.retained[index].event;
        (event.appended_at_ms <= as_of_ms).then_some(event.position)
    }

    /// The position of the known predecessor with this number: the last event evicted. All that
    /// follows it is retained, or it is the newest event issued.
    pub(crate) fn predecessor_position(&self, number: u64, as_of_ms: u64) -> Option<u64> {
        let evicted = self.last_evicted?;
        (evicted.number == number && evicted.appended_at_ms <= as_of_ms).then_some(evicted.position)
    }

    /// The index in `retained` of the first event after `position`; `None` if an event after it is
    /// no longer retained, or if the position was never issued.
    pub(crate) fn index_after(&self, position: u64) -> Option<usize> {
        let skipped = position.checked_add(1)?.checked_sub(self.floor_position())?;
        usize::try_from(skipped).ok().filter(|&index| index <= self.retained.len())
    }

    /// The retained event at this position.
    pub(crate) fn at_position(&self, position: u64) -> Option<&Retained<P>> {
        let index = position.checked_sub(self.floor_position())?;
        let numbered = self.retained.get(usize::try_from(index).ok()?)?;
        Some(&numbered.event)
    }
}
