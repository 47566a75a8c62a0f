//! `matrix kill` and `matrix defence`, each with one defect and few seeds.

use serde_json::{Value, json};

use crate::support::{Folder, RING, Ran};

/// One defect, in one scenario.
const KILL: &str =
    "matrix kill --defect replay-whole-ring --scenario drop --ranges 3 --seeds-per-range 12";
/// The same in a scenario that is the same for every seed.
const DEFENCE: &str = "matrix defence --defect replay-whole-ring --scenario ring.toml --seeds 0..4";

fn folder_with_ring(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("ring.toml", RING);
    folder
}

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

/// Compares a table with a file, without its last line, which is measured.
#[track_caller]
fn assert_table(name: &str, text: &str) {
    let (table, effort) = text.trim_end().rsplit_once('\n').expect("several lines");
    assert!(effort.ends_with(" runs per CPU second"), "{effort}");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, table));
}

#[test]
fn a_defect_is_killed_and_the_table_says_by_whom_and_after_how_many_seeds() {
    let ran = Folder::new("matrix-kill").run(&format!("{KILL} --jobs 2"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_table("matrix-kill", &ran.stdout);
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
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let lines = ran.json();
    assert_eq!(types(&lines), ["defect", "control", "summary"]);
    assert!(lines.iter().all(|line| line["schema"] == 1));
    let defect = &lines[0];
    assert_eq!((&defect["role"], &defect["name"]), (&json!("server"), &json!("replay-whole-ring")));
    assert!(!defect["oracles"].as_array().expect("oracles").is_empty());
    let (median, most) = (&defect["seeds_to_kill_median"], &defect["seeds_to_kill_max"]);
    assert!(median.as_u64() <= most.as_u64() && median.as_u64() >= Some(1), "{defect}");
    assert!(defect["share"].as_f64() > Some(0.0) && defect["scenario"].is_string(), "{defect}");
    // At least the first range.
    assert!(lines[1]["runs"].as_u64() >= Some(12) && lines[1]["failed"] == 0, "{}", lines[1]);
    assert_eq!((&lines[2]["killed"], &lines[2]["not_killed"]), (&json!(1), &json!([])));
}

#[test]
fn a_client_that_is_harmless_alone_is_seen_in_front_of_a_server_without_the_rule() {
    let command = "matrix kill --defect no-continuity-check --scenario replicas --ranges 1 \
                   --seeds-per-range 200";
    let ran = Folder::new("matrix-rule-off").run(&format!("{command} --format json"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let defect = &ran.json()[0];
    assert_eq!(defect["role"], "client");
    let server = defect["server"].as_str().expect("a server");
    assert!(server.starts_with("reference:"), "{defect}");
    // What is wrong on the wire is that server's doing.
    let oracles = defect["oracles"].as_array().expect("oracles");
    assert!(!oracles.contains(&json!("replay-after-cursor")), "{defect}");
}

#[test]
fn a_defect_that_nobody_sees_exits_with_1() {
    // So few seeds may be chance in front of a server that does harm of its own.
    let command = "matrix kill --defect no-continuity-check --scenario ring.toml --ranges 1 \
                   --seeds-per-range 2";
    let ran = folder_with_ring("matrix-not-killed").run(command);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("NOT KILLED  client no-continuity-check\n"), "{ran:?}");
}

#[test]
fn the_table_of_defences_says_what_protects() {
    let ran = folder_with_ring("matrix-defence").run(&format!("{DEFENCE} --jobs 2"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_table("matrix-defence", &ran.stdout);
}

#[test]
fn defence_prints_the_rates_without_defects_then_two_lines_for_the_defect_and_the_summary() {
    let ran = folder_with_ring("matrix-defence-json").run(&format!("{DEFENCE} --format json"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
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
    for command in [KILL, "matrix defence --scenario concurrent --seeds 0..4"] {
        let one = folder.run(&format!("{command} --format json --jobs 1"));
        let two = folder.run(&format!("{command} --format json --jobs 2"));
        assert_eq!(without_measurements(&one), without_measurements(&two));
    }
}

#[test]
fn as_markdown_nothing_but_the_block_of_a_page_is_printed() {
    let folder = folder_with_ring("matrix-markdown");
    for (command, name) in [(KILL, "matrix kill"), (DEFENCE, "matrix defence")] {
        let ran = folder.run(&format!("{command} --format markdown"));
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let first = format!("<!-- {name} -->\nMade by `seamstress {name} ");
        assert!(ran.stdout.starts_with(&first), "{ran:?}");
        assert!(ran.stdout.ends_with(&format!("\n<!-- end of {name} -->\n")), "{ran:?}");
        assert!(ran.stdout.contains("| server | `replay-whole-ring` | "), "{ran:?}");
    }
}

#[test]
fn a_page_gets_the_new_table_in_the_place_of_the_old_one() {
    let folder = Folder::new("matrix-update");
    let [before, after] =
        ["# Results\n\n<!-- matrix kill -->\n", "<!-- end of matrix kill -->\n\nEnd.\n"];
    folder.write("page.md", &format!("{before}the old one\n{after}"));
    let ran =
        folder.run("matrix kill --ranges 1 --seeds-per-range 1 --format markdown --update page.md");
    // So few seeds do not show every defect, and the page says so.
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(folder.read("page.md"), format!("# Results\n\n{}\nEnd.\n", ran.stdout));
    assert_eq!(folder.names(), ["page.md"]);
}

#[test]
fn a_page_gets_no_part_of_a_table() {
    let folder = Folder::new("matrix-part");
    folder.write("page.md", "<!-- matrix kill -->\n<!-- end of matrix kill -->\n");
    for part in ["--defect replay-whole-ring", "--scenario drop"] {
        let ran = folder.run(&format!("matrix kill {part} --update page.md"));
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{ran:?}");
    }
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
        let ran = folder.run(&format!("matrix {verb} --scenario strom"));
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{ran:?}");
    }
}

#[test]
fn without_seeds_nothing_is_proven() {
    let ran = Folder::new("matrix-nothing").run("matrix defence --seeds 5..5");
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(ran.stderr.contains("no resumption was accepted"), "{ran:?}");
}
