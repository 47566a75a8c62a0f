//! The tools a probe server offers: names, arguments, and how `tools/list` describes them.
//!
//! Two are our own. The other four answer to the names the official conformance suite calls
//! (`test_event_replay` and `test_multiple_reconnections` were proposed for it), so that it can run
//! against a probe server unchanged. It does not know how a tool is carried out.

use std::borrow::Cow;

use serde::ser::{SerializeMap, SerializeStruct};
use serde::{Deserialize, Serialize, Serializer};

/// Emits progress 1, 2, …, n for its call, then a result that names n. See [`CountArguments`].
pub const TOOL_COUNT: &str = "count";
/// Emits n announcements on the standalone stream, then a result. See [`AnnounceArguments`].
pub const TOOL_ANNOUNCE: &str = "announce";
/// Conformance suite: closes the connection of its own stream, waits, and returns a text.
pub const TEST_RECONNECTION: &str = "test_reconnection";
/// Conformance suite: progress 0, 50 and 100, then a result.
pub const TEST_TOOL_WITH_PROGRESS: &str = "test_tool_with_progress";
/// Conformance suite (proposed): one notification, a closed connection, two more notifications.
pub const TEST_EVENT_REPLAY: &str = "test_event_replay";
/// Conformance suite (proposed): closes the connection at each checkpoint.
pub const TEST_MULTIPLE_RECONNECTIONS: &str = "test_multiple_reconnections";

/// Which stream a call's progress goes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProgressOn {
    /// The stream of the request, as the specification wants it.
    #[default]
    Own,
    /// The standalone stream, so that two streams advance together.
    Standalone,
}

/// Arguments of [`TOOL_COUNT`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountArguments<'a> {
    /// The application's name of the call, repeated in the result.
    #[serde(borrow)]
    pub call: Cow<'a, str>,
    /// How many progress notifications to emit.
    pub events: u64,
    /// The pause before each of them and before the result, in milliseconds.
    #[serde(default)]
    pub interval_ms: u64,
    /// Where the progress goes.
    #[serde(default)]
    pub progress_on: ProgressOn,
}

/// Arguments of [`TOOL_ANNOUNCE`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnnounceArguments<'a> {
    /// The application's name of the call, repeated in the result.
    #[serde(borrow)]
    pub call: Cow<'a, str>,
    /// How many announcements to emit.
    pub events: u64,
    /// The pause before each of them and before the result, in milliseconds.
    #[serde(default)]
    pub interval_ms: u64,
}

/// Arguments of [`TEST_MULTIPLE_RECONNECTIONS`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MultipleReconnectionsArguments {
    /// How many times the connection is closed; the server chooses if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoints: Option<u64>,
}

/// One tool as `tools/list` describes it. Serialises to the shape of the MCP schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    /// What `tools/call` names.
    pub name: &'static str,
    /// One sentence for a human.
    pub description: &'static str,
    /// Its arguments, required ones first.
    pub arguments: &'static [Argument],
}

/// One argument of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The member of `arguments`.
    pub name: &'static str,
    /// What it holds.
    pub kind: ArgumentKind,
    /// Whether a call without it is refused.
    pub required: bool,
    /// One sentence for a human.
    pub description: &'static str,
}

/// What an argument holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// Any string.
    Text,
    /// An integer, zero or more.
    Count,
    /// One of these strings.
    OneOf(&'static [&'static str]),
}

const CALL: Argument = Argument {
    name: "call",
    kind: ArgumentKind::Text,
    required: true,
    description: "The caller's name of this call, repeated in the result.",
};
const EVENTS: Argument = Argument {
    name: "events",
    kind: ArgumentKind::Count,
    required: true,
    description: "How many events to emit before the result.",
};
const INTERVAL_MS: Argument = Argument {
    name: "interval_ms",
    kind: ArgumentKind::Count,
    required: false,
    description: "The pause before each event and before the result, in milliseconds.",
};
const PROGRESS_ON: Argument = Argument {
    name: "progress_on",
    kind: ArgumentKind::OneOf(&["own", "standalone"]),
    required: false,
    description: "The stream the progress goes to: the call's own, or the standalone one.",
};
const CHECKPOINTS: Argument = Argument {
    name: "checkpoints",
    kind: ArgumentKind::Count,
    required: false,
    description: "How many times the connection is closed.",
};

/// Every tool of a probe server, in the order `tools/list` gives.
pub const TOOLS: [Tool; 6] = [
    Tool {
        name: TOOL_COUNT,
        description: "Emits progress 1, 2, … up to `events`, then a result that names `events`.",
        arguments: &[CALL, EVENTS, INTERVAL_MS, PROGRESS_ON],
    },
    Tool {
        name: TOOL_ANNOUNCE,
        description: "Emits `events` announcements on the standalone stream, then a result.",
        arguments: &[CALL, EVENTS, INTERVAL_MS],
    },
    Tool {
        name: TEST_RECONNECTION,
        description: "Closes the connection of its own stream, waits, then returns a text.",
        arguments: &[],
    },
    Tool {
        name: TEST_TOOL_WITH_PROGRESS,
        description: "Emits progress 0, 50 and 100, then returns a text.",
        arguments: &[],
    },
    Tool {
        name: TEST_EVENT_REPLAY,
        description: "Emits a notification, closes the connection, then emits two more.",
        arguments: &[],
    },
    Tool {
        name: TEST_MULTIPLE_RECONNECTIONS,
        description: "Closes the connection of its own stream at each checkpoint.",
        arguments: &[CHECKPOINTS],
    },
];

