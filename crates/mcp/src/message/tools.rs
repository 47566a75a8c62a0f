//! Params of `tools/call`, and the part of a `tools/list` result that a client looks at.
//!
//! Rules: `server/tools`, and `basic/utilities/progress` for the token.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::ProgressToken;

/// Which tool to run, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CallToolParams<'a> {
    /// The tool.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// Its arguments, an object whose shape the tool defines.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<&'a RawValue>,
    /// The token under which the caller wants progress.
    #[serde(borrow, rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<CallMeta<'a>>,
}

/// The `_meta` of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallMeta<'a> {
    /// Unique among the active requests.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub progress_token: Option<ProgressToken<'a>>,
}

/// The tools of a server, without the schemas of their arguments. What a probe server answers is
/// written by [`crate::probe::tools_list`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ToolsListResult<'a> {
    /// In the server's order.
    #[serde(borrow)]
    pub tools: Vec<ListedTool<'a>>,
}

/// One tool of a server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ListedTool<'a> {
    /// What `tools/call` names.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
}
