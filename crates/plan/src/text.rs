//! Text with places: what TOML and JSON files have in common once they are parsed.
//!
//! Owns the tree of values in which every value knows where it stands, and turns a place into line
//! and column. It must not know what the values mean. It exists because neither format's own
//! reader can say both where a wrong value stands and what would be right in its place.

mod decode;
mod json;
mod toml;

use serde::de::DeserializeOwned;

use crate::problem::{FieldPath, PlanError, Problem, ReadError, Step};

/// A value and where it stands.
#[derive(Debug)]
pub(crate) struct Node {
    /// The byte at which it begins.
    pub start: usize,
    pub value: Value,
}

#[derive(Debug)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Whole(u64),
    Negative(i64),
    Text(String),
    /// Something that no plan holds, in words: a fraction, a date.
    Alien(&'static str),
    List(Vec<Node>),
    /// In the order of the text, no key twice.
    Table(Vec<Entry>),
}

#[derive(Debug)]
pub(crate) struct Entry {
    pub key: String,
    /// The byte at which the key begins.
    pub key_start: usize,
    pub node: Node,
}

impl Node {
    /// The value of this key, if this is a table that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        let Value::Table(entries) = &self.value else { return None };
        entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    /// The value at the end of this path and true, or the last one on the way that is in the text
    /// and false: a field that was left to its default stands nowhere.
    fn follow(&self, path: &FieldPath) -> (&Node, bool) {
        let mut node = self;
        for step in path.steps() {
            let next = match (step, &node.value) {
                (Step::Key(key), Value::Table(_)) => node.get(key),
                (Step::Index(index), Value::List(nodes)) => nodes.get(*index),
                _ => None,
            };
            let Some(next) = next else { return (node, false) };
            node = next;
        }
        (node, true)
    }
}

/// What went wrong while a text was read, and where.
#[derive(Debug)]
pub(crate) struct Failure {
    problem: Problem,
    /// The byte, once it is known.
    start: Option<usize>,
    /// The way to the field, innermost step first.
    inside_out: Vec<Step>,
}

impl Failure {
    pub(crate) fn new(problem: Problem, start: usize) -> Failure {
        Failure { problem, start: Some(start), inside_out: Vec::new() }
    }
}

/// A parsed file.
pub(crate) struct Document<'a> {
    file: &'a str,
    text: &'a str,
    root: Node,
}

impl<'a> Document<'a> {
    /// Parses a JSON file.
    pub(crate) fn json(file: &'a str, text: &'a str) -> Result<Document<'a>, ReadError> {
        let root = json::parse(text).map_err(|failure| placed(file, text, failure))?;
        Ok(Document { file, text, root })
    }

    /// Parses a TOML file.
    pub(crate) fn toml(file: &'a str, text: &'a str) -> Result<Document<'a>, ReadError> {
        let root = toml::parse(text).map_err(|failure| placed(file, text, failure))?;
        Ok(Document { file, text, root })
    }

    pub(crate) fn root(&self) -> &Node {
        &self.root
    }

    /// Reads the whole file as a `T`.
    pub(crate) fn decode<T: DeserializeOwned>(&self) -> Result<T, ReadError> {
        decode::decode(&self.root).map_err(|failure| placed(self.file, self.text, failure))
    }

    /// The place in this file of an impossible value. Of two fields that do not go together it is
    /// the one that the file sets.
    pub(crate) fn place(&self, error: PlanError) -> ReadError {
        let PlanError { mut field, other, problem } = error;
        let (mut node, is_set) = self.root.follow(&field);
        if let Some(other) = other.filter(|_| !is_set)
            && let (other_node, true) = self.root.follow(&other)
        {
            (field, node) = (other, other_node);
        }
        let (line, column) = line_and_column(self.text, node.start);
        ReadError { file: self.file.to_owned(), line, column, field, problem }
    }
}

fn placed(file: &str, text: &str, failure: Failure) -> ReadError {
    let (line, column) = line_and_column(text, failure.start.unwrap_or(0));
    let mut steps = failure.inside_out;
    steps.reverse();
    let field = FieldPath::from(steps);
    ReadError { file: file.to_owned(), line, column, field, problem: failure.problem }
}

/// Line and column, both counted from 1, of this byte of the text. Columns count characters.
fn line_and_column(text: &str, start: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(start)];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.matches('\n').count() + 1;
    (line, before[line_start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_both_counts_begin_at_one() {
        let text = "ä = 1\nöü = 2\n";
        assert_eq!(line_and_column(text, 0), (1, 1));
        assert_eq!(line_and_column(text, text.find('=').unwrap()), (1, 3));
        assert_eq!(line_and_column(text, text.find('2').unwrap()), (2, 6));
        assert_eq!(line_and_column(text, text.len()), (3, 1));
        assert_eq!(line_and_column(text, usize::MAX), (3, 1), "past the end is the end");
        assert_eq!(line_and_column(text, 1), (1, 1), "inside a character is its begin");
    }
}
