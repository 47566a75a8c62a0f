//! A trace of a run that is over, as far as it tells what was played.
//!
//! Owns the plan that stands in for the real one, which a trace does not hold: its name, the
//! implementations, the faults that were reached, the phases. It must not guess: what the trace
//! does not say is not told, which is why the head of the story is another than for a played plan.

use std::collections::BTreeSet;

use seamstress_plan::{Action, Fault, Phases, Plan, Trigger, Trio};
use seamstress_report::{options_block, story};
use seamstress_trace::{Header, Record, Trace, What};

use crate::playing::Played;
use crate::trio::shortest_plan;

/// Judges a trace of a run that is over.
pub fn judged(trace: Trace) -> Played {
    let plan = stand_in(&trace);
    Played::from_trace(plan, trace)
}

/// The story of a trace, with a head that says only what the trace says.
pub fn story_of_trace(played: &Played) -> String {
    let told = story(&played.as_play());
    let options = options_block(&played.plan, Some(played.digest));
    let told = told.strip_prefix(&options).unwrap_or(&told);
    let Header { plan, server, proxy, client, id_scheme, refusal, .. } = &played.trace.header;
    let mut head = format!("trace     of {plan}, read and not played\n");
    let declared: Vec<String> = [
        id_scheme.as_ref().map(|scheme| format!("ids {scheme}")),
        refusal.as_ref().map(|refusal| format!("refuses with {refusal}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !declared.is_empty() {
        head += &format!("server    declares: {}\n", declared.join(", "));
    }
    head += &format!("played by server {server}, proxy {proxy}, client {client}\n");
    head += &format!("digest    {}\n", played.digest);
    head + told
}

fn stand_in(trace: &Trace) -> Plan {
    let Header { plan, server, proxy, client, tick_ms, .. } = &trace.header;
    let mut stand_in = shortest_plan();
    stand_in.name.clone_from(plan);
    stand_in.topology.tick_ms = *tick_ms;
    stand_in.workload.clear();
    stand_in.faults = faults(&trace.records);
    stand_in.phases = phases(&trace.records);
    stand_in.trio = Trio { server: server.clone(), proxy: proxy.clone(), client: client.clone() };
    stand_in
}

/// The faults that were reached, each at the time at which it was.
fn faults(records: &[Record]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut ids = BTreeSet::new();
    for record in records {
        let What::Fault { fault: id, action, .. } = &record.what else { continue };
        let known = Action::ALL.iter().find(|known| known.name() == action);
        let Some(action) = known.filter(|_| ids.insert(id)) else {
            continue;
        };
        faults.push(Fault {
            id: id.clone(),
            family: action.family(),
            trigger: Trigger::At { at_ms: record.at_ms },
            action: *action,
            extent: Default::default(),
        });
    }
    faults
}

fn phases(records: &[Record]) -> Phases {
    let beginning_of = |name: &str| {
        let begins =
            |record: &&Record| matches!(&record.what, What::Phase { phase } if phase == name);
        records.iter().find(begins).map(|record| record.at_ms)
    };
    let deadline_ms = records.last().map_or(0, |record| record.at_ms);
    let chaos_from_ms = beginning_of("chaos").unwrap_or(0);
    Phases {
        chaos_from_ms,
        chaos_until_ms: beginning_of("tail").unwrap_or(deadline_ms),
        deadline_ms,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::TrioArguments;
    use crate::target;

    fn played() -> Played {
        let named = target::plan("drop@3", &TrioArguments::default()).expect("a plan");
        Played::of(named.plan).expect("played")
    }

    #[test]
    fn a_trace_is_judged_as_the_run_was_without_its_plan() {
        let played = played();
        let judged = judged(played.trace.clone());
        assert_eq!(judged.judgement, played.judgement);
        assert_eq!(judged.digest, played.digest);
    }

    #[test]
    fn the_head_claims_no_option_that_a_trace_does_not_hold() {
        let judged = judged(played().trace);
        let text = story_of_trace(&judged);
        assert!(text.starts_with("trace     of drop@3, read and not played\n"), "{text}");
        for unknown in ["replay ", "seed ", "floor", "keeps", "latency"] {
            let head: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
            assert!(!head.join("\n").contains(unknown), "{unknown:?} in {head:?}");
        }
    }
}
