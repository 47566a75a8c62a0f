//! One run with the same past as another and a rest that is drawn anew.
//!
//! Owns the promise that the past is the same: whatever was drawn and shows before the point is
//! taken out, and the rest is played again. Only then it is looked at what the run shows. It must
//! not know how many such runs there are.

use std::collections::BTreeSet;

use seamstress_oracle::{Judgement, Verdict};
use seamstress_plan::{Draws, Past, Plan, Redraw, reseed};
use seamstress_report::{Point, Shows, finding_to_explain};
use seamstress_sim::PlayError;
use seamstress_trace::{Record, What};

use super::past::past;
use crate::playing::Played;

/// How often the rest is drawn before it is said that the past cannot be had again. A draw in vain
/// is rare: a run that ended before the point, since all that was left to ask for is drawn away.
const DRAWS_MAX: u64 = 8;

/// A run whose rest is drawn anew from several of its points.
pub struct Reseeding<'a> {
    played: &'a Played,
    redraw: &'a Redraw,
    key: &'a str,
    points: Vec<(&'a Point, Past)>,
}

/// What came of drawing the rest anew once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reseeded {
    /// What the run showed; none if none had the same past.
    pub shows: Option<Shows>,
    /// How many runs it took.
    pub runs: u64,
}

/// A search for a run with the same past.
struct Search {
    found: Option<Played>,
    /// How often the rest was drawn.
    draws: u64,
    /// How many runs were played: one for each draw, and one more for each thing taken out.
    runs: u64,
}

impl<'a> Reseeding<'a> {
    /// Of this run, from these points.
    pub fn new(
        played: &'a Played,
        redraw: &'a Redraw,
        key: &'a str,
        points: &'a [Point],
    ) -> Reseeding<'a> {
        let records = &played.trace.records;
        let past =
            |point: &'a Point| (point, past(&records[..point.records], &played.plan.workload));
        Reseeding { played, redraw, key, points: points.iter().map(past).collect() }
    }

    /// Draws the rest anew from this point. The draws depend on the seed of the plan, the place of
    /// the point in the run and the ordinal alone.
    ///
    /// # Errors
    /// [`PlayError`] if it cannot be played.
    pub fn reseeded(&self, point: usize, ordinal: u64) -> Result<Reseeded, PlayError> {
        let Search { found, runs, .. } = self.search(point, ordinal)?;
        Ok(Reseeded { shows: found.map(|played| self.shows(&played)), runs })
    }

    fn search(&self, point: usize, ordinal: u64) -> Result<Search, PlayError> {
        let (point, past) = &self.points[point];
        let plan = &self.played.plan;
        let place = format!("after {} records", point.records);
        let mut draws = Draws::new(plan.seed, "likelihood", &place, ordinal);
        let mut search = Search { found: None, draws: 0, runs: 0 };
        while search.draws < DRAWS_MAX {
            search.draws += 1;
            let mut candidate = reseed(plan, past, self.redraw, draws.next_u64());
            loop {
                let played = Played::of(candidate.clone())?;
                search.runs += 1;
                let records = &played.trace.records;
                if has_the_same_past(records, &self.played.trace.records, point) {
                    return Ok(Search { found: Some(played), ..search });
                }
                let Some(early) = first_too_early(records, past, point, &candidate) else { break };
                candidate = candidate.without(&BTreeSet::from([early]));
            }
        }
        Ok(search)
    }

    /// What the whole run shows without one of its faults.
    ///
    /// # Errors
    /// [`PlayError`] if it cannot be played.
    pub fn without(&self, fault: &str) -> Result<Shows, PlayError> {
        let without = self.played.plan.without(&BTreeSet::from([fault.to_owned()]));
        Ok(self.shows(&Played::of(without)?))
    }

    fn shows(&self, played: &Played) -> Shows {
        let Judgement { verdict, findings, .. } = &played.judgement;
        if findings.iter().any(|finding| finding.key() == self.key) {
            return Shows::Finding;
        }
        match finding_to_explain(&played.as_play(), None) {
            Some(other) => Shows::Other(Some(other.key())),
            None if *verdict == Verdict::Error => Shows::Other(None),
            None => Shows::Nothing,
        }
    }
}

/// Whether nothing but what happened in the original had happened by the point.
fn has_the_same_past(records: &[Record], original: &[Record], point: &Point) -> bool {
    let is_past = |record: &Record| point.at_ms.is_some_and(|at_ms| record.at_ms <= at_ms);
    records.get(..point.records) == Some(&original[..point.records])
        && !records.get(point.records).is_some_and(is_past)
}

