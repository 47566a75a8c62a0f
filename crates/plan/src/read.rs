//! Reading a plan file.
//!
//! Owns the checks that come before a plan is believed: the kind and version of the file, then
//! every key and word, then whether the plan is possible. It must not know where the text comes
//! from. A message names the place and the way out; nothing is said or done before the whole file
//! has been read.

use crate::problem::{FieldPath, PlanError, Problem, ReadError};
use crate::text::{Document, Node, Value};
use crate::validate::schema_problem;
use crate::{Plan, SCHEMA, validate};

impl Plan {
    /// Reads a plan file. `file` is how messages call it.
    ///
    /// # Errors
    /// [`ReadError`] with line and column, if the text is no JSON, no plan, cut short or written
    /// by a newer build, if a key or word is not known or missing, or if the plan is impossible.
    ///
    /// ```
    /// use seamstress_plan::Plan;
    /// let error = Plan::from_json("mine.json", r#"{"type": "plan", "schema": 9}"#).unwrap_err();
    /// assert!(error.to_string().starts_with("mine.json:1:28: schema: the file has format 9"));
    /// ```
    pub fn from_json(file: &str, text: &str) -> Result<Plan, ReadError> {
        let document = Document::json(file, text)?;
        check_kind(document.root()).map_err(|error| document.place(error))?;
        let plan: Plan = document.decode()?;
        validate(&plan).map_err(|error| document.place(error))?;
        Ok(plan)
    }
}

/// Looks at `type` and `schema` before anything else: an unknown key means little in a file that
/// is no plan, or one of a newer build.
fn check_kind(root: &Node) -> Result<(), PlanError> {
    let top = FieldPath::default();
    let found = match root.get("type").map(|node| &node.value) {
        None => Some("no `type`".to_owned()),
        Some(Value::Text(found)) if found != "plan" => Some(format!("the type {found:?}")),
        // Whatever else it is, decoding says what is wrong with it.
        Some(_) => None,
    };
    if let Some(found) = found {
        return Err(top.key("type").says(Problem::NotAPlan { found }));
    }
    if let Some(Value::Whole(found)) = root.get("schema").map(|node| &node.value)
        && *found != u64::from(SCHEMA)
    {
        return Err(top.key("schema").says(schema_problem(*found)));
    }
    Ok(())
}
