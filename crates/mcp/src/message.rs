//! JSON-RPC 2.0 as MCP uses it: one message read from bytes, one message written as text.
//!
//! It owns the envelope (`jsonrpc`, `id`, `method`, `params`, `result`, `error`), error codes and
//! the typed params and results in use. It does not know which stream a message travels on, nor
//! whether an answer is awaited. Params and results stay raw text until somebody asks for them,
//! because most readers only need the envelope.
//!
//! Rules: `basic` (messages), `basic/lifecycle`, `server/tools` of the MCP specification, and
//! <https://www.jsonrpc.org/specification>.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::json::{push_display, push_string};

mod envelope;
mod id;
mod lifecycle;
mod tools;

pub(crate) use envelope::read;
pub use id::{ProgressToken, RequestId};
pub use lifecycle::{
    ClientCapabilities, Empty, Implementation, InitializeParams, InitializeResult,
    ServerCapabilities, SessionMeta,
};
pub use tools::{CallMeta, CallToolParams, ListedTool, ToolsListResult};

/// The methods in use.
pub mod method {
    /// Request: begins a session.
    pub const INITIALIZE: &str = "initialize";
    /// Notification: the client is ready.
    pub const INITIALIZED: &str = "notifications/initialized";
    /// Request of either side: are you there?
    pub const PING: &str = "ping";
    /// Request: which tools are there?
    pub const TOOLS_LIST: &str = "tools/list";
    /// Request: run a tool.
    pub const TOOLS_CALL: &str = "tools/call";
    /// Notification: one step of a running request.
    pub const PROGRESS: &str = "notifications/progress";
    /// Notification: one line of the server's log.
    pub const LOG: &str = "notifications/message";
    /// Notification: the sender no longer wants the answer.
    pub const CANCELLED: &str = "notifications/cancelled";
}

/// Error codes: the five of JSON-RPC and those that Streamable HTTP servers use.
pub mod code {
    /// The bytes are no JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// The JSON is no request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// Nobody answers to this method.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The params do not fit the method.
    pub const INVALID_PARAMS: i64 = -32602;
    /// The receiver failed.
    pub const INTERNAL_ERROR: i64 = -32603;
    /// A transport rule was broken, such as a missing session id. The TypeScript SDK's choice.
    pub const BAD_REQUEST: i64 = -32000;
    /// The session is unknown or gone. The TypeScript SDK's choice.
    pub const SESSION_NOT_FOUND: i64 = -32001;
    /// The cursor cannot be resumed. Ours: no specification names a code (specification issue
    /// 1939 is open).
    pub const RESUMPTION_REFUSED: i64 = -32020;
}

/// One JSON-RPC message. Plain readers write `Message<'_>` and get params and results as raw
/// text; the type parameters exist for [`crate::probe`], which reads both in the same pass.
#[derive(Clone, Debug)]
pub enum Message<'a, P = &'a RawValue, R = &'a RawValue> {
    /// Awaits an answer under its id.
    Request {
        /// Chosen by the sender, unique in its session.
        id: RequestId<'a>,
        /// What is asked for.
        method: Cow<'a, str>,
        /// The arguments, if any.
        params: Option<P>,
    },
    /// Awaits no answer.
    Notification {
        /// What happened.
        method: Cow<'a, str>,
        /// The details, if any.
        params: Option<P>,
    },
    /// A successful answer.
    Response {
        /// The id of the request it answers.
        id: RequestId<'a>,
        /// What the request yielded.
        result: R,
    },
    /// A failed answer.
    Error {
        /// The id of the request it answers; `None` (JSON `null`) if that could not be read.
        id: Option<RequestId<'a>>,
        /// One of [`code`], or the application's own.
        code: i64,
        /// One sentence for a human.
        message: Cow<'a, str>,
        /// Details for a program.
        data: Option<&'a RawValue>,
    },
}

/// Why bytes are no message, or a value cannot become one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// Nothing but white space. The data of a priming event is no message and must not get here
    /// (SEP-1699).
    #[error("there is no message in empty text; skip events without data before parsing")]
    Empty,
    /// A JSON array. Batches exist in 2025-03-26 only; they were removed in 2025-06-18.
    #[error("a JSON-RPC batch is not supported; send each message in a request of its own")]
    Batch,
    /// No JSON, or a member of the wrong type.
    #[error("the message does not parse: {reason}")]
    Json {
        /// What the JSON reader found, and where.
        reason: String,
    },
    /// `jsonrpc` is absent or not `"2.0"`.
    #[error("the message does not say `\"jsonrpc\": \"2.0\"`; add that member")]
    NotVersion2,
    /// None of `method`, `result` and `error`, or more than one of them.
    #[error("a message has exactly one of `method`, `result` and `error`, and this one has not")]
    NotOneKind,
    /// A request whose id is `null`, or a result without an id.
    #[error("the message has no usable `id`; a request or result needs a string or an integer")]
    NoId,
    /// The value handed to a writer cannot be represented in JSON.
    #[error("the value cannot be written as JSON: {reason}")]
    Unwritable {
        /// What the JSON writer said.
        reason: String,
    },
}