/// The first operation or fault that was drawn and shows before the point. What shows after it may
/// do so because of it, so it is not looked at.
fn first_too_early(
    records: &[Record],
    past: &Past,
    point: &Point,
    candidate: &Plan,
) -> Option<String> {
    let before = records.iter().take_while(|record| Some(record.at_ms) <= point.at_ms);
    let mut drawn = before.filter_map(|record| match &record.what {
        What::Fault { fault, .. } => Some(fault).filter(|fault| !past.faults.contains(*fault)),
        What::Request { stream: Some(stream), .. } => {
            let is_drawn = !past.operations.contains(stream)
                && candidate.workload.iter().any(|operation| operation.id == *stream);
            Some(stream).filter(|_| is_drawn)
        }
        _ => None,
    });
    drawn.next().cloned()
}

#[cfg(test)]
mod tests {
    use seamstress_report::{marks, points};

    use super::*;
    use crate::args::TrioArguments;
    use crate::target;

    struct Sample {
        played: Played,
        redraw: Redraw,
        key: String,
        points: Vec<Point>,
    }

    fn sample(target: &str, server: &str, count: usize) -> Sample {
        let trio = TrioArguments { server: Some(server.into()), ..TrioArguments::default() };
        let named = target::plan(target, &trio).expect("a plan");
        let scenario = target::scenario_of(target, &named.plan).expect("a scenario");
        let redraw = Redraw::of_scenario(&scenario.expect("of this build").scenario);
        let played = Played::of(named.plan).expect("played");
        let play = played.as_play();
        let finding = finding_to_explain(&play, None).expect("it fails");
        let points = points(&play, finding.record, &marks(&play, finding.record), count);
        Sample { key: finding.key(), redraw: redraw.expect("it draws"), points, played }
    }

    /// The records up to a point are those of the original, and no other had happened by its time.
    fn assert_same_past(played: &Played, original: &Played, point: &Point) {
        let before = |played: &Played| -> Vec<Record> {
            let records = played.trace.records.iter();
            records.filter(|record| Some(record.at_ms) <= point.at_ms).cloned().collect()
        };
        assert_eq!(before(original).len(), point.records);
        assert_eq!(before(played), before(original), "{}", point.after);
    }

    #[test]
    fn every_reseeded_run_has_the_past_of_the_original_and_another_future() {
        let (mut others, mut taken_out, mut in_vain) = (0, 0, 0);
        for (target, server) in [
            ("storm@2", "reference:replay-whole-ring"),
            ("storm@28", "reference:clamp-to-floor"),
            ("replicas@17", "reference:accept-ahead"),
        ] {
            let Sample { played, redraw, key, points } = sample(target, server, 7);
            let reseeding = Reseeding::new(&played, &redraw, &key, &points);
            for (index, point) in points.iter().enumerate() {
                for ordinal in 0..4 {
                    let search = reseeding.search(index, ordinal).expect("played");
                    let reseeded = search.found.expect("a run with the same past");
                    assert_same_past(&reseeded, &played, point);
                    others += usize::from(reseeded.digest != played.digest);
                    taken_out += usize::from(search.runs > search.draws);
                    in_vain += search.draws - 1;
                }
            }
        }
        assert!(others > 40, "only {others} of 84 runs went on in another way");
        assert!(taken_out > 5, "in {taken_out} runs something was too early and taken out");
        assert!(in_vain < 20, "{in_vain} draws in vain");
    }

    #[test]
    fn a_run_without_one_of_its_faults_is_told_by_what_it_shows() {
        let Sample { played, redraw, key, points } =
            sample("storm@2", "reference:replay-whole-ring", 2);
        let reseeding = Reseeding::new(&played, &redraw, &key, &points);
        let without = |fault: &str| reseeding.without(fault).expect("played");
        assert_eq!(without("concurrency-1-cut"), Shows::Nothing);
        assert_eq!(without("rotation-1"), Shows::Finding);
        let another = Reseeding::new(&played, &redraw, "skip/of/another", &points);
        let shows = another.without("rotation-1").expect("played");
        assert_eq!(shows, Shows::Other(Some(key.clone())));
    }

    #[test]
    fn one_more_record_at_the_time_of_the_point_is_another_past() {
        let Sample { played, points, .. } = sample("storm@2", "reference:replay-whole-ring", 3);
        let (records, point) = (&played.trace.records, &points[1]);
        assert!(has_the_same_past(records, records, point));
        let mut longer = records.clone();
        longer.insert(point.records, longer[point.records - 1].clone());
        assert!(!has_the_same_past(&longer, records, point));
        assert!(!has_the_same_past(&records[1..], records, point));
        assert!(!has_the_same_past(&records[..point.records - 1], records, point));
    }
}
