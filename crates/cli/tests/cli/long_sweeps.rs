//! Sweeps that end early and go on: by time, by a signal, by a crash.
//!
//! Owns the promise that it cannot be seen from the summary, nor from the file of results, how many
//! times a sweep was ended on its way.

use std::io::{BufRead, BufReader};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Folder, Ran, UnderWay};

/// Enough seeds that a sweep of them can be killed on its way, with failures in most of them.
const SWEEP: &str =
    "sweep drop --seeds 20..100 --format json --no-shrink --server reference:replay-whole-ring";
const ENDLESS: &str = "sweep drop --seeds 0..100000000 --format json";

/// The summary without the fields that are measured.
#[track_caller]
fn summary(ran: &Ran) -> Value {
    let mut summary = ran.json().pop().expect("a summary");
    assert_eq!(summary["type"], "summary", "{ran:?}");
    let fields = summary.as_object_mut().expect("an object");
    assert!(fields.remove("cpu_seconds").is_some());
    assert!(fields.remove("seeds_per_cpu_second").is_some());
    summary
}

fn seeds(ran: &Ran) -> Vec<u64> {
    let lines = ran.json();
    let seeds = lines.iter().filter(|line| line["type"] == "seed");
    seeds.map(|line| line["seed"].as_u64().expect("a number")).collect()
}

/// What is told to people, without the last lines, which are measured.
#[track_caller]
fn told_summary(ran: &Ran) -> String {
    let begins = ran.stdout.find("\ndrop   server").expect("a summary");
    ran.stdout[begins..].rsplit_once("\n\n").expect("a speed").0.to_owned()
}

