//! The words of findings: what a message, a group of messages and an exchange are called.
//!
//! Owns the subjects and states of keys, which never contain a name or a number, and the phrases
//! of sentences, which do. It must not decide whether anything is wrong. It exists so that all
//! oracles speak alike, and so that a key stays the same when a run is shrunk.

use seamstress_trace::{Content, Message, Method};

use crate::resumptions::{Answer, Standing};
use crate::view::{ClientStream, Exchange, Place, STANDALONE, View};

/// What a message is called in a key.
pub(crate) fn subject(message: &Message) -> &'static str {
    match message.content {
        Content::Progress { .. } => "progress",
        Content::Result { .. } => "result",
        Content::Error { .. } => "error",
        Content::Notification => "notification",
        Content::Other { .. } => "message",
    }
}

/// What a client's stream is called in a key.
pub(crate) fn stream_subject(name: Option<&str>) -> &'static str {
    if name == Some(STANDALONE) { STANDALONE } else { "call" }
}

/// A group of messages of one kind on one stream, by what it takes to name them.
#[derive(Clone, Copy)]
pub(crate) struct Span<'a> {
    first: &'a Message,
    /// The lowest and the highest number: of progress its value, else the ordinal.
    low: u64,
    high: u64,
    count: u64,
    one_call: bool,
}

impl<'a> Span<'a> {
    pub(crate) fn of(message: &'a Message, ordinal: u64) -> Span<'a> {
        let number = number(message, ordinal);
        Span { first: message, low: number, high: number, count: 1, one_call: true }
    }

    pub(crate) fn add(&mut self, message: &'a Message, ordinal: u64) {
        let number = number(message, ordinal);
        self.low = self.low.min(number);
        self.high = self.high.max(number);
        self.count += 1;
        self.one_call &= call(message) == call(self.first);
    }

    pub(crate) fn subject(&self) -> &'static str {
        subject(self.first)
    }

    pub(crate) fn is_one(&self) -> bool {
        self.count == 1
    }

    /// For example `progress 3 to 22 of c1`, `the result of c1`, `notification 4 of standalone-1`.
    pub(crate) fn text(&self) -> String {
        let stream = stream_of(self.first);
        match (&self.first.content, self.count) {
            (Content::Progress { call, .. }, _) if self.one_call => {
                format!("progress {} of {call}", range(self.low, self.high))
            }
            (Content::Progress { .. }, count) => {
                format!("{count} progress notifications on {stream}")
            }
            (Content::Result { .. }, 1) => format!("the result of {stream}"),
            (Content::Error { .. }, 1) => format!("the error that answers {stream}"),
            (Content::Result { .. } | Content::Error { .. }, count) => {
                format!("{count} responses on {stream}")
            }
            (Content::Notification, count) => {
                let noun = if count == 1 { "notification" } else { "notifications" };
                format!("{noun} {} of {stream}", range(self.low, self.high))
            }
            (Content::Other { .. }, count) => {
                let noun = if count == 1 { "message" } else { "messages" };
                format!("{noun} {} of {stream}", range(self.low, self.high))
            }
        }
    }
}

/// For example `3 to 22`, or `3`.
pub(crate) fn range(low: u64, high: u64) -> String {
    if low == high { low.to_string() } else { format!("{low} to {high}") }
}

/// What one message is called in a sentence.
pub(crate) fn message(message: &Message, place: Option<Place>) -> String {
    Span::of(message, place.map_or(0, |place| place.ordinal)).text()
}

fn number(message: &Message, ordinal: u64) -> u64 {
    match message.content {
        Content::Progress { progress, .. } => progress,
        _ => ordinal,
    }
}

fn call(message: &Message) -> Option<&str> {
    match &message.content {
        Content::Progress { call, .. } => Some(call),
        Content::Result { call, .. } => call.as_deref(),
        _ => None,
    }
}

/// What a message belongs to, as far as it tells: a call, a server's stream, or a request.
fn stream_of(message: &Message) -> String {
    let marked = message.mark.as_ref().map(|mark| mark.stream.clone());
    match &message.content {
        Content::Result { call: Some(call), .. } => call.clone(),
        Content::Result { request, .. } | Content::Error { request: Some(request), .. } => {
            marked.unwrap_or_else(|| format!("request {request}"))
        }
        _ => marked.unwrap_or_else(|| "an unnamed stream".to_owned()),
    }
}

/// For example `exchange 9, the resumption with cursor 4471 that the server answered with resume`.
pub(crate) fn exchange(exchange: &Exchange) -> String {
    let number = exchange.number;
    let Some(attempt) = exchange.attempt else { return format!("exchange {number}") };
    let cursor = exchange.cursor.unwrap_or_default();
    let answer = attempt.answer.text();
    let said = match (attempt.standing, attempt.answer) {
        (Standing::Unanswered, Answer::Status(_)) => {
            format!("that failed on the way with {answer}")
        }
        (Standing::Unanswered, _) => "that nobody answered".to_owned(),
        (Standing::RefusedByServer, Answer::Reason(_)) => {
            format!("that the server refused as {answer}")
        }
        (Standing::RefusedByClient, _) => format!("that the client gave up ({answer})"),
        _ => format!("that the server answered with {answer}"),
    };
    format!("exchange {number}, the resumption with cursor {cursor} {said}")
}

