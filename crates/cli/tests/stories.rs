//! The stories and resumption tables of fixed seeds, as snapshots.
//!
//! Owns which seeds stand for which scenario. A reviewer sees in the diff of `snapshots/` what a
//! change did to what people read. They must not depend on the machine: a story has no wall time
//! and no path.

use seamstress_oracle::judge;
use seamstress_plan::{Expectation, Plan, Scenario, Trio, builtin_named, generate};
use seamstress_report::{Play, mermaid, side_by_side, story};
use seamstress_trace::Trace;

/// Each scenario with seeds whose runs land in several cells.
const SEEDS: &[(&str, &[u64])] = &[
    ("drop", &[21, 16]),
    ("rotation", &[17, 26]),
    ("eviction", &[6, 39]),
    ("rebase", &[39, 26]),
    ("replicas", &[74, 8]),
    ("concurrent", &[2, 12]),
    ("sessions", &[56, 97]),
    ("flapping", &[6]),
    ("framing", &[1, 21]),
    ("storm", &[51, 17, 28]),
];

fn scenario(name: &str) -> Scenario {
    let builtin = builtin_named(name).expect("a built-in scenario");
    Scenario::from_toml(name, builtin.text).expect("a valid scenario")
}

struct Played {
    plan: Plan,
    trace: Trace,
    judgement: seamstress_oracle::Judgement,
}

impl Played {
    fn of(name: &str, seed: u64, trio: Trio) -> Played {
        let mut plan = generate(&scenario(name), name, seed);
        plan.trio = trio;
        let trace = seamstress_sim::play(&plan).expect("the implementations are there");
        let judgement = judge(&trace);
        Played { plan, trace, judgement }
    }

    fn play(&self) -> Play<'_> {
        let digest = self.trace.digest();
        Play { plan: &self.plan, trace: &self.trace, judgement: &self.judgement, digest }
    }
}

fn assert_snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn the_story_of_each_fixed_seed_reads_as_it_did() {
    for (name, seeds) in SEEDS {
        for seed in *seeds {
            let played = Played::of(name, *seed, Trio::default());
            assert!(played.judgement.findings.is_empty(), "{:?}", played.judgement.findings);
            assert_snapshot(&format!("{name}-{seed}"), &story(&played.play()));
        }
    }
}

#[test]
fn the_incident_reads_as_reported_and_as_it_should_have_gone() {
    let Expectation { cases, .. } = scenario("incident-4471").expectation;
    let runs: Vec<(String, Played)> = cases
        .iter()
        .map(|case| (case.name.clone(), Played::of("incident-4471", 0, case.trio())))
        .collect();
    for (case, played) in &runs {
        assert_snapshot(&format!("incident-4471-{case}"), &story(&played.play()));
    }
    let [(left, report), (right, reference)] = runs.as_slice() else {
        panic!("the incident has two cases")
    };
    let (report, reference) = (report.play(), reference.play());
    let beside = side_by_side((left, &report), (right, &reference), 100);
    assert_snapshot("incident-4471-side-by-side", &beside);
}

#[test]
fn a_diagram_of_a_storm_reads_as_it_did() {
    let played = Played::of("storm", 28, Trio::default());
    assert_snapshot("storm-28-mermaid", &mermaid(&played.play()));
}
