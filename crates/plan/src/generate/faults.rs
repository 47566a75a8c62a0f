//! What goes wrong, drawn.
//!
//! Owns the swarm of the families and the draw of each fault. Faults are drawn by family and
//! ordinal, never from a list shared with other families, so that a family that is out changes
//! nothing in the others. It must not know how a fault is carried out.
//!
//! **One rule ties families together.** A fault at a resume or in a replay happens only if its
//! stream is cut, so it brings a cut along: a second fault, of the family `drop`, with its id and
//! `-cut`, in plain sight. If `drop` is out, such a fault moves to another place that fits it, and
//! is left out if there is none.

use super::extent;
use super::place::{FaultKey, Places};
use crate::fit::TriggerKind;
use crate::scenario::DrawnFaults;
use crate::{Action, Draws, Family, Fault, Operation, Phases, Trigger};

/// The faults of this seed, family by family.
pub(super) fn draw(
    drawn: &DrawnFaults,
    seed: u64,
    replicas: u64,
    workload: &[Operation],
    phases: &Phases,
) -> Vec<Fault> {
    let places = Places::of(workload, phases);
    let drop_is_out = number_of(drawn, seed, Family::Drop) == 0;
    let cuts = if drop_is_out { Vec::new() } else { drawn.usable(Family::Drop, replicas) };
    let drawer = Drawer { drawn, places, cuts };
    let mut faults = Vec::new();
    for family in Family::ALL {
        let usable = drawn.usable(family, replicas);
        if usable.is_empty() {
            continue;
        }
        for ordinal in 1..=number_of(drawn, seed, family) {
            faults.extend(drawer.fault(FaultKey { seed, family, ordinal }, &usable));
        }
    }
    faults
}

/// How many faults a family has: none for every other seed.
fn number_of(drawn: &DrawnFaults, seed: u64, family: Family) -> u64 {
    let mut draws = Draws::new(seed, "swarm of families", family.name(), 0);
    let is_in = draws.chance(1, 2) && drawn.families.contains(&family);
    if is_in { drawn.faults_per_family.draw(&mut draws) } else { 0 }
}

struct Drawer<'a> {
    drawn: &'a DrawnFaults,
    places: Places<'a>,
    /// What may cut a stream; empty if `drop` is out.
    cuts: Vec<Action>,
}

impl Drawer<'_> {
    /// The fault, after the cut that it brings along if it needs one. Nothing if it has no place.
    fn fault(&self, key: FaultKey, usable: &[Action]) -> Vec<Fault> {
        let action = *key.draws("action").pick(usable);
        let Some(trigger) = self.trigger(action, key) else { return Vec::new() };
        let id = format!("{}-{}", key.family, key.ordinal);
        let cut = match &trigger {
            Trigger::Resume { stream, .. } | Trigger::Replay { stream, .. } => {
                self.cut(&id, stream, key)
            }
            _ => None,
        };
        let extent = extent::draw(self.drawn, action, &mut key.draws("extent"));
        let fault = Fault { id, family: key.family, trigger, action, extent };
        cut.into_iter().chain([fault]).collect()
    }

    fn trigger(&self, action: Action, key: FaultKey) -> Option<Trigger> {
        let mut draws = key.draws("trigger");
        let fitting = action.fitting().iter().copied();
        let kinds: Vec<TriggerKind> = fitting.filter(|kind| self.places.has(*kind)).collect();
        let without_cut: Vec<TriggerKind> =
            kinds.iter().copied().filter(|kind| !kind.follows_a_cut()).collect();
        // Both are drawn in any case, so that nothing shifts if cuts are out.
        let wanted = weighted(&mut draws, &kinds)?;
        let instead = weighted(&mut draws, &without_cut);
        let cannot_be = wanted.follows_a_cut() && self.cuts.is_empty();
        self.places.draw(if cannot_be { instead? } else { wanted }, key)
    }

    fn cut(&self, id: &str, stream: &str, key: FaultKey) -> Option<Fault> {
        let mut draws = key.draws("cut");
        let trigger = self.places.before_resume(stream, &mut draws)?;
        let action = *draws.pick(&self.cuts);
        let extent = extent::draw(self.drawn, action, &mut draws);
        Some(Fault { id: format!("{id}-cut"), family: Family::Drop, trigger, action, extent })
    }
}

/// One of these kinds of places, the more telling ones more often: there are many events, and at a
/// resume everything is decided, while a stream has one head and one response.
fn weighted(draws: &mut Draws, kinds: &[TriggerKind]) -> Option<TriggerKind> {
    let weight = |kind: TriggerKind| match kind {
        TriggerKind::Event => 4,
        TriggerKind::Resume => 3,
        TriggerKind::Replay => 2,
        TriggerKind::Head | TriggerKind::Response | TriggerKind::At => 1,
    };
    let tickets: Vec<TriggerKind> =
        kinds.iter().flat_map(|kind| std::iter::repeat_n(*kind, weight(*kind))).collect();
    if tickets.is_empty() { None } else { Some(*draws.pick(&tickets)) }
}
