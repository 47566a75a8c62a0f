//! Properties of the event log and the verdict that hold for every history (interleaved streams,
//! bursts, re-bases, waiting, changes of retention), every option and every cursor.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use seamstress_resumption::{
    Counters, EventLog, Floor, IdScheme, LogOptions, Resolution, Retention, resume_stream,
};

use crate::histories::{Op, STREAMS, apply, config, ops, options, play};
use crate::model::{Expected, Model};

fn garbage() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(prop_oneof!["[0-9s.+-]{0,10}", "(s1\\.)?[0-9]{0,21}", ".{0,8}"], 0..12)
}

proptest! {
    #![proptest_config(config(512))]

    #[test]
    fn an_accepted_cursor_gets_exactly_the_missing_suffix_of_its_stream(
        options in options(), ops in ops(), garbage in garbage(), as_of_ms in latest_or(80),
    ) {
        let (log, model) = play(&options, &ops);
        for cursor in model.cursors(garbage) {
            let resolution = log.resolve_cursor_as_of(&cursor, as_of_ms);
            let (stream, after, replay) = match &resolution {
                Resolution::Refused(_) => continue,
                Resolution::CaughtUp { stream, after } => (stream, *after, &[][..]),
                Resolution::Resume { stream, after, replay } => (stream, *after, &replay[..]),
            };
            let named = model.events.iter().find(|event| {
                event.stream == &**stream && event.position == after
            });
            let named = named.expect("an accepted cursor names an event that was issued");
            prop_assert_eq!(&named.id, &cursor);
            prop_assert_eq!(named.epoch, model.epoch);
            let positions: Vec<_> = replay.iter().map(|event| event.position).collect();
            prop_assert_eq!(&positions, &model.suffix(stream, after, as_of_ms), "{}", cursor);
            for event in replay {
                let truth = &model.events[event.payload];
                prop_assert!(model.is_retained(truth));
                prop_assert_eq!((truth.stream, truth.position), (&**stream, event.position));
                prop_assert_eq!(&*truth.id, event.id.as_str());
                prop_assert_eq!(truth.at_ms, event.appended_at_ms);
            }
        }
    }

    #[test]
    fn every_cursor_gets_the_verdict_of_the_reference_and_the_first_reason_that_applies(
        options in options(), ops in ops(), garbage in garbage(), as_of_ms in latest_or(80),
    ) {
        let (log, model) = play(&options, &ops);
        for cursor in model.cursors(garbage) {
            let resolution = log.resolve_cursor_as_of(&cursor, as_of_ms);
            let expected = model.resolve(&cursor, as_of_ms);
            prop_assert_eq!(Expected::of(&resolution), expected, "cursor {:?}", cursor);
        }
    }

    #[test]
    fn the_safe_entry_gives_the_same_answer(
        options in options(), ops in ops(), garbage in garbage(),
    ) {
        let (log, model) = play(&options, &ops);
        for cursor in model.cursors(garbage) {
            let got = match resume_stream(&log, &cursor) {
                Ok(resumed) => Expected::Accepted {
                    stream: resumed.stream.to_string(),
                    after: resumed.after,
                    replay: resumed.replay.iter().map(|event| event.position).collect(),
                },
                Err(desync) => {
                    prop_assert_eq!(&desync.cursor, &cursor);
                    Expected::Refused(desync.reason)
                }
            };
            prop_assert_eq!(got, Expected::of(&log.resolve_cursor(&cursor)));
        }
    }

    #[test]
    fn what_the_strict_floor_accepts_the_predecessor_floor_accepts_alike(
        options in options(), ops in ops(), as_of_ms in latest_or(80),
    ) {
        let (strict, model) = play(&LogOptions { floor: Floor::Strict, ..options.clone() }, &ops);
        let (lenient, _) = play(&LogOptions { floor: Floor::Predecessor, ..options }, &ops);
        for cursor in model.cursors(vec![]) {
            let resolution = strict.resolve_cursor_as_of(&cursor, as_of_ms);
            if !matches!(resolution, Resolution::Refused(_)) {
                prop_assert_eq!(lenient.resolve_cursor_as_of(&cursor, as_of_ms), resolution);
            }
        }
    }

    #[test]
    fn a_lagging_replica_answers_as_a_log_that_stopped_at_its_time(
        options in options(), ops in ops(), garbage in garbage(),
    ) {
        let states = states_by_time(&options, &ops);
        let Some((log, model)) = states.last() else { return Ok(()) };
        for (stopped, model_then) in &states {
            let lost_since = model_then.events.iter().zip(&model.events).any(|(then, now)| {
                model_then.is_retained(then) && !model.is_retained(now)
            }) || model.events[model_then.events.len()..].iter().any(|now| !model.is_retained(now));
            if lost_since || model_then.epoch != model.epoch {
                continue;
            }
            for cursor in model.cursors(garbage.clone()) {
                prop_assert_eq!(
                    log.resolve_cursor_as_of(&cursor, model_then.now_ms),
                    stopped.resolve_cursor(&cursor),
                    "cursor {:?} as of {} ms", cursor, model_then.now_ms
                );
            }
        }
    }

    #[test]
    fn the_log_keeps_what_the_model_keeps(options in options(), ops in ops()) {
        let (log, model) = play(&options, &ops);
        let order: Vec<_> = log.retained_all().map(|(_, event)| event.payload).collect();
        let expected = 0..model.events.len();
        let expected = expected.filter(|&index| model.is_retained(&model.events[index]));
        prop_assert_eq!(order, expected.collect::<Vec<_>>());
        prop_assert_eq!(log.epoch(), model.epoch);
        for stream in log.streams() {
            let retained: Vec<_> = log.retained(stream).map(|event| event.position).collect();
            let high_water = model.suffix(stream, 0, u64::MAX).len() as u64;
            prop_assert_eq!(&retained, &model.retained(stream));
            prop_assert_eq!(log.high_water_position(stream), Some(high_water));
            let floor = retained.first().copied().unwrap_or(high_water + 1);
            prop_assert_eq!(log.floor_position(stream), Some(floor));
            for event in log.retained(stream) {
                prop_assert_eq!(log.id_of_position(stream, event.position), Some(&event.id));
            }
            for position in 0..=high_water {
                let after = log.retained_after(stream, position);
                let after = after.map(|events| events.map(|event| event.position).collect());
                let all = position + 1 >= floor;
                prop_assert_eq!(after, all.then(|| model.suffix(stream, position, u64::MAX)));
            }
        }
    }

    #[test]
    fn no_id_is_issued_twice_unless_bare_or_restarted(options in options(), ops in ops()) {
        let restarted = ops.iter().any(|op| matches!(op, Op::Rebase(Counters::Restarted)));
        let unique = match options.scheme {
            IdScheme::EpochNamespaced => true,
            IdScheme::SessionCounter | IdScheme::Namespaced => !restarted,
            IdScheme::StreamCounter => false,
        };
        let unbounded = LogOptions { retention: Retention::UNBOUNDED, ..options };
        let (_, model) = play(&unbounded, &ops);
        let ids: BTreeSet<_> = model.events.iter().map(|event| &event.id).collect();
        prop_assert!(!unique || ids.len() == model.events.len());
    }
}

