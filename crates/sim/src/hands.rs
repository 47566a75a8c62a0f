//! What faults do to hosts, links and the server from inside.
//!
//! Owns carrying out the actions that the proxy cannot do to bytes. Actions on the server happen
//! at once; those on hosts and links happen between two steps of the simulation, as orders.

use std::sync::{Arc, Mutex, PoisonError};

use seamstress_plan::{Action, Extent};
use seamstress_proxy::{Hands, ReplicaView};
use seamstress_server::{Control, Effect, View};

/// Something to be done between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Kill the server's process and start it again.
    Restart {
        /// Whether sessions and logs survive.
        keep_log: bool,
    },
    /// Hold back everything between client and proxy for a time.
    Hold {
        /// How long, in milliseconds.
        duration_ms: u64,
    },
}

/// See the file's head.
pub(crate) struct SimHands {
    control: Control,
    orders: Arc<Mutex<Vec<Order>>>,
}

impl SimHands {
    pub fn new(control: Control) -> SimHands {
        SimHands { control, orders: Arc::default() }
    }

    /// Where orders are left; the step loop takes them.
    pub fn orders(&self) -> Arc<Mutex<Vec<Order>>> {
        self.orders.clone()
    }

    fn order(&self, order: Order) {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner).push(order);
    }
}

impl Hands for SimHands {
    fn act(&self, action: Action, extent: Extent) -> Option<String> {
        let count = extent.count.unwrap_or(1);
        let duration_ms = extent.duration_ms.unwrap_or(1);
        match action {
            Action::Burst => changed(self.control.burst(count), "events emitted"),
            Action::ShrinkRing => forgotten(self.control.shrink_ring(count)),
            Action::AgeOut => forgotten(self.control.age_out(duration_ms)),
            Action::EvictSession => {
                let effect = self.control.evict_sessions("evicted");
                (effect.sessions > 0).then(|| format!("{} sessions forgotten", effect.sessions))
            }
            Action::Rebase => changed(self.control.rebase(), "events left behind"),
            Action::RestartKeepLog | Action::RestartLoseLog => {
                let keep_log = action == Action::RestartKeepLog;
                self.order(Order::Restart { keep_log });
                Some("the server's connections ended".to_owned())
            }
            Action::HoldLink => {
                self.order(Order::Hold { duration_ms });
                Some(format!("nothing passed for {duration_ms} ms"))
            }
            // Every other action is the proxy's own.
            _ => None,
        }
    }

    fn set_view(&self, replica: usize, view: ReplicaView) {
        let view = match view {
            ReplicaView::Lagging { lag_ms } => View::Lagging { lag_ms },
            ReplicaView::Empty => View::Empty,
            ReplicaView::OtherEpoch => View::OtherEpoch,
        };
        self.control.set_view(replica, view);
    }
}

/// The effect of an action that needs a session to act on.
fn changed(effect: Effect, what: &str) -> Option<String> {
    (effect.sessions > 0).then(|| format!("{} {what}", effect.events))
}

/// The effect of an action that makes the server forget.
fn forgotten(effect: Effect) -> Option<String> {
    changed(effect, "events forgotten")
}
