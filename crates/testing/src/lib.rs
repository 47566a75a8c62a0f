//! Scripted peers for the tests of server, client and proxy.
//!
//! Owns both ends of an HTTP exchange as a test speaks them: a client that asks one thing at a
//! time ([`Peer`]), a server that the test answers for ([`ScriptedServer`]), and what a
//! participant wrote down meanwhile ([`Tape`]). It must not know any participant: what a test
//! expects of one stands in the test.
//!
//! Everything runs over [`MemoryNetwork`](seamstress_net::MemoryNetwork) on one thread with
//! tokio's clock paused, so a second of a test costs nothing and every run is the same. Whatever
//! does not come within [`PATIENCE`] of that clock fails the test.

mod peer;
mod script;
mod tape;

use std::future::Future;
use std::time::Duration;

pub use peer::{Answer, Ask, Events, Peer, mark, ordinals};
pub use script::{Asked, ScriptedServer, ScriptedStream};
pub use tape::Tape;

/// How long anything may take, by the paused clock: longer than any timer of a participant.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// Waits for what must come.
///
/// # Panics
///
/// If it does not come within [`PATIENCE`].
pub async fn soon<T>(what: &str, coming: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, coming).await {
        Ok(came) => came,
        Err(_) => panic!("{what} did not come"),
    }
}

/// Lets so many milliseconds of the paused clock pass.
pub async fn after_ms(duration_ms: u64) {
    tokio::time::sleep(Duration::from_millis(duration_ms)).await;
}
