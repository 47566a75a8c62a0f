//! Judging a trace: all oracles over one index, then the accounting.
//!
//! Owns the order in which things are asked and how a run is counted. It must not know a clock or
//! the network, nor what any oracle looks for.

use std::collections::{BTreeMap, BTreeSet};

use seamstress_trace::{FaultState, RunEnd, Trace, What};

use crate::finding::{Class, FaultTally, Finding, Judgement, Oracle, Resumption, Verdict};
use crate::oracles;
use crate::protocol_state::ProtocolState;
use crate::resumptions;
use crate::states;
use crate::view::View;

/// Says what is wrong with a run, what became of each of its resumptions, and which states it saw.
///
/// A pure function of the trace: the same trace gives the same judgement, wherever it came from.
/// A run that ended in a panic gets [`Verdict::Error`] with neither findings nor resumptions nor
/// states, because a trace that stops anywhere proves nothing.
///
/// ```
/// use seamstress_oracle::{Verdict, judge};
/// use seamstress_trace::Trace;
///
/// let text = concat!(
///     r#"{"type":"trace","schema":1,"plan":"quiet","server":"reference","proxy":"reference","#,
///     r#""client":"reference","tick_ms":1,"live_within_ms":100}"#, "\n",
///     r#"{"at_ms":9,"host":"run","kind":"run-end","why":"finished"}"#, "\n",
/// );
/// let trace = Trace::read(text.as_bytes()).expect("a whole trace");
/// assert_eq!(judge(&trace).verdict, Verdict::Holds);
/// ```
#[must_use]
pub fn judge(trace: &Trace) -> Judgement {
    let counted = count(trace);
    if counted.panicked {
        return counted.judgement(Verdict::Error, Vec::new(), Vec::new(), BTreeSet::new());
    }
    let view = View::of(trace);
    let mut findings: Vec<Finding> =
        Oracle::ALL.iter().flat_map(|oracle| oracles::ask(*oracle, &view)).collect();
    findings.sort_by_key(|finding| (finding.record, finding.oracle));
    let resumptions = resumptions::account(&view, &findings);
    counted.judgement(verdict(&findings), findings, resumptions, states::seen(&view))
}

fn verdict(findings: &[Finding]) -> Verdict {
    if findings.is_empty() {
        Verdict::Holds
    } else if findings.iter().all(|finding| finding.oracle.class() == Class::Liveness) {
        Verdict::Stuck
    } else {
        Verdict::Violated
    }
}

/// What is merely counted.
#[derive(Default)]
struct Counted {
    faults: FaultTally,
    emitted: u64,
    delivered: u64,
    panicked: bool,
}

impl Counted {
    fn judgement(
        self,
        verdict: Verdict,
        findings: Vec<Finding>,
        resumptions: Vec<Resumption>,
        states: BTreeSet<ProtocolState>,
    ) -> Judgement {
        let Counted { faults, emitted, delivered, .. } = self;
        Judgement { verdict, findings, resumptions, states, faults, emitted, delivered }
    }
}

fn count(trace: &Trace) -> Counted {
    let mut counted = Counted::default();
    for record in &trace.records {
        match &record.what {
            What::Emit { message: Some(_), .. } => counted.emitted += 1,
            What::Deliver { .. } => counted.delivered += 1,
            What::Fault { action, state, .. } => {
                let tally = match state {
                    FaultState::Reached => &mut counted.faults.reached,
                    FaultState::Fired => &mut counted.faults.fired,
                    FaultState::Effective => &mut counted.faults.effective,
                };
                add_one(tally, action);
            }
            What::RunEnd { why, .. } => counted.panicked |= *why == RunEnd::Panicked,
            _ => {}
        }
    }
    counted
}

fn add_one(tally: &mut BTreeMap<String, u64>, action: &str) {
    match tally.get_mut(action) {
        Some(count) => *count += 1,
        None => {
            tally.insert(action.to_owned(), 1);
        }
    }
}

#[cfg(test)]
mod tests;
