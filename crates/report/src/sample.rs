//! Runs written by hand, for the tests of all renderers.
//!
//! Owns one plan and the traces of what may come of it: a call is cut after its second progress
//! and resumed. Judgements are written by hand too, so that no test here depends on the judge.

use std::collections::{BTreeMap, BTreeSet};

use seamstress_oracle::{
    Cell, FaultTally, Finding, Judgement, Oracle, ProtocolState, Resumption, Verdict,
};
use seamstress_plan::Plan;
use seamstress_trace::{Digest, Record, SCHEMA, SessionState, Trace};

use crate::Play;

/// A run with its judgement.
pub(crate) struct Sample {
    pub plan: Plan,
    pub trace: Trace,
    pub judgement: Judgement,
}

impl Sample {
    pub(crate) fn play(&self) -> Play<'_> {
        let Sample { plan, trace, judgement } = self;
        // Not the trace's own, so that no snapshot changes with the trace format.
        Play { plan, trace, judgement, digest: Digest::of(b"sample") }
    }

    /// The index of the first record whose line contains all of these.
    pub(crate) fn find(&self, parts: &[&str]) -> usize {
        let lines = self.trace.records.iter().map(|r| serde_json::to_string(r).expect("a record"));
        let mut found =
            lines.enumerate().filter(|(_, l)| parts.iter().all(|part| l.contains(part)));
        found.next().unwrap_or_else(|| panic!("no record with {parts:?}")).0
    }
}

const PLAN: &str = r#"{
  "type": "plan", "schema": 1, "name": "cut@3", "seed": 3,
  "topology": {
    "tick_ms": 1, "latency_ms": 1, "replicas": 1, "revision": "2025-11-25",
    "server": {
      "id_scheme": "namespaced", "first_event_id": 1, "floor": "strict", "session_events_max": 8,
      "stream_events_max": null, "event_age_ms_max": null, "refusal": "404-and-end-session",
      "priming": "id-and-empty-data", "line_ending": "lf", "retry_ms": null,
      "keep_alive_ms": 500, "session_idle_ms": 1000
    },
    "client": {
      "reconnect_delay_ms": 5, "reconnects_max": 5, "idle_timeout_ms": 1000,
      "response_timeout_ms": 200, "unverifiable": "accept"
    }
  },
  "workload": [
    { "id": "standalone", "at_ms": 0, "ask": "listen" },
    { "id": "c1", "at_ms": 4, "ask": { "count": { "events": 5, "interval_ms": 2 } } }
  ],
  "faults": [
    {
      "id": "f1", "family": "drop", "action": "cut-reset",
      "trigger": { "on": "event", "stream": "c1", "nth": 2 }
    },
    {
      "id": "f2", "family": "rotation", "action": "rotate-id", "extent": { "count": 1 },
      "trigger": { "on": "at", "at_ms": 24 }
    },
    {
      "id": "f3", "family": "drop", "action": "cut-clean",
      "trigger": { "on": "resume", "stream": "standalone", "nth": 1 }
    }
  ],
  "phases": { "chaos_from_ms": 10, "chaos_until_ms": 60, "deadline_ms": 500 }
}"#;

