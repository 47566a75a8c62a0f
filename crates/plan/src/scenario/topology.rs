//! The `[topology]` of a scenario: who takes part, each value fixed or left open.
//!
//! Owns the defaults that scenarios share and the draw of one [`Topology`]. It must not know which
//! values are possible; that is the same for plans and lies in `validate`.

use seamstress_mcp::sse::{LineEnding, Priming};
use seamstress_mcp::{Refusal, Revision};
use seamstress_resumption::{Floor, IdScheme};
use serde::Deserialize;

use super::{Settable, Setting};
use crate::problem::FieldPath;
use crate::validate::{Numbers, TopologyValues};
use crate::{ClientOptions, Draws, RmcpOptions, ServerOptions, Topology, Unverifiable};

/// A topology with open values. Each field means what the field of the same name means in
/// [`Topology`], [`ServerOptions`] or [`ClientOptions`].
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "said in the plan's types")]
pub struct TopologySettings {
    pub tick_ms: Setting<u64>,
    pub latency_ms: Setting<u64>,
    pub replicas: Setting<u64>,
    pub revision: Setting<Revision>,
    pub id_scheme: Setting<IdScheme>,
    pub first_event_id: Setting<u64>,
    pub floor: Setting<Floor>,
    pub session_events_max: Setting<Option<u64>>,
    pub stream_events_max: Setting<Option<u64>>,
    pub event_age_ms_max: Setting<Option<u64>>,
    pub refusal: Setting<Refusal>,
    pub priming: Setting<Priming>,
    pub line_ending: Setting<LineEnding>,
    pub retry_ms: Setting<Option<u64>>,
    pub keep_alive_ms: Setting<u64>,
    pub session_idle_ms: Setting<u64>,
    pub reconnect_delay_ms: Setting<u64>,
    pub reconnects_max: Setting<u64>,
    pub idle_timeout_ms: Setting<u64>,
    pub response_timeout_ms: Setting<u64>,
    pub unverifiable: Setting<Unverifiable>,
    pub rmcp: RmcpSettings,
}

/// The `[topology.rmcp]`: the fields of [`RmcpOptions`].
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "said in the plan's types")]
pub struct RmcpSettings {
    pub channel_capacity: Setting<u64>,
    pub stateful: Setting<bool>,
}

impl Default for RmcpSettings {
    fn default() -> RmcpSettings {
        let RmcpOptions { channel_capacity, stateful } = RmcpOptions::default();
        RmcpSettings {
            channel_capacity: Setting::fixed(channel_capacity),
            stateful: Setting::fixed(stateful),
        }
    }
}

impl Default for TopologySettings {
    /// The reference as it is meant to be, with times so short that a run takes some hundred
    /// milliseconds of simulated time: the cost of a run is per tick, also when nothing happens.
    fn default() -> TopologySettings {
        TopologySettings {
            tick_ms: Setting::fixed(1),
            latency_ms: Setting::fixed(1),
            replicas: Setting::fixed(1),
            revision: Setting::fixed(Revision::LATEST),
            id_scheme: Setting::fixed(IdScheme::Namespaced),
            first_event_id: Setting::fixed(1),
            floor: Setting::fixed(Floor::Strict),
            session_events_max: Setting::fixed(None),
            stream_events_max: Setting::fixed(None),
            event_age_ms_max: Setting::fixed(None),
            refusal: Setting::fixed(Refusal::NotFoundAndEndSession),
            priming: Setting::fixed(Priming::IdAndEmptyData),
            line_ending: Setting::fixed(LineEnding::Lf),
            retry_ms: Setting::fixed(Some(5)),
            keep_alive_ms: Setting::fixed(40),
            session_idle_ms: Setting::fixed(400),
            reconnect_delay_ms: Setting::fixed(5),
            reconnects_max: Setting::fixed(6),
            idle_timeout_ms: Setting::fixed(120),
            response_timeout_ms: Setting::fixed(100),
            unverifiable: Setting::fixed(Unverifiable::Accept),
            rmcp: RmcpSettings::default(),
        }
    }
}

