//! A value that a scenario fixes or leaves open.
//!
//! Owns the three ways to write one (`4`, `{ any = [4, 8] }`, `{ from = 1, to = 9 }`) and the draw
//! among its values. A setting always has at least one, so that a draw cannot fail. It must not
//! know what the value is for.

use std::fmt;
use std::marker::PhantomData;

use seamstress_mcp::sse::{LineEnding, Priming};
use seamstress_mcp::{Refusal, Revision};
use seamstress_resumption::{Floor, IdScheme};
use serde::de::{Deserialize, Deserializer, Error, IntoDeserializer, MapAccess, Visitor};

use crate::problem::Problem;
use crate::{Draws, Unverifiable};

/// One value, or several of which each seed draws one, all equally likely. A value that is written
/// twice in `any` is twice as likely.
#[derive(Clone, Debug)]
pub struct Setting<T> {
    choice: Choice<T>,
}

#[derive(Clone, Debug)]
enum Choice<T> {
    /// At least one.
    OneOf(Vec<T>),
    /// Both ends included, the first not above the second.
    Between { from: u64, to: u64, of_number: fn(u64) -> T },
}

/// Rules that tie two settings together look at each pair of values.
const CHOICES_MAX: u64 = 1_000;

/// What a [`Setting`] can hold.
pub trait Settable: Clone {
    /// The value for a number of a range; none where `{ from, to }` makes no sense.
    const OF_NUMBER: Option<fn(u64) -> Self>;

    /// Reads one value of a scenario file.
    ///
    /// # Errors
    /// If it is no such value.
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

impl<T: Settable> Setting<T> {
    /// Always this value.
    #[must_use]
    pub fn fixed(value: T) -> Setting<T> {
        Setting { choice: Choice::OneOf(vec![value]) }
    }

    /// One of these values.
    ///
    /// # Errors
    /// [`Problem::NothingToChoose`] if there are none, [`Problem::TooMany`] if there are more than
    /// anyone chooses from.
    pub fn any(values: Vec<T>) -> Result<Setting<T>, Problem> {
        if values.is_empty() {
            return Err(Problem::NothingToChoose);
        }
        let (found, max) = (values.len() as u64, CHOICES_MAX);
        if found > max {
            return Err(Problem::TooMany { found, things: "values in `any`", max });
        }
        Ok(Setting { choice: Choice::OneOf(values) })
    }

    /// The value that the owner of these draws gets.
    pub fn draw(&self, draws: &mut Draws) -> T {
        match &self.choice {
            Choice::OneOf(values) => draws.pick(values).clone(),
            Choice::Between { from, to, of_number } => of_number(draws.between(*from..=*to)),
        }
    }

    /// Values that between them break every rule that any value of this setting breaks: all of
    /// them, or of a range both ends and the second number (which is a multiple of nothing that
    /// the first is a multiple of).
    pub(crate) fn telling(&self) -> Vec<T> {
        match &self.choice {
            Choice::OneOf(values) => values.clone(),
            Choice::Between { from, to, of_number } => {
                let second = from.saturating_add(1).min(*to);
                [*from, second, *to].into_iter().map(of_number).collect()
            }
        }
    }
}

impl Setting<u64> {
    /// A number from `from` to `to`, both included.
    ///
    /// # Errors
    /// [`Problem::FromAboveTo`] if there are none.
    pub fn between(from: u64, to: u64) -> Result<Setting<u64>, Problem> {
        range(from, to, std::convert::identity)
    }

    /// The greatest value.
    #[must_use]
    pub fn highest(&self) -> u64 {
        // Never none: a setting has at least one value.
        self.telling().into_iter().max().unwrap_or(0)
    }

    /// The same without 0, if this is a range that begins there and goes on.
    pub(crate) fn above_zero(&self) -> Option<Setting<u64>> {
        match self.choice {
            Choice::Between { from: 0, to, of_number } if to > 0 => {
                Some(Setting { choice: Choice::Between { from: 1, to, of_number } })
            }
            _ => None,
        }
    }
}

fn range<T>(from: u64, to: u64, of_number: fn(u64) -> T) -> Result<Setting<T>, Problem> {
    if from > to {
        return Err(Problem::FromAboveTo { from, to });
    }
    Ok(Setting { choice: Choice::Between { from, to, of_number } })
}

impl Settable for u64 {
    const OF_NUMBER: Option<fn(u64) -> u64> = Some(std::convert::identity);

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        u64::deserialize(deserializer)
    }
}