/// Until the client asks to resume.
const OPENING: &str = r#"
{"at_ms":0,"host":"client","kind":"request","exchange":1,"method":"POST","rpc":"initialize","rpc_id":"1"}
{"at_ms":6,"host":"client","kind":"response","exchange":1,"status":200,"session":"S1"}
{"at_ms":6,"host":"client","kind":"end","exchange":1,"end":"clean"}
{"at_ms":6,"host":"client","kind":"session-begin","session":"S1","origin":"s1"}
{"at_ms":8,"host":"client","kind":"request","exchange":2,"method":"GET","session":"S1","stream":"standalone"}
{"at_ms":10,"host":"run","kind":"phase","phase":"chaos"}
{"at_ms":10,"host":"server","kind":"emit","session":"s1","stream":"standalone-1","id":"s1.standalone-1.1","position":1}
{"at_ms":12,"host":"client","kind":"response","exchange":2,"status":200,"event_stream":true}
{"at_ms":12,"host":"client","kind":"event","exchange":2,"id":"s1.standalone-1.1"}
{"at_ms":13,"host":"client","kind":"request","exchange":3,"method":"POST","session":"S1","rpc":"tools/call","rpc_id":"2","stream":"c1"}
{"at_ms":15,"host":"server","kind":"emit","session":"s1","stream":"c1","id":"s1.c1.1","position":1}
{"at_ms":15,"host":"server","kind":"execute","session":"s1","call":"c1"}
{"at_ms":17,"host":"client","kind":"response","exchange":3,"status":200,"event_stream":true}
{"at_ms":17,"host":"client","kind":"event","exchange":3,"id":"s1.c1.1"}
{"at_ms":17,"host":"server","kind":"emit","session":"s1","stream":"c1","id":"s1.c1.2","position":2,"message":{"type":"progress","call":"c1","progress":1,"mark":{"origin":"s1","stream":"c1","ordinal":1}}}
{"at_ms":18,"host":"server","kind":"emit","session":"s1","stream":"standalone-1","id":"s1.standalone-1.2","position":2,"message":{"type":"notification","mark":{"origin":"s1","stream":"standalone-1","ordinal":1}}}
{"at_ms":19,"host":"client","kind":"event","exchange":3,"id":"s1.c1.2","message":{"type":"progress","call":"c1","progress":1,"mark":{"origin":"s1","stream":"c1","ordinal":1}}}
{"at_ms":19,"host":"client","kind":"deliver","exchange":3,"to":"c1","message":{"type":"progress","call":"c1","progress":1,"mark":{"origin":"s1","stream":"c1","ordinal":1}}}
{"at_ms":19,"host":"server","kind":"emit","session":"s1","stream":"c1","id":"s1.c1.3","position":3,"message":{"type":"progress","call":"c1","progress":2,"mark":{"origin":"s1","stream":"c1","ordinal":2}}}
{"at_ms":20,"host":"client","kind":"event","exchange":2,"id":"s1.standalone-1.2","message":{"type":"notification","mark":{"origin":"s1","stream":"standalone-1","ordinal":1}}}
{"at_ms":20,"host":"client","kind":"deliver","exchange":2,"to":"standalone","message":{"type":"notification","mark":{"origin":"s1","stream":"standalone-1","ordinal":1}}}
{"at_ms":20,"host":"proxy","kind":"fault","fault":"f1","family":"drop","action":"cut-reset","state":"reached","detail":"after event 2 of c1"}
{"at_ms":20,"host":"proxy","kind":"fault","fault":"f1","family":"drop","action":"cut-reset","state":"fired"}
{"at_ms":20,"host":"proxy","kind":"fault","fault":"f1","family":"drop","action":"cut-reset","state":"effective","detail":"the client's connection ended"}
{"at_ms":21,"host":"client","kind":"event","exchange":3,"id":"s1.c1.3","message":{"type":"progress","call":"c1","progress":2,"mark":{"origin":"s1","stream":"c1","ordinal":2}}}
{"at_ms":21,"host":"client","kind":"deliver","exchange":3,"to":"c1","message":{"type":"progress","call":"c1","progress":2,"mark":{"origin":"s1","stream":"c1","ordinal":2}}}
{"at_ms":21,"host":"client","kind":"end","exchange":3,"end":"reset"}
{"at_ms":21,"host":"server","kind":"emit","session":"s1","stream":"c1","id":"s1.c1.4","position":4,"message":{"type":"progress","call":"c1","progress":3,"mark":{"origin":"s1","stream":"c1","ordinal":3}}}
{"at_ms":23,"host":"server","kind":"emit","session":"s1","stream":"c1","id":"s1.c1.5","position":5,"message":{"type":"progress","call":"c1","progress":4,"mark":{"origin":"s1","stream":"c1","ordinal":4}}}
{"at_ms":24,"host":"proxy","kind":"fault","fault":"f2","family":"rotation","action":"rotate-id","state":"reached","detail":"at 24 ms"}
{"at_ms":24,"host":"proxy","kind":"fault","fault":"f2","family":"rotation","action":"rotate-id","state":"fired"}
{"at_ms":25,"host":"server","kind":"emit","session":"s1","stream":"c1","id":"s1.c1.6","position":6,"message":{"type":"progress","call":"c1","progress":5,"mark":{"origin":"s1","stream":"c1","ordinal":5}}}
{"at_ms":25,"host":"server","kind":"emit","session":"s1","stream":"c1","id":"s1.c1.7","position":7,"message":{"type":"result","request":"2","call":"c1","mark":{"origin":"s1","stream":"c1","ordinal":6}}}
{"at_ms":26,"host":"client","kind":"request","exchange":4,"method":"GET","session":"S1","cursor":"s1.c1.3","stream":"c1"}
"#;

