//! One dialogue for each refusal and each kind of acceptance, small enough to be checked by hand.
//! What holds for *every* log and cursor is shown in `log_against_model`; this file shows what the
//! words mean.

use seamstress_resumption::{
    Counters, EventLog, Floor, IdScheme, LogOptions, Reason, Resolution, Resumed,
    ResumptionVerdict, Retention, resume_stream,
};

type Log = EventLog<&'static str>;

fn log_of(scheme: IdScheme, floor: Floor, retention: Retention) -> Log {
    let options = LogOptions { floor, retention, ..LogOptions::new(scheme, "s1") };
    EventLog::new(options).expect("s1 is a valid tag")
}

fn unbounded(scheme: IdScheme) -> Log {
    log_of(scheme, Floor::Strict, Retention::UNBOUNDED)
}

fn session_limit(events_max: u64) -> Retention {
    Retention { session_events_max: Some(events_max), ..Retention::UNBOUNDED }
}

fn stream_limit(events_max: u64) -> Retention {
    Retention { stream_events_max: Some(events_max), ..Retention::UNBOUNDED }
}

/// Appends events named by their stream: `send(&mut log, "a a b")`.
fn send(log: &mut Log, streams: &'static str) {
    for stream in streams.split(' ') {
        log.append(stream, stream, 0).expect("a short name and a low counter");
    }
}

fn reason(log: &Log, cursor: &str) -> Reason {
    resume_stream(log, cursor).expect_err(cursor).reason
}

/// The accepted resumption as (stream, position of the cursor, positions replayed).
fn accepted(log: &Log, cursor: &str) -> (String, u64, Vec<u64>) {
    let Resumed { stream, after, replay } = resume_stream(log, cursor).expect(cursor);
    (stream.to_string(), after, replay.iter().map(|event| event.position).collect())
}

fn on(stream: &str, after: u64, replayed: &[u64]) -> (String, u64, Vec<u64>) {
    (stream.to_owned(), after, replayed.to_vec())
}

#[test]
fn a_retained_cursor_gets_exactly_the_later_events_of_its_own_stream() {
    for (scheme, cursor) in [
        (IdScheme::SessionCounter, "2"),
        (IdScheme::Namespaced, "s1.a.2"),
        (IdScheme::EpochNamespaced, "s1.1.a.2"),
    ] {
        let mut log = unbounded(scheme);
        send(&mut log, "a a b a b a");
        assert_eq!(accepted(&log, cursor), on("a", 2, &[3, 4]), "{scheme}");
    }
}

#[test]
fn the_newest_cursor_of_a_stream_is_caught_up_whatever_other_streams_did_since() {
    let mut log = unbounded(IdScheme::SessionCounter);
    send(&mut log, "a b b");
    let resolution = log.resolve_cursor("1");
    assert_eq!(resolution, Resolution::CaughtUp { stream: "a".into(), after: 1 });
    assert_eq!(resolution.verdict(), ResumptionVerdict::CaughtUp);
}

#[test]
fn a_text_that_is_not_of_the_scheme_is_malformed() {
    let mut counter = unbounded(IdScheme::SessionCounter);
    let mut named = unbounded(IdScheme::EpochNamespaced);
    send(&mut counter, "a");
    send(&mut named, "a");
    for cursor in ["", "01", "+1", "s1.1.a.1", "18446744073709551616"] {
        assert_eq!(reason(&counter, cursor), Reason::Malformed, "{cursor:?}");
    }
    for cursor in ["", "1", "s1.a.1", "s1.1.a.01", "s1.1.a.1 "] {
        assert_eq!(reason(&named, cursor), Reason::Malformed, "{cursor:?}");
    }
}

#[test]
fn a_cursor_below_the_floor_is_refused_and_never_clamped() {
    for (scheme, below, at_floor) in [
        (IdScheme::SessionCounter, "2", "3"),
        (IdScheme::Namespaced, "s1.a.2", "s1.a.3"),
        (IdScheme::EpochNamespaced, "s1.1.a.2", "s1.1.a.3"),
        (IdScheme::StreamCounter, "2", "3"),
    ] {
        let mut log = log_of(scheme, Floor::Strict, session_limit(3));
        send(&mut log, "a a a a a");
        assert_eq!(reason(&log, below), Reason::BelowFloor, "{scheme}");
        assert_eq!(accepted(&log, at_floor), on("a", 3, &[4, 5]), "{scheme}");
    }
}

#[test]
fn the_predecessor_floor_accepts_the_cursor_just_below_it_and_no_lower_one() {
    for (scheme, lower, just_below) in [
        (IdScheme::SessionCounter, "1", "2"),
        (IdScheme::Namespaced, "s1.a.1", "s1.a.2"),
        (IdScheme::EpochNamespaced, "s1.1.a.1", "s1.1.a.2"),
        (IdScheme::StreamCounter, "1", "2"),
    ] {
        let mut log = log_of(scheme, Floor::Predecessor, session_limit(3));
        send(&mut log, "a a a a a");
        assert_eq!(reason(&log, lower), Reason::BelowFloor, "{scheme}");
        assert_eq!(accepted(&log, just_below), on("a", 2, &[3, 4, 5]), "{scheme}");
    }
}

