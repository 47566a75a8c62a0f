//! A request to resume: the verdict on its cursor, and the connection that it gets.
//!
//! Owns that reading the replay and attaching the connection are one step under the store's lock,
//! and the record of the verdict. It must not decide what a cursor means; `resolving` does.

use bytes::Bytes;
use seamstress_mcp::resumption_header::ResumptionHeader;
use seamstress_resumption::{Counters, Retained};
use seamstress_trace::{Decision, Host, SessionState, What};

use crate::defects::Defect;
use crate::resolving::{Accepted, Resolved, View};
use crate::session::{Attached, Late, Session, Stored, encode};
use crate::store::{Inner, Store};

/// How long after its replay a connection is registered, or the other way round, by a server that
/// does not do both at once, in milliseconds. Real ones need less; the time of a simulation is
/// counted in milliseconds.
const SEAM_MS: u64 = 2;

/// What became of a request to resume.
pub(crate) enum Resumed {
    /// Accepted, with the value of the verdict header.
    Accepted { attached: Attached, verdict: ResumptionHeader },
    /// The cursor is refused.
    Refused { reason: String },
    /// There is no such session.
    NoSession,
}

impl Store {
    /// Judges a cursor and, if it is accepted, attaches the connection: one step, so that an event
    /// produced meanwhile is sent once, either in the replay or live.
    pub(crate) fn resume(
        &self,
        replica: usize,
        session_id: &str,
        cursor: &str,
        exchange: Option<u64>,
    ) -> Resumed {
        let now_ms = self.recorder.now_ms();
        let mut inner = self.lock();
        let view = inner.views.remove(&replica).unwrap_or_default();
        let state = inner.state(session_id);
        let Some(session) = inner.sessions.get_mut(session_id) else {
            let reason = "no-session".to_owned();
            let decision = Decision::Refused { reason };
            self.record_verdict(replica, None, state, cursor, decision, None, exchange);
            return Resumed::NoSession;
        };
        session.log.expire(now_ms);
        let moves = std::mem::replace(&mut session.home, replica) != replica;
        let restarts = moves && session.has(Defect::RebaseOnMigration);
        // The events are in a cache that all replicas share; only the counter is not.
        let view = if restarts { View::Current } else { view };
        let mut accepted = match session.resolve(cursor, view, now_ms) {
            Resolved::Refused(reason) => {
                let reason = reason.to_string();
                let decision = Decision::Refused { reason: reason.clone() };
                let session = Some(&*session);
                self.record_verdict(replica, session, state, cursor, decision, None, exchange);
                return Resumed::Refused { reason };
            }
            Resolved::Accepted(accepted) => accepted,
        };
        if self.options.defects.has(Defect::ReplayAllSessions) {
            accepted.replay.extend(inner.of_other_sessions(session_id, cursor));
        }
        // Nothing took the session away meanwhile: the lock is held.
        let Some(session) = inner.sessions.get_mut(session_id) else { return Resumed::NoSession };
        let decision = if accepted.replay.is_empty() {
            Decision::CaughtUp
        } else {
            Decision::Resume { replayed: accepted.replay.len() as u64 }
        };
        let verdict = verdict_header(&decision, &accepted.stream, accepted.after);
        let stream = Some(accepted.stream.clone());
        self.record_verdict(replica, Some(session), state, cursor, decision, stream, exchange);
        let attached = self.attach_replay(session, accepted, replica);
        if restarts || session.has(Defect::RebaseOnReconnect) {
            session.log.rebase(Counters::Restarted);
        }
        match attached {
            Some(attached) => Resumed::Accepted { attached, verdict },
            None => Resumed::Refused { reason: "unknown-stream".to_owned() },
        }
    }

