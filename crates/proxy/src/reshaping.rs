//! What defects do to the bytes of a stream.
//!
//! Owns other ids, other line ends, pages that are held back, and what is sent beside or before
//! what the server sends. In a proxy without defects every one of these passes bytes on as they
//! are.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use seamstress_mcp::message::parse;
use seamstress_mcp::sse::Block;
use seamstress_net::Network;
use seamstress_plan::{Action, Connection, Fault};
use tokio::time::Instant;

use crate::body::Piece;
use crate::defects::Defect;
use crate::http::{Shared, lock};
use crate::places::{data_of, is_response};
use crate::pump::Pump;
use crate::sessions::STANDALONE;

/// How long a server may be silent before a defect throws away what is held.
const SILENCE_MAX: Duration = Duration::from_millis(10);
/// The bytes of a page.
const PAGE_BYTES: usize = 4096;

/// Line ends, as a defect normalises them.
pub(crate) struct LineEnds {
    are_normalised: bool,
    /// How many bytes are read at once.
    read_bytes_max: usize,
    /// How many bytes of the read at hand have been looked at, and whether the last was CR.
    read_bytes: usize,
    is_after_cr: bool,
}

impl LineEnds {
    pub fn of<N: Network>(shared: &Shared<N>) -> LineEnds {
        LineEnds::new(shared.has(Defect::SplitsCrLf), PAGE_BYTES)
    }

    fn new(are_normalised: bool, read_bytes_max: usize) -> LineEnds {
        LineEnds { are_normalised, read_bytes_max, read_bytes: 0, is_after_cr: false }
    }

    /// From now on at most so many bytes are read at once.
    pub fn read_at_most(&mut self, bytes_max: usize) {
        self.read_bytes_max = bytes_max.clamp(1, PAGE_BYTES);
    }

    /// Every CRLF, CR and LF of each read becomes a LF, whatever the read before ended with.
    pub fn normalised(&mut self, bytes: Bytes) -> Bytes {
        if !self.are_normalised {
            return bytes;
        }
        let mut normalised = BytesMut::with_capacity(bytes.len());
        for byte in &bytes {
            if self.read_bytes >= self.read_bytes_max {
                (self.read_bytes, self.is_after_cr) = (0, false);
            }
            self.read_bytes += 1;
            let ends_crlf = self.is_after_cr && *byte == b'\n';
            self.is_after_cr = *byte == b'\r';
            if !ends_crlf {
                normalised.extend_from_slice(&[if self.is_after_cr { b'\n' } else { *byte }]);
            }
        }
        normalised.freeze()
    }
}

/// Bytes that a defect holds back.
pub(crate) struct Page {
    /// How many bytes let the held ones go; none: nothing is held back.
    bytes_max: Option<usize>,
    /// Whether silence of the server makes it throw away what is held.
    discards: bool,
    held: BytesMut,
}

impl Page {
    pub fn of<N: Network>(shared: &Shared<N>) -> Page {
        let discards = shared.has(Defect::DiscardsOnIdleCut);
        let bytes_max = if shared.has(Defect::BuffersResponses) {
            Some(usize::MAX)
        } else {
            (discards || shared.has(Defect::BuffersPages)).then_some(PAGE_BYTES)
        };
        Page { bytes_max, discards, held: BytesMut::new() }
    }

    /// When what is held is thrown away, if the server's last byte came at that time.
    pub fn discard_at(&self, last_byte: Instant) -> Option<Instant> {
        (self.discards && !self.held.is_empty()).then(|| last_byte + SILENCE_MAX)
    }

    pub fn discard(&mut self) {
        self.held.clear();
    }

    /// Takes bytes and gives those that go out now.
    pub fn take(&mut self, bytes: Bytes) -> Option<Bytes> {
        let Some(bytes_max) = self.bytes_max else { return Some(bytes) };
        self.held.extend_from_slice(&bytes);
        (self.held.len() >= bytes_max).then(|| self.held.split().freeze())
    }

    /// Gives what is held when the response has ended.
    pub fn last(&mut self) -> Option<Bytes> {
        Some(self.held.split().freeze()).filter(|held| !held.is_empty())
    }
}

