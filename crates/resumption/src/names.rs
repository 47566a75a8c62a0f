//! Owns the one way in which a closed enum of this crate gets its stable names: `ALL`, `as_str`,
//! `Display` and `FromStr`, all from a single list of kebab-case words.
//! It must not know what the names mean.
//! It exists because the same word appears in headers, plan files, traces and reports, and a
//! variant that is missing from one of these lists must not compile.

use thiserror::Error;

/// A word that names no variant of the enum it was read as.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{name:?} is not a known {kind}; write one of: {expected}")]
pub struct UnknownNameError {
    /// What the word was read as, for example `id scheme`.
    pub kind: &'static str,
    /// The word itself.
    pub name: String,
    /// Every name that would have been understood, separated by commas.
    pub expected: String,
}

macro_rules! kebab_names {
    ($type:ident, $kind:literal, { $($variant:ident => $name:literal),+ $(,)? }) => {
        impl $type {
            #[doc = concat!("Every ", $kind, ", in the order of the documentation.")]
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stable kebab-case name, the same in files, headers and reports.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                // `pad` honours a width, so that the names can be set in a table.
                formatter.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::UnknownNameError;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                let known = Self::ALL.iter().copied().find(|variant| variant.as_str() == name);
                known.ok_or_else(|| $crate::UnknownNameError {
                    kind: $kind,
                    name: name.to_owned(),
                    expected: [$($name),+].join(", "),
                })
            }
        }
    };
}

pub(crate) use kebab_names;
