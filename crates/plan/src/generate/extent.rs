//! How much of an action, drawn.
//!
//! Owns the usual amounts. They are made for streams whose events come every few milliseconds, a
//! keep-alive of 40 ms, rings of 4 to 24 events and a client that gives up after 120 ms of
//! silence; a scenario on another scale sets its own. It must not know where the fault happens.

use crate::scenario::DrawnFaults;
use crate::{Action, Draws, Extent};

/// The amounts of an action, in the unit that it reads.
struct Usual {
    from: u64,
    to: u64,
    huge: u64,
}

/// The extent of one fault. One in ten is extreme: a single event, byte or millisecond, or far
/// more than usual. What the scenario sets is drawn as it is set.
pub(super) fn draw(drawn: &DrawnFaults, action: Action, draws: &mut Draws) -> Extent {
    let Some(Usual { from, to, huge }) = usual(action) else { return Extent::default() };
    let is_extreme = draws.chance(1, 10);
    let extreme = *draws.pick(&[1, huge]);
    let ordinary = draws.between(from..=to);
    let usual = if is_extreme { extreme } else { ordinary };
    let set = drawn
        .extents
        .get(&action)
        .and_then(|set| set.count.as_ref().or(set.bytes.as_ref()).or(set.duration_ms.as_ref()));
    let amount = set.map_or(usual, |setting| setting.draw(draws));
    let needs = action.needs();
    Extent {
        count: needs.count.then_some(amount),
        bytes: needs.bytes.then_some(amount),
        duration_ms: needs.duration_ms.then_some(amount),
    }
}

/// None for an action without an extent.
fn usual(action: Action) -> Option<Usual> {
    let (from, to, huge) = match action {
        Action::CutClientSide => (5, 60, 400),
        Action::RotateId | Action::RotateIdForgetOld => (1, 3, 20),
        Action::Burst => (2, 30, 200),
        Action::ShrinkRing => (1, 8, 100),
        Action::AgeOut => (1, 20, 1_000),
        // Usually below the keep-alive: above it, it never bites.
        Action::IdleCut => (5, 35, 120),
        // Above the client's idle timeout in the extreme: the client gives the connection up.
        Action::HoldLink => (5, 80, 300),
        Action::SlowReader => (1, 15, 60),
        Action::RouteToLagging => (2, 40, 500),
        Action::SecondConnection => (1, 8, 50),
        Action::Rechunk => (2, 64, 4_096),
        Action::BufferBytes => (64, 2_048, 65_536),
        Action::InsertComment | Action::InsertEmptyEvent => (1, 3, 50),
        Action::InsertRetry => (1, 20, 100),
        Action::CutClean
        | Action::CutNoLastChunk
        | Action::CutReset
        | Action::EvictSession
        | Action::BlackHole
        | Action::RouteToEmpty
        | Action::RouteToOtherEpoch
        | Action::RestartKeepLog
        | Action::RestartLoseLog
        | Action::Rebase
        | Action::TwinResume
        | Action::BufferUntilEnd => return None,
    };
    Some(Usual { from, to, huge })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_actions_that_read_an_extent_have_a_usual_one_and_read_one_field_of_it() {
        for action in Action::ALL {
            let needs = action.needs();
            let fields = [needs.count, needs.bytes, needs.duration_ms];
            let read = fields.into_iter().filter(|needed| *needed).count();
            assert_eq!(read, usize::from(usual(*action).is_some()), "{action}");
        }
    }
}
