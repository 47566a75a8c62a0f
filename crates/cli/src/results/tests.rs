//! Proves what a file of results is taken for, whatever a crash or a hand has left in it.
//!
//! Owns files that are written in memory. What the real binary does with real ones is in the tests
//! of the command.

use seamstress_plan::Trio;
use seamstress_report::{SeedResult, seed_line};

use super::contents::{Contents, ContentsError, read};
use super::header::{Foreign, Header};
use super::usual_file;
use crate::args::TrioArguments;
use crate::playing::Played;
use crate::seeds::SeedRange;
use crate::target;

const HEADER: &str = r#"{"schema":1,"type":"results","scenario":"storm","scenario_digest":"5c","server":"reference","proxy":"reference","client":"rmcp","version":"0.1.0","build":"b1"}"#;

fn header() -> Header {
    serde_json::from_str(HEADER).expect("a header")
}

/// The results of these seeds, as whole lines after the header.
fn file(seeds: impl IntoIterator<Item = u64>) -> String {
    let named = target::plan("drop@3", &TrioArguments::default()).expect("a plan");
    let result = Played::of(named.plan).expect("played").result();
    let lines = seeds.into_iter().map(|seed| seed_line(&SeedResult { seed, ..result.clone() }));
    [HEADER.to_owned()].into_iter().chain(lines).map(|line| format!("{line}\n")).collect()
}

fn read_all(file: &[u8]) -> (Result<Contents, ContentsError>, Vec<u64>) {
    let mut seeds = Vec::new();
    let contents = read(file, &header(), |result| seeds.push(result.seed));
    (contents, seeds)
}

fn refusal(file: &[u8]) -> String {
    read_all(file).0.expect_err("refused").to_string()
}

#[test]
fn a_whole_file_hands_over_its_seeds_in_order() {
    let file = file(5..9);
    let (contents, seeds) = read_all(file.as_bytes());
    assert_eq!(seeds, [5, 6, 7, 8]);
    let contents = contents.expect("readable");
    assert_eq!(contents.seeds, Some(SeedRange { from: 5, until: 9 }));
    assert_eq!(contents.whole_bytes, file.len() as u64);
}

#[test]
fn a_file_cut_anywhere_is_the_file_of_the_lines_that_are_whole() {
    let file = file(5..8);
    for length in 0..=file.len() {
        let cut = &file.as_bytes()[..length];
        let whole_lines = cut.iter().filter(|byte| **byte == b'\n').count() as u64;
        let (contents, seeds) = read_all(cut);
        let contents = contents.unwrap_or_else(|problem| panic!("cut at {length}: {problem}"));
        assert_eq!(seeds.len() as u64, whole_lines.saturating_sub(1), "cut at {length}");
        let whole = cut.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        assert_eq!(contents.whole_bytes, whole as u64, "cut at {length}");
    }
}

#[test]
fn a_line_without_its_end_is_not_believed_even_if_it_can_be_read() {
    let file = file(5..7);
    let (_, seeds) = read_all(file.trim_end().as_bytes());
    assert_eq!(seeds, [5]);
}

#[test]
fn a_damaged_line_is_an_error_with_its_number_wherever_it_stands() {
    let file = file(5..8);
    for line in 2..=4 {
        let mut lines: Vec<String> = file.lines().map(str::to_owned).collect();
        lines[line - 1].replace_range(10..20, "\0\0\0\0\0\0\0\0\0\0");
        let damaged = refusal(format!("{}\n", lines.join("\n")).as_bytes());
        assert!(damaged.starts_with(&format!(", line {line}: it is no `seed` line")), "{damaged}");
        assert!(damaged.contains(&format!("`head -n {}`", line - 1)), "{damaged}");
    }
    assert!(refusal(file.replacen("\n{", "\n\n{", 1).as_bytes()).starts_with(", line 2: "));
    assert!(refusal(file.replace('\n', "\r\n").as_bytes()).starts_with(", line 2: its fields"));
}