/// A sweep of which so many lines about seeds have been read.
fn begun(folder: &Folder, arguments: &str, seeds: usize) -> UnderWay {
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let mut sweep = UnderWay::of(&mut folder.command(&arguments));
    let started = sweep.line();
    assert!(started.contains("sweep_started"), "{started}");
    let mut wanted = seeds;
    while wanted > 0 {
        let line = sweep.line();
        assert!(!line.is_empty(), "it ended before {seeds} seeds");
        // There are lines about failures as well.
        wanted -= usize::from(line.contains(r#""type":"seed""#));
    }
    sweep
}

#[test]
fn a_sweep_that_is_killed_again_and_again_comes_to_the_same_end_as_an_undisturbed_one() {
    let folder = Folder::new("killed");
    let whole = folder.run(&format!("{SWEEP} --results whole.jsonl"));
    assert_eq!(whole.code, Some(1), "{whole:?}");
    let killed = format!("{SWEEP} --results killed.jsonl --resume");
    for seeds in [1, 30, 7] {
        begun(&folder, &killed, seeds).kill();
    }
    // Each of the three has told of its seeds, and kept all but perhaps the last.
    let kept = folder.read("killed.jsonl").lines().count() - 1;
    assert!((1 + 30 + 7 - 3..80).contains(&kept), "{kept} seeds are kept");
    let resumed = folder.run(&killed);
    assert_eq!((resumed.code, summary(&resumed)), (whole.code, summary(&whole)));
    assert!(!seeds(&resumed).contains(&20), "what is done is not played again: {resumed:?}");
    assert_eq!(folder.read("killed.jsonl"), folder.read("whole.jsonl"));
}

#[test]
fn a_sweep_that_is_done_plays_nothing_when_it_is_typed_again() {
    let folder = Folder::new("resumed-twice");
    let resume = format!("{SWEEP} --resume");
    let first = folder.run(&resume);
    let file = "drop-server-reference+replay-whole-ring.results.jsonl";
    assert_eq!(folder.names(), [file]);
    let results = folder.read(file);
    let again = folder.run(&resume);
    assert_eq!(seeds(&again), [0; 0]);
    assert_eq!((again.code, summary(&again)), (first.code, summary(&first)));
    let started = &again.json()[0];
    assert_eq!(
        (&started["results"], &started["seeds_in_results"]),
        (&json!(file), &json!([20, 100]))
    );
    assert_eq!(first.json()[0]["seeds_in_results"], json!([20, 20]));
    assert_eq!(folder.read(file), results);
    let told = folder.run(&resume.replace("--format json ", ""));
    assert!(told.stdout.contains("seeds 20..100 are in it and not played again"), "{told:?}");
    assert!(told.stdout.contains(" for the 0 seeds played now"), "{told:?}");
    assert!(!told.stdout.contains("FAIL"), "told before: {told:?}");
    assert_eq!(told.code, Some(1));
}

#[test]
fn another_range_counts_what_is_in_it_and_goes_on_where_the_file_ends() {
    let folder = Folder::new("other-range");
    let sweep = "sweep drop --format json --seeds";
    let kept = "--results a.jsonl --resume";
    folder.run(&format!("{sweep} 4..10 {kept}"));
    for (range, played) in [("6..14", 10..14), ("5..8", 0..0), ("4..14", 0..0), ("14..16", 14..16)]
    {
        let ran = folder.run(&format!("{sweep} {range} {kept}"));
        assert_eq!(seeds(&ran), played.collect::<Vec<_>>(), "{range}: {ran:?}");
        let alone = folder.run(&format!("{sweep} {range}"));
        assert_eq!((ran.code, summary(&ran)), (alone.code, summary(&alone)), "{range}");
    }
    for range in ["3..10", "17..20"] {
        let results = folder.read("a.jsonl");
        let ran = folder.run(&format!("{sweep} {range} {kept}"));
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{ran:?}");
        assert!(
            ran.stderr.contains("a.jsonl holds the seeds 4..16 and may have no hole"),
            "{ran:?}"
        );
        assert_eq!(folder.read("a.jsonl"), results);
    }
}

#[test]
fn a_failure_that_was_told_before_is_counted_and_a_new_one_is_told() {
    let folder = Folder::new("told-before");
    let few = "--shrink-runs 20 --coverage";
    let sweep =
        SWEEP.replace("--format json --no-shrink", &format!("{few} --results a.jsonl --resume"));
    let (first, rest) = (folder.run(&sweep.replace("..100", "..30")), folder.run(&sweep));
    let whole = folder.run(&SWEEP.replace("--format json --no-shrink", few));
    let told = |ran: &Ran| ran.stdout.matches("\nFAIL").count();
    assert!(told(&first) > 0 && told(&rest) > 0, "{first:?}, {rest:?}");
    assert_eq!(told(&first) + told(&rest), told(&whole));
    assert_eq!(told_summary(&rest), told_summary(&whole));
    // A plan is made small once, and its line stands for it.
    let again = folder.run(&SWEEP.replace("--format", "--results a.jsonl --resume --format"));
    assert!(again.json().iter().all(|line| line["type"] != "shrunk"), "{again:?}");
}

#[test]
fn quiet_is_counted_on_over_the_seeds_that_are_in_the_file() {
    let folder = Folder::new("quiet-resumed");
    let quiet = "sweep drop --until-quiet 6";
    let whole = folder.run(&format!("{quiet} --format json"));
    let last = summary(&whole)["seeds"].as_u64().expect("a number") - 1;
    // It is ended in the middle of the quiet, after which one more seed is enough.
    folder.run(&format!("sweep drop --seeds 0..{last} --results a.jsonl"));
    let resumed = folder.run(&format!("{quiet} --format json --results a.jsonl --resume"));
    assert_eq!(seeds(&resumed), [last], "{resumed:?}");
    assert_eq!((resumed.code, summary(&resumed)), (whole.code, summary(&whole)));
    // The file holds more than a shorter quiet asks for.
    for shorter in ["sweep drop --until-quiet 2", quiet] {
        let kept = folder.run(&format!("{shorter} --format json --results a.jsonl --resume"));
        let alone = folder.run(&format!("{shorter} --format json"));
        assert_eq!(seeds(&kept), [0; 0]);
        assert_eq!((kept.code, summary(&kept)), (alone.code, summary(&alone)), "{shorter}");
    }
    let told = folder.run(&format!("{quiet} --coverage --results a.jsonl --resume"));
    assert_eq!(told_summary(&told), told_summary(&folder.run(&format!("{quiet} --coverage"))));
}

#[test]
fn fail_fast_stops_at_a_failure_that_is_in_the_file() {
    let folder = Folder::new("fail-fast-resumed");
    folder.run(&format!("{SWEEP} --results a.jsonl"));
    let resumed = folder.run(&format!("{SWEEP} --results a.jsonl --resume --fail-fast"));
    let alone = folder.run(&format!("{SWEEP} --fail-fast"));
    assert_eq!(seeds(&resumed), [0; 0]);
    assert_eq!((resumed.code, summary(&resumed)), (alone.code, summary(&alone)));
}

#[test]
fn a_line_that_was_cut_off_is_played_again_and_a_damaged_one_is_refused() {
    let folder = Folder::new("torn");
    let sweep = "sweep drop --seeds 0..6 --format json --results a.jsonl --resume";
    let whole = folder.run(sweep);
    let results = folder.read("a.jsonl");
    folder.write("a.jsonl", &results[..results.len() - 40]);
    let ran = folder.run(sweep);
    assert_eq!(seeds(&ran), [5]);
    assert_eq!(summary(&ran), summary(&whole));
    assert_eq!(folder.read("a.jsonl"), results);
    let damaged = results.replacen("\"seed\":2", "\"seed\":-2", 1);
    folder.write("a.jsonl", &damaged);
    let ran = folder.run(sweep);
    assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{ran:?}");
    assert!(ran.stderr.contains("a.jsonl, line 4: it is no `seed` line"), "{ran:?}");
    assert_eq!(folder.read("a.jsonl"), damaged);
}

#[cfg(unix)]
#[test]
fn a_disk_that_is_full_ends_the_sweep_and_loses_nothing_that_was_written() {
    let folder = Folder::new("disk-full");
    let sweep = "sweep drop --seeds 0..40 --format json --results a.jsonl --resume";
    let binary = env!("CARGO_BIN_EXE_seamstress");
    let limited = format!("trap '' XFSZ; ulimit -f 8; exec {binary} {sweep}");
    let full = Ran::of(Command::new("sh").current_dir(folder.path()).args(["-c", &limited]));
    assert_eq!(full.code, Some(2), "{full:?}");
    assert!(full.stderr.contains("a.jsonl cannot be written: "), "{full:?}");
    assert!(full.stderr.contains("make room, and go on with --resume"), "{full:?}");
    let kept = folder.read("a.jsonl").lines().count();
    assert!((2..40).contains(&kept), "{kept} lines are kept");
    let rest = folder.run(sweep);
    assert!(!seeds(&rest).contains(&0), "{rest:?}");
    assert_eq!(summary(&rest), summary(&folder.run("sweep drop --seeds 0..40 --format json")));
}

#[test]
fn a_file_that_is_there_is_neither_overwritten_nor_mixed() {
    let folder = Folder::new("mixed");
    folder.write("notes.txt", "do not lose this");
    let refused = |arguments: &str, says: &str| {
        let ran = folder.run(arguments);
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{ran:?}");
        assert!(ran.stderr.contains(says), "{says}: {ran:?}");
    };
    refused("sweep drop --seeds 0..3 --results notes.txt", "notes.txt is there already");
    refused("sweep drop --seeds 0..3 --results notes.txt --resume", "is no file of results");
    assert_eq!(folder.read("notes.txt"), "do not lose this");
    folder.run("sweep drop --seeds 0..3 --results a.jsonl");
    let results = folder.read("a.jsonl");
    refused(
        "sweep framing --seeds 0..3 --results a.jsonl --resume",
        "of the scenario drop, not of",
    );
    refused("sweep drop --seeds 0..3 --results a.jsonl --resume --client rmcp", "client reference");
    let header = results.lines().next().expect("a header");
    let build: Value = serde_json::from_str(header).expect("JSON");
    let other = results.replace(build["build"].as_str().expect("a build"), "0123");
    folder.write("b.jsonl", &other);
    refused("sweep drop --seeds 0..3 --results b.jsonl --resume", "of another build");
    refused("sweep drop --seeds 0..3 --results . --resume", ". is no file");
    refused(
        "sweep drop --seeds 0..3 --results no/such/a.jsonl",
        "no/such/a.jsonl cannot be opened",
    );
    assert_eq!((folder.read("a.jsonl"), folder.read("b.jsonl")), (results, other));
}

#[test]
fn two_sweeps_never_write_one_file() {
    let folder = Folder::new("two-at-once");
    let sweep = begun(&folder, &format!("{ENDLESS} --results a.jsonl"), 1);
    let second = folder.run("sweep drop --seeds 0..3 --results a.jsonl --resume");
    assert_eq!((second.code, &*second.stdout), (Some(2), ""), "{second:?}");
    assert!(second.stderr.contains("a.jsonl is being written by another sweep"), "{second:?}");
    sweep.kill();
}

#[cfg(unix)]
#[test]
fn a_request_to_terminate_leaves_the_summary_and_the_results_of_the_same_seeds() {
    let folder = Folder::new("terminated");
    let sweep = begun(&folder, &format!("{ENDLESS} --results a.jsonl"), 3);
    sweep.signal("-TERM");
    let ran = sweep.rest();
    assert_eq!(ran.code, Some(130), "{ran:?}");
    let goes_on = "seeds; the same command with --resume goes on\n";
    assert!(ran.stderr.ends_with(goes_on), "{ran:?}");
    let summary = ran.json().pop().expect("a summary");
    assert_eq!((&summary["interrupted"], &summary["time_up"]), (&json!(true), &json!(false)));
    let results = folder.read("a.jsonl");
    assert!(results.ends_with('\n'));
    assert_eq!(summary["seeds"], results.lines().count() - 1);
    assert_eq!(summary["seeds_done"], json!([0, summary["seeds"]]));
}

/// Playing it takes minutes.
const SLOW: &str = r#"
about = "Nothing happens for hours."
[topology]
keep_alive_ms = 1000000
idle_timeout_ms = 10000000
[[workload.operation]]
id = "c1"
at_ms = 10
ask = { count = { events = 3, interval_ms = 10000000 } }
[storm]
deadline_ms = 60000000
"#;

#[cfg(unix)]
#[test]
fn a_second_signal_ends_it_at_once() {
    let folder = Folder::new("second-signal");
    folder.write("slow.toml", SLOW);
    let mut command = folder.command(&["sweep", "slow.toml", "--format", "json"]);
    let mut sweep = UnderWay::of(command.env("SEAMSTRESS_LOG", "turmoil=info"));
    let stderr = BufReader::new(sweep.child.stderr.take().expect("piped"));
    let mut said = stderr.lines().map(Result::unwrap);
    assert!(said.any(|line| line.contains("nodename")), "the run is under way");
    sweep.signal("-TERM");
    let is_asked = said.any(|line| line.starts_with("stopping: runs under way are finished"));
    assert!(is_asked, "nothing is said of the first signal");
    sweep.signal("-INT");
    assert_eq!(sweep.child.wait().unwrap().code(), Some(130));
    let stdout = std::io::read_to_string(sweep.stdout).unwrap();
    assert_eq!(stdout.lines().count(), 1, "nothing is told of a run that was not finished");
}

#[test]
fn a_sweep_ends_when_its_time_is_up_and_speaks_of_the_seeds_that_were_played() {
    let folder = Folder::new("time");
    let ran = folder.run("sweep drop --time 1s --format json");
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{ran:?}");
    let started = &ran.json()[0];
    assert_eq!((&started["seeds"], &started["time_ms"]), (&json!([0, null]), &json!(1000)));
    let (seeds, summary) = (seeds(&ran), summary(&ran));
    assert_eq!(seeds, (0..seeds.len() as u64).collect::<Vec<_>>(), "a range without a hole");
    assert_eq!((&summary["time_up"], &summary["interrupted"]), (&json!(true), &json!(false)));
    assert_eq!(summary["seeds_done"], json!([0, seeds.len()]));
    assert_eq!(summary["seeds"], seeds.len());
}

#[test]
fn a_failure_counts_as_ever_when_the_time_is_up() {
    let folder = Folder::new("time-failing");
    let ran = folder.run("sweep drop --time 1s --seeds 20.. --server reference:replay-whole-ring");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let head = "sweep drop   seeds 20..   time 1s   server reference:replay-whole-ring   ";
    assert!(ran.stdout.starts_with(head), "{ran:?}");
    assert!(ran.stdout.contains("\ntime up after 1s: this is of the seeds 20.."), "{ran:?}");
}

#[test]
fn whichever_end_comes_first_ends_a_sweep() {
    let folder = Folder::new("time-or-quiet");
    let quiet = folder.run("sweep drop --seeds 3.. --time 1h --until-quiet 2 --format json");
    let (ended, started) = (summary(&quiet), &quiet.json()[0]);
    assert_eq!((&started["seeds"], &started["time_ms"]), (&json!([3, null]), &json!(3_600_000)));
    assert_eq!((&ended["quiet_seeds"], &ended["time_up"]), (&json!(2), &json!(false)));
    let time = folder.run("sweep drop --time 1ns --until-quiet 2 --format json");
    let ended = summary(&time);
    assert_eq!((&ended["quiet_seeds"], &ended["time_up"]), (&Value::Null, &json!(true)));
}

#[test]
fn a_time_that_is_long_enough_changes_nothing() {
    let folder = Folder::new("time-enough");
    let timed = folder.run("sweep drop --time 1h --seeds 0..5 --format json");
    let untimed = folder.run("sweep drop --seeds 0..5 --format json");
    assert_eq!((timed.code, summary(&timed)), (untimed.code, summary(&untimed)));
    assert_eq!(summary(&timed)["time_up"], false);
    let written = folder.run("sweep incident-4471 --time 1h --format json");
    assert_eq!(seeds(&written), [0], "where nothing is drawn, one seed is all of them");
}

#[test]
fn no_seed_before_the_time_is_up_proves_nothing() {
    let ran = Folder::new("no-time").run("sweep drop --time 1ns");
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(
        ran.stderr.ends_with("nothing ran: the time was up before the first seed\n"),
        "{ran:?}"
    );
}

#[test]
fn a_sweep_without_any_end_is_refused() {
    let folder = Folder::new("endless");
    for (arguments, says) in [
        ("sweep drop --seeds 5..", "the seeds 5.. have no end; say when to end"),
        ("sweep drop --time 10", "write a number with a unit"),
        ("sweep drop --time 0s", "in no time no seed is played"),
    ] {
        let ran = folder.run(arguments);
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{ran:?}");
        assert!(ran.stderr.contains(says), "{says}: {ran:?}");
    }
}
