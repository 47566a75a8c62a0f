//! Which steps of a run caused a finding.
//!
//! Owns the choice of the at most ten steps that a failure tells: the request of the resumption and
//! what was decided about it, how the connection before it ended and which fault did that, then
//! whatever else happened on the same streams. It must not know how steps are told. It exists
//! because a run has hundreds of records, and a reader has patience for ten.

use std::collections::BTreeSet;

use seamstress_oracle::Finding;
use seamstress_plan::{Family, Fault};

use super::STEPS_MAX;
use crate::moment::{Moment, Scene};
use crate::telling::shown_by;

/// The steps of `told` that led to a finding, in order: of all that did, the most direct ones.
pub(super) fn of<'v, 'a>(told: &[&'v Moment<'a>], finding: &Finding) -> Vec<&'v Moment<'a>> {
    let Some(shown) = shown_by(told, finding.record) else { return Vec::new() };
    let around = Around::of(told, shown, finding);
    let mut ranked: Vec<(u32, usize, usize)> = Vec::new();
    for (index, moment) in told.iter().enumerate().take(shown + 1) {
        if let Some(rank) = around.rank(index, moment) {
            ranked.push((rank, shown - index, index));
        }
    }
    ranked.sort_unstable();
    ranked.truncate(STEPS_MAX);
    let mut steps: Vec<usize> = ranked.into_iter().map(|(_, _, index)| index).collect();
    steps.sort_unstable();
    steps.into_iter().map(|index| told[index]).collect()
}

/// What a step is measured against.
struct Around<'a> {
    finding: &'a Finding,
    /// The step that shows the finding.
    shown: usize,
    /// The exchanges that it is about: the one that shows it, and the accepted resumption before.
    exchanges: BTreeSet<u64>,
    /// The streams that it is about.
    streams: BTreeSet<&'a str>,
    /// The request of the newest resumption among the exchanges, or else the step itself.
    resumed: usize,
    /// How the connection before that resumption ended.
    cut: Option<usize>,
    /// The fault that was carried out last before that.
    fault: Option<usize>,
}

impl<'a> Around<'a> {
    fn of(told: &[&'a Moment], shown: usize, finding: &'a Finding) -> Around<'a> {
        let exchanges: BTreeSet<u64> =
            [finding.resumption, told[shown].exchange].into_iter().flatten().collect();
        let own = |moment: &Moment| moment.exchange.is_some_and(|own| exchanges.contains(&own));
        let related = |moment: &Moment| finding.related.iter().any(|r| moment.covers(*r));
        let about = told.iter().filter(|moment| own(moment) || related(moment));
        let mut streams: BTreeSet<&str> = about.filter_map(|moment| moment.stream).collect();
        streams.extend(told[shown].stream);
        let on = |moment: &Moment| moment.stream.is_some_and(|stream| streams.contains(stream));
        let resumed = told[..shown]
            .iter()
            .rposition(|moment| matches!(moment.scene, Scene::Resumes { .. }) && own(moment))
            .unwrap_or(shown);
        let cut = told[..resumed]
            .iter()
            .rposition(|moment| matches!(moment.scene, Scene::Ends(_)) && on(moment));
        let before = &told[..cut.unwrap_or(resumed)];
        let fired = |moment: &Moment| matches!(moment.scene, Scene::Fires { .. });
        let fault = before
            .iter()
            .rposition(|moment| fired(moment) && on(moment))
            .or_else(|| before.iter().rposition(|moment| fired(moment)));
        Around { finding, shown, exchanges, streams, resumed, cut, fault }
    }

    /// How directly a step led to the finding: 0 is the step that shows it; none if not at all.
    fn rank(&self, index: usize, moment: &Moment) -> Option<u32> {
        let related = self.finding.related.iter().any(|record| moment.covers(*record));
        let own = moment.exchange.is_some_and(|own| self.exchanges.contains(&own));
        let on_stream = moment.stream.is_some_and(|stream| self.streams.contains(stream));
        if index == self.shown {
            return Some(0);
        }
        if related || index == self.resumed {
            return Some(1);
        }
        if Some(index) == self.cut || Some(index) == self.fault {
            return Some(2);
        }
        match &moment.scene {
            Scene::Decides(_) | Scene::Checks { .. } if own => Some(1),
            Scene::Answers { .. } if own => Some(2),
            Scene::Asks { .. } | Scene::Ends(_) if on_stream => Some(3),
            // What happens after the cursor was presented seldom matters any more.
            Scene::Fires { .. } if index > self.resumed => Some(6),
            Scene::Fires { planned, .. } if on_stream || reaches_all(*planned) => Some(4),
            Scene::SessionEnds { .. } => Some(4),
            Scene::Arrives { .. } if own => Some(4),
            Scene::Loses { .. } | Scene::Arrives { .. } if on_stream => Some(5),
            Scene::Rotates { .. } | Scene::Loses { .. } => Some(6),
            _ if on_stream || own => Some(6),
            _ => None,
        }
    }
}

/// Whether a fault is felt on other streams than the one that triggers it.
fn reaches_all(planned: Option<&Fault>) -> bool {
    planned.is_none_or(|fault| match fault.family {
        Family::Rotation | Family::Eviction | Family::Routing => true,
        Family::Drop | Family::Silence | Family::Concurrency | Family::Shape => {
            fault.trigger.stream().is_none()
        }
    })
}
