//! Which protocol states a sweep saw, and a sweep that ends when no new ones come.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::{Folder, RING, RING_DEFECTS, Ran, TOO_EARLY};

fn seeds(ran: &Ran) -> Vec<Value> {
    ran.json().into_iter().filter(|line| line["type"] == "seed").collect()
}

fn summary(ran: &Ran) -> Value {
    ran.json().pop().expect("a summary")
}

#[test]
fn the_states_of_the_summary_are_those_of_the_seeds_with_how_many_saw_each_and_who_first() {
    let ran = Folder::new("states").run("sweep drop --seeds 2..22 --format json");
    let mut seen: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for line in seeds(&ran) {
        let seed = line["seed"].as_u64().unwrap();
        for state in line["states"].as_array().unwrap() {
            let of_state = seen.entry(state.as_str().unwrap().to_owned()).or_insert((0, seed));
            of_state.0 += 1;
        }
    }
    assert!(seen.len() > 3, "{seen:?}");
    let last = seen.values().map(|(_, first)| *first).max();
    let list: Vec<Value> = seen
        .iter()
        .map(|(state, (count, first))| json!({ "state": state, "count": count, "first_seed": first }))
        .collect();
    let states = summary(&ran)["states"].take();
    let mut listed = states["list"].as_array().unwrap().clone();
    listed.sort_by_key(|state| state["state"].to_string());
    assert_eq!(listed, list);
    assert_eq!(states["seen"], list.len());
    assert_eq!(states["possible"], 1920);
    assert_eq!(states["last_new_seed"], json!(last));
}

#[test]
fn a_sweep_until_quiet_ends_at_the_same_seed_for_any_number_of_jobs() {
    let folder = Folder::new("quiet");
    let sweep =
        |jobs: &str| folder.run(&format!("sweep drop --until-quiet 6 --format json {jobs}"));
    let (one, three) = (sweep("-j 1"), sweep("-j 3"));
    assert_eq!((one.code, &*one.stderr), (Some(0), ""), "{one:?}");
    assert_eq!(seeds(&one), seeds(&three));
    let summary = summary(&one);
    assert_eq!((&summary["quiet_seeds"], &summary["interrupted"]), (&json!(6), &json!(false)));
    let last_new = summary["states"]["last_new_seed"].as_u64().unwrap();
    assert_eq!(summary["seeds"], last_new + 1 + 6, "{summary}");
    assert_eq!(one.json()[0]["seeds"], json!([0, null]));
}

#[test]
fn a_range_may_end_before_it_is_quiet() {
    let ran =
        Folder::new("not-quiet").run("sweep drop --seeds 3..6 --until-quiet 50 --format json");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let summary = summary(&ran);
    assert_eq!((&summary["seeds"], &summary["quiet_seeds"]), (&json!(3), &Value::Null));
}

#[test]
fn the_exit_code_of_a_quiet_sweep_is_that_of_what_was_found() {
    let folder = Folder::new("quiet-failing");
    folder.write("ring.toml", RING);
    let ran = folder.run(&format!("sweep ring.toml --until-quiet 2 {RING_DEFECTS}"));
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.starts_with("sweep ring.toml   seeds 0..   server "), "{ran:?}");
    assert!(ran.stdout.contains("3 seeds: holds 0, violated 3, "), "{ran:?}");
    let end = "\nquiet after 2 seeds in a row without a new protocol state: this is of the seeds \
               0..3\n";
    assert!(ran.stdout.contains(end), "{ran:?}");
}

#[test]
fn a_quiet_sweep_in_which_nothing_happened_proves_nothing() {
    let folder = Folder::new("quiet-vacant");
    folder.write("early.toml", TOO_EARLY);
    let ran = folder.run("sweep early.toml --until-quiet 25");
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(
        ran.stderr.contains("nothing is proven: no fault fired in 25 seeds of: drop"),
        "{ran:?}"
    );
}

#[test]
fn no_seed_at_all_cannot_be_waited_for() {
    let ran = Folder::new("quiet-zero").run("sweep drop --until-quiet 0");
    assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{ran:?}");
}

#[test]
fn the_tables_of_coverage_are_for_those_who_ask() {
    let folder = Folder::new("coverage");
    let short = folder.run("sweep drop --seeds 0..4").stdout;
    let long = folder.run("sweep drop --seeds 0..4 --coverage").stdout;
    assert!(short.contains(" seen; the last new one at seed "), "{short}");
    assert!(short.contains(" (--coverage shows which)\n"), "{short}");
    for table in ["    cut-reset ", "  of 12 stream states  ", "  never seen\n"] {
        assert!(long.contains(table) && !short.contains(table), "{table}: {long}");
    }
    assert!(long.lines().all(|line| line.len() <= 100), "{long}");
}
