//! From the records of a trace to the moments worth telling.
//!
//! Owns the one walk over a trace that all renderers share: it packs runs of events, joins what
//! belongs together (the states of a fault, calls that end at once, rotations in a row) and marks
//! as quiet what goes without saying. It must not judge: findings only say which records must stay
//! visible. Moments come in the order in which they were over.

mod arrivals;
mod joins;
mod log;

use std::collections::{BTreeMap, BTreeSet};

use seamstress_plan::Plan;
use seamstress_trace::{Content, End, FaultState, Message, Method, Record, Trace, What};

use crate::Play;
use crate::messages::Messages;
use crate::moment::{Decided, Moment, Scene};
use arrivals::Arrivals;
use log::Log;
pub(crate) use log::client_name;

/// The moments of a run.
pub(crate) fn unfold<'a>(play: &Play<'a>) -> Vec<Moment<'a>> {
    let mut walk = Walk::new(play);
    for (index, record) in play.trace.records.iter().enumerate() {
        walk.record(At { index, record });
    }
    walk.finish()
}

/// A record and where it stands.
#[derive(Clone, Copy)]
struct At<'a> {
    index: usize,
    record: &'a Record,
}

/// What the walk knows of an exchange.
#[derive(Default)]
struct Facts<'a> {
    stream: Option<&'a str>,
    /// It resumes a stream.
    resumes: bool,
    /// The server's decision about its cursor is in the trace.
    decided: bool,
    event_stream: bool,
    /// The response to its call has arrived.
    answered: bool,
}

struct Walk<'a> {
    plan: &'a Plan,
    trace: &'a Trace,
    /// Records that findings speak of.
    marked: BTreeSet<usize>,
    exchanges: BTreeMap<u64, Facts<'a>>,
    log: Log<'a>,
    arrivals: Arrivals<'a>,
    /// The public id with which the newest session began.
    session: Option<&'a str>,
    /// Calls that ended for the application in this millisecond, by how they ended.
    endings: Vec<Moment<'a>>,
    /// Rotations in a row.
    rotation: Option<Moment<'a>>,
    moments: Vec<Moment<'a>>,
}

impl<'a> Walk<'a> {
    fn new(play: &Play<'a>) -> Walk<'a> {
        let findings = play.judgement.findings.iter();
        let marked = findings.flat_map(|f| f.related.iter().copied().chain([f.record]));
        let delivers = |record: &Record| matches!(record.what, What::Deliver { .. });
        Walk {
            plan: play.plan,
            trace: play.trace,
            marked: marked.collect(),
            exchanges: BTreeMap::new(),
            log: Log::default(),
            arrivals: Arrivals::new(play.trace.records.iter().any(delivers)),
            session: None,
            endings: Vec::new(),
            rotation: None,
            moments: Vec::new(),
        }
    }

    fn record(&mut self, at: At<'a>) {
        if self.endings.first().is_some_and(|ending| ending.at_ms < at.record.at_ms) {
            self.moments.append(&mut self.endings);
        }
        match &at.record.what {
            What::Emit { .. }
            | What::Execute { .. }
            | What::Verdict { .. }
            | What::SessionEnd { .. } => self.at_server(at),
            What::Request { .. }
            | What::Response { .. }
            | What::End { .. }
            | What::Continuity { .. } => self.at_exchange(at),
            What::Event { exchange, id, retry_ms, message } => match message {
                Some(message) => self.event(at, *exchange, message),
                None => {
                    let scene = Scene::ArrivesEmpty { id: id.as_deref(), retry_ms: *retry_ms };
                    self.push_of(at, Some(*exchange), true, scene);
                }
            },
            What::Deliver { exchange, message, .. } => self.deliver(at, *exchange, message),
            What::Outcome { call, outcome } => self.call_ends(at, call, *outcome),
            What::SessionBegin { session, origin } => {
                let (session, origin) = (session.as_deref(), origin.as_deref());
                self.session = session;
                self.push(at, None, false, Scene::SessionBegins { session, origin });
            }
            What::DeclareLoss { session, why } => {
                self.moments.extend(self.rotation.take());
                self.push(at, None, false, Scene::Loses { session: session.as_deref(), why });
            }
            What::Rotate { from, to, keeps_old } => self.rotate(at, from, to, *keeps_old),
            What::Fault { fault, action, state, .. } => {
                if *state == FaultState::Fired {
                    self.fault(at, fault, action);
                }
            }
            What::Leftover { sessions, streams, connections } => {
                let (sessions, streams, connections) = (*sessions, *streams, *connections);
                let nothing = sessions + streams + connections == 0;
                self.push(at, None, nothing, Scene::LeftOver { sessions, streams, connections });
            }
            What::Phase { phase } => self.push(at, None, false, Scene::Phase(phase)),
            What::RunEnd { why, detail, .. } => {
                let detail = detail.as_deref();
                self.push(at, None, false, Scene::RunEnds { why: *why, detail });
            }
        }
    }

    fn finish(mut self) -> Vec<Moment<'a>> {
        for exchange in self.arrivals.exchanges() {
            self.end_run(exchange, false);
        }
        self.moments.append(&mut self.endings);
        self.moments.extend(self.rotation.take());
        self.moments.sort_by_key(Moment::last);
        self.show_requests_of_loud_answers();
        self.moments
    }