/// The request of an exchange: for example `exchange 4 (GET)`, `exchange 2 (POST tools/call)`.
pub(crate) fn request(exchange: &Exchange) -> String {
    let number = exchange.number;
    match (exchange.method, exchange.rpc) {
        (Method::Get, _) => format!("exchange {number} (GET)"),
        (Method::Delete, _) => format!("exchange {number} (DELETE)"),
        (Method::Post, Some(rpc)) => format!("exchange {number} (POST {rpc})"),
        (Method::Post, None) => format!("exchange {number} (POST)"),
    }
}

/// The state of the protocol at an exchange: what was said to the resumption, or `fresh`.
pub(crate) fn state(exchange: &Exchange) -> String {
    match exchange.attempt {
        None => "fresh".to_owned(),
        // Whatever a failed hop said, it is no answer to the cursor.
        Some(attempt) if attempt.standing == Standing::Unanswered => Answer::Nothing.state(),
        Some(attempt) => attempt.answer.state(),
    }
}

/// The state in which a message arrived, or should have: `live` if it was emitted after the
/// resumption was decided, else as [`state`].
pub(crate) fn arrival_state(view: &View, exchange: &Exchange, place: Option<Place>) -> String {
    let emitted = place.and_then(|place| view.emitted_at(place)).map(|emitted| emitted.record);
    match exchange.attempt {
        Some(attempt)
            if attempt.is_accepted() && emitted.is_some_and(|at| at > attempt.decided) =>
        {
            "live".to_owned()
        }
        _ => state(exchange),
    }
}

/// The state of a stream: what was last said to a resumption of it, or `fresh`.
pub(crate) fn stream_state(view: &View, stream: &ClientStream) -> String {
    let answered = |leg: &&usize| {
        let attempt = view.exchanges[**leg].attempt;
        attempt.is_some_and(|attempt| attempt.standing != Standing::Unanswered)
    };
    let newest = stream.legs.iter().rev().find(answered);
    newest.map_or_else(|| "fresh".to_owned(), |leg| state(&view.exchanges[*leg]))
}

/// The number of the accepted resumption after which something happened on an exchange.
pub(crate) fn resumption(view: &View, exchange: &Exchange) -> Option<u64> {
    exchange.resumed_by.map(|index| view.exchanges[index].number)
}

/// Labels in a sentence: `c1`, `c1 and c2`, `c1, c2 and 5 more`.
pub(crate) fn names(labels: &[&str]) -> String {
    match labels {
        [] => "nothing".to_owned(),
        [one] => (*one).to_owned(),
        [one, two] => format!("{one} and {two}"),
        [one, two, three] => format!("{one}, {two} and {three}"),
        [one, two, rest @ ..] => format!("{one}, {two} and {} more", rest.len()),
    }
}

#[cfg(test)]
mod tests {
    use seamstress_trace::{Content, Mark, Message};

    use super::{Span, names};

    fn text(contents: &[Content]) -> String {
        let message = |(content, ordinal): (&Content, u64)| {
            let mark = Mark { origin: "s1".into(), stream: "standalone-1".into(), ordinal };
            Message { content: content.clone(), mark: Some(mark) }
        };
        let messages: Vec<Message> = contents.iter().zip(4..).map(message).collect();
        let mut span = Span::of(&messages[0], 4);
        for (message, ordinal) in messages.iter().zip(4..).skip(1) {
            span.add(message, ordinal);
        }
        span.text()
    }

    #[test]
    fn groups_of_messages_are_named_by_their_kind_number_and_stream() {
        let progress = |call: &str, progress| Content::Progress { call: call.into(), progress };
        let other = || Content::Other { method: "ping".into() };
        let error = || Content::Error { request: Some("7".into()), code: -1 };
        assert_eq!(text(&[progress("c1", 9)]), "progress 9 of c1");
        assert_eq!(text(&[progress("c1", 9), progress("c1", 8)]), "progress 8 to 9 of c1");
        assert_eq!(
            text(&[progress("c1", 1), progress("c2", 1)]),
            "2 progress notifications on standalone-1"
        );
        assert_eq!(text(&[Content::Notification]), "notification 4 of standalone-1");
        assert_eq!(
            text(&[Content::Notification, Content::Notification]),
            "notifications 4 to 5 of standalone-1"
        );
        assert_eq!(text(&[other()]), "message 4 of standalone-1");
        assert_eq!(text(&[other(), other()]), "messages 4 to 5 of standalone-1");
        assert_eq!(text(&[error()]), "the error that answers standalone-1");
        assert_eq!(text(&[error(), error()]), "2 responses on standalone-1");
    }

    #[test]
    fn a_long_list_of_names_is_cut_short() {
        assert_eq!(names(&["c1", "c2"]), "c1 and c2");
        assert_eq!(names(&["c1", "c2", "c3"]), "c1, c2 and c3");
        assert_eq!(names(&["c1", "c2", "c3", "c4"]), "c1, c2 and 2 more");
    }
}
