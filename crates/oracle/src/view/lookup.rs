//! Preparing the index for looking things up, once all records are in it.
//!
//! Owns the sorting: ids by their text, messages by ordinal, and which arrivals repeat an earlier
//! one. It must not read the trace again.

use super::{Arrival, View};

pub(super) fn prepare(view: &mut View) {
    view.issued.sort_unstable();
    for sequence in &mut view.sequences {
        // In order already, as servers number what they emit; a trace need not keep to that.
        sequence.messages.sort_by_key(|index| view.emitted[*index].ordinal);
        note_repeats(&mut view.wire, &sequence.wire);
        sequence.first_deliveries = note_repeats(&mut view.delivered, &sequence.delivered);
    }
}

/// Notes at every arrival of a message but the first which one the first was, and lists the first
/// arrivals by ordinal.
fn note_repeats(arrivals: &mut [Arrival], members: &[usize]) -> Vec<(u64, usize)> {
    let ordinal = |index: usize| arrivals[index].place.map_or(0, |place| place.ordinal);
    let mut firsts: Vec<(u64, usize)> =
        members.iter().map(|index| (ordinal(*index), *index)).collect();
    if firsts.is_sorted_by(|one, next| one.0 < next.0) {
        return firsts;
    }
    firsts.sort_unstable();
    firsts.dedup_by(|repeat, first| {
        let same = repeat.0 == first.0;
        if same {
            arrivals[repeat.1].earlier = Some(first.1);
        }
        same
    });
    firsts
}
