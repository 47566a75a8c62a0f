//! The continuity check of the first event after a resumption.

use seamstress_client::Options;
use seamstress_resumption::{IdScheme, UnverifiablePolicy};
use seamstress_trace::{Check, Outcome};

use crate::support::{
    Dialogue, announce, call, call_at, ended, finish, listen, options, places, progress, step,
};

/// A client that has processed the event `last` of its call and resumes with it.
async fn resumed_after(options: Options, last: &str) -> (Dialogue, seamstress_testing::Asked, i64) {
    let mut dialogue = Dialogue::in_session(options, vec![call("c1")]).await;
    let (stream, id) = dialogue.takes_call("c1").await;
    stream.send(&format!("id: {last}\ndata: {}\n\n", progress("c1", 1)));
    stream.cut();
    let resume = dialogue.server.next_get().await;
    assert_eq!(resume.cursor(), Some(last));
    (dialogue, resume, id)
}

#[tokio::test(start_paused = true)]
async fn what_does_not_follow_is_not_delivered_and_the_session_is_deleted_and_begun_anew() {
    let (plain, epochs) = (IdScheme::Namespaced, IdScheme::EpochNamespaced);
    for (scheme, last, first, check) in [
        (plain, "s1.c1.3", "s1.c1.5", Check::Gap),
        (plain, "s1.c1.3", "s1.c1.3", Check::RebasedOrReplayed),
        (plain, "s1.c1.3", "s1.c1.1", Check::RebasedOrReplayed),
        (plain, "s1.c1.3", "s1.c2.4", Check::RebasedOrReplayed),
        (plain, "s1.c1.3", "s2.c1.4", Check::RebasedOrReplayed),
        (epochs, "s1.1.c1.3", "s1.2.c1.4", Check::RebasedOrReplayed),
        (epochs, "s1.1.c1.3", "s1.1.c1.5", Check::Gap),
    ] {
        let options = Options { id_scheme: Some(scheme), ..options() };
        let (mut dialogue, resume, _) = resumed_after(options, last).await;
        let stream = resume.stream();
        stream.send(&format!("id: {first}\ndata: {}\n\n", progress("c1", 2)));
        stream.send(&format!("id: {first}\ndata: {}\n\n", progress("c1", 3)));
        stream.left().await;
        dialogue.server.end_session("S1").await;
        dialogue.server.begin_session("S2").await;
        dialogue.ends("S2").await;
        assert_eq!(dialogue.checks(), [(check, false)], "{last} then {first}");
        assert_eq!(dialogue.delivered(), places("c1", [1]), "{last} then {first}");
        assert_eq!(dialogue.losses(), ["continuity"], "{last} then {first}");
        assert_eq!(dialogue.outcomes(), [ended("c1", Outcome::Unknown)], "{last} then {first}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_successor_is_accepted_and_only_the_first_event_is_checked() {
    let (mut dialogue, resume, id) = resumed_after(options(), "s1.c1.3").await;
    let stream = resume.stream();
    stream.send("retry: 5\n\n: a comment\n\n");
    step(&stream, "c1", 4);
    step(&stream, "c1", 9);
    finish(&stream, "c1", id, 10);
    dialogue.ends("S1").await;
    assert_eq!(dialogue.checks(), [(Check::Continuous, true)]);
    assert_eq!(dialogue.delivered(), places("c1", [1, 4, 9, 10]));
}

#[tokio::test(start_paused = true)]
async fn a_priming_event_is_checked_like_any_other() {
    let (mut dialogue, resume, _) = resumed_after(options(), "s1.c1.3").await;
    let stream = resume.stream();
    stream.send("id: s1.c1.7\ndata:\n\n");
    dialogue.server.end_session("S1").await;
    dialogue.server.begin_session("S2").await;
    dialogue.ends("S2").await;
    assert_eq!(dialogue.checks(), [(Check::Gap, false)]);
}

#[tokio::test(start_paused = true)]
async fn each_resumption_is_checked_against_what_came_before_it() {
    let (mut dialogue, resume, id) = resumed_after(options(), "s1.c1.3").await;
    let stream = resume.stream();
    step(&stream, "c1", 4);
    stream.cut();
    let stream = dialogue.takes_resume("s1.c1.4").await;
    step(&stream, "c1", 5);
    stream.cut();
    let stream = dialogue.takes_resume("s1.c1.5").await;
    finish(&stream, "c1", id, 6);
    dialogue.ends("S1").await;
    assert_eq!(dialogue.checks(), [(Check::Continuous, true); 3]);
}

#[tokio::test(start_paused = true)]
async fn ids_that_do_not_tell_are_accepted_or_refused_by_policy() {
    for (scheme, last, first) in [
        (None, "opaque-a", "opaque-b"),
        (Some(IdScheme::Namespaced), "opaque-a", "opaque-b"),
        (Some(IdScheme::Namespaced), "s1.c1.3", ""),
    ] {
        let unverifiable = UnverifiablePolicy::Accept;
        let accepting = Options { id_scheme: scheme, unverifiable, ..options() };
        let (mut dialogue, resume, id) = resumed_after(accepting.clone(), last).await;
        let field = if first.is_empty() { String::new() } else { format!("id: {first}\n") };
        let stream = resume.stream();
        stream.send(&format!("{field}data: {}\n\n", progress("c1", 2)));
        finish(&stream, "c1", id, 3);
        dialogue.ends("S1").await;
        assert_eq!(dialogue.checks(), [(Check::Unverifiable, true)], "{last} then {first}");
        assert_eq!(dialogue.delivered(), places("c1", 1..=3), "{last} then {first}");

        let refusing = Options { unverifiable: UnverifiablePolicy::Refuse, ..accepting };
        let (mut dialogue, resume, _) = resumed_after(refusing, last).await;
        let stream = resume.stream();
        stream.send(&format!("{field}data: {}\n\n", progress("c1", 2)));
        dialogue.server.end_session("S1").await;
        dialogue.server.begin_session("S2").await;
        dialogue.ends("S2").await;
        assert_eq!(dialogue.checks(), [(Check::Unverifiable, false)], "{last} then {first}");
        assert_eq!(dialogue.delivered(), places("c1", [1]), "{last} then {first}");
    }
}

#[tokio::test(start_paused = true)]
async fn opaque_ids_betray_nothing_not_even_a_redelivery() {
    let options = Options { id_scheme: None, ..options() };
    let (mut dialogue, resume, id) = resumed_after(options, "opaque-a").await;
    let stream = resume.stream();
    stream.send(&format!("id: opaque-a\ndata: {}\n\n", progress("c1", 1)));
    let last = crate::support::result("c1", id, 2);
    stream.send(&format!("id: opaque-b\ndata: {last}\n\n"));
    dialogue.ends("S1").await;
    assert_eq!(dialogue.checks(), [(Check::Unverifiable, true)]);
    assert_eq!(dialogue.delivered(), places("c1", [1, 1, 2]));
}

#[tokio::test(start_paused = true)]
async fn a_session_counter_tells_only_as_long_as_there_is_one_stream() {
    let scheme = Some(IdScheme::SessionCounter);
    let options = Options { id_scheme: scheme, ..options() };
    let (mut dialogue, resume, id) = resumed_after(options.clone(), "7").await;
    let stream = resume.stream();
    let last = crate::support::result("c1", id, 2);
    stream.send(&format!("id: 8\ndata: {last}\n\n"));
    dialogue.ends("S1").await;
    assert_eq!(dialogue.checks(), [(Check::Continuous, true)]);

    let mut dialogue = Dialogue::in_session(options, vec![listen(), call_at("c1", 1)]).await;
    let _standalone = dialogue.server.next_get().await.stream();
    let (stream, id) = dialogue.takes_call("c1").await;
    stream.send(&format!("id: 7\ndata: {}\n\n", progress("c1", 1)));
    stream.cut();
    let stream = dialogue.takes_resume("7").await;
    let last = crate::support::result("c1", id, 2);
    stream.send(&format!("id: 8\ndata: {last}\n\n"));
    dialogue.ends("S1").await;
    assert_eq!(dialogue.checks(), [(Check::Unverifiable, true)]);
}

#[tokio::test(start_paused = true)]
async fn a_break_on_one_stream_ends_every_stream_of_the_session() {
    let workload = vec![listen(), call_at("c1", 10), call_at("c2", 20)];
    let mut dialogue = Dialogue::in_session(options(), workload).await;
    let standalone = dialogue.server.next_get().await.stream();
    announce(&standalone, 1);
    let (one, _) = dialogue.takes_call("c1").await;
    let (other, _) = dialogue.takes_call("c2").await;
    step(&one, "c1", 1);
    one.cut();
    let one = dialogue.takes_resume("s1.c1.1").await;
    step(&one, "c1", 3);
    standalone.left().await;
    other.left().await;
    dialogue.server.end_session("S1").await;
    dialogue.server.begin_session("S2").await;
    let listening = dialogue.server.next_get().await;
    assert_eq!(listening.cursor(), None);
    let _standalone = listening.stream();
    dialogue.ends("S2").await;
    let unknown = |call| ended(call, Outcome::Unknown);
    assert_eq!(dialogue.outcomes(), [unknown("c1"), unknown("c2")]);
}

#[tokio::test(start_paused = true)]
async fn the_first_event_of_a_fresh_stream_is_not_checked() {
    let mut dialogue = Dialogue::in_session(options(), vec![listen(), call_at("c1", 1)]).await;
    let standalone = dialogue.server.next_get().await.stream();
    let (called, id) = dialogue.takes_call("c1").await;
    announce(&standalone, 7);
    step(&called, "c1", 5);
    finish(&called, "c1", id, 9);
    dialogue.ends("S1").await;
    assert!(dialogue.checks().is_empty());
}
