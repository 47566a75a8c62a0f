//! Owns the event log of one session: appending, eviction, re-basing, and reading what is retained.
//! It must not know a clock (times are passed in), a connection, or what the payloads mean; how a
//! cursor is judged against it stands in `resolve`.
//! It exists because a verdict on a cursor can only be as good as the record of what was issued
//! and what was forgotten, and both must be kept in one place.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::id::{EventId, IdScheme};
use crate::retention::{
    Counters, LogError, LogOptions, Retention, check_session_tag, check_stream_name,
};
use crate::stream::{Retained, Stream};

/// Everything one session has sent and may have to send again, over all its streams.
///
/// Append an event *before* it is written to a connection: what was written and not recorded cannot
/// be proven later. The log has a clock of its own, the latest time it was told; an earlier
/// `now_ms` counts as that time, so events are always in the order of time.
///
/// A stream, once opened, is known for the life of the log: only so can a cursor of a finished
/// stream be told from one of a stream that never was.
#[derive(Debug, Clone)]
pub struct EventLog<P> {
    options: LogOptions,
    epoch: u64,
    clock_ms: u64,
    next_counter: u64,
    streams: Vec<Stream<P>>,
    stream_by_name: BTreeMap<Arc<str>, usize>,
    /// Which stream each event went to, in the order of appending. An event evicted from the
    /// middle (by the limit of its stream) stays behind as a dead entry; the front is never dead.
    order: VecDeque<Ordered>,
    retained_count: u64,
}

/// One event in the order of appending.
#[derive(Debug, Clone, Copy)]
struct Ordered {
    counter: u64,
    stream: usize,
    position: u64,
    appended_at_ms: u64,
}

/// What [`EventLog::append`] assigned to an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// The id to send with the event.
    pub id: EventId,
    /// The place in the stream, counted from 1 over the whole life of the log.
    pub position: u64,
}

impl<P> EventLog<P> {
    /// An empty log in epoch 1.
    ///
    /// # Errors
    /// [`LogError::SessionTag`] if the tag cannot stand in a token.
    pub fn new(options: LogOptions) -> Result<Self, LogError> {
        check_session_tag(&options.session_tag)?;
        Ok(Self {
            epoch: 1,
            clock_ms: 0,
            next_counter: options.first_counter,
            streams: Vec::new(),
            stream_by_name: BTreeMap::new(),
            order: VecDeque::new(),
            retained_count: 0,
            options,
        })
    }

    /// Makes a stream known before its first event; no change if it is known already. Its opening
    /// time is the clock of the log.
    ///
    /// # Errors
    /// [`LogError::StreamName`] if the name cannot stand in a token.
    pub fn open_stream(&mut self, stream: &str) -> Result<(), LogError> {
        self.stream_index_or_open(stream, self.clock_ms).map(|_| ())
    }

    /// Records an event of a stream, opens the stream if it is new, and evicts what the retention
    /// no longer allows. Constant time, amortised, apart from finding the stream by its name.
    ///
    /// # Errors
    /// [`LogError::StreamName`] for a name that cannot stand in a token, and
    /// [`LogError::CounterExhausted`] at the end of the counter's range.
    pub fn append(&mut self, stream: &str, payload: P, now_ms: u64) -> Result<Appended, LogError> {
        // No sequence of a stream is ever above the counter of the session, so one check will do.
        if self.next_counter == u64::MAX {
            return Err(LogError::CounterExhausted);
        }
        let index = self.stream_index_or_open(stream, now_ms)?;
        self.clock_ms = self.clock_ms.max(now_ms);

        let counter = self.next_counter;
        self.next_counter += 1;
        let appended_at_ms = self.clock_ms;
        let target = &mut self.streams[index];
        let number = match self.options.scheme {
            IdScheme::SessionCounter => counter,
            _ => target.next_sequence,
        };
        let tag = &self.options.session_tag;
        let id = self.options.scheme.format(tag, self.epoch, &target.name, number);
        let position = target.next_position;
        target.push(number, Retained { id: id.clone(), position, payload, appended_at_ms });
        self.order.push_back(Ordered { counter, stream: index, position, appended_at_ms });
        self.retained_count += 1;

        self.evict_by_age();
        self.evict_by_stream(index);
        self.evict_by_session();
        Ok(Appended { id, position })
    }

    /// Tells the log the time and evicts what has grown too old.
    pub fn expire(&mut self, now_ms: u64) {
        self.clock_ms = self.clock_ms.max(now_ms);
        self.evict_by_age();
    }

