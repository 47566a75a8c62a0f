//! `explain --likelihood`: the curve of one fixed run, and what is refused.

use crate::support::{Folder, RING, RING_DEFECTS};

/// A run whose finding comes with a cut: few points and reseeds, so that it is quick.
const RUN: &str = "explain storm@2 --server reference:replay-whole-ring --likelihood --points 6 \
                   --reseeds 8";

#[track_caller]
fn assert_snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn the_curve_of_a_fixed_run_is_the_same_in_every_form_and_for_any_number_of_jobs() {
    let folder = Folder::new("likelihood");
    // On standard error may stand how far it has come, every ten seconds.
    let text = folder.run(&format!("{RUN} --jobs 1"));
    assert_eq!(text.code, Some(1), "{text:?}");
    assert_snapshot("likelihood-storm-2", &text.stdout);

    let svg = folder.run(&format!("{RUN} --jobs 3 --format svg --output storm-2.svg"));
    assert_eq!((svg.code, &*svg.stdout), (Some(1), ""), "{svg:?}");
    assert!(svg.stderr.ends_with("wrote storm-2.svg\n"), "{svg:?}");
    assert_snapshot("likelihood-storm-2-svg", &folder.read("storm-2.svg"));

    let json = folder.run(&format!("{RUN} --jobs 2 --format json"));
    assert_eq!((json.code, &*json.stderr), (Some(1), ""), "{json:?}");
    let lines = json.json();
    let (summary, points) = lines.split_last().unwrap();
    assert_eq!((points.len(), &summary["type"]), (6, &"summary".into()));
    for (index, point) in points.iter().enumerate() {
        assert_eq!((&point["type"], &point["point"]), (&"likelihood_point".into(), &index.into()));
        let counted = ["finding", "other", "nothing"].map(|name| point[name].as_u64().unwrap());
        assert_eq!(counted.iter().sum::<u64>(), 8, "{point}");
        let told = format!("{} ms  {}", point["at_ms"], point["after"].as_str().unwrap());
        let told: String = told.chars().take(40).collect();
        assert!(text.stdout.contains(&told), "{told:?} is not in the text");
    }
    assert_eq!((&summary["parted"], &summary["interrupted"]), (&0.into(), &false.into()));
    assert_eq!(summary["steepest"]["faults"][0], "concurrency-1-cut", "{summary}");
}

#[test]
fn more_reseeds_begin_with_the_same_ones_and_more_points_do_not_change_those_that_stay() {
    let folder = Folder::new("likelihood-more");
    let points = |points: u64, reseeds: u64| {
        let ran = folder.run(&format!(
            "explain storm@2 --server reference:replay-whole-ring --likelihood --points {points} \
             --reseeds {reseeds} --format json"
        ));
        let lines = ran.json();
        lines[..lines.len() - 1].to_vec()
    };
    let (few, many, longer) = (points(3, 4), points(9, 4), points(3, 8));
    for (point, longer) in few.iter().zip(&longer) {
        let same = many.iter().find(|other| other["records"] == point["records"]);
        if let Some(same) = same {
            assert_eq!(same["finding"], point["finding"]);
        }
        for shown in ["finding", "other", "nothing"] {
            assert!(longer[shown].as_u64() >= point[shown].as_u64(), "{longer} {point}");
        }
    }
    assert_eq!((&few[0]["records"], &many[0]["records"]), (&0.into(), &0.into()));
}

#[test]
fn the_finding_can_be_named_by_its_key() {
    let folder = Folder::new("likelihood-key");
    folder.write("ring.toml", RING);
    let run = format!("explain ring.toml {RING_DEFECTS} --likelihood --points 3 --reseeds 2");
    let main = folder.run(&format!("{run} --format json")).json().pop().unwrap();
    let findings = folder.run(&format!("replay ring.toml {RING_DEFECTS} --format json")).json();
    let keys = findings[0]["findings"].as_array().unwrap();
    let other = keys.iter().map(|finding| &finding["key"]).find(|key| **key != main["key"]);
    let other = other.unwrap().as_str().unwrap();
    let named = folder.run(&format!("{run} --key {other} --format json")).json().pop().unwrap();
    assert_eq!(named["key"], other);
    let wrong = folder.run(&format!("{run} --key {other}x"));
    assert_eq!((wrong.code, &*wrong.stdout), (Some(2), ""), "{wrong:?}");
    assert!(wrong.stderr.contains(&format!("did you mean `{other}`?")), "{wrong:?}");
}

