//! Where a fault happens, drawn.
//!
//! Owns the streams that a workload opens and the draw of a trigger among the places that they
//! have. It must not know what the fault does; which places fit an action is said in `fit`.

use crate::fit::TriggerKind;
use crate::{Ask, Draws, Family, Operation, Phases, Place, Trigger};

/// The name of the streams of draws that belong to one fault.
#[derive(Clone, Copy)]
pub(super) struct FaultKey {
    pub seed: u64,
    pub family: Family,
    pub ordinal: u64,
}

impl FaultKey {
    /// The stream for one of its values.
    pub(super) fn draws(self, what: &str) -> Draws {
        Draws::new(self.seed, &format!("fault {what}"), self.family.name(), self.ordinal)
    }
}

/// A stream of the workload, and how much happens on it if nothing goes wrong.
struct Stream<'a> {
    id: &'a str,
    /// Messages before the response: progress or announcements.
    notifications: u64,
    /// Whether a response ends it.
    has_response: bool,
}

/// All places that a workload has.
pub(super) struct Places<'a> {
    streams: Vec<Stream<'a>>,
    phases: &'a Phases,
}

impl<'a> Places<'a> {
    pub(super) fn of(workload: &'a [Operation], phases: &'a Phases) -> Places<'a> {
        let announced = |operation: &Operation| match operation.ask {
            Ask::Announce { events, .. } => events,
            Ask::Count { events, progress_on_standalone: true, .. } => events,
            _ => 0,
        };
        let on_standalone = workload.iter().map(announced).sum();
        let stream = |operation: &'a Operation| {
            let (notifications, has_response) = match operation.ask {
                Ask::Count { events, progress_on_standalone: false, .. } => (events, true),
                Ask::Count { .. } | Ask::Announce { .. } => (0, true),
                Ask::Listen => (on_standalone, false),
                Ask::ListTools | Ask::Ping => return None,
            };
            Some(Stream { id: &operation.id, notifications, has_response })
        };
        Places { streams: workload.iter().filter_map(stream).collect(), phases }
    }

    /// Whether there is such a place.
    pub(super) fn has(&self, kind: TriggerKind) -> bool {
        match kind {
            TriggerKind::At => self.phases.chaos_from_ms < self.phases.chaos_until_ms,
            _ => self.streams.iter().any(|stream| stream.has(kind)),
        }
    }

    /// A place of this kind, if there is one.
    pub(super) fn draw(&self, kind: TriggerKind, key: FaultKey) -> Option<Trigger> {
        if !self.has(kind) {
            return None;
        }
        let mut draws = key.draws("place");
        if kind == TriggerKind::At {
            let Phases { chaos_from_ms, chaos_until_ms, .. } = *self.phases;
            return Some(Trigger::At { at_ms: draws.between(chaos_from_ms..=chaos_until_ms - 1) });
        }
        let picked = self.pick(kind, key)?;
        let stream = picked.id.to_owned();
        match kind {
            TriggerKind::Head => Some(Trigger::Head { stream }),
            TriggerKind::Event => {
                let nth = picked.nth_event(&mut draws);
                // Only cuts happen inside of an event.
                let inside = place_at_event(&mut draws);
                let place = if key.family == Family::Drop { inside } else { Place::After };
                Some(Trigger::Event { stream, nth, place })
            }
            TriggerKind::Response => Some(Trigger::Response { stream }),
            TriggerKind::Resume => Some(Trigger::Resume { stream, nth: nth_resume(&mut draws) }),
            TriggerKind::Replay => {
                let nth = nth_resume(&mut draws);
                let events = if draws.chance(1, 10) { 10 } else { draws.below(4) };
                Some(Trigger::Replay { stream, nth, events })
            }
            TriggerKind::At => None,
        }
    }

    /// A place before the end of this stream: a cut there makes the client resume it.
    pub(super) fn before_resume(&self, id: &str, draws: &mut Draws) -> Option<Trigger> {
        let stream = self.streams.iter().find(|stream| stream.id == id)?;
        let at_response = draws.chance(1, 8);
        if stream.has_response && (at_response || stream.notifications == 0) {
            return Some(Trigger::Response { stream: id.to_owned() });
        }
        if stream.notifications == 0 {
            return None;
        }
        let nth = draws.between(1..=stream.notifications);
        Some(Trigger::Event { stream: id.to_owned(), nth, place: place_at_event(draws) })
    }

    /// The stream with the highest lot among those that have such a place. Each draws its lot by
    /// itself, so a stream that is not there changes nothing unless it would have won.
    fn pick(&self, kind: TriggerKind, key: FaultKey) -> Option<&Stream<'a>> {
        let lot = |stream: &&Stream<'_>| key.draws(&format!("lot of {}", stream.id)).next_u64();
        self.streams.iter().filter(|stream| stream.has(kind)).max_by_key(lot)
    }
}

impl Stream<'_> {
    fn has(&self, kind: TriggerKind) -> bool {
        match kind {
            TriggerKind::Head => true,
            // Not for the response alone: that place has a name of its own.
            TriggerKind::Event => self.notifications > 0,
            TriggerKind::Response => self.has_response,
            TriggerKind::Resume | TriggerKind::Replay => {
                self.notifications > 0 || self.has_response
            }
            TriggerKind::At => false,
        }
    }

    /// A message of this stream, which has some. One in ten lies at an extreme: the first, the
    /// last, or one that comes only if something is replayed.
    fn nth_event(&self, draws: &mut Draws) -> u64 {
        let messages = self.notifications + u64::from(self.has_response);
        let is_extreme = draws.chance(1, 10);
        let ordinary = draws.between(1..=messages);
        if is_extreme { *draws.pick(&[1, messages, messages + ordinary]) } else { ordinary }
    }
}

/// Nearly always the first: the cut that a fault brings along makes no more.
fn nth_resume(draws: &mut Draws) -> u64 {
    if draws.chance(1, 10) { draws.between(2..=3) } else { 1 }
}

/// Where at an event: after it in half of the cases.
fn place_at_event(draws: &mut Draws) -> Place {
    match draws.below(10) {
        0..=4 => Place::After,
        5 => Place::Before,
        6 => Place::Byte(if draws.chance(1, 10) { 1 } else { draws.between(2..=150) }),
        7 => Place::MidField,
        8 => Place::MidCharacter,
        _ => Place::BetweenCrAndLf,
    }
}
