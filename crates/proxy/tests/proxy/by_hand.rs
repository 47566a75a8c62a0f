//! Actions that the proxy leaves to other hands: on the server, on the network.

use std::sync::atomic::Ordering;

use seamstress_plan::{Action, Extent, Fault, Trigger};
use seamstress_testing::after_ms;
use seamstress_trace::FaultState;

use crate::support::{EFFECTIVE, Passed, Through, after_event, at_resume, event, fault, send};

const BY_HAND: [Action; 8] = [
    Action::Burst,
    Action::ShrinkRing,
    Action::AgeOut,
    Action::EvictSession,
    Action::HoldLink,
    Action::RestartKeepLog,
    Action::RestartLoseLog,
    Action::Rebase,
];

fn acts(through: &Through) -> Vec<(Action, Extent)> {
    through.hands.acts.lock().expect("no panic").clone()
}

#[tokio::test(start_paused = true)]
async fn an_action_on_the_server_is_handed_over_at_its_event_with_its_extent() {
    for action in BY_HAND {
        let asked = fault(action, after_event(2));
        let mut through = Through::begin(vec![asked.clone()]).await;
        let Passed { mut client, server, .. } = through.calls("c1").await;
        send(&server, [1]);
        assert_eq!(client.text_within_ms(1).await, event(1));
        assert!(acts(&through).is_empty(), "{action}");
        send(&server, 2..=3);
        client.text_within_ms(1).await;
        assert_eq!(acts(&through), [(action, asked.extent)]);
        assert_eq!(through.states(action.name()), EFFECTIVE, "{action}");
        assert_eq!(through.effect(action.name()).as_deref(), Some("it was done"), "{action}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_action_at_a_resume_is_done_before_the_request_reaches_the_server() {
    for action in BY_HAND {
        let mut through = Through::begin(vec![fault(action, at_resume(1))]).await;
        let Passed { client, server, .. } = through.calls("c1").await;
        send(&server, [1]);
        server.end();
        client.text().await;
        let hands = through.hands.clone();
        let answer = async {
            let asked = through.server.next_get().await;
            assert_eq!(hands.acts.lock().expect("no panic").len(), 1, "{action}");
            asked.status(404);
        };
        tokio::join!(through.peer.resume("s1.c1.1").send(), answer);
        assert_eq!(through.states(action.name()), EFFECTIVE, "{action}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_action_at_a_time_is_done_then() {
    for action in BY_HAND {
        let at = fault(action, Trigger::At { at_ms: 700 });
        let through = Through::begin(vec![at]).await;
        after_ms(699).await;
        assert!(acts(&through).is_empty(), "{action}");
        after_ms(2).await;
        assert_eq!(acts(&through).len(), 1, "{action}");
        let at_ms = through.tape.records().iter().map(|record| record.at_ms).max();
        assert_eq!(at_ms, Some(700), "{action}");
        assert_eq!(through.states(action.name()), EFFECTIVE, "{action}");
    }
}

#[tokio::test(start_paused = true)]
async fn where_there_is_nothing_to_act_on_the_fault_is_reached_and_no_more() {
    let burst = fault(Action::Burst, after_event(1));
    let mut through = Through::begin(vec![burst]).await;
    through.hands.are_empty.store(true, Ordering::Relaxed);
    let Passed { mut client, server, .. } = through.calls("c1").await;
    send(&server, [1]);
    client.text_within_ms(1).await;
    assert_eq!(through.states("burst"), [FaultState::Reached]);
}

#[tokio::test(start_paused = true)]
async fn a_connection_goes_on_after_an_action_elsewhere() {
    let faults = vec![
        fault(Action::Burst, after_event(1)),
        Fault { id: "second".to_owned(), ..fault(Action::Rebase, after_event(1)) },
    ];
    let mut through = Through::begin(faults).await;
    let Passed { mut client, server, .. } = through.calls("c1").await;
    send(&server, 1..=2);
    assert_eq!(client.text_within_ms(1).await, crate::support::events(1..=2));
    let done: Vec<Action> = acts(&through).into_iter().map(|(action, _)| action).collect();
    assert_eq!(done, [Action::Burst, Action::Rebase], "both, in the order of the plan");
}
