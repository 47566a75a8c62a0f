//! From a plan's options to those of the participants.
//!
//! Owns nothing but the translation: the participants must not know the plan.

use std::time::Duration;

use seamstress_defects::Defects;
use seamstress_plan::{Plan, Topology, Unverifiable};
use seamstress_resumption::{IdScheme, Retention, UnverifiablePolicy};
use seamstress_trace::Header;

use crate::canary::Canary;
use crate::trio::{Implementations, ReferenceServer, ServerKind};

/// The host names of the server's replicas.
pub(crate) const REPLICAS: [&str; 3] = ["server", "server-2", "server-3"];
/// The host name of the proxy.
pub(crate) const PROXY: &str = "proxy";
/// The host name of the client.
pub(crate) const CLIENT: &str = "client";

pub(crate) fn replicas(topology: &Topology) -> &'static [&'static str] {
    let count = usize::try_from(topology.replicas).unwrap_or(REPLICAS.len());
    &REPLICAS[..count.clamp(1, REPLICAS.len())]
}

pub(crate) fn server_options(
    plan: &Plan,
    reference: &ReferenceServer,
) -> seamstress_server::Options {
    let server = &plan.topology.server;
    seamstress_server::Options {
        id_scheme: server.id_scheme,
        first_event_id: server.first_event_id + reference.canary.map_or(0, Canary::leak),
        floor: server.floor,
        retention: Retention {
            session_events_max: server.session_events_max,
            stream_events_max: server.stream_events_max,
            age_ms_max: server.event_age_ms_max,
        },
        refusal: server.refusal,
        priming: server.priming,
        line_ending: server.line_ending,
        retry_ms: server.retry_ms,
        keep_alive_ms: server.keep_alive_ms,
        session_idle_ms: server.session_idle_ms,
        defects: reference.defects.clone(),
    }
}

pub(crate) fn proxy_options(
    plan: &Plan,
    implementations: &Implementations,
) -> seamstress_proxy::Options {
    let replicas = replicas(&plan.topology).iter().map(|name| (*name).to_owned()).collect();
    seamstress_proxy::Options {
        replicas,
        response_timeout_ms: plan.topology.client.response_timeout_ms,
        faults: plan.faults.clone(),
        phases: plan.phases,
        defects: implementations.proxy.clone(),
    }
}

pub(crate) fn client_options(
    plan: &Plan,
    server: &ServerKind,
    defects: &Defects<seamstress_client::Defect>,
) -> seamstress_client::Options {
    let client = &plan.topology.client;
    seamstress_client::Options {
        server: PROXY.to_owned(),
        revision: plan.topology.revision,
        id_scheme: id_scheme(plan, server),
        reconnect_delay_ms: client.reconnect_delay_ms,
        reconnects_max: client.reconnects_max,
        idle_timeout_ms: client.idle_timeout_ms,
        response_timeout_ms: client.response_timeout_ms,
        live_within_ms: live_within_ms(&plan.topology),
        unverifiable: match client.unverifiable {
            Unverifiable::Accept => UnverifiablePolicy::Accept,
            Unverifiable::Refuse => UnverifiablePolicy::Refuse,
        },
        defects: defects.clone(),
    }
}

/// The scheme of a server's ids; nobody knows that of a server that is not ours.
fn id_scheme(plan: &Plan, server: &ServerKind) -> Option<IdScheme> {
    matches!(server, ServerKind::Reference(_)).then_some(plan.topology.server.id_scheme)
}

#[cfg(feature = "rmcp")]
pub(crate) fn rmcp_client_options(plan: &Plan) -> seamstress_foreign::rmcp::ClientOptions {
    let client = &plan.topology.client;
    seamstress_foreign::rmcp::ClientOptions {
        server: PROXY.to_owned(),
        revision: plan.topology.revision,
        reconnect_delay_ms: client.reconnect_delay_ms,
        connects_max: client.reconnects_max,
        live_within_ms: live_within_ms(&plan.topology),
    }
}

/// How long an event may be under way on healthy connections: it crosses two links, each within
/// its latency and a tick, and may have to wait for a connection that is just being made.
pub(crate) fn live_within_ms(topology: &Topology) -> u64 {
    12 * (topology.latency_ms + topology.tick_ms) + topology.client.reconnect_delay_ms
}

pub(crate) fn header(plan: &Plan, server: &ServerKind) -> Header {
    let trio = &plan.trio;
    let is_reference = matches!(server, ServerKind::Reference(_));
    Header {
        kind: "trace".to_owned(),
        schema: seamstress_trace::SCHEMA,
        plan: plan.name.clone(),
        server: trio.server.clone(),
        proxy: trio.proxy.clone(),
        client: trio.client.clone(),
        tick_ms: plan.topology.tick_ms,
        live_within_ms: live_within_ms(&plan.topology),
        id_scheme: id_scheme(plan, server).map(|scheme| scheme.to_string()),
        refusal: is_reference.then(|| plan.topology.server.refusal.to_string()),
    }
}

pub(crate) fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}
