//! What may happen to an event log, drawn at random: options, and histories of interleaved streams,
//! bursts, waiting, changes of retention and re-bases; and playing one on the log under test and
//! on the model alike. It knows nothing of what is expected of either.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use seamstress_resumption::{Counters, EventLog, Floor, IdScheme, LogOptions, Retention};

use crate::model::Model;

pub const STREAMS: [&str; 4] = ["get", "call-1", "call-2", "call-3"];

/// The same cases in every run; `PROPTEST_CASES=20000 cargo test` explores new ones.
pub fn config(cases: u32) -> ProptestConfig {
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => ProptestConfig::default(),
        None => ProptestConfig { cases, rng_seed: RngSeed::Fixed(4471), ..Default::default() },
    }
}

/// One thing that happens to a log. Steps are milliseconds by which the clock moves first.
#[derive(Debug, Clone)]
pub enum Op {
    Burst { stream: &'static str, events: u8, step_ms: u64 },
    Open(&'static str),
    Wait { step_ms: u64 },
    Retain(Retention),
    Rebase(Counters),
}

fn retention() -> impl Strategy<Value = Retention> {
    let limit = || prop::option::weighted(0.4, 0..12_u64);
    (limit(), limit(), prop::option::weighted(0.3, 0..40_u64)).prop_map(
        |(session_events_max, stream_events_max, age_ms_max)| Retention {
            session_events_max,
            stream_events_max,
            age_ms_max,
        },
    )
}

fn op() -> impl Strategy<Value = Op> {
    let stream = || prop::sample::select(&STREAMS[..]);
    let counters = prop::sample::select(Counters::ALL);
    prop_oneof![
        12 => (stream(), 1..6_u8, 0..6_u64)
            .prop_map(|(stream, events, step_ms)| Op::Burst { stream, events, step_ms }),
        1 => stream().prop_map(Op::Open),
        2 => (0..40_u64).prop_map(|step_ms| Op::Wait { step_ms }),
        1 => retention().prop_map(Op::Retain),
        1 => counters.prop_map(Op::Rebase),
    ]
}

pub fn ops() -> impl Strategy<Value = Vec<Op>> {
    // Some sessions have a single stream: there a bare counter may be accepted.
    let single = prop::collection::vec(op(), 0..16).prop_map(|mut ops| {
        for op in &mut ops {
            if let Op::Burst { stream, .. } | Op::Open(stream) = op {
                *stream = STREAMS[0];
            }
        }
        ops
    });
    prop_oneof![3 => prop::collection::vec(op(), 0..16), 1 => single]
}

pub fn options() -> impl Strategy<Value = LogOptions> {
    let scheme = prop::sample::select(IdScheme::ALL);
    let floor = prop::sample::select(Floor::ALL);
    let first_counter = prop_oneof![4 => Just(1), 1 => Just(0), 1 => Just(4401)];
    (scheme, floor, retention(), first_counter).prop_map(
        |(scheme, floor, retention, first_counter)| LogOptions {
            floor,
            retention,
            first_counter,
            ..LogOptions::new(scheme, "s1")
        },
    )
}

/// Applies the same thing to the log under test. The payload of an event is its place in the
/// history of the model.
pub fn apply(log: &mut EventLog<usize>, now_ms: &mut u64, issued: &mut usize, op: &Op) {
    match *op {
        Op::Burst { stream, events, step_ms } => {
            for _ in 0..events {
                *now_ms += step_ms;
                log.append(stream, *issued, *now_ms).expect("a valid name and a low counter");
                *issued += 1;
            }
        }
        Op::Open(stream) => log.open_stream(stream).expect("a valid name"),
        Op::Wait { step_ms } => {
            *now_ms += step_ms;
            log.expire(*now_ms);
        }
        Op::Retain(retention) => log.set_retention(retention),
        Op::Rebase(counters) => log.rebase(counters),
    }
}

/// The log under test and the model after the same history.
pub fn play(options: &LogOptions, ops: &[Op]) -> (EventLog<usize>, Model) {
    let mut log = EventLog::new(options.clone()).expect("s1 is a valid tag");
    let mut model = Model::new(options.clone());
    let (mut now_ms, mut issued) = (0, 0);
    for op in ops {
        apply(&mut log, &mut now_ms, &mut issued, op);
        model.apply(op);
    }
    (log, model)
}