#[test]
fn a_quiet_stream_whose_newest_event_was_evicted_is_caught_up_only_by_the_predecessor_floor() {
    for (floor, expected) in [
        (Floor::Strict, Resolution::Refused(Reason::BelowFloor)),
        (Floor::Predecessor, Resolution::CaughtUp { stream: "quiet".into(), after: 1 }),
    ] {
        let mut log = log_of(IdScheme::SessionCounter, floor, session_limit(2));
        send(&mut log, "quiet busy busy busy");
        assert_eq!(log.resolve_cursor("1"), expected, "{floor}");
    }
}

#[test]
fn the_floor_of_a_session_counter_is_that_of_the_session_not_of_the_stream() {
    // Event 2 is just below the lowest retained event of stream `a` (4), and far above the lowest
    // of the session (1): it is inside the window, and its successor is known.
    let mut log = log_of(IdScheme::SessionCounter, Floor::Strict, stream_limit(1));
    send(&mut log, "b a c a");
    assert_eq!(accepted(&log, "2"), on("a", 1, &[2]));
}

#[test]
fn a_cursor_inside_the_window_that_has_lost_its_successor_is_not_retained() {
    let mut log = log_of(IdScheme::SessionCounter, Floor::Strict, stream_limit(1));
    send(&mut log, "b a a a");
    assert_eq!(reason(&log, "2"), Reason::NotRetained);
    assert_eq!(accepted(&log, "3"), on("a", 2, &[3]), "the last one evicted is a predecessor");
}

#[test]
fn a_cursor_above_everything_issued_is_ahead() {
    for (scheme, newest, ahead) in [
        (IdScheme::SessionCounter, "2", "3"),
        (IdScheme::Namespaced, "s1.a.2", "s1.a.3"),
        (IdScheme::EpochNamespaced, "s1.1.a.2", "s1.1.a.3"),
        (IdScheme::StreamCounter, "2", "3"),
    ] {
        let mut log = unbounded(scheme);
        send(&mut log, "a a");
        assert_eq!(accepted(&log, newest), on("a", 2, &[]), "{scheme}");
        assert_eq!(reason(&log, ahead), Reason::Ahead, "{scheme}");
    }
}

#[test]
fn ahead_is_judged_in_the_space_of_the_scheme() {
    let mut counter = unbounded(IdScheme::SessionCounter);
    send(&mut counter, "a a b");
    assert_eq!(accepted(&counter, "3"), on("b", 1, &[]));
    let mut named = unbounded(IdScheme::Namespaced);
    send(&mut named, "a a b");
    assert_eq!(reason(&named, "s1.b.2"), Reason::Ahead);
}

#[test]
fn a_bare_counter_is_ambiguous_in_a_session_of_two_streams_even_if_one_alone_holds_it() {
    let mut log = unbounded(IdScheme::StreamCounter);
    send(&mut log, "a a a b");
    assert_eq!(reason(&log, "1"), Reason::Ambiguous, "both streams hold an event 1");
    assert_eq!(reason(&log, "3"), Reason::Ambiguous, "only `a` holds an event 3");
    assert_eq!(reason(&log, "4"), Reason::Ahead);
    assert_eq!(reason(&log, "0"), Reason::BelowFloor);
}

#[test]
fn a_stream_that_has_not_sent_anything_yet_makes_a_bare_counter_ambiguous() {
    let mut log = unbounded(IdScheme::StreamCounter);
    send(&mut log, "a a");
    assert_eq!(accepted(&log, "1"), on("a", 1, &[2]));
    log.open_stream("b").unwrap();
    assert_eq!(reason(&log, "1"), Reason::Ambiguous);
}

#[test]
fn a_bare_counter_between_the_windows_of_two_streams_is_not_retained() {
    let mut log = log_of(IdScheme::StreamCounter, Floor::Strict, stream_limit(1));
    send(&mut log, "a a a a a b");
    assert_eq!(reason(&log, "2"), Reason::NotRetained);
    assert_eq!(reason(&log, "4"), Reason::Ambiguous, "known as the predecessor of event 5 of `a`");
}

#[test]
fn a_stream_that_never_was_is_unknown_and_one_without_events_is_not() {
    let mut log = unbounded(IdScheme::Namespaced);
    log.open_stream("a").unwrap();
    assert_eq!(reason(&log, "s1.b.1"), Reason::UnknownStream);
    assert_eq!(reason(&log, "s1.a.1"), Reason::Ahead);
    assert_eq!(reason(&log, "s1.a.0"), Reason::BelowFloor);
}

#[test]
fn a_finished_stream_of_which_nothing_is_retained_is_still_known() {
    let mut log = log_of(IdScheme::Namespaced, Floor::Strict, session_limit(1));
    send(&mut log, "a b");
    assert_eq!(reason(&log, "s1.a.1"), Reason::BelowFloor);
}

