//! Cuts: where they fall, byte for byte, and how each of them ends a connection.

use seamstress_mcp::message::RequestId;
use seamstress_mcp::probe::{Mark, result_text};
use seamstress_plan::{Action, Place, Trigger};
use seamstress_testing::after_ms;
use seamstress_trace::{End, FaultState};

use crate::support::{
    EFFECTIVE, Passed, Through, after_event, at_event, at_head, at_resume, event, events, fault,
    send,
};

/// Every cut, and how it ends the connection for the client.
const CUTS: [(Action, End); 4] = [
    (Action::CutClean, End::Clean),
    (Action::CutNoLastChunk, End::NoLastChunk),
    (Action::CutReset, End::Reset),
    (Action::CutClientSide, End::NoLastChunk),
];

#[tokio::test(start_paused = true)]
async fn every_cut_ends_the_connection_in_its_own_way_right_at_the_place() {
    for (action, expected) in CUTS {
        let mut through = Through::begin(vec![fault(action, after_event(2))]).await;
        let Passed { client, server, .. } = through.calls("c1").await;
        send(&server, 1..=3);
        assert_eq!(client.text().await, (events(1..=2), expected), "{action}");
        assert_eq!(through.states(action.name()), EFFECTIVE, "{action}");
        assert_eq!(server.is_left(), action != Action::CutClientSide, "{action}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cut_falls_on_the_very_byte() {
    let second = event(2).replace('\n', "\r\n");
    let data = second.find("data").expect("a data field");
    let character = second.find('…').expect("a character of several bytes");
    let first_line = second.find('\n').expect("a line end");
    for (place, within) in [
        (Place::Before, 0..=0),
        (Place::Byte(1), 1..=1),
        (Place::Byte(17), 17..=17),
        (Place::Byte(1_000_000), second.len() - 1..=second.len() - 1),
        (Place::MidField, data + 1..=second.len() - 5),
        (Place::MidCharacter, character + 1..=character + 1),
        (Place::BetweenCrAndLf, first_line..=first_line),
        (Place::After, second.len()..=second.len()),
    ] {
        for (action, expected) in CUTS {
            let mut through = Through::begin(vec![fault(action, at_event(2, place))]).await;
            let Passed { client, server, .. } = through.calls("c1").await;
            server.send(&event(1));
            server.send(&second);
            server.send(&event(3));
            let (bytes, end) = client.bytes().await;
            let whole = event(1) + &second;
            assert_eq!(bytes, whole.as_bytes()[..bytes.len()], "{action} {place}");
            let of_second = bytes.len() - event(1).len();
            assert!(within.contains(&of_second), "{action} {place}: {of_second} bytes");
            assert_eq!(end, expected, "{action} {place}");
            assert_eq!(through.states(action.name()), EFFECTIVE, "{action} {place}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn where_an_event_has_no_such_place_the_nearest_one_is_taken() {
    let plain = "id: s1.c1.1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n";
    let data = plain.find("data").expect("a data field");
    for (place, within) in [
        (Place::MidCharacter, data + 1..=plain.len() - 3),
        (Place::BetweenCrAndLf, plain.len() - 1..=plain.len() - 1),
    ] {
        let cut = fault(Action::CutNoLastChunk, at_event(1, place));
        let mut through = Through::begin(vec![cut]).await;
        let Passed { client, server, .. } = through.calls("c1").await;
        server.send(plain);
        let (text, _) = client.text().await;
        assert!(plain.starts_with(&text) && within.contains(&text.len()), "{place}: {text:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cut_at_the_head_comes_before_the_first_byte_and_only_the_first_time() {
    for (action, expected) in CUTS {
        let mut through = Through::begin(vec![fault(action, at_head())]).await;
        let Passed { client, server, .. } = through.calls("c1").await;
        send(&server, 1..=3);
        assert_eq!(client.status, 200);
        assert_eq!(client.text().await, (String::new(), expected), "{action}");
        assert_eq!(through.states(action.name()), EFFECTIVE, "{action}");
        let Passed { client, server, .. } = through.calls("c1").await;
        send(&server, 1..=3);
        server.end();
        assert_eq!(client.text().await, (events(1..=3), End::Clean), "{action}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cut_before_the_response_lets_all_before_it_pass() {
    for (action, expected) in CUTS {
        let before_response = Trigger::Response { stream: "c1".to_owned() };
        let mut through = Through::begin(vec![fault(action, before_response)]).await;
        let Passed { client, server, .. } = through.calls("c1").await;
        send(&server, 1..=2);
        let result = result_text(&Mark::new("s1", "c1", 3), &RequestId::from(7), "c1", 2);
        let response = format!("id: s1.c1.3\ndata: {result}\n\n");
        server.send(&response);
        server.end();
        assert_eq!(client.text().await, (events(1..=2), expected), "{action}");
        assert_eq!(through.states(action.name()), EFFECTIVE, "{action}");

        let Passed { client, server, .. } = through.resumes("s1.c1.2").await;
        server.send(&response);
        server.end();
        assert_eq!(client.text().await, (response, End::Clean), "{action}: once only");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cut_at_a_resume_falls_on_that_resume_alone() {
    for (action, expected) in CUTS {
        let mut through = Through::begin(vec![fault(action, at_resume(2))]).await;
        let Passed { client, server, .. } = through.calls("c1").await;
        send(&server, [1]);
        server.end();
        client.text().await;
        for (nth, passes) in [(1, true), (2, false), (3, true)] {
            let Passed { client, server, .. } = through.resumes("s1.c1.1").await;
            send(&server, 2..=3);
            server.end();
            let whole = (events(2..=3), End::Clean);
            let passed = if passes { whole } else { (String::new(), expected) };
            assert_eq!(client.text().await, passed, "{action}, resume {nth}");
        }
        assert_eq!(through.states(action.name()), EFFECTIVE, "{action}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cut_inside_a_replay_counts_the_events_of_that_answer() {
    for passed in 0..=2 {
        let trigger = Trigger::Replay { stream: "c1".to_owned(), nth: 2, events: passed };
        let cut = fault(Action::CutNoLastChunk, trigger);
        let mut through = Through::begin(vec![cut]).await;
        let Passed { client, server, .. } = through.calls("c1").await;
        send(&server, [1]);
        server.end();
        client.text().await;
        let Passed { client, server, .. } = through.resumes("s1.c1.1").await;
        send(&server, 2..=3);
        server.end();
        assert_eq!(client.text().await, (events(2..=3), End::Clean));
        let Passed { client, server, .. } = through.resumes("s1.c1.1").await;
        send(&server, 2..=5);
        server.end();
        let expected = (events(2..2 + passed), End::NoLastChunk);
        assert_eq!(client.text().await, expected, "after {passed} events");
        assert_eq!(through.states("cut-no-last-chunk"), EFFECTIVE);
    }
}

#[tokio::test(start_paused = true)]
async fn events_are_counted_over_all_connections_and_priming_events_and_comments_are_none() {
    let mut through = Through::begin(vec![fault(Action::CutReset, after_event(4))]).await;
    let Passed { client, server, .. } = through.calls("c1").await;
    server.send("id: s1.c1.0\ndata:\n\n: comment\n\nretry: 5\n\nid: s1.c1.0\n\n");
    send(&server, 1..=2);
    server.end();
    assert_eq!(client.text().await.1, End::Clean);
    let Passed { client, server, .. } = through.resumes("s1.c1.1").await;
    send(&server, 2..=5);
    assert_eq!(client.text().await, (events(2..=3), End::Reset));
}

#[tokio::test(start_paused = true)]
async fn a_cut_of_one_stream_leaves_the_others_alone() {
    let mut through = Through::begin(vec![fault(Action::CutReset, after_event(1))]).await;
    let mut standalone = through.listens().await;
    let one = through.calls("c1").await;
    let mut other = through.calls("c2").await;
    for passed in [&standalone, &one, &other] {
        send(&passed.server, 1..=2);
    }
    assert_eq!(one.client.text().await, (event(1), End::Reset));
    assert_eq!(standalone.client.text_within_ms(1).await, events(1..=2));
    assert_eq!(other.client.text_within_ms(1).await, events(1..=2));
    standalone.client.is_silent_for_ms(1_000).await;
    other.client.is_silent_for_ms(1_000).await;
}

#[tokio::test(start_paused = true)]
async fn half_open_goes_on_reading_from_the_server_for_its_time() {
    let mut through = Through::begin(vec![fault(Action::CutClientSide, after_event(1))]).await;
    let Passed { client, server, .. } = through.calls("c1").await;
    send(&server, [1]);
    assert_eq!(client.text().await, (event(1), End::NoLastChunk));
    for n in 2..=10 {
        after_ms(10).await;
        assert!(!server.is_left(), "after {} ms", (n - 1) * 10);
        send(&server, [n]);
    }
    after_ms(11).await;
    assert!(server.is_left());
}

#[tokio::test(start_paused = true)]
async fn a_place_that_no_event_ever_had_is_not_reached() {
    let mut through = Through::begin(vec![fault(Action::CutReset, after_event(4))]).await;
    let Passed { client, server, .. } = through.calls("c1").await;
    send(&server, 1..=3);
    server.end();
    assert_eq!(client.text().await.1, End::Clean);
    assert_eq!(through.states("cut-reset"), Vec::<FaultState>::new());
}

#[tokio::test(start_paused = true)]
async fn of_two_cuts_at_one_place_the_first_of_the_plan_is_carried_out() {
    let faults =
        vec![fault(Action::CutClean, after_event(1)), fault(Action::CutReset, after_event(1))];
    let mut through = Through::begin(faults).await;
    let Passed { client, server, .. } = through.calls("c1").await;
    send(&server, 1..=2);
    assert_eq!(client.text().await, (event(1), End::Clean));
    assert_eq!(through.states("cut-clean"), EFFECTIVE);
    assert_eq!(through.states("cut-reset"), [FaultState::Reached]);
}
