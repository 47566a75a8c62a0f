//! What can be set on the reference server, and the defects that can be planted in it.
//!
//! Owns the options and the names of the defects. Each defect is modelled on a public report and
//! says so; none is on by default. It must not know where the values come from.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use seamstress_mcp::Refusal;
use seamstress_mcp::sse::{LineEnding, Priming};
use seamstress_resumption::{Floor, IdScheme, Retention};

/// What can be set on the reference server.
#[derive(Clone, Debug)]
pub struct Options {
    /// How event ids are made.
    pub id_scheme: IdScheme,
    /// The first number of each counter.
    pub first_event_id: u64,
    /// Whether the cursor just below the floor is refused.
    pub floor: Floor,
    /// What the event log keeps.
    pub retention: Retention,
    /// What a refused cursor is answered.
    pub refusal: Refusal,
    /// What opens a stream, in revisions that prime.
    pub priming: Priming,
    /// How lines of events end.
    pub line_ending: LineEnding,
    /// The reconnection time sent to clients, in milliseconds.
    pub retry_ms: Option<u64>,
    /// After how long without an event a comment is sent, in milliseconds.
    pub keep_alive_ms: u64,
    /// After how long without a connection or request a session expires, in milliseconds.
    pub session_idle_ms: u64,
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
    /// Answers every cursor of a live session with all events that it retains, of all streams, and
    /// goes on with all of them; it looks neither at the floor nor at the stream. Reported as the
    /// server's side of the incident of 2026-11-14, and for tutorial servers that replay their
    /// whole history (servers issue 4087).
    ReplayWholeRing = "replay-whole-ring";
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
#[error("the reference server has no defect {name:?}; it has: {known}")]
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
