//! Silence: idle cuts, black holes, slow readers.

use seamstress_plan::{Action, Phases};
use seamstress_testing::after_ms;
use seamstress_trace::{End, FaultState};

use crate::support::{
    EFFECTIVE, PHASES, Passed, Through, after_event, at_head, event, events, fault, send,
};

#[tokio::test(start_paused = true)]
async fn an_idle_cut_comes_when_no_byte_has_passed_for_its_time_and_without_the_last_chunk() {
    let mut through = Through::begin(vec![fault(Action::IdleCut, after_event(1))]).await;
    let Passed { client, server, .. } = through.calls("c1").await;
    after_ms(500).await;
    send(&server, [1]);
    after_ms(60).await;
    send(&server, [2]);
    after_ms(60).await;
    server.send(": a comment is a byte too\n\n");
    let last_byte_ms = through.tape.now_ms();
    let (text, end) = client.text().await;
    assert_eq!(through.tape.now_ms() - last_byte_ms, 100);
    assert_eq!(text, events(1..=2) + ": a comment is a byte too\n\n");
    assert_eq!(end, End::NoLastChunk);
    assert_eq!(through.states("idle-cut"), EFFECTIVE);
    assert!(server.is_left());
}

#[tokio::test(start_paused = true)]
async fn an_idle_cut_lasts_for_the_life_of_the_stream_and_concerns_no_other() {
    let mut through = Through::begin(vec![fault(Action::IdleCut, after_event(1))]).await;
    let mut other = through.calls("c2").await;
    let Passed { client, server, .. } = through.calls("c1").await;
    send(&server, [1]);
    assert_eq!(client.text().await.1, End::NoLastChunk);
    for _ in 0..2 {
        let resumed_ms = through.tape.now_ms();
        let Passed { client, server: _server, .. } = through.resumes("s1.c1.1").await;
        assert_eq!(client.text().await, (String::new(), End::NoLastChunk));
        assert_eq!(through.tape.now_ms() - resumed_ms, 100);
    }
    other.client.is_silent_for_ms(1_000).await;
    assert_eq!(through.states("idle-cut"), EFFECTIVE, "each state is noted once");
}

#[tokio::test(start_paused = true)]
async fn an_idle_cut_ends_with_the_chaos() {
    let phases = Phases { chaos_until_ms: 50, ..PHASES };
    let cut = fault(Action::IdleCut, at_head());
    let mut through = Through::begin_in(phases, &["server"], vec![cut]).await;
    let Passed { mut client, server: _server, .. } = through.calls("c1").await;
    client.is_silent_for_ms(5_000).await;
    assert_eq!(through.states("idle-cut"), [FaultState::Reached, FaultState::Fired]);
}

#[tokio::test(start_paused = true)]
async fn a_black_hole_passes_nothing_more_and_never_closes() {
    let phases = Phases { chaos_until_ms: 1_000, ..PHASES };
    let hole = fault(Action::BlackHole, after_event(2));
    let mut through = Through::begin_in(phases, &["server"], vec![hole]).await;
    let Passed { mut client, server, .. } = through.calls("c1").await;
    send(&server, 1..=3);
    assert_eq!(client.text_within_ms(1).await, events(1..=2));
    client.is_silent_for_ms(500).await;
    assert_eq!(through.states("black-hole"), EFFECTIVE);
    client.is_silent_for_ms(5_000).await;
    send(&server, [4]);
    server.end();
    client.is_silent_for_ms(60_000).await;
}

#[tokio::test(start_paused = true)]
async fn a_black_hole_swallows_one_connection_and_the_next_one_is_sound() {
    let mut through = Through::begin(vec![fault(Action::BlackHole, after_event(1))]).await;
    let Passed { mut client, server, .. } = through.calls("c1").await;
    send(&server, 1..=2);
    assert_eq!(client.text_within_ms(100).await, event(1));
    drop(client);
    after_ms(1).await;
    assert!(server.is_left(), "the proxy leaves the server when its client has left");
    let Passed { client, server, .. } = through.resumes("s1.c1.1").await;
    send(&server, 2..=3);
    server.end();
    assert_eq!(client.text().await, (events(2..=3), End::Clean));
}

#[tokio::test(start_paused = true)]
async fn a_black_hole_does_not_tell_that_the_server_broke() {
    let mut through = Through::begin(vec![fault(Action::BlackHole, at_head())]).await;
    let Passed { mut client, server, .. } = through.calls("c1").await;
    send(&server, 1..=2);
    server.cut();
    client.is_silent_for_ms(60_000).await;
}

#[tokio::test(start_paused = true)]
async fn a_slow_reader_gets_each_event_late_and_all_of_them_in_order() {
    let mut through = Through::begin(vec![fault(Action::SlowReader, after_event(1))]).await;
    let Passed { mut client, server, .. } = through.calls("c1").await;
    send(&server, 1..=3);
    server.end();
    assert_eq!(client.text_within_ms(99).await, event(1));
    assert_eq!(client.text_within_ms(100).await, event(2));
    assert_eq!(client.text().await, (event(3), End::Clean));
    assert_eq!(through.states("slow-reader"), EFFECTIVE);
}

#[tokio::test(start_paused = true)]
async fn a_slow_reader_is_slow_no_more_when_the_chaos_has_ended() {
    let phases = Phases { chaos_until_ms: 50, ..PHASES };
    let slow = fault(Action::SlowReader, at_head());
    let mut through = Through::begin_in(phases, &["server"], vec![slow]).await;
    let Passed { mut client, server, .. } = through.calls("c1").await;
    send(&server, [1]);
    assert_eq!(client.text_within_ms(99).await, "");
    assert_eq!(client.text_within_ms(2).await, event(1));
    send(&server, [2]);
    assert_eq!(client.text_within_ms(1).await, event(2));
}
