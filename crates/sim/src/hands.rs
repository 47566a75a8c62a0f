//! What faults do to hosts, links and the server from inside.
//!
//! Owns carrying out the actions that the proxy cannot do to bytes. Actions on the server happen
//! at once; those on hosts and links happen between two steps of the simulation, as orders.

use std::sync::{Arc, Mutex, PoisonError};

use seamstress_plan::{Action, Extent};
use seamstress_proxy::{Hands, ReplicaView};

use crate::servers::Servers;

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
    servers: Servers,
    orders: Arc<Mutex<Vec<Order>>>,
}

impl SimHands {
    pub fn new(servers: Servers) -> SimHands {
        SimHands { servers, orders: Arc::default() }
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
        match action {
            Action::RestartKeepLog if !self.servers.can_keep_log() => None,
            Action::RestartKeepLog | Action::RestartLoseLog => {
                let keep_log = action == Action::RestartKeepLog;
                self.order(Order::Restart { keep_log });
                Some("the server's connections ended".to_owned())
            }
            Action::HoldLink => {
                let duration_ms = extent.duration_ms.unwrap_or(1);
                self.order(Order::Hold { duration_ms });
                Some(format!("nothing passed for {duration_ms} ms"))
            }
            // Every other action is the server's, or the proxy's own.
            _ => self.servers.act(action, extent),
        }
    }

    fn set_view(&self, replica: usize, view: ReplicaView) -> bool {
        self.servers.set_view(replica, view)
    }
}
