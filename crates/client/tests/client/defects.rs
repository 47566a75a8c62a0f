//! Planted defects do what their description says, and nothing is planted by default.

use seamstress_client::{Defect, Options};
use seamstress_defects::Defects;
use seamstress_testing::after_ms;

use crate::support::{Dialogue, announce, call, call_at, finish, listen, options, places, step};

fn with(defects: &str) -> Options {
    Options { defects: defects.parse().expect("a defect"), ..options() }
}

#[test]
fn nothing_is_planted_by_default() {
    assert_eq!(Defects::<Defect>::default().to_string(), "");
}

#[tokio::test(start_paused = true)]
async fn without_the_continuity_check_a_gap_is_handed_over() {
    let mut dialogue = Dialogue::in_session(with("no-continuity-check"), vec![call("c1")]).await;
    let (stream, id) = dialogue.takes_call("c1").await;
    step(&stream, "c1", 1);
    stream.cut();
    let stream = dialogue.takes_resume("s1.c1.1").await;
    step(&stream, "c1", 3);
    finish(&stream, "c1", id, 4);
    dialogue.ends("S1").await;
    assert_eq!(dialogue.delivered(), places("c1", [1, 3, 4]));
    assert!(dialogue.checks().is_empty());
}

#[tokio::test(start_paused = true)]
async fn with_one_cursor_slot_one_get_with_the_last_id_of_any_stream_stands_for_all() {
    let workload = vec![listen(), call_at("c1", 10)];
    let mut dialogue = Dialogue::in_session(with("one-cursor-slot"), workload).await;
    let standalone = dialogue.server.next_get().await.stream();
    let (called, id) = dialogue.takes_call("c1").await;
    announce(&standalone, 1);
    after_ms(1).await;
    step(&called, "c1", 1);
    after_ms(1).await;
    called.cut();
    standalone.cut();
    let standing_for_all = dialogue.takes_resume("s1.c1.1").await;
    assert!(!dialogue.server.was_asked(), "the call has no resume of its own");
    finish(&standing_for_all, "c1", id, 2);
    dialogue.ends("S1").await;
}
