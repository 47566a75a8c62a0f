//! Rotation: new public ids on responses, with and without keeping the old ones.

use seamstress_plan::{Action, Extent, Fault, Trigger};
use seamstress_testing::{Peer, after_ms};
use seamstress_trace::{End, What};
use serde_json::json;

use crate::support::{
    EFFECTIVE, Passed, Through, after_event, at_resume, event, events, fault, send,
};

/// The public id that a ping's response carries; the server sees its own in every case.
async fn ping(through: &mut Through, peer: &Peer) -> Option<String> {
    let ask = peer.request("ping", &json!({}));
    let answer = async {
        let asked = through.server.next_post("ping").await;
        assert_eq!(asked.header("mcp-session-id"), Some("upstream-1"));
        asked.result(&json!({}));
    };
    let (answer, ()) = tokio::join!(ask.send(), answer);
    assert_eq!(answer.status, 200);
    answer.header("mcp-session-id").map(str::to_owned)
}

/// Makes the event pass after which the fault happens.
async fn pass_one_event(through: &mut Through) -> Passed {
    let mut passed = through.calls("c1").await;
    send(&passed.server, [1]);
    assert_eq!(passed.client.text_within_ms(1).await, event(1));
    passed
}

#[tokio::test(start_paused = true)]
async fn the_next_responses_carry_new_ids_and_the_old_ones_stay_valid() {
    let mut through = Through::begin(vec![fault(Action::RotateId, after_event(1))]).await;
    let _open = pass_one_event(&mut through).await;
    let first = through.peer.clone();
    assert_eq!(ping(&mut through, &first).await.as_deref(), Some("public-2"));
    let second = first.with_session("public-2");
    assert_eq!(ping(&mut through, &second).await.as_deref(), Some("public-3"));
    let third = first.with_session("public-3");
    for peer in [first, second, third] {
        assert_eq!(ping(&mut through, &peer).await, None, "{}", peer.session());
    }
    assert_eq!(through.states("rotate-id"), EFFECTIVE);
    let rotations = through.tape.pick(|what| match what {
        What::Rotate { from, to, keeps_old } => Some((from, to, keeps_old)),
        _ => None,
    });
    let renamed = |from: &str, to: &str| (from.to_owned(), to.to_owned(), true);
    assert_eq!(rotations, [renamed("S1", "S2"), renamed("S2", "S3")]);
}

#[tokio::test(start_paused = true)]
async fn a_rotation_that_forgets_answers_404_to_every_older_id() {
    let rotation = fault(Action::RotateIdForgetOld, after_event(1));
    let mut through = Through::begin(vec![rotation]).await;
    let _open = pass_one_event(&mut through).await;
    let first = through.peer.clone();
    assert_eq!(ping(&mut through, &first).await.as_deref(), Some("public-2"));
    assert_eq!(first.listen().send().await.status, 404);
    let second = first.with_session("public-2");
    assert_eq!(ping(&mut through, &second).await.as_deref(), Some("public-3"));
    for forgotten in [&first, &second] {
        let answer = forgotten.request("ping", &json!({})).send().await;
        assert_eq!(answer.status, 404, "{}", forgotten.session());
        assert_eq!(answer.json().await["error"]["code"], -32001);
    }
    assert!(!through.server.was_asked(), "the server knows nothing of it");
    assert_eq!(ping(&mut through, &first.with_session("public-3")).await, None);
    assert_eq!(through.states("rotate-id-forget-old"), EFFECTIVE);
}

#[tokio::test(start_paused = true)]
async fn a_rotation_touches_neither_cursors_nor_what_is_open() {
    let mut through = Through::begin(vec![fault(Action::RotateIdForgetOld, at_resume(1))]).await;
    let open = pass_one_event(&mut through).await;
    let resumed = through.resumes("s1.c1.1").await;
    assert_eq!(resumed.client.header("mcp-session-id"), Some("public-2"), "on this very response");
    assert_eq!(resumed.upstream["last-event-id"], "s1.c1.1");
    send(&open.server, 2..=3);
    open.server.end();
    assert_eq!(open.client.text().await, (events(2..=3), End::Clean));
    send(&resumed.server, 2..=3);
    resumed.server.end();
    assert_eq!(resumed.client.text().await, (events(2..=3), End::Clean));
    let peer = through.peer.with_session("public-2");
    let again = through.streams(peer.resume("s1.c1.3")).await;
    assert_eq!(again.upstream["last-event-id"], "s1.c1.3");
    assert_eq!(again.upstream["mcp-session-id"], "upstream-1");
}

#[tokio::test(start_paused = true)]
async fn a_rotation_at_a_time_falls_on_the_first_response_after_it() {
    let extent = Extent { count: Some(1), ..Extent::default() };
    let trigger = Trigger::At { at_ms: 500 };
    let rotation = Fault { extent, ..fault(Action::RotateId, trigger) };
    let mut through = Through::begin(vec![rotation]).await;
    let peer = through.peer.clone();
    after_ms(400).await;
    assert_eq!(ping(&mut through, &peer).await, None);
    after_ms(200).await;
    assert_eq!(ping(&mut through, &peer).await.as_deref(), Some("public-2"));
    assert_eq!(ping(&mut through, &peer).await, None);
    assert_eq!(through.states("rotate-id"), EFFECTIVE);
    assert_eq!(through.effect("rotate-id").as_deref(), Some("S1 became S2"));
}