impl<N: Network> Pump<N> {
    /// What goes out before anything of the server does.
    pub async fn begin(&mut self) {
        let shared = self.shared.clone();
        let buffered = {
            let mut sessions = lock(&shared.sessions);
            let Some(session) = sessions.get_mut(self.session) else { return };
            if self.stream == STANDALONE && shared.has(Defect::CopiesResponses) {
                session.kept.listener = Some(self.client.downgrade());
            }
            let resumed = matches!(self.connection, Connection::Resume(_));
            let buffered = session.kept.newest_event.get(&self.stream);
            buffered.filter(|_| resumed && shared.has(Defect::ReplaysItsBuffer)).cloned()
        };
        if let Some(event) = buffered {
            self.send(event).await;
        }
    }

    /// A block with another id, or none.
    pub fn reshaped(&self, mut block: Block) -> Block {
        if self.shared.has(Defect::NumbersEventIds)
            && let Some(id) = block.id.take().filter(|id| !id.is_empty())
            && let Some(session) = lock(&self.shared.sessions).get_mut(self.session)
        {
            let number = session.number_of(&self.stream, &id);
            block.bytes = with_id(&block.bytes, Some(&number));
            block.id = Some(number);
        }
        if self.shared.has(Defect::StripsEventIds) {
            block.bytes = with_id(&block.bytes, None);
        }
        block
    }

    /// Keeps and copies an event that has gone out.
    pub fn sent(&self, block: &Block) {
        if !self.shared.has(Defect::ReplaysItsBuffer) && !self.shared.has(Defect::CopiesResponses) {
            return;
        }
        let listener = {
            let mut sessions = lock(&self.shared.sessions);
            let Some(session) = sessions.get_mut(self.session) else { return };
            if self.shared.has(Defect::ReplaysItsBuffer) {
                session.kept.newest_event.insert(self.stream.clone(), block.bytes.clone());
            }
            session.kept.listener.as_ref().and_then(|listener| listener.upgrade())
        };
        if self.stream != STANDALONE
            && is_response(block)
            && let Some(listener) = listener
        {
            // A listener that has left, or reads too slowly, gets no copy.
            let _ = listener.try_send(Piece::Bytes(block.bytes.clone()));
        }
    }

    /// The part of an event in front of a cut, or of the server's end, and perhaps a blank line.
    pub fn completed(&self, part: Bytes, cut: Option<&Fault>) -> Bytes {
        let ends = cut.is_none_or(|fault| {
            matches!(
                fault.action,
                Action::CutClean
                    | Action::CutNoLastChunk
                    | Action::CutReset
                    | Action::CutClientSide
            )
        });
        let data = data_of(&part);
        let is_whole = data.is_empty() || parse(data.as_bytes()).is_ok();
        if !ends || !is_whole || part.is_empty() || !self.shared.has(Defect::CompletesCutEvents) {
            return part;
        }
        [&part[..], b"\n\n"].concat().into()
    }
}

/// A block with its `id` lines replaced, or left out.
fn with_id(block: &[u8], id: Option<&str>) -> Bytes {
    let mut changed = BytesMut::with_capacity(block.len());
    let mut rest = block;
    while !rest.is_empty() {
        let text_len = memchr::memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
        let end_len = match &rest[text_len..] {
            [] => 0,
            [b'\r', b'\n', ..] => 2,
            _ => 1,
        };
        let (line, after) = rest.split_at(text_len + end_len);
        let (text, end) = line.split_at(text_len);
        match id {
            _ if text != b"id" && !text.starts_with(b"id:") => changed.extend_from_slice(line),
            Some(id) => {
                changed.extend_from_slice(b"id: ");
                changed.extend_from_slice(id.as_bytes());
                changed.extend_from_slice(end);
            }
            None => {}
        }
        rest = after;
    }
    changed.freeze()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_id_lines_change_whatever_ends_them() {
        for end in ["\n", "\r\n", "\r"] {
            let block = format!("event: x{end}id: a{end}data: id: b{end}{end}");
            let other = format!("event: x{end}id: 7{end}data: id: b{end}{end}");
            assert_eq!(with_id(block.as_bytes(), Some("7")), other);
            let none = format!("event: x{end}data: id: b{end}{end}");
            assert_eq!(with_id(block.as_bytes(), None), none);
        }
    }

    #[test]
    fn cr_and_lf_are_one_line_end_unless_they_come_apart() {
        let mut whole = LineEnds::new(true, PAGE_BYTES);
        assert_eq!(whole.normalised("a\r\nb\rc\nd\r".into()), "a\nb\nc\nd\n");
        assert_eq!(whole.normalised("\ne".into()), "e", "both in one read");
        let mut apart = LineEnds::new(true, 2);
        assert_eq!(apart.normalised("a\r\nb".into()), "a\n\nb");
    }
}
