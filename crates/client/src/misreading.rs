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
