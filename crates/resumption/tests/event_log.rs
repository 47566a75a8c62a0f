//! The event log as a container: numbering, eviction by each limit, the views on what is retained,
//! and the inputs it refuses. Whether a cursor may be resumed from is the matter of `reasons`.

use seamstress_resumption::{Counters, EventLog, IdScheme, LogError, LogOptions, Retention};

fn log_with(retention: Retention) -> EventLog<u64> {
    let options = LogOptions { retention, ..LogOptions::new(IdScheme::SessionCounter, "s1") };
    EventLog::new(options).expect("s1 is a valid tag")
}

fn positions(log: &EventLog<u64>, stream: &str) -> Vec<u64> {
    log.retained(stream).map(|event| event.position).collect()
}

#[test]
fn numbering_begins_at_the_first_counter_and_positions_at_1() {
    for (scheme, expected) in [
        (IdScheme::SessionCounter, ["100", "101", "102"]),
        (IdScheme::Namespaced, ["s1.a.100", "s1.b.100", "s1.a.101"]),
        (IdScheme::EpochNamespaced, ["s1.1.a.100", "s1.1.b.100", "s1.1.a.101"]),
        (IdScheme::StreamCounter, ["100", "100", "101"]),
    ] {
        let options = LogOptions { first_counter: 100, ..LogOptions::new(scheme, "s1") };
        let mut log = EventLog::new(options).unwrap();
        let appended = ["a", "b", "a"].map(|stream| log.append(stream, 0, 0).unwrap());
        assert_eq!(appended.each_ref().map(|event| event.id.as_str()), expected);
        assert_eq!(appended.each_ref().map(|event| event.position), [1, 1, 2]);
    }
}

#[test]
fn a_rebase_resets_numbers_if_told_so_and_positions_never() {
    for (counters, expected) in [(Counters::Persisted, "4"), (Counters::Restarted, "1")] {
        let mut log = log_with(Retention::UNBOUNDED);
        for stream in ["a", "a", "b"] {
            log.append(stream, 0, 0).unwrap();
        }
        log.rebase(counters);
        assert_eq!(log.epoch(), 2);
        assert_eq!(log.retained_all().count(), 0);
        assert_eq!(log.streams().collect::<Vec<_>>(), ["a", "b"], "streams outlive a re-base");
        assert_eq!(log.floor_position("a"), Some(3));
        let appended = log.append("a", 0, 0).unwrap();
        assert_eq!((appended.id.as_str(), appended.position), (expected, 3), "{counters}");
    }
}

#[test]
fn the_session_limit_evicts_the_oldest_event_of_the_session() {
    let mut log = log_with(Retention { session_events_max: Some(3), ..Retention::UNBOUNDED });
    for stream in ["a", "b", "a", "a", "b"] {
        log.append(stream, 0, 0).unwrap();
    }
    assert_eq!(positions(&log, "a"), [2, 3]);
    assert_eq!(positions(&log, "b"), [2]);
}

#[test]
fn the_stream_limit_evicts_the_oldest_event_of_the_stream_that_grew() {
    let mut log = log_with(Retention { stream_events_max: Some(2), ..Retention::UNBOUNDED });
    for stream in ["b", "a", "a", "a", "a"] {
        log.append(stream, 0, 0).unwrap();
    }
    assert_eq!(positions(&log, "a"), [3, 4]);
    assert_eq!(positions(&log, "b"), [1]);
}

#[test]
fn the_stream_limit_is_applied_before_the_session_limit() {
    // The stream that grew pays for its growth, not the quiet one.
    let retention =
        Retention { stream_events_max: Some(2), session_events_max: Some(3), age_ms_max: None };
    let mut log = log_with(retention);
    for stream in ["b", "a", "a", "a"] {
        log.append(stream, 0, 0).unwrap();
    }
    assert_eq!(positions(&log, "b"), [1]);
    assert_eq!(positions(&log, "a"), [2, 3]);
}

#[test]
fn an_event_is_kept_up_to_its_greatest_age_and_not_a_millisecond_longer() {
    let mut log = log_with(Retention { age_ms_max: Some(100), ..Retention::UNBOUNDED });
    log.append("a", 0, 1_000).unwrap();
    log.append("a", 0, 1_050).unwrap();
    log.expire(1_100);
    assert_eq!(positions(&log, "a"), [1, 2]);
    log.expire(1_101);
    assert_eq!(positions(&log, "a"), [2]);
    log.append("b", 0, 1_151).unwrap();
    assert_eq!(positions(&log, "a"), [0_u64; 0], "appending to any stream tells the time too");
}

#[test]
fn the_clock_of_the_log_never_goes_back() {
    let mut log = log_with(Retention { age_ms_max: Some(100), ..Retention::UNBOUNDED });
    log.append("a", 0, 1_000).unwrap();
    log.append("a", 0, 500).unwrap();
    assert_eq!(
        log.retained("a").map(|event| event.appended_at_ms).collect::<Vec<_>>(),
        [1_000, 1_000]
    );
    log.expire(0);
    assert_eq!(positions(&log, "a"), [1, 2]);
}

