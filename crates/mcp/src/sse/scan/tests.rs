//! Where blocks begin and end, whatever the line ends and the chunks.

use super::*;

/// Scans the chunks and returns the blocks and what is pending; checks that no byte got lost.
fn scan(chunks: &[&[u8]]) -> (Vec<Block>, Bytes) {
    let mut scanner = Scanner::default();
    let mut blocks = Vec::new();
    for chunk in chunks {
        scanner.feed(&Bytes::copy_from_slice(chunk), &mut blocks).unwrap();
    }
    let pending_len = scanner.pending_len();
    let pending = scanner.into_pending();
    assert_eq!(pending.len(), pending_len);
    let mut whole: Vec<u8> = blocks.iter().flat_map(|block| block.bytes.clone()).collect();
    whole.extend_from_slice(&pending);
    assert_eq!(whole, chunks.concat());
    (blocks, pending)
}

fn only_block(text: &str) -> Block {
    let (mut blocks, pending) = scan(&[text.as_bytes()]);
    assert_eq!((blocks.len(), pending.len()), (1, 0), "{text:?}");
    blocks.remove(0)
}

fn bytes_of(blocks: &[Block]) -> Vec<&str> {
    blocks.iter().map(|block| str::from_utf8(&block.bytes).unwrap()).collect()
}

#[test]
fn a_block_says_what_its_fields_say() {
    let block = only_block("event: e\nid: 7\nretry: 500\ndata: x\n\n");
    assert_eq!(block.event.as_deref(), Some("e"));
    assert_eq!(block.id.as_deref(), Some("7"));
    assert_eq!(block.retry_ms, Some(500));
    assert!(block.has_data && !block.data_is_empty && !block.is_comment_only);
}

#[test]
fn no_id_an_empty_id_and_an_id_with_nul_are_told_apart() {
    assert_eq!(only_block("data: x\n\n").id, None);
    assert_eq!(only_block("id\n\n").id.as_deref(), Some(""));
    assert_eq!(only_block("id:\n\n").id.as_deref(), Some(""));
    assert_eq!(only_block("id: \n\n").id.as_deref(), Some(""));
    assert_eq!(only_block("id: a\0b\n\n").id, None);
    assert_eq!(only_block("id: a\nid: \0\n\n").id.as_deref(), Some("a"));
    assert_eq!(only_block("id: a\nid: b\n\n").id.as_deref(), Some("b"));
}

#[test]
fn data_is_empty_only_if_it_decodes_to_nothing() {
    for (text, has_data, data_is_empty) in [
        ("id: 1\n\n", false, false),
        ("data\n\n", true, true),
        ("data: \n\n", true, true),
        ("data:\ndata:\n\n", true, false),
        ("data: x\ndata:\n\n", true, false),
        ("Data: x\n\n", false, false),
    ] {
        let block = only_block(text);
        assert_eq!((block.has_data, block.data_is_empty), (has_data, data_is_empty), "{text:?}");
    }
}

#[test]
fn a_retry_counts_only_if_it_is_all_digits() {
    for (text, expected) in [
        ("retry: 02000\n\n", Some(2000)),
        ("retry: 3000\nretry: 1000x\n\n", Some(3000)),
        ("retry\n\n", None),
        ("retry: +1\n\n", None),
        ("retry: 18446744073709551616\n\n", None),
    ] {
        assert_eq!(only_block(text).retry_ms, expected, "{text:?}");
    }
}

#[test]
fn a_keep_alive_is_a_block_of_comments_only() {
    assert!(only_block(": a\n:b\n\n").is_comment_only);
    assert!(!only_block(": a\nid: 1\n\n").is_comment_only);
    assert!(!only_block(": a\nunknown\n\n").is_comment_only);
    assert!(!only_block("\n").is_comment_only);
}

#[test]
fn all_line_ends_may_be_mixed() {
    let (blocks, pending) = scan(&[b"data: 1\r\r\ndata: 2\r\n\r\ndata: 3\n\r\rdata: 4\r\n\n\r\n:"]);
    let expected =
        ["data: 1\r\r\n", "data: 2\r\n\r\n", "data: 3\n\r", "\r", "data: 4\r\n\n", "\r\n"];
    assert_eq!(bytes_of(&blocks), expected);
    assert_eq!(pending, ":");
}

