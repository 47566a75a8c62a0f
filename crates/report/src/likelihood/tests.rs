//! The curve on numbers made by hand: what raises it, and how it looks.

use super::*;

fn measured(at_ms: Option<u64>, records: usize, after: &str, seen: [u64; 4]) -> Measured {
    let [finding, other, nothing, parted] = seen;
    let point = Point { records, at_ms, after: after.to_owned() };
    Measured { point, seen: Seen { finding, other, nothing, parted } }
}

fn mark(fault: &str, words: &str, at_ms: u64, record: usize) -> Mark {
    Mark { fault: fault.into(), words: words.into(), at_ms, record }
}

/// A curve that rises a little with a cut, and much when the ring shrinks.
fn sample() -> Likelihood {
    let without = |fault: &str, shows| Without { fault: fault.into(), shows };
    Likelihood {
        target: "storm@7 --server reference:clamp-to-floor".into(),
        key: "skip/progress/resumed:resume".into(),
        sentence: "progress 3 to 6 of c1 did not reach the application.".into(),
        found_ms: 58,
        drawn: "operations and faults, as storm draws them".into(),
        reseeds: 50,
        curve: vec![
            measured(None, 0, "before anything happens", [1, 4, 45, 0]),
            measured(
                Some(16),
                9,
                "c1: POST tools/call: progress 1 to 22 every 2 ms",
                [2, 3, 45, 0],
            ),
            measured(Some(30), 31, "c1: progress 4 arrives", [2, 2, 45, 1]),
            measured(Some(32), 36, "c1: the connection is reset", [9, 2, 39, 0]),
            measured(Some(40), 52, "eviction-1 has just happened", [42, 1, 7, 0]),
            measured(Some(57), 71, "c1: GET resumes after s1.c1.5", [50, 0, 0, 0]),
        ],
        faults: vec![
            mark("drop-1", "cut-reset after event 5 of c1", 31, 33),
            mark("eviction-1", "shrink-ring (2) at 39 ms", 39, 50),
            mark("rotation-1", "rotate-id (1) at 39 ms", 39, 51),
        ],
        without: vec![
            without("drop-1", Shows::Nothing),
            without("eviction-1", Shows::Other(Some("stuck/call/live".into()))),
            without("rotation-1", Shows::Finding),
        ],
        runs: 345,
        is_interrupted: false,
    }
}

fn shares(shares: &[(u64, u64)]) -> Likelihood {
    let curve = shares.iter().enumerate().map(|(index, (hits, of))| {
        measured(Some(index as u64), index * 10, "", [*hits, 0, of - hits, 0])
    });
    Likelihood { curve: curve.collect(), faults: Vec::new(), ..sample() }
}

fn fault_ids<'a>(rise: &Rise<'a>) -> Vec<&'a str> {
    rise.faults.iter().map(|mark| mark.fault.as_str()).collect()
}

#[test]
fn the_steepest_rise_is_that_of_the_faults_between_its_two_points() {
    let sample = sample();
    let steepest = sample.steepest().expect("it rises");
    assert_eq!((steepest.from.per_cent(), steepest.to.per_cent()), (18, 84));
    assert_eq!(fault_ids(&steepest), ["eviction-1", "rotation-1"]);
    assert!(steepest.is_clear());
}

#[test]
fn a_fault_belongs_to_the_first_point_that_has_it_in_its_past() {
    let mut sample = sample();
    let of = |sample: &Likelihood, point: usize| {
        sample.between(point).map(|mark| mark.record).collect::<Vec<_>>()
    };
    // The point after 36 records has records 0 to 35 in its past.
    sample.faults = vec![mark("in", "", 32, 35), mark("out", "", 32, 36), mark("end", "", 58, 80)];
    assert_eq!(of(&sample, 2), [35]);
    assert_eq!(of(&sample, 3), [36]);
    assert_eq!(of(&sample, 5), [80], "after the last point comes the finding");
    let all: usize = (0..6).map(|point| of(&sample, point).len()).sum();
    assert_eq!(all, 3, "each fault lies in one step");
}

#[test]
fn only_what_is_more_than_chance_is_called_a_rise() {
    let sample = sample();
    let rises: Vec<usize> = sample.rises().iter().map(|rise| rise.from_point).collect();
    assert_eq!(rises, [3], "from 4 % to 18 % with 50 reseeds is chance");
}

#[test]
fn of_equal_steps_the_first_is_the_steepest_and_a_fall_never_is() {
    let from = |likelihood: &Likelihood| likelihood.steepest().map(|rise| rise.from_point);
    assert_eq!(from(&shares(&[(0, 10), (5, 10), (10, 10)])), Some(0));
    assert_eq!(from(&shares(&[(5, 10), (0, 10), (9, 10)])), Some(1));
    assert_eq!(from(&shares(&[(10, 10), (10, 10)])), None);
}

