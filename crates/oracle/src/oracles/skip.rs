//! `skip`: no message of a resumed stream is left out.
//!
//! Rests on the rule that every event after the cursor is replayed, and that loss is declared.
//! Two ways to see it. A *gap*: a delivery that is later than the successor of the one before it
//! on its stream; a call's stream begins with 1, a standalone stream where it was joined or where
//! the cursor stood. A *missing end*: a resumption was accepted, nothing of the stream follows,
//! and messages emitted before it never come; that is certain only if they were evicted by then,
//! if the server went on with another stream, or if the client waited long enough.
//! Near misses: loss that was declared; a stream that broke again or was left before the replay
//! could arrive; a standalone stream begun anew; tools that report progress 0, 50, 100.

use seamstress_trace::{End, Message, Outcome};

use crate::finding::{Finding, Oracle};
use crate::order::{self, Break, Gap};
use crate::resumptions::Attempt;
use crate::view::{Emitted, Exchange, Place, STANDALONE, Sequence, SequenceKey, View};
use crate::words::{self, Span};

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, sequence) in view.sequences.iter().enumerate() {
        for broken in order::breaks(view, index) {
            if let Break::Gap(gap) = broken {
                findings.extend(jumped_over(view, sequence, gap));
            }
        }
    }
    for stream in &view.streams {
        findings.extend(missing_end(view, stream.name, &stream.legs));
    }
    findings
}

/// Messages that are missing, by kind, each with the first of them in the log.
type Missing<'a> = Vec<(Span<'a>, &'a Emitted<'a>)>;

fn add<'a>(missing: &mut Missing<'a>, emitted: &'a Emitted<'a>) {
    let Some(message) = emitted.message else { return };
    let subject = words::subject(message);
    match missing.iter_mut().find(|(span, _)| span.subject() == subject) {
        Some((span, _)) => span.add(message, emitted.ordinal),
        None => missing.push((Span::of(message, emitted.ordinal), emitted)),
    }
}

/// One finding for each kind of message in a gap.
fn jumped_over(view: &View, sequence: &Sequence, gap: Gap) -> Vec<Finding> {
    let arrival = &view.delivered[gap.delivery];
    let exchange = &view.exchanges[arrival.exchange];
    let finding = |subject, state, missing: String, related| Finding {
        oracle: Oracle::Skip,
        subject,
        state,
        sentence: format!("{missing} did not reach the application: {}", came_instead(view, gap)),
        record: arrival.record,
        related,
        resumption: words::resumption(view, exchange),
    };
    let ordinal = |index: &usize| view.emitted[*index].ordinal;
    let begin = sequence.messages.partition_point(|index| ordinal(index) < gap.from);
    let known = sequence.messages[begin..].iter().take_while(|index| ordinal(index) <= gap.to);
    let mut known = known.peekable();
    if known.peek().is_none() {
        let unseen = unseen(sequence, gap).into_iter();
        let state = || words::state(exchange);
        return unseen.map(|(kind, name)| finding(kind, state(), name, Vec::new())).collect();
    }
    let mut missing = Missing::new();
    for emitted in known.map(|index| &view.emitted[*index]) {
        let first = sequence.first_delivery(emitted.ordinal);
        if first.is_none_or(|first| first > gap.delivery) {
            add(&mut missing, emitted);
        }
    }
    let of_kind = |(span, emitted): (Span, &Emitted)| {
        let place = arrival.place.map(|place| Place { ordinal: emitted.ordinal, ..place });
        let state = words::arrival_state(view, exchange, place);
        finding(span.subject(), state, span.text(), vec![emitted.record])
    };
    missing.into_iter().map(of_kind).collect()
}

fn came_instead(view: &View, gap: Gap) -> String {
    let name = |index: usize| {
        let arrival = &view.delivered[index];
        words::message(arrival.message, arrival.place)
    };
    let exchange = words::exchange(&view.exchanges[view.delivered[gap.delivery].exchange]);
    match gap.after {
        Some(after) => {
            format!("on {exchange}, {} came directly after {}", name(gap.delivery), name(after))
        }
        None => format!("on {exchange}, {} came first", name(gap.delivery)),
    }
}

/// The kind and the name of messages that nobody recorded, unless all of them had come on other
/// streams. On a call's own stream whatever comes before another message is progress, numbered as
/// the messages are.
fn unseen(sequence: &Sequence, gap: Gap) -> Option<(&'static str, String)> {
    let firsts = &sequence.first_deliveries;
    let begin = firsts.partition_point(|(ordinal, _)| *ordinal < gap.from);
    let within = firsts[begin..].iter().take_while(|(ordinal, _)| *ordinal <= gap.to);
    let came = within.filter(|(_, first)| *first < gap.delivery).count() as u64;
    if came > gap.to - gap.from {
        return None;
    }
    let range = words::range(gap.from, gap.to);
    match sequence.key {
        SequenceKey::Stream { stream, .. } if sequence.client_name() == Some(STANDALONE) => {
            Some(("notification", format!("message {range} of {stream}")))
        }
        SequenceKey::Stream { stream: call, .. } | SequenceKey::Token { call, .. } => {
            Some(("progress", format!("progress {range} of {call}")))
        }
        SequenceKey::Answer { .. } => None,
    }
}

