//! Routing: a resume that goes to another replica.

use seamstress_plan::Action;
use seamstress_proxy::ReplicaView;
use seamstress_trace::{End, FaultState};

use crate::support::{
    EFFECTIVE, PHASES, Passed, Through, at_resume, event, events, fault, send, streams,
};

/// Lets one event pass and the connection end.
async fn pass_one_event(through: &mut Through) {
    let Passed { client, server, .. } = through.calls("c1").await;
    send(&server, [1]);
    server.end();
    assert_eq!(client.text().await, (event(1), End::Clean));
}

#[tokio::test(start_paused = true)]
async fn a_resume_goes_to_the_second_replica_with_the_view_that_the_fault_names() {
    for (action, view) in [
        (Action::RouteToLagging, ReplicaView::Lagging { lag_ms: 100 }),
        (Action::RouteToEmpty, ReplicaView::Empty),
        (Action::RouteToOtherEpoch, ReplicaView::OtherEpoch),
    ] {
        let mut through = Through::begin(vec![fault(action, at_resume(1))]).await;
        pass_one_event(&mut through).await;
        let resume = through.peer.resume("s1.c1.1");
        let Passed { client, server, upstream } = streams(&mut through.other, resume).await;
        assert_eq!(upstream["last-event-id"], "s1.c1.1", "{action}");
        assert_eq!(upstream["mcp-session-id"], "upstream-1", "{action}");
        assert_eq!(*through.hands.views.lock().expect("no panic"), [(1, view)], "{action}");
        send(&server, 2..=3);
        server.end();
        assert_eq!(client.text().await, (events(2..=3), End::Clean), "{action}");
        assert_eq!(through.states(action.name()), EFFECTIVE, "{action}");
        assert!(!through.server.was_asked(), "{action}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_refusal_of_the_other_replica_passes_and_is_the_effect() {
    let mut through = Through::begin(vec![fault(Action::RouteToEmpty, at_resume(1))]).await;
    pass_one_event(&mut through).await;
    let refuses = async { through.other.next_get().await.status(410) };
    let (answer, ()) = tokio::join!(through.peer.resume("s1.c1.1").send(), refuses);
    assert_eq!(answer.status, 410);
    assert_eq!(through.effect("route-to-empty").as_deref(), Some("answered 410 Gone"));
}

#[tokio::test(start_paused = true)]
async fn every_other_request_goes_home() {
    let mut through = Through::begin(vec![fault(Action::RouteToEmpty, at_resume(2))]).await;
    pass_one_event(&mut through).await;
    through.resumes("s1.c1.1").await;
    let _routed = streams(&mut through.other, through.peer.resume("s1.c1.1")).await;
    through.resumes("s1.c1.1").await;
    through.calls("c2").await;
    through.listens().await;
}

#[tokio::test(start_paused = true)]
async fn a_resume_of_another_stream_is_not_routed() {
    let mut through = Through::begin(vec![fault(Action::RouteToEmpty, at_resume(1))]).await;
    pass_one_event(&mut through).await;
    let Passed { client, server, .. } = through.calls("c2").await;
    server.send(&crate::support::event_of("c2", 1));
    server.end();
    client.text().await;
    through.resumes("s1.c2.1").await;
    assert_eq!(through.states("route-to-empty"), Vec::<FaultState>::new());
}

#[tokio::test(start_paused = true)]
async fn without_a_second_replica_the_resume_goes_home_and_nothing_fires() {
    let route = fault(Action::RouteToEmpty, at_resume(1));
    let mut through = Through::begin_in(PHASES, &["server"], vec![route]).await;
    pass_one_event(&mut through).await;
    through.resumes("s1.c1.1").await;
    assert_eq!(through.states("route-to-empty"), [FaultState::Reached]);
    assert!(through.hands.views.lock().expect("no panic").is_empty());
}