    /// Changes how much is kept. A narrower retention evicts at once; a wider one brings nothing
    /// back.
    pub fn set_retention(&mut self, retention: Retention) {
        self.options.retention = retention;
        self.evict_by_age();
        for index in 0..self.streams.len() {
            self.evict_by_stream(index);
        }
        self.evict_by_session();
    }

    /// Begins the next epoch, as a server does that lost its buffer: forgets every event, retained
    /// or evicted, and keeps the streams and their positions.
    ///
    /// With [`Persisted`](Counters::Persisted) counters every cursor of the last epoch is refused
    /// from now on, even one that had seen everything, because a server that lost its buffer
    /// cannot prove that: as [`OtherEpoch`](crate::Reason::OtherEpoch) with `epoch-namespaced` ids,
    /// as [`BelowFloor`](crate::Reason::BelowFloor) with `session-counter` and `namespaced` ones.
    /// With [`Restarted`](Counters::Restarted) counters only `epoch-namespaced` ids keep that
    /// promise; the other schemes issue old ids again, and an old cursor may pass for a new one.
    pub fn rebase(&mut self, counters: Counters) {
        self.epoch += 1;
        self.order.clear();
        self.retained_count = 0;
        for stream in &mut self.streams {
            stream.forget_events();
            if counters == Counters::Restarted {
                stream.next_sequence = self.options.first_counter;
            }
        }
        if counters == Counters::Restarted {
            self.next_counter = self.options.first_counter;
        }
    }

    /// The options in force, with the retention last set.
    pub fn options(&self) -> &LogOptions {
        &self.options
    }

    /// The current epoch. It begins at 1, and each [`rebase`](Self::rebase) starts the next.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The names of all streams, in the order in which they were opened.
    pub fn streams(&self) -> impl ExactSizeIterator<Item = &str> {
        self.streams.iter().map(|stream| &*stream.name)
    }

    /// The lowest retained position of a stream, or its next position if nothing is retained;
    /// `None` for a stream that was never opened.
    pub fn floor_position(&self, stream: &str) -> Option<u64> {
        self.stream(stream).map(Stream::floor_position)
    }

    /// The highest position ever issued on a stream, 0 before its first event; `None` for a stream
    /// that was never opened.
    pub fn high_water_position(&self, stream: &str) -> Option<u64> {
        self.stream(stream).map(|stream| stream.next_position - 1)
    }

    /// The id of a retained event.
    pub fn id_of_position(&self, stream: &str, position: u64) -> Option<&EventId> {
        self.stream(stream)?.at_position(position).map(|event| &event.id)
    }

    /// The retained events of a stream in order; none for a stream that was never opened.
    pub fn retained(&self, stream: &str) -> impl Iterator<Item = &Retained<P>> {
        self.stream(stream).into_iter().flat_map(|stream| &stream.retained).map(|held| &held.event)
    }

    /// The retained events of a stream after a position, to go on with live events where a replay
    /// or an earlier write ended. `None` if an event in between has been evicted meanwhile (a slow
    /// reader was overtaken: end its connection, its next resumption will say why), if the
    /// position was never issued, or if the stream was never opened.
    pub fn retained_after(
        &self,
        stream: &str,
        position: u64,
    ) -> Option<impl Iterator<Item = &Retained<P>>> {
        let stream = self.stream(stream)?;
        let first = stream.index_after(position)?;
        Some(stream.retained.range(first..).map(|held| &held.event))
    }

    /// All retained events with the names of their streams, in the order of appending.
    pub fn retained_all(&self) -> impl Iterator<Item = (&str, &Retained<P>)> {
        self.order.iter().filter_map(|entry| {
            let stream = &self.streams[entry.stream];
            // A dead entry points below the floor of its stream and finds nothing.
            Some((&*stream.name, stream.at_position(entry.position)?))
        })
    }

    fn stream_index_or_open(&mut self, name: &str, now_ms: u64) -> Result<usize, LogError> {
        if let Some(&index) = self.stream_by_name.get(name) {
            return Ok(index);
        }
        check_stream_name(name)?;
        let name: Arc<str> = name.into();
        let index = self.streams.len();
        self.stream_by_name.insert(Arc::clone(&name), index);
        // A stream opened in a later epoch has no predecessor in an earlier one, so its numbers
        // may begin at the first whatever became of the counters.
        let opened_at_ms = self.clock_ms.max(now_ms);
        self.streams.push(Stream::new(name, opened_at_ms, self.options.first_counter));
        Ok(index)
    }

