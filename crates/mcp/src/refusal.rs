//! What servers answer to a cursor that cannot be resumed.
//!
//! Owns the closed list of answers seen in the field, with their status. No revision says which is
//! right (specification issue 1939 is open), so it is a matter of policy; who chooses it, and
//! whether a cursor deserves it, is decided elsewhere.

use std::fmt;

use http::StatusCode;
use serde::{Deserialize, Serialize};

/// The answer to a refused cursor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// The session is torn down and the answer is 404, which every conforming client must turn
    /// into a fresh `initialize`: fail closed.
    #[default]
    #[serde(rename = "404-and-end-session")]
    NotFoundAndEndSession,
    /// The session lives on, the answer is 400: Go, C#, Swift, mcp-go.
    #[serde(rename = "400")]
    BadRequest,
    /// The session lives on, the answer is 409: TypeScript and Go while a stream is connected.
    #[serde(rename = "409")]
    Conflict,
    /// The session lives on, the answer is 410, as Durable Streams says below its retention.
    #[serde(rename = "410")]
    Gone,
    /// The session lives on, the answer is 200 with an empty stream: rmcp, Python.
    #[serde(rename = "200-and-empty")]
    OkAndEmpty,
    /// The session lives on, the answer is 200 and silence: TypeScript's example store, Java.
    #[serde(rename = "200-and-silent")]
    OkAndSilent,
}

impl Refusal {
    /// All of them.
    pub const ALL: [Refusal; 6] = [
        Refusal::NotFoundAndEndSession,
        Refusal::BadRequest,
        Refusal::Conflict,
        Refusal::Gone,
        Refusal::OkAndEmpty,
        Refusal::OkAndSilent,
    ];

    /// The name in plans and traces.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Refusal::NotFoundAndEndSession => "404-and-end-session",
            Refusal::BadRequest => "400",
            Refusal::Conflict => "409",
            Refusal::Gone => "410",
            Refusal::OkAndEmpty => "200-and-empty",
            Refusal::OkAndSilent => "200-and-silent",
        }
    }

    /// The HTTP status.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        match self {
            Refusal::NotFoundAndEndSession => StatusCode::NOT_FOUND,
            Refusal::BadRequest => StatusCode::BAD_REQUEST,
            Refusal::Conflict => StatusCode::CONFLICT,
            Refusal::Gone => StatusCode::GONE,
            Refusal::OkAndEmpty | Refusal::OkAndSilent => StatusCode::OK,
        }
    }

    /// Whether the session is gone when the answer is given. 404 says nothing else
    /// (`basic/transports`, Session Management), so no other answer may end it.
    #[must_use]
    pub const fn ends_session(self) -> bool {
        matches!(self, Refusal::NotFoundAndEndSession)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_in_files_is_the_name_in_reports() {
        for refusal in Refusal::ALL {
            let text = serde_json::to_string(&refusal).expect("serialises");
            assert_eq!(text, format!("{:?}", refusal.name()));
        }
    }

    #[test]
    fn only_404_ends_the_session() {
        for refusal in Refusal::ALL {
            assert_eq!(refusal.ends_session(), refusal.status() == StatusCode::NOT_FOUND);
        }
    }
}
