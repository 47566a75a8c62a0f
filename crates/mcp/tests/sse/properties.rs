//! Properties of encoder, scanner and decoder over generated input. The seed is fixed: the same
//! cases run everywhere.

use bytes::Bytes;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngSeed};
use seamstress_mcp::sse::{Event, LineEnding, Place, encode, place_in_block};
use sse_stream::Sse;

use crate::support::{assert_scanner_agrees, cut, decode, scan};

fn config() -> Config {
    Config {
        cases: 2_000,
        rng_seed: RngSeed::Fixed(0x5EA4),
        failure_persistence: None,
        ..Config::default()
    }
}

/// Pieces that matter to a parser, whole lines and fragments of them.
const PIECES: [&str; 32] = [
    "data: x\n",
    "data:\n",
    "data\r\n",
    "id: 7\n",
    "id:\r",
    "id\n",
    "id: \0\n",
    "id: …\r\n",
    "retry: 5\n",
    "retry: 5x\r",
    "event: e\n",
    "event\n",
    ": comment\n",
    "unknown: v\r\n",
    "Data: x\n",
    " id: 1\n",
    "data",
    "id",
    "retry",
    "event",
    ":",
    " ",
    "\r",
    "\n",
    "\r\n",
    "\n\n",
    "\r\r",
    "\0",
    "9",
    "…",
    "\u{feff}",
    "x",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(select(&PIECES[..]), 0..40).prop_map(|pieces| pieces.concat())
}

/// Any bytes, but mostly those that mean something.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![3 => select(&b"\r\n: \0id\xEF\xBB\xBF"[..]), 1 => any::<u8>()];
    prop_oneof![prop::collection::vec(byte, 0..80), text().prop_map(String::into_bytes)]
}

/// Cuts at up to eight offsets, or after every byte.
fn chunks(input: &[u8], cuts: &Option<Vec<Index>>) -> Vec<Bytes> {
    let Some(cuts) = cuts else { return cut(input, 1..input.len().max(1)) };
    let mut offsets: Vec<usize> = cuts.iter().map(|at| at.index(input.len() + 1)).collect();
    offsets.sort_unstable();
    cut(input, offsets)
}

fn cuts() -> impl Strategy<Value = Option<Vec<Index>>> {
    prop::option::weighted(0.8, prop::collection::vec(any::<Index>(), 0..8))
}

fn ending() -> impl Strategy<Value = LineEnding> {
    select(&[LineEnding::Lf, LineEnding::CrLf, LineEnding::Cr][..])
}

/// An event as a server could write it, owned.
fn event() -> impl Strategy<Value = Sse> {
    use prop::option::of;
    let line = "[^\r\n\0]{0,12}";
    let data = prop_oneof![text(), any::<String>()];
    (of(line), of(line), of(data), of(any::<u64>())).prop_map(|(id, event, data, retry)| Sse {
        id,
        event,
        data,
        retry,
    })
}

fn borrowed(sse: &Sse) -> Event<'_> {
    Event {
        id: sse.id.as_deref(),
        event: sse.event.as_deref(),
        data: sse.data.as_deref(),
        retry_ms: sse.retry,
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn blocks_and_what_is_pending_always_equal_the_input(input in bytes(), cuts in cuts()) {
        let (blocks, pending) = scan(&chunks(&input, &cuts));
        let mut returned: Vec<u8> = blocks.iter().flat_map(|block| block.bytes.clone()).collect();
        returned.extend_from_slice(&pending);
        prop_assert_eq!(returned, input);
    }

    #[test]
    fn chunking_never_changes_what_the_blocks_say(input in bytes(), cuts in cuts()) {
        let without_bytes = |chunks: &[Bytes]| {
            let (mut blocks, _) = scan(chunks);
            for block in &mut blocks {
                block.bytes = Bytes::new();
            }
            blocks
        };
        prop_assert_eq!(without_bytes(&chunks(&input, &cuts)), without_bytes(&cut(&input, [])));
    }

    #[test]
    fn scanner_and_decoder_agree_on_every_stream_of_valid_text(input in text(), cuts in cuts()) {
        let chunks = chunks(input.as_bytes(), &cuts);
        let decoded = decode(&chunks).expect("the input is valid UTF-8");
        assert_scanner_agrees(&chunks, &decoded);
    }

    #[test]
    fn what_is_encoded_decodes_to_itself(
        events in prop::collection::vec((event(), ending()), 1..6),
        cuts in cuts(),
    ) {
        let mut input = Vec::new();
        let mut expected = Vec::new();
        for (event, ending) in events {
            input.extend_from_slice(&encode(&borrowed(&event), ending).expect("a valid event"));
            if event != Sse::default() {
                let data = event.data.map(|data| data.replace("\r\n", "\n").replace('\r', "\n"));
                expected.push(Sse { data, ..event });
            }
        }
        let chunks = chunks(&input, &cuts);
        let decoded = decode(&chunks).expect("encoded text is valid UTF-8");
        assert_scanner_agrees(&chunks, &decoded);
        prop_assert_eq!(decoded, expected);
    }

    #[test]
    fn an_event_cut_at_a_named_place_never_arrives(event in event(), ending in ending()) {
        let bytes = encode(&borrowed(&event), ending).expect("a valid event");
        let (blocks, pending) = scan(&[bytes]);
        let [block] = blocks.as_slice() else { panic!("an encoded event is one block") };
        prop_assert!(pending.is_empty());
        for place in
            [Place::MidField, Place::MidCharacter, Place::BetweenCrAndLf, Place::BeforeBlankLine]
        {
            let Some(at) = place_in_block(block, place) else { continue };
            prop_assert!(at < block.bytes.len());
            // A cut inside a character leaves bytes that are no UTF-8, but their line never ends.
            let decoded = decode(&[block.bytes.slice(..at)]).expect("no line is complete");
            prop_assert_eq!(decoded, vec![], "{:?}", place);
        }
    }
}
