//! The thin rule between decoded blocks and the `Last-Event-ID` header.
//!
//! The decoder hands out raw blocks and inherits nothing from one to the next; the id in force is
//! kept here. It does not know streams or connections: a client keeps one value per stream,
//! over all connections of that stream.

/// The last event id of one stream: WHATWG HTML 9.2.6, the id buffer together with the dispatch
/// step that commits it.
///
/// - Every completed block counts, also one without data: an id alone moves the cursor.
/// - A block without an id leaves the cursor where it is.
/// - An empty id resets it, and then no header is sent.
/// - A block that never got its blank line does not count. Decoders do not hand it out, so
///   observe only what a decoder has returned.
///
/// HTTP trims white space around header values and refuses control characters, so an id that
/// begins or ends with a space does not survive the way, and one with a control character
/// cannot be sent at all.
///
/// ```
/// use seamstress_mcp::sse::LastEventId;
///
/// let mut cursor = LastEventId::default();
/// cursor.observe(Some("c1:4"));
/// cursor.observe(None);
/// assert_eq!(cursor.header_value(), Some("c1:4"));
/// cursor.observe(Some(""));
/// assert_eq!(cursor.header_value(), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastEventId {
    id: String,
}

impl LastEventId {
    /// Takes in the `id` field of one completed block, `None` if it had none that counts.
    pub fn observe(&mut self, id: Option<&str>) {
        if let Some(id) = id {
            self.id.clear();
            self.id.push_str(id);
        }
    }

    /// What to send as `Last-Event-ID` on the next request; `None` means no header at all.
    pub fn header_value(&self) -> Option<&str> {
        (!self.id.is_empty()).then_some(self.id.as_str())
    }
}
