//! Owns the client's cursors: one for each stream, never one for the connection or the session.
//! It must not know how the client names its streams or when it reconnects.
//! It exists because a single slot for all streams is half of the incident the rule was written
//! for: the cursor of a call overwrote that of the standalone stream, and one of them was resumed
//! with the position of the other.

use std::collections::BTreeMap;

use crate::id::EventId;

/// The last processed event id of every stream of one session.
///
/// Advance a cursor when an event is *complete* and handed on, not when its `id:` line arrives: the
/// id of an unfinished block does not count (WHATWG HTML, section 9.2.6).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cursors {
    by_stream: BTreeMap<String, EventId>,
}

impl Cursors {
    /// No cursor for any stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves the cursor of a stream to `id`, whatever it was before: the client cannot order ids.
    /// An empty id takes the cursor away, and the next reconnection sends no `Last-Event-ID`
    /// (WHATWG HTML, section 9.2: an empty `id` field resets the last event id).
    pub fn advance(&mut self, stream: &str, id: EventId) {
        if id.as_str().is_empty() {
            self.by_stream.remove(stream);
        } else if let Some(cursor) = self.by_stream.get_mut(stream) {
            *cursor = id;
        } else {
            self.by_stream.insert(stream.to_owned(), id);
        }
    }

    /// The cursor of a stream, `None` if there is nothing to resume it with.
    pub fn get(&self, stream: &str) -> Option<&EventId> {
        self.by_stream.get(stream)
    }

    /// Takes all cursors away, as every new session must: ids are scoped to their session, and in
    /// another one they mean nothing or something else.
    pub fn forget_all(&mut self) {
        self.by_stream.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stream_has_its_own_cursor() {
        let mut cursors = Cursors::new();
        cursors.advance("get", EventId::from("3120"));
        cursors.advance("call-7", EventId::from("4470"));
        cursors.advance("call-7", EventId::from("4471"));
        assert_eq!(cursors.get("get").map(EventId::as_str), Some("3120"));
        assert_eq!(cursors.get("call-7").map(EventId::as_str), Some("4471"));
        assert_eq!(cursors.get("call-8"), None);
    }

    #[test]
    fn an_empty_id_takes_the_cursor_of_its_stream_away() {
        let mut cursors = Cursors::new();
        cursors.advance("get", EventId::from("1"));
        cursors.advance("call-7", EventId::from("2"));
        cursors.advance("get", EventId::from(""));
        assert_eq!(cursors.get("get"), None);
        assert_eq!(cursors.get("call-7").map(EventId::as_str), Some("2"));
    }

    #[test]
    fn a_new_session_begins_without_cursors() {
        let mut cursors = Cursors::new();
        cursors.advance("get", EventId::from("1"));
        cursors.forget_all();
        assert_eq!(cursors, Cursors::new());
    }
}
