//! Runs bytes through `sse-stream`, the decoder of the client, and through our own scanner.
//!
//! All input is in memory, so the decoder's stream never waits and needs no executor.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::{FutureExt, Stream, StreamExt, stream};
use http_body::Frame;
use http_body_util::StreamBody;
use seamstress_mcp::sse::{Block, Scanner};
use sse_stream::{Sse, SseByteStream, SseStream};

/// What the decoder makes of the chunks: every block until the end or the first error.
pub fn decode(chunks: &[Bytes]) -> Result<Vec<Sse>, sse_stream::Error> {
    let input = stream::iter(chunks.to_vec()).map(Ok::<Bytes, Infallible>);
    collect(SseByteStream::new(input))
}

/// The same, with the chunks as the data frames of an HTTP body.
pub fn decode_body(chunks: &[Bytes]) -> Result<Vec<Sse>, sse_stream::Error> {
    let frames = stream::iter(chunks.to_vec()).map(|chunk| Ok::<_, Infallible>(Frame::data(chunk)));
    collect(SseStream::new(StreamBody::new(frames)))
}

fn collect(
    blocks: impl Stream<Item = Result<Sse, sse_stream::Error>>,
) -> Result<Vec<Sse>, sse_stream::Error> {
    let mut blocks = std::pin::pin!(blocks);
    let mut collected = Vec::new();
    while let Some(block) = blocks.next().now_or_never().expect("input in memory never waits") {
        collected.push(block?);
    }
    Ok(collected)
}

/// What our scanner makes of the chunks: complete blocks, and the bytes after the last of them.
pub fn scan(chunks: &[Bytes]) -> (Vec<Block>, Bytes) {
    let mut scanner = Scanner::default();
    let mut blocks = Vec::new();
    for chunk in chunks {
        scanner.feed(chunk, &mut blocks).expect("no test input is that long");
    }
    (blocks, scanner.into_pending())
}

/// The scanner must return every byte, and must see the same blocks as the decoder in the fields
/// both of them know. The decoder hands out no block without a field that counts.
pub fn assert_scanner_agrees(chunks: &[Bytes], decoded: &[Sse]) {
    let (blocks, pending) = scan(chunks);
    let mut returned: Vec<u8> = blocks.iter().flat_map(|block| block.bytes.clone()).collect();
    returned.extend_from_slice(&pending);
    assert_eq!(returned, chunks.concat());

    type Seen<'a> = (Option<&'a str>, Option<&'a str>, Option<bool>, Option<u64>);
    let scanned: Vec<Seen> = blocks
        .iter()
        .map(|block| {
            let data = block.has_data.then_some(block.data_is_empty);
            (block.id.as_deref(), block.event.as_deref(), data, block.retry_ms)
        })
        .filter(|fields| *fields != (None, None, None, None))
        .collect();
    let decoded: Vec<Seen> = decoded
        .iter()
        .map(|sse| {
            let data = sse.data.as_ref().map(String::is_empty);
            (sse.id.as_deref(), sse.event.as_deref(), data, sse.retry)
        })
        .collect();
    assert_eq!(scanned, decoded);
}

/// Cuts the input after each of these offsets.
pub fn cut(input: &[u8], offsets: impl IntoIterator<Item = usize>) -> Vec<Bytes> {
    let mut start = 0;
    let mut chunks = Vec::new();
    for end in offsets.into_iter().chain([input.len()]) {
        chunks.push(Bytes::copy_from_slice(&input[start..end]));
        start = end;
    }
    chunks
}
