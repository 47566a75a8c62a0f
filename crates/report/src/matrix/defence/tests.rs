//! Proves what is concluded from two rates, and what the tables say.
//!
//! Owns a matrix written by hand with every conclusion in it.

use std::collections::BTreeMap;

use super::*;

fn rate(escapes: u64, accepted: u64) -> Rate {
    Rate { accepted, escapes }
}

fn defence(role: Role, name: &'static str, off: Rate, on: Rate) -> Defence {
    Defence { defect: PlantedDefect { role, name }, off, on }
}

fn control() -> DefenceControl {
    DefenceControl {
        on: rate(0, 1_000),
        check_off: rate(0, 1_100),
        rule_off: rate(40, 2_000),
        reference: Control { runs: 700, failed: 0, first_runs: BTreeMap::new() },
    }
}

pub(crate) fn matrix() -> DefenceMatrix {
    DefenceMatrix {
        defences: vec![
            defence(Role::Server, "clamp-to-floor", rate(60, 1_200), rate(0, 900)),
            defence(Role::Server, "inclusive-replay", rate(300, 1_000), rate(299, 1_000)),
            defence(Role::Server, "chatty", rate(0, 1_000), rate(0, 1_000)),
            defence(Role::Proxy, "one-upstream", rate(90, 1_000), rate(9, 900)),
            defence(Role::Client, "one-cursor-slot", rate(160, 2_000), rate(0, 1_000)),
            defence(Role::Client, "hasty", rate(44, 2_000), rate(0, 1_000)),
        ],
        control: control(),
        seeds: (0, 100),
        scenarios: vec!["drop".to_owned(), "storm".to_owned()],
        server_rule_off: "reference:clamp-to-floor",
        client_check_off: "reference:no-continuity-check",
    }
}

fn protection(role: Role, off: Rate, on: Rate) -> Protection {
    defence(role, "any", off, on).protection(&control())
}

#[test]
fn a_half_protects_if_something_escapes_only_while_it_is_off() {
    let found = protection(Role::Server, rate(1, 1_000), rate(0, 1_000));
    assert_eq!(found, Protection::Whole);
}

#[test]
fn one_escape_with_the_half_on_is_enough_for_it_not_to_protect() {
    let found = protection(Role::Server, rate(1, 1_000), rate(1, 1_000));
    assert_eq!(found, Protection::None);
    let found = protection(Role::Proxy, rate(0, 1_000), rate(1, 1_000));
    assert_eq!(found, Protection::None, "although less escapes with it off");
}

#[test]
fn it_protects_in_part_if_clearly_less_and_at_most_half_as_much_escapes() {
    let found = protection(Role::Server, rate(100, 1_000), rate(20, 1_000));
    assert_eq!(found, Protection::InPart);
    let found = protection(Role::Server, rate(100, 1_000), rate(60, 1_000));
    assert_eq!(found, Protection::None, "clearly less, but more than half");
    let found = protection(Role::Server, rate(2, 1_000), rate(1, 1_000));
    assert_eq!(found, Protection::None, "half, but it may be chance");
}

#[test]
fn what_escapes_without_the_defect_as_well_is_not_its_doing() {
    // 20 of 1000 escape without any defect while the server's rule is off.
    let found = protection(Role::Client, rate(44, 2_000), rate(0, 1_000));
    assert_eq!(found, Protection::NotAnEscape);
    let found = protection(Role::Client, rate(160, 2_000), rate(0, 1_000));
    assert_eq!(found, Protection::Whole);
    // A defect of a server is compared with the check off, where nothing else escapes.
    let found = protection(Role::Server, rate(44, 2_000), rate(0, 1_000));
    assert_eq!(found, Protection::Whole);
}

#[test]
fn nothing_accepted_is_no_escape() {
    let none = protection(Role::Client, rate(0, 0), rate(0, 0));
    assert_eq!(none, Protection::NotAnEscape);
}

#[test]
fn the_tables_for_a_terminal() {
    insta::assert_snapshot!(matrix().table(Style::default()), @r#"
    role    defect            check off            check on            what protects
            no defect               0.0  0/1100         0.0  0/1000
    server  clamp-to-floor         50.0  60/1200        0.0  0/900     client's check
    server  inclusive-replay      300.0  300/1000     299.0  299/1000  neither
    server  chatty                  0.0  0/1000         0.0  0/1000    not an escape
    proxy   one-upstream           90.0  90/1000       10.0  9/900     client's check, in part

    role    defect           rule off            rule on          what protects
            no defect            20.0  40/2000       0.0  0/1000
    client  one-cursor-slot      80.0  160/2000      0.0  0/1000  server's rule
    client  hasty                22.0  44/2000       0.0  0/1000  not an escape

    rates: escapes per thousand accepted resumptions, and both counts
    seeds: 0..100 of drop, storm
    check off: --client reference:no-continuity-check
    rule off: --server reference:clamp-to-floor
    no escape: in 1000 is less than 3.0 per thousand, with 95 % confidence

    one half protects: 2 of 6 defects
    one half protects in part: 1 of 6 defects: proxy one-upstream
    neither protects: 1 of 6 defects: server inclusive-replay
    not an escape: 2 of 6 defects
    the reference trio: no finding in 700 runs of the same seeds
    "#);
}

#[test]
fn the_block_of_a_page() {
    insta::assert_snapshot!(matrix().markdown("seamstress matrix defence"), @r#"
    <!-- matrix defence -->
    Made by `seamstress matrix defence`.

    | role | defect | check off | check on | what protects |
    |---|---|---:|---:|---|
    |  | no defect | 0.0 (0/1100) | 0.0 (0/1000) |  |
    | server | `clamp-to-floor` | 50.0 (60/1200) | 0.0 (0/900) | client's check |
    | server | `inclusive-replay` | 300.0 (300/1000) | 299.0 (299/1000) | neither |
    | server | `chatty` | 0.0 (0/1000) | 0.0 (0/1000) | not an escape |
    | proxy | `one-upstream` | 90.0 (90/1000) | 10.0 (9/900) | client's check, in part |

    | role | defect | rule off | rule on | what protects |
    |---|---|---:|---:|---|
    |  | no defect | 20.0 (40/2000) | 0.0 (0/1000) |  |
    | client | `one-cursor-slot` | 80.0 (160/2000) | 0.0 (0/1000) | server's rule |
    | client | `hasty` | 22.0 (44/2000) | 0.0 (0/1000) | not an escape |

    - *rates*: escapes per thousand accepted resumptions, and both counts
    - *seeds*: 0..100 of drop, storm
    - *check off*: --client reference:no-continuity-check
    - *rule off*: --server reference:clamp-to-floor
    - *no escape*: in 1000 is less than 3.0 per thousand, with 95 % confidence
    - one half protects: 2 of 6 defects
    - one half protects in part: 1 of 6 defects: proxy one-upstream
    - neither protects: 1 of 6 defects: server inclusive-replay
    - not an escape: 2 of 6 defects
    - the reference trio: no finding in 700 runs of the same seeds
    <!-- end of matrix defence -->
    "#);
}

#[test]
fn a_half_that_no_defect_leaves_whole_has_no_table() {
    let mut matrix = matrix();
    matrix.defences.truncate(4);
    let text = matrix.table(Style::default());
    assert!(!text.contains("rule off"), "{text}");
}
