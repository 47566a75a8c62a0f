//! The official Rust SDK in the place of ours, from the command line.

use crate::support::Folder;

#[test]
fn the_sdk_is_listed_as_a_server_and_as_a_client() {
    for what in ["servers", "clients"] {
        let ran = Folder::new(&format!("sdk-{what}")).run(&format!("list {what}"));
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{ran:?}");
        assert!(ran.stdout.lines().any(|line| line.starts_with("rmcp ")), "{ran:?}");
    }
}

#[test]
fn a_sweep_of_the_storm_against_the_sdk_exits_with_1_and_shows_a_story() {
    let ran = Folder::new("sdk-sweep").run("sweep storm --server rmcp --seeds 0..20 --no-shrink");
    assert_eq!((ran.code, &*ran.stderr), (Some(1), ""), "{ran:?}");
    assert!(ran.stdout.starts_with("sweep storm   seeds 0..20   server rmcp   "), "{ran:?}");
    assert!(ran.stdout.lines().any(|line| line.starts_with("FAIL ")), "{ran:?}");
    let next = ran.stdout.lines().find_map(|line| line.strip_prefix("next      seamstress "));
    let replayed = Folder::new("sdk-sweep-next").run(next.expect("a command to type"));
    assert_eq!(replayed.code, Some(1), "{replayed:?}");
    assert!(replayed.stdout.lines().any(|line| line.starts_with("FAIL ")), "{replayed:?}");
}

#[test]
fn a_replay_against_the_sdk_tells_what_the_sdk_is_set_to() {
    let ran = Folder::new("sdk-replay").run("replay storm@6 --server rmcp");
    assert!(ran.stdout.contains("caches 16 events a stream"), "{ran:?}");
    let ours = Folder::new("sdk-replay-ours").run("replay storm@6");
    assert!(!ours.stdout.contains("caches"), "{ours:?}");
}
