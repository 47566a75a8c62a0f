//! Reading a tree of values as Rust types, by way of serde.
//!
//! Owns the deserialiser over [`Node`] and the translation of serde's complaints into problems
//! with a way out. It must not know which types are read. Places survive as far as serde lets
//! them: inside a trigger, which serde buffers because of its tag, they are found again by word.

use std::fmt::Display;

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, Expected, IntoDeserializer,
    MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::{Entry, Failure, Node, Value};
use crate::problem::{Problem, Step, did_you_mean};

/// Reads the whole tree as a `T`.
pub(crate) fn decode<T: DeserializeOwned>(root: &Node) -> Result<T, Failure> {
    T::deserialize(root).map_err(|failure| failure.at(root))
}

impl Failure {
    fn unplaced(problem: Problem) -> Failure {
        Failure { problem, start: None, inside_out: Vec::new() }
    }

    /// Places a failure that has no place yet: at the member it speaks of if this is a table that
    /// has it, else at this value.
    fn at(mut self, node: &Node) -> Failure {
        if self.start.is_some() {
            return self;
        }
        let entries = if let Value::Table(entries) = &node.value { &entries[..] } else { &[] };
        match entries.iter().find(|entry| self.speaks_of(entry)) {
            Some(entry) if matches!(self.problem, Problem::UnknownKey { .. }) => {
                self.start = Some(entry.key_start);
            }
            Some(entry) => {
                self.start = Some(entry.node.start);
                self.inside_out.push(Step::Key(entry.key.clone()));
            }
            None => self.start = Some(node.start),
        }
        self
    }

    fn speaks_of(&self, entry: &Entry) -> bool {
        match (&self.problem, &entry.node.value) {
            (Problem::UnknownKey { key, .. }, _) => entry.key == *key,
            (Problem::UnknownValue { value, .. }, Value::Text(text)) => text == value,
            (Problem::WrongType { found, .. }, value) => {
                value.unexpected().is_some_and(|value| found_in_words(value) == *found)
            }
            _ => false,
        }
    }

    fn within(mut self, step: Step) -> Failure {
        self.inside_out.push(step);
        self
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.problem.fmt(f)
    }
}

impl std::error::Error for Failure {}

impl Error for Failure {
    fn custom<T: Display>(message: T) -> Failure {
        Failure::unplaced(Problem::Refused { message: message.to_string() })
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Failure {
        let expected = in_words(&expected.to_string());
        Failure::unplaced(Problem::WrongType { found: found_in_words(found), expected })
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Failure {
        Failure::invalid_type(found, expected)
    }

    fn unknown_variant(value: &str, known: &'static [&'static str]) -> Failure {
        let way_out = did_you_mean(value, known);
        Failure::unplaced(Problem::UnknownValue { value: value.to_owned(), way_out })
    }

    fn unknown_field(key: &str, known: &'static [&'static str]) -> Failure {
        let way_out = did_you_mean(key, known);
        Failure::unplaced(Problem::UnknownKey { key: key.to_owned(), way_out })
    }

    fn missing_field(key: &'static str) -> Failure {
        Failure::unplaced(Problem::MissingKey { key: key.to_owned() })
    }
}

/// What serde expects, as one would say it to somebody who writes the file.
fn in_words(expected: &str) -> String {
    let words = match expected {
        "u64" | "u32" | "usize" => "a whole number, not below 0",
        "a boolean" => "true or false",
        "a string" => "a text in quotes",
        "a sequence" => "a list",
        "unit variant" => "a word in quotes",
        _ if expected.starts_with("struct ") || expected.starts_with("internally tagged ") => {
            "a table"
        }
        _ if expected.starts_with("enum ") => "a word in quotes",
        other => other,
    };
    words.to_owned()
}

fn found_in_words(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(flag) => format!("`{flag}`"),
        Unexpected::Unsigned(number) => format!("the number {number}"),
        Unexpected::Signed(number) => format!("the number {number}"),
        Unexpected::Str(text) => format!("the text {text:?}"),
        Unexpected::Unit | Unexpected::Option => "`null`".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map | Unexpected::StructVariant => "a table".to_owned(),
        other => other.to_string(),
    }
}

impl Value {
    /// What serde calls a value that cannot stand where it does, unless it is a whole collection.
    fn unexpected(&self) -> Option<Unexpected<'_>> {
        match self {
            Value::Null => Some(Unexpected::Unit),
            Value::Bool(flag) => Some(Unexpected::Bool(*flag)),
            Value::Whole(number) => Some(Unexpected::Unsigned(*number)),
            Value::Negative(number) => Some(Unexpected::Signed(*number)),
            Value::Text(text) => Some(Unexpected::Str(text)),
            Value::Alien(words) => Some(Unexpected::Other(words)),
            Value::List(_) | Value::Table(_) => None,
        }
    }
}