/// A number, or `"none"` (TOML has no null).
impl Settable for Option<u64> {
    const OF_NUMBER: Option<fn(u64) -> Option<u64>> = Some(Some);

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
        struct NumberOrNone;
        impl Visitor<'_> for NumberOrNone {
            type Value = Option<u64>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number or \"none\"")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Option<u64>, E> {
                Ok(Some(number))
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Option<u64>, E> {
                if word == "none" { Ok(None) } else { Err(E::unknown_variant(word, &["none"])) }
            }
        }
        deserializer.deserialize_any(NumberOrNone)
    }
}

macro_rules! settable_words {
    ($($type:ty),+) => {
        $(impl Settable for $type {
            const OF_NUMBER: Option<fn(u64) -> $type> = None;

            fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                <$type>::deserialize(deserializer)
            }
        })+
    };
}

settable_words!(bool, Revision, IdScheme, Floor, Refusal, Priming, LineEnding, Unverifiable);

impl<'de, T: Settable> Deserialize<'de> for Setting<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Setting<T>, D::Error> {
        deserializer.deserialize_any(SettingVisitor(PhantomData))
    }
}

struct SettingVisitor<T>(PhantomData<T>);

impl<T: Settable> SettingVisitor<T> {
    fn one<'de, V: IntoDeserializer<'de, E>, E: Error>(value: V) -> Result<Setting<T>, E> {
        T::read(value.into_deserializer()).map(Setting::fixed)
    }
}

impl<'de, T: Settable> Visitor<'de> for SettingVisitor<T> {
    type Value = Setting<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one value, `{ any = [..] }` or, for numbers, `{ from = .., to = .. }`")
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Setting<T>, E> {
        SettingVisitor::one(flag)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Setting<T>, E> {
        SettingVisitor::one(number)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Setting<T>, E> {
        SettingVisitor::one(number)
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Setting<T>, E> {
        SettingVisitor::one(word)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Setting<T>, A::Error> {
        let known: &'static [&'static str] =
            if T::OF_NUMBER.is_some() { &["any", "from", "to"] } else { &["any"] };
        let (mut any, mut from, mut to) = (None::<Vec<OneValue<T>>>, None, None);
        while let Some(key) = map.next_key::<String>()? {
            match (key.as_str(), T::OF_NUMBER) {
                ("any", _) => any = Some(map.next_value()?),
                ("from", Some(_)) => from = Some(map.next_value()?),
                ("to", Some(_)) => to = Some(map.next_value()?),
                _ => return Err(A::Error::unknown_field(&key, known)),
            }
        }
        let setting = match (any, from, to, T::OF_NUMBER) {
            (Some(values), None, None, _) => {
                Setting::any(values.into_iter().map(|OneValue(value)| value).collect())
            }
            (None, Some(from), Some(to), Some(of_number)) => range(from, to, of_number),
            (None, Some(_), None, _) => return Err(A::Error::missing_field("to")),
            (None, None, Some(_), _) => return Err(A::Error::missing_field("from")),
            (None, ..) => return Err(A::Error::missing_field("any")),
            (Some(_), ..) => return Err(A::Error::custom(Problem::AnyAndRange)),
        };
        setting.map_err(A::Error::custom)
    }
}

struct OneValue<T>(T);

impl<'de, T: Settable> Deserialize<'de> for OneValue<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<OneValue<T>, D::Error> {
        T::read(deserializer).map(OneValue)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn drawn<T: Settable + Ord>(setting: &Setting<T>) -> Vec<T> {
        let draw = |ordinal| setting.draw(&mut Draws::new(1, "test", "", ordinal));
        (0..200).map(draw).collect::<BTreeSet<T>>().into_iter().collect()
    }

    #[test]
    fn every_value_of_a_setting_is_drawn_and_no_other() {
        assert_eq!(drawn(&Setting::fixed(4)), [4]);
        assert_eq!(drawn(&Setting::any(vec![Some(8), None]).unwrap()), [None, Some(8)]);
        assert_eq!(drawn(&Setting::between(3, 6).unwrap()), [3, 4, 5, 6]);
    }

    #[test]
    fn a_setting_without_a_value_cannot_be_made() {
        assert_eq!(Setting::<u64>::any(vec![]).unwrap_err(), Problem::NothingToChoose);
        let backwards = Setting::between(2, 1).unwrap_err();
        assert_eq!(backwards, Problem::FromAboveTo { from: 2, to: 1 });
    }

    #[test]
    fn a_range_tells_its_ends_and_the_number_that_is_off_every_grid() {
        assert_eq!(Setting::between(50, 200).unwrap().telling(), [50, 51, 200]);
        assert_eq!(Setting::between(u64::MAX, u64::MAX).unwrap().telling(), [u64::MAX; 3]);
    }
}
