//! The accounting of resumptions: every GET with a cursor lands in exactly one cell.
//!
//! Owns what "accepted" means (design section 3: neither the server's verdict nor the client's
//! continuity check refused it), and whether a refusal was needed, by the truth of the event log.
//! It must not look for anomalies: which accepted resumptions let one through is what the escape
//! oracles say. It exists because the table of cells heads every report, and because a finding
//! must name the resumption it followed.

use std::collections::BTreeSet;

use seamstress_trace::{Check, Decision, Method, SessionState};

use crate::finding::{Cell, Class, Finding, Resumption};
use crate::view::{Emitted, Exchange, SequenceKey, ServerVerdict, View};

/// Who let a resumption pass or stopped it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Accepted,
    RefusedByServer,
    RefusedByClient,
    Unanswered,
}

/// What was said to a resumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer<'a> {
    /// The server accepted it with a replay.
    Resume,
    /// The server accepted it with nothing to replay.
    CaughtUp,
    /// It was answered with an event stream; the server's verdict is not known.
    Stream,
    /// The server refused it for this reason.
    Reason(&'a str),
    /// It was answered with this status.
    Status(u16),
    /// It was answered with 200 and something else than an event stream.
    NoStream,
    /// The client's continuity check stopped it.
    Check(Check),
    /// Nobody answered.
    Nothing,
}

/// A resumption as far as it can be told without the oracles.
#[derive(Clone, Copy)]
pub(crate) struct Attempt<'a> {
    pub standing: Standing,
    pub answer: Answer<'a>,
    /// The record at which it was decided what is replayed: the server's verdict, or the request
    /// where no verdict is known.
    pub decided: usize,
}

impl Attempt<'_> {
    pub(crate) fn is_accepted(&self) -> bool {
        self.standing == Standing::Accepted
    }
}

impl Answer<'_> {
    /// The words of reports.
    pub(crate) fn text(self) -> String {
        match self {
            Answer::Resume => "resume".into(),
            Answer::CaughtUp => "caught-up".into(),
            Answer::Stream => "status 200".into(),
            Answer::Reason(reason) => reason.into(),
            Answer::Status(status) => format!("status {status}"),
            Answer::NoStream => "status 200 without an event stream".into(),
            Answer::Check(check) => format!("continuity check: {}", check_name(check)),
            Answer::Nothing => "no answer".into(),
        }
    }

    /// The normalised words of keys.
    pub(crate) fn state(self) -> String {
        match self {
            Answer::Resume => "resumed:resume".into(),
            Answer::CaughtUp => "resumed:caught-up".into(),
            Answer::Stream => "resumed:unstated".into(),
            Answer::Reason(reason) => format!("refused:{reason}"),
            Answer::Status(status) => format!("refused:status-{status}"),
            Answer::NoStream => "refused:no-stream".into(),
            Answer::Check(check) => format!("refused:continuity-{}", check_name(check)),
            Answer::Nothing => "unanswered".into(),
        }
    }
}

fn check_name(check: Check) -> &'static str {
    match check {
        Check::Continuous => "continuous",
        Check::Gap => "gap",
        Check::RebasedOrReplayed => "rebased-or-replayed",
        Check::Unverifiable => "unverifiable",
    }
}

/// Notes at every exchange what became of it as a resumption, and the newest accepted resumption
/// of its stream.
pub(crate) fn mark_attempts(view: &mut View) {
    let mut newest: Vec<Option<usize>> = vec![None; view.streams.len()];
    for (index, exchange) in view.exchanges.iter_mut().enumerate() {
        exchange.attempt = attempt(exchange);
        let accepted = exchange.attempt.is_some_and(|attempt| attempt.is_accepted());
        if let Some(stream) = exchange.stream {
            if accepted {
                newest[stream] = Some(index);
            }
            exchange.resumed_by = newest[stream];
        } else if accepted {
            exchange.resumed_by = Some(index);
        }
    }
}

fn attempt<'a>(exchange: &Exchange<'a>) -> Option<Attempt<'a>> {
    if exchange.method != Method::Get || exchange.cursor.is_none() {
        return None;
    }
    let decided = exchange.verdict.map_or(exchange.record, |verdict| verdict.record);
    let (standing, answer) = standing(exchange);
    Some(Attempt { standing, answer, decided })
}

