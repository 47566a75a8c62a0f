//! The same bytes in another shape: held back, in pieces, with insertions.

use seamstress_plan::{Action, Extent, Fault, Phases};
use seamstress_testing::after_ms;
use seamstress_trace::End;

use crate::support::{
    EFFECTIVE, PHASES, Passed, Through, after_event, at_head, event, events, fault, send,
};

fn buffer_bytes(bytes: usize) -> Fault {
    let extent = Extent { bytes: Some(bytes as u64), ..Extent::default() };
    Fault { extent, ..fault(Action::BufferBytes, after_event(1)) }
}

#[tokio::test(start_paused = true)]
async fn bytes_are_held_back_until_there_are_enough_and_go_out_in_order() {
    let enough = event(2).len() + event(3).len();
    let mut through = Through::begin(vec![buffer_bytes(enough)]).await;
    let Passed { mut client, server, .. } = through.calls("c1").await;
    send(&server, 1..=2);
    assert_eq!(client.text_within_ms(100).await, event(1));
    send(&server, [3]);
    assert_eq!(client.text_within_ms(100).await, events(2..=3));
    send(&server, [4]);
    assert_eq!(client.text_within_ms(100).await, "", "it begins to hold back anew");
    server.end();
    assert_eq!(client.text().await, (event(4), End::Clean));
    assert_eq!(through.states("buffer-bytes"), EFFECTIVE);
}

#[tokio::test(start_paused = true)]
async fn what_is_held_back_goes_out_when_the_chaos_ends() {
    for action in [Action::BufferBytes, Action::BufferUntilEnd] {
        let phases = Phases { chaos_until_ms: 1_000, ..PHASES };
        let held = Fault { action, ..buffer_bytes(1_000_000) };
        let mut through = Through::begin_in(phases, &["server"], vec![held]).await;
        let Passed { mut client, server, .. } = through.calls("c1").await;
        send(&server, 1..=3);
        assert_eq!(client.text_within_ms(999).await, event(1), "{action}");
        assert_eq!(client.text_within_ms(2).await, events(2..=3), "{action}");
        send(&server, [4]);
        assert_eq!(client.text_within_ms(1).await, event(4), "{action}: held back no more");
    }
}

#[tokio::test(start_paused = true)]
async fn a_buffer_until_the_end_lets_go_when_the_server_has_finished_and_only_then() {
    let mut through = Through::begin(vec![fault(Action::BufferUntilEnd, at_head())]).await;
    let Passed { mut client, server, .. } = through.calls("c1").await;
    for n in 1..=5 {
        send(&server, [n]);
        client.is_silent_for_ms(100).await;
    }
    server.end();
    assert_eq!(client.text().await, (events(1..=5), End::Clean));
    assert_eq!(through.states("buffer-until-end"), EFFECTIVE);
}

#[tokio::test(start_paused = true)]
async fn what_is_held_back_is_lost_when_the_connection_is_cut() {
    let faults = vec![
        fault(Action::BufferUntilEnd, after_event(1)),
        fault(Action::CutNoLastChunk, after_event(3)),
    ];
    let mut through = Through::begin(faults).await;
    let Passed { client, server, .. } = through.calls("c1").await;
    send(&server, 1..=4);
    assert_eq!(client.text().await, (event(1), End::NoLastChunk));
}

#[tokio::test(start_paused = true)]
async fn bytes_in_small_pieces_are_the_same_bytes() {
    for bytes in [1, 2, 3, 7, 1_000] {
        let extent = Extent { bytes: Some(bytes), ..Extent::default() };
        let rechunk = Fault { extent, ..fault(Action::Rechunk, after_event(1)) };
        let mut through = Through::begin(vec![rechunk]).await;
        let Passed { client, server, .. } = through.calls("c1").await;
        send(&server, 1..=20);
        server.end();
        assert_eq!(client.text().await, (events(1..=20), End::Clean), "{bytes} bytes");
        assert_eq!(through.states("rechunk"), EFFECTIVE);
        let effect = format!("pieces of at most {bytes} bytes");
        assert_eq!(through.effect("rechunk"), Some(effect));
    }
}

#[tokio::test(start_paused = true)]
async fn insertions_stand_at_their_place_and_change_nothing_else() {
    for (action, inserted) in [
        (Action::InsertComment, ": inserted\n\n: inserted\n\n"),
        (Action::InsertRetry, "retry: 100\n\n"),
        (Action::InsertEmptyEvent, "data:\n\ndata:\n\n"),
    ] {
        for (trigger, expected) in [
            (at_head(), format!("{inserted}{}", events(1..=3))),
            (after_event(2), format!("{}{inserted}{}", events(1..=2), event(3))),
        ] {
            let mut through = Through::begin(vec![fault(action, trigger)]).await;
            let Passed { client, server, .. } = through.calls("c1").await;
            send(&server, 1..=3);
            server.end();
            assert_eq!(client.text().await, (expected, End::Clean), "{action}");
            assert_eq!(through.states(action.name()), EFFECTIVE, "{action}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_shape_concerns_the_connection_on_which_it_began() {
    let mut through = Through::begin(vec![fault(Action::BufferUntilEnd, after_event(1))]).await;
    let Passed { mut client, server, .. } = through.calls("c1").await;
    send(&server, 1..=2);
    assert_eq!(client.text_within_ms(100).await, event(1));
    drop(client);
    after_ms(1).await;
    let Passed { mut client, server, .. } = through.resumes("s1.c1.1").await;
    send(&server, 2..=3);
    assert_eq!(client.text_within_ms(1).await, events(2..=3));
}