#[test]
fn foreign_cursors_are_refused_by_where_they_belong_before_their_numbers_are_compared() {
    let mut log = unbounded(IdScheme::EpochNamespaced);
    send(&mut log, "a a");
    for number in [0, 1, 2, 9] {
        let cursor =
            |tag: &str, epoch: u64, stream: &str| format!("{tag}.{epoch}.{stream}.{number}");
        assert_eq!(reason(&log, &cursor("s2", 1, "a")), Reason::OtherSession);
        assert_eq!(reason(&log, &cursor("s2", 2, "b")), Reason::OtherSession);
        assert_eq!(reason(&log, &cursor("s1", 2, "b")), Reason::OtherEpoch);
        assert_eq!(reason(&log, &cursor("s1", 0, "a")), Reason::OtherEpoch);
        assert_eq!(reason(&log, &cursor("s1", 1, "b")), Reason::UnknownStream);
    }
}

#[test]
fn after_a_rebase_with_persisted_counters_no_old_cursor_is_accepted() {
    for (scheme, old, expected, new) in [
        (IdScheme::SessionCounter, "2", Reason::BelowFloor, "3"),
        (IdScheme::Namespaced, "s1.a.2", Reason::BelowFloor, "s1.a.3"),
        (IdScheme::EpochNamespaced, "s1.1.a.2", Reason::OtherEpoch, "s1.2.a.3"),
        (IdScheme::StreamCounter, "2", Reason::BelowFloor, "3"),
    ] {
        for floor in [Floor::Strict, Floor::Predecessor] {
            let mut log = log_of(scheme, floor, Retention::UNBOUNDED);
            send(&mut log, "a a");
            log.rebase(Counters::Persisted);
            assert_eq!(reason(&log, old), expected, "{scheme} {floor}");
            send(&mut log, "a a");
            assert_eq!(reason(&log, old), expected, "{scheme} {floor}");
            assert_eq!(accepted(&log, new), on("a", 3, &[4]), "{scheme}: positions go on");
        }
    }
}

#[test]
fn restarted_counters_betray_every_scheme_without_an_epoch() {
    // The client has seen events 1 and 2 of the old life. Event 2 of the new life is another one.
    for (scheme, cursor) in [(IdScheme::SessionCounter, "2"), (IdScheme::Namespaced, "s1.a.2")] {
        let mut log = unbounded(scheme);
        send(&mut log, "a a");
        log.rebase(Counters::Restarted);
        send(&mut log, "a a a");
        assert_eq!(accepted(&log, cursor), on("a", 4, &[5]), "{scheme} skips position 3");
    }
    let mut log = unbounded(IdScheme::EpochNamespaced);
    send(&mut log, "a a");
    log.rebase(Counters::Restarted);
    send(&mut log, "a a a");
    assert_eq!(reason(&log, "s1.1.a.2"), Reason::OtherEpoch);
}

#[test]
fn an_empty_log_knows_no_cursor() {
    for (scheme, cursor, expected) in [
        (IdScheme::SessionCounter, "0", Reason::BelowFloor),
        (IdScheme::SessionCounter, "1", Reason::Ahead),
        (IdScheme::StreamCounter, "0", Reason::BelowFloor),
        (IdScheme::StreamCounter, "1", Reason::Ahead),
        (IdScheme::Namespaced, "s1.a.1", Reason::UnknownStream),
    ] {
        assert_eq!(reason(&unbounded(scheme), cursor), expected, "{scheme} {cursor}");
    }
}

#[test]
fn when_nothing_is_retained_every_issued_cursor_is_below_the_floor() {
    let mut log = log_of(IdScheme::SessionCounter, Floor::Strict, session_limit(0));
    send(&mut log, "a a");
    assert_eq!(reason(&log, "1"), Reason::BelowFloor);
    assert_eq!(reason(&log, "2"), Reason::BelowFloor);
    assert_eq!(reason(&log, "3"), Reason::Ahead);
}

#[test]
fn a_replica_that_lags_takes_later_events_for_not_issued_and_later_streams_for_unknown() {
    let mut log = unbounded(IdScheme::Namespaced);
    for (stream, now_ms) in [("a", 10), ("a", 20), ("a", 30), ("b", 30)] {
        log.append(stream, stream, now_ms).unwrap();
    }
    let as_of_20 = |cursor: &str| log.resolve_cursor_as_of(cursor, 20);
    let Resolution::Resume { after: 1, replay, .. } = as_of_20("s1.a.1") else {
        panic!("event 1 and its successor had both arrived")
    };
    assert_eq!(replay.len(), 1, "event 3 had not");
    assert_eq!(as_of_20("s1.a.2"), Resolution::CaughtUp { stream: "a".into(), after: 2 });
    assert_eq!(as_of_20("s1.a.3"), Resolution::Refused(Reason::Ahead));
    assert_eq!(as_of_20("s1.b.1"), Resolution::Refused(Reason::UnknownStream));
}