/// The result of `tools/list` on a probe server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ToolsList {
    /// Every tool.
    pub tools: [Tool; 6],
}

/// What a probe server answers to `tools/list`.
///
/// ```
/// use seamstress_mcp::message::{self, RequestId};
///
/// let text = message::response(&RequestId::from(2), &seamstress_mcp::probe::tools_list())?;
/// assert!(text.contains("test_reconnection"));
/// # Ok::<(), message::MessageError>(())
/// ```
pub const fn tools_list() -> ToolsList {
    ToolsList { tools: TOOLS }
}

impl Serialize for Tool {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tool = serializer.serialize_struct("Tool", 3)?;
        tool.serialize_field("name", self.name)?;
        tool.serialize_field("description", self.description)?;
        tool.serialize_field("inputSchema", &InputSchema(self.arguments))?;
        tool.end()
    }
}

/// The JSON Schema of an object with these members.
struct InputSchema(&'static [Argument]);

impl Serialize for InputSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let required: Vec<&str> = self
            .0
            .iter()
            .filter(|argument| argument.required)
            .map(|argument| argument.name)
            .collect();
        let mut schema = serializer.serialize_map(None)?;
        schema.serialize_entry("type", "object")?;
        schema.serialize_entry("properties", &Properties(self.0))?;
        if !required.is_empty() {
            schema.serialize_entry("required", &required)?;
        }
        schema.end()
    }
}

struct Properties(&'static [Argument]);

impl Serialize for Properties {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|argument| (argument.name, argument)))
    }
}

impl Serialize for Argument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut schema = serializer.serialize_map(None)?;
        match self.kind {
            ArgumentKind::Text => schema.serialize_entry("type", "string")?,
            ArgumentKind::Count => {
                schema.serialize_entry("type", "integer")?;
                schema.serialize_entry("minimum", &0)?;
            }
            ArgumentKind::OneOf(choices) => {
                schema.serialize_entry("type", "string")?;
                schema.serialize_entry("enum", choices)?;
            }
        }
        schema.serialize_entry("description", self.description)?;
        schema.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::ToolsListResult;

    #[test]
    fn the_list_names_every_tool_and_a_client_reads_it() {
        let json = serde_json::to_string(&tools_list()).unwrap();
        let list: ToolsListResult = serde_json::from_str(&json).unwrap();
        let names: Vec<&str> = list.tools.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(
            names,
            [
                "count",
                "announce",
                "test_reconnection",
                "test_tool_with_progress",
                "test_event_replay",
                "test_multiple_reconnections"
            ]
        );
    }

    #[test]
    fn a_tool_is_described_by_a_json_schema() {
        let count = serde_json::to_value(TOOLS[0]).unwrap();
        assert_eq!(count["inputSchema"]["type"], "object");
        assert_eq!(count["inputSchema"]["required"], serde_json::json!(["call", "events"]));
        let properties = &count["inputSchema"]["properties"];
        assert_eq!(properties["events"]["type"], "integer");
        assert_eq!(properties["events"]["minimum"], 0);
        assert_eq!(properties["progress_on"]["enum"], serde_json::json!(["own", "standalone"]));

        let plain = serde_json::to_string(&InputSchema(&[])).unwrap();
        assert_eq!(plain, r#"{"type":"object","properties":{}}"#);
    }

    #[test]
    fn the_described_arguments_are_the_ones_that_are_read() {
        let count = CountArguments {
            call: "c1".into(),
            events: 3,
            interval_ms: 10,
            progress_on: ProgressOn::Standalone,
        };
        let json = serde_json::to_string(&count).unwrap();
        assert_eq!(json, r#"{"call":"c1","events":3,"interval_ms":10,"progress_on":"standalone"}"#);
        assert_eq!(serde_json::from_str::<CountArguments>(&json).unwrap(), count);
        assert_eq!(members(&count), argument_names(TOOL_COUNT));

        let announce = AnnounceArguments { call: "c1".into(), events: 3, interval_ms: 10 };
        assert_eq!(members(&announce), argument_names(TOOL_ANNOUNCE));
        let reconnections = MultipleReconnectionsArguments { checkpoints: Some(2) };
        assert_eq!(members(&reconnections), argument_names(TEST_MULTIPLE_RECONNECTIONS));
    }

    #[test]
    fn optional_arguments_have_defaults_and_required_ones_are_required() {
        let count: CountArguments = serde_json::from_str(r#"{"call":"c","events":1}"#).unwrap();
        assert_eq!((count.interval_ms, count.progress_on), (0, ProgressOn::Own));
        for incomplete in [r#"{"call":"c"}"#, r#"{"events":1}"#, r#"{"call":"c","events":-1}"#] {
            assert!(serde_json::from_str::<CountArguments>(incomplete).is_err(), "{incomplete}");
            assert!(serde_json::from_str::<AnnounceArguments>(incomplete).is_err());
        }
    }

    fn members(arguments: &impl Serialize) -> Vec<String> {
        let serde_json::Value::Object(members) = serde_json::to_value(arguments).unwrap() else {
            panic!("arguments are an object")
        };
        let mut names: Vec<String> = members.keys().cloned().collect();
        names.sort();
        names
    }

    fn argument_names(tool: &str) -> Vec<String> {
        let tool = TOOLS.iter().find(|candidate| candidate.name == tool).unwrap();
        let mut names: Vec<String> =
            tool.arguments.iter().map(|argument| argument.name.to_owned()).collect();
        names.sort();
        names
    }
}
