//! What can be set on the reference client, and the defects that can be planted in it.
//!
//! Owns the options and the names of the defects. Each defect is modelled on a public report and
//! says so; none is on by default. It must not know where the values come from.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use seamstress_mcp::Revision;
use seamstress_resumption::{IdScheme, UnverifiablePolicy};

/// What can be set on the reference client.
#[derive(Clone, Debug)]
pub struct Options {
    /// The host to connect to.
    pub server: String,
    /// The revision to ask for.
    pub revision: Revision,
    /// How the server makes event ids; none if they are opaque.
    pub id_scheme: Option<IdScheme>,
    /// How long to wait before reconnecting when no `retry` was given, in milliseconds.
    pub reconnect_delay_ms: u64,
    /// How many reconnections in a row without a new message are made.
    pub reconnects_max: u64,
    /// After how long without a byte a connection counts as dead, in milliseconds.
    pub idle_timeout_ms: u64,
    /// How long to wait for a connection and for a response head, in milliseconds.
    pub response_timeout_ms: u64,
    /// How long an event may be under way on a healthy stream, in milliseconds: how long the
    /// client waits for announced notifications before it ends.
    pub live_within_ms: u64,
    /// What to do when the ids do not tell whether a resumed stream continues.
    pub unverifiable: UnverifiablePolicy,
    /// What is wrong on purpose.
    pub defects: Defects,
}

macro_rules! defects {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal;)+) => {
        /// Something wrong on purpose, modelled on a public report.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Defect {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Defect {
            /// All of them.
            pub const ALL: &'static [Defect] = &[$(Defect::$variant,)+];

            /// The name on the command line.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Defect::$variant => $name,)+ }
            }

            /// What it does and who reported its like.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self { $(Defect::$variant => concat!($($doc,)+).trim_ascii_start(),)+ }
            }
        }
    };
}

defects! {
    /// Keeps one cursor for the whole session instead of one per stream; when connections break,
    /// one GET with it stands for all of them. Reported as the client's side of the incident of
    /// 2026-11-14, and as swift-sdk issue 281.
    OneCursorSlot = "one-cursor-slot";
    /// Does not compare the first event after a resumption with its cursor. No client of an SDK
    /// that was looked at does.
    NoContinuityCheck = "no-continuity-check";
}

/// A set of defects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defects(BTreeSet<Defect>);

impl Defects {
    /// Whether this one is planted.
    #[must_use]
    pub fn has(&self, defect: Defect) -> bool {
        self.0.contains(&defect)
    }
}

/// A name that is no defect's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the reference client has no defect {name:?}; it has: {known}")]
pub struct UnknownDefect {
    /// The name given.
    pub name: String,
    /// The names there are.
    pub known: String,
}

impl FromStr for Defects {
    type Err = UnknownDefect;

    /// Reads names separated by commas; an empty text is no defect.
    fn from_str(text: &str) -> Result<Defects, UnknownDefect> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let found = names.map(|name| {
            let defect = Defect::ALL.iter().copied().find(|defect| defect.name() == name);
            defect.ok_or_else(|| UnknownDefect {
                name: name.to_owned(),
                known: Defect::ALL
                    .iter()
                    .map(|defect| defect.name())
                    .collect::<Vec<_>>()
                    .join(", "),
            })
        });
        found.collect::<Result<_, _>>().map(Defects)
    }
}

impl fmt::Display for Defects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.0.iter().map(|defect| defect.name()).collect();
        f.write_str(&names.join(","))
    }
}
