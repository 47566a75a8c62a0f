//! Planted defects do what their description says, and nothing is planted by default.

use seamstress_defects::Defects;
use seamstress_proxy::Defect;

use crate::support::{Passed, Through};

#[test]
fn nothing_is_planted_by_default() {
    assert_eq!(Defects::<Defect>::default().to_string(), "");
}

#[tokio::test(start_paused = true)]
async fn a_dropped_cursor_makes_a_resumption_a_fresh_listen() {
    let mut through = Through::begin_with("drops-last-event-id", vec![]).await;
    let Passed { upstream, .. } = through.resumes("s1.c1.4").await;
    assert!(!upstream.contains_key("last-event-id"));
    assert_eq!(upstream["mcp-session-id"], "upstream-1");
}
