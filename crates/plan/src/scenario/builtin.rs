//! The scenarios that every build carries.
//!
//! Owns the one ordered list of them. Adding a scenario touches its file in `sims/` and one line
//! here. It must not know what they say.

/// A scenario file of this build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// The stem of its file in `sims/`.
    pub name: &'static str,
    /// What the file says.
    pub text: &'static str,
}

macro_rules! builtin {
    ($($name:literal),+ $(,)?) => {
        &[$(Builtin {
            name: $name,
            text: include_str!(concat!("../../../../sims/", $name, ".toml")),
        },)+]
    };
}

const BUILTIN: &[Builtin] = builtin![
    "drop",
    "rotation",
    "eviction",
    "rebase",
    "replicas",
    "concurrent",
    "sessions",
    "flapping",
    "framing",
    "storm",
    "incident-4471",
];

/// The scenarios of this build, in the order in which they are listed and run.
#[must_use]
pub const fn builtin() -> &'static [Builtin] {
    BUILTIN
}

/// The scenario of this name.
#[must_use]
pub fn builtin_named(name: &str) -> Option<&'static Builtin> {
    BUILTIN.iter().find(|scenario| scenario.name == name)
}