impl<'de> Deserializer<'de> for &Node {
    type Error = Failure;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match &self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Whole(number) => visitor.visit_u64(*number),
            Value::Negative(number) => visitor.visit_i64(*number),
            Value::Text(text) => visitor.visit_str(text),
            Value::Alien(words) => Err(Failure::invalid_type(Unexpected::Other(words), &visitor)),
            Value::List(nodes) => visitor.visit_seq(Items { nodes, next: 0 }),
            Value::Table(entries) => visitor.visit_map(Members { entries, next: 0 }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Failure> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        match &self.value {
            Value::Text(word) => visitor.visit_enum(Word(word)),
            Value::Table(entries) if entries.len() == 1 => visitor.visit_enum(Variant(&entries[0])),
            Value::Table(entries) => Err(Failure::unplaced(Problem::WrongType {
                found: format!("a table with {} keys", entries.len()),
                expected: format!("a table with one key, which is one of: {}", variants.join(", ")),
            })),
            _ => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct Items<'n> {
    nodes: &'n [Node],
    next: usize,
}

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Failure;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Failure> {
        let Some(node) = self.nodes.get(self.next) else { return Ok(None) };
        let index = self.next;
        self.next += 1;
        let element = seed.deserialize(node);
        element.map(Some).map_err(|failure| failure.at(node).within(Step::Index(index)))
    }
}

struct Members<'n> {
    entries: &'n [Entry],
    /// The entry whose key comes next; its value is the one of the entry before.
    next: usize,
}

impl<'de> MapAccess<'de> for Members<'_> {
    type Error = Failure;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Failure> {
        let Some(entry) = self.entries.get(self.next) else { return Ok(None) };
        self.next += 1;
        let key = seed.deserialize(entry.key.as_str().into_deserializer());
        key.map(Some).map_err(|mut failure: Failure| {
            failure.start = Some(entry.key_start);
            failure
        })
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Failure> {
        // Serde asks for a value only after its key.
        let entry = &self.entries[self.next - 1];
        let value = seed.deserialize(&entry.node);
        value.map_err(|failure| failure.at(&entry.node).within(Step::Key(entry.key.clone())))
    }
}

/// A variant written as a word: it has no content.
struct Word<'n>(&'n str);

impl<'de> EnumAccess<'de> for Word<'_> {
    type Error = Failure;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Failure> {
        let variant = seed.deserialize(self.0.into_deserializer())?;
        Ok((variant, self))
    }
}

impl Word<'_> {
    fn lacks_content<T>(&self) -> Result<T, Failure> {
        Err(Failure::unplaced(Problem::WrongType {
            found: format!("{:?} alone", self.0),
            expected: format!("a table with the key `{}`", self.0),
        }))
    }
}

impl<'de> VariantAccess<'de> for Word<'_> {
    type Error = Failure;

    fn unit_variant(self) -> Result<(), Failure> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _seed: T) -> Result<T::Value, Failure> {
        self.lacks_content()
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, _: V) -> Result<V::Value, Failure> {
        self.lacks_content()
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Failure> {
        self.lacks_content()
    }
}

/// A variant written as a table with one key: the key is its name.
struct Variant<'n>(&'n Entry);

impl<'de, 'n> EnumAccess<'de> for Variant<'n> {
    type Error = Failure;
    type Variant = VariantContent<'n>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, VariantContent<'n>), Failure> {
        let name = seed.deserialize(self.0.key.as_str().into_deserializer());
        let name = name.map_err(|mut failure: Failure| {
            failure.start = Some(self.0.key_start);
            failure
        })?;
        Ok((name, VariantContent(self.0)))
    }
}

struct VariantContent<'n>(&'n Entry);

impl VariantContent<'_> {
    fn placed<T>(&self, content: Result<T, Failure>) -> Result<T, Failure> {
        let step = Step::Key(self.0.key.clone());
        content.map_err(|failure| failure.at(&self.0.node).within(step))
    }
}

impl<'de> VariantAccess<'de> for VariantContent<'_> {
    type Error = Failure;

    fn unit_variant(self) -> Result<(), Failure> {
        let problem = Problem::WrongType {
            found: "a table".to_owned(),
            expected: format!("{:?} alone", self.0.key),
        };
        self.placed(Err(Failure::unplaced(problem)))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Failure> {
        self.placed(seed.deserialize(&self.0.node))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, Failure> {
        self.placed(self.0.node.deserialize_any(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        self.placed(self.0.node.deserialize_any(visitor))
    }
}
