//! Which step of the curve rises most, and which faults lie in it.
//!
//! Owns the attribution. A fault lies between the last point before it and the first one that has
//! it in its past. The run itself is the end of the curve: it shows the finding. It must not know
//! how the curve is drawn.

use super::{Likelihood, Mark, Share};

/// From one point to the next, or from the last one to the finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rise<'a> {
    /// The number of the point it begins at, from 0.
    pub from_point: usize,
    /// The share there.
    pub from: Share,
    /// The share at the next point.
    pub to: Share,
    /// Whether it ends at the finding, where nothing is left to be drawn.
    pub ends_at_finding: bool,
    /// The faults that happen on the way, in order.
    pub faults: Vec<&'a Mark>,
}

impl Rise<'_> {
    /// Whether it is more than chance.
    #[must_use]
    pub fn is_clear(&self) -> bool {
        self.to.is_clearly_above(self.from)
    }

    fn height(&self) -> u64 {
        self.to.rise_per_mille(self.from)
    }
}

impl Likelihood {
    /// Every step of the curve, in order.
    #[must_use]
    pub fn steps(&self) -> Vec<Rise<'_>> {
        let step = |from_point: usize| {
            let from = self.curve[from_point].seen.finding();
            let next = self.curve.get(from_point + 1);
            // As sure as the measured shares are: the run was not drawn, it is what it is.
            let certain = Share { hits: from.of, of: from.of };
            Rise {
                from_point,
                from,
                to: next.map_or(certain, |next| next.seen.finding()),
                ends_at_finding: next.is_none(),
                faults: self.between(from_point).collect(),
            }
        };
        (0..self.curve.len()).map(step).collect()
    }

    /// The steps that rise by more than chance, in order.
    #[must_use]
    pub fn rises(&self) -> Vec<Rise<'_>> {
        self.steps().into_iter().filter(Rise::is_clear).collect()
    }

    /// The step that rises most, and of equal ones the first; none if nothing rises.
    #[must_use]
    pub fn steepest(&self) -> Option<Rise<'_>> {
        let rising = self.steps().into_iter().filter(|step| step.height() > 0);
        rising.max_by_key(|step| (step.height(), std::cmp::Reverse(step.from_point)))
    }

    /// The faults between this point and the next, or after the last one.
    pub(super) fn between(&self, point: usize) -> impl Iterator<Item = &Mark> {
        let from = self.curve[point].point.records;
        let until = self.curve.get(point + 1).map_or(usize::MAX, |next| next.point.records);
        self.faults.iter().filter(move |mark| (from..until).contains(&mark.record))
    }
}
