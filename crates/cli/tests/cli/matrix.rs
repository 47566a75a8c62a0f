//! `matrix kill` and `matrix defence`, each with one defect and few seeds.

use serde_json::{Value, json};

use crate::support::{Folder, Ran};

/// One defect that is seen at once.
const KILL: &str = "matrix kill --defect replay-whole-ring --ranges 3 --seeds-per-range 3";
const DEFENCE: &str = "matrix defence --defect replay-whole-ring --seeds 0..3";

/// The lines, without the fields that are measured.
fn without_measurements(ran: &Ran) -> Vec<Value> {
    let mut lines = ran.json();
    let summary = lines.last_mut().and_then(Value::as_object_mut).expect("a summary");
    assert!(summary.remove("cpu_seconds").is_some());
    assert!(summary.remove("runs_per_cpu_second").is_some());
    lines
}

fn types(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["type"].as_str().expect("a type")).collect()
}

/// The text without its last line, which is measured.
fn without_effort(text: &str) -> &str {
    let (table, effort) = text.trim_end().rsplit_once('\n').expect("several lines");
    assert!(effort.ends_with(" runs per CPU second"), "{effort}");
    table
}

#[test]
fn a_defect_is_killed_and_the_table_says_by_whom_and_after_how_many_seeds() {
    let ran = Folder::new("matrix-kill").run(&format!("{KILL} --jobs 2"));
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{ran:?}");
    insta::assert_snapshot!(without_effort(&ran.stdout), @"");
}

#[test]
fn the_run_that_kills_first_is_one_that_explain_tells() {
    let folder = Folder::new("matrix-explain");
    let ran = folder.run(KILL);
    let command = ran.stdout.lines().find_map(|line| line.strip_prefix("look at one: seamstress "));
    let told = folder.run(command.expect("a command"));
    assert_eq!(told.code, Some(1), "{told:?}");
}

#[test]
fn kill_prints_a_line_for_the_defect_the_control_and_the_summary() {
    let ran = Folder::new("matrix-kill-json").run(&format!("{KILL} --format json"));
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{ran:?}");
    let lines = ran.json();
    assert_eq!(types(&lines), ["defect", "control", "summary"]);
    assert!(lines.iter().all(|line| line["schema"] == 1));
    let defect = &lines[0];
    assert_eq!((&defect["role"], &defect["name"]), (&json!("server"), &json!("replay-whole-ring")));
    assert!(!defect["oracles"].as_array().expect("oracles").is_empty());
    let (median, most) = (&defect["seeds_to_kill_median"], &defect["seeds_to_kill_max"]);
    assert!(median.as_u64() <= most.as_u64() && median.as_u64() >= Some(1), "{defect}");
    assert!(defect["share"].as_f64() > Some(0.0) && defect["scenario"].is_string(), "{defect}");
    // Seven scenarios, at least the first range of each.
    assert!(lines[1]["runs"].as_u64() >= Some(21) && lines[1]["failed"] == 0, "{}", lines[1]);
    assert_eq!((&lines[2]["killed"], &lines[2]["not_killed"]), (&json!(1), &json!([])));
}