/// Walks over the accepted resumptions of a stream's last beginning; each takes what was emitted
/// before it, can no longer come, and was not yet found.
fn missing_end(view: &View, name: &str, legs: &[usize]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some(last) = legs.last() else { return findings };
    let begun_by = view.exchanges[*last].begun_by;
    let first_leg = legs.partition_point(|leg| view.exchanges[*leg].begun_by < begun_by);
    // The sequence being walked, and how far into its messages.
    let mut walk: Option<(usize, usize)> = None;
    for leg in &legs[first_leg..] {
        let exchange = &view.exchanges[*leg];
        let Some(attempt) = exchange.attempt.filter(Attempt::is_accepted) else { continue };
        if is_declared(view, exchange, name) {
            continue;
        }
        let Some(stands) = view.true_cursor(exchange) else { continue };
        let of = &view.sequences[stands.sequence];
        let (_, mut next) = walk
            .filter(|(sequence, _)| *sequence == stands.sequence)
            .unwrap_or_else(|| (stands.sequence, first_undelivered(view, stands)));
        let certain = Certain::at(view, exchange, stands.sequence);
        let mut missing = Missing::new();
        while let Some(emitted) = of.messages.get(next).map(|index| &view.emitted[*index]) {
            if emitted.record > attempt.decided || !certain.covers(emitted) {
                break;
            }
            // A response that never comes is for `lost-response`.
            let is_response = emitted.message.is_some_and(Message::is_response);
            if of.first_delivery(emitted.ordinal).is_none() && !is_response {
                add(&mut missing, emitted);
            }
            next += 1;
        }
        walk = Some((stands.sequence, next));
        findings.extend(missing.into_iter().map(|(span, emitted)| Finding {
            oracle: Oracle::Skip,
            subject: span.subject(),
            state: words::state(exchange),
            sentence: format!(
                "{} never reached the application: {}, went on without {}, and no loss was \
                 declared",
                span.text(),
                words::exchange(exchange),
                if span.is_one() { "it" } else { "them" },
            ),
            record: exchange.response.map_or(exchange.record, |response| response.record),
            related: vec![emitted.record],
            resumption: words::resumption(view, exchange),
        }));
    }
    findings
}

/// Whether the application was told, after this resumption, that the stream is lost.
fn is_declared(view: &View, exchange: &Exchange, name: &str) -> bool {
    let session = exchange.session.map(|session| &view.sessions[session]);
    let lost = session.and_then(|session| session.lost);
    let call = view.call(name).and_then(|call| call.outcome);
    lost.is_some_and(|(record, _)| record > exchange.record)
        || call.is_some_and(|(_, outcome)| outcome == Outcome::Unknown)
}

/// Where, in the messages of its sequence, the end begins of which nothing was delivered and
/// which lies after the client's cursor.
fn first_undelivered(view: &View, stands: &Emitted) -> usize {
    let of = &view.sequences[stands.sequence];
    let at_home = of.delivered.iter().map(|index| &view.delivered[*index]);
    let furthest = at_home
        .filter(|arrival| arrival.at_home)
        .filter_map(|arrival| arrival.place)
        .map(|place| place.ordinal)
        .max()
        .unwrap_or(0);
    of.messages.partition_point(|index| {
        let emitted = &view.emitted[*index];
        emitted.ordinal <= furthest || emitted.position <= stands.position
    })
}

/// Which messages can certainly not come any more on an accepted resumption.
struct Certain {
    /// Below this position they were evicted when it was accepted.
    floor: u64,
    /// None of them comes: the server went on with another stream, or there was time enough.
    all: bool,
}

impl Certain {
    fn at(view: &View, exchange: &Exchange, sequence: usize) -> Certain {
        let SequenceKey::Stream { origin, stream } = view.sequences[sequence].key else {
            return Certain { floor: 0, all: false };
        };
        let verdict = exchange.verdict.filter(|verdict| verdict.session == Some(origin));
        let floors = verdict.map_or(&[][..], |verdict| verdict.floors);
        let floor = floors.iter().find(|(name, _)| name == stream).map_or(0, |(_, floor)| *floor);
        let elsewhere = verdict.and_then(|v| v.stream).is_some_and(|named| named != stream);
        Certain { floor, all: elsewhere || had_time(view, exchange) }
    }

    fn covers(&self, emitted: &Emitted) -> bool {
        self.all || emitted.position < self.floor
    }
}

/// Whether the client stayed on an exchange, once nothing delayed events any more, for longer
/// than an event may take.
fn had_time(view: &View, exchange: &Exchange) -> bool {
    let opened = exchange.response.filter(|response| response.opens_stream());
    let settled_ms = opened.and_then(|response| view.settled_from_ms(response.at_ms));
    let Some(from_ms) = settled_ms else { return false };
    let until_ms = match exchange.end {
        None => view.last_ms(),
        Some(ended) if ended.end == End::Left => ended.at_ms,
        Some(_) => return false,
    };
    until_ms.saturating_sub(from_ms) > view.header.live_within_ms
}

#[cfg(test)]
mod tests;
