//! Owns the client's continuity check: is the first event after a resumption the successor of the
//! last one processed?
//! It must not know the server's log; two ids, the declared scheme and the number of streams are
//! all that a client has.
//! It exists because a server that accepts a cursor proves nothing by it: a replay from the floor,
//! from a re-based log or from another stream also begins with a 200.

use thiserror::Error;

use crate::id::{IdScheme, Token};
use crate::names::kebab_names;

/// What two ids prove about the seam between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Continuity {
    /// The first event received is the successor of the last one processed.
    Continuous,
    /// It is a later one: events in between are missing.
    Gap,
    /// It is not later, or belongs to another stream, epoch or session: the server re-based its
    /// ids, replayed what was processed already, or replayed the wrong stream.
    RebasedOrReplayed,
    /// The ids do not tell.
    Unverifiable,
}

kebab_names!(Continuity, "continuity", {
    Continuous => "continuous",
    Gap => "gap",
    RebasedOrReplayed => "rebased-or-replayed",
    Unverifiable => "unverifiable",
});

/// What a client does when the ids do not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum UnverifiablePolicy {
    /// Trust the server's verdict.
    Accept,
    /// Treat it as lost.
    Refuse,
}

kebab_names!(UnverifiablePolicy, "unverifiable policy", {
    Accept => "accept",
    Refuse => "refuse",
});

/// A stream that cannot be gone on with: hand nothing of it to the application, drop the session
/// and initialize a new one. The outcome of calls whose stream was lost that way is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "the stream did not go on where it was left ({continuity}): {first_received:?} came after \
     {last_processed:?}; drop the session and initialize a new one"
)]
pub struct ResumeSequenceError {
    /// What was found; never [`Continuity::Continuous`].
    pub continuity: Continuity,
    /// The id of the last event that was processed before the resumption.
    pub last_processed: String,
    /// The id of the first event that came after it.
    pub first_received: String,
}

/// Compares the first id received after a resumption with the last one processed before it.
///
/// `scheme` is what the server declares about its ids, `None` if they are opaque.
/// `streams_in_session` is how many streams the client has seen in this session, the resumed one
/// included (so at least 1; 0 is read as 1).
///
/// The second source document gives the rule for a single sequence: the successor must be last + 1,
/// greater is a gap, less is a re-base. Several streams need more care:
///
/// * **Namespaced ids** (both kinds): that rule, within one stream. An event of another stream,
///   epoch or session is never the successor, and counts as re-based or replayed; nothing is known
///   to lie *between* ids that cannot be compared, so it is not called a gap.
/// * **`session-counter`**: that rule in a session with one stream. With several, an id that is
///   not greater is still a replay, but a greater one is unverifiable, even last + 1: the numbers
///   in between may belong to other streams, and the received one may as well.
/// * **`stream-counter`**: that rule, blindly. It looks checkable and is wrong: event 18 of another
///   stream passes for the successor of event 17. The harness shows what that costs.
/// * **Ids that do not have the declared form**: unverifiable, except that the very id processed
///   last is a redelivery.
/// * **Opaque ids**: unverifiable, whatever they look like. Not even the same id again proves a
///   redelivery: there are servers whose priming event and first event share one (rust-sdk 791).
///
/// ```
/// use seamstress_resumption::{Continuity, IdScheme, validate_resume};
///
/// let check = |last, first| validate_resume(Some(IdScheme::Namespaced), 2, last, first);
/// assert_eq!(check("s1.call-7.3", "s1.call-7.4"), Continuity::Continuous);
/// assert_eq!(check("s1.call-7.3", "s1.call-7.6"), Continuity::Gap);
/// assert_eq!(check("s1.call-7.3", "s1.call-7.3"), Continuity::RebasedOrReplayed);
/// assert_eq!(check("s1.call-7.3", "s1.get.4"), Continuity::RebasedOrReplayed);
/// ```
#[must_use]
pub fn validate_resume(
    scheme: Option<IdScheme>,
    streams_in_session: u64,
    last_processed: &str,
    first_received: &str,
) -> Continuity {
    let Some(scheme) = scheme else { return Continuity::Unverifiable };
    let (Some(last), Some(first)) = (scheme.parse(last_processed), scheme.parse(first_received))
    else {
        return compare_texts(last_processed, first_received);
    };
    if !same_space(last, first) || first.number <= last.number {
        return Continuity::RebasedOrReplayed;
    }
    if scheme == IdScheme::SessionCounter && streams_in_session > 1 {
        return Continuity::Unverifiable;
    }
    if first.number - last.number == 1 { Continuity::Continuous } else { Continuity::Gap }
}

/// Decides what a client does with the outcome of [`validate_resume`]: a gap and a re-base always
/// end the session, an unverifiable seam does by policy.
///
/// # Errors
/// [`ResumeSequenceError`] if the stream must not be gone on with.
pub fn on_reconnect(
    continuity: Continuity,
    last_processed: &str,
    first_received: &str,
    policy: UnverifiablePolicy,
) -> Result<Continuity, ResumeSequenceError> {
    let accepted = match continuity {
        Continuity::Continuous => true,
        Continuity::Gap | Continuity::RebasedOrReplayed => false,
        Continuity::Unverifiable => policy == UnverifiablePolicy::Accept,
    };
    if accepted {
        return Ok(continuity);
    }
    let last_processed = last_processed.to_owned();
    let first_received = first_received.to_owned();
    Err(ResumeSequenceError { continuity, last_processed, first_received })
}

