//! Public session ids, and which stream an event id belongs to.
//!
//! Owns the proxy's table: several public ids may lead to one session, since an older one may stay
//! valid after a rotation. The streams are named by the operations that began them, which is how
//! the places of a plan are found again on later connections.

use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;
use http::HeaderValue;
use seamstress_plan::Fault;
use tokio::sync::mpsc;

use crate::body::Piece;
use crate::upstream::Forward;

/// The name of the standalone stream in plans.
pub(crate) const STANDALONE: &str = "standalone";

/// How many event ids of a stream are remembered, to tell whose a cursor is.
const REMEMBERED_IDS_MAX: usize = 1 << 20;

/// All sessions that pass through the proxy.
#[derive(Default)]
pub(crate) struct Sessions {
    by_public_id: BTreeMap<String, usize>,
    sessions: Vec<Session>,
}

/// One session.
pub(crate) struct Session {
    /// The server's id of it.
    pub upstream_id: String,
    /// The replica that holds its connections when no fault routes them elsewhere.
    pub home: usize,
    /// The public id that was given out last.
    pub public_id: String,
    /// The protocol version that its client sent last.
    pub version: Option<HeaderValue>,
    /// Rotations that are still to be carried out.
    pub rotations: Vec<Rotation>,
    ids_by_stream: BTreeMap<String, VecDeque<String>>,
    /// What only planted defects keep.
    pub kept: Kept,
}

/// What a proxy must not keep of a session, and one with planted defects does.
#[derive(Default)]
pub(crate) struct Kept {
    /// The id that came last on any stream.
    newest_id: Option<String>,
    /// The server's ids of each stream; the number of an event is its place.
    numbered: BTreeMap<String, Vec<String>>,
    /// The server's id of the event that got a number last.
    id_by_number: BTreeMap<String, String>,
    /// The newest event of each stream, as it came.
    pub newest_event: BTreeMap<String, Bytes>,
    /// The connection of the standalone stream.
    pub listener: Option<mpsc::WeakSender<Piece>>,
    /// What the client began the session with.
    pub initialize: Option<Forward>,
    /// Whether the session's place upstream is forgotten.
    pub is_mapping_lost: bool,
}

/// New public ids for the next responses.
#[derive(Clone, Debug)]
pub(crate) struct Rotation {
    /// The fault that asks for it.
    pub fault: Fault,
    /// On how many responses.
    pub responses: u64,
    /// Whether older ids stay valid.
    pub keeps_old: bool,
}

impl Sessions {
    /// Begins a session under a public id.
    pub fn begin(&mut self, public_id: &str, upstream_id: &str, home: usize) {
        self.by_public_id.insert(public_id.to_owned(), self.sessions.len());
        self.sessions.push(Session {
            upstream_id: upstream_id.to_owned(),
            home,
            public_id: public_id.to_owned(),
            version: None,
            rotations: Vec::new(),
            ids_by_stream: BTreeMap::new(),
            kept: Kept::default(),
        });
    }

    /// The session that a public id leads to.
    pub fn find(&self, public_id: &str) -> Option<usize> {
        self.by_public_id.get(public_id).copied()
    }

    /// A session by its number.
    pub fn get_mut(&mut self, number: usize) -> Option<&mut Session> {
        self.sessions.get_mut(number)
    }

    /// Every session that some public id still leads to.
    pub fn live_mut(&mut self) -> impl Iterator<Item = &mut Session> {
        let mut live: Vec<usize> = self.by_public_id.values().copied().collect();
        live.sort_unstable();
        self.sessions
            .iter_mut()
            .enumerate()
            .filter(move |(number, _)| live.binary_search(number).is_ok())
            .map(|(_, session)| session)
    }

    /// Forgets all public ids of a session.
    pub fn end(&mut self, number: usize) {
        self.by_public_id.retain(|_, session| *session != number);
    }

    /// Gives a session another public id, and gives the one before.
    pub fn rotate(&mut self, number: usize, public_id: &str, keeps_old: bool) -> Option<String> {
        if !keeps_old {
            self.end(number);
        }
        self.by_public_id.insert(public_id.to_owned(), number);
        let session = self.sessions.get_mut(number)?;
        Some(std::mem::replace(&mut session.public_id, public_id.to_owned()))
    }
}

