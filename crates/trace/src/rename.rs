//! Names for opaque ids, given in order of first sight.
//!
//! Owns the mapping from a token that may differ from run to run (a session id drawn by foreign
//! code) to a name that does not (`S1`, `S2`, …). It exists because a digest must not depend on
//! random tokens, and because a reader cannot tell two of them apart.

use std::collections::BTreeMap;

/// Gives each distinct token the next name with its prefix.
///
/// ```
/// let mut renamer = seamstress_trace::Renamer::new("S");
/// assert_eq!(renamer.name("f3a9"), "S1");
/// assert_eq!(renamer.name("07cc"), "S2");
/// assert_eq!(renamer.name("f3a9"), "S1");
/// ```
#[derive(Clone, Debug)]
pub struct Renamer {
    prefix: &'static str,
    names: BTreeMap<String, String>,
}

impl Renamer {
    /// A renamer whose names begin with `prefix`.
    #[must_use]
    pub fn new(prefix: &'static str) -> Renamer {
        Renamer { prefix, names: BTreeMap::new() }
    }

    /// The name of `token`, given now if it has none yet.
    pub fn name(&mut self, token: &str) -> String {
        if let Some(name) = self.names.get(token) {
            return name.clone();
        }
        let name = format!("{}{}", self.prefix, self.names.len() + 1);
        self.names.insert(token.to_owned(), name.clone());
        name
    }
}