impl From<serde_json::Error> for MessageError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json { reason: error.to_string() }
    }
}

/// Reads one message.
///
/// # Errors
/// [`MessageError`] for anything that is not exactly one JSON-RPC 2.0 message.
///
/// ```
/// use seamstress_mcp::message::{Message, parse};
///
/// let bytes = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
/// let Message::Request { id, method, .. } = parse(bytes)? else { unreachable!() };
/// assert_eq!((id.to_string().as_str(), method.as_ref()), ("1", "ping"));
/// # Ok::<(), seamstress_mcp::message::MessageError>(())
/// ```
pub fn parse(bytes: &[u8]) -> Result<Message<'_>, MessageError> {
    let text =
        str::from_utf8(bytes).map_err(|error| MessageError::Json { reason: error.to_string() })?;
    read(text)
}

/// Writes a request. Params that serialise to `null`, such as `&()`, are left out.
///
/// # Errors
/// [`MessageError::Unwritable`] if `params` cannot be represented in JSON.
///
/// ```
/// use seamstress_mcp::message::{RequestId, method, request};
///
/// let text = request(&RequestId::from(1), method::PING, &())?;
/// assert_eq!(text, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
/// # Ok::<(), seamstress_mcp::message::MessageError>(())
/// ```
pub fn request(
    id: &RequestId<'_>,
    method: &str,
    params: &impl Serialize,
) -> Result<String, MessageError> {
    let mut out = open(Some(id));
    push_method(&mut out, method, params)?;
    Ok(out)
}

/// Writes a notification. Params that serialise to `null` are left out.
///
/// # Errors
/// [`MessageError::Unwritable`] if `params` cannot be represented in JSON.
pub fn notification(method: &str, params: &impl Serialize) -> Result<String, MessageError> {
    let mut out = String::from(r#"{"jsonrpc":"2.0""#);
    push_method(&mut out, method, params)?;
    Ok(out)
}

/// Writes a successful answer.
///
/// # Errors
/// [`MessageError::Unwritable`] if `result` cannot be represented in JSON.
pub fn response(id: &RequestId<'_>, result: &impl Serialize) -> Result<String, MessageError> {
    let mut out = open(Some(id));
    out.push_str(r#","result":"#);
    out.push_str(&to_json(result)?);
    out.push('}');
    Ok(out)
}

/// Writes a failed answer; `None` for an id that could not be read. Data that serialises to `null`
/// is left out.
///
/// # Errors
/// [`MessageError::Unwritable`] if `data` cannot be represented in JSON.
pub fn error(
    id: Option<&RequestId<'_>>,
    code: i64,
    message: &str,
    data: &impl Serialize,
) -> Result<String, MessageError> {
    let mut out = open(id);
    push_error_head(&mut out, code, message);
    push_unless_null(&mut out, r#","data":"#, data)?;
    out.push_str("}}");
    Ok(out)
}

/// The beginning of a message that has an id.
pub(crate) fn open(id: Option<&RequestId<'_>>) -> String {
    let mut out = String::with_capacity(256);
    out.push_str(r#"{"jsonrpc":"2.0","id":"#);
    match id {
        Some(id) => id.push_json(&mut out),
        None => out.push_str("null"),
    }
    out
}

/// The error object up to its data, still open.
pub(crate) fn push_error_head(out: &mut String, code: i64, message: &str) {
    out.push_str(r#","error":{"code":"#);
    push_display(out, code);
    out.push_str(r#","message":"#);
    push_string(out, message);
}

fn push_method(
    out: &mut String,
    method: &str,
    params: &impl Serialize,
) -> Result<(), MessageError> {
    out.push_str(r#","method":"#);
    push_string(out, method);
    push_unless_null(out, r#","params":"#, params)?;
    out.push('}');
    Ok(())
}

fn push_unless_null(
    out: &mut String,
    member: &str,
    value: &impl Serialize,
) -> Result<(), MessageError> {
    let json = to_json(value)?;
    if json != "null" {
        out.push_str(member);
        out.push_str(&json);
    }
    Ok(())
}

fn to_json(value: &impl Serialize) -> Result<String, MessageError> {
    serde_json::to_string(value)
        .map_err(|error| MessageError::Unwritable { reason: error.to_string() })
}

#[cfg(test)]
mod tests;