#[test]
fn a_run_in_which_nothing_was_drawn_says_how_its_faults_are_drawn_anew() {
    let folder = Folder::new("likelihood-written");
    folder.write("ring.toml", RING);
    folder.run(&format!("replay ring.toml {RING_DEFECTS} --save ring.json"));
    let options = "--likelihood --points 3 --reseeds 3";
    let written = folder.run(&format!("explain ring.toml {RING_DEFECTS} {options}"));
    let drawn = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(drawn(&written.stdout).contains("nothing is drawn in ring; "), "{written:?}");
    let plan = folder.run(&format!("explain ring.json {options}"));
    assert!(drawn(&plan.stdout).contains("no scenario is known that drew "), "{plan:?}");
    let curve = |text: &str| text.split("\nhow likely").nth(1).map(str::to_owned);
    assert_eq!(curve(&plan.stdout), curve(&written.stdout), "the same plan, drawn the same way");
    assert_eq!((written.code, plan.code), (Some(1), Some(1)));
}

#[test]
fn a_saved_plan_is_drawn_anew_as_the_scenario_that_it_is_named_after() {
    let folder = Folder::new("likelihood-saved");
    let trio = "--server reference:replay-whole-ring";
    folder.run(&format!("replay storm@2 {trio} --save mine.json"));
    let options = "--likelihood --points 3 --reseeds 3";
    let saved = folder.run(&format!("explain mine.json {options}"));
    let named = folder.run(&format!("explain storm@2 {trio} {options}"));
    let after_its_command = |text: &str| text.split_once('\n').map(|(_, rest)| rest.to_owned());
    assert_eq!(after_its_command(&saved.stdout), after_its_command(&named.stdout), "{saved:?}");
    assert!(saved.stdout.starts_with("replay    seamstress replay mine.json\n"), "{saved:?}");
}

#[test]
fn a_run_that_holds_has_nothing_to_explain() {
    let folder = Folder::new("likelihood-holds");
    let text = folder.run("explain drop@3 --likelihood");
    let sentence = "drop@3 holds: there is nothing to explain\n";
    assert_eq!((text.code, &*text.stdout, &*text.stderr), (Some(0), sentence, ""), "{text:?}");
    let keyed = folder.run("explain drop@3 --likelihood --key skip/progress/resumed:resume");
    assert_eq!((keyed.code, &*keyed.stdout), (Some(0), sentence), "{keyed:?}");
    let json = folder.run("explain drop@3 --likelihood --format json");
    assert_eq!(json.json().len(), 1, "{json:?}");
    assert_eq!((json.code, &json.json()[0]["outcome"]), (Some(0), &"holds".into()), "{json:?}");
    let svg = folder.run("explain drop@3 --likelihood --format svg --output no.svg");
    assert_eq!((svg.code, &*svg.stdout, &*svg.stderr), (Some(0), "", sentence), "{svg:?}");
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn what_cannot_be_drawn_anew_or_told_so_is_refused_with_the_way_out() {
    let folder = Folder::new("likelihood-refused");
    folder.run("explain drop@3 --format json --output t.ndjson");
    for (arguments, says) in [
        ("t.ndjson --likelihood", "give --likelihood its plan, or its scenario and seed"),
        ("drop@3 --likelihood --format mermaid", "told as text, svg or json"),
        ("drop@3 --format svg", "add --likelihood to --format svg"),
        ("drop@3 --reseeds 9", "--likelihood"),
        ("drop@3 --likelihood --points 1", "--points"),
        ("drop@3 --likelihood --reseeds 0", "--reseeds"),
    ] {
        let ran = folder.run(&format!("explain {arguments}"));
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{ran:?}");
        assert!(ran.stderr.contains(says), "{says:?} is not in {ran:?}");
    }
}

#[cfg(feature = "rmcp")]
#[test]
fn the_past_of_a_run_with_the_sdk_is_had_again_too() {
    let folder = Folder::new("likelihood-sdk");
    for role in ["server", "client"] {
        let ran = folder.run(&format!(
            "explain storm@6 --{role} rmcp --likelihood --points 4 --reseeds 4 --format json"
        ));
        assert_eq!((ran.code, &*ran.stderr), (Some(1), ""), "{ran:?}");
        let summary = ran.json().pop().unwrap();
        assert_eq!(summary["parted"], 0, "{summary}");
    }
}