#[test]
fn a_narrower_retention_evicts_at_once_and_a_wider_one_brings_nothing_back() {
    let mut log = log_with(Retention::UNBOUNDED);
    for _ in 0..5 {
        log.append("a", 0, 0).unwrap();
    }
    log.set_retention(Retention { stream_events_max: Some(2), ..Retention::UNBOUNDED });
    assert_eq!(positions(&log, "a"), [4, 5]);
    log.set_retention(Retention::UNBOUNDED);
    assert_eq!(positions(&log, "a"), [4, 5]);
    assert_eq!(log.options().retention, Retention::UNBOUNDED);
    log.set_retention(Retention { session_events_max: Some(1), ..Retention::UNBOUNDED });
    assert_eq!(positions(&log, "a"), [5]);
    log.expire(10);
    log.set_retention(Retention { age_ms_max: Some(9), ..Retention::UNBOUNDED });
    assert_eq!(log.retained_all().count(), 0);
}

#[test]
fn positions_and_ids_can_be_read_back() {
    let mut log = log_with(Retention { stream_events_max: Some(2), ..Retention::UNBOUNDED });
    log.open_stream("b").unwrap();
    for payload in 1..=3 {
        log.append("a", payload, 0).unwrap();
    }
    assert_eq!((log.floor_position("a"), log.high_water_position("a")), (Some(2), Some(3)));
    assert_eq!((log.floor_position("b"), log.high_water_position("b")), (Some(1), Some(0)));
    assert_eq!((log.floor_position("c"), log.high_water_position("c")), (None, None));
    assert_eq!(log.id_of_position("a", 1), None);
    assert_eq!(log.id_of_position("a", 2).map(|id| id.as_str()), Some("2"));
    assert_eq!(log.id_of_position("a", 4), None);
    assert_eq!(log.retained("c").count(), 0);
    assert_eq!(log.streams().len(), 2);
}

#[test]
fn reading_on_after_a_position_fails_exactly_when_an_event_in_between_is_gone() {
    let mut log = log_with(Retention { stream_events_max: Some(2), ..Retention::UNBOUNDED });
    for payload in 1..=4 {
        log.append("a", payload, 0).unwrap();
    }
    let after = |position| -> Option<Vec<u64>> {
        Some(log.retained_after("a", position)?.map(|event| event.payload).collect())
    };
    assert_eq!(after(1), None, "event 2 is gone");
    assert_eq!(after(2), Some(vec![3, 4]));
    assert_eq!(after(4), Some(vec![]));
    assert_eq!(after(5), None, "never issued");
    assert_eq!(after(u64::MAX), None);
    assert!(log.retained_after("b", 0).is_none());
}

#[test]
fn a_busy_stream_beside_a_quiet_one_keeps_the_order_of_appending_and_every_limit() {
    // The event of the quiet stream stays at the front of the order for ever, so the evicted
    // events of the busy one pile up behind it until they are swept.
    let mut log = log_with(Retention { stream_events_max: Some(3), ..Retention::UNBOUNDED });
    log.append("quiet", 0, 0).unwrap();
    for payload in 1..=1_000 {
        log.append("busy", payload, payload).unwrap();
        let order: Vec<_> = log.retained_all().map(|(_, event)| event.payload).collect();
        let mut expected = vec![0];
        expected.extend(payload.saturating_sub(2).max(1)..=payload);
        assert_eq!(order, expected);
    }
    assert_eq!(
        log.retained_all().map(|(stream, _)| stream).collect::<Vec<_>>(),
        ["quiet", "busy", "busy", "busy"]
    );
    log.set_retention(Retention { session_events_max: Some(2), ..Retention::UNBOUNDED });
    assert_eq!(positions(&log, "quiet"), [0_u64; 0]);
    assert_eq!(positions(&log, "busy"), [999, 1_000]);
}

#[test]
fn a_name_that_cannot_stand_in_a_token_is_refused_and_changes_nothing() {
    let options = |tag: &str| LogOptions::new(IdScheme::Namespaced, tag);
    let error = EventLog::<u64>::new(options("a.b")).unwrap_err();
    assert_eq!(error, LogError::SessionTag { tag: "a.b".to_owned() });
    assert_eq!(
        error.to_string(),
        "session tag \"a.b\" cannot stand in an event id; use 1 to 64 of the characters A-Z, a-z, \
         0-9, `_` and `-`"
    );
    let mut log = EventLog::<u64>::new(options("s1")).unwrap();
    for stream in ["", "a b", "ä", "a.b"] {
        let refused = LogError::StreamName { stream: stream.to_owned() };
        assert_eq!(log.open_stream(stream), Err(refused.clone()));
        assert_eq!(log.append(stream, 0, 5), Err(refused));
    }
    assert_eq!(log.streams().len(), 0);
    log.append("a", 0, 1).expect("a valid name");
    let appended_at_ms = log.retained("a").map(|event| event.appended_at_ms);
    assert_eq!(appended_at_ms.collect::<Vec<_>>(), [1], "a refused event tells no time either");
}

#[test]
fn a_used_up_counter_is_an_error_and_not_a_wrap_around() {
    let options =
        LogOptions { first_counter: u64::MAX - 1, ..LogOptions::new(IdScheme::Namespaced, "s1") };
    let mut log = EventLog::new(options).unwrap();
    assert_eq!(log.append("a", 0, 0).unwrap().id.as_str(), "s1.a.18446744073709551614");
    assert_eq!(log.append("b", 0, 0), Err(LogError::CounterExhausted));
    assert_eq!(log.streams().collect::<Vec<_>>(), ["a"], "a refused event opens no stream");
    log.rebase(Counters::Restarted);
    assert!(log.append("b", 0, 0).is_ok());
}