/// Whether the numbers of two tokens count the same thing.
fn same_space(last: Token<'_>, first: Token<'_>) -> bool {
    (last.tag, last.epoch, last.stream) == (first.tag, first.epoch, first.stream)
}

fn compare_texts(last_processed: &str, first_received: &str) -> Continuity {
    if last_processed == first_received {
        Continuity::RebasedOrReplayed
    } else {
        Continuity::Unverifiable
    }
}

#[cfg(test)]
mod tests {
    use super::Continuity::{Continuous, Gap, RebasedOrReplayed, Unverifiable};
    use super::*;

    #[test]
    fn the_successor_is_continuous_greater_is_a_gap_and_not_greater_is_a_replay() {
        for (scheme, place) in [
            (IdScheme::SessionCounter, ""),
            (IdScheme::Namespaced, "s1.get."),
            (IdScheme::EpochNamespaced, "s1.1.get."),
            (IdScheme::StreamCounter, ""),
        ] {
            let id = |number: u64| format!("{place}{number}");
            let check = |last, first| validate_resume(Some(scheme), 1, &id(last), &id(first));
            assert_eq!(check(9, 10), Continuous, "{scheme}");
            assert_eq!(check(9, 11), Gap, "{scheme}");
            assert_eq!(check(9, 9), RebasedOrReplayed, "{scheme}");
            assert_eq!(check(9, 8), RebasedOrReplayed, "{scheme}");
            assert_eq!(check(u64::MAX, 0), RebasedOrReplayed, "{scheme}: no wrapping around");
        }
    }

    #[test]
    fn an_event_of_another_stream_epoch_or_session_is_never_the_successor() {
        let check = |last, first| validate_resume(Some(IdScheme::EpochNamespaced), 2, last, first);
        assert_eq!(check("s1.1.get.3", "s1.1.get.4"), Continuous);
        assert_eq!(check("s1.1.get.3", "s1.1.call.4"), RebasedOrReplayed);
        assert_eq!(check("s1.1.get.3", "s1.2.get.4"), RebasedOrReplayed);
        assert_eq!(check("s1.1.get.3", "s2.1.get.4"), RebasedOrReplayed);
    }

    #[test]
    fn one_counter_over_several_streams_can_show_a_replay_but_never_prove_continuity() {
        let check = |last, first| validate_resume(Some(IdScheme::SessionCounter), 2, last, first);
        assert_eq!(check("9", "10"), Unverifiable);
        assert_eq!(check("9", "15"), Unverifiable);
        assert_eq!(check("9", "9"), RebasedOrReplayed);
        assert_eq!(check("9", "3"), RebasedOrReplayed);
    }

    #[test]
    fn a_bare_counter_per_stream_lets_an_event_of_another_stream_pass() {
        // Event 17 was of the call, event 18 is of the standalone stream. This is the trap.
        assert_eq!(validate_resume(Some(IdScheme::StreamCounter), 2, "17", "18"), Continuous);
    }

    #[test]
    fn opaque_ids_are_unverifiable_whatever_they_look_like() {
        for (last, first) in [("9", "10"), ("9", "9"), ("x1", "x1"), ("b", "a")] {
            assert_eq!(validate_resume(None, 1, last, first), Unverifiable);
        }
    }

    #[test]
    fn ids_without_the_declared_form_are_unverifiable_unless_one_is_redelivered() {
        for scheme in [IdScheme::Namespaced, IdScheme::SessionCounter] {
            assert_eq!(validate_resume(Some(scheme), 1, "x1", "x2"), Unverifiable);
            assert_eq!(validate_resume(Some(scheme), 1, "x1", "x1"), RebasedOrReplayed);
        }
        assert_eq!(validate_resume(Some(IdScheme::Namespaced), 1, "s.a.1", "2"), Unverifiable);
    }

    #[test]
    fn a_gap_and_a_replay_end_the_session_under_every_policy() {
        for policy in [UnverifiablePolicy::Accept, UnverifiablePolicy::Refuse] {
            assert_eq!(on_reconnect(Continuous, "1", "2", policy), Ok(Continuous));
            for continuity in [Gap, RebasedOrReplayed] {
                let error = on_reconnect(continuity, "1", "5", policy).unwrap_err();
                assert_eq!(error.continuity, continuity);
                assert_eq!((&*error.last_processed, &*error.first_received), ("1", "5"));
            }
        }
        assert_eq!(
            on_reconnect(Gap, "1", "5", UnverifiablePolicy::Accept).unwrap_err().to_string(),
            "the stream did not go on where it was left (gap): \"5\" came after \"1\"; drop the \
             session and initialize a new one"
        );
    }

    #[test]
    fn the_policy_decides_on_an_unverifiable_seam() {
        let decide = |policy| on_reconnect(Unverifiable, "a", "b", policy);
        assert_eq!(decide(UnverifiablePolicy::Accept), Ok(Unverifiable));
        assert!(decide(UnverifiablePolicy::Refuse).is_err());
    }
}
