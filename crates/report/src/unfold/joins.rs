//! Records that belong together and make one moment.
//!
//! Owns the joining of calls that end at once, of rotations in a row, and of the states of a fault.
//! It must not know the order of the walk: it is called with one record after the other.

use seamstress_trace::{FaultState, Outcome, What};

use super::{At, Walk, moment};
use crate::moment::Scene;

impl<'a> Walk<'a> {
    /// Calls that end in the same way in one millisecond end together.
    pub(super) fn call_ends(&mut self, at: At<'a>, call: &'a str, outcome: Outcome) {
        let marked = self.marked.contains(&at.index);
        for ending in &mut self.endings {
            if let Scene::CallsEnd { calls, outcome: same } = &mut ending.scene
                && *same == outcome
            {
                calls.push(call);
                ending.records.push(at.index);
                ending.stream = None;
                ending.quiet &= !marked;
                return;
            }
        }
        let scene = Scene::CallsEnd { calls: vec![call], outcome };
        // The arrival of its result says that a call is done.
        let quiet = outcome == Outcome::Done && !marked;
        self.endings.push(moment(at, None, Some(call), quiet, scene));
    }

    /// Rotations that lead from one id to the next are one until somebody resumes.
    pub(super) fn rotate(&mut self, at: At<'a>, from: &'a str, to: &'a str, keeps_old: bool) {
        if let Some(moment) = &mut self.rotation
            && let Scene::Rotates { to: newest, count, keeps_old: same, .. } = &mut moment.scene
            && *newest == from
            && *same == keeps_old
        {
            *newest = to;
            *count += 1;
            moment.at_ms = at.record.at_ms;
            moment.records.push(at.index);
            return;
        }
        self.moments.extend(self.rotation.take());
        let scene = Scene::Rotates { from, to, count: 1, keeps_old };
        self.rotation = Some(moment(at, None, None, false, scene));
    }

    /// A fault is told when it is carried out, with its place and its effect.
    pub(super) fn fault(&mut self, at: At<'a>, fault: &'a str, action: &'a str) {
        let planned = self.plan.faults.iter().find(|planned| planned.id == fault);
        let stream = planned.and_then(|planned| planned.trigger.stream());
        let reached = self.fault_record(fault, FaultState::Reached);
        let place = reached.and_then(|(_, detail)| detail);
        let effect = self.fault_record(fault, FaultState::Effective).and_then(|(_, detail)| detail);
        // What it brought about may be recorded before it is: in a story the cause comes first.
        let cause = reached.map(|(reached, _)| reached);
        let at = cause.filter(|cause| cause.record.at_ms == at.record.at_ms).unwrap_or(at);
        self.push(at, stream, false, Scene::Fires { planned, action, place, effect });
    }

    fn fault_record(&self, id: &str, wanted: FaultState) -> Option<(At<'a>, Option<&'a str>)> {
        let mut records = self.trace.records.iter().enumerate();
        records.find_map(|(index, record)| match &record.what {
            What::Fault { fault, state, detail, .. } if fault == id && *state == wanted => {
                Some((At { index, record }, detail.as_deref()))
            }
            _ => None,
        })
    }
}
