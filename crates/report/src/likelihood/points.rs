//! From which points of a run its rest is drawn anew.
//!
//! Owns the choice: the beginning, the last moment before the finding, the moments around every
//! fault, and between them as evenly as can be over what happens. It must not know what is done
//! there. A point lies between two steps of simulated time, so that everything up to it has been
//! seen and nothing after it has.

use std::collections::BTreeSet;

use seamstress_oracle::{Judgement, Verdict};
use seamstress_trace::{FaultState, Record, Trace, What};

use super::Mark;
use crate::messages::Messages;
use crate::moment::{Moment, Scene};
use crate::unfold::unfold;
use crate::{Play, foreign, words};

/// A point of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// How many records of the trace lie before it.
    pub records: usize,
    /// The time of the last of them, in milliseconds since the start of the run; none at the very
    /// beginning.
    pub at_ms: Option<u64>,
    /// What has just happened, in words.
    pub after: String,
}

/// At most `count` points of a run, the first before anything has happened, the last just before
/// the record that shows the finding.
#[must_use]
pub fn points(play: &Play, finding: usize, marks: &[Mark], count: usize) -> Vec<Point> {
    let records = &play.trace.records;
    let times = times(records, finding);
    let chosen = chosen(&times, marks, count);
    chosen.into_iter().map(|place| point(play, place.checked_sub(1).map(|i| times[i]))).collect()
}

/// The times before the finding at which something happens that can be told, rising.
fn times(records: &[Record], finding: usize) -> Vec<u64> {
    let Some(found) = records.get(finding) else { return Vec::new() };
    let is_telling = |record: &&Record| match &record.what {
        What::Phase { .. } | What::Emit { .. } | What::Leftover { .. } | What::RunEnd { .. } => {
            false
        }
        What::Fault { state, .. } => *state == FaultState::Fired,
        _ => true,
    };
    let before = records.iter().take_while(|record| record.at_ms < found.at_ms);
    let times: BTreeSet<u64> = before.filter(is_telling).map(|record| record.at_ms).collect();
    times.into_iter().collect()
}

/// The places that are chosen: 0 is the beginning, and 1 comes after the first of these times.
fn chosen(times: &[u64], marks: &[Mark], count: usize) -> Vec<usize> {
    let last = times.len();
    let mut chosen = BTreeSet::from([0, last]);
    for mark in marks {
        // So many times lie before the fault, and the next one comes with it or after it.
        let before = times.partition_point(|time| *time < mark.at_ms);
        chosen.extend([before, (before + 1).min(last)]);
    }
    if chosen.len() > count {
        return thinned(&chosen.into_iter().collect::<Vec<_>>(), count);
    }
    while chosen.len() < count {
        let places: Vec<usize> = chosen.iter().copied().collect();
        let gaps = places.windows(2).map(|pair| (pair[1] - pair[0], pair[0]));
        // The widest gap, and of equal ones the first.
        let widest = gaps.max_by_key(|(width, from)| (*width, std::cmp::Reverse(*from)));
        match widest {
            Some((width, from)) if width > 1 => chosen.insert(from + width / 2),
            _ => break,
        };
    }
    chosen.into_iter().collect()
}

/// `count` of these, as evenly as can be, the first and the last among them.
fn thinned(places: &[usize], count: usize) -> Vec<usize> {
    let gaps = count.saturating_sub(1).max(1);
    let last = places.len() - 1;
    (0..=gaps).map(|number| places[(number * last + gaps / 2) / gaps]).collect()
}

fn point(play: &Play, at_ms: Option<u64>) -> Point {
    let Some(time) = at_ms else {
        return Point { records: 0, at_ms, after: "before anything happens".to_owned() };
    };
    let records = play.trace.records.partition_point(|record| record.at_ms <= time);
    Point { records, at_ms, after: last_words(play, records, time) }
}

/// What happened at this time, which is the last of so many records: not a fault if there is
/// anything else, since faults are told between the points.
fn last_words(play: &Play, records: usize, time: u64) -> String {
    let trace = Trace {
        header: play.trace.header.clone(),
        records: play.trace.records[..records].to_vec(),
    };
    // What is found later must not be told here.
    let judgement = Judgement {
        verdict: Verdict::Holds,
        findings: Vec::new(),
        resumptions: Vec::new(),
        states: BTreeSet::new(),
        faults: play.judgement.faults.clone(),
        emitted: 0,
        delivered: 0,
    };
    let moments = unfold(&Play { trace: &trace, judgement: &judgement, ..*play });
    let rank = |moment: &&Moment| match moment.scene {
        Scene::Phase(_) => 0,
        Scene::Fires { .. } => 1,
        _ if moment.quiet => 2,
        _ => 3,
    };
    let now = moments.iter().filter(|moment| moment.at_ms == time);
    match now.max_by_key(rank) {
        Some(Moment { scene: Scene::Fires { .. }, records, .. }) => {
            let fault = records.iter().find_map(|record| match &trace.records[*record].what {
                What::Fault { fault, .. } => Some(fault.as_str()),
                _ => None,
            });
            format!("{} has just happened", fault.unwrap_or("a fault"))
        }
        Some(moment) => {
            let place = moment.stream.unwrap_or_else(|| moment.host.name());
            let sentence = words::sentence(&without_earlier(moment, &trace.records));
            format!("{}: {sentence}", foreign::plain(place))
        }
        None => format!("after {}", words::count(records as u64, "record")),
    }
}

