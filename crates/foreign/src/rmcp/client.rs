//! The client of `rmcp`, driven by a plan's workload.
//!
//! Owns the calls that the application makes, and the record of what the SDK's transport hands to
//! it. Handlers of notifications run in tasks of their own, in any order: so what counts as
//! delivered is what the transport gave to the service, in the order in which it did.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientRequest, Implementation,
    InitializeRequestParams, PingRequest, ProtocolVersion,
};
use rmcp::service::{Peer, RunningService, RxJsonRpcMessage, ServiceError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransport, StreamableHttpClientTransportConfig,
};
use rmcp::{RoleClient, ServiceExt};
use seamstress_client::wire::Wire;
use seamstress_mcp::Revision;
use seamstress_net::Network;
use seamstress_plan::{Ask, Operation};
use seamstress_trace::{Host, Outcome, Recorder, What};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

use super::http::Http;
use super::observed::Observed;
use crate::turnstile::Turnstile;

/// The SDK has no time limits of its own: none of these is ever reached.
const NEVER: Duration = Duration::from_secs(86_400);

/// What can be set on the client.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// The host to connect to.
    pub server: String,
    /// The revision to ask for.
    pub revision: Revision,
    /// The delay before the first reconnection when no `retry` was given, in milliseconds; it
    /// doubles with each further one (`ExponentialBackoff::base_duration`, by default a second).
    pub reconnect_delay_ms: u64,
    /// How often the application tries to begin a session.
    pub connects_max: u64,
    /// How long an event may be under way on a healthy stream, in milliseconds: how long the
    /// application waits for announced notifications before it ends.
    pub live_within_ms: u64,
}

type Service = RunningService<RoleClient, InitializeRequestParams>;

/// Begins a session, carries a workload out, and ends the session when all has ended.
pub async fn run<N: Network>(
    network: N,
    options: ClientOptions,
    recorder: Recorder,
    workload: Vec<Operation>,
) {
    let wire = Wire::new(network, &options.server, NEVER, recorder.clone());
    let observed = Observed::new(recorder.clone());
    let Some(service) = begin(&wire, &observed, &options).await else {
        for operation in workload {
            record_outcome(&recorder, &operation, Outcome::Failed);
        }
        return;
    };
    let began = Instant::now();
    let mut calls = JoinSet::new();
    let turnstile = Turnstile::default();
    let turning = tokio::spawn(turnstile.clone().turn());
    for (number, operation) in (0..).zip(workload) {
        let (peer, observed, recorder) =
            (service.peer().clone(), observed.clone(), recorder.clone());
        let turnstile = turnstile.clone();
        calls.spawn(async move {
            sleep_until(began + Duration::from_millis(operation.at_ms)).await;
            // The SDK opens the standalone stream by itself.
            if operation.ask != Ask::Listen {
                let outcome = operate(&peer, &observed, &operation).await;
                // The SDK fails the calls of a lost session in the order of a hash map.
                turnstile.pass(number).await;
                record_outcome(&recorder, &operation, outcome);
            }
        });
    }
    while calls.join_next().await.is_some() {}
    turning.abort();
    settle(&observed, options.live_within_ms).await;
    // An error here is a panic of the SDK's, which has already reached the run's hook.
    let _ = service.cancel().await;
}

async fn begin<N: Network>(
    wire: &Wire<N>,
    observed: &Observed,
    options: &ClientOptions,
) -> Option<Service> {
    let delay = Duration::from_millis(options.reconnect_delay_ms);
    for _ in 0..options.connects_max {
        let mut config = StreamableHttpClientTransportConfig::with_uri("http://localhost/mcp");
        let mut backoff = ExponentialBackoff::default();
        backoff.base_duration = delay;
        config.retry_config = Arc::new(backoff);
        let http = Http::new(wire.clone(), observed.clone());
        let transport = StreamableHttpClientTransport::with_client(http, config);
        let transport = Watched { transport, observed: observed.clone() };
        let who = Implementation::new("seamstress-rmcp", env!("CARGO_PKG_VERSION"));
        let hello = InitializeRequestParams::new(ClientCapabilities::default(), who)
            .with_protocol_version(protocol_version(options.revision));
        if let Ok(service) = hello.serve(transport).await {
            return Some(service);
        }
        sleep(delay).await;
    }
    None
}

fn protocol_version(revision: Revision) -> ProtocolVersion {
    let text = serde_json::Value::String(revision.as_str().to_owned());
    serde_json::from_value(text).unwrap_or_default()
}

async fn operate(peer: &Peer<RoleClient>, observed: &Observed, operation: &Operation) -> Outcome {
    let done = match &operation.ask {
        Ask::Listen => return Outcome::Done,
        Ask::Ping => {
            let ping = ClientRequest::PingRequest(PingRequest::default());
            peer.send_request(ping).await.map(drop)
        }
        Ask::ListTools => peer.list_tools(None).await.map(drop),
        Ask::Count { .. } | Ask::Announce { .. } => match call_of(operation) {
            Some(call) => peer.call_tool(call).await.map(drop),
            None => return Outcome::Failed,
        },
    };
    match done {
        Ok(()) => {
            if let Ask::Announce { events, .. } = operation.ask {
                observed.promise_notifications(events);
            }
            Outcome::Done
        }
        Err(ServiceError::McpError(_)) => Outcome::Failed,
        // Whether the request reached the server is not known.
        Err(_) => Outcome::Unknown,
    }
}

fn call_of(operation: &Operation) -> Option<CallToolRequestParams> {
    let (name, arguments) = seamstress_client::probe_call(operation)?;
    match serde_json::from_str(&arguments) {
        Ok(serde_json::Value::Object(arguments)) => {
            Some(CallToolRequestParams::new(name).with_arguments(arguments))
        }
        _ => None,
    }
}

/// Waits for the notifications that results have promised, as long as one may be under way.
async fn settle(observed: &Observed, live_within_ms: u64) {
    for _ in 0..live_within_ms {
        if observed.are_promises_kept() {
            return;
        }
        sleep(Duration::from_millis(1)).await;
    }
}

fn record_outcome(recorder: &Recorder, operation: &Operation, outcome: Outcome) {
    if operation.ask != Ask::Listen {
        let record = What::Outcome { call: operation.id.clone(), outcome };
        recorder.record(Host::Client, record);
    }
}

/// The SDK's transport, with a look at what it hands to the service.
struct Watched<T> {
    transport: T,
    observed: Observed,
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Watched<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        self.transport.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let received = self.transport.receive().await?;
        if let Ok(text) = serde_json::to_string(&received) {
            self.observed.handed_over(&text);
        }
        Some(received)
    }

    fn close(&mut self) -> impl Future<Output = Result<(), T::Error>> + Send {
        self.transport.close()
    }
}