impl Session {
    /// Notes an event id that passes on a stream. This happens with every event, so nothing is
    /// looked up here; resuming is rare, and looks.
    pub fn note_id(&mut self, stream: &str, id: String) {
        let Some(ids) = self.ids_by_stream.get_mut(stream) else {
            self.ids_by_stream.insert(stream.to_owned(), VecDeque::from([id]));
            return;
        };
        if ids.len() == REMEMBERED_IDS_MAX {
            ids.pop_front();
        }
        ids.push_back(id);
    }

    /// The stream on which an event id has passed last.
    pub fn stream_of(&self, id: &str) -> Option<&str> {
        let on = |ids: &VecDeque<String>| ids.iter().rev().any(|known| known == id);
        let found = self.ids_by_stream.iter().find(|(_, ids)| on(ids));
        found.map(|(stream, _)| stream.as_str())
    }

    /// The id that passed on a stream so many events ago; the oldest known if there are not so
    /// many.
    pub fn stale_id(&self, stream: &str, events_ago: u64) -> Option<&str> {
        let ids = self.ids_by_stream.get(stream)?;
        let events_ago = usize::try_from(events_ago).unwrap_or(usize::MAX);
        let place = ids.len().checked_sub(1)?.saturating_sub(events_ago);
        ids.get(place).map(String::as_str)
    }
}

/// What planted defects ask of a session.
impl Session {
    /// The id that passed on a stream directly before this one.
    pub fn id_before(&self, stream: &str, id: &str) -> Option<&str> {
        let ids = self.ids_by_stream.get(stream)?;
        let place = ids.iter().rposition(|known| known == id)?.checked_sub(1)?;
        ids.get(place).map(String::as_str)
    }

    /// The id that came last on any stream.
    pub fn newest_id(&self) -> Option<&str> {
        self.kept.newest_id.as_deref()
    }

    /// Keeps an id as the one that came last on any stream.
    pub fn keep_newest_id(&mut self, id: &str) {
        self.kept.newest_id = Some(id.to_owned());
    }

    /// The number of the event of a stream that has this id, from 1.
    pub fn number_of(&mut self, stream: &str, id: &str) -> String {
        let ids = self.kept.numbered.entry(stream.to_owned()).or_default();
        let known = ids.iter().rposition(|known| known == id);
        let place = known.unwrap_or_else(|| {
            ids.push(id.to_owned());
            ids.len() - 1
        });
        let number = (place + 1).to_string();
        self.kept.id_by_number.insert(number.clone(), id.to_owned());
        number
    }

    /// The server's id of the event that got this number last.
    pub fn id_of_number(&self, number: &str) -> Option<&str> {
        self.kept.id_by_number.get(number).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions() -> Sessions {
        let mut sessions = Sessions::default();
        sessions.begin("p1", "u1", 0);
        sessions
    }

    #[test]
    fn a_rotated_id_leads_to_the_same_session_as_the_one_before() {
        let mut sessions = sessions();
        assert_eq!(sessions.rotate(0, "p2", true).as_deref(), Some("p1"));
        assert_eq!((sessions.find("p1"), sessions.find("p2")), (Some(0), Some(0)));
    }

    #[test]
    fn a_rotation_that_forgets_leaves_only_the_newest_id_valid() {
        let mut sessions = sessions();
        sessions.rotate(0, "p2", false);
        assert_eq!((sessions.find("p1"), sessions.find("p2")), (None, Some(0)));
    }

    #[test]
    fn an_ended_session_is_found_under_no_id() {
        let mut sessions = sessions();
        sessions.rotate(0, "p2", true);
        sessions.end(0);
        assert_eq!((sessions.find("p1"), sessions.find("p2")), (None, None));
        assert_eq!(sessions.live_mut().count(), 0);
    }

    #[test]
    fn a_stale_id_is_so_many_events_old_or_the_oldest_known() {
        let mut sessions = sessions();
        let session = sessions.get_mut(0).expect("begun");
        for id in ["a", "b", "c"] {
            session.note_id("c1", id.to_owned());
        }
        assert_eq!(session.stale_id("c1", 1), Some("b"));
        assert_eq!(session.stale_id("c1", 9), Some("a"));
        assert_eq!(session.stale_id("c2", 1), None);
        assert_eq!(session.stream_of("b"), Some("c1"));
    }
}
