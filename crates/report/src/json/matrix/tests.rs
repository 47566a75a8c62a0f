//! Proves the names and the order of the fields, which programs rely on.
//!
//! Owns a snapshot of each line.

use std::collections::BTreeMap;

use seamstress_plan::Role;

use super::*;

fn kill(role: Role, killed: Option<Killed>) -> Kill {
    Kill { defect: PlantedDefect { role, name: "clamp-to-floor" }, killed }
}

fn killed() -> Killed {
    Killed {
        scenario: "storm".to_owned(),
        against: None,
        seeds: 200,
        seeds_that_kill: 82,
        oracles: vec![(Oracle::Skip, 80), (Oracle::Duplicate, 2)],
        ranges: vec![Some(3), Some(9), Some(1)],
    }
}

fn matrix() -> KillMatrix {
    let control = Control { runs: 1_400, failed: 0, first_runs: BTreeMap::new() };
    KillMatrix {
        kills: vec![kill(Role::Server, Some(killed())), kill(Role::Proxy, None)],
        ranges: 3,
        seeds_per_range: 200,
        server_rule_off: "reference:clamp-to-floor",
        control: Some(control),
    }
}

fn defence() -> Defence {
    Defence {
        defect: PlantedDefect { role: Role::Server, name: "clamp-to-floor" },
        off: Rate { accepted: 1_200, escapes: 60 },
        on: Rate { accepted: 900, escapes: 0 },
    }
}

#[test]
fn a_defect_line_begins_with_the_fields_of_the_design_in_their_order() {
    let line = defect_line(&kill(Role::Server, Some(killed())), 200, 3);
    let design = r#"{"schema":1,"type":"defect","role":"server","name":"clamp-to-floor","oracles":["skip","duplicate"],"seeds_to_kill_median":3,"seeds_to_kill_max":9,"share":0.41,"scenario":"storm","#;
    assert!(line.starts_with(design), "{line}");
    insta::assert_snapshot!(line[design.len()..], @r#""first_seed":2,"seeds":200,"seeds_that_kill":82,"seeds_by_oracle":{"skip":80,"duplicate":2},"ranges":3,"ranges_with_kill":3}"#);
}

#[test]
fn a_client_is_told_with_the_server_that_it_stood_in_front_of() {
    let line = defect_line(&kill(Role::Client, Some(killed())), 200, 3);
    assert!(line.contains(r#""scenario":"storm","server":"reference","#), "{line}");
    let off = Killed { against: Some("reference:a,b"), ..killed() };
    let line = defect_line(&kill(Role::Client, Some(off)), 200, 3);
    assert!(line.contains(r#""server":"reference:a,b","#), "{line}");
}

#[test]
fn a_defect_that_nobody_saw_has_no_numbers() {
    let line = defect_line(&kill(Role::Proxy, None), 200, 3);
    insta::assert_snapshot!(line, @r#"{"schema":1,"type":"defect","role":"proxy","name":"clamp-to-floor","oracles":[],"seeds_to_kill_median":null,"seeds_to_kill_max":null,"share":0.0,"scenario":null,"first_seed":null,"seeds":200,"seeds_that_kill":0,"seeds_by_oracle":{},"ranges":3,"ranges_with_kill":0}"#);
}

#[test]
fn a_summary_of_kills_names_those_that_nobody_saw() {
    insta::assert_snapshot!(kill_summary_line(&matrix(), 5_000, 10.0, false), @r#"{"schema":1,"type":"summary","defects":2,"killed":1,"not_killed":[{"role":"proxy","name":"clamp-to-floor"}],"seeds_to_kill_median":null,"seeds_to_kill_max":null,"ranges":3,"seeds_per_range":200,"control_runs":1400,"control_failed":0,"runs":5000,"cpu_seconds":10.0,"runs_per_cpu_second":500.0,"interrupted":false}"#);
}

#[test]
fn a_control_line_names_each_key_with_the_first_run_that_shows_it() {
    let first_runs = BTreeMap::from([("skip/progress/fresh".to_owned(), "storm@7".to_owned())]);
    let control = Control { runs: 1_400, failed: 2, first_runs };
    insta::assert_snapshot!(control_line(&control), @r#"{"schema":1,"type":"control","runs":1400,"failed":2,"keys":[{"key":"skip/progress/fresh","first":"storm@7"}]}"#);
}

#[test]
fn defence_lines_have_the_fields_of_the_design_for_the_half_off_and_on() {
    let lines = defence_lines(&defence(), &DefenceControl::default());
    let design = [
        r#"{"schema":1,"type":"defence","role":"server","name":"clamp-to-floor","guard":"off","accepted":1200,"escapes":60,"#,
        r#"{"schema":1,"type":"defence","role":"server","name":"clamp-to-floor","guard":"on","accepted":900,"escapes":0,"#,
    ];
    for (line, design) in lines.iter().zip(design) {
        let rest = line.strip_prefix(design);
        assert_eq!(rest, Some(r#""half":"client-check","protection":"whole"}"#), "{line}");
    }
}

#[test]
fn the_rates_without_any_defect_are_lines_of_their_own() {
    let control = DefenceControl {
        on: Rate { accepted: 9, escapes: 0 },
        check_off: Rate { accepted: 8, escapes: 1 },
        rule_off: Rate { accepted: 7, escapes: 2 },
        reference: Control { runs: 20, failed: 0, first_runs: BTreeMap::new() },
    };
    insta::assert_snapshot!(defence_control_lines(&control).join("\n"), @r#"
    {"schema":1,"type":"rate","half":"client-check","guard":"off","accepted":8,"escapes":1}
    {"schema":1,"type":"rate","half":"client-check","guard":"on","accepted":9,"escapes":0}
    {"schema":1,"type":"rate","half":"server-rule","guard":"off","accepted":7,"escapes":2}
    {"schema":1,"type":"rate","half":"server-rule","guard":"on","accepted":9,"escapes":0}
    {"schema":1,"type":"control","runs":20,"failed":0,"keys":[]}
    "#);
}

#[test]
fn a_summary_of_defences_counts_what_protects_and_names_what_nothing_protects_from() {
    let open = Defence { on: Rate { accepted: 900, escapes: 50 }, ..defence() };
    let matrix = DefenceMatrix {
        defences: vec![defence(), open],
        control: DefenceControl::default(),
        seeds: (0, 100),
        scenarios: vec!["drop".to_owned(), "storm".to_owned()],
        server_rule_off: "reference:clamp-to-floor",
        client_check_off: "reference:no-continuity-check",
    };
    insta::assert_snapshot!(defence_summary_line(&matrix, 5_000, 10.0, true), @r#"{"schema":1,"type":"summary","defects":2,"protection":{"whole":1,"in-part":0,"none":1,"not-an-escape":0},"unprotected":[{"role":"server","name":"clamp-to-floor"}],"scenarios":["drop","storm"],"seeds":[0,100],"server_rule_off":"reference:clamp-to-floor","client_check_off":"reference:no-continuity-check","control_runs":0,"control_failed":0,"runs":5000,"cpu_seconds":10.0,"runs_per_cpu_second":500.0,"interrupted":true}"#);
}
