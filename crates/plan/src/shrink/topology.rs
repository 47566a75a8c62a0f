//! Fewer hosts and plainer options.
//!
//! Owns what is usual: what a scenario that says nothing gets. What still differs from it after
//! shrinking is part of the failure. It must not know what an option does.

use std::sync::LazyLock;

use super::search::Search;
use super::{Pass, Shown, Stop, Trial};
use crate::scenario::TopologySettings;
use crate::{Plan, Topology};

/// Takes replicas away and gives options back their usual values, all at once or one by one.
pub(super) fn plainer<T: Trial>(search: &mut Search<'_, T>) -> Result<(), Stop> {
    search.take_all(Pass::Topology, |best, _: Shown| {
        let with = |topology: Topology| Plan { topology, ..best.clone() };
        let now = &best.topology;
        let usual = Topology { replicas: now.replicas, ..USUAL.clone() };
        let mut topologies = vec![Topology { replicas: 1, ..usual.clone() }, usual];
        topologies.extend((1..now.replicas).map(|replicas| Topology { replicas, ..now.clone() }));
        topologies.extend(OPTIONS.iter().map(|option| {
            let mut topology = now.clone();
            (option.reset)(&mut topology, &USUAL);
            topology
        }));
        topologies.into_iter().map(with).collect()
    })
}

/// How many options differ from what is usual.
pub(super) fn unusual_options(topology: &Topology) -> usize {
    OPTIONS.iter().filter(|option| !(option.is_usual)(topology, &USUAL)).count()
}

/// It is compared with for every candidate.
static USUAL: LazyLock<Topology> = LazyLock::new(|| TopologySettings::default().draw(0));

/// One option: whether it is the same in two topologies, and giving the first that of the second.
struct AnOption {
    is_usual: fn(&Topology, &Topology) -> bool,
    reset: fn(&mut Topology, &Topology),
}

macro_rules! options {
    ($($($field:ident).+),+ $(,)?) => {
        /// Everything in a topology but the number of replicas.
        const OPTIONS: &[AnOption] = &[$(AnOption {
            is_usual: |topology, usual| topology.$($field).+ == usual.$($field).+,
            reset: |topology, usual| topology.$($field).+.clone_from(&usual.$($field).+),
        }),+];
    };
}

options!(
    tick_ms,
    latency_ms,
    revision,
    server.id_scheme,
    server.first_event_id,
    server.floor,
    server.session_events_max,
    server.stream_events_max,
    server.event_age_ms_max,
    server.refusal,
    server.priming,
    server.line_ending,
    server.retry_ms,
    server.keep_alive_ms,
    server.session_idle_ms,
    server.rmcp,
    client.reconnect_delay_ms,
    client.reconnects_max,
    client.idle_timeout_ms,
    client.response_timeout_ms,
    client.unverifiable,
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Scenario, builtin};

    #[test]
    fn setting_every_option_back_gives_the_usual_topology() {
        for built in builtin() {
            let scenario = Scenario::from_toml(built.name, built.text).expect("a scenario");
            let mut topology = scenario.topology.draw(7);
            for option in OPTIONS {
                (option.reset)(&mut topology, &USUAL);
            }
            let replicas = topology.replicas;
            assert_eq!(topology, Topology { replicas, ..USUAL.clone() }, "{}", built.name);
        }
    }
}