    /// A request whose answer is worth telling is worth telling too.
    fn show_requests_of_loud_answers(&mut self) {
        let loud = self.moments.iter().filter(|moment| !moment.quiet);
        let loud: BTreeSet<u64> = loud.filter_map(|moment| moment.exchange).collect();
        for moment in &mut self.moments {
            let is_request = matches!(moment.scene, Scene::Asks { .. });
            if is_request && moment.exchange.is_some_and(|exchange| loud.contains(&exchange)) {
                moment.quiet = false;
            }
        }
    }

    fn at_server(&mut self, at: At<'a>) {
        match &at.record.what {
            What::Emit { session, stream, id, position, message } => {
                let (id, message) = (id.as_deref(), message.as_ref());
                self.log.store((session, stream), id, *position, message);
                if self.marked.contains(&at.index) {
                    let mut messages = Messages::default();
                    message.into_iter().for_each(|message| messages.add(message));
                    let stream = Some(client_name(stream));
                    self.push(at, stream, false, Scene::Stores { id, messages });
                }
            }
            What::Execute { call, .. } => self.push(at, Some(call), false, Scene::Executes),
            What::SessionEnd { session, why } => {
                // The request or the decision that brought it about says so.
                let quiet = matches!(why.as_str(), "deleted" | "refused");
                self.push(at, None, quiet, Scene::SessionEnds { session, why });
            }
            What::Verdict {
                exchange,
                session,
                session_state,
                cursor,
                decision,
                stream,
                floors,
            } => {
                let due = session.as_ref().and_then(|s| self.log.due(s, cursor, floors));
                let named = stream.as_deref().map(client_name);
                let facts = exchange.map(|exchange| self.exchanges.entry(exchange).or_default());
                let asked = facts.and_then(|facts| {
                    facts.decided = true;
                    facts.stream
                });
                let stream = asked.or(named).or(due.as_ref().map(|due| due.stream));
                let decided = Decided {
                    cursor,
                    by_client: exchange.is_some(),
                    session_state: *session_state,
                    decision,
                    named,
                    due,
                    ends_session: self.refusal_ends_session(at),
                };
                let scene = Scene::Decides(Box::new(decided));
                self.add(at, *exchange, stream, false, scene);
            }
            _ => {}
        }
    }

    /// Whether the session ends with the refusal recorded here: it does so before the answer.
    fn refusal_ends_session(&self, at: At) -> bool {
        let next = self.trace.records.get(at.index + 1);
        next.is_some_and(|next| {
            next.host == at.record.host
                && next.at_ms == at.record.at_ms
                && matches!(&next.what, What::SessionEnd { why, .. } if why == "refused")
        })
    }

