//! Streams of random draws, one for each thing that is drawn.
//!
//! Owns the keying and the drawing: a stream is named by (root seed, label, entity, ordinal), and
//! what one consumer takes from its stream never shifts what another one gets. That is why taking
//! one fault out of a plan changes nothing else. Whole numbers only, written on raw 64-bit words,
//! so that a value stays the same across platforms and across versions of the crates underneath.
//! It must not know what is drawn, and shows no type of a random number crate.

use std::fmt;
use std::ops::RangeInclusive;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// What keeps these keys apart from every other use of the hash. Changing it changes every draw.
const KEY_CONTEXT: &str = "seamstress 2026-11 draws v1";

/// One stream of draws.
///
/// ```
/// use seamstress_plan::Draws;
/// let mut dice = Draws::new(7, "dice", "red", 0);
/// let roll = dice.between(1..=6);
/// assert!((1..=6).contains(&roll));
/// assert_eq!(roll, Draws::new(7, "dice", "red", 0).between(1..=6));
/// ```
#[derive(Clone)]
pub struct Draws {
    words: ChaCha8Rng,
}

impl Draws {
    /// The stream with this name: `label` says what is drawn (`latency`), `entity` for whom
    /// (`link-1`), `ordinal` which one of several (message 12).
    #[must_use]
    pub fn new(seed: u64, label: &str, entity: &str, ordinal: u64) -> Draws {
        let mut hasher = blake3::Hasher::new_derive_key(KEY_CONTEXT);
        hasher.update(&seed.to_le_bytes());
        for text in [label, entity] {
            // With its length, so that ("ab", "c") and ("a", "bc") are different names.
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        hasher.update(&ordinal.to_le_bytes());
        Draws { words: ChaCha8Rng::from_seed(*hasher.finalize().as_bytes()) }
    }

    /// The next raw word. At the end of a run it is what a repeated run must show again: equal
    /// next draws mean that both consumed the stream equally.
    pub fn next_u64(&mut self) -> u64 {
        self.words.next_u64()
    }

    /// A number from 0 to `bound - 1`, each equally likely.
    ///
    /// # Panics
    /// If `bound` is 0: there is no such number.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "there is no number below 0 to draw");
        // Lemire's multiplication with rejection, arXiv:1805.10941: the high half of word * bound
        // is the draw, and low halves under 2^64 mod bound are those that would bias it.
        let biased_below = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.next_u64()) * u128::from(bound);
            if product as u64 >= biased_below {
                return (product >> 64) as u64;
            }
        }
    }

    /// A number of this range, each equally likely.
    ///
    /// # Panics
    /// If the range is empty.
    pub fn between(&mut self, range: RangeInclusive<u64>) -> u64 {
        let (from, to) = range.into_inner();
        assert!(from <= to, "there is no number from {from} to {to} to draw");
        match (to - from).checked_add(1) {
            Some(width) => from + self.below(width),
            None => self.next_u64(),
        }
    }

    /// True in `numerator` of `denominator` cases.
    ///
    /// # Panics
    /// If `denominator` is 0.
    pub fn chance(&mut self, numerator: u64, denominator: u64) -> bool {
        self.below(denominator) < numerator
    }

    /// One of these, each equally likely.
    ///
    /// # Panics
    /// If there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }

    /// Brings these into a random order, each equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }

    /// `count` different ones of these in their order, or all if there are not so many; each
    /// selection equally likely.
    pub fn sample<'a, T>(&mut self, items: &'a [T], count: usize) -> Vec<&'a T> {
        let mut wanted = count.min(items.len()) as u64;
        let mut left = items.len() as u64;
        let mut sampled = Vec::with_capacity(wanted as usize);
        for item in items {
            if self.below(left) < wanted {
                sampled.push(item);
                wanted -= 1;
            }
            left -= 1;
        }
        sampled
    }

    /// A token of this many random bytes as lower-case hexadecimal digits, two for each byte.
    pub fn token(&mut self, bytes: usize) -> String {
        let digits = bytes * 2;
        let mut token = String::with_capacity(digits.next_multiple_of(16));
        while token.len() < digits {
            token.push_str(&format!("{:016x}", self.next_u64()));
        }
        token.truncate(digits);
        token
    }
}

impl fmt::Debug for Draws {
    /// Says nothing of the state: a session id is drawn from it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Draws")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// If this fails, every saved seed now means another run: change it only on purpose.
    #[test]
    fn the_draws_of_a_name_stay_the_same_for_ever() {
        let mut draws = Draws::new(4471, "latency", "link-1", 12);
        assert_eq!(draws.next_u64(), 13_358_854_206_536_459_812);
        assert_eq!(draws.next_u64(), 12_139_425_757_768_480_121);
        let mut draws = Draws::new(0, "", "", 0);
        let numbers: Vec<u64> = (0..8).map(|_| draws.below(10)).collect();
        assert_eq!(numbers, [4, 6, 1, 5, 4, 0, 3, 9]);
        assert_eq!(draws.between(100..=u64::MAX), 12_352_894_652_495_402_024);
        assert_eq!(draws.between(0..=u64::MAX), 12_821_339_452_313_541_224);
        assert_eq!(draws.token(5), "553ec5baca");
        let mut order = [1, 2, 3, 4, 5, 6];
        draws.shuffle(&mut order);
        assert_eq!(order, [2, 3, 4, 1, 5, 6]);
        assert_eq!(draws.sample(&[1, 2, 3, 4, 5, 6], 3), [&1, &3, &4]);
    }

