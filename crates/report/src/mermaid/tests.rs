//! Proves that diagrams keep to what Mermaid can read and viewers can render.
//!
//! Owns a snapshot of a whole diagram, the escapes, and the limit of its size.

use super::*;
use crate::sample;

#[test]
fn a_run_is_a_sequence_diagram_with_lost_connections_and_banded_faults() {
    insta::assert_snapshot!(mermaid(&sample::skipping().play()), @r#"
    sequenceDiagram
        participant client
        participant proxy
        participant server
        Note over client: 6 ms session S1 begins (the server calls it s1)
        client->>proxy: 8 ms standalone: GET opens the stream
        Note over client,server: 10 ms chaos
        client->>proxy: 13 ms c1: POST tools/call: progress 1 to 5 every 2 ms, then the result
        proxy->>server: 15 ms c1: the tool runs
        proxy-->>client: 20 ms standalone: notification 1 arrives
        rect rgb(255, 228, 225)
        Note over proxy: 20 ms c1: cut-reset after event 2 of c1: the client's connection ended
        end
        proxy-->>client: 21 ms c1: progress 1 to 2 arrive (since 19 ms)
        proxy--xclient: 21 ms c1: the connection is reset
        Note over server: 21 ms c1: stores progress 3 as s1.c1.4
        rect rgb(255, 228, 225)
        Note over proxy: 24 ms rotate-id (1) at 24 ms
        end
        client->>proxy: 26 ms c1: GET resumes after s1.c1.3
        server-->>proxy: 28 ms c1: accepts s1.c1.3 and replays 2 events, although 4 events follow it on c1: progress 3 to 5 and the result
        proxy-->>client: 30 ms c1: progress 5 and the result arrive #lt;- skip and cursor-exact
        client->>proxy: 30 ms DELETE ends session S1
        Note over client,server: 40 ms everything is over
        Note over client,server: verdict: violated
    "#);
}

#[test]
fn what_would_end_a_statement_begin_an_entity_or_close_a_block_is_escaped() {
    assert_eq!(escape("a; b #1 <- x\ny"), "a#59; b #35;1 #lt;- x y");
    assert_eq!(escape("the end, End; ends blend end_ms"), "the (end), (End)#59; ends blend end_ms");
    assert_eq!(escape("end"), "(end)");
}

#[test]
fn at_most_two_hundred_arrows_and_notes_are_drawn_and_the_finding_stays() {
    let mut sample = sample::skipping();
    let request = sample.find(&["\"kind\":\"phase\""]);
    let noise = sample.trace.records[sample.find(&["execute"])].clone();
    sample.trace.records.splice(request..request, vec![noise; 3_000]);
    for finding in &mut sample.judgement.findings {
        finding.record += 3_000;
        finding.related.iter_mut().for_each(|record| *record += 3_000);
    }
    let text = mermaid(&sample.play());
    let is_drawn =
        |line: &&str| line.contains("->>") || line.contains("--x") || line.contains("Note over");
    let drawn = text.lines().filter(is_drawn).count();
    assert!((198..=200).contains(&drawn), "{drawn}");
    assert!(text.contains("moments left out"), "{text}");
    assert!(text.contains("#lt;- skip"), "{text}");
    assert!(text.len() < 50_000, "{} bytes", text.len());
}

#[test]
fn a_label_that_is_too_long_is_cut_but_keeps_its_remark() {
    assert_eq!(cut("abcdef", 4), "abc…");
    assert_eq!(cut("abcd", 4), "abcd");
}

#[test]
fn every_band_is_closed() {
    let text = mermaid(&sample::sound().play());
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let opened = lines.iter().filter(|line| line.starts_with("rect ")).count();
    assert_eq!(opened, 2);
    assert_eq!(lines.iter().filter(|line| **line == "end").count(), opened);
}
