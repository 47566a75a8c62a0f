//! TOML text as a tree of values with places.
//!
//! Owns the translation from the spans of the `toml` crate. It must not know what the values mean.

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::{Entry, Failure, Node, Value};
use crate::problem::Problem;

/// Parses a whole TOML text.
pub(crate) fn parse(text: &str) -> Result<Node, Failure> {
    let root = DeTable::parse(text).map_err(|error| {
        let message = error.message().to_owned();
        let start = error.span().map_or(text.len(), |span| span.start);
        Failure::new(Problem::Syntax { format: "TOML", message }, start)
    })?;
    Ok(Node { start: root.span().start, value: table(root.get_ref()) })
}

fn node(value: &Spanned<DeValue<'_>>) -> Node {
    let translated = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => integer(number),
        DeValue::Float(_) => Value::Alien("a fraction"),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Datetime(_) => Value::Alien("a date"),
        DeValue::Array(items) => Value::List(items.iter().map(node).collect()),
        DeValue::Table(members) => table(members),
    };
    Node { start: value.span().start, value: translated }
}

fn table(members: &DeTable<'_>) -> Value {
    let entry = |(key, value): (&Spanned<_>, _)| Entry {
        key: ToString::to_string(key.get_ref()),
        key_start: key.span().start,
        node: node(value),
    };
    let mut entries: Vec<Entry> = members.iter().map(entry).collect();
    // The crate sorts keys by name; the first problem to be told is the first in the file.
    entries.sort_by_key(|entry| entry.key_start);
    Value::Table(entries)
}

fn integer(number: &DeInteger<'_>) -> Value {
    if let Ok(whole) = u64::from_str_radix(number.as_str(), number.radix()) {
        Value::Whole(whole)
    } else if let Ok(negative) = i64::from_str_radix(number.as_str(), number.radix()) {
        Value::Negative(negative)
    } else {
        Value::Alien("a number beyond 64 bits")
    }
}