    fn attach_replay(
        &self,
        session: &mut Session,
        accepted: Accepted,
        replica: usize,
    ) -> Option<Attached> {
        let Accepted { stream, after, replay, lag_ms, .. } = accepted;
        let has = |defect| self.options.defects.has(defect);
        let now_ms = self.recorder.now_ms();
        let bytes =
            |event: &Retained<Stored>| encode(event.id.as_str(), &event.payload, &self.options);
        let first: Vec<Bytes> = self.retry().into_iter().chain(replay.iter().map(bytes)).collect();
        if has(Defect::SilentShadow) && session.is_attached(&stream) {
            return Some(Attached::silent(self.retry().into_iter().collect()));
        }
        if has(Defect::FiniteReplay) && session.streams.get(&stream).is_some_and(|s| !s.ended) {
            return Some(Attached::silent(first));
        }
        let mut attached = session.attach(&stream, first, replica)?;
        if has(Defect::ReplayWholeRing) {
            session.attach_all_to(&stream);
        }
        if lag_ms > 0 {
            // The replica gets the newest events later than the log has them. The replay that it
            // could give stops where its view ends; the rest follows, before anything live.
            let as_of_ms = now_ms.saturating_sub(lag_ms);
            let unseen = session.log.retained(&stream);
            let unseen = unseen.filter(|event| event.appended_at_ms > as_of_ms);
            let unseen: Vec<Bytes> = unseen.map(bytes).collect();
            attached.late = (!unseen.is_empty()).then_some((lag_ms, Late::Events(unseen)));
        }
        if has(Defect::ReplayBesideLive) {
            attached.beside = std::mem::take(&mut attached.first);
        }
        if has(Defect::ScanThenRegister) {
            session.register_from(&stream, now_ms + SEAM_MS);
        }
        if has(Defect::RegisterThenScan) && attached.late.is_none() {
            attached.first.clear();
            attached.late = Some((SEAM_MS, Late::After(after)));
        }
        Some(attached)
    }

    /// What a stream retains after a position, ready to be sent.
    pub(crate) fn scan(&self, session: &str, stream: &str, after: u64) -> Vec<Bytes> {
        let inner = self.lock();
        let Some(session) = inner.sessions.get(session) else { return Vec::new() };
        let later = session.log.retained(stream).filter(|event| event.position > after);
        later.map(|event| encode(event.id.as_str(), &event.payload, &self.options)).collect()
    }

    #[expect(clippy::too_many_arguments, reason = "one argument per field of the record")]
    fn record_verdict(
        &self,
        replica: usize,
        session: Option<&Session>,
        session_state: SessionState,
        cursor: &str,
        decision: Decision,
        stream: Option<String>,
        exchange: Option<u64>,
    ) {
        let verdict = What::Verdict {
            exchange,
            session: session.map(|session| session.origin.clone()),
            session_state,
            cursor: cursor.to_owned(),
            decision,
            stream,
            floors: session.map(Session::floors).unwrap_or_default(),
        };
        self.recorder.record(Host::replica(replica), verdict);
    }
}

impl Inner {
    /// The events of all other sessions, alive or not, whose numbers lie above that of the cursor:
    /// a defect.
    fn of_other_sessions(&self, session_id: &str, cursor: &str) -> Vec<Retained<Stored>> {
        let number = |id: &str| id.rsplit('.').next().and_then(|number| number.parse::<u64>().ok());
        let after = number(cursor);
        let alive = self.sessions.iter().filter(|(id, _)| *id != session_id);
        let all = self.buried.iter().chain(alive.map(|(_, session)| session));
        let events = all.flat_map(|session| session.log.retained_all());
        let later = events.filter(|(_, event)| number(event.id.as_str()) > after);
        later.map(|(_, event)| event.clone()).collect()
    }
}

fn verdict_header(decision: &Decision, stream: &str, after: u64) -> ResumptionHeader {
    let stream = stream.to_owned();
    match decision {
        Decision::Resume { replayed } => {
            ResumptionHeader::Resume { stream, after, replay: *replayed }
        }
        Decision::CaughtUp => ResumptionHeader::CaughtUp { stream },
        Decision::Refused { reason } => ResumptionHeader::Refused { reason: reason.clone() },
    }
}
