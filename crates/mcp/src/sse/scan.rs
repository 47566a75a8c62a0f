//! Cutting a stream of bytes into blocks, without changing a byte.
//!
//! A proxy that carries out faults must forward bytes verbatim and yet know where each event begins
//! and ends. It owns block boundaries and the few fields such a reader needs. It does not
//! decode data, keep a cursor, or know connections.
//!
//! The bytes of all blocks, followed by what is pending, always equal the input. A blank line made
//! by a lone CR ends its block at once, because the next byte may never come; a LF that does come,
//! in a later chunk, still belongs to that CR and travels at the front of the next block.

use bytes::{Bytes, BytesMut};

/// The longest block a scanner accepts, in bytes. Without a bound a peer that never sends a blank
/// line could fill the memory.
pub const BLOCK_BYTES_MAX: usize = 16 * 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// One block: all bytes up to and including a blank line, and what they say.
///
/// A field counts by the rules of WHATWG HTML 9.2.6: an id with NUL and a `retry` that is not all
/// digits are ignored, and the last valid value wins. Bytes that are no UTF-8 become U+FFFD here,
/// but not in [`Block::bytes`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The block as it came, the blank line included.
    pub bytes: Bytes,
    /// `None` without an id; `Some("")` for an empty one, which resets the cursor.
    pub id: Option<String>,
    /// The event's type, if one is given.
    pub event: Option<String>,
    /// Whether there is a data field, so that a decoder dispatches an event.
    pub has_data: bool,
    /// Whether the data decodes to the empty string, as in a priming event.
    pub data_is_empty: bool,
    /// The reconnection time in milliseconds.
    pub retry_ms: Option<u64>,
    /// Whether the block holds comments and nothing else, as a keep-alive does.
    pub is_comment_only: bool,
}

/// Why a stream cannot be scanned any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScanError {
    /// The block is longer than [`BLOCK_BYTES_MAX`].
    #[error("an SSE block exceeds {BLOCK_BYTES_MAX} bytes; end the connection")]
    BlockTooLong,
}

/// Finds the blocks in a stream that arrives in chunks of any size. One per connection.
///
/// ```
/// use bytes::Bytes;
/// use seamstress_mcp::sse::Scanner;
///
/// let mut scanner = Scanner::default();
/// let mut blocks = Vec::new();
/// scanner.feed(&Bytes::from("id: 1\nda"), &mut blocks)?;
/// assert_eq!((blocks.len(), scanner.pending_len()), (0, 8));
/// scanner.feed(&Bytes::from("ta: x\n\n"), &mut blocks)?;
/// assert_eq!(blocks[0].bytes, "id: 1\ndata: x\n\n");
/// assert_eq!(blocks[0].id.as_deref(), Some("1"));
/// # Ok::<(), seamstress_mcp::sse::ScanError>(())
/// ```
#[derive(Debug, Default)]
pub struct Scanner {
    /// The unfinished block, as far as earlier chunks brought it.
    held: BytesMut,
    /// Where its unfinished line begins; equal to the length if no line is unfinished.
    held_line_start: usize,
    fields: Fields,
    /// The previous chunk ended with CR, so a LF at the front of the next one belongs to it.
    ended_with_cr: bool,
    /// The first line is over, and with it the only place of a byte order mark.
    is_past_first_line: bool,
    failed: Option<ScanError>,
}

