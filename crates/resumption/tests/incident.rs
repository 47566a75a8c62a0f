//! The incident of the first source document with its numbers: a session with one counter over
//! two streams, the standalone stream's client at event 3120, a sub-stream opened for a tool call
//! whose client has event 4471, and a ring that has evicted everything up to 4400.
//!
//! In the incident the client had one slot for both cursors, the server replayed what it had, and
//! a tool result arrived twice while a progress notification vanished, without any error.

use seamstress_resumption::{
    Continuity, Cursors, EventId, EventLog, Floor, IdScheme, LogOptions, Reason, Resolution,
    Retention, resume_stream, validate_resume,
};

const STANDALONE: &str = "get";
const CALL: &str = "call-7";

/// Which of the two streams event `number` of the session went to. Past 3120, the standalone stream
/// sent the two events 3977 (evicted since) and 4452.
fn stream_of(number: u64) -> &'static str {
    if number <= 3120 || number == 3977 || number == 4452 { STANDALONE } else { CALL }
}

fn log_at_the_reconnect(scheme: IdScheme, floor: Floor) -> EventLog<u64> {
    let retention = Retention { session_events_max: Some(71), ..Retention::UNBOUNDED };
    let options = LogOptions { floor, retention, ..LogOptions::new(scheme, "s1") };
    let mut log = EventLog::new(options).expect("s1 is a valid tag");
    for number in 1..=4471 {
        log.append(stream_of(number), number, number).expect("a valid name");
    }
    log
}

fn replayed(log: &EventLog<u64>, cursor: &str) -> Vec<u64> {
    let resumed = resume_stream(log, cursor).expect(cursor);
    resumed.replay.iter().map(|event| event.payload).collect()
}

fn refused(log: &EventLog<u64>, cursor: &str) -> Reason {
    resume_stream(log, cursor).expect_err(cursor).reason
}

#[test]
fn the_ring_holds_exactly_the_events_4401_to_4471() {
    let log = log_at_the_reconnect(IdScheme::SessionCounter, Floor::Strict);
    let retained: Vec<_> = log.retained_all().map(|(_, event)| event.payload).collect();
    assert_eq!(retained, (4401..=4471).collect::<Vec<_>>());
}

#[test]
fn the_cursor_of_the_call_is_caught_up_and_gets_nothing_of_the_other_stream() {
    let log = log_at_the_reconnect(IdScheme::SessionCounter, Floor::Strict);
    let Resolution::CaughtUp { stream, .. } = log.resolve_cursor("4471") else {
        panic!("4471 is the newest event of the call")
    };
    assert_eq!(&*stream, CALL);
}

#[test]
fn the_cursor_of_the_standalone_stream_is_refused_and_not_clamped_to_4401() {
    for floor in [Floor::Strict, Floor::Predecessor] {
        let log = log_at_the_reconnect(IdScheme::SessionCounter, floor);
        assert_eq!(refused(&log, "3120"), Reason::BelowFloor, "event 3977 is lost ({floor})");
    }
}

#[test]
fn a_cursor_inside_the_window_replays_its_own_stream_only() {
    let log = log_at_the_reconnect(IdScheme::SessionCounter, Floor::Strict);
    let of_the_call: Vec<_> = (4402..=4471).filter(|&number| number != 4452).collect();
    assert_eq!(replayed(&log, "4401"), of_the_call);
    assert_eq!(replayed(&log, "4452"), [0_u64; 0], "the newest event of the standalone stream");
}

#[test]
fn the_cursor_just_below_the_floor_is_the_price_of_strictness() {
    let strict = log_at_the_reconnect(IdScheme::SessionCounter, Floor::Strict);
    assert_eq!(refused(&strict, "4400"), Reason::BelowFloor);
    let predecessor = log_at_the_reconnect(IdScheme::SessionCounter, Floor::Predecessor);
    let of_the_call: Vec<_> = (4401..=4471).filter(|&number| number != 4452).collect();
    assert_eq!(replayed(&predecessor, "4400"), of_the_call);
    assert_eq!(replayed(&predecessor, "3977"), [4452], "its stream lost nothing since either");
    assert_eq!(refused(&predecessor, "4399"), Reason::BelowFloor);
}

#[test]
fn a_cursor_above_4471_is_ahead_and_so_is_4471_on_a_replica_that_lags() {
    let log = log_at_the_reconnect(IdScheme::SessionCounter, Floor::Strict);
    assert_eq!(refused(&log, "4472"), Reason::Ahead);
    let lagging = log.resolve_cursor_as_of("4471", 4470);
    assert_eq!(lagging, Resolution::Refused(Reason::Ahead));
}

#[test]
fn with_a_counter_per_stream_the_same_cursor_is_ambiguous() {
    let log = log_at_the_reconnect(IdScheme::StreamCounter, Floor::Strict);
    // The call has sent 1349 events, the standalone stream 3122; each retains its last ones.
    assert_eq!(log.high_water_position(CALL), Some(1349));
    assert_eq!(log.high_water_position(STANDALONE), Some(3122));
    assert_eq!(refused(&log, "1349"), Reason::Ambiguous);
}

#[test]
fn with_namespaced_ids_each_stream_is_judged_by_its_own_window() {
    let log = log_at_the_reconnect(IdScheme::Namespaced, Floor::Strict);
    assert_eq!(refused(&log, "s1.get.3120"), Reason::BelowFloor);
    assert_eq!(replayed(&log, "s1.get.3122"), [0_u64; 0]);
    assert_eq!(replayed(&log, "s1.call-7.1347"), [4470, 4471]);
}

#[test]
fn a_client_with_one_cursor_per_stream_does_not_confuse_the_two() {
    let mut cursors = Cursors::new();
    cursors.advance(STANDALONE, EventId::from("3120"));
    cursors.advance(CALL, EventId::from("4471"));
    assert_eq!(cursors.get(STANDALONE).map(EventId::as_str), Some("3120"));

    // And had a server clamped 3120 to its floor, the client would still not have been fooled into
    // "continuous"; a session counter alone can say no more than that.
    let check = |streams| validate_resume(Some(IdScheme::SessionCounter), streams, "3120", "4401");
    assert_eq!(check(2), Continuity::Unverifiable);
    assert_eq!(check(1), Continuity::Gap);
}
