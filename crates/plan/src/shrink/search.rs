//! The state of one search: the best plan so far, and what is left of the budget.
//!
//! Owns the rule of acceptance, which all passes go through: a candidate that is not smaller, is
//! impossible or has failed before costs no run; of the others the first that the trial accepts
//! becomes the best. It must not know what the passes try.

use std::collections::BTreeSet;

use super::size::Size;
use super::{Pass, Shown, Stop, Trial, Tried};
use crate::{Plan, validate};

pub(super) struct Search<'t, T> {
    best: Plan,
    shown: Shown,
    size: Size,
    trial: &'t mut T,
    runs_max: u64,
    runs: u64,
    steps: u64,
    /// Digests of plans that were tried in vain: they come again in every round.
    vain: BTreeSet<String>,
}

impl<'t, T: Trial> Search<'t, T> {
    pub(super) fn new(plan: Plan, shown: Shown, runs_max: u64, trial: &'t mut T) -> Self {
        let size = Size::of(&plan);
        let vain = BTreeSet::new();
        Search { best: plan, shown, size, trial, runs_max, runs: 0, steps: 0, vain }
    }

    /// The smallest plan so far.
    pub(super) fn best(&self) -> &Plan {
        &self.best
    }

    /// How often it became smaller.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// The smallest plan and the number of runs that it took.
    pub(super) fn finish(self) -> (Plan, u64) {
        (self.best, self.runs)
    }

    /// Makes the first of these candidates the best that is smaller and still fails in the same
    /// way. Its number in the list, if there is one.
    ///
    /// # Errors
    /// The reason to stop.
    pub(super) fn take_first(
        &mut self,
        pass: Pass,
        candidates: Vec<Plan>,
    ) -> Result<Option<usize>, Stop> {
        // Of each that is worth a run: its number, its digest and itself.
        let mut worth: Vec<((usize, String), Plan)> = Vec::new();
        for (index, plan) in candidates.into_iter().enumerate() {
            if Size::of(&plan) >= self.size {
                continue;
            }
            let digest = plan.digest();
            if !self.vain.contains(&digest) && validate(&plan).is_ok() {
                worth.push(((index, digest), plan));
            }
        }
        if worth.is_empty() {
            return Ok(None);
        }
        let left = usize::try_from(self.runs_max - self.runs).unwrap_or(usize::MAX);
        let is_cut_short = left < worth.len();
        worth.truncate(left);
        let (mut named, mut plans): (Vec<_>, Vec<_>) = worth.into_iter().unzip();
        let tried = if plans.is_empty() { Tried::Nothing } else { self.trial.first(&plans) };
        let (in_vain, found) = match tried {
            Tried::Found { index, shown } => (index, Some((named[index].0, shown))),
            Tried::Nothing => (plans.len(), None),
            Tried::Interrupted => return Err(Stop::Interrupted),
        };
        self.runs += in_vain as u64;
        self.vain.extend(named.drain(..in_vain).map(|(_, digest)| digest));
        match found {
            Some((index, shown)) => {
                self.runs += 1;
                self.steps += 1;
                self.best = plans.swap_remove(in_vain);
                self.size = Size::of(&self.best);
                self.shown = shown;
                self.trial.is_smaller(pass, &self.best, self.runs);
                Ok(Some(index))
            }
            None if is_cut_short => Err(Stop::Budget),
            None => Ok(None),
        }
    }

    /// Takes first candidates of these as long as there is one.
    ///
    /// # Errors
    /// The reason to stop.
    pub(super) fn take_all(
        &mut self,
        pass: Pass,
        candidates: impl Fn(&Plan, Shown) -> Vec<Plan>,
    ) -> Result<(), Stop> {
        while self.take_first(pass, candidates(&self.best, self.shown))?.is_some() {}
        Ok(())
    }
}
