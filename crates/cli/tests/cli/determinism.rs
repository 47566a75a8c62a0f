//! Digests depend on the plan and the build alone: not on jobs, order, folder or surroundings.

use serde_json::Value;

use crate::support::{Folder, RING, Ran};

/// The lines of a sweep, without the fields that are measured.
fn without_measurements(ran: &Ran) -> Vec<Value> {
    let mut lines = ran.json();
    let summary = lines.last_mut().and_then(Value::as_object_mut).expect("a summary");
    assert!(summary.remove("cpu_seconds").is_some());
    assert!(summary.remove("seeds_per_cpu_second").is_some());
    lines
}

fn seed_lines(ran: &Ran) -> Vec<&str> {
    ran.stdout.lines().filter(|line| line.contains(r#""type":"seed""#)).collect()
}

#[test]
fn one_job_and_two_give_the_same_lines() {
    let folder = Folder::new("jobs");
    let one = folder.run("sweep storm --seeds 0..40 --format json --jobs 1");
    let two = folder.run("sweep storm --seeds 0..40 --format json -j 2");
    assert_eq!(one.code, Some(0), "{one:?}");
    assert_eq!(seed_lines(&one), seed_lines(&two));
    assert_eq!(without_measurements(&one), without_measurements(&two));
}

#[test]
fn a_sweep_that_starts_in_the_middle_gives_the_lines_of_the_whole_one() {
    let folder = Folder::new("middle");
    let whole = folder.run("sweep drop --seeds 0..12 --format json");
    let part = folder.run("sweep drop --seeds 7..12 --format json");
    assert_eq!(seed_lines(&whole)[7..], seed_lines(&part)[..]);
    let alone = folder.run("replay drop@9 --format json").json();
    assert_eq!(alone[0]["digest"], part.json()[3]["digest"]);
}

#[test]
fn neither_folder_nor_time_zone_nor_language_changes_a_digest() {
    let (here, there) = (Folder::new("here"), Folder::new("there/far"));
    let arguments = ["sweep", "drop", "--seeds", "3..9", "--format", "json"];
    let first = Ran::of(here.command(&arguments).env("TZ", "UTC").env("LANG", "C"));
    let second = Ran::of(
        there
            .command(&arguments)
            .env("TZ", "Asia/Kathmandu")
            .env("LANG", "de_DE.UTF-8")
            .env("HOME", "/nowhere"),
    );
    assert_eq!(seed_lines(&first), seed_lines(&second));
}

#[test]
fn a_scenario_plays_the_same_from_wherever_it_is_read() {
    let folder = Folder::new("from-wherever");
    folder.write("ring.toml", RING).write("sims/ring.toml", RING);
    let digest = |target: &str| {
        let ran = folder.run(&format!("replay {target} --format json"));
        ran.json()[0]["digest"].clone()
    };
    assert_eq!(digest("ring.toml"), digest("ring"));
    assert_eq!(digest("sims/ring.toml@0"), digest("ring@0x0"));
}

#[test]
fn a_seed_played_twice_gives_the_same_records() {
    let ran = Folder::new("twice").run("replay storm@7 --twice");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("twice     both runs gave the same "), "{ran:?}");
    let last = ran.stdout.lines().last().unwrap();
    assert!(last.starts_with("verdict   holds   digest "), "{last}");
    assert!(last.contains("next draws: server session ids "), "{last}");
}

#[test]
fn a_saved_plan_plays_as_the_seed_did_with_the_implementations_it_was_saved_with() {
    let folder = Folder::new("saved");
    let defects = "--server reference:replay-whole-ring";
    let first = folder.run(&format!("replay drop@3 {defects} --save plan.json --format json"));
    let second = folder.run("replay plan.json --format json");
    assert_eq!(first.json()[0]["digest"], second.json()[0]["digest"]);
    let reference = folder.run("replay plan.json --server reference --format json");
    assert_eq!(
        reference.json()[0]["digest"],
        folder.run("replay drop@3 --format json").json()[0]["digest"]
    );
}
