//! Proves what is said of the protocol states of a sweep, and that it fits a page.

use std::collections::BTreeSet;

use super::*;
use crate::{SeedResult, sample};

fn tally(states: impl IntoIterator<Item = ProtocolState>) -> Tally {
    let mut tally = Tally::default();
    let result = SeedResult::of(7, &sample::sound().play());
    tally.add(7, &SeedResult { states: states.into_iter().collect(), ..result });
    tally
}

fn states(texts: &[&str]) -> BTreeSet<ProtocolState> {
    texts.iter().map(|text| text.parse().expect("a state")).collect()
}

fn universe() -> Vec<ProtocolState> {
    let mut all = Vec::new();
    for stream in StreamState::ALL.iter().copied() {
        for fault in FaultFamily::ALL.iter().copied() {
            all.extend(VerdictReason::ALL.iter().map(|&reason| ProtocolState {
                stream,
                fault,
                reason,
            }));
        }
    }
    all
}

#[test]
fn only_what_was_seen_has_a_row_or_a_column_and_the_rest_is_listed() {
    let seen = states(&[
        "call-primed/none/resume",
        "call-answered/drop/resume",
        "call-streaming/drop/resume",
        "standalone-primed/drop/unanswered",
    ]);
    insta::assert_snapshot!(table(&tally(seen)), @r#"

      of 12 stream states  none  drop
      resume                  1     2
      unanswered              -     1

      never seen
        answers: caught-up, unstated, malformed, below-floor, ahead, not-retained, ambiguous,
          unknown-stream, other-epoch, other-session, session-unknown, session-expired, check-gap,
          check-rebased-or-replayed, check-unverifiable, status-404, other-refusal, status-5xx
        stream states: misplaced, call-rebased, call-retried, call-replaying, standalone-rebased,
          standalone-retried, standalone-replaying, standalone-streaming
        faults at work: rotation, eviction, silence, routing, concurrency, shape
    "#);
}

#[test]
fn when_everything_was_seen_nothing_is_listed_and_the_table_fits_100_columns() {
    let text = table(&tally(universe()));
    assert!(!text.contains("never seen"), "{text}");
    assert_eq!(text.lines().count(), 2 + VerdictReason::ALL.len());
    assert!(text.lines().all(|line| line.len() <= COLUMNS), "{text}");
    assert!(!text.contains(" -"), "every cell has been seen: {text}");
}

#[test]
fn when_nothing_was_seen_there_is_no_table_and_no_last_seed() {
    let text = table(&tally([]));
    assert!(!text.contains("of 12 stream states"), "{text}");
    assert!(text.contains("answers: resume, caught-up, "), "{text}");
    assert_eq!(total(&tally([]), true), "\n  states    0 of 1920 seen\n");
    let one = total(&tally(states(&["call-primed/drop/resume"])), false);
    let way = "the last new one at seed 7 (--coverage shows which)";
    assert_eq!(one, format!("\n  states    1 of 1920 seen; {way}\n"));
}
