//! What a storm costs beside the traffic it is made of.
//!
//! Three things in one run, so that their ratio means something on a noisy machine: (a) turmoil
//! with the same hosts and steps and nothing to do; (b) the same connections and events through a
//! pass-through proxy written straight on turmoil and hyper, with no plan, trace or judge; (c) the
//! standard storm, played, recorded and judged. Then how the cost grows with the events of a run.
//! Absolute times are of the machine; the ratios at the end are what the project watches.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a benchmark measures wall time"
)]

mod bare;

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput};
use seamstress_plan::{Ask, Plan};

/// The allocator of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How often the three are measured in turn for the ratios.
const ROUNDS: usize = 400;

fn standard_storm() -> Plan {
    let text = include_str!("standard-storm.json");
    Plan::from_json("standard-storm.json", text).expect("the plan of this benchmark is valid")
}

/// The standard storm with so many events on each of its streams.
fn storm_of(events: u64) -> Plan {
    let mut plan = standard_storm();
    for operation in &mut plan.workload {
        match &mut operation.ask {
            Ask::Count { events: count, interval_ms, .. }
            | Ask::Announce { events: count, interval_ms } => {
                (*count, *interval_ms) = (events / 3, 1);
            }
            Ask::Listen | Ask::ListTools | Ask::Ping => {}
        }
    }
    plan.topology.server.session_events_max = None;
    plan.phases.deadline_ms = 1_000_000;
    plan
}

/// (c): what a sweep does for one seed.
fn play_and_judge(plan: &Plan) -> String {
    let trace = seamstress_sim::play(plan).expect("the reference trio is there");
    let judgement = seamstress_oracle::judge(&trace);
    assert!(judgement.findings.is_empty(), "{:?}", judgement.findings);
    trace.digest().to_string()
}

fn time(work: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    work();
    begin.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn ratios(plan: &Plan, script: &bare::Script) {
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        times[0].push(time(|| bare::idle(script.steps)));
        times[1].push(time(|| bare::traffic(script)));
        times[2].push(time(|| drop(black_box(play_and_judge(plan)))));
    }
    let [idle, traffic, storm] = times.map(median);
    let per_second = 1.0 / storm.as_secs_f64();
    println!(
        "\n{} steps, {} exchanges, {} events; medians of {ROUNDS} rounds in turn",
        script.steps,
        script.exchanges.len(),
        script.events()
    );
    println!("(a) idle turmoil      {idle:>10.1?}");
    println!("(b) bare traffic      {traffic:>10.1?}   (b)/(a) {:.2}", ratio(traffic, idle));
    println!("(c) standard storm    {storm:>10.1?}   (c)/(b) {:.2}", ratio(storm, traffic));
    println!("storms per second of one core: {per_second:.0}");
}

fn ratio(above: Duration, below: Duration) -> f64 {
    above.as_secs_f64() / below.as_secs_f64()
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let plan = standard_storm();
    let script = bare::Script::of(&plan);

    let mut group = criterion.benchmark_group("standard storm");
    group.bench_function("(a) idle turmoil", |bench| bench.iter(|| bare::idle(script.steps)));
    group.bench_function("(b) bare traffic", |bench| bench.iter(|| bare::traffic(&script)));
    group.bench_function("(c) played, recorded, judged", |bench| {
        bench.iter(|| play_and_judge(&plan));
    });
    group.finish();

    let mut group = criterion.benchmark_group("growth");
    group.sample_size(10);
    for events in [1_000, 10_000, 100_000] {
        let plan = storm_of(events);
        group.throughput(Throughput::Elements(events));
        group.bench_with_input(BenchmarkId::from_parameter(events), &plan, |bench, plan| {
            bench.iter(|| play_and_judge(plan));
        });
    }
    group.finish();

    if !std::env::args().any(|argument| argument == "--test" || argument == "--list") {
        ratios(&plan, &script);
    }
    criterion.final_summary();
}