#[test]
fn a_lone_cr_ends_its_block_at_once_and_its_lf_joins_the_next_one() {
    let (blocks, pending) = scan(&[b"data: 1\r", b"\r"]);
    assert_eq!((bytes_of(&blocks), pending.len()), (vec!["data: 1\r\r"], 0));

    let (blocks, pending) = scan(&[b"data: 1\r\n\r", b"\n", b"", b"data: 2\n\n"]);
    assert_eq!(bytes_of(&blocks), ["data: 1\r\n\r", "\ndata: 2\n\n"]);
    assert_eq!(pending.len(), 0);

    let (blocks, pending) = scan(&[b"data: 1\r\n\r", b"\n"]);
    assert_eq!((blocks.len(), pending), (1, Bytes::from("\n")));
}

#[test]
fn a_crlf_split_inside_a_block_ends_one_line_and_not_two() {
    let (blocks, _) = scan(&[b"id: 1\r", b"\ndata: x\r", b"", b"\n\r\n"]);
    assert_eq!(bytes_of(&blocks), ["id: 1\r\ndata: x\r\n\r\n"]);
    assert_eq!(blocks[0].id.as_deref(), Some("1"));
}

#[test]
fn only_a_byte_order_mark_at_the_very_start_is_dropped() {
    assert_eq!(only_block("\u{feff}id: 1\n\n").id.as_deref(), Some("1"));
    assert_eq!(only_block("\u{feff}\u{feff}id: 1\n\n").id, None);
    let (blocks, _) = scan(
        "\u{feff}id: 1\n\n\u{feff}id: 2\n\n".as_bytes().chunks(1).collect::<Vec<_>>().as_slice(),
    );
    assert_eq!(blocks[0].id.as_deref(), Some("1"));
    assert_eq!(blocks[1].id, None);
    let (blocks, _) = scan(&["\n\u{feff}id: 1\n\n".as_bytes()]);
    assert_eq!(blocks[1].id, None);
}

#[test]
fn bytes_that_are_no_utf_8_pass_unchanged() {
    let (blocks, _) = scan(&[b"id: \xff\ndata: \xc3\n\n"]);
    assert_eq!(blocks[0].bytes.as_ref(), b"id: \xff\ndata: \xc3\n\n");
    assert_eq!(blocks[0].id.as_deref(), Some("\u{fffd}"));
}

#[test]
fn a_block_within_one_chunk_shares_its_memory() {
    let chunk = Bytes::from("data: 1\n\ndata: 2\n\n");
    let mut blocks = Vec::new();
    Scanner::default().feed(&chunk, &mut blocks).unwrap();
    assert!(blocks.iter().all(|block| chunk.as_ptr_range().contains(&block.bytes.as_ptr())));
}

#[test]
fn a_block_of_the_greatest_length_passes_and_one_byte_more_does_not() {
    let longest = [vec![b'x'; BLOCK_BYTES_MAX - 2], b"\n\n".to_vec()].concat();
    let one_more = [b"x", longest.as_slice()].concat();
    for chunk_len in [usize::MAX, 1 << 20] {
        let mut blocks = Vec::new();
        let mut scanner = Scanner::default();
        for chunk in longest.chunks(chunk_len) {
            scanner.feed(&Bytes::copy_from_slice(chunk), &mut blocks).unwrap();
        }
        assert_eq!(blocks.len(), 1);

        let mut scanner = Scanner::default();
        let fed: Result<(), ScanError> = one_more
            .chunks(chunk_len)
            .try_for_each(|chunk| scanner.feed(&Bytes::copy_from_slice(chunk), &mut blocks));
        assert_eq!((fed, blocks.len()), (Err(ScanError::BlockTooLong), 1));
        let again = scanner.feed(&Bytes::from("\n\n"), &mut blocks);
        assert_eq!((again, blocks.len()), (Err(ScanError::BlockTooLong), 1));
    }
}

#[test]
fn an_endless_line_is_stopped_before_it_is_held() {
    let mut scanner = Scanner::default();
    let mut blocks = Vec::new();
    let chunk = Bytes::from(vec![b'x'; BLOCK_BYTES_MAX]);
    scanner.feed(&chunk, &mut blocks).unwrap();
    let error = scanner.feed(&Bytes::from("x"), &mut blocks).unwrap_err();
    assert_eq!(error, ScanError::BlockTooLong);
    assert!(scanner.pending_len() <= BLOCK_BYTES_MAX);
}
