//! What a decoder with planted defects makes of the bytes of one body.
//!
//! Owns the defects of decoding, as a change to the bytes before the real decoder reads them, or
//! to what is taken from it. Without a defect it changes nothing and keeps nothing. It must not
//! know what an event means.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use seamstress_defects::Defects;

use crate::defects::Defect;

/// The state of one body, shared by those who feed the decoder and those who take from it.
#[derive(Clone)]
pub(crate) struct Misreading(Arc<Mutex<State>>);

struct State {
    splits_pairs: bool,
    /// The bytes so far end with CR.
    ended_with_cr: bool,
    /// The block that comes next ends at a blank line that was never sent.
    half: bool,
    knows_lf_only: bool,
    /// Kept only if the id of an unfinished block counts.
    id_lines: Option<IdLines>,
}

impl Misreading {
    pub fn of(defects: &Defects<Defect>) -> Misreading {
        let takes_unfinished = defects.has(Defect::IdOfUnfinishedEvent);
        Misreading(Arc::new(Mutex::new(State {
            splits_pairs: defects.has(Defect::CrlfSplit),
            ended_with_cr: false,
            half: false,
            knows_lf_only: defects.has(Defect::LfOnlyDecoder),
            id_lines: takes_unfinished.then(IdLines::default),
        })))
    }

    /// The bytes as the decoder is to see them.
    pub fn bytes(&self, bytes: Bytes) -> Bytes {
        let mut state = self.lock();
        if let Some(id_lines) = &mut state.id_lines {
            id_lines.feed(&bytes);
        }
        let bytes = if state.splits_pairs { state.split_pair(bytes) } else { bytes };
        if state.knows_lf_only {
            // A line that holds a blank is no blank line, and a CR ends none.
            return bytes.iter().map(|byte| if *byte == b'\r' { b' ' } else { *byte }).collect();
        }
        bytes
    }

    /// Whether a block, of which it is known whether it has data, is dropped unseen.
    pub fn drops(&self, has_data: bool) -> bool {
        std::mem::take(&mut self.lock().half) && !has_data
    }

    /// The id of the block that was not finished when the body ended, if that counts.
    pub fn unfinished_id(&self) -> Option<String> {
        self.lock().id_lines.as_mut()?.id.take()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic happens under this lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn split_pair(&mut self, bytes: Bytes) -> Bytes {
        let is_pair = self.ended_with_cr && bytes.starts_with(b"\n");
        self.ended_with_cr = bytes.last().map_or(self.ended_with_cr, |byte| *byte == b'\r');
        if !is_pair {
            return bytes;
        }
        self.half = true;
        // The decoder takes the first LF for the rest of the pair; the second ends a line.
        [b"\n", &bytes[..]].concat().into()
    }
}

/// The newest `id` line of the block that is not finished yet.
#[derive(Default)]
struct IdLines {
    line: Vec<u8>,
    ended_with_cr: bool,
    id: Option<String>,
}

impl IdLines {
    fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let completes_pair = std::mem::take(&mut self.ended_with_cr) && *byte == b'\n';
            match byte {
                _ if completes_pair => {}
                b'\r' | b'\n' => {
                    self.ended_with_cr = *byte == b'\r';
                    self.end_line();
                }
                other => self.line.push(*other),
            }
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            self.id = None;
        } else if let Some(value) = line.strip_prefix(b"id:") {
            let value = value.strip_prefix(b" ").unwrap_or(value);
            self.id = String::from_utf8(value.to_vec()).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn misreading(defects: &str) -> Misreading {
        Misreading::of(&defects.parse().expect("a defect"))
    }

    fn read(misreading: &Misreading, chunk: &'static str) -> Bytes {
        misreading.bytes(Bytes::from(chunk))
    }

    #[test]
    fn without_a_defect_every_byte_passes() {
        let plain = misreading("");
        for chunk in ["id: 1\r", "\ndata: x\r\n", "\r", "\n", "id: 2\n"] {
            assert_eq!(read(&plain, chunk), chunk);
        }
        assert!(!plain.drops(false));
        assert_eq!(plain.unfinished_id(), None);
    }

    #[test]
    fn a_pair_in_two_chunks_counts_twice_and_the_half_without_data_is_dropped() {
        let splits = misreading("crlf-split");
        assert_eq!(read(&splits, "id: 1\r"), "id: 1\r");
        assert_eq!(read(&splits, "\ndata: x\r\n"), "\n\ndata: x\r\n");
        assert!(splits.drops(false));
        assert!(!splits.drops(false), "only the block that ends there");
        assert_eq!(read(&splits, "\r\n\n"), "\r\n\n", "whole pairs, and a line feed alone");
    }

    #[test]
    fn a_reader_that_knows_line_feeds_only_never_sees_a_blank_line_of_another_kind() {
        let line_feeds = misreading("lf-only-decoder");
        assert_eq!(read(&line_feeds, "id: 1\r\n\r\n"), "id: 1 \n \n");
        assert_eq!(read(&line_feeds, "id: 1\r\r"), "id: 1  ");
        assert_eq!(read(&line_feeds, "id: 1\n\n"), "id: 1\n\n");
    }

    #[test]
    fn the_id_line_of_a_block_without_its_blank_line_counts_with_the_defect() {
        let takes = misreading("id-of-unfinished-event");
        for (chunk, unfinished) in [
            ("id: 1\ndata: x\n\n", None),
            ("id: 2\r\nda", Some("2")),
            ("ta: x\r\n\r", None),
            ("\nid:3\r", Some("3")),
            ("\ndata: x\r\n\r\nid: 4", None),
        ] {
            read(&takes, chunk);
            assert_eq!(takes.unfinished_id().as_deref(), unfinished, "{chunk:?}");
        }
    }
}
