//! The sentence of each moment, in words that a newcomer to the protocol can follow.
//!
//! Owns all phrases about what happened. Names of the design (streams, cursors, reasons, oracles)
//! stay as they are and get a plain explanation beside them. It must not know where a sentence
//! will stand, so it never says when or on which host.

mod decided;

use seamstress_oracle::Oracle;
use seamstress_plan::{Ask, Extent, Fault};
use seamstress_trace::{Check, End, Method, Outcome, RunEnd};

use crate::foreign::{self, id};
use crate::messages::Messages;
use crate::moment::{Moment, Scene};
pub(crate) use decided::decided;

/// What happened, as a clause without a full stop, on one line.
pub(crate) fn sentence(moment: &Moment) -> String {
    foreign::plain(&clause(moment))
}

fn clause(moment: &Moment) -> String {
    match &moment.scene {
        Scene::Phase(phase) => (*phase).to_owned(),
        Scene::SessionBegins { session, origin } => session_begins(*session, *origin),
        Scene::Asks { method, rpc, session, asked } => asks(*method, *rpc, *session, *asked),
        Scene::Resumes { cursor, renamed } => {
            let renamed = renamed.map(|session| format!(" in the session now called {session}"));
            format!("GET resumes after {}{}", id(cursor), renamed.unwrap_or_default())
        }
        Scene::Answers { status, event_stream, resumes } => {
            answers(*status, *event_stream, *resumes)
        }
        Scene::Executes => "the tool runs".to_owned(),
        Scene::Stores { id, messages } => stores(*id, messages, moment.stream),
        Scene::Decides(decision) => decided(decision, moment.stream),
        Scene::Checks { last, first, check, accepted } => {
            checks(&id(last), &id(first), *check, *accepted)
        }
        Scene::Arrives { messages, kept_back } => arrives(moment, messages, kept_back),
        Scene::ArrivesEmpty { id, retry_ms } => arrives_empty(*id, *retry_ms),
        Scene::Ends(end) => ends(*end).to_owned(),
        Scene::CallsEnd { calls, outcome } => calls_end(calls, *outcome, moment.stream),
        Scene::Loses { session, why } => {
            let session = session.unwrap_or("the session");
            format!("gives {session} up and tells the application so: {}", loss(why))
        }
        Scene::Rotates { from, to, count, keeps_old } => rotates(from, to, *count, *keeps_old),
        Scene::Fires { planned, action, place, effect } => fires(*planned, action, *place, *effect),
        Scene::SessionEnds { session, why } => session_ends(session, why),
        Scene::LeftOver { sessions, streams, connections } => {
            left_over(*sessions, *streams, *connections)
        }
        Scene::RunEnds { why, detail } => run_ends(*why, *detail),
    }
}

/// What is wrong at the place that findings point to, in a few words: the escapes first.
pub(crate) fn remark(oracles: &[Oracle]) -> String {
    let mut oracles = oracles.to_vec();
    oracles.sort_by_key(|oracle| (oracle.class(), *oracle));
    match oracles[..] {
        [one] => format!("<- {one}{}", plainly(one)),
        [first, second, third, _, ..] => {
            format!("<- {first}, {second}, {third} and {} more", oracles.len() - 3)
        }
        _ => {
            let names: Vec<&str> = oracles.iter().map(|oracle| oracle.name()).collect();
            format!("<- {}", list(&names))
        }
    }
}

fn plainly(oracle: Oracle) -> String {
    let words = match oracle {
        Oracle::Duplicate => "the application had this already",
        Oracle::Skip => "something is left out here",
        Oracle::Reorder => "this is out of order",
        Oracle::CrossStream => "this belongs to another stream",
        Oracle::ForeignSession => "this belongs to another session",
        Oracle::DoubleExecution => "the tool ran before",
        Oracle::LostResponse => "its response never came",
        Oracle::Stuck => "something never came",
        Oracle::Livelock => "no progress is made",
        Oracle::Leak => "this should be gone",
        _ => return String::new(),
    };
    format!(": {words}")
}

