//! Where in an event a fault happens, and what an event carries.
//!
//! Owns looking into the bytes of one event without changing them. It must not know which fault
//! happens there.

use seamstress_mcp::message::{Message, parse};
use seamstress_mcp::sse::{self, Block};
use seamstress_plan::Place;

/// How many bytes of a block lie before a place; at least one byte stays behind it.
pub(crate) fn place_of(block: &Block, place: Place) -> usize {
    let most = block.bytes.len().saturating_sub(1);
    let find = |place| sse::place_in_block(block, place);
    let found = match place {
        Place::Before => Some(0),
        Place::After => Some(most),
        Place::Byte(bytes) => usize::try_from(bytes).ok(),
        Place::MidField => find(sse::Place::MidField),
        Place::MidCharacter => {
            find(sse::Place::MidCharacter).or_else(|| find(sse::Place::MidField))
        }
        Place::BetweenCrAndLf => {
            find(sse::Place::BetweenCrAndLf).or_else(|| find(sse::Place::BeforeBlankLine))
        }
    };
    found.unwrap_or(most).min(most)
}

/// Whether an event carries a JSON-RPC response.
pub(crate) fn is_response(block: &Block) -> bool {
    let data = data_of(&block.bytes);
    matches!(parse(data.as_bytes()), Ok(Message::Response { .. } | Message::Error { .. }))
}

/// The data of the lines of an event.
pub(crate) fn data_of(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let data: Vec<&str> = text
        .split(['\n', '\r'])
        .filter_map(|line| line.strip_prefix("data:"))
        .map(|value| value.strip_prefix(' ').unwrap_or(value))
        .collect();
    data.join("\n")
}
