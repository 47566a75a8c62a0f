//! How a stream is written: priming, `retry`, line ends, keep-alive comments.

use seamstress_mcp::Revision;
use seamstress_mcp::sse::{LineEnding, Priming};
use seamstress_server::Options;
use seamstress_testing::{Peer, after_ms};
use seamstress_trace::End;

use crate::support::{Running, announce, count, options};

/// The bytes of the stream of a call without progress.
async fn written(peer: &Peer) -> String {
    let (text, end) = peer.call(1, "count", &count("c1", 0)).send().await.text().await;
    assert_eq!(end, End::Clean);
    text
}

#[tokio::test(start_paused = true)]
async fn a_stream_opens_with_the_priming_event_in_the_form_that_was_chosen() {
    for (priming, opening) in [
        (Priming::IdAndEmptyData, "id: s1.c1.1\ndata:\n\nid: s1.c1.2\ndata: {"),
        (Priming::IdOnly, "id: s1.c1.1\n\nid: s1.c1.2\ndata: {"),
        (Priming::Typed, "event: prime\nid: s1.c1.1\ndata:\n\nid: s1.c1.2\ndata: {"),
        (Priming::None, "id: s1.c1.1\ndata: {"),
    ] {
        let server = Running::begin(Options { priming, ..options() }).await;
        let text = written(&server.peer().await).await;
        assert!(text.starts_with(opening), "{priming}: {text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_priming_event_may_carry_the_reconnection_time() {
    let (priming, retry_ms) = (Priming::IdAndRetry, Some(250));
    let server = Running::begin(Options { priming, retry_ms, ..options() }).await;
    let text = written(&server.peer().await).await;
    assert!(text.starts_with("retry: 250\n\nid: s1.c1.1\nretry: 250\n\nid: s1.c1.2\n"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_revision_that_does_not_know_priming_gets_none() {
    for revision in [Revision::V2025_03_26, Revision::V2025_06_18] {
        let server = Running::begin(options()).await;
        let peer = server.peer_of(revision).await;
        let text = written(&peer).await;
        assert!(text.starts_with("id: s1.c1.1\ndata: {"), "{revision}: {text}");
        let heard = peer.listen().send().await.text_within_ms(1_000).await;
        assert_eq!(heard, "", "{revision}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_priming_event_is_replayed_like_any_other_and_never_in_place_of_one() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    let first = written(&peer).await;
    let (replayed, _) = peer.resume("s1.c1.1").send().await.text().await;
    assert_eq!(format!("id: s1.c1.1\ndata:\n\n{replayed}"), first);
}

#[tokio::test(start_paused = true)]
async fn the_reconnection_time_opens_every_connection() {
    let server = Running::begin(Options { retry_ms: Some(250), ..options() }).await;
    let peer = server.peer().await;
    let opening = "retry: 250\n\n";
    assert!(written(&peer).await.starts_with(opening));
    let (resumed, _) = peer.resume("s1.c1.1").send().await.text().await;
    assert!(resumed.starts_with(opening), "{resumed}");
    peer.call(2, "announce", &announce("a1", 1)).events().await.rest().await;
    for what in ["attached to what was announced", "fresh"] {
        let heard = peer.listen().send().await.text_within_ms(1).await;
        assert!(heard.starts_with(opening), "{what}: {heard}");
    }
}

#[tokio::test(start_paused = true)]
async fn lines_end_as_chosen_in_live_and_in_replayed_events() {
    for (line_ending, opening) in [
        (LineEnding::CrLf, "retry: 9\r\n\r\nid: s1.c1.1\r\ndata:\r\n\r\nid: s1.c1.2\r\ndata: {"),
        (LineEnding::Cr, "retry: 9\r\rid: s1.c1.1\rdata:\r\rid: s1.c1.2\rdata: {"),
    ] {
        let server = Running::begin(Options { line_ending, retry_ms: Some(9), ..options() }).await;
        let peer = server.peer().await;
        let live = written(&peer).await;
        assert!(live.starts_with(opening), "{live:?}");
        let (replayed, _) = peer.resume("s1.c1.1").send().await.text().await;
        let after = live.find("id: s1.c1.2").expect("the result");
        assert!(replayed.ends_with(&live[after..]), "{replayed:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_comment_is_sent_whenever_nothing_else_was_for_the_keep_alive_time() {
    let server = Running::begin(Options { keep_alive_ms: 1_000, ..options() }).await;
    let peer = server.peer().await;
    let mut listening = peer.listen().send().await;
    assert_eq!(listening.text_within_ms(900).await, "id: s1.standalone-1.1\ndata:\n\n");
    assert_eq!(listening.text_within_ms(2_600).await, ": keep-alive\n\n".repeat(3));
    peer.call(1, "announce", &announce("a1", 1)).events().await.rest().await;
    assert!(listening.text_within_ms(900).await.starts_with("id: s1.standalone-1.2\n"));
    assert_eq!(listening.text_within_ms(200).await, ": keep-alive\n\n", "counted from the event");
}

#[tokio::test(start_paused = true)]
async fn a_comment_is_not_stored_and_never_replayed() {
    let server = Running::begin(Options { keep_alive_ms: 1_000, ..options() }).await;
    let peer = server.peer().await;
    let listening = peer.listen().send().await;
    after_ms(5_500).await;
    drop(listening);
    peer.call(1, "announce", &announce("a1", 1)).events().await.rest().await;
    let mut resumed = peer.resume("s1.standalone-1.1").send().await;
    let text = resumed.text_within_ms(900).await;
    assert!(text.starts_with("id: s1.standalone-1.2\n") && !text.contains("keep-alive"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_falls_too_far_behind_is_disconnected_and_can_resume() {
    let server = Running::begin(options()).await;
    let peer = server.peer().await;
    let listening = peer.listen().events().await;
    server.control().burst(9_000);
    let (got, end) = listening.rest().await;
    assert_eq!(end, End::Clean);
    assert!(got.len() < 9_000, "{}", got.len());
    let cursor = got.last().and_then(|event| event.id.clone()).expect("an id");
    let mut resumed = peer.resume(&cursor).events().await;
    assert_eq!(resumed.take(9_001 - got.len()).await.len(), 9_001 - got.len());
    resumed.is_silent_for_ms(1_000).await;
}
