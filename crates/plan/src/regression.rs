//! What a plan that is kept as a regression says about itself.
//!
//! Owns the verdict that must come again and the provenance: from which run the plan was shrunk,
//! and how far. It changes nothing in a run. Keys of findings are words here: this crate must not
//! know the judge.

use serde::{Deserialize, Serialize};

/// What is known to come of a plan, and where the plan comes from.
///
/// ```
/// use seamstress_plan::{Regression, RegressionOutcome};
///
/// let text = r#"{"outcome": "violated", "findings": ["skip/progress/resumed:resume"],
///     "shrunk_from": "storm@7", "faults": [6, 1], "operations": [5, 1], "runs": 231,
///     "stop": "1-minimal", "version": "0.1.0"}"#;
/// let regression: Regression = serde_json::from_str(text)?;
/// assert_eq!(regression.outcome, RegressionOutcome::Violated);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Regression {
    /// What must come of it.
    pub outcome: RegressionOutcome,
    /// The keys of the findings that must come, the one that the plan was shrunk for first; none
    /// if it must hold.
    pub findings: Vec<String>,
    /// The name of the plan that it was shrunk from.
    pub shrunk_from: String,
    /// Faults before and after.
    pub faults: [u64; 2],
    /// Operations before and after.
    pub operations: [u64; 2],
    /// How many plans were played to find it.
    pub runs: u64,
    /// Why shrinking ended: `1-minimal`, `budget` or `interrupted`.
    pub stop: String,
    /// The version that shrank it.
    pub version: String,
}

/// See [`Regression::outcome`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegressionOutcome {
    /// No finding: what was wrong has been mended, and stays so.
    Holds,
    /// An escape, a protocol violation or a leak.
    Violated,
    /// Something due never came, and nothing else is wrong.
    Stuck,
    /// A panic.
    Error,
}
