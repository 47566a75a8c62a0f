//! The chaos window: outside of it nothing happens.

use seamstress_plan::{Action, Phases, Place, Trigger};
use seamstress_testing::after_ms;
use seamstress_trace::{End, FaultState};

use crate::support::{
    EFFECTIVE, Passed, Through, after_event, at_event, at_head, at_resume, event, events, fault,
    send,
};

const WINDOW: Phases = Phases { chaos_from_ms: 1_000, chaos_until_ms: 2_000, deadline_ms: 9_000 };

/// One fault at each kind of place.
fn everywhere() -> Vec<seamstress_plan::Fault> {
    let response = Trigger::Response { stream: "c1".to_owned() };
    let replay = Trigger::Replay { stream: "c1".to_owned(), nth: 1, events: 1 };
    vec![
        fault(Action::CutClean, at_head()),
        fault(Action::CutNoLastChunk, at_event(1, Place::Byte(3))),
        fault(Action::CutReset, response),
        fault(Action::CutClientSide, replay),
        fault(Action::TwinResume, at_resume(1)),
        fault(Action::Burst, Trigger::At { at_ms: 500 }),
        fault(Action::RotateId, Trigger::At { at_ms: 2_000 }),
    ]
}

#[tokio::test(start_paused = true)]
async fn nothing_happens_before_and_after_the_window() {
    for begin_ms in [0, 2_000] {
        let mut through = Through::begin_in(WINDOW, &["server"], everywhere()).await;
        after_ms(begin_ms).await;
        let Passed { client, server, .. } = through.calls("c1").await;
        send(&server, 1..=2);
        let response = "id: s1.c1.3\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n\n";
        server.send(response);
        server.end();
        let (text, end) = client.text().await;
        assert_eq!((text, end), (events(1..=2) + response, End::Clean), "from {begin_ms} ms");
        let Passed { client, server, .. } = through.resumes("s1.c1.1").await;
        server.send(&event(2));
        server.end();
        assert_eq!(client.header("mcp-session-id"), None, "from {begin_ms} ms");
        assert_eq!(client.text().await, (event(2), End::Clean), "from {begin_ms} ms");
        for fault in everywhere() {
            assert_eq!(through.states(&fault.id), Vec::<FaultState>::new(), "{}", fault.id);
        }
        assert!(through.hands.acts.lock().expect("no panic").is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_place_that_passed_before_the_window_does_not_come_again_in_it() {
    let cut = fault(Action::CutReset, after_event(1));
    let mut through = Through::begin_in(WINDOW, &["server"], vec![cut]).await;
    let Passed { mut client, server, .. } = through.calls("c1").await;
    send(&server, [1]);
    assert_eq!(client.text_within_ms(1_500).await, event(1));
    send(&server, [2]);
    assert_eq!(client.text_within_ms(1).await, event(2));
    client.is_silent_for_ms(100).await;
}

#[tokio::test(start_paused = true)]
async fn the_window_begins_at_its_first_millisecond_and_ends_before_its_last() {
    for (at_ms, fires) in [(999, false), (1_000, true), (1_999, true), (2_000, false)] {
        let cut = fault(Action::CutReset, after_event(1));
        let mut through = Through::begin_in(WINDOW, &["server"], vec![cut]).await;
        let Passed { mut client, server, .. } = through.calls("c1").await;
        after_ms(at_ms - through.tape.now_ms()).await;
        send(&server, [1]);
        assert_eq!(client.text_within_ms(1).await, event(1));
        let states = through.states("cut-reset");
        let expected = if fires { EFFECTIVE.to_vec() } else { Vec::new() };
        assert_eq!(states, expected, "at {at_ms} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn a_fault_happens_once_however_often_its_place_comes() {
    let cut = fault(Action::CutReset, at_head());
    let mut through = Through::begin_in(WINDOW, &["server"], vec![cut]).await;
    after_ms(1_000).await;
    for (round, expected) in [(1, End::Reset), (2, End::Clean), (3, End::Clean)] {
        let Passed { client, server, .. } = through.calls("c1").await;
        server.end();
        assert_eq!(client.text().await.1, expected, "round {round}");
    }
    assert_eq!(through.states("cut-reset"), EFFECTIVE);
}
