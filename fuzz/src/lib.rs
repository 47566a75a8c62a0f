//! What the fuzz targets have in common: the properties that each reader promises.
//!
//! Owns one function for each kind of file; a target does nothing but call it. They panic when a
//! promise is broken. They must not know who makes the text, so that a text that was found can be
//! put into a test of the crate that owns the reader.

use seamstress_oracle::{Judgement, judge};
use seamstress_plan::{
    DrawnFaults, Kinds, Plan, ReadError, Scenario, StormFaults, Workload, builtin_named, generate,
    validate,
};
use seamstress_report::{Play, Style, failure_block, mermaid, story};
use seamstress_trace::{Trace, What};

/// A plan that reads is the same plan after writing and reading again. Anything else is refused
/// with one line that names a place.
pub fn plan_reads(text: &str) {
    match Plan::from_json("fuzzed.json", text) {
        Ok(plan) => plan_is_whole(&plan),
        Err(error) => error_is_a_place(text, &error),
    }
}

/// Every plan that is drawn from a scenario that reads is possible, and drawing is repeatable.
pub fn scenario_reads(text: &str) {
    let scenario = match Scenario::from_toml("fuzzed.toml", text) {
        Ok(scenario) => scenario,
        Err(error) => return error_is_a_place(text, &error),
    };
    scenario.check().expect("what reads has been checked");
    if !is_small(&scenario) {
        return;
    }
    for seed in [1, u64::MAX] {
        let plan = generate(&scenario, "fuzzed", seed);
        validate(&plan).expect("a drawn plan is possible");
        assert_eq!(generate(&scenario, "fuzzed", seed), plan, "the draw is repeatable");
        plan_is_whole(&plan);
    }
}

/// A trace that reads is the same trace, with the same digest, after writing and reading again.
pub fn trace_reads(bytes: &[u8]) {
    let Some(trace) = read_trace(bytes) else { return };
    let written = trace.to_bytes();
    let again = Trace::read(written.as_slice()).expect("a written trace reads");
    assert_eq!(again, trace);
    assert_eq!(again.to_bytes(), written, "writing is canonical");
    assert_eq!(again.digest(), trace.digest());
}

/// Any trace can be judged, twice with the same judgement, which speaks of records that exist and
/// counts no more than there is; and the judgement can be told.
pub fn trace_is_judged(bytes: &[u8]) {
    let Some(trace) = read_trace(bytes) else { return };
    let judgement = judge(&trace);
    assert_eq!(judge(&trace), judgement, "judging is repeatable");
    for finding in &judgement.findings {
        assert!(finding.record < trace.records.len(), "{finding:?}");
    }
    let requests = trace.records.iter().filter(|it| matches!(it.what, What::Request { .. }));
    assert!(judgement.resumptions.len() <= requests.count(), "{judgement:?}");
    is_told(&trace, &judgement);
}

/// The plan that was played is not in a trace; any will do, since nothing may depend on it.
fn is_told(trace: &Trace, judgement: &Judgement) {
    let scenario = builtin_named("drop").expect("it is built in");
    let scenario = Scenario::from_toml("drop.toml", scenario.text).expect("it reads");
    let plan = generate(&scenario, "drop", 1);
    let play = Play { plan: &plan, trace, judgement, digest: trace.digest() };
    for told in [story(&play), mermaid(&play), failure_block(&play, "drop@1", Style::default())] {
        let steers = |character: char| character.is_control() && character != '\n';
        assert!(!told.contains(steers), "{told:?}");
    }
}

fn read_trace(bytes: &[u8]) -> Option<Trace> {
    match Trace::read(bytes) {
        Ok(trace) => Some(trace),
        Err(error) => {
            assert!(is_one_line(&error.to_string()), "{error:?}");
            None
        }
    }
}

fn plan_is_whole(plan: &Plan) {
    let written = plan.to_json();
    let again = Plan::from_json("written.json", &written).expect("a written plan reads");
    assert_eq!(again, *plan);
    assert_eq!(again.to_json(), written, "writing is canonical");
    assert_eq!(again.digest(), plan.digest());
}

fn error_is_a_place(text: &str, error: &ReadError) {
    let lines = text.matches('\n').count() + 1;
    assert!((1..=lines).contains(&error.line), "line {} of {lines}", error.line);
    let width = text.split('\n').nth(error.line - 1).map_or(0, |line| line.chars().count());
    assert!((1..=width + 1).contains(&error.column), "column {} of {width}", error.column);
    assert!(is_one_line(&error.to_string()), "{error:?}");
}

/// Whether this may be written to a terminal as one line: a file must not move the cursor or
/// change colours by way of an error that quotes it.
fn is_one_line(message: &str) -> bool {
    !message.chars().any(char::is_control)
}

/// Whether drawing a plan takes no time that counts: hundreds of operations and faults are
/// possible, and each pair of them costs a draw.
fn is_small(scenario: &Scenario) -> bool {
    const MANY: u64 = 20;
    let operations = match &scenario.workload {
        Workload::Written(operations) => operations.len() as u64,
        Workload::Drawn(drawn) => {
            let Kinds { count, announce, list_tools, ping, listen } = &drawn.kinds;
            [count, announce, list_tools, ping, listen].map(|kind| kind.highest()).iter().sum()
        }
    };
    let faults = match &scenario.storm.faults {
        StormFaults::Written(faults) => faults.len() as u64,
        StormFaults::Drawn(DrawnFaults { faults_per_family, families, .. }) => {
            faults_per_family.highest() * families.len() as u64
        }
    };
    operations <= MANY && faults <= MANY
}
