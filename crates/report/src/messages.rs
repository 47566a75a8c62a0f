//! What messages are called, one by one and in runs.
//!
//! Owns the naming of what an event carries, and the packing of many messages into a few words:
//! `progress 1 to 9 and the result of c1`. It must not know where on the path they were seen. It
//! exists because a run has hundreds of events and a story has room for a few lines.

use seamstress_trace::{Content, Message};

use crate::{foreign, words};

/// More pieces than this are counted instead of named.
const PIECES_MAX: usize = 4;

/// Messages in the order in which they were seen, packed into runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Messages<'a> {
    pieces: Vec<Piece<'a>>,
}

/// A run of messages of one kind and owner whose numbers follow each other.
#[derive(Clone, Debug)]
struct Piece<'a> {
    noun: Noun<'a>,
    owner: Owner<'a>,
    /// The first and the last number, where messages have one.
    span: Option<(u64, u64)>,
    count: u64,
    /// The first number was seen before.
    again: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Noun<'a> {
    Progress,
    Result,
    Error(i64),
    Notification,
    Other(&'a str),
}

/// Whose a message is, as far as it tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner<'a> {
    /// A call, or a stream of the server.
    Label(&'a str),
    /// A JSON-RPC request.
    Request(&'a str),
    Nobody,
}

impl<'a> Messages<'a> {
    pub(crate) fn add(&mut self, message: &'a Message) {
        let (noun, owner, number) = name(message);
        let same = |piece: &&mut Piece| piece.noun == noun && piece.owner == owner;
        let last = self.pieces.iter_mut().rev().find(same);
        match (last, number) {
            (Some(piece), Some(number)) if follows(piece, number) => {
                piece.span = piece.span.map(|(first, _)| (first, number));
                piece.count += 1;
            }
            (Some(piece), None) => piece.count += 1,
            _ => {
                let again = number.is_some_and(|number| self.has(noun, owner, number));
                let span = number.map(|number| (number, number));
                self.pieces.push(Piece { noun, owner, span, count: 1, again });
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// How many there are.
    pub(crate) fn count(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.count).sum()
    }

    /// For example `progress 1 to 9 and the result of c1`. What belongs to `home` is named without
    /// it, because the reader knows.
    pub(crate) fn text(&self, home: Option<&str>) -> String {
        let (named, rest) = self.pieces.split_at(self.pieces.len().min(PIECES_MAX));
        let mut parts: Vec<String> = Vec::new();
        for (index, piece) in named.iter().enumerate() {
            // One owner is named once, after the last piece that is his.
            let next = named.get(index + 1).map(|next| next.owner);
            let owner = if next == Some(piece.owner) { None } else { owner(piece.owner, home) };
            parts.push(format!("{}{}", piece.phrase(), owner.unwrap_or_default()));
        }
        let more: u64 = rest.iter().map(|piece| piece.count).sum();
        if more > 0 {
            parts.push(format!("{more} more"));
        }
        foreign::plain(&words::list(&parts))
    }

    fn has(&self, noun: Noun, owner: Owner, number: u64) -> bool {
        self.pieces.iter().any(|piece| {
            let within = |(first, last)| (first..=last).contains(&number);
            piece.noun == noun && piece.owner == owner && piece.span.is_some_and(within)
        })
    }
}

impl Piece<'_> {
    fn phrase(&self) -> String {
        let again = if self.again { " again" } else { "" };
        let numbers = self.span.map(|(first, last)| words::range(first, last));
        match (self.noun, numbers) {
            (Noun::Progress, Some(numbers)) => format!("progress {numbers}{again}"),
            (Noun::Notification, Some(numbers)) => {
                let noun = if self.count == 1 { "notification" } else { "notifications" };
                format!("{noun} {numbers}{again}")
            }
            (Noun::Progress, None) => words::count(self.count, "progress notification"),
            (Noun::Notification, None) => words::count(self.count, "notification"),
            (Noun::Result, _) => format!("the result{}", times(self.count)),
            (Noun::Error(code), _) => format!("error {code}{}", times(self.count)),
            (Noun::Other(method), _) => format!("{method}{}", times(self.count)),
        }
    }
}

fn times(count: u64) -> String {
    match count {
        1 => String::new(),
        2 => " twice".to_owned(),
        count => format!(" {count} times"),
    }
}

fn follows(piece: &Piece, number: u64) -> bool {
    piece.span.is_some_and(|(_, last)| last.checked_add(1) == Some(number))
}

fn owner(owner: Owner, home: Option<&str>) -> Option<String> {
    match owner {
        // The first standalone stream of a session is the only one that most sessions have.
        Owner::Label("standalone-1") if home == Some("standalone") => None,
        Owner::Label(label) if home == Some(label) => None,
        Owner::Label(label) => Some(format!(" of {label}")),
        Owner::Request(request) => Some(format!(" of request {request}")),
        Owner::Nobody => None,
    }
}

fn name(message: &Message) -> (Noun<'_>, Owner<'_>, Option<u64>) {
    let mark = message.mark.as_ref();
    let marked = mark.map(|mark| Owner::Label(&mark.stream));
    match &message.content {
        Content::Progress { call, progress } => {
            (Noun::Progress, Owner::Label(call), Some(*progress))
        }
        Content::Result { request, call } => {
            let owner = call.as_deref().map(Owner::Label).or(marked);
            (Noun::Result, owner.unwrap_or(Owner::Request(request)), None)
        }
        Content::Error { request, code } => {
            let request = request.as_deref().map_or(Owner::Nobody, Owner::Request);
            (Noun::Error(*code), marked.unwrap_or(request), None)
        }
        Content::Notification => {
            let number = mark.map(|mark| mark.ordinal);
            (Noun::Notification, marked.unwrap_or(Owner::Nobody), number)
        }
        Content::Other { method } => (Noun::Other(method), marked.unwrap_or(Owner::Nobody), None),
    }
}

#[cfg(test)]
mod tests {
    use seamstress_trace::Mark;

    use super::*;

    fn progress(call: &str, progress: u64) -> Message {
        Message { content: Content::Progress { call: call.into(), progress }, mark: None }
    }

    fn result(call: &str) -> Message {
        let content = Content::Result { request: "7".into(), call: Some(call.into()) };
        Message { content, mark: None }
    }

    fn notification(stream: &str, ordinal: u64) -> Message {
        let mark = Mark { origin: "s1".into(), stream: stream.into(), ordinal };
        Message { content: Content::Notification, mark: Some(mark) }
    }

    fn text(messages: &[Message], home: Option<&str>) -> String {
        let mut all = Messages::default();
        messages.iter().for_each(|message| all.add(message));
        assert_eq!(all.count(), messages.len() as u64);
        all.text(home)
    }

    #[test]
    fn messages_that_follow_each_other_are_one_run_and_their_owner_is_named_once() {
        let messages = [progress("c1", 1), progress("c1", 2), progress("c1", 3), result("c1")];
        assert_eq!(text(&messages, None), "progress 1 to 3 and the result of c1");
        assert_eq!(text(&messages, Some("c1")), "progress 1 to 3 and the result");
    }

    #[test]
    fn messages_of_two_calls_that_alternate_are_two_runs() {
        let messages = [progress("c1", 1), progress("c2", 1), progress("c1", 2), progress("c2", 2)];
        assert_eq!(
            text(&messages, Some("standalone")),
            "progress 1 to 2 of c1 and progress 1 to 2 of c2"
        );
    }

    #[test]
    fn a_gap_parts_a_run_and_what_was_seen_before_comes_again() {
        let messages =
            [1, 2, 5, 2, 3].map(|number| progress("c1", number)).into_iter().collect::<Vec<_>>();
        assert_eq!(
            text(&messages, Some("c1")),
            "progress 1 to 2, progress 5 and progress 2 to 3 again"
        );
    }

    #[test]
    fn a_result_that_comes_twice_says_so() {
        assert_eq!(text(&[result("c1"), result("c1")], Some("c1")), "the result twice");
    }

    #[test]
    fn the_first_standalone_stream_needs_no_name_at_home_and_a_later_one_does() {
        let messages = [notification("standalone-1", 1), notification("standalone-2", 1)];
        assert_eq!(
            text(&messages, Some("standalone")),
            "notification 1 and notification 1 of standalone-2"
        );
    }

    #[test]
    fn more_than_four_runs_are_counted() {
        let messages = [1, 3, 5, 7, 9, 11].map(|number| progress("c1", number));
        assert_eq!(
            text(&messages, Some("c1")),
            "progress 1, progress 3, progress 5, progress 7 and 2 more"
        );
    }

    #[test]
    fn a_message_that_tells_nothing_of_itself_is_still_counted() {
        let bare = || Message { content: Content::Notification, mark: None };
        assert_eq!(text(&[bare(), bare()], None), "2 notifications");
    }
}