#[test]
fn a_client_that_is_harmless_alone_is_seen_in_front_of_a_server_without_the_rule() {
    let command = "matrix kill --defect no-continuity-check --ranges 1 --seeds-per-range 5";
    let ran = Folder::new("matrix-rule-off").run(&format!("{command} --format json"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let defect = &ran.json()[0];
    assert_eq!(
        (&defect["role"], &defect["server"]),
        (&json!("client"), &json!("reference:replay-whole-ring"))
    );
    // What the reference client shows there too, such as the replay of other streams on the wire,
    // does not count.
    let oracles = defect["oracles"].as_array().expect("oracles");
    assert!(!oracles.contains(&json!("replay-after-cursor")), "{defect}");
    assert!(!oracles.is_empty(), "{defect}");
}

#[test]
fn a_defect_that_nobody_sees_exits_with_1() {
    // So few seeds do not bring the occasion.
    let command = "matrix kill --defect no-continuity-check --ranges 1 --seeds-per-range 1";
    let ran = Folder::new("matrix-not-killed").run(command);
    let is_killed = !ran.stdout.contains("NOT KILLED  client no-continuity-check\n");
    assert_eq!((ran.code, is_killed), (Some(1), false), "{ran:?}");
}

#[test]
fn the_table_of_defences_says_what_protects() {
    let ran = Folder::new("matrix-defence").run(&format!("{DEFENCE} --jobs 2"));
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{ran:?}");
    insta::assert_snapshot!(without_effort(&ran.stdout), @"");
}

#[test]
fn defence_prints_the_rates_without_defects_then_two_lines_for_the_defect_and_the_summary() {
    let ran = Folder::new("matrix-defence-json").run(&format!("{DEFENCE} --format json"));
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{ran:?}");
    let lines = ran.json();
    let rates = ["rate", "rate", "rate", "rate", "control"];
    assert_eq!(types(&lines)[..5], rates);
    assert_eq!(types(&lines)[5..], ["defence", "defence", "summary"]);
    let guards: Vec<_> = lines[5..7].iter().map(|line| &line["guard"]).collect();
    assert_eq!(guards, ["off", "on"]);
    assert!(lines[5]["accepted"].as_u64() > Some(0), "{}", lines[5]);
    assert!(lines[5]["escapes"].as_u64() > Some(0), "{}", lines[5]);
}

#[test]
fn both_tables_are_the_same_for_one_job_and_for_two() {
    let folder = Folder::new("matrix-jobs");
    for command in [KILL, DEFENCE] {
        let one = folder.run(&format!("{command} --format json --jobs 1"));
        let two = folder.run(&format!("{command} --format json --jobs 2"));
        assert_eq!(without_measurements(&one), without_measurements(&two));
    }
}

#[test]
fn as_markdown_nothing_but_the_block_of_a_page_is_printed() {
    let folder = Folder::new("matrix-markdown");
    for (command, name) in [(KILL, "matrix kill"), (DEFENCE, "matrix defence")] {
        let ran = folder.run(&format!("{command} --format markdown"));
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{ran:?}");
        let first = format!("<!-- {name} -->\nMade by `seamstress {name} ");
        assert!(ran.stdout.starts_with(&first), "{ran:?}");
        assert!(ran.stdout.ends_with(&format!("\n<!-- end of {name} -->\n")), "{ran:?}");
        assert!(ran.stdout.contains("| server | `replay-whole-ring` | "), "{ran:?}");
    }
}

#[test]
fn a_page_gets_the_new_table_in_the_place_of_the_old_one() {
    let folder = Folder::new("matrix-update");
    let around =
        ["# Results\n\n<!-- matrix defence -->\n", "<!-- end of matrix defence -->\n\nEnd.\n"];
    folder.write("page.md", &around.join("the old one\n"));
    let ran = folder.run("matrix defence --seeds 0..2 --format markdown --update page.md");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let page = folder.read("page.md");
    assert_eq!(page, format!("# Results\n\n{}\nEnd.\n", ran.stdout));
    assert_eq!(folder.names(), ["page.md"]);
}

#[test]
fn a_page_without_a_place_for_the_table_is_refused_before_anything_is_played() {
    let folder = Folder::new("matrix-no-place");
    folder.write("page.md", "# Results\n");
    let ran = folder.run("matrix kill --update page.md");
    assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{ran:?}");
    assert!(ran.stderr.starts_with("error: page.md has no place for the table; "), "{ran:?}");
    assert_eq!(folder.read("page.md"), "# Results\n");
    let ran = folder.run("matrix defence --update missing.md");
    assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{ran:?}");
}

#[test]
fn an_unknown_defect_is_refused_with_what_was_meant() {
    let folder = Folder::new("matrix-unknown");
    for verb in ["kill", "defence"] {
        let ran = folder.run(&format!("matrix {verb} --defect replay-whole-rign"));
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{ran:?}");
        assert!(ran.stderr.contains("did you mean `replay-whole-ring`?"), "{ran:?}");
    }
}

#[test]
fn without_seeds_nothing_is_proven() {
    let ran = Folder::new("matrix-nothing").run("matrix defence --seeds 5..5");
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(ran.stderr.contains("no resumption was accepted"), "{ran:?}");
}
