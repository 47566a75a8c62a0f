//! More than one connection that wants a stream.

use seamstress_plan::{Action, Phases};
use seamstress_testing::after_ms;
use seamstress_trace::{End, FaultState};

use crate::support::{
    EFFECTIVE, PHASES, Passed, Through, after_event, at_resume, event, events, fault, send,
};

#[tokio::test(start_paused = true)]
async fn a_second_connection_resumes_with_a_cursor_that_is_so_many_events_old() {
    let second = fault(Action::SecondConnection, after_event(4));
    let mut through = Through::begin(vec![second]).await;
    let Passed { mut client, server, .. } = through.calls("c1").await;
    send(&server, 1..=4);
    let asked = through.server.next_get().await;
    assert_eq!(asked.cursor(), Some("s1.c1.2"), "two events before the fourth");
    assert_eq!(asked.header("mcp-session-id"), Some("upstream-1"));
    assert_eq!(asked.header("accept"), Some("text/event-stream"));
    let aside = asked.stream();
    send(&aside, 3..=9);
    aside.end();
    assert_eq!(client.text_within_ms(100).await, events(1..=4), "the client hears nothing of it");
    send(&server, [5]);
    server.end();
    assert_eq!(client.text().await, (event(5), End::Clean));
    assert_eq!(through.states("second-connection"), EFFECTIVE);
    assert_eq!(through.effect("second-connection").as_deref(), Some("answered 200 OK"));
}

#[tokio::test(start_paused = true)]
async fn a_second_connection_uses_the_oldest_cursor_there_is_if_there_are_not_so_many() {
    let second = fault(Action::SecondConnection, after_event(1));
    let mut through = Through::begin(vec![second]).await;
    let Passed { server, client: _client, .. } = through.calls("c1").await;
    server.send("id: s1.c1.0\ndata:\n\n");
    send(&server, [1]);
    let asked = through.server.next_get().await;
    assert_eq!(asked.cursor(), Some("s1.c1.0"));
    asked.status(409);
    after_ms(1).await;
    assert_eq!(through.effect("second-connection").as_deref(), Some("answered 409 Conflict"));
}

#[tokio::test(start_paused = true)]
async fn a_second_connection_without_any_id_is_not_carried_out() {
    let second = fault(Action::SecondConnection, after_event(1));
    let mut through = Through::begin(vec![second]).await;
    let Passed { server, mut client, .. } = through.calls("c1").await;
    server.send("data: {}\n\n");
    assert_eq!(client.text_within_ms(100).await, "data: {}\n\n");
    assert!(!through.server.was_asked());
    assert_eq!(through.states("second-connection"), [FaultState::Reached]);
}

#[tokio::test(start_paused = true)]
async fn a_second_connection_is_kept_until_the_chaos_ends() {
    let phases = Phases { chaos_until_ms: 1_000, ..PHASES };
    let second = fault(Action::SecondConnection, after_event(2));
    let mut through = Through::begin_in(phases, &["server"], vec![second]).await;
    let Passed { server, client: _client, .. } = through.calls("c1").await;
    send(&server, 1..=2);
    let aside = through.server.next_get().await.stream();
    after_ms(990).await;
    assert!(!aside.is_left());
    after_ms(20).await;
    assert!(aside.is_left());
}

#[tokio::test(start_paused = true)]
async fn a_twin_reaches_the_server_beside_the_resume_and_one_answer_is_thrown_away() {
    let mut through = Through::begin(vec![fault(Action::TwinResume, at_resume(1))]).await;
    let Passed { client, server, .. } = through.calls("c1").await;
    send(&server, [1]);
    server.cut();
    client.text().await;
    let resume = through.peer.resume("s1.c1.1").header("seamstress-exchange", "9");
    let answers = async {
        let (one, other) = (through.server.next_get().await, through.server.next_get().await);
        for asked in [&one, &other] {
            assert_eq!(asked.cursor(), Some("s1.c1.1"));
            assert_eq!(asked.header("mcp-session-id"), Some("upstream-1"));
            assert_eq!(asked.header("mcp-protocol-version"), Some("2025-11-25"));
        }
        // The client's own request is known by its number, which the twin must not bear.
        let is_own = one.header("seamstress-exchange") == Some("9");
        let (own, twin) = if is_own { (one, other) } else { (other, one) };
        assert_eq!(twin.header("seamstress-exchange"), None);
        let (own, twin) = (own.stream(), twin.stream());
        send(&own, 2..=3);
        send(&twin, 7..=9);
        own.end();
    };
    let (client, ()) = tokio::join!(resume.send(), answers);
    assert_eq!(client.text().await, (events(2..=3), End::Clean));
    assert_eq!(through.states("twin-resume"), EFFECTIVE);
}

#[tokio::test(start_paused = true)]
async fn a_twin_falls_on_its_resume_alone() {
    let mut through = Through::begin(vec![fault(Action::TwinResume, at_resume(2))]).await;
    let Passed { client, server, .. } = through.calls("c1").await;
    send(&server, [1]);
    server.end();
    client.text().await;
    let _first = through.resumes("s1.c1.1").await;
    after_ms(100).await;
    assert!(!through.server.was_asked());
    let _second = through.resumes("s1.c1.1").await;
    let twin = through.server.next_get().await;
    assert_eq!(twin.cursor(), Some("s1.c1.1"));
    drop(twin);
    let _third = through.resumes("s1.c1.1").await;
    after_ms(100).await;
    assert!(!through.server.was_asked());
}
