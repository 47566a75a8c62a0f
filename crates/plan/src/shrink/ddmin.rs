//! Delta debugging over the items of a list.
//!
//! Owns the choice of what to keep: nothing, each part alone, all but each part, of ever smaller
//! parts (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE TSE
//! 2002). What is left is 1-minimal: no single item can go. It must not know what the items are.

use super::search::Search;
use super::{Pass, Stop, Trial};
use crate::Plan;

/// Takes items out of the best plan. `count` is how many there are; `keep` makes the plan with only
/// these, by their numbers.
pub(super) fn minimise<T: Trial>(
    search: &mut Search<'_, T>,
    pass: Pass,
    count: impl Fn(&Plan) -> usize,
    keep: impl Fn(&Plan, &[usize]) -> Plan,
) -> Result<(), Stop> {
    let mut parts = 2;
    loop {
        let items = count(search.best());
        if items == 0 {
            return Ok(());
        }
        parts = parts.min(items);
        let choices = choices(items, parts);
        let candidates = choices.iter().map(|kept| keep(search.best(), kept)).collect();
        match search.take_first(pass, candidates)? {
            // Nothing is left, or one part of them.
            Some(index) if index <= parts => parts = 2,
            Some(_) => parts = (parts - 1).max(2),
            None if parts == items => return Ok(()),
            None => parts *= 2,
        }
    }
}

/// What is kept in each attempt: nothing, each of the parts, all but each of them.
fn choices(items: usize, parts: usize) -> Vec<Vec<usize>> {
    let bounds = |part: usize| part * items / parts..(part + 1) * items / parts;
    let mut choices = vec![Vec::new()];
    choices.extend((0..parts).map(|part| bounds(part).collect()));
    let all_but = |part: usize| (0..items).filter(|item| !bounds(part).contains(item)).collect();
    choices.extend((0..parts).map(all_but));
    choices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_kept_alone_and_left_out() {
        let expected: Vec<Vec<usize>> = vec![vec![], vec![0], vec![1, 2], vec![1, 2], vec![0]];
        assert_eq!(choices(3, 2), expected);
        assert_eq!(choices(1, 1), [Vec::new(), vec![0], vec![]]);
    }
}
