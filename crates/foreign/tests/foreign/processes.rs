//! What a process may answer with: a service of `tower`, or one of `hyper`.

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use seamstress_foreign::{Probes, Process};
use seamstress_trace::End;
use serde_json::json;

use crate::support::Running;

/// Answers with the body of the request, as a stranger to the protocol.
async fn echo(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, hyper::Error> {
    let body = request.into_body().collect().await?.to_bytes();
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = http::StatusCode::IM_A_TEAPOT;
    Ok(response)
}

#[tokio::test(start_paused = true)]
async fn a_service_of_tower_and_one_of_hyper_serve_alike() {
    let of_tower = |_: &Probes| Process::new(tower::service_fn(echo));
    let of_hyper = |_: &Probes| Process::of_hyper(hyper::service::service_fn(echo));
    for server in [Running::begin(of_tower).await, Running::begin(of_hyper).await] {
        for text in ["one", "another"] {
            let answer = server.stranger().post(&json!(text)).send().await;
            assert_eq!(answer.status, 418);
            assert_eq!(answer.text().await, (format!("{text:?}"), End::Clean));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_process_that_says_nothing_of_its_sessions_has_none_and_cannot_forget_them() {
    let server = Running::begin(|_: &Probes| Process::new(tower::service_fn(echo))).await;
    assert_eq!(server.hosting.sessions(), 0);
    assert_eq!(server.hosting.forget_sessions(), None);
    assert_eq!(server.hosting.burst(3), 0);
    assert_eq!(server.tape.records(), [], "no session has ended that nobody knew");
}