/// Mostly the log as it is, sometimes as a replica sees it that lags.
fn latest_or(as_of_ms_max: u64) -> impl Strategy<Value = u64> {
    prop_oneof![1 => Just(u64::MAX), 1 => 0..as_of_ms_max]
}

/// The log and the model as they were last at each time of the clock. Bursts are taken apart, so
/// that the time changes at most once in a step.
fn states_by_time(options: &LogOptions, ops: &[Op]) -> Vec<(EventLog<usize>, Model)> {
    let mut log = EventLog::new(options.clone()).expect("s1 is a valid tag");
    let mut model = Model::new(options.clone());
    let (mut now_ms, mut issued) = (0, 0);
    let mut states: Vec<(EventLog<usize>, Model)> = Vec::new();
    for op in ops {
        let single = match *op {
            Op::Burst { stream, events, step_ms } => {
                vec![Op::Burst { stream, events: 1, step_ms }; usize::from(events)]
            }
            _ => vec![op.clone()],
        };
        for op in single {
            apply(&mut log, &mut now_ms, &mut issued, &op);
            model.apply(&op);
            states.pop_if(|(_, last)| last.now_ms == now_ms);
            states.push((log.clone(), model.clone()));
        }
    }
    states
}

#[test]
fn the_histories_played_reach_every_reason_and_both_kinds_of_acceptance() {
    // A property that is never put to the test proves nothing: count what the cases above are made
    // of, with the same generators.
    let mut runner = TestRunner::deterministic();
    let mut seen = BTreeSet::new();
    for _ in 0..1024 {
        let (options, ops) = (options(), ops()).new_tree(&mut runner).unwrap().current();
        let (log, model) = play(&options, &ops);
        for cursor in model.cursors(vec![]) {
            let verdict = log.resolve_cursor(&cursor).verdict().to_string();
            seen.insert(format!("{} {} {verdict}", options.scheme, options.floor));
        }
    }
    let everywhere = ["malformed", "below-floor", "ahead", "resumed", "caught-up"];
    let only_in = |scheme: IdScheme| match scheme {
        IdScheme::SessionCounter => vec!["not-retained"],
        IdScheme::Namespaced => vec!["unknown-stream", "other-session"],
        IdScheme::EpochNamespaced => vec!["unknown-stream", "other-epoch", "other-session"],
        IdScheme::StreamCounter => vec!["not-retained", "ambiguous"],
    };
    let mut expected = BTreeSet::new();
    for &scheme in IdScheme::ALL {
        for floor in Floor::ALL {
            for verdict in everywhere.iter().copied().chain(only_in(scheme)) {
                expected.insert(format!("{scheme} {floor} {verdict}"));
            }
        }
    }
    assert_eq!(seen, expected);
    assert_eq!(STREAMS[0], "get", "the mutations of cursors replace this name");
}
