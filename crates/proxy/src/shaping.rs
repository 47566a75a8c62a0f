//! Bytes in another shape: held back, delayed, withheld.
//!
//! Owns what becomes of the bytes of one connection after the faults that last. It is a plain
//! state machine: it must not wait itself, it says for how long to wait.

use bytes::Bytes;
use seamstress_plan::Fault;

/// What lasting faults do to the bytes of one connection.
#[derive(Default)]
pub(crate) struct Shaper {
    hold: Option<Hold>,
    delay: Option<(u64, Fault)>,
    black_hole: Option<Fault>,
}

struct Hold {
    /// How many bytes let the held ones go; none: only the end does.
    bytes_max: Option<u64>,
    held: Vec<Bytes>,
    held_bytes: u64,
    fault: Fault,
}

/// What is to be done with bytes.
#[derive(Default)]
pub(crate) struct Shaped {
    /// These go out now.
    pub out: Vec<Bytes>,
    /// After this many milliseconds.
    pub delay_ms: u64,
    /// The faults that showed an effect, with a few words about it.
    pub effects: Vec<(Fault, &'static str)>,
}

impl Shaper {
    /// From now on bytes are held back until there are so many, or (none) until the end.
    pub fn hold(&mut self, bytes_max: Option<u64>, fault: Fault) {
        // What an earlier fault held back is still due, and first.
        let (held, held_bytes) =
            self.hold.take().map_or((Vec::new(), 0), |hold| (hold.held, hold.held_bytes));
        self.hold = Some(Hold { bytes_max, held, held_bytes, fault });
    }

    /// From now on bytes go out after so many milliseconds.
    pub fn delay(&mut self, delay_ms: u64, fault: Fault) {
        self.delay = Some((delay_ms, fault));
    }

    /// From now on no byte goes out.
    pub fn withhold(&mut self, fault: Fault) {
        self.black_hole = Some(fault);
    }

    /// Whether bytes are held back that an end of the chaos lets go.
    pub fn is_holding(&self) -> bool {
        self.hold.as_ref().is_some_and(|hold| hold.held_bytes > 0)
    }

    /// Whether nothing goes out any more.
    pub fn is_black_hole(&self) -> bool {
        self.black_hole.is_some()
    }

    /// Takes bytes. `lasting`: whether lasting faults are still in force.
    pub fn push(&mut self, bytes: Bytes, lasting: bool) -> Shaped {
        let mut shaped = Shaped::default();
        if let Some(fault) = &self.black_hole {
            shaped.effects.push((fault.clone(), "bytes were withheld"));
            return shaped;
        }
        if !lasting {
            shaped.out = self.flush();
            shaped.out.push(bytes);
            return shaped;
        }
        if let Some((delay_ms, fault)) = &self.delay {
            shaped.delay_ms = *delay_ms;
            shaped.effects.push((fault.clone(), "bytes were delayed"));
        }
        let Some(hold) = &mut self.hold else {
            shaped.out.push(bytes);
            return shaped;
        };
        shaped.effects.push((hold.fault.clone(), "bytes were held back"));
        hold.held_bytes += bytes.len() as u64;
        hold.held.push(bytes);
        if hold.bytes_max.is_some_and(|most| hold.held_bytes >= most) {
            hold.held_bytes = 0;
            shaped.out = std::mem::take(&mut hold.held);
        }
        shaped
    }

    /// Lets go what is held back.
    pub fn flush(&mut self) -> Vec<Bytes> {
        match &mut self.hold {
            Some(hold) => {
                hold.held_bytes = 0;
                std::mem::take(&mut hold.held)
            }
            None => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use seamstress_plan::{Action, Extent, Trigger};

    fn fault(action: Action) -> Fault {
        let trigger = Trigger::At { at_ms: 0 };
        Fault {
            id: "f1".into(),
            family: action.family(),
            trigger,
            action,
            extent: Extent::default(),
        }
    }

    fn push(shaper: &mut Shaper, bytes: &'static str) -> Vec<Bytes> {
        shaper.push(Bytes::from(bytes), true).out
    }

    #[test]
    fn without_a_fault_bytes_pass() {
        assert_eq!(push(&mut Shaper::default(), "abc"), ["abc"]);
    }

    #[test]
    fn held_bytes_go_out_together_when_there_are_enough_and_in_order() {
        let mut shaper = Shaper::default();
        shaper.hold(Some(4), fault(Action::BufferBytes));
        assert!(push(&mut shaper, "abc").is_empty());
        assert!(shaper.is_holding());
        assert_eq!(push(&mut shaper, "d"), ["abc", "d"]);
        assert!(!shaper.is_holding());
    }

    #[test]
    fn bytes_held_until_the_end_go_out_at_the_end() {
        let mut shaper = Shaper::default();
        shaper.hold(None, fault(Action::BufferUntilEnd));
        assert!(push(&mut shaper, "abc").is_empty());
        assert_eq!(shaper.flush(), ["abc"]);
    }

    #[test]
    fn a_second_fault_that_holds_back_does_not_lose_what_the_first_held() {
        let mut shaper = Shaper::default();
        shaper.hold(None, fault(Action::BufferUntilEnd));
        push(&mut shaper, "abc");
        shaper.hold(Some(4), fault(Action::BufferBytes));
        assert_eq!(push(&mut shaper, "d"), ["abc", "d"]);
    }

    #[test]
    fn when_lasting_faults_end_held_bytes_go_first() {
        let mut shaper = Shaper::default();
        shaper.hold(None, fault(Action::BufferUntilEnd));
        push(&mut shaper, "abc");
        assert_eq!(shaper.push(Bytes::from("d"), false).out, ["abc", "d"]);
    }

    #[test]
    fn a_black_hole_lets_nothing_out_even_after_the_chaos() {
        let mut shaper = Shaper::default();
        shaper.withhold(fault(Action::BlackHole));
        assert!(push(&mut shaper, "abc").is_empty());
        assert!(shaper.push(Bytes::from("d"), false).out.is_empty());
    }
}