/// The whole rest is replayed.
const SOUND: &str = r#"
{"at_ms":28,"host":"server","kind":"verdict","exchange":4,"session":"s1","session_state":"live","cursor":"s1.c1.3","decision":{"resume":{"replayed":4}},"stream":"c1","floors":[["standalone-1",1],["c1",2]]}
{"at_ms":29,"host":"proxy","kind":"rotate","from":"S1","to":"S2","keeps_old":true}
{"at_ms":29,"host":"proxy","kind":"fault","fault":"f2","family":"rotation","action":"rotate-id","state":"effective","detail":"S1 became S2"}
{"at_ms":30,"host":"client","kind":"response","exchange":4,"status":200,"session":"S2","event_stream":true}
{"at_ms":30,"host":"client","kind":"continuity","exchange":4,"last":"s1.c1.3","first":"s1.c1.4","check":"continuous","accepted":true}
{"at_ms":30,"host":"client","kind":"event","exchange":4,"id":"s1.c1.4","message":{"type":"progress","call":"c1","progress":3,"mark":{"origin":"s1","stream":"c1","ordinal":3}}}
{"at_ms":30,"host":"client","kind":"deliver","exchange":4,"to":"c1","message":{"type":"progress","call":"c1","progress":3,"mark":{"origin":"s1","stream":"c1","ordinal":3}}}
{"at_ms":30,"host":"client","kind":"event","exchange":4,"id":"s1.c1.5","message":{"type":"progress","call":"c1","progress":4,"mark":{"origin":"s1","stream":"c1","ordinal":4}}}
{"at_ms":30,"host":"client","kind":"deliver","exchange":4,"to":"c1","message":{"type":"progress","call":"c1","progress":4,"mark":{"origin":"s1","stream":"c1","ordinal":4}}}
"#;

/// The replay begins after what should have come first.
const SKIPPING: &str = r#"
{"at_ms":28,"host":"server","kind":"verdict","exchange":4,"session":"s1","session_state":"live","cursor":"s1.c1.3","decision":{"resume":{"replayed":2}},"stream":"c1","floors":[["standalone-1",1],["c1",6]]}
{"at_ms":30,"host":"client","kind":"response","exchange":4,"status":200,"session":"S1","event_stream":true}
"#;

/// What both end with.
const REST: &str = r#"
{"at_ms":30,"host":"client","kind":"event","exchange":4,"id":"s1.c1.6","message":{"type":"progress","call":"c1","progress":5,"mark":{"origin":"s1","stream":"c1","ordinal":5}}}
{"at_ms":30,"host":"client","kind":"deliver","exchange":4,"to":"c1","message":{"type":"progress","call":"c1","progress":5,"mark":{"origin":"s1","stream":"c1","ordinal":5}}}
{"at_ms":30,"host":"client","kind":"event","exchange":4,"id":"s1.c1.7","message":{"type":"result","request":"2","call":"c1","mark":{"origin":"s1","stream":"c1","ordinal":6}}}
{"at_ms":30,"host":"client","kind":"deliver","exchange":4,"to":"c1","message":{"type":"result","request":"2","call":"c1","mark":{"origin":"s1","stream":"c1","ordinal":6}}}
{"at_ms":30,"host":"client","kind":"outcome","call":"c1","outcome":"done"}
{"at_ms":30,"host":"client","kind":"end","exchange":4,"end":"clean"}
{"at_ms":30,"host":"client","kind":"end","exchange":2,"end":"left"}
{"at_ms":30,"host":"client","kind":"request","exchange":5,"method":"DELETE","session":"S1"}
{"at_ms":32,"host":"server","kind":"session-end","session":"s1","why":"deleted"}
{"at_ms":34,"host":"client","kind":"response","exchange":5,"status":200}
{"at_ms":34,"host":"client","kind":"end","exchange":5,"end":"clean"}
{"at_ms":40,"host":"server","kind":"leftover","sessions":0,"streams":0,"connections":0}
{"at_ms":40,"host":"run","kind":"run-end","why":"finished"}
"#;

/// The cursor is refused, and the session with it.
const REFUSED: &str = r#"
{"at_ms":28,"host":"server","kind":"verdict","exchange":4,"session":"s1","session_state":"live","cursor":"s1.c1.3","decision":{"refused":{"reason":"below-floor"}},"floors":[["standalone-1",3],["c1",6]]}
{"at_ms":28,"host":"server","kind":"session-end","session":"s1","why":"refused"}
{"at_ms":30,"host":"client","kind":"response","exchange":4,"status":404}
{"at_ms":30,"host":"client","kind":"end","exchange":4,"end":"clean"}
{"at_ms":30,"host":"client","kind":"declare-loss","session":"S1","why":"not-found"}
{"at_ms":30,"host":"client","kind":"outcome","call":"c1","outcome":"unknown"}
{"at_ms":30,"host":"client","kind":"end","exchange":2,"end":"left"}
{"at_ms":60,"host":"run","kind":"phase","phase":"tail"}
{"at_ms":61,"host":"proxy","kind":"leftover","sessions":0,"streams":0,"connections":1}
{"at_ms":61,"host":"run","kind":"run-end","why":"finished"}
"#;

