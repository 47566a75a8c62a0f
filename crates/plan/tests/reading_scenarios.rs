//! What a scenario file may say, and what is said about one that says something else. Each message
//! is read here as a user would read it: file, line, column, field, sentence, way out.

mod support;

use seamstress_plan::{
    ExpectedCell, ExpectedOutcome, Problem, Scenario, StormFaults, Workload, generate,
};

/// What is said about a file with this text after its `about`, one line for each text.
fn said(texts: &[&str]) -> String {
    let message = |text: &&str| {
        let file = format!("about = \"A test.\"\n{text}");
        match Scenario::from_toml("mine.toml", &file) {
            Ok(_) => "nothing is wrong".to_owned(),
            Err(error) => support::wrapped(&error.to_string()),
        }
    };
    texts.iter().map(message).collect::<Vec<_>>().join("\n")
}

fn read(text: &str) -> Scenario {
    Scenario::from_toml("mine.toml", text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_file_with_nothing_but_its_purpose_is_a_calm_scenario_with_the_shared_defaults() {
    let scenario = read("about = \"One call, and nothing goes wrong.\"");
    assert_eq!(scenario.seeds, 1);
    assert_eq!(scenario.expectation.outcome, ExpectedOutcome::Holds);
    let plan = generate(&scenario, "calm", 3);
    assert!(plan.faults.is_empty());
    assert_eq!(plan.workload.len(), 1);
    let topology = serde_json::to_string(&plan.topology).expect("it is plain data");
    insta::assert_snapshot!(topology.replace(",\"", ",\n\""), @r#"
    {"tick_ms":1,
    "latency_ms":1,
    "replicas":1,
    "revision":"2025-11-25",
    "server":{"id_scheme":"namespaced",
    "first_event_id":1,
    "floor":"strict",
    "session_events_max":null,
    "stream_events_max":null,
    "event_age_ms_max":null,
    "refusal":"404-and-end-session",
    "priming":"id-and-empty-data",
    "line_ending":"lf",
    "retry_ms":5,
    "keep_alive_ms":40,
    "session_idle_ms":400},
    "client":{"reconnect_delay_ms":5,
    "reconnects_max":6,
    "idle_timeout_ms":120,
    "response_timeout_ms":100,
    "unverifiable":"accept"}}
    "#);
}

#[test]
fn a_value_can_be_fixed_or_one_of_several_or_between_two() {
    let scenario = read(
        r#"
        about = "All three ways to write a value."
        [topology]
        latency_ms = 3
        session_events_max = { any = [4, "none"] }
        replicas = { from = 1, to = 3 }
        "#,
    );
    let topologies: Vec<_> =
        (0..100).map(|seed| generate(&scenario, "mine", seed).topology).collect();
    assert!(topologies.iter().all(|topology| topology.latency_ms == 3));
    for rings in [Some(4), None] {
        assert!(topologies.iter().any(|topology| topology.server.session_events_max == rings));
    }
    for replicas in 1..=3 {
        assert!(topologies.iter().any(|topology| topology.replicas == replicas));
    }
}

#[test]
fn operations_and_faults_can_be_written_by_hand_in_the_shape_of_a_plan() {
    let scenario = read(
        r#"
        about = "A cut in the middle of a call."
        [[workload.operation]]
        id = "c1"
        at_ms = 0
        ask = { count = { events = 3, interval_ms = 2 } }
        [[workload.operation]]
        id = "p1"
        at_ms = 4
        ask = "ping"
        [[storm.fault]]
        id = "f1"
        family = "drop"
        trigger = { on = "event", stream = "c1", nth = 2, place = { byte = 17 } }
        action = "cut-reset"
        [expectation]
        cells = ["sound"]
        [[expectation.case]]
        name = "clamping"
        server = "reference:clamp-to-floor"
        findings = [{ oracle = "skip", subject = "progress", about = "The gap is jumped." }]
        "#,
    );
    assert!(matches!(&scenario.workload, Workload::Written(operations) if operations.len() == 2));
    assert!(matches!(&scenario.storm.faults, StormFaults::Written(faults) if faults.len() == 1));
    assert_eq!(scenario.expectation.cells, [ExpectedCell::Sound]);
    let case = &scenario.expectation.cases[0];
    assert_eq!(case.trio().server, "reference:clamp-to-floor");
    assert_eq!(case.trio().client, "reference");
    assert_eq!(case.findings[0].oracle, "skip");
    assert_eq!(generate(&scenario, "mine", 1).faults, generate(&scenario, "mine", 2).faults);
}

#[test]
fn an_unknown_key_or_word_is_answered_with_the_one_that_was_meant_or_all_there_are() {
    insta::assert_snapshot!(said(&[
        "[topolgy]",
        "[topology]\nsession_event_max = 4",
        "[topology]\nring = 4",
        "[topology]\nid_scheme = \"namespacd\"",
        "[topology]\nid_scheme = { any = [\"namespaced\", \"uuid\"] }",
        "[topology]\nsession_events_max = \"nome\"",
        "[storm]\nfamilies = [\"drop\", \"evict\"]",
        "[storm]\nfamilies = [\"drop\"]\nactions = [\"cut-resett\"]",
        "[storm]\nfamilies = [\"silence\"]\n[storm.extents]\nidle-cutt = { duration_ms = 3 }",
        "[workload.kinds]\nlist_tools = 1",
        "[expectation]\ncells = [\"escape\"]",
        "[expectation]\noutcome = \"fails\"",
        "[[workload.operation]]\nid = \"c1\"\nat_ms = 0\nask = { cuont = { events = 1 } }",
        "[[storm.fault]]\nid = \"f\"\nfamily = \"drop\"\naction = \"cut-reset\"\n\
         trigger = { on = \"evnt\", stream = \"c1\", nth = 1 }",
        "[[storm.fault]]\nid = \"f\"\nfamily = \"drop\"\naction = \"cut-reset\"\n\
         trigger = { on = \"event\", stream = \"c1\", nht = 1 }",
    ]), @r#"
    mine.toml:2:2: unknown key `topolgy`; did you mean `topology`?
    mine.toml:3:1: topology: unknown key `session_event_max`; did you mean `session_events_max`?
    mine.toml:3:1: topology: unknown key `ring`; write one of: tick_ms, latency_ms, replicas,
        revision, id_scheme, first_event_id, floor, session_events_max, stream_events_max,
        event_age_ms_max, refusal, priming, line_ending, retry_ms, keep_alive_ms,
        session_idle_ms, reconnect_delay_ms, reconnects_max, idle_timeout_ms,
        response_timeout_ms, unverifiable, rmcp
    mine.toml:3:13: topology.id_scheme: `namespacd` is not known here; did you mean
        `namespaced`?
    mine.toml:3:36: topology.id_scheme.any[1]: `uuid` is not known here; write one of:
        session-counter, namespaced, epoch-namespaced, stream-counter
    mine.toml:3:22: topology.session_events_max: `nome` is not known here; did you mean `none`?
    mine.toml:3:21: storm.families[1]: `evict` is not known here; did you mean `eviction`?
    mine.toml:4:12: storm.actions[0]: `cut-resett` is not known here; did you mean `cut-reset`?
    mine.toml:5:1: storm.extents: `idle-cutt` is not known here; did you mean `idle-cut`?
    mine.toml:3:1: workload.kinds: unknown key `list_tools`; did you mean `list-tools`?
    mine.toml:3:10: expectation.cells[0]: `escape` is not known here; write one of: sound,
        needed, needless
    mine.toml:3:11: expectation.outcome: `fails` is not known here; write `holds`
    mine.toml:5:9: workload.operation[0].ask: `cuont` is not known here; did you mean `count`?
    mine.toml:6:18: storm.fault[0].trigger.on: `evnt` is not known here; did you mean `event`?
    mine.toml:6:42: storm.fault[0].trigger: unknown key `nht`; did you mean `nth`?
    "#);
}

#[test]
fn a_value_of_another_kind_is_answered_with_the_kind_that_fits() {
    insta::assert_snapshot!(said(&[
        "[topology]\ntick_ms = \"1\"",
        "[topology]\ntick_ms = 1.5",
        "[topology]\ntick_ms = -1",
        "[topology]\ntick_ms = true",
        "[topology]\ntick_ms = [1, 2]",
        "[topology]\nid_scheme = { from = \"namespaced\", to = \"session-counter\" }",
        "[topology]\ntick_ms = { from = 1 }",
        "[topology]\ntick_ms = { any = [1], to = 3 }",
        "[topology]\ntick_ms = {}",
        "[topology]\ntick_ms = 99999999999999999999",
        "topology = 7",
        "[storm]\nfamilies = \"drop\"",
        "[[workload.operation]]\nid = \"c1\"\nat_ms = 0\nask = \"count\"",
        "[[workload.operation]]\nid = \"c1\"\nat_ms = 0\nask = { ping = {} }",
        "[[workload.operation]]\nid = \"c1\"\nat_ms = 0\nask = { count = {}, ping = {} }",
        "[[workload.operation]]\nid = \"c1\"\nat_ms = 0\nask = { count = { events = 1 } }",
        "seeds = 2026-11-14",
    ]), @r#"
    mine.toml:3:11: topology.tick_ms: the text "1" cannot stand here; write a whole number, not
        below 0
    mine.toml:3:11: topology.tick_ms: a fraction cannot stand here; write one value, `{ any =
        [..] }` or, for numbers, `{ from = .., to = .. }`
    mine.toml:3:11: topology.tick_ms: the number -1 cannot stand here; write a whole number, not
        below 0
    mine.toml:3:11: topology.tick_ms: `true` cannot stand here; write a whole number, not below
        0
    mine.toml:3:11: topology.tick_ms: a list cannot stand here; write one value, `{ any = [..]
        }` or, for numbers, `{ from = .., to = .. }`
    mine.toml:3:15: topology.id_scheme: unknown key `from`; write `any`
    mine.toml:3:11: topology.tick_ms: the key `to` is missing; add it
    mine.toml:3:11: topology.tick_ms: `any` and `from` to `to` exclude each other; keep one of
        them
    mine.toml:3:11: topology.tick_ms: the key `any` is missing; add it
    mine.toml:3:11: topology.tick_ms: a number beyond 64 bits cannot stand here; write one
        value, `{ any = [..] }` or, for numbers, `{ from = .., to = .. }`
    mine.toml:2:12: topology: the number 7 cannot stand here; write a table
    mine.toml:3:12: storm.families: the text "drop" cannot stand here; write a list
    mine.toml:5:7: workload.operation[0].ask: "count" alone cannot stand here; write a table
        with the key `count`
    mine.toml:5:16: workload.operation[0].ask.ping: a table cannot stand here; write "ping"
        alone
    mine.toml:5:7: workload.operation[0].ask: a table with 2 keys cannot stand here; write a
        table with one key, which is one of: listen, count, announce, list-tools, ping
    mine.toml:5:17: workload.operation[0].ask.count: the key `interval_ms` is missing; add it
    mine.toml:2:9: seeds: a date cannot stand here; write a whole number, not below 0
    "#);
}

#[test]
fn what_is_no_toml_is_refused_at_its_place() {
    insta::assert_snapshot!(said(&[
        "[topology",
        "[topology]\ntick_ms = ",
        "[topology]\ntick_ms = 1\ntick_ms = 2",
        "{\"type\": \"plan\"}",
    ]), @r#"
    mine.toml:2:10: this is not TOML: unclosed table, expected `]`; mend the text here
    mine.toml:3:11: this is not TOML: string values must be quoted, expected literal string;
        mend the text here
    mine.toml:4:1: this is not TOML: duplicate key; mend the text here
    mine.toml:2:1: this is not TOML: invalid key-value pair, expected key; mend the text here
    "#);
    let empty = Scenario::from_toml("mine.toml", "").unwrap_err();
    assert_eq!(empty.problem, Problem::MissingKey { key: "about".to_owned() });
}

#[test]
fn a_topology_that_could_not_be_or_never_work_is_refused() {
    insta::assert_snapshot!(said(&[
        "[topology]\ntick_ms = 0",
        "[topology]\nlatency_ms = 0",
        "[topology]\ntick_ms = 50\nlatency_ms = 75",
        "[topology]\ntick_ms = { any = [1, 2] }\nlatency_ms = { from = 2, to = 4 }",
        "[topology]\nreplicas = 0",
        "[topology]\nreplicas = { from = 2, to = 4 }",
        "[topology]\nreplicas = { from = 3, to = 2 }",
        "[topology]\nreplicas = { any = [] }",
        "[topology]\nreconnects_max = 0",
        "[topology]\nkeep_alive_ms = 0",
        "[topology]\nidle_timeout_ms = 40",
        "[topology]\nkeep_alive_ms = { any = [10, 500] }",
        "[topology]\nlatency_ms = 30",
        "[topology]\nsession_idle_ms = 86400001",
        "[topology]\nretry_ms = { any = [3, 100000000] }",
        "[topology]\nretry_ms = \"none\"\npriming = { any = [\"typed\", \"id-and-retry\"] }",
    ]), @r#"
    mine.toml:3:11: topology.tick_ms: 0 is out of range; write a number from 1 to 1000
    mine.toml:3:14: topology.latency_ms: 0 is out of range; write a number from 1 to 86400000
    mine.toml:4:14: topology.latency_ms: a latency of 75 ms is no multiple of the tick of 50 ms,
        and the network moves only at the edges of ticks; change one of the two
    mine.toml:4:14: topology.latency_ms: a latency of 3 ms is no multiple of the tick of 2 ms,
        and the network moves only at the edges of ticks; change one of the two
    mine.toml:3:12: topology.replicas: 0 is out of range; write a number from 1 to 3
    mine.toml:3:12: topology.replicas: 4 is out of range; write a number from 1 to 3
    mine.toml:3:12: topology.replicas: `from` is 3 and `to` is 2; exchange them
    mine.toml:3:12: topology.replicas: nothing to choose from; name at least one value in `any`
    mine.toml:3:18: topology.reconnects_max: 0 is out of range; write a number from 1 to 1000
    mine.toml:3:17: topology.keep_alive_ms: 0 is out of range; write a number from 1 to 86400000
    mine.toml:3:19: topology.idle_timeout_ms: the client gives up after 40 ms without a byte,
        and the keep-alive comes every 40 ms only; make the keep-alive shorter than the idle
        timeout
    mine.toml:3:17: topology.keep_alive_ms: the client gives up after 120 ms without a byte, and
        the keep-alive comes every 500 ms only; make the keep-alive shorter than the idle
        timeout
    mine.toml:3:14: topology.latency_ms: no response can arrive within 100 ms: there and back
        over the proxy takes four times the latency of 30 ms; raise the timeout above that
    mine.toml:3:19: topology.session_idle_ms: 86400001 is out of range; write a number from 1 to
        86400000
    mine.toml:3:12: topology.retry_ms: 100000000 is out of range; write a number from 0 to
        86400000
    mine.toml:4:11: topology.priming: priming with `id-and-retry` needs a retry to send; set
        `retry_ms` to a number
    "#);
}

#[test]
fn a_workload_that_could_not_be_or_never_end_is_refused() {
    let operation = |id: &str, at_ms: u64, ask: &str| {
        format!("[[workload.operation]]\nid = \"{id}\"\nat_ms = {at_ms}\nask = {ask}\n")
    };
    let two = |second: String| operation("c1", 5, "\"ping\"") + &second;
    let texts = [
        "[workload]\nevents = 0".to_owned(),
        "[workload]\nevents = { from = 1, to = 1000001 }\ninterval_ms = 0".to_owned(),
        "[workload.kinds]\ncount = 0".to_owned(),
        "[workload.kinds]\nlisten = { from = 0, to = 2 }".to_owned(),
        "[workload]\nevents = { from = 5, to = 400 }".to_owned(),
        "[workload]\nevents = 3\n".to_owned() + &operation("c1", 0, "\"ping\""),
        operation("c.1", 0, "\"ping\""),
        operation("c1", 0, "\"listen\""),
        operation("standalone", 0, "\"ping\""),
        operation("c1", 1500, "\"ping\""),
        operation("c1", 0, "{ count = { events = 0, interval_ms = 1 } }"),
        operation("c1", 0, "{ announce = { events = 1000001, interval_ms = 0 } }"),
        operation("c1", 100, "{ count = { events = 139, interval_ms = 10 } }"),
        two(operation("c1", 6, "\"ping\"")),
        two(operation("c2", 4, "\"ping\"")),
    ];
    insta::assert_snapshot!(said(&texts.each_ref().map(String::as_str)), @r#"
    mine.toml:3:10: workload.events: 0 is out of range; write a number from 1 to 1000000
    mine.toml:3:10: workload.events: 1000001 is out of range; write a number from 1 to 1000000
    mine.toml:3:9: workload.kinds.count: 0 is out of range; write a number from 1 to 100
    mine.toml:3:10: workload.kinds.listen: 2 is out of range; write a number from 0 to 1
    mine.toml:3:10: workload.events: the work takes until 1624 ms and the deadline is 1500 ms;
        set the deadline later, or ask for less
    mine.toml:3:10: workload.events: this draws at random and `operation` is written by hand;
        keep one of the two and remove the other
    mine.toml:3:6: workload.operation[0].id: "c.1" is no usable name; use 1 to 64 of the
        characters A-Z a-z 0-9 `_` `-`
    mine.toml:3:6: workload.operation[0].id: an operation that listens is called `standalone`,
        after its stream; rename `c1`
    mine.toml:3:6: workload.operation[0].id: only the operation that listens is called
        `standalone`; give this one another id
    mine.toml:4:9: workload.operation[0].at_ms: the work takes until 1500 ms and the deadline is
        1500 ms; set the deadline later, or ask for less
    mine.toml:5:28: workload.operation[0].ask.count.events: 0 is out of range; write a number
        from 1 to 1000000
    mine.toml:5:31: workload.operation[0].ask.announce.events: 1000001 is out of range; write a
        number from 1 to 1000000
    mine.toml:5:17: workload.operation[0].ask.count: the work takes until 1500 ms and the
        deadline is 1500 ms; set the deadline later, or ask for less
    mine.toml:7:6: workload.operation[1].id: the id `c1` is taken; every operation and every
        fault has its own
    mine.toml:8:9: workload.operation[1].at_ms: `c2` comes before an earlier operation; write
        operations in the order of time
    "#);
}

#[test]
fn a_storm_that_could_not_happen_is_refused() {
    insta::assert_snapshot!(said(&[
        "[storm]\nchaos_from_ms = 200",
        "[storm]\nchaos_until_ms = 1500",
        "[storm]\ndeadline_ms = 0",
        "[storm]\ndeadline_ms = 86400001",
        "[storm]\nfamilies = [\"drop\", \"drop\"]",
        "[storm]\nfamilies = [\"drop\", \"silence\"]\nactions = [\"cut-reset\"]",
        "[storm]\nfamilies = [\"routing\"]\nactions = [\"route-to-empty\"]",
        "[topology]\nreplicas = { any = [1, 2] }\n\
         [storm]\nfamilies = [\"routing\"]\nactions = [\"route-to-empty\"]",
        "[storm]\nfamilies = [\"drop\"]\nactions = [\"cut-reset\", \"burst\"]",
        "[storm]\nfamilies = [\"drop\"]\nactions = [\"cut-reset\", \"cut-reset\"]",
        "[storm]\nfamilies = [\"drop\"]\nfaults_per_family = 101",
        "[storm]\nfamilies = [\"drop\"]\n[storm.extents]\nburst = { count = 3 }",
        "[storm]\nfamilies = [\"eviction\"]\n[storm.extents]\nburst = { bytes = 3 }",
        "[storm]\nfamilies = [\"eviction\"]\n[storm.extents]\nburst = { count = 3, bytes = 3 }",
        "[storm]\nfamilies = [\"eviction\"]\n\
         [storm.extents]\nburst = { count = { from = 0, to = 3 } }",
        "[storm]\nfamilies = [\"drop\"]\nfault = []",
        "[[storm.fault]]\nid = \"f\"\nfamily = \"rotation\"\naction = \"rotate-id\"\n\
         trigger = { on = \"at\", at_ms = 20 }\nextent = { count = 1 }",
    ]), @r#"
    mine.toml:3:17: storm.chaos_from_ms: the chaos begins at 200 ms and ends at 160 ms; let it
        end after it begins
    mine.toml:3:18: storm.chaos_until_ms: the deadline of 1500 ms leaves no quiet tail after the
        chaos, which ends at 1500 ms; set the deadline later
    mine.toml:3:15: storm.deadline_ms: 0 is out of range; write a number from 1 to 86400000
    mine.toml:3:15: storm.deadline_ms: 86400001 is out of range; write a number from 1 to
        86400000
    mine.toml:3:21: storm.families[1]: `drop` is named twice; remove one of them
    mine.toml:3:21: storm.families[1]: no action is left that the family `silence` can use here;
        name one of its actions in `actions`, or remove the family
    mine.toml:3:13: storm.families[0]: no action is left that the family `routing` can use here;
        those in `actions` need a second replica, so let `replicas` be 2 or 3
    nothing is wrong
    mine.toml:4:25: storm.actions[1]: `burst` is never drawn here; list its family `eviction` in
        `families` and, if there are any, the action in `actions`
    mine.toml:4:25: storm.actions[1]: `cut-reset` is named twice; remove one of them
    mine.toml:4:21: storm.faults_per_family: 101 is out of range; write a number from 0 to 100
    mine.toml:5:9: storm.extents.burst: `burst` is never drawn here; list its family `eviction`
        in `families` and, if there are any, the action in `actions`
    mine.toml:5:9: storm.extents.burst: `burst` needs `count`; add it
    mine.toml:5:30: storm.extents.burst.bytes: `burst` does not read `bytes`; remove it
    mine.toml:5:19: storm.extents.burst.count: 0 is out of range; write a number from 1 to
        1000000
    mine.toml:3:12: storm.families: this draws at random and `fault` is written by hand; keep
        one of the two and remove the other
    mine.toml:2:1: storm.fault: faults written by hand name operations; write the workload by
        hand too, in [[workload.operation]]
    "#);
}

#[test]
fn a_fault_that_could_not_happen_is_refused() {
    let workload = "workload.operation = [\
        { id = \"standalone\", at_ms = 0, ask = \"listen\" }, \
        { id = \"c1\", at_ms = 0, ask = { count = { events = 5, interval_ms = 2 } } }, \
        { id = \"p1\", at_ms = 0, ask = \"ping\" }]\n";
    let fault = |family: &str, action: &str, trigger: &str, extent: &str| {
        format!(
            "{workload}[[storm.fault]]\nid = \"f1\"\nfamily = \"{family}\"\naction = \"{action}\"\n\
             trigger = {{ {trigger} }}\nextent = {{ {extent} }}\n"
        )
    };
    let event = "on = \"event\", stream = \"c1\", nth = 2";
    let resume = "on = \"resume\", stream = \"c1\", nth = 1";
    let twice = fault("drop", "cut-reset", event, "");
    let texts = [
        fault("drop", "cut-reset", event, ""),
        fault("eviction", "cut-reset", event, ""),
        fault("drop", "cut-reset", "on = \"event\", stream = \"c2\", nth = 2", ""),
        fault("drop", "cut-reset", "on = \"event\", stream = \"initialize\", nth = 2", ""),
        fault("drop", "cut-reset", "on = \"event\", stream = \"p1\", nth = 2", ""),
        fault("drop", "cut-reset", "on = \"response\", stream = \"standalone\"", ""),
        fault("drop", "cut-reset", "on = \"event\", stream = \"c1\", nth = 0", ""),
        fault("drop", "cut-reset", &format!("{event}, place = {{ byte = 0 }}"), ""),
        fault("drop", "cut-reset", "on = \"at\", at_ms = 20", ""),
        fault("drop", "cut-reset", event, "count = 1"),
        fault("drop", "cut-client-side", event, ""),
        fault("drop", "cut-client-side", event, "duration_ms = 0"),
        fault("shape", "rechunk", event, "bytes = 0"),
        fault("shape", "rechunk", &format!("{event}, place = \"before\""), "bytes = 7"),
        fault("routing", "route-to-empty", event, ""),
        fault("routing", "route-to-empty", resume, ""),
        fault("eviction", "burst", "on = \"at\", at_ms = 160", "count = 3"),
        twice.clone() + twice.strip_prefix(workload).expect("it begins so"),
        twice.replace("\"f1\"", "\"c1\""),
        twice.replace("\"f1\"", "\"f 1\""),
    ];
    insta::assert_snapshot!(said(&texts.each_ref().map(String::as_str)), @r#"
    nothing is wrong
    mine.toml:5:10: storm.fault[0].family: `cut-reset` is of the family `drop`, not of
        `eviction`; write that
    mine.toml:7:36: storm.fault[0].trigger.stream: no operation is called `c2`; did you mean
        `c1`?
    mine.toml:7:36: storm.fault[0].trigger.stream: no operation is called `initialize`; write
        one of: standalone, c1
    mine.toml:7:36: storm.fault[0].trigger.stream: `p1` is answered by one JSON body and has no
        stream to place a fault on; name a `count`, `announce` or `listen`
    mine.toml:7:39: storm.fault[0].trigger.stream: `standalone` listens and gets no response;
        use another trigger, such as `event`
    mine.toml:7:48: storm.fault[0].trigger.nth: 0 is out of range; write a number from 1 to
        1000000
    mine.toml:7:68: storm.fault[0].trigger.place.byte: 0 is out of range; write a number from 1
        to 1000000
    mine.toml:7:11: storm.fault[0].trigger: `cut-reset` cannot happen on `at`; use one of:
        event, head, response, resume, replay
    mine.toml:8:20: storm.fault[0].extent.count: `cut-reset` does not read `count`; remove it
    mine.toml:8:10: storm.fault[0].extent: `cut-client-side` needs `duration_ms`; add it
    mine.toml:8:26: storm.fault[0].extent.duration_ms: 0 is out of range; write a number from 1
        to 86400000
    mine.toml:8:20: storm.fault[0].extent.bytes: 0 is out of range; write a number from 1 to
        1000000
    mine.toml:7:59: storm.fault[0].trigger.place: `rechunk` happens after a whole event; only
        cuts take another place than `after`
    mine.toml:6:10: storm.fault[0].action: `route-to-empty` needs another replica and there may
        be only one; set `replicas` to 2 or 3
    mine.toml:6:10: storm.fault[0].action: `route-to-empty` needs another replica and there may
        be only one; set `replicas` to 2 or 3
    mine.toml:7:32: storm.fault[0].trigger.at_ms: at 160 ms there is no chaos, which goes from
        10 ms to before 160 ms, so this never happens; move one of the two
    mine.toml:10:6: storm.fault[1].id: the id `f1` is taken; every operation and every fault has
        its own
    mine.toml:4:6: storm.fault[0].id: the id `c1` is taken; every operation and every fault has
        its own
    mine.toml:4:6: storm.fault[0].id: "f 1" is no usable name; use 1 to 64 of the characters A-Z
        a-z 0-9 `_` `-`
    "#);
}

#[test]
fn an_expectation_that_says_nothing_or_the_same_twice_is_refused() {
    insta::assert_snapshot!(said(&[
        "seeds = 0",
        "[expectation]\ncells = [\"sound\", \"sound\"]",
        "[[expectation.case]]\nname = \"a b\"",
        "[[expectation.case]]\nname = \"a\"\n[[expectation.case]]\nname = \"a\"",
        "[[expectation.case]]\nname = \"a\"\nserver = \"\"",
        "[[expectation.case]]\nname = \"a\"\nfindings = [\n\
         { oracle = \"skip\", subject = \"result\", about = \"\" }]",
        "[[expectation.case]]\nname = \"a\"\nfindings = [\n\
         { oracle = \"skip\", subject = \"result\", about = \"One.\" },\n\
         { oracle = \"skip\", subject = \"result\", about = \"Two.\" }]",
        "[[expectation.case]]\nname = \"a\"\nfindings = [{ oracle = \"skip\" }]",
    ]), @r#"
    mine.toml:2:9: seeds: 0 is out of range; write a number from 1 to 1000000000
    mine.toml:3:19: expectation.cells[1]: `sound` is named twice; remove one of them
    mine.toml:3:8: expectation.case[0].name: "a b" is no usable name; use 1 to 64 of the
        characters A-Z a-z 0-9 `_` `-`
    mine.toml:5:8: expectation.case[1].name: `a` is named twice; remove one of them
    mine.toml:4:10: expectation.case[0].server: this is empty; say it in words
    mine.toml:5:48: expectation.case[0].findings[0].about: this is empty; say it in words
    mine.toml:6:1: expectation.case[0].findings[1]: `skip/result` is named twice; remove one of
        them
    mine.toml:4:13: expectation.case[0].findings[0]: the key `subject` is missing; add it
    "#);
    let nameless = Scenario::from_toml("mine.toml", "about = \" \"").unwrap_err();
    assert_eq!(nameless.to_string(), "mine.toml:1:9: about: this is empty; say it in words");
}
