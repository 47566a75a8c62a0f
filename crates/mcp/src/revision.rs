//! The protocol revisions that know sessions, event ids and `Last-Event-ID`.
//!
//! It owns their dates and the differences that show on the wire. It does not know what was
//! negotiated: that belongs to the two ends. Revision 2026-07-28 is left out on purpose: it removed
//! sessions and resumption (SEP-2567), so nothing in this project applies to it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A revision of the MCP specification, named by its date and ordered by it.
///
/// ```
/// use seamstress_mcp::Revision;
///
/// let revision: Revision = "2025-06-18".parse()?;
/// assert!(revision < Revision::LATEST);
/// assert_eq!(Revision::LATEST.to_string(), "2025-11-25");
/// # Ok::<(), seamstress_mcp::UnknownRevision>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Revision {
    /// The first one with Streamable HTTP. The only one with JSON-RPC batches.
    #[serde(rename = "2025-03-26")]
    V2025_03_26,
    /// Brought the `MCP-Protocol-Version` header and removed batches.
    #[serde(rename = "2025-06-18")]
    V2025_06_18,
    /// Told connections from streams; brought priming events, `retry` and polling (SEP-1699).
    #[serde(rename = "2025-11-25")]
    V2025_11_25,
}

impl Revision {
    /// Every revision, oldest first.
    pub const ALL: [Revision; 3] = [Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25];

    /// The newest revision that still knows resumption.
    pub const LATEST: Revision = Self::V2025_11_25;

    /// The date that names the revision in `protocolVersion` and `MCP-Protocol-Version`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
        }
    }

    /// Whether a server should open a stream with a priming event (`basic/transports`, "Sending
    /// Messages to the Server", since 2025-11-25). Clients of older revisions were seen to run
    /// a JSON parser over its empty data, so it is sent only when this revision was negotiated.
    pub const fn primes(self) -> bool {
        matches!(self, Self::V2025_11_25)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A `protocolVersion` or `MCP-Protocol-Version` that names no revision known here. A server
/// answers 400 to such a header (`basic/transports`, "Protocol Version Header").
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no known protocol revision; use 2025-03-26, 2025-06-18 or 2025-11-25")]
pub struct UnknownRevision(pub String);

impl FromStr for Revision {
    type Err = UnknownRevision;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|revision| revision.as_str() == text)
            .ok_or_else(|| UnknownRevision(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_revision_reads_back_from_its_date_in_text_and_in_json() {
        for revision in Revision::ALL {
            assert_eq!(revision.to_string().parse(), Ok(revision));
            let json = serde_json::to_string(&revision).unwrap();
            assert_eq!(json, format!("\"{revision}\""));
            assert_eq!(serde_json::from_str::<Revision>(&json).unwrap(), revision);
        }
    }

    #[test]
    fn an_unknown_date_is_refused_by_name() {
        let error = "2026-07-28".parse::<Revision>().unwrap_err();
        assert_eq!(error, UnknownRevision("2026-07-28".to_owned()));
    }

    #[test]
    fn only_the_revision_with_priming_events_primes() {
        let primes: Vec<bool> = Revision::ALL.into_iter().map(Revision::primes).collect();
        assert_eq!(primes, [false, false, true]);
    }

    #[test]
    fn the_latest_revision_is_the_greatest_one() {
        assert_eq!(Revision::ALL.into_iter().max(), Some(Revision::LATEST));
    }
}