/// The plan: a call beside the standalone stream, one cut, one rotation, one cut that never comes.
pub(crate) fn plan() -> Plan {
    serde_json::from_str(PLAN).expect("a plan")
}

/// The call is resumed and everything comes.
pub(crate) fn sound() -> Sample {
    sample(&[OPENING, SOUND, REST], resumption("resume", Cell::Sound))
}

/// The server refuses, as it must: what follows the cursor is partly evicted.
pub(crate) fn refused() -> Sample {
    let resumption = Resumption { accepted: false, ..resumption("below-floor", Cell::Needed) };
    sample(&[OPENING, REFUSED], resumption)
}

/// The server clamps the cursor to its floor, the client does not check, and two progress
/// notifications are skipped.
pub(crate) fn skipping() -> Sample {
    let mut sample = sample(&[OPENING, SKIPPING, REST], resumption("resume", Cell::Escape));
    sample.plan.trio.server = "reference:clamp-to-floor".into();
    sample.plan.trio.client = "reference:no-continuity-check".into();
    let at = sample.find(&["deliver", "\"progress\":5"]);
    let emitted = sample.find(&["emit", "\"progress\":3"]);
    let finding = |oracle, subject, sentence: &str, related| Finding {
        oracle,
        subject,
        state: "resumed:resume".into(),
        sentence: sentence.into(),
        record: at,
        related,
        resumption: Some(4),
    };
    sample.judgement.verdict = Verdict::Violated;
    sample.judgement.findings = vec![
        finding(
            Oracle::CursorExact,
            "call",
            "a finding of a rule, which stands before the escape in the trace",
            vec![],
        ),
        finding(
            Oracle::Skip,
            "progress",
            "progress 3 to 4 of c1 did not reach the application: on exchange 4, the resumption \
             with cursor s1.c1.3, progress 5 of c1 came first",
            vec![emitted],
        ),
    ];
    sample
}

/// A run that ended in a panic.
pub(crate) fn panicked() -> Sample {
    let end = r#"{"at_ms":26,"host":"run","kind":"run-end","why":"panicked","detail":"index out of bounds"}"#;
    let mut sample = sample(&[OPENING, end], resumption("resume", Cell::Sound));
    sample.judgement.resumptions.clear();
    sample.judgement.states.clear();
    sample.judgement.verdict = Verdict::Error;
    sample
}

fn resumption(decision: &str, cell: Cell) -> Resumption {
    Resumption {
        exchange: 4,
        record: OPENING.trim().lines().count() - 1,
        stream: "c1".into(),
        cursor: "s1.c1.3".into(),
        session_state: Some(SessionState::Live),
        decision: decision.into(),
        accepted: true,
        cell,
    }
}

/// The state in which the call was resumed: its response was out, and it had been cut.
fn state(resumption: &Resumption) -> ProtocolState {
    format!("call-answered/drop/{}", resumption.decision).parse().expect("a state")
}

fn sample(parts: &[&str], resumption: Resumption) -> Sample {
    let header = seamstress_trace::Header {
        kind: "trace".into(),
        schema: SCHEMA,
        plan: "cut@3".into(),
        server: "reference".into(),
        proxy: "reference".into(),
        client: "reference".into(),
        tick_ms: 1,
        live_within_ms: 29,
        id_scheme: Some("namespaced".into()),
        refusal: Some("404-and-end-session".into()),
    };
    let lines = parts.iter().flat_map(|part| part.trim().lines());
    let records: Vec<Record> =
        lines.map(|line| serde_json::from_str(line).expect("a record")).collect();
    let count = |state: &str| {
        let is = |r: &&Record| serde_json::to_string(r).expect("a record").contains(state);
        let mut counts = BTreeMap::new();
        for record in records.iter().filter(is) {
            if let seamstress_trace::What::Fault { action, .. } = &record.what {
                *counts.entry(action.clone()).or_insert(0) += 1;
            }
        }
        counts
    };
    let faults = FaultTally {
        reached: count(r#""state":"reached""#),
        fired: count(r#""state":"fired""#),
        effective: count(r#""state":"effective""#),
    };
    let number = |kind: &str| {
        let is = |r: &&Record| {
            let line = serde_json::to_string(r).expect("a record");
            line.contains(kind) && line.contains("message")
        };
        records.iter().filter(is).count() as u64
    };
    let judgement = Judgement {
        verdict: Verdict::Holds,
        findings: Vec::new(),
        states: BTreeSet::from([state(&resumption)]),
        resumptions: vec![resumption],
        faults,
        emitted: number(r#""kind":"emit""#),
        delivered: number(r#""kind":"deliver""#),
    };
    Sample { plan: plan(), trace: Trace { header, records }, judgement }
}
