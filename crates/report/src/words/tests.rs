//! Proves the sentences that no snapshot of a whole text holds.
//!
//! Owns the wording of checks, outcomes, rotations, faults and remarks.

use seamstress_trace::Host;

use super::*;

fn said(scene: Scene) -> String {
    sentence(&Moment {
        from_ms: 4,
        at_ms: 4,
        host: Host::Client,
        records: vec![0],
        exchange: None,
        stream: Some("c1"),
        quiet: false,
        scene,
    })
}

#[test]
fn the_check_of_the_first_event_says_what_it_found_and_what_the_client_does() {
    let check = |check, accepted| said(Scene::Checks { last: "6", first: "9", check, accepted });
    assert_eq!(check(Check::Continuous, true), "first event 9 directly follows 6");
    assert_eq!(
        check(Check::Gap, false),
        "first event 9 does not directly follow 6: a gap; the client gives up"
    );
    assert_eq!(
        check(Check::RebasedOrReplayed, false),
        "first event 9 is not later than 6: numbered anew, or replayed; the client gives up"
    );
    assert_eq!(
        check(Check::Unverifiable, true),
        "first event 9: its id does not tell whether it directly follows 6; the client goes on"
    );
}

#[test]
fn an_unknown_outcome_is_explained() {
    let ends = |calls: &[&'static str]| {
        said(Scene::CallsEnd { calls: calls.to_vec(), outcome: Outcome::Unknown })
    };
    assert_eq!(ends(&["c1"]), "outcome: unknown, it may or may not have run");
    assert_eq!(ends(&["c2", "a1"]), "outcome of c2 and a1: unknown, they may or may not have run");
}

#[test]
fn rotations_in_a_row_are_counted() {
    let rotates =
        |count| said(Scene::Rotates { from: "S1", to: "S7", count, keeps_old: count > 1 });
    assert_eq!(rotates(1), "renames session S1 to S7; old ids no longer work");
    assert_eq!(rotates(6), "renames session S1 to S7, 6 times in a row; old ids still work");
}

#[test]
fn what_is_left_over_is_counted_by_kind() {
    let left =
        |sessions, streams, connections| said(Scene::LeftOver { sessions, streams, connections });
    assert_eq!(left(0, 0, 2), "2 open connections left over");
    assert_eq!(left(1, 1, 0), "1 session and 1 attached connection left over");
}

#[test]
fn a_fault_says_what_it_does_how_much_of_it_where_and_with_what_effect() {
    let fault: Fault = serde_json::from_str(
        r#"{"id":"f1","family":"silence","trigger":{"on":"at","at_ms":73},"action":"hold-link","extent":{"duration_ms":30}}"#,
    )
    .expect("a fault");
    let fires = |planned, effect| {
        said(Scene::Fires { planned, action: "hold-link", place: Some("at 73 ms"), effect })
    };
    assert_eq!(
        fires(Some(&fault), Some("nothing passed")),
        "hold-link (30 ms) at 73 ms: nothing passed"
    );
    assert_eq!(fires(None, None), "hold-link at 73 ms", "a capture has no plan");
}

#[test]
fn one_finding_is_explained_and_several_are_named_the_escapes_first() {
    assert_eq!(remark(&[Oracle::Duplicate]), "<- duplicate: the application had this already");
    assert_eq!(remark(&[Oracle::RetryRespected]), "<- retry-respected");
    assert_eq!(remark(&[Oracle::StreamOrder, Oracle::Skip]), "<- skip and stream-order");
    let many = [Oracle::Leak, Oracle::StreamOrder, Oracle::Stuck, Oracle::Skip, Oracle::Duplicate];
    assert_eq!(remark(&many), "<- duplicate, skip, stuck and 2 more");
}

#[test]
fn what_a_foreign_server_sends_stays_on_its_line() {
    let cursor = "7\u{1b}[2J\n8";
    assert_eq!(said(Scene::Resumes { cursor, renamed: None }), r"GET resumes after 7\u{1b}[2J 8");
}
