//! The first line of a file of results: whose they are.
//!
//! Owns what two sweeps must have in common for the results of one to stand for those of the other:
//! the scenario to the letter, the three implementations, and the build to the byte, since a seed
//! plays the same in no other. It must not know the results.

use seamstress_plan::Trio;
use serde::{Deserialize, Serialize};

use crate::system;
use crate::target::NamedScenario;

use super::ResultsError;

const SCHEMA: u64 = 1;
const KIND: &str = "results";

/// What results are of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    schema: u64,
    #[serde(rename = "type")]
    kind: String,
    scenario: String,
    scenario_digest: String,
    server: String,
    proxy: String,
    client: String,
    version: String,
    build: String,
}

/// Why results that are there do not belong to a sweep.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Foreign {
    #[error("is no file of results")]
    NoResults,
    #[error("is written in schema {theirs} of results, and this build knows schema {SCHEMA}")]
    Schema { theirs: u64 },
    #[error("holds results of the scenario {theirs}, not of {ours}")]
    Scenario { theirs: String, ours: String },
    #[error("holds results of the scenario {name} as it read before it was changed")]
    ScenarioText { name: String },
    #[error("holds results of server {server}, proxy {proxy}, client {client}")]
    Trio { server: String, proxy: String, client: String },
    #[error(
        "holds results of another build (version {version}, {build}), which may play the same \
         seeds otherwise"
    )]
    Build { version: String, build: String },
}

impl Header {
    /// That of a sweep of this scenario with these three, by this build.
    ///
    /// # Errors
    /// [`ResultsError::UnknownBuild`] if this program cannot be read.
    pub fn of(scenario: &NamedScenario, trio: &Trio) -> Result<Header, ResultsError> {
        let build = system::program_digest().map_err(ResultsError::UnknownBuild)?;
        Ok(Header {
            schema: SCHEMA,
            kind: KIND.to_owned(),
            scenario: scenario.name.clone(),
            scenario_digest: scenario.digest.to_string(),
            server: trio.server.clone(),
            proxy: trio.proxy.clone(),
            client: trio.client.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build: build.to_string(),
        })
    }

    /// The line, without its end.
    pub fn line(&self) -> String {
        // Strings and one number: this cannot fail.
        serde_json::to_string(self).expect("a header serialises")
    }

    /// Whether what this line begins belongs to what this header tells of.
    ///
    /// # Errors
    /// [`Foreign`] says why not.
    pub fn check(&self, line: &[u8]) -> Result<(), Foreign> {
        let value: serde_json::Value =
            serde_json::from_slice(line).map_err(|_| Foreign::NoResults)?;
        if value["type"] != KIND {
            return Err(Foreign::NoResults);
        }
        match value["schema"].as_u64() {
            Some(SCHEMA) => {}
            Some(theirs) => return Err(Foreign::Schema { theirs }),
            None => return Err(Foreign::NoResults),
        }
        let theirs: Header = serde_json::from_value(value).map_err(|_| Foreign::NoResults)?;
        if theirs == *self { Ok(()) } else { Err(self.difference(theirs)) }
    }

    fn difference(&self, theirs: Header) -> Foreign {
        let trio =
            |header: &Header| [&header.server, &header.proxy, &header.client].map(String::clone);
        if theirs.scenario != self.scenario {
            return Foreign::Scenario { theirs: theirs.scenario, ours: self.scenario.clone() };
        }
        if trio(&theirs) != trio(self) {
            let [server, proxy, client] = trio(&theirs);
            return Foreign::Trio { server, proxy, client };
        }
        if theirs.scenario_digest != self.scenario_digest {
            return Foreign::ScenarioText { name: theirs.scenario };
        }
        Foreign::Build { version: theirs.version, build: theirs.build }
    }
}
