//! What the client asks for, drawn.
//!
//! Owns the swarm of the kinds (each in or out, Groce et al., ISSTA 2012: leaving features out at
//! random finds more, since features hide each other's bugs) and the values of each operation. It
//! must not know which faults will meet them.

use crate::scenario::{DrawnWorkload, Setting};
use crate::validate::STANDALONE;
use crate::{Ask, Draws, Operation};

/// The operations of this seed, in order of time.
pub(super) fn draw(drawn: &DrawnWorkload, seed: u64) -> Vec<Operation> {
    let kinds = &drawn.kinds;
    let drawer = Drawer { drawn, seed };
    let mut operations = Vec::new();
    if drawer.number_of("listen", &kinds.listen) > 0 {
        operations.push(drawer.listen());
    }
    for ordinal in 1..=drawer.number_of("count", &kinds.count).max(1) {
        operations.push(drawer.operation("count", "c", ordinal, Drawer::count));
    }
    for ordinal in 1..=drawer.number_of("announce", &kinds.announce) {
        operations.push(drawer.operation("announce", "a", ordinal, Drawer::announce));
    }
    for ordinal in 1..=drawer.number_of("list-tools", &kinds.list_tools) {
        operations.push(drawer.operation("list-tools", "l", ordinal, |_, _| Ask::ListTools));
    }
    for ordinal in 1..=drawer.number_of("ping", &kinds.ping) {
        operations.push(drawer.operation("ping", "p", ordinal, |_, _| Ask::Ping));
    }
    // Stable: operations of the same time keep the order above.
    operations.sort_by_key(|operation| operation.at_ms);
    operations
}

struct Drawer<'a> {
    drawn: &'a DrawnWorkload,
    seed: u64,
}

impl Drawer<'_> {
    /// How many operations of a kind there are: none for every other seed, if the scenario leaves
    /// that open.
    fn number_of(&self, kind: &str, number: &Setting<u64>) -> u64 {
        let mut draws = Draws::new(self.seed, "swarm of operations", kind, 0);
        let Some(above_zero) = number.above_zero() else { return number.draw(&mut draws) };
        let is_in = draws.chance(1, 2);
        let number = above_zero.draw(&mut draws);
        if is_in { number } else { 0 }
    }

    fn operation(
        &self,
        kind: &str,
        prefix: &str,
        ordinal: u64,
        ask: impl Fn(&Self, &mut Draws) -> Ask,
    ) -> Operation {
        let mut draws = Draws::new(self.seed, "operation", kind, ordinal);
        let at_ms = self.drawn.at_ms.draw(&mut draws);
        Operation { id: format!("{prefix}{ordinal}"), at_ms, ask: ask(self, &mut draws) }
    }

    fn count(&self, draws: &mut Draws) -> Ask {
        Ask::Count {
            events: self.drawn.events.draw(draws),
            interval_ms: self.drawn.interval_ms.draw(draws),
            progress_on_standalone: self.drawn.progress_on_standalone.draw(draws),
        }
    }

    fn announce(&self, draws: &mut Draws) -> Ask {
        Ask::Announce {
            events: self.drawn.events.draw(draws),
            interval_ms: self.drawn.interval_ms.draw(draws),
        }
    }

    /// Clients open the standalone stream at once; one in four comes later, to a stream that may
    /// have events already.
    fn listen(&self) -> Operation {
        let mut draws = Draws::new(self.seed, "operation", "listen", 1);
        let is_late = draws.chance(1, 4);
        let late_ms = self.drawn.at_ms.draw(&mut draws);
        let at_ms = if is_late { late_ms } else { 0 };
        Operation { id: STANDALONE.to_owned(), at_ms, ask: Ask::Listen }
    }
}