/// Of events that arrived one after the other, only those that did at the last time.
fn without_earlier<'a>(moment: &Moment<'a>, records: &'a [Record]) -> Moment<'a> {
    let mut last = moment.clone();
    if !matches!(moment.scene, Scene::Arrives { .. }) || moment.from_ms == moment.at_ms {
        return last;
    }
    let mut messages = Messages::default();
    for record in moment.records.iter().map(|record| &records[*record]) {
        if record.at_ms == moment.at_ms
            && let What::Event { message: Some(message), .. } = &record.what
        {
            messages.add(message);
        }
    }
    if !messages.is_empty() {
        last.from_ms = moment.at_ms;
        last.scene = Scene::Arrives { messages, kept_back: Messages::default() };
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::likelihood::marks;
    use crate::sample;

    fn mark(at_ms: u64) -> Mark {
        Mark { fault: format!("f{at_ms}"), words: String::new(), at_ms, record: 0 }
    }

    #[test]
    fn the_first_point_is_the_beginning_and_the_last_is_just_before_the_finding() {
        let times: Vec<u64> = (10..110).collect();
        for count in 2..30 {
            let chosen = chosen(&times, &[], count);
            assert_eq!(chosen.len(), count);
            assert_eq!((chosen[0], chosen[count - 1]), (0, 100));
            assert!(chosen.is_sorted_by(|a, b| a < b), "{chosen:?}");
        }
    }

    #[test]
    fn points_lie_evenly_where_no_fault_is() {
        let times: Vec<u64> = (0..64).collect();
        assert_eq!(chosen(&times, &[], 5), [0, 16, 32, 48, 64]);
    }

    #[test]
    fn every_fault_has_a_point_just_before_and_one_just_after_it() {
        let times = [3, 5, 8, 9, 20, 21];
        // Before the time 8 lie two times, and the third comes with the fault.
        assert_eq!(chosen(&times, &[mark(8)], 4), [0, 2, 3, 6]);
        assert_eq!(chosen(&times, &[mark(1)], 3), [0, 1, 6]);
        assert_eq!(chosen(&times, &[mark(30)], 2), [0, 6]);
    }

    #[test]
    fn more_faults_than_points_are_thinned_out_evenly() {
        let times: Vec<u64> = (0..40).collect();
        let marks: Vec<Mark> = (0..20).map(|number| mark(2 * number)).collect();
        let chosen = chosen(&times, &marks, 5);
        assert_eq!(chosen, [0, 10, 20, 30, 40]);
    }

    #[test]
    fn a_run_of_few_moments_has_few_points() {
        assert_eq!(chosen(&[4, 9], &[], 20), [0, 1, 2]);
        assert_eq!(chosen(&[], &[], 20), [0]);
    }

    #[test]
    fn a_point_tells_what_has_just_happened_and_holds_all_of_its_time() {
        let sample = sample::skipping();
        let play = sample.play();
        let finding = play.judgement.findings[0].record;
        let points = points(&play, finding, &marks(&play, finding), 8);
        let told: Vec<String> = points
            .iter()
            .map(|point| format!("{} {:?} {}", point.records, point.at_ms, point.after))
            .collect();
        insta::assert_snapshot!(told.join("\n"), @r#"
        0 None before anything happens
        4 Some(6) client: session S1 begins (the server calls it s1)
        9 Some(12) standalone: an event without a message arrives, with id s1.standalone-1.1
        19 Some(19) c1: progress 1 arrives
        24 Some(20) standalone: notification 1 arrives
        28 Some(21) c1: the connection is reset
        31 Some(24) f2 has just happened
        35 Some(28) c1: accepts s1.c1.3 and replays 2 events, although 4 events follow it on c1: progress 3 to 5 and the result
        "#);
        for point in &points[1..] {
            let (before, after) = play.trace.records.split_at(point.records);
            let time = point.at_ms.expect("not the beginning");
            assert!(before.iter().all(|record| record.at_ms <= time));
            assert!(after.iter().all(|record| record.at_ms > time));
        }
    }
}
