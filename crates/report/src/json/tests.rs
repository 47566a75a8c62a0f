//! Proves the names, the nesting and the order of the JSON lines of design section 9.
//!
//! Owns a snapshot of each line: programs read them, so a change here is a break for them.

use std::collections::BTreeMap;

use seamstress_plan::{Action, Trio};

use super::*;
use crate::{KeptResults, sample};

/// A run in which no two counts are the same.
fn result() -> SeedResult {
    let cuts = FaultCounts { planned: 9, reached: 8, fired: 7, effective: 6 };
    let rotations = FaultCounts { planned: 5, reached: 4, fired: 3, effective: 2 };
    SeedResult {
        cells: [6, 1, 2, 3, 4],
        faults: BTreeMap::from([(Action::CutReset, cuts), (Action::RotateId, rotations)]),
        ..SeedResult::of(3, &sample::skipping().play())
    }
}

#[test]
fn a_sweep_begins_with_what_is_swept() {
    let trio = Trio { client: "rmcp".into(), ..Trio::default() };
    let start = SweepStart {
        scenario: "storm",
        trio: &trio,
        seeds: (0, Some(200)),
        version: "0.1.0",
        time_ms: None,
        results: None,
    };
    insta::assert_snapshot!(sweep_started(&start), @r#"{"schema":1,"type":"sweep_started","scenario":"storm","server":"reference","proxy":"reference","client":"rmcp","seeds":[0,200],"version":"0.1.0"}"#);
}

#[test]
fn a_long_sweep_adds_its_time_and_its_results_and_may_have_no_end() {
    let start = SweepStart {
        scenario: "storm",
        trio: &Trio::default(),
        seeds: (5, None),
        version: "0.1.0",
        time_ms: Some(600_000),
        results: Some(KeptResults { path: "storm.results.jsonl", seeds: (5, 40) }),
    };
    insta::assert_snapshot!(sweep_started(&start), @r#"{"schema":1,"type":"sweep_started","scenario":"storm","server":"reference","proxy":"reference","client":"reference","seeds":[5,null],"version":"0.1.0","time_ms":600000,"results":"storm.results.jsonl","seeds_in_results":[5,40]}"#);
}

#[test]
fn a_seed_line_has_the_fields_of_the_design_in_their_order() {
    insta::assert_snapshot!(seed_line(&result()), @r#"{"schema":1,"type":"seed","seed":3,"outcome":"violated","digest":"15d61c69cbe868bcde776d350a56102f","findings":[{"oracle":"cursor-exact","key":"cursor-exact/call/resumed:resume"},{"oracle":"skip","key":"skip/progress/resumed:resume"}],"resumptions":{"sound":6,"escape":1,"needed":2,"needless":3,"unanswered":4},"faults":{"planned":14,"reached":12,"fired":10,"effective":8},"actions":{"cut-reset":{"planned":9,"reached":8,"fired":7,"effective":6},"rotate-id":{"planned":5,"reached":4,"fired":3,"effective":2}},"states":["call-answered/drop/resume"],"events":{"emitted":7,"delivered":5},"sim_ms":40}"#);
}

#[test]
fn a_play_line_adds_where_the_plan_came_from_and_whether_it_met_its_expectation() {
    let line = play_line(
        "incident@1",
        Some("sims/incident.toml"),
        Some("report"),
        &result(),
        Some(false),
        Some("missing: duplicate/result"),
    );
    insta::assert_snapshot!(line, @r#"{"schema":1,"type":"play","name":"incident@1","plan":"sims/incident.toml","case":"report","seed":3,"outcome":"violated","digest":"15d61c69cbe868bcde776d350a56102f","findings":[{"oracle":"cursor-exact","key":"cursor-exact/call/resumed:resume"},{"oracle":"skip","key":"skip/progress/resumed:resume"}],"resumptions":{"sound":6,"escape":1,"needed":2,"needless":3,"unanswered":4},"faults":{"planned":14,"reached":12,"fired":10,"effective":8},"actions":{"cut-reset":{"planned":9,"reached":8,"fired":7,"effective":6},"rotate-id":{"planned":5,"reached":4,"fired":3,"effective":2}},"states":["call-answered/drop/resume"],"events":{"emitted":7,"delivered":5},"sim_ms":40,"met_expectation":false,"problem":"missing: duplicate/result"}"#);
}

#[test]
fn a_play_line_leaves_out_what_does_not_apply() {
    let line = play_line("cut@3", None, None, &result(), None, None);
    for name in ["plan", "case", "met_expectation", "problem"] {
        assert!(!line.contains(&format!("\"{name}\":")), "{name} in {line}");
    }
}

#[test]
fn a_summary_has_every_oracle_family_and_action_and_rounds_its_fractions() {
    let mut tally = Tally::default();
    tally.add(3, &result());
    let line = summary_line(&tally, &[Family::Shape], 1.234_56, true);
    insta::assert_snapshot!(line, @r#"{"schema":1,"type":"summary","seeds":1,"outcomes":{"holds":0,"violated":1,"stuck":0,"error":0},"findings":{"duplicate":0,"skip":1,"reorder":0,"cross-stream":0,"foreign-session":0,"double-execution":0,"lost-response":0,"stuck":0,"livelock":0,"event-id-unique":0,"event-id-monotone":0,"replay-after-cursor":0,"resumption-continues":0,"stream-order":0,"message-on-one-stream":0,"progress-increases":0,"no-progress-after-completion":0,"no-response-on-fresh-get":0,"one-response-per-request":0,"response-belongs-to-request":0,"get-sse-or-405":0,"unresumable-answer":0,"gone-is-404":0,"tokens-verbatim":0,"retry-respected":0,"cursor-exact":1,"cursor-session-match":0,"reinit-on-404":0,"session-header-sent":0,"protocol-version-sent":0,"priming-not-parsed":0,"leak":0},"resumptions":{"sound":6,"escape":1,"needed":2,"needless":3,"unanswered":4},"faults_fired":{"drop":7,"rotation":3,"eviction":0,"silence":0,"routing":0,"concurrency":0,"shape":0},"faults":{"drop":{"planned":9,"reached":8,"fired":7,"effective":6},"rotation":{"planned":5,"reached":4,"fired":3,"effective":2},"eviction":{"planned":0,"reached":0,"fired":0,"effective":0},"silence":{"planned":0,"reached":0,"fired":0,"effective":0},"routing":{"planned":0,"reached":0,"fired":0,"effective":0},"concurrency":{"planned":0,"reached":0,"fired":0,"effective":0},"shape":{"planned":0,"reached":0,"fired":0,"effective":0}},"actions":{"cut-clean":{"planned":0,"reached":0,"fired":0,"effective":0},"cut-no-last-chunk":{"planned":0,"reached":0,"fired":0,"effective":0},"cut-reset":{"planned":9,"reached":8,"fired":7,"effective":6},"cut-client-side":{"planned":0,"reached":0,"fired":0,"effective":0},"rotate-id":{"planned":5,"reached":4,"fired":3,"effective":2},"rotate-id-forget-old":{"planned":0,"reached":0,"fired":0,"effective":0},"burst":{"planned":0,"reached":0,"fired":0,"effective":0},"shrink-ring":{"planned":0,"reached":0,"fired":0,"effective":0},"age-out":{"planned":0,"reached":0,"fired":0,"effective":0},"evict-session":{"planned":0,"reached":0,"fired":0,"effective":0},"idle-cut":{"planned":0,"reached":0,"fired":0,"effective":0},"black-hole":{"planned":0,"reached":0,"fired":0,"effective":0},"hold-link":{"planned":0,"reached":0,"fired":0,"effective":0},"slow-reader":{"planned":0,"reached":0,"fired":0,"effective":0},"route-to-lagging":{"planned":0,"reached":0,"fired":0,"effective":0},"route-to-empty":{"planned":0,"reached":0,"fired":0,"effective":0},"route-to-other-epoch":{"planned":0,"reached":0,"fired":0,"effective":0},"restart-keep-log":{"planned":0,"reached":0,"fired":0,"effective":0},"restart-lose-log":{"planned":0,"reached":0,"fired":0,"effective":0},"rebase":{"planned":0,"reached":0,"fired":0,"effective":0},"second-connection":{"planned":0,"reached":0,"fired":0,"effective":0},"twin-resume":{"planned":0,"reached":0,"fired":0,"effective":0},"rechunk":{"planned":0,"reached":0,"fired":0,"effective":0},"buffer-bytes":{"planned":0,"reached":0,"fired":0,"effective":0},"buffer-until-end":{"planned":0,"reached":0,"fired":0,"effective":0},"insert-comment":{"planned":0,"reached":0,"fired":0,"effective":0},"insert-retry":{"planned":0,"reached":0,"fired":0,"effective":0},"insert-empty-event":{"planned":0,"reached":0,"fired":0,"effective":0}},"keys":[{"key":"cursor-exact/call/resumed:resume","count":1,"first_seed":3},{"key":"skip/progress/resumed:resume","count":1,"first_seed":3}],"states":{"seen":1,"possible":1920,"last_new_seed":3,"list":[{"state":"call-answered/drop/resume","count":1,"first_seed":3}]},"cpu_seconds":1.235,"seeds_per_cpu_second":0.8,"never_fired":["shape"],"interrupted":true}"#);
}

#[test]
fn a_sweep_that_took_no_time_has_no_speed() {
    let line = summary_line(&Tally::default(), &[], 0.0, false);
    assert!(line.contains(r#""cpu_seconds":0.0,"seeds_per_cpu_second":0.0"#), "{line}");
    assert!(!line.contains("last_new_seed") && !line.contains("quiet_seeds"), "{line}");
}

#[test]
fn a_sweep_adds_which_seeds_were_done_and_counts_only_those_played_now_as_speed() {
    let mut tally = Tally::default();
    tally.add(3, &result());
    tally.add(4, &result());
    let end = SweepEnd {
        seeds_done: (3, 5),
        seeds_played: 1,
        cpu_seconds: 0.5,
        time_up: Some("10m".into()),
        quiet_seeds: None,
        is_interrupted: false,
    };
    let line = sweep_summary_line(&tally, &[], &end);
    let added = r#""cpu_seconds":0.5,"seeds_per_cpu_second":2.0,"never_fired":[],"interrupted":false,"seeds_done":[3,5],"time_up":true}"#;
    assert!(line.ends_with(added), "{line}");
    let line = sweep_summary_line(&tally, &[], &SweepEnd { quiet_seeds: Some(7), ..end });
    assert!(line.contains(r#""interrupted":false,"quiet_seeds":7,"seeds_done":[3,5]"#), "{line}");
}

#[test]
fn a_seed_line_read_back_is_the_whole_result() {
    let result = result();
    assert_eq!(read_seed_line(seed_line(&result).as_bytes()).expect("readable"), result);
}

#[test]
fn a_line_that_says_anything_this_build_would_not_say_is_refused_and_nothing_is_dropped() {
    let line = seed_line(&result());
    let refusal = |from: &str, to: &str| {
        assert!(line.contains(from), "{from} in {line}");
        read_seed_line(line.replace(from, to).as_bytes()).expect_err(to).to_string()
    };
    for (from, to) in [
        (r#""sim_ms":40"#, r#""sim_ms":40,"mood":"good""#),
        (r#"{"planned":9,"#, r#"{"planned":9,"mood":1,"#),
        (r#""schema":1"#, r#""schema":2"#),
        (r#""type":"seed""#, r#""type":"play""#),
        (r#""planned":14"#, r#""planned":15"#),
        (r#""sim_ms":40"#, r#""sim_ms": 40"#),
    ] {
        let message = refusal(from, to);
        assert!(message.starts_with("its fields are not those"), "{message}");
    }
    let message = refusal("/drop/resume", "/rain/resume");
    assert!(message.contains("`call-answered/rain/resume` names no protocol state"), "{message}");
    assert_eq!(refusal("\"violated\"", "\"odd\""), "there is no outcome `odd`");
    assert_eq!(refusal("\"oracle\":\"skip\"", "\"oracle\":\"hop\""), "there is no oracle `hop`");
    assert!(
        refusal("\"cut-reset\":{", "\"rain\":{")
            .starts_with("it is no `seed` line: unknown variant")
    );
    assert!(refusal(r#","digest""#, r#","digested""#).contains("missing field `digest`"));
    for cut in [0, 1, line.len() / 2, line.len() - 1] {
        assert!(read_seed_line(&line.as_bytes()[..cut]).is_err(), "cut at {cut}");
    }
}
