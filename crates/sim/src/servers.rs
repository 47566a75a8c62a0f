//! The server of a run: the reference, or one that is not ours.
//!
//! Owns what the step loop and the faults need of either. It must not know how a server works.

use std::future::Future;
use std::io;
use std::pin::Pin;

use seamstress_foreign::Hosting;
use seamstress_net::Network;
use seamstress_plan::{Action, Extent};
use seamstress_proxy::ReplicaView;
use seamstress_server::{Control, Effect, Server, Store, View};

/// See the file's head.
#[derive(Clone)]
pub(crate) enum Servers {
    Reference { store: Store, control: Control },
    Foreign(Hosting),
}

impl Servers {
    /// Serves as this replica until it is dropped.
    pub fn serve<N: Network>(
        &self,
        network: N,
        replica: usize,
    ) -> Pin<Box<dyn Future<Output = io::Result<()>> + Send>> {
        match self {
            Servers::Reference { store, .. } => {
                Box::pin(Server::new(network, store.clone(), replica).serve())
            }
            Servers::Foreign(hosting) => Box::pin(hosting.clone().serve(network, replica)),
        }
    }

    /// The sessions, and the connections attached to streams, that the server still holds.
    pub fn leftover(&self) -> (u64, u64) {
        match self {
            Servers::Reference { store, .. } => {
                let held = store.leftover();
                (held.sessions, held.streams)
            }
            Servers::Foreign(hosting) => (hosting.sessions(), 0),
        }
    }

    /// The first replica is about to be killed.
    pub fn dies(&self) {
        if let Servers::Foreign(hosting) = self {
            hosting.killed(0);
        }
    }

    /// The first replica was killed and will be started again, with its log or without.
    pub fn killed(&self, keep_log: bool) {
        if let Servers::Reference { control, .. } = self
            && !keep_log
        {
            control.evict_sessions("lost");
        }
    }

    /// Whether a process can die and leave its log to the next.
    pub fn can_keep_log(&self) -> bool {
        matches!(self, Servers::Reference { .. })
    }

    /// Carries out an action inside the server and says with what effect; none if there was
    /// nothing to act on, or if the server cannot be made to do so.
    pub fn act(&self, action: Action, extent: Extent) -> Option<String> {
        match self {
            Servers::Reference { control, .. } => act_on_reference(control, action, extent),
            Servers::Foreign(hosting) => match action {
                Action::Burst => {
                    let count = extent.count.unwrap_or(1);
                    let events = hosting.burst(count) * count;
                    (events > 0).then(|| format!("{events} events emitted"))
                }
                Action::EvictSession => sessions_forgotten(hosting.forget_sessions()?),
                _ => None,
            },
        }
    }

    /// Says what a replica will see when it is next asked to resume. Replicas of a server that is
    /// not ours share nothing: to send a session to another one would try the deployment, not the
    /// server.
    pub fn set_view(&self, replica: usize, view: ReplicaView) -> bool {
        let Servers::Reference { control, .. } = self else { return false };
        let view = match view {
            ReplicaView::Lagging { lag_ms } => View::Lagging { lag_ms },
            ReplicaView::Empty => View::Empty,
            ReplicaView::OtherEpoch => View::OtherEpoch,
        };
        control.set_view(replica, view);
        true
    }
}

fn act_on_reference(control: &Control, action: Action, extent: Extent) -> Option<String> {
    let count = extent.count.unwrap_or(1);
    match action {
        Action::Burst => changed(control.burst(count), "events emitted"),
        Action::ShrinkRing => forgotten(control.shrink_ring(count)),
        Action::AgeOut => forgotten(control.age_out(extent.duration_ms.unwrap_or(1))),
        Action::EvictSession => sessions_forgotten(control.evict_sessions("evicted").sessions),
        Action::Rebase => changed(control.rebase(), "events left behind"),
        // Every other action is not one on the server.
        _ => None,
    }
}

fn sessions_forgotten(sessions: u64) -> Option<String> {
    (sessions > 0).then(|| format!("{sessions} sessions forgotten"))
}

/// The effect of an action that needs a session to act on.
fn changed(effect: Effect, what: &str) -> Option<String> {
    (effect.sessions > 0).then(|| format!("{} {what}", effect.events))
}

/// The effect of an action that makes the server forget.
fn forgotten(effect: Effect) -> Option<String> {
    changed(effect, "events forgotten")
}