#[test]
fn a_field_that_this_build_does_not_know_is_refused_and_not_dropped() {
    let newer = file(5..8).replace(r#""sim_ms""#, r#""mood":"good","sim_ms""#);
    assert!(refusal(newer.as_bytes()).starts_with(", line 2: its fields are not those of "));
    let newer = file(5..8).replace(r#""build""#, r#""mood":"good","build""#);
    assert!(refusal(newer.as_bytes()).starts_with(" is no file of results"));
}

#[test]
fn a_hole_a_seed_that_comes_twice_and_one_that_comes_late_are_errors() {
    for (seeds, says) in [
        ([5, 6, 8], ", line 4: seed 8 stands where 7 is due"),
        ([5, 6, 6], ", line 4: seed 6 stands where 7 is due"),
        ([5, 4, 6], ", line 3: seed 4 stands where 6 is due"),
        ([u64::MAX, 0, 1], ", line 2: seed 18446744073709551615 stands where "),
    ] {
        let refusal = refusal(file(seeds).as_bytes());
        assert!(refusal.starts_with(says), "{refusal}");
    }
}

#[test]
fn results_of_anything_else_are_refused_with_what_they_are_of() {
    let refusal_of = |from: &str, to: &str| {
        let other = HEADER.replace(from, to);
        assert_ne!(other, HEADER, "{from}");
        header().check(other.as_bytes()).expect_err(to)
    };
    let trio = |server: &str, proxy: &str, client: &str| {
        let [server, proxy, client] = [server, proxy, client].map(str::to_owned);
        Foreign::Trio { server, proxy, client }
    };
    let scenario = Foreign::Scenario { theirs: "drop".into(), ours: "storm".into() };
    let text = Foreign::ScenarioText { name: "storm".into() };
    let build = |version: &str, build: &str| {
        let [version, build] = [version, build].map(str::to_owned);
        Foreign::Build { version, build }
    };
    assert_eq!(refusal_of(r#""storm""#, r#""drop""#), scenario);
    assert_eq!(refusal_of(r#""5c""#, r#""5d""#), text);
    assert_eq!(refusal_of("rmcp", "reference"), trio("reference", "reference", "reference"));
    assert_eq!(
        refusal_of(r#""server":"reference""#, r#""server":"x""#),
        trio("x", "reference", "rmcp")
    );
    assert_eq!(
        refusal_of(r#""proxy":"reference""#, r#""proxy":"x""#),
        trio("reference", "x", "rmcp")
    );
    assert_eq!(refusal_of(r#""b1""#, r#""b2""#), build("0.1.0", "b2"));
    assert_eq!(refusal_of("0.1.0", "0.2.0"), build("0.2.0", "b1"));
    assert_eq!(
        refusal_of(
            r#""schema":1,"type":"results","scenario""#,
            r#""schema":2,"type":"results","x""#
        ),
        Foreign::Schema { theirs: 2 }
    );
    assert_eq!(refusal_of(r#""results""#, r#""trace""#), Foreign::NoResults);
    assert_eq!(header().check(HEADER.as_bytes()), Ok(()));
}

#[test]
fn a_file_that_holds_something_else_is_never_taken_for_a_torn_one() {
    let endless = vec![b'x'; 1 << 20];
    for other in ["shopping list", "shopping list\nmilk\n", "{}", "{}\n", "\n", "\u{0}\n"] {
        assert!(refusal(other.as_bytes()).starts_with(" is no file of results"), "{other:?}");
    }
    assert!(refusal(&endless).starts_with(" is no file of results"));
}

#[test]
fn the_usual_file_is_named_after_the_scenario_and_who_is_not_the_reference() {
    let name = |server: &str, client: &str| {
        let trio = Trio { server: server.into(), client: client.into(), ..Trio::default() };
        usual_file("storm", &trio).display().to_string()
    };
    assert_eq!(name("reference", "reference"), "storm.results.jsonl");
    assert_eq!(name("rmcp", "reference"), "storm-server-rmcp.results.jsonl");
    assert_eq!(
        name("reference:clamp-to-floor,../x", "reference:"),
        "storm-server-reference+clamp-to-floor+..+x-client-reference+.results.jsonl"
    );
}
