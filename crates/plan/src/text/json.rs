//! JSON text as a tree of values with places.
//!
//! Owns where a value stands in JSON. The syntax is left to `serde_json`, which is asked for the
//! raw text of each member: that is a slice of the file, so its place is known. It must not know
//! what the values mean.

use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{Entry, Failure, Node, Value};
use crate::problem::Problem;

/// Deeper than any plan; each level is read once more than the one above it, so it is bounded.
const DEPTH_MAX: usize = 16;

/// Parses a whole JSON text.
pub(crate) fn parse(text: &str) -> Result<Node, Failure> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| {
        if error.is_eof() {
            return Failure::new(Problem::CutShort, text.len());
        }
        syntax(text, 0, &error)
    })?;
    node(text, raw, 0)
}

/// A mistake in `text`, which begins at byte `start` of the file.
fn syntax(text: &str, start: usize, error: &serde_json::Error) -> Failure {
    let line_start: usize =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let whole = error.to_string();
    let message = whole.rsplit_once(" at line ").map_or(whole.as_str(), |(message, _)| message);
    let problem = Problem::Syntax { format: "JSON", message: message.to_owned() };
    Failure::new(problem, start + line_start + error.column().saturating_sub(1))
}

fn node(text: &str, raw: &RawValue, depth: usize) -> Result<Node, Failure> {
    // The raw text is a slice of the whole text: the distance of the two is its place.
    let start = raw.get().as_ptr() as usize - text.as_ptr() as usize;
    if depth > DEPTH_MAX {
        return Err(Failure::new(Problem::TooDeep, start));
    }
    let value = match raw.get().as_bytes().first() {
        Some(b'{') => table(text, start, raw, depth)?,
        Some(b'[') => {
            let items: Vec<&RawValue> = reread(raw, start)?;
            let nodes = items.into_iter().map(|item| node(text, item, depth + 1));
            Value::List(nodes.collect::<Result<_, _>>()?)
        }
        Some(b'"') => Value::Text(reread(raw, start)?),
        Some(b't' | b'f') => Value::Bool(raw.get() == "true"),
        Some(b'n') | None => Value::Null,
        Some(_) => number(raw.get()),
    };
    Ok(Node { start, value })
}

fn table(text: &str, start: usize, raw: &RawValue, depth: usize) -> Result<Value, Failure> {
    let Members(members) = reread(raw, start)?;
    let mut entries: Vec<Entry> = Vec::with_capacity(members.len());
    let mut keys = BTreeSet::new();
    let mut member_start = start;
    for (key, raw) in members {
        let node = node(text, raw, depth + 1)?;
        // The key stands between the value before and its own, unless it was written with escapes.
        let quoted = text[member_start..node.start].rfind(&format!("\"{key}\""));
        let key_start = quoted.map_or(node.start, |offset| member_start + offset);
        member_start = node.start + raw.get().len();
        if !keys.insert(key.clone()) {
            return Err(Failure::new(Problem::RepeatedKey { key }, key_start));
        }
        entries.push(Entry { key, key_start, node });
    }
    Ok(Value::Table(entries))
}

fn number(text: &str) -> Value {
    if let Ok(number) = text.parse() {
        Value::Whole(number)
    } else if let Ok(number) = text.parse() {
        Value::Negative(number)
    } else if text.contains(['.', 'e', 'E']) {
        Value::Alien("a fraction")
    } else {
        Value::Alien("a number beyond 64 bits")
    }
}

/// Reads a raw value that has passed the syntax check once. A text can still be refused then, for
/// an escape that is half of a surrogate pair.
fn reread<'a, T: Deserialize<'a>>(raw: &'a RawValue, start: usize) -> Result<T, Failure> {
    serde_json::from_str(raw.get()).map_err(|error| syntax(raw.get(), start, &error))
}

/// The members of an object in their order, repeated keys included.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}
