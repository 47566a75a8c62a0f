//! Which protocol states a run saw.
//!
//! Owns how the state of a resumption is told from the trace. It is a pure function of the index
//! and finds nothing wrong; what it tells is how much of the rule a run has tried. It must not know
//! a plan: what was at work is what was carried out.

use std::collections::BTreeSet;

use seamstress_trace::{Check, FaultState, SessionState, What};

use crate::protocol_state::{FaultFamily, ProtocolState, StreamState, VerdictReason};
use crate::resumptions::{Answer, Attempt, Standing};
use crate::view::{Exchange, STANDALONE, View};

/// The action that numbers a session's events anew while its id stays.
const REBASE: &str = "rebase";

/// The state of every resumption, one for each family of faults that was at work.
pub(crate) fn seen(view: &View) -> BTreeSet<ProtocolState> {
    let mut seen = BTreeSet::new();
    for (index, exchange) in view.exchanges.iter().enumerate() {
        let (Some(attempt), Some(cursor)) = (exchange.attempt, exchange.cursor) else { continue };
        let before = leg_before(view, index, exchange);
        let stream = stream_state(view, index, exchange, cursor, before);
        let reason = verdict_reason(exchange, attempt);
        let from = before.map_or(exchange.record, |before| before.record);
        let until = decided_at(view, exchange, attempt);
        let faults = families(view, from, until);
        seen.extend(faults.into_iter().map(|fault| ProtocolState { stream, fault, reason }));
    }
    seen
}

/// The exchange that carried the stream before this one.
fn leg_before<'v, 'a>(
    view: &'v View<'a>,
    index: usize,
    exchange: &Exchange,
) -> Option<&'v Exchange<'a>> {
    let legs = &view.streams[exchange.stream?].legs;
    let before = legs.partition_point(|leg| *leg < index).checked_sub(1)?;
    Some(&view.exchanges[legs[before]])
}

fn stream_state(
    view: &View,
    index: usize,
    exchange: &Exchange,
    cursor: &str,
    before: Option<&Exchange>,
) -> StreamState {
    let of = |call, standalone| {
        if exchange.stream_name == Some(STANDALONE) { standalone } else { call }
    };
    if cursor != exchange.known_cursor {
        StreamState::Misplaced
    } else if is_rebased(view, exchange) {
        of(StreamState::CallRebased, StreamState::StandaloneRebased)
    } else if before.is_some_and(|before| before.cursor == Some(cursor)) {
        of(StreamState::CallRetried, StreamState::StandaloneRetried)
    } else if before.is_some_and(|before| is_replaying(view, exchange, before)) {
        of(StreamState::CallReplaying, StreamState::StandaloneReplaying)
    } else if is_answered(view, exchange) {
        StreamState::CallAnswered
    } else if is_primed(view, index, exchange) {
        of(StreamState::CallPrimed, StreamState::StandalonePrimed)
    } else {
        of(StreamState::CallStreaming, StreamState::StandaloneStreaming)
    }
}

/// Whether the ids were re-based after the cursor's event was stored.
fn is_rebased(view: &View, exchange: &Exchange) -> bool {
    let Some(event) = view.true_cursor(exchange) else { return false };
    let is_rebase = |record: &&usize| {
        let what = &view.records[**record].what;
        matches!(what, What::Fault { action, .. } if action == REBASE)
    };
    let meanwhile = |record: &usize| (event.record..exchange.record).contains(record);
    view.fired.iter().filter(is_rebase).any(meanwhile)
}

/// Whether the exchange before was an accepted resumption that still owes some of its replay.
fn is_replaying(view: &View, exchange: &Exchange, before: &Exchange) -> bool {
    let (Some(attempt), Some(event)) = (before.attempt, view.true_cursor(exchange)) else {
        return false;
    };
    let is_owed = |index: &usize| {
        let emitted = &view.emitted[*index];
        emitted.record < attempt.decided && emitted.position > event.position
    };
    attempt.is_accepted() && view.sequences[event.sequence].emitted.iter().any(is_owed)
}

/// Whether the server has emitted the response of the call that this stream carries.
fn is_answered(view: &View, exchange: &Exchange) -> bool {
    let (Some(origin), Some(name)) = (view.origin(exchange), exchange.stream_name) else {
        return false;
    };
    let Some(sequence) = view.sequence(origin, name) else { return false };
    let is_response = |index: &usize| {
        let emitted = &view.emitted[*index];
        emitted.record < exchange.record
            && emitted.message.is_some_and(|message| message.is_response())
    };
    view.sequences[sequence].emitted.iter().any(is_response)
}

/// Whether no message has come on the stream since it was begun.
fn is_primed(view: &View, index: usize, exchange: &Exchange) -> bool {
    let Some(stream) = exchange.stream else { return false };
    let is_of_this_life = |leg: &&usize| (exchange.begun_by..index).contains(*leg);
    let mut legs = view.streams[stream].legs.iter().filter(is_of_this_life);
    legs.all(|leg| view.exchanges[*leg].wire.is_empty())
}

fn verdict_reason(exchange: &Exchange, attempt: Attempt) -> VerdictReason {
    match attempt.answer {
        Answer::Resume => VerdictReason::Resume,
        Answer::CaughtUp => VerdictReason::CaughtUp,
        Answer::Stream => VerdictReason::Unstated,
        Answer::Reason(reason) => match exchange.verdict.map(|verdict| verdict.session_state) {
            Some(SessionState::Unknown) => VerdictReason::SessionUnknown,
            Some(SessionState::Expired) => VerdictReason::SessionExpired,
            _ => VerdictReason::named(reason).unwrap_or(VerdictReason::OtherRefusal),
        },
        Answer::Check(Check::Gap) => VerdictReason::CheckGap,
        Answer::Check(Check::RebasedOrReplayed) => VerdictReason::CheckRebasedOrReplayed,
        Answer::Check(Check::Unverifiable) => VerdictReason::CheckUnverifiable,
        Answer::Check(Check::Continuous) | Answer::NoStream => VerdictReason::OtherRefusal,
        Answer::Status(_) if attempt.standing == Standing::Unanswered => VerdictReason::HopFailed,
        Answer::Status(404) => VerdictReason::NotFound,
        Answer::Status(_) => VerdictReason::OtherRefusal,
        Answer::Nothing => VerdictReason::Unanswered,
    }
}

/// The record at which it was settled what becomes of a resumption.
fn decided_at(view: &View, exchange: &Exchange, attempt: Attempt) -> usize {
    let checked = exchange.continuity.map(|continuity| continuity.record);
    let judged = exchange.verdict.map(|verdict| verdict.record);
    let answered = exchange.response.map(|response| response.record);
    let ended = exchange.end.map(|end| end.record);
    let stopped = checked.filter(|_| attempt.standing == Standing::RefusedByClient);
    stopped.or(judged).or(answered).or(ended).unwrap_or_else(|| view.last_record())
}

fn families(view: &View, from: usize, until: usize) -> BTreeSet<FaultFamily> {
    let struck = |what: &What| match what {
        What::Fault { family, state: FaultState::Fired, .. } => FaultFamily::named(family),
        What::Rotate { .. } => Some(FaultFamily::Rotation),
        _ => None,
    };
    let meanwhile = view.records.get(from..=until).unwrap_or_default();
    let mut families: BTreeSet<FaultFamily> =
        meanwhile.iter().filter_map(|record| struck(&record.what)).collect();
    if families.is_empty() {
        families.insert(FaultFamily::NoFault);
    }
    families
}

#[cfg(test)]
mod tests;
