//! The log: only when asked for, with simulated times, and never in the way of the answer.

use crate::support::{Folder, Ran};

fn replayed(filter: Option<&str>) -> Ran {
    let folder = Folder::new("log");
    let mut command = folder.command(&["replay", "drop@3"]);
    if let Some(filter) = filter {
        command.env("SEAMSTRESS_LOG", filter);
    }
    Ran::of(&mut command)
}

#[test]
fn without_being_asked_nothing_is_logged() {
    let ran = replayed(None);
    assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)), "{ran:?}");
}

#[test]
fn the_log_shows_segments_with_simulated_times_and_is_the_same_twice() {
    let (once, again) = (replayed(Some("turmoil=trace")), replayed(Some("turmoil=trace")));
    assert!(once.stderr.contains("TCP SYN-ACK"), "{}", once.stderr);
    assert!(once.stderr.lines().any(|line| line.starts_with("     0 ms TRACE")), "{once:?}");
    assert_eq!(once.stderr, again.stderr);
    assert_eq!(once.stdout, replayed(None).stdout);
}

#[test]
fn a_filter_that_cannot_be_read_is_refused_with_one_that_can() {
    let ran = replayed(Some("turmoil=loud"));
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("write SEAMSTRESS_LOG=turmoil=trace"), "{ran:?}");
}