/// Draws each value from a stream of its own, named after its field.
struct Drawer(u64);

impl Drawer {
    fn draw<T: Settable>(&self, field: &str, setting: &Setting<T>) -> T {
        setting.draw(&mut Draws::new(self.0, "topology", field, 0))
    }
}

impl TopologySettings {
    /// The topology that this seed gets.
    pub(crate) fn draw(&self, seed: u64) -> Topology {
        let drawer = Drawer(seed);
        Topology {
            tick_ms: drawer.draw("tick_ms", &self.tick_ms),
            latency_ms: drawer.draw("latency_ms", &self.latency_ms),
            replicas: drawer.draw("replicas", &self.replicas),
            revision: drawer.draw("revision", &self.revision),
            server: self.draw_server(&drawer),
            client: self.draw_client(&drawer),
        }
    }

    fn draw_server(&self, drawer: &Drawer) -> ServerOptions {
        ServerOptions {
            id_scheme: drawer.draw("id_scheme", &self.id_scheme),
            first_event_id: drawer.draw("first_event_id", &self.first_event_id),
            floor: drawer.draw("floor", &self.floor),
            session_events_max: drawer.draw("session_events_max", &self.session_events_max),
            stream_events_max: drawer.draw("stream_events_max", &self.stream_events_max),
            event_age_ms_max: drawer.draw("event_age_ms_max", &self.event_age_ms_max),
            refusal: drawer.draw("refusal", &self.refusal),
            priming: drawer.draw("priming", &self.priming),
            line_ending: drawer.draw("line_ending", &self.line_ending),
            retry_ms: drawer.draw("retry_ms", &self.retry_ms),
            keep_alive_ms: drawer.draw("keep_alive_ms", &self.keep_alive_ms),
            session_idle_ms: drawer.draw("session_idle_ms", &self.session_idle_ms),
            rmcp: RmcpOptions {
                channel_capacity: drawer.draw("channel_capacity", &self.rmcp.channel_capacity),
                stateful: drawer.draw("stateful", &self.rmcp.stateful),
            },
        }
    }

    fn draw_client(&self, drawer: &Drawer) -> ClientOptions {
        ClientOptions {
            reconnect_delay_ms: drawer.draw("reconnect_delay_ms", &self.reconnect_delay_ms),
            reconnects_max: drawer.draw("reconnects_max", &self.reconnects_max),
            idle_timeout_ms: drawer.draw("idle_timeout_ms", &self.idle_timeout_ms),
            response_timeout_ms: drawer.draw("response_timeout_ms", &self.response_timeout_ms),
            unverifiable: drawer.draw("unverifiable", &self.unverifiable),
        }
    }

    /// The values that the rules of `validate` look at.
    pub(crate) fn values(&self, at: &FieldPath) -> TopologyValues {
        let numbers = |key: &str, setting: &Setting<u64>| Numbers::new(at, key, setting.telling());
        TopologyValues {
            tick_ms: numbers("tick_ms", &self.tick_ms),
            latency_ms: numbers("latency_ms", &self.latency_ms),
            replicas: numbers("replicas", &self.replicas),
            first_event_id: numbers("first_event_id", &self.first_event_id),
            retry_ms: (at.key("retry_ms"), self.retry_ms.telling()),
            priming: (at.key("priming"), self.priming.telling()),
            keep_alive_ms: numbers("keep_alive_ms", &self.keep_alive_ms),
            session_idle_ms: numbers("session_idle_ms", &self.session_idle_ms),
            channel_capacity: Numbers::new(
                &at.key("rmcp"),
                "channel_capacity",
                self.rmcp.channel_capacity.telling(),
            ),
            reconnect_delay_ms: numbers("reconnect_delay_ms", &self.reconnect_delay_ms),
            reconnects_max: numbers("reconnects_max", &self.reconnects_max),
            idle_timeout_ms: numbers("idle_timeout_ms", &self.idle_timeout_ms),
            response_timeout_ms: numbers("response_timeout_ms", &self.response_timeout_ms),
        }
    }
}
