//! Which regressions make sense.
//!
//! Owns the rules for what a plan says about itself. It must not know whether it is true.

use crate::problem::{FieldPath, PlanError, Problem};
use crate::{Regression, RegressionOutcome};

/// Refuses an outcome that its findings deny.
pub(super) fn check_regression(regression: &Regression, at: &FieldPath) -> Result<(), PlanError> {
    let findings_at = at.key("findings");
    let is_found = !regression.findings.is_empty();
    match regression.outcome {
        RegressionOutcome::Holds if is_found => {
            Err(findings_at.says(Problem::FindingsThoughItHolds))
        }
        RegressionOutcome::Violated | RegressionOutcome::Stuck if !is_found => {
            Err(findings_at.says(Problem::NoFindingThoughItFails))
        }
        _ => {
            let blank = regression.findings.iter().position(|key| key.trim().is_empty());
            blank.map_or(Ok(()), |index| Err(findings_at.index(index).says(Problem::Empty)))
        }
    }
}
