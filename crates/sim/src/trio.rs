//! The three implementations that a plan is played with, by their names on the command line.
//!
//! Owns turning a name into an implementation with its defects, and what is wrong with a name.

use std::sync::Arc;

use seamstress_defects::{Defect, Defects, UnknownDefect};
use seamstress_foreign::Subject;
use seamstress_plan::{Role, Topology, Trio};

use crate::canary::Canary;
use crate::foreign;

/// Why a plan cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    /// No implementation of this name.
    #[error("there is no {role} {name:?}; there is: {there_is}")]
    UnknownImplementation {
        /// `server`, `proxy` or `client`.
        role: &'static str,
        /// The name given.
        name: String,
        /// The names there are.
        there_is: String,
    },
    /// The plan was played against a server that only a test has.
    #[error(
        "this plan was played against the server of somebody's own test: set SEAMSTRESS_PLAN to \
         its file and run that test, or choose a --server"
    )]
    OwnServer,
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

/// The three implementations of a run.
pub(crate) struct Implementations {
    pub server: ServerKind,
    pub proxy: Defects<seamstress_proxy::Defect>,
    pub client: ClientKind,
}

/// Which server.
pub(crate) enum ServerKind {
    Reference(ReferenceServer),
    Foreign(ForeignServer),
}

/// The reference server, with what is wrong with it on purpose.
#[derive(Default)]
pub(crate) struct ReferenceServer {
    pub defects: Defects<seamstress_server::Defect>,
    pub canary: Option<Canary>,
}

/// A server that is not ours.
#[derive(Clone)]
pub(crate) enum ForeignServer {
    /// One of those that were built in, made anew for each plan's options.
    BuiltIn(&'static foreign::Builtin),
    /// The user's own.
    Own(Arc<dyn Subject>),
}

impl ForeignServer {
    /// The server, with the options of a plan as far as it has such.
    pub fn subject(&self, topology: &Topology) -> Arc<dyn Subject> {
        match self {
            ForeignServer::BuiltIn(builtin) => (builtin.make)(topology),
            ForeignServer::Own(own) => own.clone(),
        }
    }
}

/// Which client.
pub(crate) enum ClientKind {
    Reference(Defects<seamstress_client::Defect>),
    #[cfg(feature = "rmcp")]
    Rmcp,
}

impl Implementations {
    pub fn of(trio: &Trio) -> Result<Implementations, PlayError> {
        Ok(Implementations {
            server: server(&trio.server)?,
            proxy: defects(Role::Proxy, &trio.proxy)?,
            client: client(&trio.client)?,
        })
    }

    /// The same with a server of the user's own, whatever the plan calls it.
    pub fn with_server(trio: &Trio, own: Arc<dyn Subject>) -> Result<Implementations, PlayError> {
        Ok(Implementations {
            server: ServerKind::Foreign(ForeignServer::Own(own)),
            proxy: defects(Role::Proxy, &trio.proxy)?,
            client: client(&trio.client)?,
        })
    }

    /// Whether all code that runs is ours.
    pub fn are_references(&self) -> bool {
        matches!(self.server, ServerKind::Reference(_))
            && matches!(self.client, ClientKind::Reference(_))
    }
}

/// What a plan calls a server that is given as a value.
pub const OWN_SERVER: &str = "own";

fn server(name: &str) -> Result<ServerKind, PlayError> {
    if name == OWN_SERVER {
        return Err(PlayError::OwnServer);
    }
    if let Some(found) = foreign::server_named(name) {
        return Ok(ServerKind::Foreign(ForeignServer::BuiltIn(found)));
    }
    let reference = match Canary::named(name) {
        Some(canary) => ReferenceServer { canary: Some(canary), ..ReferenceServer::default() },
        None => ReferenceServer { defects: defects(Role::Server, name)?, canary: None },
    };
    Ok(ServerKind::Reference(reference))
}

fn client(name: &str) -> Result<ClientKind, PlayError> {
    match name {
        #[cfg(feature = "rmcp")]
        "rmcp" => Ok(ClientKind::Rmcp),
        _ => defects(Role::Client, name).map(ClientKind::Reference),
    }
}

/// The defects after `reference:`; none for the plain reference.
fn defects<D: Defect>(role: Role, name: &str) -> Result<Defects<D>, PlayError> {
    let planted = match name.split_once(':') {
        None if name == "reference" => "",
        Some(("reference", planted)) => planted,
        _ => {
            let there_is = known(role);
            let (role, name) = (role.name(), name.to_owned());
            return Err(PlayError::UnknownImplementation { role, name, there_is });
        }
    };
    planted.parse().map_err(|error: UnknownDefect| PlayError::UnknownDefect {
        role: role.name(),
        name: name.to_owned(),
        problem: error.to_string(),
    })
}

/// The implementations of a role in this build, by name, and what each is.
#[must_use]
pub fn implementations(role: Role) -> Vec<(&'static str, &'static str)> {
    let reference = match role {
        Role::Server => "Ours, and correct: the server that the rule describes.",
        Role::Proxy => "Ours, and correct: the proxy that the rule describes.",
        Role::Client => "Ours, and correct: the client that the rule describes.",
    };
    let others: Vec<(&str, &str)> = match role {
        Role::Server => {
            let foreign = foreign::servers().map(|server| (server.name, server.about));
            foreign.chain(Canary::ALL.map(|canary| (canary.name(), canary.about()))).collect()
        }
        Role::Proxy => Vec::new(),
        #[cfg(feature = "rmcp")]
        Role::Client => vec![("rmcp", "The client of rmcp 3.11.0, the official Rust SDK.")],
        #[cfg(not(feature = "rmcp"))]
        Role::Client => Vec::new(),
    };
    std::iter::once(("reference", reference)).chain(others).collect()
}

fn known(role: Role) -> String {
    let mut names: Vec<&str> = implementations(role).into_iter().map(|(name, _)| name).collect();
    names.insert(1, "reference:DEFECT[,DEFECT…]");
    names.join(", ")
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
        let ServerKind::Reference(reference) = with.server else { panic!("the reference") };
        assert_eq!(reference.defects.to_string(), "replay-whole-ring");
        assert_eq!(reference.canary, None);
    }

    #[test]
    fn a_canary_is_the_reference_without_a_defect() {
        for canary in Canary::ALL {
            let found = Implementations::of(&trio(canary.name())).expect("known");
            let ServerKind::Reference(reference) = found.server else { panic!("the reference") };
            assert_eq!(
                (reference.canary, reference.defects.to_string()),
                (Some(canary), "".into())
            );
        }
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
