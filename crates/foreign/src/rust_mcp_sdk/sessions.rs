//! The SDK's store of sessions, and the application's side of each session beside it.
//!
//! Owns when the application drops a session: as soon as the store does. All else is left to the
//! SDK's store in memory. It must not know what a session does.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use rust_mcp_sdk::SessionId;
use rust_mcp_sdk::mcp_server::ServerRuntime;
use rust_mcp_sdk::session_store::{InMemorySessionStore, SessionStore};

use crate::ProbeSession;

/// See the file's head. The store is the one that the SDK takes by default: it never drops a
/// session by itself.
#[derive(Default)]
pub(super) struct Sessions {
    store: InMemorySessionStore,
    applications: Mutex<BTreeMap<SessionId, Arc<ProbeSession>>>,
}

impl Sessions {
    /// Begins the application's side of a session.
    pub fn begin(&self, session: SessionId, application: Arc<ProbeSession>) {
        self.lock().insert(session, application);
    }

    /// The application's side of a session, unless that is over.
    pub fn application(&self, session: &SessionId) -> Option<Arc<ProbeSession>> {
        self.lock().get(session).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<SessionId, Arc<ProbeSession>>> {
        // Nothing that can panic happens under this lock.
        self.applications.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl SessionStore for Sessions {
    async fn get(&self, key: &SessionId) -> Option<Arc<ServerRuntime>> {
        self.store.get(key).await
    }

    async fn set(&self, key: SessionId, value: Arc<ServerRuntime>) {
        self.store.set(key, value).await;
    }

    async fn delete(&self, key: &SessionId) {
        self.lock().remove(key);
        self.store.delete(key).await;
    }

    async fn has(&self, session: &SessionId) -> bool {
        self.store.has(session).await
    }

    async fn keys(&self) -> Vec<SessionId> {
        self.store.keys().await
    }

    async fn values(&self) -> Vec<Arc<ServerRuntime>> {
        self.store.values().await
    }

    async fn clear(&self) {
        self.lock().clear();
        self.store.clear().await;
    }

    async fn is_full(&self) -> bool {
        self.store.is_full().await
    }
}
