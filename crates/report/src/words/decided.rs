//! What a server decided about a cursor, in a sentence, beside what its event log says.
//!
//! Owns the plain explanation of every reason of the rule (design section 4). It must not decide
//! whether the server was right; it only sets the decision next to the log, so that a reader can.

use seamstress_trace::{Decision, SessionState};

use crate::foreign::id;
use crate::moment::{Decided, Due};
use crate::words::count;

/// For example `accepts s1.c1.3 and replays 3 events: progress 6 to 8`. `stream` is the one that is
/// to be resumed.
pub(crate) fn decided(decided: &Decided, stream: Option<&str>) -> String {
    let who = if decided.by_client { "" } else { "on a second connection, " };
    let (cursor, due) = (id(decided.cursor), decided.due.as_ref());
    let takes = takes(&cursor, due.map(|due| due.stream), decided.named, stream);
    let said = match (decided.decision, decided.session_state) {
        (Decision::Refused { reason }, state) => {
            let why = why(reason, state, due).map(|why| format!(": {why}")).unwrap_or_default();
            let then = if decided.ends_session { "; the session ends" } else { "" };
            format!("refuses {cursor} ({reason}){why}{then}")
        }
        (_, SessionState::Unknown) => format!("does not know the session of {cursor}"),
        (_, SessionState::Expired) => format!("has ended the session of {cursor}"),
        (Decision::CaughtUp, _) => {
            format!("{takes} and replays nothing{}", instead(due, 0, stream))
        }
        (Decision::Resume { replayed }, _) => {
            let events = count(*replayed, "event");
            format!("{takes} and replays {events}{}", instead(due, *replayed, stream))
        }
    };
    format!("{who}{said}")
}

/// How the cursor was taken: `owner` is the stream whose event it names, `named` the one that the
/// server took it for. They differ from `stream` only when something is wrong.
fn takes(cursor: &str, owner: Option<&str>, named: Option<&str>, stream: Option<&str>) -> String {
    let owner = owner.filter(|owner| Some(*owner) != stream);
    let named = named.filter(|named| Some(*named) != stream);
    match (owner, named) {
        (None, None) => format!("accepts {cursor}"),
        (Some(owner), None) => format!("accepts {cursor}, an id of {owner},"),
        (None, Some(named)) => format!("takes {cursor} for an id of {named}"),
        (Some(owner), Some(named)) if owner == named => {
            format!("accepts {cursor}, an id of {owner},")
        }
        (Some(owner), Some(named)) => {
            format!("takes {cursor}, an id of {owner}, for an id of {named}")
        }
    }
}

/// What was replayed, by the log, or what the log held instead.
fn instead(due: Option<&Due>, replayed: u64, stream: Option<&str>) -> String {
    let Some(due) = due else { return String::new() };
    let messages = if due.messages.is_empty() {
        String::new()
    } else {
        format!(": {}", due.messages.text(stream))
    };
    if due.events == replayed {
        return messages;
    }
    let follow = match due.events {
        0 => "nothing follows".to_owned(),
        1 => "1 event follows".to_owned(),
        events => format!("{events} events follow"),
    };
    format!(", although {follow} it on {}{messages}", due.stream)
}

/// The plain meaning of a reason; none for one that the rule does not have.
fn why(reason: &str, state: SessionState, due: Option<&Due>) -> Option<String> {
    let oldest = due.and_then(|due| Some((due.stream, due.position, due.oldest?)));
    let plain = match (reason, state) {
        ("below-floor", _) => match oldest {
            Some((stream, position, oldest)) => {
                let is_all = oldest <= position.saturating_add(1);
                let all = if is_all { ", which is all that follow" } else { "" };
                return Some(format!(
                    "it is event {position} of {stream}, kept are those from {oldest} on{all}"
                ));
            }
            None => "older than all that is kept",
        },
        ("ahead", _) => "newer than all that this server knows",
        ("malformed", _) => "not an id of this session",
        ("not-retained", _) => "what follows it is no longer kept",
        ("ambiguous", _) => "it could belong to more than one stream",
        ("unknown-stream", _) => "the session never had that stream",
        ("other-epoch", _) => "given out before the events were numbered anew",
        ("other-session", _) => "given out in another session",
        (_, SessionState::Expired) => "its session has ended",
        (_, SessionState::Unknown) => "there is no such session",
        (_, SessionState::Live) => return None,
    };
    Some(plain.to_owned())
}

#[cfg(test)]
mod tests {
    use seamstress_resumption::Reason;

    use super::*;
    use crate::messages::Messages;

    fn refused(reason: &str, due: Option<Due>) -> String {
        let decision = Decision::Refused { reason: reason.into() };
        said(&decision, None, due)
    }

    fn said(decision: &Decision, named: Option<&str>, due: Option<Due>) -> String {
        let parts = Decided {
            cursor: "7",
            by_client: true,
            session_state: SessionState::Live,
            decision,
            named,
            due,
            ends_session: false,
        };
        decided(&parts, Some("c1"))
    }

    fn due(stream: &str, events: u64, oldest: Option<u64>) -> Option<Due<'_>> {
        Some(Due { stream, position: 3, events, messages: Messages::default(), oldest })
    }

    #[test]
    fn every_reason_of_the_rule_has_a_plain_explanation() {
        for reason in Reason::ALL {
            let text = refused(reason.as_str(), None);
            assert!(text.starts_with(&format!("refuses 7 ({reason}): ")), "{text}");
        }
    }

    #[test]
    fn a_reason_that_the_rule_does_not_have_is_repeated_without_a_guess() {
        assert_eq!(refused("rate-limited", None), "refuses 7 (rate-limited)");
    }

    #[test]
    fn below_the_floor_says_what_is_kept_and_whether_that_would_have_been_enough() {
        assert_eq!(
            refused("below-floor", due("c1", 4, Some(6))),
            "refuses 7 (below-floor): it is event 3 of c1, kept are those from 6 on"
        );
        assert_eq!(
            refused("below-floor", due("c1", 4, Some(4))),
            "refuses 7 (below-floor): it is event 3 of c1, kept are those from 4 on, which is all \
             that follow"
        );
    }

    #[test]
    fn a_replay_that_is_not_what_the_log_holds_says_both() {
        let resume = Decision::Resume { replayed: 71 };
        assert_eq!(
            said(&resume, Some("c1"), due("c1", 0, None)),
            "accepts 7 and replays 71 events, although nothing follows it on c1"
        );
        assert_eq!(
            said(&resume, Some("c1"), due("c1", 71, None)),
            "accepts 7 and replays 71 events"
        );
        assert_eq!(
            said(&Decision::CaughtUp, Some("c1"), due("c1", 1, None)),
            "accepts 7 and replays nothing, although 1 event follows it on c1"
        );
    }

    #[test]
    fn a_cursor_of_another_stream_is_named_as_such() {
        let resume = Decision::Resume { replayed: 2 };
        let text = |named, due| said(&resume, named, due);
        assert_eq!(
            text(Some("c1"), due("c2", 2, None)),
            "accepts 7, an id of c2, and replays 2 events"
        );
        assert_eq!(
            text(Some("c2"), due("c2", 2, None)),
            "accepts 7, an id of c2, and replays 2 events"
        );
        assert_eq!(
            text(Some("c2"), due("c1", 2, None)),
            "takes 7 for an id of c2 and replays 2 events"
        );
        assert_eq!(
            text(Some("c3"), due("c2", 2, None)),
            "takes 7, an id of c2, for an id of c3 and replays 2 events"
        );
    }
}
