//! A plan that is played against a server which only the caller has.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use seamstress_foreign::{Probes, Process, Subject};
use seamstress_plan::{Plan, Scenario, builtin_named, generate};
use seamstress_sim::{PlayError, play, play_against};
use seamstress_trace::{Outcome, Record, RunEnd, Trace, What};

fn plan(server: &str) -> Plan {
    let builtin = builtin_named("drop").expect("a built-in scenario");
    let scenario = Scenario::from_toml("drop", builtin.text).expect("a valid scenario");
    let mut plan = generate(&scenario, "drop", 0);
    plan.trio.server = server.to_owned();
    plan
}

/// A server that has nothing to offer but this status.
fn answering(status: StatusCode) -> Arc<dyn Subject> {
    Arc::new(move |_: &Probes| {
        Process::of_hyper(service_fn(move |_: Request<_>| async move {
            let mut response = Response::new(Empty::<Bytes>::new());
            *response.status_mut() = status;
            Ok::<_, Infallible>(response)
        }))
    })
}

fn statuses(trace: &Trace) -> Vec<u16> {
    let status = |record: &Record| match record.what {
        What::Response { status, .. } => Some(status),
        _ => None,
    };
    trace.records.iter().filter_map(status).collect()
}

#[test]
fn a_server_of_ones_own_is_played_whatever_the_plan_calls_it() {
    for name in ["own", "reference", "no such server"] {
        let plan = plan(name);
        let trace = play_against(&plan, answering(StatusCode::NOT_IMPLEMENTED)).expect("played");
        assert!(!statuses(&trace).is_empty());
        assert!(statuses(&trace).iter().all(|status| *status == 501), "{:?}", statuses(&trace));
        assert_eq!(trace.header.server, name);
        assert_eq!(trace.header.id_scheme, None, "nobody knows how it makes ids");
        let end = trace.records.last().map(|record| &record.what);
        assert!(matches!(end, Some(What::RunEnd { why: RunEnd::Finished, .. })), "{end:?}");
        let outcomes = trace.records.iter().filter_map(|record| match record.what {
            What::Outcome { outcome, .. } => Some(outcome),
            _ => None,
        });
        assert!(outcomes.eq([Outcome::Failed].into_iter().cycle().take(outcomes_due(&plan))));
    }
}

/// How many operations of a workload have an outcome: all but those that only listen.
fn outcomes_due(plan: &Plan) -> usize {
    let listens = |ask: &seamstress_plan::Ask| matches!(ask, seamstress_plan::Ask::Listen);
    plan.workload.iter().filter(|operation| !listens(&operation.ask)).count()
}

#[test]
fn a_run_against_ones_own_server_is_the_same_each_time() {
    let play = |status| play_against(&plan("own"), answering(status)).expect("played").digest();
    let first = play(StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(play(StatusCode::INTERNAL_SERVER_ERROR), first);
    assert_ne!(play(StatusCode::NOT_IMPLEMENTED), first, "the server shows in the trace");
}

#[test]
fn the_name_of_an_own_server_is_refused_with_the_way_out() {
    let error = play(&plan("own")).expect_err("only a test has it");
    assert_eq!(error, PlayError::OwnServer);
    let error = error.to_string();
    for way_out in ["set SEAMSTRESS_PLAN to its file and run that test", "choose a --server"] {
        assert!(error.contains(way_out), "{error}");
    }
}

#[test]
fn an_own_server_does_not_excuse_an_unknown_client_or_proxy() {
    let mut unknown = plan("own");
    unknown.trio.client = "refrence".to_owned();
    let error = play_against(&unknown, answering(StatusCode::OK)).expect_err("unknown");
    assert!(matches!(error, PlayError::UnknownImplementation { role: "client", .. }), "{error}");
    let mut unknown = plan("own");
    unknown.trio.proxy = "refrence".to_owned();
    let error = play_against(&unknown, answering(StatusCode::OK)).expect_err("unknown");
    assert!(matches!(error, PlayError::UnknownImplementation { role: "proxy", .. }), "{error}");
}
