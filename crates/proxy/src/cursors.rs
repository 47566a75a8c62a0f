//! What defects do to the cursor of a request to resume.
//!
//! Owns the cursors that stand in for the client's own. The proxy without defects never gets
//! here: it forwards `Last-Event-ID` verbatim.

use http::{HeaderMap, HeaderValue};
use seamstress_mcp::headers::{self, name};
use seamstress_net::Network;

use crate::defects::Defect;
use crate::http::{Shared, lock};
use crate::route::Route;
use crate::sessions::Session;

impl<N: Network> Shared<N> {
    /// Changes the cursor of a request as the planted defects have it.
    pub fn change_cursor(&self, route: &Route, headers: &mut HeaderMap) {
        let Some(number) = route.session.filter(|_| route.resume.is_some()) else { return };
        let mut sessions = lock(&self.sessions);
        let Some(session) = sessions.get_mut(number) else { return };
        if self.has(Defect::RewritesLastEventId) {
            let stream = route.stream.as_deref().unwrap_or_default();
            replace(headers, session, |session, cursor| session.id_before(stream, cursor));
        }
        if self.has(Defect::ScalarCursor) {
            replace(headers, session, |session, _| session.newest_id());
        }
        if self.has(Defect::NumbersEventIds) {
            replace(headers, session, Session::id_of_number);
        }
        let elsewhere = route.replica != session.home;
        if self.has(Defect::DropsLastEventId)
            || (elsewhere && self.has(Defect::DropsCursorOnOtherReplica))
        {
            headers.remove(name::LAST_EVENT_ID);
        }
    }
}

fn replace<'s>(
    headers: &mut HeaderMap,
    session: &'s Session,
    with: impl FnOnce(&'s Session, &str) -> Option<&'s str>,
) {
    let cursor = headers::last_event_id(headers).ok().flatten();
    let other = cursor.and_then(|cursor| with(session, cursor));
    // An id came in an event, where it may hold what a header cannot carry.
    if let Some(other) = other.and_then(|id| HeaderValue::from_str(id).ok()) {
        headers.insert(name::LAST_EVENT_ID, other);
    }
}
