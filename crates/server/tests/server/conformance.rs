//! The tools that the official conformance suite calls by name.

use seamstress_testing::{after_ms, mark, ordinals};
use seamstress_trace::End;
use serde_json::json;

use crate::support::{Running, options};

#[tokio::test(start_paused = true)]
async fn test_reconnection_closes_its_own_connection_and_answers_on_the_resume() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    let called = peer.call(5, "test_reconnection", &json!({})).events().await;
    let called_ms = server.tape.now_ms();
    let (before, end) = called.rest().await;
    assert_eq!(end, End::Clean);
    assert_eq!(before[0].id.as_deref(), Some("s1.call-5.1"));
    assert_eq!((before.len(), server.tape.now_ms()), (1, called_ms), "primed and closed at once");

    let (after, end) = peer.resume("s1.call-5.1").events().await.rest().await;
    assert_eq!((after.len(), end), (1, End::Clean));
    assert!(after[0].data.as_deref().is_some_and(|data| data.contains(r#""id":5"#)));
    assert_eq!(server.tape.now_ms() - called_ms, 100, "the result is due 100 ms after the closing");
}

#[tokio::test(start_paused = true)]
async fn test_event_replay_emits_one_event_before_its_closing_and_two_after() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    let (before, _) = peer.call(5, "test_event_replay", &json!({})).events().await.rest().await;
    assert_eq!(ordinals(&before), [1]);
    after_ms(1_000).await;
    let cursor = before.last().and_then(|event| event.id.clone()).expect("an id");
    let (after, end) = peer.resume(&cursor).events().await.rest().await;
    assert_eq!((ordinals(&after), end), (vec![2, 3, 4], End::Clean));
}

#[tokio::test(start_paused = true)]
async fn test_multiple_reconnections_closes_as_often_as_it_is_asked_to() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    let arguments = json!({ "checkpoints": 3 });
    let called = peer.call(5, "test_multiple_reconnections", &arguments).events().await;
    let (primed, end) = called.rest().await;
    assert_eq!((primed.len(), end), (1, End::Clean));
    for checkpoint in 2..=3 {
        after_ms(50).await;
        let (events, end) = peer.resume("s1.call-5.1").events().await.rest().await;
        assert_eq!((events.len(), end), (0, End::Clean), "checkpoint {checkpoint}");
    }
    let (events, end) = peer.resume("s1.call-5.1").events().await.rest().await;
    assert_eq!((ordinals(&events), end), (vec![1], End::Clean));
}

#[tokio::test(start_paused = true)]
async fn test_tool_with_progress_reports_0_50_and_100_to_whoever_gave_a_token() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    let called = peer.call(5, "test_tool_with_progress", &json!({})).events().await;
    let (events, _) = called.rest().await;
    let progress = events[1..4].iter().map(|event| {
        let data = event.data.as_deref().expect("data");
        let message: serde_json::Value = serde_json::from_str(data).expect("JSON");
        assert_eq!(message["params"]["progressToken"], "t5");
        message["params"]["progress"].as_u64()
    });
    assert_eq!(progress.collect::<Vec<_>>(), [Some(0), Some(50), Some(100)]);
    assert_eq!(mark(&events[4]), Some(("call-5".to_owned(), 4)));

    let without_token = json!({ "name": "test_tool_with_progress" });
    let called = peer.request("tools/call", &without_token).events().await;
    assert_eq!(ordinals(&called.rest().await.0), [1], "the result alone");
}