impl Scanner {
    /// Takes in the next chunk and appends every block that is complete with it. A block that lies
    /// within one chunk shares its memory.
    ///
    /// # Errors
    /// [`ScanError`] if a block gets too long. Blocks before it are still appended; the scanner is
    /// of no use afterwards and repeats the error.
    pub fn feed(&mut self, chunk: &Bytes, blocks: &mut Vec<Block>) -> Result<(), ScanError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let result = self.scan(chunk, blocks);
        self.failed = result.err();
        result
    }

    /// How many bytes are held because their block is not complete.
    pub fn pending_len(&self) -> usize {
        self.held.len()
    }

    /// The bytes of the unfinished block, for whoever forwards a stream to its very end.
    pub fn into_pending(self) -> Bytes {
        self.held.freeze()
    }

    fn scan(&mut self, chunk: &Bytes, blocks: &mut Vec<Block>) -> Result<(), ScanError> {
        // Where the block and the line at hand begin, as far as they lie in this chunk. What came
        // earlier is in `held`.
        let mut block_start = 0;
        let mut line_start = self.skip_line_feed_of_earlier_cr(chunk);
        while let Some(length) = memchr::memchr2(b'\r', b'\n', &chunk[line_start..]) {
            let line_end = line_start + length;
            let next = line_end + self.terminator_len(&chunk[line_end..]);
            let is_blank = if self.held_line_start < self.held.len() {
                self.hold(&chunk[block_start..line_end])?;
                block_start = line_end;
                self.end_held_line()
            } else {
                self.end_line(&chunk[line_start..line_end])
            };
            line_start = next;
            if is_blank {
                blocks.push(self.end_block(chunk.slice(block_start..next))?);
                block_start = next;
            }
        }
        if self.held_line_start == self.held.len() {
            self.held_line_start += line_start - block_start;
        }
        self.hold(&chunk[block_start..])
    }

    /// Where the first line of the chunk begins.
    fn skip_line_feed_of_earlier_cr(&mut self, chunk: &[u8]) -> usize {
        let Some(first) = chunk.first() else { return 0 };
        let may_skip = std::mem::take(&mut self.ended_with_cr);
        usize::from(may_skip && *first == b'\n')
    }

    /// The length of the line end at the front of `rest`, and a note if LF may still follow.
    fn terminator_len(&mut self, rest: &[u8]) -> usize {
        match rest {
            [b'\r', b'\n', ..] => 2,
            [b'\r'] => {
                self.ended_with_cr = true;
                1
            }
            _ => 1,
        }
    }

    /// Takes in a whole line and says whether it is blank.
    fn end_line(&mut self, mut line: &[u8]) -> bool {
        if !self.is_past_first_line {
            self.is_past_first_line = true;
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        if line.is_empty() {
            return true;
        }
        self.fields.line(line);
        false
    }

    /// The same for a line that began in an earlier chunk and is held as a whole by now.
    fn end_held_line(&mut self) -> bool {
        let line = self.held.split_off(self.held_line_start);
        let is_blank = self.end_line(&line);
        self.held.unsplit(line);
        self.held_line_start = self.held.len();
        is_blank
    }

    fn end_block(&mut self, tail: Bytes) -> Result<Block, ScanError> {
        let bytes = if self.held.is_empty() {
            check_length(tail.len())?;
            tail
        } else {
            self.hold(&tail)?;
            self.held.split().freeze()
        };
        self.held_line_start = 0;
        Ok(std::mem::take(&mut self.fields).into_block(bytes))
    }

    fn hold(&mut self, bytes: &[u8]) -> Result<(), ScanError> {
        check_length(self.held.len() + bytes.len())?;
        self.held.extend_from_slice(bytes);
        Ok(())
    }
}

fn check_length(length: usize) -> Result<(), ScanError> {
    if length > BLOCK_BYTES_MAX { Err(ScanError::BlockTooLong) } else { Ok(()) }
}

/// What the lines of the unfinished block have said so far.
#[derive(Debug, Default)]
struct Fields {
    id: Option<String>,
    event: Option<String>,
    has_data: bool,
    data_is_empty: bool,
    retry_ms: Option<u64>,
    has_comment: bool,
    has_field: bool,
}

impl Fields {
    fn line(&mut self, line: &[u8]) {
        let (name, value) = match memchr::memchr(b':', line) {
            Some(0) => {
                self.has_comment = true;
                return;
            }
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &b""[..]),
        };
        self.has_field = true;
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                // Two empty lines decode to a line feed, which is not empty.
                self.data_is_empty = !self.has_data && value.is_empty();
                self.has_data = true;
            }
            b"id" if !value.contains(&0) => self.id = Some(text(value)),
            b"event" => self.event = Some(text(value)),
            b"retry" => self.retry_ms = milliseconds(value).or(self.retry_ms),
            _ => {}
        }
    }

    fn into_block(self, bytes: Bytes) -> Block {
        Block {
            bytes,
            id: self.id,
            event: self.event,
            has_data: self.has_data,
            data_is_empty: self.data_is_empty,
            retry_ms: self.retry_ms,
            is_comment_only: self.has_comment && !self.has_field,
        }
    }
}

fn text(value: &[u8]) -> String {
    String::from_utf8_lossy(value).into_owned()
}

/// Digits only, so no sign; a number too large for any clock is ignored like any other nonsense.
fn milliseconds(value: &[u8]) -> Option<u64> {
    if !value.iter().all(u8::is_ascii_digit) {
        return None;
    }
    str::from_utf8(value).ok()?.parse().ok()
}

#[cfg(test)]
mod tests;
