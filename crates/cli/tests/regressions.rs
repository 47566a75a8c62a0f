//! The folder of regressions: that it has a plan for whatever is known to be found, and that each
//! of its plans is what a stranger would want to read.
//!
//! Whether the findings still come is for `seamstress run`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use seamstress_oracle::{Verdict, judge};
use seamstress_plan::{Plan, Scenario, Trio};

/// What the search promises for failures of the mixed storm.
const FAULTS_MAX: usize = 3;
const OPERATIONS_MAX: usize = 2;
const LINES_MAX: usize = 40;

fn sims(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sims").join(name)
}

/// Every plan of the folder with its file name.
fn regressions() -> Vec<(String, String, Plan)> {
    let files = fs::read_dir(sims("regressions")).expect("the folder is there");
    let mut plans: Vec<(String, String, Plan)> = files
        .map(|entry| {
            let path = entry.expect("readable").path();
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            let text = fs::read_to_string(&path).expect("a text file");
            let plan = Plan::from_json(&name, &text).unwrap_or_else(|error| panic!("{error}"));
            (name, text, plan)
        })
        .collect();
    plans.sort_by(|one, other| one.0.cmp(&other.0));
    plans
}

/// The options that plant each defect, as the command lists them: `--server reference:NAME`.
fn listed_defects() -> Vec<(String, String)> {
    let mut list = Command::new(env!("CARGO_BIN_EXE_seamstress"));
    let output = list.args(["list", "defects"]).output().expect("it starts");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let words = |line: &str| {
        let mut words = line.split_whitespace();
        let role = words.next()?.strip_prefix("--")?.to_owned();
        Some((role, words.next()?.strip_prefix("reference:")?.to_owned()))
    };
    text.lines().filter_map(words).collect()
}

fn of_role<'t>(trio: &'t Trio, role: &str) -> &'t str {
    let found = trio.by_role().into_iter().find(|(named, _)| named.name() == role);
    found.expect("a role").1
}

#[test]
fn every_planted_defect_has_a_plan_that_shows_it() {
    let plans = regressions();
    let defects = listed_defects();
    assert!(defects.len() > 50, "{defects:?}");
    let missing: Vec<&(String, String)> = defects
        .iter()
        .filter(|(role, defect)| {
            let has = |trio: &Trio| {
                let planted = of_role(trio, role).strip_prefix("reference:").unwrap_or_default();
                planted.split(',').any(|planted| planted == defect)
            };
            !plans.iter().any(|(_, _, plan)| has(&plan.trio))
        })
        .collect();
    assert!(
        missing.is_empty(),
        "not kept: {missing:?}; `seamstress shrink storm@SEED --ROLE reference:DEFECT --output \
         sims/regressions/...` keeps one"
    );
}

#[test]
fn every_plan_is_small_and_as_small_as_it_gets() {
    for (name, text, plan) in regressions() {
        let known = plan.regression.as_ref().unwrap_or_else(|| panic!("{name} says nothing"));
        assert!(plan.faults.len() <= FAULTS_MAX, "{name}: {} faults", plan.faults.len());
        assert!(plan.workload.len() <= OPERATIONS_MAX, "{name}: {}", plan.workload.len());
        assert!(text.lines().count() < LINES_MAX, "{name}: {} lines", text.lines().count());
        assert_eq!(text, plan.to_json(), "{name} is not in the form in which plans are written");
        assert_eq!(known.stop, "1-minimal", "{name}");
    }
}

#[test]
fn the_reference_holds_with_every_plan() {
    for (name, _, plan) in regressions() {
        assert_ne!(plan.trio, Trio::default(), "{name}: the reference itself fails");
        let plan = Plan { trio: Trio::default(), ..plan };
        let trace = seamstress_sim::play(&plan).expect("it can be played");
        assert_eq!(judge(&trace).verdict, Verdict::Holds, "{name}");
    }
}

/// What a file in `sims/rmcp` lists must be in the folder: the same case, oracle and subject.
#[test]
fn everything_that_the_official_sdk_is_known_to_do_has_a_plan() {
    let plans = regressions();
    let mut listed = 0;
    let mut missing = Vec::new();
    for file in ["storm.toml", "eviction.toml"] {
        let text = fs::read_to_string(sims("rmcp").join(file)).expect("a text file");
        let scenario = Scenario::from_toml(file, &text).unwrap_or_else(|error| panic!("{error}"));
        for case in &scenario.expectation.cases {
            for finding in &case.findings {
                listed += 1;
                let start = format!("{}/{}/", finding.oracle, finding.subject);
                let shows = |plan: &Plan| {
                    let known = plan.regression.iter().flat_map(|known| &known.findings);
                    plan.trio == case.trio() && known.into_iter().any(|key| key.starts_with(&start))
                };
                if !plans.iter().any(|(_, _, plan)| shows(plan)) {
                    missing.push(format!("{file}, case {}: {start}", case.name));
                }
            }
        }
    }
    assert!(listed > 5, "{listed} findings are listed");
    assert!(missing.is_empty(), "not kept: {missing:#?}");
}
