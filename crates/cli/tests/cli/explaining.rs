//! `explain` in its three forms, of a run and of a trace.

use crate::support::{Folder, RING, RING_DEFECTS, Ran};

#[test]
fn the_story_begins_with_the_options_and_ends_with_the_verdict() {
    let ran = Folder::new("story").run("explain drop@3");
    assert!(ran.stdout.starts_with("replay    seamstress replay drop@3\n"), "{ran:?}");
    assert!(ran.stdout.ends_with("verdict   holds\n"), "{ran:?}");
}

#[test]
fn the_story_of_a_scenario_of_ones_own_begins_with_its_command_too() {
    let folder = Folder::new("own-story");
    folder.write("my ring.toml", RING);
    let ran = Ran::of(&mut folder.command(&["explain", "my ring.toml"]));
    assert!(ran.stdout.starts_with("replay    seamstress replay 'my ring.toml@0'\n"), "{ran:?}");
}

#[test]
fn the_diagram_is_one_of_mermaid() {
    let ran = Folder::new("mermaid").run("explain drop@3 --format mermaid");
    assert!(ran.stdout.contains("sequenceDiagram\n"), "{ran:?}");
}

#[test]
fn the_trace_is_json_lines_with_the_digest_of_the_run() {
    let folder = Folder::new("trace");
    let ran = folder.run("explain drop@3 --format json");
    let lines = ran.json();
    assert_eq!((&lines[0]["type"], &lines[0]["schema"]), (&"trace".into(), &1.into()));
    assert_eq!(lines.last().unwrap()["kind"], "run-end");
}

#[test]
fn a_trace_is_judged_without_its_plan_as_its_run_was() {
    let folder = Folder::new("recorded");
    folder.write("ring.toml", RING);
    let story = folder.run(&format!("explain ring.toml {RING_DEFECTS}"));
    folder.run(&format!("explain ring.toml {RING_DEFECTS} --format json --output t.ndjson"));
    let read = folder.run("explain t.ndjson");
    assert_eq!(read.code, Some(1), "{read:?}");
    assert!(read.stdout.starts_with("trace     of ring@0, read and not played\n"), "{read:?}");
    let findings = |text: &str| text.split("\nfindings\n").nth(1).map(str::to_owned);
    let first_section =
        |text: &str| findings(text).unwrap().split("\n\n").next().map(str::to_owned);
    assert_eq!(first_section(&read.stdout), first_section(&story.stdout));
    let again = folder.run("explain t.ndjson --format json");
    assert_eq!(again.stdout, folder.read("t.ndjson"), "reading and writing change nothing");
}
