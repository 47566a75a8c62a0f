//! The three implementations that a plan is played with, by their names on the command line.
//!
//! Owns turning a name into an implementation with its defects, and what is wrong with a name.

use seamstress_defects::{Defect, Defects, UnknownDefect};
use seamstress_plan::Trio;

/// Why a plan cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    /// No implementation of this name.
    #[error("there is no {role} {name:?}; there is: reference, and reference:DEFECT[,DEFECT…]")]
    UnknownImplementation {
        /// `server`, `proxy` or `client`.
        role: &'static str,
        /// The name given.
        name: String,
    },
    /// No such defect.
    #[error("{role} {name:?}: {problem}")]
    UnknownDefect {
        /// `server`, `proxy` or `client`.
        role: &'static str,
        /// The name given.
        name: String,
        /// What is wrong, and what there is.
        problem: String,
    },
}

/// The defects of the three references.
pub(crate) struct Implementations {
    pub server: Defects<seamstress_server::Defect>,
    pub proxy: Defects<seamstress_proxy::Defect>,
    pub client: Defects<seamstress_client::Defect>,
}

impl Implementations {
    pub fn of(trio: &Trio) -> Result<Implementations, PlayError> {
        Ok(Implementations {
            server: parse("server", &trio.server)?,
            proxy: parse("proxy", &trio.proxy)?,
            client: parse("client", &trio.client)?,
        })
    }
}

fn parse<D: Defect>(role: &'static str, name: &str) -> Result<Defects<D>, PlayError> {
    let Some(defects) = defects_of(role, name)? else { return Ok(Defects::default()) };
    defects.parse().map_err(|error: UnknownDefect| PlayError::UnknownDefect {
        role,
        name: name.to_owned(),
        problem: error.to_string(),
    })
}

/// The names after `reference:`; none for the plain reference.
fn defects_of<'a>(role: &'static str, name: &'a str) -> Result<Option<&'a str>, PlayError> {
    match name.split_once(':') {
        None if name == "reference" => Ok(None),
        Some(("reference", defects)) => Ok(Some(defects)),
        _ => Err(PlayError::UnknownImplementation { role, name: name.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trio(server: &str) -> Trio {
        Trio { server: server.into(), ..Trio::default() }
    }

    #[test]
    fn the_reference_is_known_with_and_without_defects() {
        assert!(Implementations::of(&Trio::default()).is_ok());
        let with = Implementations::of(&trio("reference:replay-whole-ring")).expect("known");
        assert_eq!(with.server.to_string(), "replay-whole-ring");
    }

    #[test]
    fn an_unknown_name_is_refused_with_what_there_is() {
        let error = Implementations::of(&trio("refrence")).err().expect("unknown");
        assert!(error.to_string().contains("there is: reference"), "{error}");
        let error = Implementations::of(&trio("reference:clmap")).err().expect("unknown");
        assert!(error.to_string().contains("replay-whole-ring"), "{error}");
        let trio = Trio { proxy: "reference:drops".into(), ..Trio::default() };
        let error = Implementations::of(&trio).err().expect("unknown");
        assert!(error.to_string().contains("drops-last-event-id"), "{error}");
    }
}