/// `1 event`, `3 events`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// `3 to 22`, or `3`.
pub(crate) fn range(first: u64, last: u64) -> String {
    if first == last { first.to_string() } else { format!("{first} to {last}") }
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn list(parts: &[impl AsRef<str>]) -> String {
    let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
    match parts[..] {
        [] => "nothing".to_owned(),
        [one] => one.to_owned(),
        [ref first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// What a fault does and where: `cut-reset after event 5 of c1`, `hold-link (30 ms) at 73 ms`.
pub(crate) fn fault(fault: &Fault) -> String {
    format!("{}{} {}", fault.action, extent(fault.extent), fault.trigger)
}

fn extent(extent: Extent) -> String {
    let parts = [
        extent.count.map(|count| count.to_string()),
        extent.bytes.map(|bytes| count(bytes, "byte")),
        extent.duration_ms.map(|ms| format!("{ms} ms")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

fn session_begins(session: Option<&str>, origin: Option<&str>) -> String {
    let origin = origin.map(|origin| format!(" (the server calls it {origin})"));
    let origin = origin.unwrap_or_default();
    match session {
        Some(session) => format!("session {session} begins{origin}"),
        None => format!("a session without an id begins{origin}"),
    }
}

fn asks(method: Method, rpc: Option<&str>, session: Option<&str>, asked: Option<&Ask>) -> String {
    let name = match method {
        Method::Get => return "GET opens the stream".to_owned(),
        Method::Delete => return format!("DELETE ends session {}", session.unwrap_or("?")),
        Method::Post => format!("POST {}", rpc.unwrap_or("without a method")),
    };
    match asked {
        Some(Ask::Count { events, interval_ms, progress_on_standalone }) => {
            let place = if *progress_on_standalone { " on the standalone stream" } else { "" };
            let progress = range(1, *events);
            format!("{name}: progress {progress} every {interval_ms} ms{place}, then the result")
        }
        Some(Ask::Announce { events, interval_ms }) => {
            let events = count(*events, "notification");
            format!("{name}: {events} on the standalone stream, every {interval_ms} ms")
        }
        _ => name,
    }
}

fn answers(status: u16, event_stream: bool, resumes: bool) -> String {
    match (status, event_stream) {
        (404, _) => "answered 404: there is no such session".to_owned(),
        (200, true) => "answered 200 with an event stream".to_owned(),
        (200, false) if resumes => "answered 200 without an event stream".to_owned(),
        _ => format!("answered {status}"),
    }
}

fn stores(given: Option<&str>, messages: &Messages, stream: Option<&str>) -> String {
    let what = if messages.is_empty() {
        "an event without a message".to_owned()
    } else {
        messages.text(stream)
    };
    let given = given.map_or_else(|| "without an id".to_owned(), |text| format!("as {}", id(text)));
    format!("stores {what} {given}")
}

fn checks(last: &str, first: &str, check: Check, accepted: bool) -> String {
    let found = match check {
        Check::Continuous => format!("first event {first} directly follows {last}"),
        Check::Gap => format!("first event {first} does not directly follow {last}: a gap"),
        Check::RebasedOrReplayed => {
            format!("first event {first} is not later than {last}: numbered anew, or replayed")
        }
        Check::Unverifiable => {
            format!("first event {first}: its id does not tell whether it directly follows {last}")
        }
    };
    match (check, accepted) {
        (Check::Continuous, true) => found,
        (_, true) => format!("{found}; the client goes on"),
        (_, false) => format!("{found}; the client gives up"),
    }
}

fn arrives(moment: &Moment, messages: &Messages, kept_back: &Messages) -> String {
    let since = if moment.from_ms < moment.at_ms {
        format!(" (since {} ms)", moment.from_ms)
    } else {
        String::new()
    };
    let one = |messages: &Messages| messages.count() == 1;
    let came = |messages: &Messages| {
        let verb = if one(messages) { "arrives" } else { "arrive" };
        format!("{} {verb}{since}", messages.text(moment.stream))
    };
    let kept = if one(kept_back) { "is not handed over" } else { "are not handed over" };
    match (messages.is_empty(), kept_back.is_empty()) {
        (_, true) => came(messages),
        (true, false) => format!("{} and {kept}", came(kept_back)),
        (false, false) => format!("{}; {} {kept}", came(messages), kept_back.text(moment.stream)),
    }
}

fn arrives_empty(given: Option<&str>, retry_ms: Option<u64>) -> String {
    match (given, retry_ms) {
        (Some(given), _) => format!("an event without a message arrives, with id {}", id(given)),
        (None, Some(retry_ms)) => {
            format!("the server asks to wait {retry_ms} ms before reconnects")
        }
        (None, None) => "an event without a message arrives, without an id".to_owned(),
    }
}

fn ends(end: End) -> &'static str {
    match end {
        End::Clean => "the connection ends cleanly",
        End::NoLastChunk => "the connection closes without its last chunk",
        End::Reset => "the connection is reset",
        End::IdleTimeout => "nothing comes for too long; the client drops the connection",
        End::NoResponse => "no answer comes",
        End::Left => "the client leaves",
        End::Malformed => "what comes is not valid; the client drops the connection",
    }
}

fn calls_end(calls: &[&str], outcome: Outcome, stream: Option<&str>) -> String {
    let whose = match calls {
        [one] if stream == Some(*one) => "outcome".to_owned(),
        _ => format!("outcome of {}", list(calls)),
    };
    match outcome {
        Outcome::Done => format!("{whose}: done"),
        Outcome::Failed => format!("{whose}: failed"),
        Outcome::Unknown => {
            let they = if calls.len() == 1 { "it" } else { "they" };
            format!("{whose}: unknown, {they} may or may not have run")
        }
    }
}

fn loss(why: &str) -> &str {
    match why {
        "not-found" => "the server no longer knows it",
        "continuity" => "the stream did not continue where it stopped",
        "gave-up" => "too many reconnects brought no message",
        "refused" => "the cursor was refused",
        "not-initialized" => "the session could not be set up",
        other => other,
    }
}

fn rotates(from: &str, to: &str, count: u64, keeps_old: bool) -> String {
    let old = if keeps_old { "old ids still work" } else { "old ids no longer work" };
    let times = if count == 1 { String::new() } else { format!(", {count} times in a row") };
    format!("renames session {from} to {to}{times}; {old}")
}

fn fires(
    planned: Option<&Fault>,
    action: &str,
    place: Option<&str>,
    effect: Option<&str>,
) -> String {
    let what = planned.map_or_else(|| format!("{action} {}", place.unwrap_or("")), fault);
    match effect {
        Some(effect) => format!("{}: {effect}", what.trim_end()),
        None => what.trim_end().to_owned(),
    }
}

fn session_ends(session: &str, why: &str) -> String {
    match why {
        "deleted" => format!("session {session} ends, as the client asked"),
        "refused" => format!("session {session} ends with the refusal"),
        "idle" => format!("session {session} ends: it was idle for too long"),
        "evicted" => format!("session {session} is forgotten"),
        "lost" => format!("session {session} is lost in a restart"),
        other => format!("session {session} ends ({other})"),
    }
}

fn left_over(sessions: u64, streams: u64, connections: u64) -> String {
    let kinds =
        [(sessions, "session"), (streams, "attached connection"), (connections, "open connection")];
    let left = kinds.into_iter().filter(|(number, _)| *number > 0);
    let left: Vec<String> = left.map(|(number, noun)| count(number, noun)).collect();
    format!("{} left over", list(&left))
}

fn run_ends(why: RunEnd, detail: Option<&str>) -> String {
    let why = match why {
        RunEnd::Finished => "everything is over",
        RunEnd::Deadline => "the deadline passes before everything is over",
        RunEnd::Panicked => "a participant panicked",
    };
    detail.map_or_else(|| why.to_owned(), |detail| format!("{why}: {detail}"))
}

#[cfg(test)]
mod tests;
