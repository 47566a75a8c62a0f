//! One run, from its plan to its judgement.
//!
//! Owns the straight line of the design, plan to trace to judgement, and keeps its three values
//! together for whoever tells about them. It must not know how many runs there are or why.

use std::sync::Arc;

use seamstress_foreign::Subject;
use seamstress_oracle::{Judgement, judge};
use seamstress_plan::Plan;
use seamstress_report::{Play, SeedResult};
use seamstress_sim::PlayError;
use seamstress_trace::{Digest, Trace};

/// A run that is over.
pub struct Played {
    /// What was played.
    pub plan: Plan,
    /// What happened.
    pub trace: Trace,
    /// What is wrong with it.
    pub judgement: Judgement,
    /// The digest of the trace.
    pub digest: Digest,
}

impl Played {
    /// Plays a plan and judges its trace.
    ///
    /// # Errors
    /// [`PlayError`] if it cannot be played. Whatever goes wrong in the run is in the trace.
    pub fn of(plan: Plan) -> Result<Played, PlayError> {
        let trace = seamstress_sim::play(&plan)?;
        Ok(Played::from_trace(plan, trace))
    }

    /// Plays a plan against this server, whatever the plan calls it, and judges its trace.
    ///
    /// # Errors
    /// [`PlayError`] if the plan names a proxy or a client that is not known.
    pub fn against(plan: Plan, server: &Arc<dyn Subject>) -> Result<Played, PlayError> {
        let trace = seamstress_sim::play_against(&plan, server.clone())?;
        Ok(Played::from_trace(plan, trace))
    }

    /// Judges a trace of this plan.
    pub fn from_trace(plan: Plan, trace: Trace) -> Played {
        let judgement = judge(&trace);
        let digest = trace.digest();
        Played { plan, trace, judgement, digest }
    }

    /// What reports are made of.
    pub fn as_play(&self) -> Play<'_> {
        let Played { plan, trace, judgement, digest } = self;
        Play { plan, trace, judgement, digest: *digest }
    }

    /// The small part that a sweep keeps.
    pub fn result(&self) -> SeedResult {
        SeedResult::of(self.plan.seed, &self.as_play())
    }
}