    #[test]
    fn every_part_of_the_name_makes_another_stream() {
        let names = [
            (1, "a", "b", 0),
            (2, "a", "b", 0),
            (1, "ab", "", 0),
            (1, "", "ab", 0),
            (1, "b", "a", 0),
            (1, "a", "b", 1),
        ];
        let firsts: Vec<u64> = names
            .iter()
            .map(|&(seed, label, entity, ordinal)| {
                Draws::new(seed, label, entity, ordinal).next_u64()
            })
            .collect();
        for (index, first) in firsts.iter().enumerate() {
            assert!(!firsts[..index].contains(first), "{:?}", names[index]);
        }
    }

    #[test]
    fn every_number_below_the_bound_is_drawn_about_equally_often() {
        let mut draws = Draws::new(1, "fair", "", 0);
        let mut counts = [0_u32; 7];
        for _ in 0..70_000 {
            counts[draws.below(7) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (9_500..10_500).contains(count)), "{counts:?}");
    }

    /// With this bound a plain multiplication would give multiples of 3 in half of the cases.
    #[test]
    fn a_bound_that_does_not_divide_the_words_evenly_favours_no_number() {
        let mut draws = Draws::new(1, "bias", "", 0);
        let threes = (0..3_000).filter(|_| draws.below(3 << 62).is_multiple_of(3)).count();
        assert!((900..1_100).contains(&threes), "{threes}");
    }

    #[test]
    fn a_chance_of_none_never_comes_and_a_chance_of_all_always_does() {
        let mut draws = Draws::new(1, "chance", "", 0);
        for _ in 0..1_000 {
            assert!(!draws.chance(0, 3));
            assert!(draws.chance(3, 3));
        }
        let third = (0..9_000).filter(|_| draws.chance(1, 3)).count();
        assert!((2_800..3_200).contains(&third), "{third}");
    }

    #[test]
    #[should_panic(expected = "there is no number below 0 to draw")]
    fn picking_from_nothing_is_a_mistake_of_the_caller() {
        Draws::new(1, "nothing", "", 0).pick::<u8>(&[]);
    }

    proptest! {
        #[test]
        fn what_one_stream_consumes_shifts_nothing_in_another(
            seed: u64, label in "[a-z]{0,4}", other in "[a-z]{0,4}",
            ordinal in 0_u64..9, eaten in 0_usize..50,
        ) {
            prop_assume!(label != other);
            let alone: Vec<u64> = {
                let mut draws = Draws::new(seed, &label, "x", ordinal);
                (0..5).map(|_| draws.next_u64()).collect()
            };
            let mut draws = Draws::new(seed, &label, "x", ordinal);
            let mut eater = Draws::new(seed, &other, "x", ordinal);
            let together: Vec<u64> = (0..5)
                .map(|_| {
                    (0..eaten).for_each(|_| { eater.next_u64(); });
                    draws.next_u64()
                })
                .collect();
            prop_assert_eq!(&alone, &together);
            prop_assert_ne!(alone[0], Draws::new(seed, &other, "x", ordinal).next_u64());
        }

        #[test]
        fn a_draw_never_leaves_its_range(seed: u64, a: u64, b: u64) {
            let (from, to) = (a.min(b), a.max(b));
            let mut draws = Draws::new(seed, "range", "", 0);
            for _ in 0..20 {
                prop_assert!((from..=to).contains(&draws.between(from..=to)));
            }
        }

        #[test]
        fn a_shuffle_keeps_every_item_and_a_sample_keeps_the_order(
            seed: u64, count in 0_usize..12, items in prop::collection::vec(0_u16..999, 0..10),
        ) {
            let mut draws = Draws::new(seed, "order", "", 0);
            let mut shuffled = items.clone();
            draws.shuffle(&mut shuffled);
            shuffled.sort_unstable();
            let mut sorted = items.clone();
            sorted.sort_unstable();
            prop_assert_eq!(shuffled, sorted);

            let places: Vec<usize> = (0..items.len()).collect();
            let sampled = draws.sample(&places, count);
            prop_assert_eq!(sampled.len(), count.min(places.len()));
            prop_assert!(sampled.is_sorted_by(|a, b| a < b));
        }

        #[test]
        fn a_token_has_two_lower_case_digits_for_each_byte(seed: u64, bytes in 0_usize..40) {
            let token = Draws::new(seed, "token", "", 0).token(bytes);
            prop_assert_eq!(token.len(), bytes * 2);
            prop_assert!(token.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')));
        }
    }
}
