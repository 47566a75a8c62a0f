//! Numbering keys in order of first sight.
//!
//! Owns one small map with a memory for the key asked last: records of one stream mostly stand
//! next to each other, and comparing with one key is cheaper than descending a tree of strings. It
//! must not know what is kept under the numbers.

use std::collections::BTreeMap;

pub(crate) struct Slots<K> {
    by_key: BTreeMap<K, usize>,
    last: Option<(K, usize)>,
}

impl<K: Copy + Ord> Slots<K> {
    pub(crate) fn new() -> Slots<K> {
        Slots { by_key: BTreeMap::new(), last: None }
    }

    /// The number of a key; the next free one (the count of keys so far) if it is new.
    pub(crate) fn number(&mut self, key: K) -> usize {
        if let Some((last, slot)) = self.last
            && last == key
        {
            return slot;
        }
        let next = self.by_key.len();
        let slot = *self.by_key.entry(key).or_insert(next);
        self.last = Some((key, slot));
        slot
    }

    /// The number of a key that may be new, without numbering it.
    pub(crate) fn get(&self, key: K) -> Option<usize> {
        match self.last {
            Some((last, slot)) if last == key => Some(slot),
            _ => self.by_key.get(&key).copied(),
        }
    }

    /// The numbers of the keys in a range, in the order of the keys.
    pub(crate) fn range(&self, from: K, until: K) -> impl Iterator<Item = usize> {
        self.by_key.range(from..until).map(|(_, slot)| *slot)
    }
}
