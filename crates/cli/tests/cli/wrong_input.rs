//! Input that is wrong in every way: exit code 2, one clear line, and nothing else done.

use crate::support::{Folder, RING, Ran};

/// Nothing was played or printed, and the first line on standard error says this.
#[track_caller]
fn assert_refused(ran: &Ran, says: &str) {
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert_eq!(ran.stdout, "", "{ran:?}");
    let line = ran.stderr.lines().next().unwrap_or_default();
    assert!(line.starts_with("error: ") && line.contains(says), "{says:?} is not said: {ran:?}");
}

#[test]
fn a_typo_in_a_scenario_is_named_with_its_line_and_what_was_meant() {
    let folder = Folder::new("typo");
    folder.write("mine.toml", &RING.replace("family = \"drop\"", "family = \"dorp\""));
    let line = RING.lines().position(|line| line.starts_with("family")).unwrap() + 1;
    let ran = folder.run("sweep mine.toml");
    assert_refused(&ran, &format!("mine.toml:{line}:"));
    assert_refused(&ran, "did you mean `drop`?");
    folder.write("mine.toml", &RING.replace("session-counter", "session-countre"));
    assert_refused(&folder.run("run mine.toml"), "did you mean `session-counter`?");
}

#[test]
fn a_range_of_seeds_that_is_none_is_refused_with_the_one_that_was_meant() {
    let folder = Folder::new("ranges");
    assert_refused(&folder.run("sweep --seeds 9..3"), "write 3..9");
    assert_refused(&folder.run("sweep --seeds 7"), "as in 7..8");
    assert_refused(&folder.run("sweep --seeds 0..=9"), "as in 0..10");
    assert_refused(&folder.run("sweep --seeds=-3..5"), "`-3` is no seed");
    assert_refused(&folder.run("sweep --seeds 0..many"), "`many` is no seed");
    assert_refused(&folder.run("sweep --jobs 0"), "invalid value '0' for '--jobs <N>'");
}

#[test]
fn a_plan_of_a_newer_schema_is_refused_with_a_way_out() {
    let folder = Folder::new("newer");
    let ran = folder.run("replay drop@3 --save plan.json");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    folder.write("plan.json", &folder.read("plan.json").replace("\"schema\": 1", "\"schema\": 2"));
    assert_refused(&folder.run("replay plan.json"), "use the build that wrote it or a newer one");
    assert_refused(&folder.run("run plan.json"), "plan.json:3:13: schema: ");
}

#[test]
fn a_trace_that_was_cut_is_refused_wherever_the_cut_lies() {
    let folder = Folder::new("cut-trace");
    let ran = folder.run("explain drop@3 --format json --output whole.ndjson");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let whole = folder.read("whole.ndjson");
    folder.write("inside.ndjson", &whole[..whole.len() - 20]);
    let lines: Vec<&str> = whole.lines().collect();
    folder.write("between.ndjson", &lines[..lines.len() / 2].join("\n"));
    folder.write("empty.ndjson", "");
    assert_refused(&folder.run("explain inside.ndjson"), "inside.ndjson: line ");
    assert_refused(&folder.run("explain between.ndjson"), "it was cut off");
    assert_refused(&folder.run("explain empty.ndjson"), "the file is empty");
    assert_refused(&folder.run("explain missing.ndjson"), "missing.ndjson cannot be read");
}

#[test]
fn an_unknown_implementation_is_refused_with_what_there_is() {
    let folder = Folder::new("implementations");
    for verb in ["sweep drop --seeds 0..2", "replay drop@1", "explain drop@1"] {
        assert_refused(&folder.run(&format!("{verb} --server refrence")), "there is: reference");
        assert_refused(&folder.run(&format!("{verb} --client reference:x")), "one-cursor-slot");
        assert_refused(&folder.run(&format!("{verb} --proxy reference:x")), "has no defect \"x\"");
    }
    folder
        .write("mine.toml", &format!("{RING}\n[[expectation.case]]\nname = \"a\"\nserver = \"x\""));
    assert_refused(&folder.run("run mine.toml"), "there is no server \"x\"");
}

#[test]
fn an_unknown_scenario_is_refused_with_what_was_meant() {
    let folder = Folder::new("unknown-scenario");
    assert_refused(&folder.run("sweep strom"), "did you mean `storm`?");
    assert_refused(&folder.run("replay strom@7"), "did you mean `storm`?");
    assert_refused(&folder.run("run rebse"), "did you mean `rebase`?");
    assert_refused(&folder.run("sweep weather-forecast"), "there is: drop, rotation, ");
    assert_refused(&folder.run("sweep no/such.toml"), "no/such.toml cannot be read");
    assert_refused(&folder.run("run no/such"), "neither a scenario nor a file");
}

#[test]
fn a_target_without_its_seed_or_of_another_kind_is_sent_on_its_way() {
    let folder = Folder::new("kinds");
    assert_refused(&folder.run("replay drop"), "`drop` has no seed; write drop@7");
    assert_refused(&folder.run("replay drop@seven"), "`seven` is no seed");
    assert_refused(&folder.run("sweep drop@7"), "there is no scenario `drop@7`");
    assert_refused(&folder.run("sweep plan.json"), "`seamstress replay plan.json` plays it");
    assert_refused(&folder.run("replay t.ndjson"), "`seamstress explain t.ndjson` reads it");
    let ran = folder.run("explain t.ndjson --server reference");
    assert_refused(&ran, "leave --server, --proxy and --client out");
}

#[test]
fn a_case_that_expects_an_unknown_oracle_is_refused() {
    let folder = Folder::new("unknown-oracle");
    let case = r#"
[[expectation.case]]
name = "a"
findings = [{ oracle = "duplicat", subject = "result", about = "It comes again." }]
"#;
    folder.write("mine.toml", &format!("{RING}{case}"));
    assert_refused(&folder.run("run mine.toml"), "did you mean `duplicate`?");
}

#[test]
fn one_wrong_file_in_a_folder_keeps_all_others_from_being_played() {
    let folder = Folder::new("one-wrong");
    folder.write("sims/a.toml", RING).write("sims/b.json", "{}");
    assert_refused(&folder.run("run"), "sims/b.json:1:1: ");
    assert_refused(&folder.run("list sims"), "invalid value 'sims'");
}

#[test]
fn text_that_is_no_utf_8_is_refused() {
    let folder = Folder::new("latin-1");
    std::fs::write(folder.path().join("mine.toml"), b"about = \"caf\xe9\"").unwrap();
    assert_refused(&folder.run("sweep mine.toml"), "mine.toml cannot be read: ");
}
