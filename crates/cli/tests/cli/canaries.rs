//! What must be found is found: planted nondeterminism, a planted defect, a family that is out.

use crate::support::{Folder, Ran};

/// What stands after this name on the first line that begins with it.
fn side<'a>(ran: &'a Ran, name: &str) -> &'a str {
    let line = ran.stdout.lines().find_map(|line| line.trim_start().strip_prefix(name));
    line.unwrap_or_else(|| panic!("no {name}: {ran:?}")).trim_start()
}

/// The place of the first record with an event id in a trace of the binary's: that is where what
/// leaks into a canary shows itself.
fn first_event_id(folder: &Folder, run: &str) -> (usize, String) {
    let trace = folder.run(&format!("explain {run} --format json"));
    let records = trace.stdout.lines().skip(1);
    let emit = records
        .enumerate()
        .find(|(_, line)| line.contains(r#""kind":"emit""#) && line.contains(r#""id":"#));
    let (index, line) = emit.unwrap_or_else(|| panic!("no event: {trace:?}"));
    (index, line.to_owned())
}

#[test]
fn a_counter_of_the_process_is_found_in_two_threads_at_the_first_record_that_shows_it() {
    let folder = Folder::new("canary-run-counter");
    let (index, sound) = first_event_id(&folder, "drop@0");
    let ran = folder.run("doctor drop --seeds 0..4 --server canary:run-counter");
    assert_eq!(ran.code, Some(6), "{ran:?}");
    assert!(ran.stdout.contains("\ndrop@0   in two fresh threads of this process\n"), "{ran:?}");
    let place = format!("\nNOT REPRODUCIBLE: the runs part at record {index}, counted from 0\n");
    assert!(ran.stdout.contains(&place), "{ran:?}");
    assert_eq!(ran.stdout.matches("\n  both ").count(), index.min(10));
    let (first, second) = (side(&ran, "first "), side(&ran, "second "));
    assert_ne!(first, second);
    for side in [first, second] {
        let until_id = sound.split(r#""id":"#).next().unwrap();
        assert!(side.starts_with(until_id), "the event id is all that differs: {side}");
    }
    assert!(ran.stdout.contains(": 4 of 4 seeds part, "), "{ran:?}");
    assert!(ran.stdout.contains("\nprocesses  not asked, "), "{ran:?}");
    assert!(!ran.stdout.contains("findings"), "nothing is said of findings: {ran:?}");
}

#[test]
fn the_command_that_shows_it_again_does() {
    let folder = Folder::new("canary-again");
    for server in ["canary:run-counter", "canary:time-zone"] {
        let ran = folder.run(&format!("doctor drop@3 --server {server}"));
        let again = side(&ran, "again ").strip_prefix("seamstress ").expect("a command");
        let again = folder.run(again);
        assert_eq!(again.code, Some(6), "{again:?}");
        assert!(again.stdout.contains("NOT REPRODUCIBLE: the runs part at record "), "{again:?}");
    }
}

#[test]
fn what_is_the_same_within_a_process_is_found_between_processes_with_the_settings_that_differ() {
    let folder = Folder::new("canary-processes");
    for server in ["canary:process-id", "canary:time-zone"] {
        let (index, _) = first_event_id(&folder, &format!("drop@1 --server {server}"));
        let ran = folder.run(&format!("doctor drop --seeds 1..4 --server {server} --jobs 2"));
        assert_eq!(ran.code, Some(6), "{ran:?}");
        let head = "\ndrop@1   here and in another process: seeds 1..4, 1 run at once, in ";
        assert!(ran.stdout.contains(head), "{ran:?}");
        assert!(ran.stdout.contains("TZ="), "{ran:?}");
        let place = format!("the runs part at record {index}, counted from 0\n");
        assert!(ran.stdout.contains(&place), "{ran:?}");
        assert_ne!(side(&ran, "here "), side(&ran, "there "));
        let threads = "threads    3 seeds twice in fresh threads: all the same, ";
        assert!(ran.stdout.contains(threads), "{ran:?}");
        assert!(ran.stdout.contains(": 6 of 6 runs part\n"), "{ran:?}");
    }
}

#[test]
fn what_a_thread_keeps_shows_where_runs_share_one_and_is_not_blamed_on_the_seed() {
    let ran =
        Folder::new("canary-warm").run("doctor drop --seeds 0..4 --server canary:warm-thread");
    assert_eq!(ran.code, Some(6), "{ran:?}");
    // The third run of the process that plays one after the other.
    assert!(ran.stdout.contains("\ndrop@2   here and in another process: "), "{ran:?}");
    assert!(side(&ran, "here ").starts_with("digest "), "{ran:?}");
    assert!(side(&ran, "note ").contains("played alone "), "{ran:?}");
}

#[test]
fn a_sweep_exits_with_6_if_a_failing_seed_fails_otherwise_when_played_again() {
    let folder = Folder::new("canary-sweep");
    let client = "--client reference:empty-data-parsed";
    let sweep = |server: &str| folder.run(&format!("sweep drop --seeds 0..4 {client}{server}"));
    assert_eq!(sweep("").code, Some(1), "the same client fails with a server that is sound");
    let ran = sweep(" --server canary:run-counter");
    assert_eq!(ran.code, Some(6), "{ran:?}");
    assert!(ran.stderr.contains(" is not reproducible: its digest was "), "{ran:?}");
    assert!(!ran.stdout.contains("FAIL"), "no story is told of it: {ran:?}");
}

#[test]
fn the_judge_has_nothing_to_say_of_a_canary() {
    let folder = Folder::new("canary-sound");
    for server in ["run-counter", "warm-thread", "process-id", "time-zone"] {
        let ran = folder.run(&format!("sweep drop --seeds 0..8 --server canary:{server}"));
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
}

#[test]
fn a_planted_defect_is_found_by_a_sweep() {
    let ran = Folder::new("canary-defect")
        .run("sweep drop --seeds 0..20 --server reference:clamp-to-floor");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("FAIL "), "{ran:?}");
}

/// Two families are listed, and only one of them has a place: nothing here has a stream to cut.
const ONE_FAMILY_IS_OUT: &str = r#"
about = "Nothing but pings, and so no stream to cut."
[[workload.operation]]
id = "early"
at_ms = 0
ask = "ping"
[[workload.operation]]
id = "late"
at_ms = 80
ask = "ping"
[storm]
families = ["drop", "rotation"]
chaos_from_ms = 5
chaos_until_ms = 60
"#;

#[test]
fn a_listed_family_that_is_never_drawn_is_found_although_another_fires() {
    let folder = Folder::new("canary-family");
    folder.write("pings.toml", ONE_FAMILY_IS_OUT);
    let ran = folder.run("sweep pings.toml --seeds 0..20 --format json");
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert_eq!(ran.stderr, "nothing is proven: no fault fired in 20 seeds of: drop\n");
    let summary = ran.json().pop().expect("a summary");
    assert!(summary["faults_fired"]["rotation"].as_u64() > Some(0), "{summary}");
    assert_eq!(summary["faults"]["drop"]["planned"], 0, "the generator drew none: {summary}");
}