    fn at_exchange(&mut self, at: At<'a>) {
        match &at.record.what {
            What::Request { exchange, method, session, cursor, rpc, stream, .. } => {
                let (session, stream) = (session.as_deref(), stream.as_deref());
                let cursor = cursor.as_deref().filter(|_| *method == Method::Get);
                let facts = Facts { stream, resumes: cursor.is_some(), ..Facts::default() };
                self.exchanges.insert(*exchange, facts);
                if let Some(cursor) = cursor {
                    self.moments.extend(self.rotation.take());
                    let renamed = session.filter(|_| session != self.session);
                    self.push_of(at, Some(*exchange), false, Scene::Resumes { cursor, renamed });
                    return;
                }
                let rpc = rpc.as_deref();
                let quiet = *method == Method::Post && rpc != Some("tools/call");
                let operation = self.plan.workload.iter().find(|o| Some(o.id.as_str()) == stream);
                let asked = operation.map(|operation| &operation.ask);
                let scene = Scene::Asks { method: *method, rpc, session, asked };
                self.push_of(at, Some(*exchange), quiet, scene);
            }
            What::Response { exchange, status, event_stream, .. } => {
                let (status, event_stream) = (*status, *event_stream);
                let facts = self.exchanges.entry(*exchange).or_default();
                facts.event_stream = status == 200 && event_stream;
                let quiet = if facts.resumes {
                    facts.decided && facts.event_stream
                } else {
                    (200..300).contains(&status)
                };
                let resumes = facts.resumes;
                let scene = Scene::Answers { status, event_stream, resumes };
                self.push_of(at, Some(*exchange), quiet, scene);
            }
            What::Continuity { exchange, last, first, check, accepted } => {
                let (check, accepted) = (*check, *accepted);
                let scene = Scene::Checks { last, first, check, accepted };
                self.push_of(at, Some(*exchange), false, scene);
            }
            What::End { exchange, end } => {
                self.end_run(*exchange, false);
                let facts = self.exchanges.entry(*exchange).or_default();
                let quiet = match end {
                    End::Left => true,
                    End::Clean => facts.answered || !facts.event_stream,
                    _ => facts.answered,
                };
                self.push_of(at, Some(*exchange), quiet, Scene::Ends(*end));
            }
            _ => {}
        }
    }

    fn event(&mut self, at: At<'a>, exchange: u64, message: &'a Message) {
        if self.marked.contains(&at.index) {
            self.end_run(exchange, false);
        }
        self.note_answer(exchange, message);
        self.arrivals.event(exchange, at.index, at.record.at_ms, message);
    }

    fn deliver(&mut self, at: At<'a>, exchange: u64, message: &'a Message) {
        let event = self.arrivals.pending(exchange, message);
        if self.marked.contains(&at.index) && event.is_none_or(|e| !self.marked.contains(&e)) {
            self.end_run(exchange, true);
        }
        self.note_answer(exchange, message);
        self.arrivals.delivery(exchange, at.index, at.record.at_ms, message);
    }

    /// A response belongs to the stream that carries it unless it names another call.
    fn note_answer(&mut self, exchange: u64, message: &Message) {
        let facts = self.exchanges.entry(exchange).or_default();
        let belongs = match &message.content {
            Content::Result { call: Some(call), .. } => facts.stream == Some(call),
            _ => true,
        };
        facts.answered |= message.is_response() && belongs;
    }

    fn end_run(&mut self, exchange: u64, keep_pending: bool) {
        let stream = self.exchanges.get(&exchange).and_then(|facts| facts.stream);
        self.moments.extend(self.arrivals.end(exchange, stream, keep_pending));
    }

    fn push_of(&mut self, at: At<'a>, exchange: Option<u64>, quiet: bool, scene: Scene<'a>) {
        let facts = exchange.and_then(|exchange| self.exchanges.get(&exchange));
        let stream = facts.and_then(|facts| facts.stream);
        self.add(at, exchange, stream, quiet, scene);
    }

    fn push(&mut self, at: At<'a>, stream: Option<&'a str>, quiet: bool, scene: Scene<'a>) {
        self.add(at, None, stream, quiet, scene);
    }

    fn add(
        &mut self,
        at: At<'a>,
        exchange: Option<u64>,
        stream: Option<&'a str>,
        quiet: bool,
        scene: Scene<'a>,
    ) {
        let quiet = quiet && !self.marked.contains(&at.index);
        self.moments.push(moment(at, exchange, stream, quiet, scene));
    }
}

fn moment<'a>(
    at: At<'a>,
    exchange: Option<u64>,
    stream: Option<&'a str>,
    quiet: bool,
    scene: Scene<'a>,
) -> Moment<'a> {
    let Record { at_ms, host, .. } = *at.record;
    let records = vec![at.index];
    Moment { from_ms: at_ms, at_ms, host, records, exchange, stream, quiet, scene }
}

#[cfg(test)]
mod tests;
