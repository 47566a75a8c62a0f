//! Every action at every kind of place that fits it: it is carried out, shows an effect, and is
//! recorded so, once.

use seamstress_plan::{Action, Place, Trigger};
use seamstress_testing::{Asked, ScriptedServer, after_ms};
use serde_json::json;

use crate::support::{
    EFFECTIVE, Through, after_event, at_event, at_head, at_resume, event, fault, send,
};

/// The places at which an action makes sense: one of each kind.
fn places(action: Action) -> Vec<Trigger> {
    let response = Trigger::Response { stream: "c1".to_owned() };
    let replay = |events| Trigger::Replay { stream: "c1".to_owned(), nth: 1, events };
    let at = Trigger::At { at_ms: 150 };
    match action {
        Action::CutClean | Action::CutNoLastChunk | Action::CutReset | Action::CutClientSide => {
            let inside = at_event(2, Place::MidCharacter);
            let (begin, after) = (replay(0), replay(1));
            vec![at_head(), inside, after_event(2), response, at_resume(1), begin, after]
        }
        Action::RotateId
        | Action::RotateIdForgetOld
        | Action::Burst
        | Action::ShrinkRing
        | Action::AgeOut
        | Action::EvictSession
        | Action::RestartKeepLog
        | Action::RestartLoseLog
        | Action::Rebase => vec![after_event(2), at_resume(1), at],
        Action::HoldLink => vec![after_event(2), at],
        Action::IdleCut
        | Action::BlackHole
        | Action::SlowReader
        | Action::Rechunk
        | Action::BufferBytes
        | Action::BufferUntilEnd
        | Action::InsertComment
        | Action::InsertRetry
        | Action::InsertEmptyEvent => vec![at_head(), after_event(1)],
        Action::RouteToLagging
        | Action::RouteToEmpty
        | Action::RouteToOtherEpoch
        | Action::TwinResume => vec![at_resume(1)],
        Action::SecondConnection => vec![after_event(2)],
    }
}

/// A server that answers whatever comes: two events, a pause, and the response.
async fn serve(mut server: ScriptedServer) {
    loop {
        let asked: Asked = server.next().await;
        if asked.rpc() == "ping" {
            asked.result(&json!({}));
            continue;
        }
        tokio::spawn(async move {
            let stream = asked.stream();
            send(&stream, 1..=2);
            after_ms(300).await;
            stream.send("id: s1.c1.3\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n\n");
        });
    }
}

#[tokio::test(start_paused = true)]
async fn every_action_has_its_effect_at_every_place_that_fits_it_and_is_recorded_once() {
    for action in Action::ALL {
        for trigger in places(*action) {
            let through = Through::begin(vec![fault(*action, trigger.clone())]).await;
            let (tape, peer) = (through.tape.clone(), through.peer.clone());
            let servers = [tokio::spawn(serve(through.server)), tokio::spawn(serve(through.other))];
            let call = json!({ "call": "c1", "events": 3 });
            let mut called = peer.call(7, "count", &call).send().await;
            called.text_within_ms(1_000).await;
            drop(called);
            let mut resumed = peer.resume("s1.c1.1").send().await;
            resumed.text_within_ms(1_000).await;
            peer.request("ping", &json!({})).send().await;
            let states = crate::support::states_on(&tape, action.name());
            assert_eq!(states, EFFECTIVE, "{action} {trigger}");
            servers.iter().for_each(tokio::task::JoinHandle::abort);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn two_faults_on_one_stream_are_carried_out_each_at_its_own_place() {
    let faults = vec![
        fault(Action::InsertComment, after_event(1)),
        fault(Action::Rechunk, after_event(1)),
        fault(Action::Burst, after_event(2)),
        fault(Action::CutReset, at_event(3, Place::Before)),
    ];
    let mut through = Through::begin(faults.clone()).await;
    let passed = through.calls("c1").await;
    send(&passed.server, 1..=3);
    let (text, _) = passed.client.text().await;
    assert_eq!(text, event(1) + ": inserted\n\n: inserted\n\n" + &event(2));
    for fault in faults {
        assert_eq!(through.states(&fault.id), EFFECTIVE, "{}", fault.id);
    }
}
