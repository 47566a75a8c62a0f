//! Exit codes: how the process tells what came of it.
//!
//! Owns the table of codes and which of two outranks the other. It must not know how a verb comes
//! to its verdict.

use seamstress_oracle::{Class, Verdict};

/// How the command ends. Ordered: of two that are due, the greater is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Everything that was played holds.
    #[default]
    Holds,
    /// Nothing ran, or a listed fault never fired: nothing is proven.
    NothingRan,
    /// An expected finding no longer occurs.
    StaleBaseline,
    /// Something due never came, and that is all that is wrong.
    Stuck,
    /// An escape or a protocol violation.
    Violated,
    /// A defect of the harness, or a panic of the code under test.
    Internal,
    /// The same plan did not give the same trace.
    NotReproducible,
    /// The arguments, a file or a name is wrong. Nothing was played.
    Usage,
    /// Stopped by a signal; what was done is summarised.
    Interrupted,
}

impl Exit {
    /// The number that the process exits with.
    pub const fn code(self) -> u8 {
        match self {
            Exit::Holds => 0,
            Exit::Violated => 1,
            Exit::Usage => 2,
            Exit::Stuck => 3,
            Exit::NothingRan => 4,
            Exit::StaleBaseline => 5,
            Exit::NotReproducible => 6,
            Exit::Internal => 70,
            Exit::Interrupted => 130,
        }
    }

    /// What a finding of this class leads to.
    pub const fn of_class(class: Class) -> Exit {
        match class {
            Class::Liveness => Exit::Stuck,
            Class::Escape | Class::Protocol | Class::Quiescence => Exit::Violated,
        }
    }

    /// What a run that was counted so leads to.
    pub const fn of_verdict(verdict: Verdict) -> Exit {
        match verdict {
            Verdict::Holds => Exit::Holds,
            Verdict::Violated => Exit::Violated,
            Verdict::Stuck => Exit::Stuck,
            Verdict::Error => Exit::Internal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worse_of_two_ends_outranks_the_other() {
        let by_rank = [
            Exit::Holds,
            Exit::NothingRan,
            Exit::StaleBaseline,
            Exit::Stuck,
            Exit::Violated,
            Exit::Internal,
            Exit::NotReproducible,
        ];
        let codes = by_rank.map(Exit::code);
        assert_eq!(codes, [0, 4, 5, 3, 1, 70, 6]);
        assert!(by_rank.is_sorted());
    }
}
