//! Named defects that can be planted in a correct implementation.
//!
//! Owns what the references share about their defects: that each has a stable name and says whom
//! it is modelled on, that several can be combined, and how a list of names is read. Which defects
//! there are, and what they change, each implementation says itself.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// A closed list of defects of one implementation. Made by [`defects!`].
pub trait Defect: Copy + Ord + 'static {
    /// The implementation, as in "the reference server".
    const OF: &'static str;
    /// All of them.
    const ALL: &'static [Self];

    /// The name on the command line.
    fn name(self) -> &'static str;

    /// What it does and who reported its like.
    fn about(self) -> &'static str;
}

/// Makes the list of an implementation's defects: one documented line each.
///
/// ```
/// use seamstress_defects::{Defect as _, Defects, defects};
///
/// defects! { "the reference server":
///     /// Replays from the floor when the cursor lies below it.
///     ClampToFloor = "clamp-to-floor";
///     /// Replays the event that the cursor names once more.
///     InclusiveReplay = "inclusive-replay";
/// }
///
/// let planted: Defects<Defect> = "inclusive-replay,clamp-to-floor".parse()?;
/// assert!(planted.has(Defect::ClampToFloor));
/// assert_eq!(planted.to_string(), "clamp-to-floor,inclusive-replay");
/// # Ok::<(), seamstress_defects::UnknownDefect>(())
/// ```
#[macro_export]
macro_rules! defects {
    ($of:literal: $($(#[doc = $doc:literal])+ $variant:ident = $name:literal;)+) => {
        /// Something wrong on purpose, modelled on a public report.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Defect {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl $crate::Defect for Defect {
            const OF: &'static str = $of;
            const ALL: &'static [Defect] = &[$(Defect::$variant,)+];

            fn name(self) -> &'static str {
                match self { $(Defect::$variant => $name,)+ }
            }

            fn about(self) -> &'static str {
                match self { $(Defect::$variant => concat!($($doc,)+).trim_ascii_start(),)+ }
            }
        }
    };
}

/// A set of defects; empty by default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defects<D: Defect>(BTreeSet<D>);

impl<D: Defect> Default for Defects<D> {
    fn default() -> Defects<D> {
        Defects(BTreeSet::new())
    }
}

impl<D: Defect> Defects<D> {
    /// Whether this one is planted.
    #[must_use]
    pub fn has(&self, defect: D) -> bool {
        self.0.contains(&defect)
    }
}

/// A name that is no defect's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{of} has no defect {name:?}; it has: {known}")]
pub struct UnknownDefect {
    /// The implementation.
    pub of: &'static str,
    /// The name given.
    pub name: String,
    /// The names there are.
    pub known: String,
}

impl<D: Defect> FromStr for Defects<D> {
    type Err = UnknownDefect;

    /// Reads names separated by commas; an empty text is no defect.
    fn from_str(text: &str) -> Result<Defects<D>, UnknownDefect> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        names.map(find).collect::<Result<_, _>>().map(Defects)
    }
}

fn find<D: Defect>(name: &str) -> Result<D, UnknownDefect> {
    D::ALL.iter().copied().find(|defect| defect.name() == name).ok_or_else(|| UnknownDefect {
        of: D::OF,
        name: name.to_owned(),
        known: names(D::ALL.iter().copied(), ", "),
    })
}

fn names<D: Defect>(defects: impl Iterator<Item = D>, separator: &str) -> String {
    defects.map(Defect::name).collect::<Vec<_>>().join(separator)
}

impl<D: Defect> fmt::Display for Defects<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&names(self.0.iter().copied(), ","))
    }
}

#[cfg(test)]
mod tests {
    use super::Defects;

    defects! { "the example":
        /// The first.
        First = "first";
        /// The second.
        Second = "second";
    }

    #[test]
    fn an_empty_list_plants_nothing() {
        assert_eq!("".parse(), Ok(Defects::<Defect>::default()));
        assert_eq!(" , ".parse(), Ok(Defects::<Defect>::default()));
    }

    #[test]
    fn names_are_read_in_any_order_and_told_in_one() {
        let planted: Defects<Defect> = " second,first".parse().expect("known");
        assert!(planted.has(Defect::First) && planted.has(Defect::Second));
        assert_eq!(planted.to_string(), "first,second");
    }

    #[test]
    fn an_unknown_name_is_refused_with_those_there_are() {
        let error = "first,thrid".parse::<Defects<Defect>>().expect_err("unknown");
        let said = "the example has no defect \"thrid\"; it has: first, second";
        assert_eq!(error.to_string(), said);
    }
}
