//! One session as the client holds it.
//!
//! Owns the session id (which a proxy may rotate), the calls that await an answer, and the fact
//! that the session is lost. It must not know how any of these come about.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use seamstress_mcp::Revision;
use seamstress_mcp::sse::LastEventId;
use tokio::sync::watch;

/// See the file's head.
pub(crate) struct Session {
    pub revision: Revision,
    inner: Mutex<Inner>,
    lost: watch::Sender<bool>,
    /// Nothing reaches the server any more, and nobody was told: a defect.
    cut_off: watch::Sender<bool>,
    streams: AtomicU64,
}

struct Inner {
    id: Option<String>,
    calls: BTreeMap<String, Call>,
    /// The newest id of any stream, for clients that keep only one cursor.
    slot: LastEventId,
    promised: u64,
    notifications: u64,
    may_live_on: bool,
    not_found: bool,
}

struct Call {
    label: String,
    answered: watch::Sender<Option<Answer>>,
}

/// How a call was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Result,
    Error,
}

impl Session {
    pub fn new(id: Option<String>, revision: Revision) -> Arc<Session> {
        let inner = Inner {
            id,
            calls: BTreeMap::new(),
            slot: LastEventId::default(),
            promised: 0,
            notifications: 0,
            may_live_on: false,
            not_found: false,
        };
        Arc::new(Session {
            revision,
            inner: Mutex::new(inner),
            lost: watch::Sender::new(false),
            cut_off: watch::Sender::new(false),
            streams: AtomicU64::new(0),
        })
    }

    /// The session id to send now.
    pub fn id(&self) -> Option<String> {
        self.lock().id.clone()
    }

    /// Takes the id that a response carries: a proxy may rotate it.
    pub fn adopt(&self, id: &str) {
        let mut inner = self.lock();
        if inner.id.as_deref() != Some(id) {
            inner.id = Some(id.to_owned());
        }
    }

    /// Sends no id from now on: a defect.
    pub fn forget_id(&self) {
        self.lock().id = None;
    }

    /// Notes that a stream was opened.
    pub fn count_stream(&self) {
        self.streams.fetch_add(1, Ordering::Relaxed);
    }

    /// How many streams were opened.
    pub fn streams(&self) -> u64 {
        self.streams.load(Ordering::Relaxed)
    }

    /// Marks the session as lost; false if it was already.
    pub fn lose(&self, may_live_on: bool) -> bool {
        if self.is_lost() {
            return false;
        }
        self.lock().may_live_on = may_live_on;
        self.lost.send_replace(true);
        true
    }

    /// Whether the server may still hold the session after it was lost.
    pub fn may_live_on(&self) -> bool {
        self.lock().may_live_on
    }

    /// Notes that the server no longer knows it.
    pub fn note_not_found(&self) {
        self.lock().not_found = true;
    }

    /// Whether the server has said that it does not know it.
    pub fn was_not_found(&self) -> bool {
        self.lock().not_found
    }

    /// Whether it is lost.
    pub fn is_lost(&self) -> bool {
        *self.lost.borrow()
    }

    /// From now on nothing reaches the server: a defect.
    pub fn cut_off(&self) {
        self.cut_off.send_replace(true);
    }

    /// Returns when nothing reaches the server any more.
    pub async fn is_cut_off(&self) {
        // The sender lives as long as the session: waiting cannot fail.
        let _ = self.cut_off.subscribe().wait_for(|cut_off| *cut_off).await;
    }

    /// Returns when the session is lost.
    pub async fn lost(&self) {
        // The sender lives as long as the session: waiting cannot fail.
        let _ = self.lost.subscribe().wait_for(|lost| *lost).await;
    }

    /// Notes a call that awaits the answer to a request.
    pub fn expect(&self, request: &str, label: &str) -> watch::Receiver<Option<Answer>> {
        let answered = watch::Sender::new(None);
        let receiver = answered.subscribe();
        let call = Call { label: label.to_owned(), answered };
        self.lock().calls.insert(request.to_owned(), call);
        receiver
    }

    /// The call that a response answers, by its request id; its waiter is told.
    pub fn answer(&self, request: &str, answer: Answer) -> Option<String> {
        let inner = self.lock();
        let call = inner.calls.get(request)?;
        call.answered.send_replace(Some(answer));
        Some(call.label.clone())
    }

    /// Takes the call of this label for answered, whatever came: a defect.
    pub fn answer_label(&self, label: &str) {
        let inner = self.lock();
        if let Some(call) = inner.calls.values().find(|call| call.label == label) {
            call.answered.send_replace(Some(Answer::Result));
        }
    }

    /// Whether the call of this label was answered.
    pub fn is_answered(&self, label: &str) -> bool {
        let inner = self.lock();
        let call = inner.calls.values().find(|call| call.label == label);
        call.is_some_and(|call| call.answered.borrow().is_some())
    }

    /// Access to the one cursor of a client that keeps only one.
    pub fn with_slot<T>(&self, with: impl FnOnce(&mut LastEventId) -> T) -> T {
        with(&mut self.lock().slot)
    }

    /// A call's result has named so many notifications.
    pub fn promise_notifications(&self, count: u64) {
        self.lock().promised += count;
    }

    /// A notification has arrived.
    pub fn count_notification(&self) {
        self.lock().notifications += 1;
    }

    /// The stream of notifications began anew: what was promised on the one before may never come.
    pub fn forget_promises(&self) {
        let mut inner = self.lock();
        (inner.promised, inner.notifications) = (0, 0);
    }

    /// Whether every notification that was promised has arrived.
    pub fn promises_kept(&self) -> bool {
        let inner = self.lock();
        inner.notifications >= inner.promised
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing that can panic happens under this lock.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