    fn is_live(&self, entry: &Ordered) -> bool {
        entry.position >= self.streams[entry.stream].floor_position()
    }

    fn evict_by_age(&mut self) {
        let Some(age_ms_max) = self.options.retention.age_ms_max else { return };
        while let Some(&oldest) = self.order.front() {
            if self.clock_ms - oldest.appended_at_ms <= age_ms_max {
                break;
            }
            self.evict_from(oldest.stream);
        }
    }

    fn evict_by_stream(&mut self, index: usize) {
        let Some(events_max) = self.options.retention.stream_events_max else { return };
        while self.streams[index].retained_count() > events_max {
            self.evict_from(index);
        }
    }

    fn evict_by_session(&mut self) {
        let Some(events_max) = self.options.retention.session_events_max else { return };
        while self.retained_count > events_max
            && let Some(&oldest) = self.order.front()
        {
            self.evict_from(oldest.stream);
        }
    }

    /// Evicts the oldest event of a stream and restores the promise that the front of the order is
    /// a retained event.
    fn evict_from(&mut self, index: usize) {
        self.streams[index].evict_oldest();
        self.retained_count -= 1;
        while let Some(front) = self.order.front()
            && !self.is_live(front)
        {
            self.order.pop_front();
        }
        if are_mostly_dead(self.order.len() as u64, self.retained_count) {
            let streams = &self.streams;
            self.order.retain(|entry| entry.position >= streams[entry.stream].floor_position());
        }
    }

    // What follows is for `resolve`.

    pub(crate) fn stream(&self, name: &str) -> Option<&Stream<P>> {
        self.stream_by_name.get(name).map(|&index| &self.streams[index])
    }

    pub(crate) fn streams_as_of(&self, as_of_ms: u64) -> impl Iterator<Item = &Stream<P>> {
        self.streams.iter().filter(move |stream| stream.opened_at_ms <= as_of_ms)
    }

    /// The lowest retained counter of the session, or the next one if nothing is retained.
    pub(crate) fn floor_counter(&self) -> u64 {
        self.order.front().map_or(self.next_counter, |oldest| oldest.counter)
    }

    /// The first counter of the session that a reader at `as_of_ms` has not seen issued: that of
    /// the first retained event after this time. What was evicted before it counts as issued.
    pub(crate) fn end_counter(&self, as_of_ms: u64) -> u64 {
        let visible = self.order.partition_point(|entry| entry.appended_at_ms <= as_of_ms);
        let first_hidden = self.order.range(visible..).find(|entry| self.is_live(entry));
        first_hidden.map_or(self.next_counter, |entry| entry.counter)
    }

    /// The stream and position of the retained event with this counter of the session.
    pub(crate) fn find_counter(&self, counter: u64) -> Option<(&Stream<P>, u64)> {
        let index = self.order.binary_search_by_key(&counter, |entry| entry.counter).ok()?;
        let entry = self.order[index];
        self.is_live(&entry).then(|| (&self.streams[entry.stream], entry.position))
    }
}

/// Whether more than half of the entries in the order, and not just a few, belong to events that
/// are gone. One old event of a quiet stream must not hold those of a busy one for ever; removing
/// them no sooner keeps appending at constant time, amortised.
fn are_mostly_dead(entries: u64, retained: u64) -> bool {
    entries > 2 * retained + 64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dead_entries_are_removed_once_they_outnumber_the_retained_ones_by_64() {
        assert!(!are_mostly_dead(64, 0));
        assert!(are_mostly_dead(65, 0));
        assert!(!are_mostly_dead(2_064, 1_000));
        assert!(are_mostly_dead(2_065, 1_000));
        assert!(are_mostly_dead(9_999, 1_000));
    }

    #[test]
    fn evicted_events_behind_a_quiet_stream_do_not_pile_up() {
        let options = LogOptions {
            retention: Retention { stream_events_max: Some(10), ..Retention::UNBOUNDED },
            ..LogOptions::new(IdScheme::SessionCounter, "s1")
        };
        let mut log = EventLog::new(options).unwrap();
        log.append("quiet", (), 0).unwrap();
        for _ in 0..10_000 {
            log.append("busy", (), 0).unwrap();
            assert!(log.order.len() <= 100, "{} entries for 11 events", log.order.len());
        }
    }
}
