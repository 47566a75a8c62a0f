//! What to leave out of something that is too long.
//!
//! Owns the choice of the parts that stay: the beginning, the end, and what lies around the place
//! that matters. It must not know what the items are. It exists so that no text grows with the
//! length of a run, and so that what is left out is counted and never lost silently.

use std::ops::Range;

/// The ranges of `0..count` to keep, in order, without overlap: everything if `count` is at most
/// `max`, else at most `max` items. `focus` is the item that must stay.
pub(crate) fn kept(count: usize, max: usize, focus: Option<usize>) -> Vec<Range<usize>> {
    if count <= max {
        return std::iter::once(0..count).collect();
    }
    let quarter = max / 4;
    let Some(focus) = focus else {
        return merged([0..max - quarter, count - quarter..count]);
    };
    let middle = max - 2 * quarter;
    // Beside the beginning or the end it loses nothing: the three parts never overlap.
    let from = focus.saturating_sub(middle / 2).clamp(quarter, count - quarter - middle);
    merged([0..quarter, from..from + middle, count - quarter..count])
}

fn merged(ranges: impl IntoIterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut kept: Vec<Range<usize>> = Vec::new();
    for range in ranges.into_iter().filter(|range| !range.is_empty()) {
        match kept.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => kept.push(range),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(ranges: &[Range<usize>]) -> usize {
        ranges.iter().map(ExactSizeIterator::len).sum()
    }

    #[test]
    fn what_fits_is_kept_whole() {
        for count in [0, 1, 8] {
            let ranges = kept(count, 8, Some(0));
            assert_eq!((ranges.len(), &ranges[0]), (1, &(0..count)));
        }
    }

    #[test]
    fn without_a_focus_the_middle_goes() {
        assert_eq!(kept(100, 8, None), [0..6, 98..100]);
    }

    #[test]
    fn the_focus_stays_with_its_neighbours() {
        assert_eq!(kept(100, 8, Some(50)), [0..2, 48..52, 98..100]);
    }

    #[test]
    fn ranges_that_touch_become_one_and_use_the_limit_up() {
        for focus in 0..100 {
            let ranges = kept(100, 9, Some(focus));
            assert_eq!(total(&ranges), 9, "{ranges:?}");
            assert!(ranges.iter().any(|range| range.contains(&focus)), "{focus}: {ranges:?}");
            assert!(ranges.is_sorted_by(|a, b| a.end < b.start), "{ranges:?}");
        }
    }
}
