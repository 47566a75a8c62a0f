//! Params and result of `initialize`, and what the two sides say of themselves.
//!
//! Only members in use are modelled; others are skipped when read. Rules: `basic/lifecycle`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// What a client asks for. `protocol_version` stays text: a client may name a revision that the
/// server does not know, and the server then answers with one of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeParams<'a> {
    /// The newest revision the client knows.
    #[serde(borrow)]
    pub protocol_version: Cow<'a, str>,
    /// What the client offers.
    pub capabilities: ClientCapabilities,
    /// Who the client is.
    #[serde(borrow)]
    pub client_info: Implementation<'a>,
}

/// What a server agrees to. The response that carries it also assigns the session id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeResult<'a> {
    /// The revision of this session.
    #[serde(borrow)]
    pub protocol_version: Cow<'a, str>,
    /// What the server offers.
    pub capabilities: ServerCapabilities,
    /// Who the server is.
    #[serde(borrow)]
    pub server_info: Implementation<'a>,
    /// The server's own name of the session.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<SessionMeta>,
}

/// A name and a version, of a client or a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Implementation<'a> {
    /// The program.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// Its version.
    #[serde(borrow)]
    pub version: Cow<'a, str>,
}

/// The client offers nothing that concerns resumption.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientCapabilities {}

/// The offers of a server that matter here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerCapabilities {
    /// The server has tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Empty>,
    /// The server sends `notifications/message`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logging: Option<Empty>,
}

/// An object of which only the presence counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Empty {}

/// A stable name of the session that survives a rotation of `Mcp-Session-Id` by a proxy, so that
/// a trace can tell that two ids meant the same session. For observers only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionMeta {
    /// The server's name of the session; the same as `origin` in a [`crate::probe::Mark`].
    #[serde(rename = "seamstress/session", default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}