#[test]
fn the_run_itself_is_the_end_of_the_curve() {
    let likelihood = shares(&[(1, 50), (2, 50)]);
    let steepest = likelihood.steepest().expect("it rises");
    assert!(steepest.ends_at_finding && steepest.is_clear());
    assert_eq!((steepest.from_point, steepest.to.per_cent()), (1, 100));
}

#[test]
fn runs_with_another_past_do_not_count() {
    let mut seen = Seen::default();
    for shows in [
        Some(Shows::Finding),
        None,
        Some(Shows::Other(None)),
        Some(Shows::Nothing),
        Some(Shows::Finding),
    ] {
        seen.add(shows.as_ref());
    }
    assert_eq!(seen.finding(), Share { hits: 2, of: 4 });
    assert_eq!((seen.other().hits, seen.parted), (1, 1));
}

#[test]
fn the_text_shows_the_curve_with_the_faults_between_its_points() {
    let text = likelihood_text(&sample());
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    insta::assert_snapshot!(text, @r#"
    replay    seamstress replay storm@7 --server reference:clamp-to-floor
    finding   skip/progress/resumed:resume, seen at 58 ms
              progress 3 to 6 of c1 did not reach the application.
    drawn     operations and faults, as storm draws them
    runs      345 in all: 50 reseeds from each of 6 points

    how likely the finding is if the rest is drawn anew from here on
       0 ms  before anything happens                     |#..                      |   2 %   0..11 %
      16 ms  c1: POST tools/call: progress 1 to 22 eve…  |#..                      |   4 %   1..14 %
      30 ms  c1: progress 4 arrives                      |#.                       |   4 %   1..14 %
      31 ms  FAULT drop-1: cut-reset after event 5 of c1
      32 ms  c1: the connection is reset                 |#####.                   |  18 %   9..31 %
      39 ms  FAULT eviction-1: shrink-ring (2) at 39 ms
      39 ms  FAULT rotation-1: rotate-id (1) at 39 ms
      40 ms  eviction-1 has just happened                |#####################.   |  84 %  71..92 %
      57 ms  c1: GET resumes after s1.c1.5               |#########################| 100 %  92..100 %
      58 ms  the finding is seen: skip
      # shows this finding, . another one; A..B: where the true share lies, 95 % sure
      1 more run not counted: its past was not that of the run

    what raises it
      from 18 % to 84 %: eviction-1 shrink-ring (2) at 39 ms and rotation-1 rotate-id (1) at 39 ms

    the whole run without one fault
      without drop-1      holds
      without eviction-1  another finding: stuck/call/live
      without rotation-1  the same finding
    "#);
}

#[test]
fn without_a_clear_rise_the_text_does_not_claim_one() {
    let text = likelihood_text(&shares(&[(4, 10), (6, 10), (10, 10)]));
    let (_, attribution) = text.split_once("\nwhat raises it\n").expect("there is one");
    insta::assert_snapshot!(attribution, @r#"
      from 60 % to 100 %: no fault happens, up to:
        that is within chance: more --reseeds would tell

    the whole run without one fault
      without drop-1      holds
      without eviction-1  another finding: stuck/call/live
      without rotation-1  the same finding
    "#);
    let certain = likelihood_text(&shares(&[(10, 10), (10, 10)]));
    assert!(certain.contains("\n  nothing: it was certain from the beginning\n"), "{certain}");
}

#[test]
fn the_lines_for_programs_have_counts_and_the_attribution() {
    let lines = crate::likelihood_lines(&sample());
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines.len(), 7, "six points and a summary");
    for line in &lines {
        let read: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(read["schema"], 1);
    }
    insta::assert_snapshot!(lines[2], @r#"{"schema":1,"type":"likelihood_point","point":2,"at_ms":30,"records":31,"after":"c1: progress 4 arrives","reseeds":49,"finding":2,"other":2,"nothing":45,"parted":1,"low_per_mille":11,"high_per_mille":138}"#);
    insta::assert_snapshot!(lines[6], @r#"{"schema":1,"type":"summary","run":"storm@7 --server reference:clamp-to-floor","key":"skip/progress/resumed:resume","sentence":"progress 3 to 6 of c1 did not reach the application.","found_ms":58,"drawn":"operations and faults, as storm draws them","points":6,"reseeds":50,"runs":345,"parted":1,"faults":[{"fault":"drop-1","words":"cut-reset after event 5 of c1","at_ms":31},{"fault":"eviction-1","words":"shrink-ring (2) at 39 ms","at_ms":39},{"fault":"rotation-1","words":"rotate-id (1) at 39 ms","at_ms":39}],"steepest":{"from_point":3,"to_point":4,"from":{"finding":9,"reseeds":50},"to":{"finding":42,"reseeds":50},"clear":true,"faults":["eviction-1","rotation-1"]},"rises":[{"from_point":3,"to_point":4,"from":{"finding":9,"reseeds":50},"to":{"finding":42,"reseeds":50},"clear":true,"faults":["eviction-1","rotation-1"]}],"without":[{"fault":"drop-1","shows":"nothing"},{"fault":"eviction-1","shows":"other","key":"stuck/call/live"},{"fault":"rotation-1","shows":"finding"}],"interrupted":false}"#);
}

/// The picture, read back.
fn assert_is_sound(likelihood: &Likelihood) -> String {
    let svg = likelihood_svg(likelihood);
    let read = roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
    let number = |node: &roxmltree::Node, name: &str| {
        node.attribute(name).map(|text| text.parse::<usize>().unwrap_or_else(|_| panic!("{text}")))
    };
    let root = read.root_element();
    let (width, height) = (number(&root, "width").unwrap(), number(&root, "height").unwrap());
    for node in read.descendants().filter(|node| node.has_tag_name("text")) {
        let told = node.text().unwrap_or_default();
        let room = if node.attribute("class") == Some("title") { 10 } else { 8 };
        let long = room * told.chars().count();
        let x = number(&node, "x").unwrap();
        let (from, until) = match node.attribute("text-anchor") {
            Some("middle") => (x.checked_sub(long / 2), x + long / 2),
            Some("end") => (x.checked_sub(long), x),
            _ => (Some(x), x + long),
        };
        assert!(from.is_some() && until <= width, "{told:?} is cut off: {from:?}..{until}");
        assert!(number(&node, "y").unwrap() < height, "{told:?} is below the picture");
    }
    let about = |name: &str| root.children().any(|node| node.has_tag_name(name));
    assert!(about("title") && about("desc"), "a screen reader has nothing to say");
    for banned in ["<script", "href", "url("] {
        assert!(!svg.contains(banned), "{banned} in a picture that needs nothing else");
    }
    svg
}

#[test]
fn the_picture_is_sound_and_names_all_that_it_shows() {
    let svg = assert_is_sound(&sample());
    for told in
        ["drop-1", "eviction-1", "rotation-1", "skip/progress/resumed:resume", "18 % to 84 %"]
    {
        assert!(svg.contains(told), "{told}");
    }
    assert_eq!(svg.matches("<circle").count(), 6, "a dot for each point");
}

#[test]
fn nothing_is_cut_off_however_many_faults_and_points_there_are_and_however_long_their_names() {
    let mut crowded = sample();
    crowded.key = format!("{}/call/{}", "o".repeat(40), "s".repeat(200));
    crowded.target = "x".repeat(300);
    let words = "an event <of> \"another\" & server ".repeat(9);
    let told = format!("{words}\u{1b}");
    crowded.curve = (0..200)
        .map(|point| measured(Some(point), point as usize * 10, &told, [point, 0, 200 - point, 0]))
        .collect();
    crowded.faults = (0..40)
        .map(|fault| mark(&format!("f{fault}-{}", "n".repeat(60)), &words, 5, 1_000 + fault % 3))
        .collect();
    assert_is_sound(&crowded);
    crowded.curve.truncate(1);
    assert_is_sound(&crowded);
    crowded.curve[0].seen = Seen::default();
    assert_is_sound(&crowded);
    let text = likelihood_text(&crowded);
    assert!(text.contains("|                         |   0 %  0..100 %"), "{text}");
    assert!(text.contains("\n  that is not known: no run was counted\n"), "{text}");
}

#[test]
fn no_name_of_a_fault_is_crossed_by_the_line_of_another() {
    let mut crowded = sample();
    crowded.faults =
        (0..12).map(|index| mark(&format!("routing-{index}"), "", 20, 5 * index)).collect();
    let svg = assert_is_sound(&crowded);
    let read = roxmltree::Document::parse(&svg).expect("it was read before");
    let number = |node: roxmltree::Node, name: &str| -> usize {
        node.attribute(name).expect("it is there").parse().expect("a number")
    };
    let groups = read.descendants().filter(|node| node.has_tag_name("g"));
    // Where each line begins, and where its name stands.
    let names: Vec<_> = groups
        .map(|group| {
            let child = |name: &str| group.children().find(|node| node.has_tag_name(name));
            let (line, text) = (child("line").expect("a line"), child("text").expect("a name"));
            let x = number(text, "x");
            let until = x + 8 * text.text().expect("a name").len();
            (number(line, "x1"), number(line, "y1"), x..until, number(text, "y"))
        })
        .collect();
    assert_eq!(names.len(), 12);
    for (_, _, room, baseline) in &names {
        for (x, top, _, _) in &names {
            assert!(!room.contains(x) || top >= baseline, "{room:?} {baseline}: {x} {top}");
        }
    }
}