fn standing<'a>(exchange: &Exchange<'a>) -> (Standing, Answer<'a>) {
    if let Some(reason) = exchange.verdict.and_then(refusal) {
        return (Standing::RefusedByServer, Answer::Reason(reason));
    }
    let stated = exchange.verdict.map(|verdict| match verdict.decision {
        Decision::CaughtUp => Answer::CaughtUp,
        _ => Answer::Resume,
    });
    let Some(response) = exchange.response else {
        return match stated {
            Some(answer) => (Standing::Accepted, answer),
            None => (Standing::Unanswered, Answer::Nothing),
        };
    };
    if response.status >= 500 {
        // A hop or server that failed has not judged the cursor.
        let unanswered = (Standing::Unanswered, Answer::Status(response.status));
        return stated.map_or(unanswered, |answer| (Standing::Accepted, answer));
    }
    if response.status != 200 {
        return (Standing::RefusedByServer, Answer::Status(response.status));
    }
    if !response.event_stream {
        return (Standing::RefusedByServer, Answer::NoStream);
    }
    match exchange.continuity {
        Some(continuity) if !continuity.accepted => {
            (Standing::RefusedByClient, Answer::Check(continuity.check))
        }
        _ => (Standing::Accepted, stated.unwrap_or(Answer::Stream)),
    }
}

/// Why a server's verdict refuses, if it does.
pub(crate) fn refusal(verdict: ServerVerdict<'_>) -> Option<&str> {
    match (verdict.decision, verdict.session_state) {
        (Decision::Refused { reason }, _) => Some(reason),
        (_, SessionState::Live) => None,
        (_, SessionState::Unknown) => Some("session-unknown"),
        (_, SessionState::Expired) => Some("session-expired"),
    }
}

/// Puts every resumption into its cell.
pub(crate) fn account(view: &View, findings: &[Finding]) -> Vec<Resumption> {
    let escaped: BTreeSet<u64> = findings
        .iter()
        .filter(|finding| finding.oracle.class() == Class::Escape)
        .filter_map(|finding| finding.resumption)
        .collect();
    let resumption = |exchange: &Exchange| {
        let (attempt, cursor) = (exchange.attempt?, exchange.cursor?);
        Some(Resumption {
            exchange: exchange.number,
            record: exchange.record,
            stream: exchange.stream_name.unwrap_or("unknown").to_owned(),
            cursor: cursor.to_owned(),
            session_state: exchange.verdict.map(|verdict| verdict.session_state),
            decision: attempt.answer.text(),
            accepted: attempt.is_accepted(),
            cell: cell(view, exchange, attempt, cursor, &escaped),
        })
    };
    view.exchanges.iter().filter_map(resumption).collect()
}

fn cell(
    view: &View,
    exchange: &Exchange,
    attempt: Attempt,
    cursor: &str,
    escaped: &BTreeSet<u64>,
) -> Cell {
    let provable = match attempt.standing {
        Standing::Accepted if escaped.contains(&exchange.number) => return Cell::Escape,
        Standing::Accepted => return Cell::Sound,
        Standing::Unanswered => return Cell::Unanswered,
        Standing::RefusedByServer => match exchange.verdict {
            Some(verdict) => is_held(view, exchange, cursor, verdict),
            None => was_issued_and_lives(view, exchange, cursor),
        },
        Standing::RefusedByClient => first_is_successor(view, exchange, cursor),
    };
    if provable == Some(true) { Cell::Needless } else { Cell::Needed }
}

/// Whether everything after the cursor was still retained in the session's log.
fn is_held(view: &View, exchange: &Exchange, cursor: &str, verdict: ServerVerdict) -> Option<bool> {
    let origin = view.origin(exchange)?;
    if verdict.session.is_some_and(|session| session != origin) {
        return Some(false);
    }
    let event = view.event_with_id(origin, cursor, verdict.record)?;
    let SequenceKey::Stream { stream, .. } = view.sequences[event.sequence].key else {
        return None;
    };
    let floor = verdict.floors.iter().find(|(name, _)| name == stream)?.1;
    Some(floor <= event.position.saturating_add(1))
}

/// For a refusal that no server explained: whether the session lived, and had issued the cursor.
fn was_issued_and_lives(view: &View, exchange: &Exchange, cursor: &str) -> Option<bool> {
    let origin = view.origin(exchange)?;
    let refused_at = exchange.response?.record;
    let lives = view.session_ends.get(origin).is_none_or(|ended| *ended > refused_at);
    Some(lives && view.has_issued(origin, cursor, refused_at))
}

/// Whether the first event after the resumption was in truth the successor of the cursor's.
fn first_is_successor(view: &View, exchange: &Exchange, cursor: &str) -> Option<bool> {
    let origin = view.origin(exchange)?;
    let name = exchange.stream_name?;
    let find = |id: &str, before: usize| -> Option<&Emitted> {
        view.event_for_stream(origin, id, name, before)
    };
    let last = find(cursor, exchange.record)?;
    let continuity = exchange.continuity?;
    let first = find(continuity.first, continuity.record)?;
    Some(first.sequence == last.sequence && first.position == last.position.saturating_add(1))
}

#[cfg(test)]
mod tests;
