//! The event log as the trace tells it: what stood after a cursor at any time.
//!
//! Owns the index over what servers stored so far. It must not know verdicts or clients. It exists
//! because a story says what a replay should have held, beside what came.

use std::collections::BTreeMap;

use seamstress_trace::Message;

use crate::messages::Messages;
use crate::moment::Due;

/// A stream, by the server's names of its session and itself.
type StreamKey<'a> = (&'a str, &'a str);

/// What was stored so far.
#[derive(Default)]
pub(crate) struct Log<'a> {
    streams: BTreeMap<StreamKey<'a>, Vec<Stored<'a>>>,
    /// The newest event of a session with this id: its stream, and its index there.
    ids: BTreeMap<(&'a str, &'a str), (&'a str, usize)>,
}

struct Stored<'a> {
    position: u64,
    message: Option<&'a Message>,
}

impl<'a> Log<'a> {
    pub(crate) fn store(
        &mut self,
        key: StreamKey<'a>,
        id: Option<&'a str>,
        position: u64,
        message: Option<&'a Message>,
    ) {
        let events = self.streams.entry(key).or_default();
        if let Some(id) = id {
            self.ids.insert((key.0, id), (key.1, events.len()));
        }
        events.push(Stored { position, message });
    }

    /// What stands after this cursor; `floors` is the lowest retained place of each stream.
    pub(crate) fn due(
        &self,
        session: &str,
        cursor: &str,
        floors: &'a [(String, u64)],
    ) -> Option<Due<'a>> {
        let (stream, index) = *self.ids.get(&(session, cursor))?;
        let events = self.streams.get(&(session, stream))?;
        let (known, after) = events.split_at_checked(index + 1)?;
        let mut messages = Messages::default();
        after.iter().filter_map(|stored| stored.message).for_each(|message| messages.add(message));
        Some(Due {
            stream: client_name(stream),
            position: known.last()?.position,
            events: after.len() as u64,
            messages,
            oldest: floors.iter().find(|(name, _)| name == stream).map(|(_, floor)| *floor),
        })
    }
}

/// What the client calls a stream of the server: every standalone stream is `standalone` to it.
pub(crate) fn client_name(stream: &str) -> &str {
    let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
    match stream.strip_prefix("standalone-") {
        Some(rest) if is_number(rest) => "standalone",
        _ => stream,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_after_a_cursor_is_what_was_stored_on_its_stream_since() {
        let floors = [("c1".to_owned(), 2), ("c2".to_owned(), 1)];
        let mut log = Log::default();
        for (stream, id, position) in
            [("c1", "1", 1), ("c2", "2", 1), ("c1", "3", 2), ("c1", "4", 3)]
        {
            log.store(("s1", stream), Some(id), position, None);
        }
        let due = log.due("s1", "1", &floors).expect("the cursor is known");
        assert_eq!((due.stream, due.position, due.events, due.oldest), ("c1", 1, 2, Some(2)));
        assert!(log.due("s2", "1", &floors).is_none(), "another session's ids are not this one's");
    }

    #[test]
    fn an_id_that_is_given_again_names_the_newer_event() {
        let mut log = Log::default();
        log.store(("s1", "c1"), Some("1"), 1, None);
        log.store(("s1", "c1"), Some("1"), 2, None);
        assert_eq!(log.due("s1", "1", &[]).expect("known").position, 2);
    }

    #[test]
    fn only_numbered_standalone_streams_are_the_standalone_stream() {
        assert_eq!(client_name("standalone-12"), "standalone");
        assert_eq!(client_name("standalone-call"), "standalone-call");
        assert_eq!(client_name("c1"), "c1");
    }
}
