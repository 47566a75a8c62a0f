//! `run`: what is expected of each file, and what comes of it.

use crate::support::{Folder, HOLE, RING, RING_DEFECTS, Ran, TOO_EARLY};

fn case(name: &str, trio: &str, findings: &[&str]) -> String {
    let finding = |finding: &&str| {
        let (oracle, subject) = finding.split_once('/').expect("oracle/subject");
        format!(
            "    {{ oracle = \"{oracle}\", subject = \"{subject}\", about = \"It comes.\" }},\n"
        )
    };
    let findings: String = findings.iter().map(finding).collect();
    format!("\n[[expectation.case]]\nname = \"{name}\"\n{trio}\nfindings = [\n{findings}]\n")
}

const DEFECTS: &str =
    "server = \"reference:replay-whole-ring\"\nclient = \"reference:no-continuity-check\"";

/// Every finding that the defects lead to, as `oracle/subject`.
fn findings_of_the_defects(folder: &Folder) -> Vec<String> {
    folder.write("ring.toml", RING);
    let ran = folder.run(&format!("replay ring.toml --format json {RING_DEFECTS}"));
    let line = &ran.json()[0];
    let subject = |finding: &serde_json::Value| {
        let key = finding["key"].as_str().expect("a key");
        key.split('/').take(2).collect::<Vec<_>>().join("/")
    };
    let mut findings: Vec<String> =
        line["findings"].as_array().expect("findings").iter().map(subject).collect();
    findings.sort();
    findings.dedup();
    findings
}

fn run_with_case(folder: &Folder, findings: &[&str]) -> Ran {
    folder.write("ring.toml", &format!("{RING}{}", case("defects", DEFECTS, findings)));
    folder.run("run ring.toml")
}

#[test]
fn exactly_the_expected_findings_pass() {
    let folder = Folder::new("exactly");
    let all = findings_of_the_defects(&folder);
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let ran = run_with_case(&folder, &all);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("ok      ring.toml, case defects: "), "{ran:?}");
    assert!(ran.stdout.contains("1 of 1 case as expected, 1 run\n"), "{ran:?}");
}

#[test]
fn a_finding_more_than_expected_exits_with_1_and_is_the_one_that_is_told() {
    let folder = Folder::new("one-more");
    let all = findings_of_the_defects(&folder);
    assert!(all.contains(&"duplicate/notification".to_owned()), "{all:?}");
    let but_one: Vec<&str> =
        all.iter().map(String::as_str).filter(|one| *one != "duplicate/result").collect();
    let ran = run_with_case(&folder, &but_one);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("FAIL duplicate   key duplicate/result/"), "{ran:?}");
    assert!(ran.stdout.contains("FAIL    ring.toml, case defects: "), "{ran:?}");
    assert!(!ran.stdout.contains("key duplicate/notification/"), "expected: {ran:?}");
}

#[test]
fn an_expected_finding_that_no_longer_comes_exits_with_5() {
    let folder = Folder::new("stale");
    let stale = case("fixed", "", &["duplicate/notification"]);
    folder.write("ring.toml", &format!("{RING}{stale}"));
    let ran = folder.run("run ring.toml");
    assert_eq!(ran.code, Some(5), "{ran:?}");
    assert!(ran.stderr.starts_with("the baseline is stale: ring.toml, case fixed "), "{ran:?}");
    assert!(ran.stdout.contains("missing: duplicate/notification"), "{ran:?}");
}

#[test]
fn a_plan_that_is_meant_for_defects_must_be_found_out() {
    let folder = Folder::new("plans");
    folder.write("ring.toml", RING);
    folder.run(&format!("replay ring.toml --save plans/found.json {RING_DEFECTS}"));
    std::fs::create_dir_all(folder.path().join("plans")).unwrap();
    folder.run(&format!("replay ring.toml --save plans/found.json {RING_DEFECTS}"));
    let ran = folder.run("run plans");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.stdout
            .contains("ok      plans/found.json: a finding expected; the defects were found out"),
        "{ran:?}"
    );
    // The client's check stops what this server does.
    folder.run("replay drop@3 --save plans/fixed.json --client reference:no-continuity-check");
    let ran = folder.run("run plans");
    assert_eq!(ran.code, Some(5), "{ran:?}");
}

#[test]
fn a_saved_plan_of_the_reference_must_hold() {
    let folder = Folder::new("must-hold");
    folder.write("hole.toml", HOLE);
    assert_eq!(folder.run("replay hole.toml --save hole.json").code, Some(3));
    let ran = folder.run("run hole.json");
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stdout.contains("FAIL    hole.json: no finding expected; "), "{ran:?}");
}

#[test]
fn without_targets_the_folder_sims_is_played_in_order_of_its_paths() {
    let folder = Folder::new("sims");
    folder.write("sims/b.toml", RING).write("sims/a/z.toml", RING).write("sims/c.txt", "no");
    let ran = folder.run("run");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let cases: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with("ok")).collect();
    assert_eq!(cases.len(), 2, "{ran:?}");
    assert!(cases[0].contains("sims/a/z.toml:") && cases[1].contains(" b:"), "{cases:?}");
}

#[test]
fn a_folder_with_nothing_to_play_exits_with_4() {
    let folder = Folder::new("nothing");
    folder.write("empty/readme.md", "");
    let ran = folder.run("run empty");
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(ran.stderr.starts_with("nothing ran: "), "{ran:?}");
}

#[test]
fn a_case_in_which_no_listed_fault_fires_is_vacant() {
    let folder = Folder::new("vacant");
    folder.write("too-early.toml", TOO_EARLY);
    let ran = folder.run("run too-early.toml");
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(ran.stdout.contains("vacant  too-early.toml: "), "{ran:?}");
}

#[test]
fn two_cases_of_a_named_scenario_are_shown_side_by_side() {
    let folder = Folder::new("side-by-side");
    let all = findings_of_the_defects(&folder);
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let cases = case("defects", DEFECTS, &all) + &case("reference", "", &[]);
    folder.write("sims/ring.toml", &format!("{RING}{cases}"));
    let named = folder.run("run ring");
    assert_eq!(named.code, Some(0), "{named:?}");
    assert!(named.stdout.contains("verdict: violated"), "{named:?}");
    assert!(named.stdout.contains("verdict: holds"), "{named:?}");
    let mut columns = named.stdout.lines().filter(|line| line.contains(" | "));
    assert!(columns.all(|line| line.chars().count() <= 100), "not on a terminal: {named:?}");
    let all_of_them = folder.run("run");
    assert!(!all_of_them.stdout.contains("verdict: holds"), "{all_of_them:?}");
}
