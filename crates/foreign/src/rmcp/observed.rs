//! What is known of the SDK's client from looking at its wire.
//!
//! Owns finding out which stream a request belongs to and on which exchange a message came, since
//! the SDK says neither; and the records of what it begins and hands over. It must not change
//! anything on the way.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use seamstress_client::wire::Wire;
use seamstress_mcp::message::{InitializeResult, method};
use seamstress_mcp::probe;
use seamstress_net::Network;
use seamstress_trace::{Content, Host, Message, Recorder, What};
use serde_json::Value;

/// The client's name of its standalone stream.
const STANDALONE: &str = "standalone";

/// What is known from looking at the wire.
#[derive(Clone)]
pub(crate) struct Observed {
    recorder: Recorder,
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    /// The operation that made a request, by its JSON-RPC id.
    operations: BTreeMap<String, String>,
    /// The last event id of each stream, and whether its connection has ended; oldest first.
    cursors: Vec<Cursor>,
    /// Messages that the SDK has been given and has not yet handed over.
    under_way: VecDeque<Arrived>,
    /// An `initialize` awaits its answer, which comes with this session id.
    beginning: Option<Option<String>>,
    promised: u64,
    notifications: u64,
}

struct Cursor {
    label: String,
    id: Option<String>,
    has_ended: bool,
}

struct Arrived {
    exchange: u64,
    label: String,
    message: Message,
}

/// What a POST asks for.
pub(crate) struct Asked {
    /// Its method.
    pub rpc: String,
    /// The JSON-RPC id of a request.
    pub id: Option<String>,
    /// The stream that answers it, if it is one of the workload's.
    pub label: Option<String>,
}

impl Observed {
    pub fn new(recorder: Recorder) -> Observed {
        Observed { recorder, inner: Arc::default() }
    }

    /// A POST goes out. The SDK gives progress tokens of its own; they are noted as names of calls.
    pub fn asked<N: Network>(&self, wire: &Wire<N>, text: &str) -> Asked {
        let message: Value = serde_json::from_str(text).unwrap_or_default();
        let words = |value: &Value| match value {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        };
        let rpc = words(&message["method"]).unwrap_or_default();
        let id = words(&message["id"]);
        let params = &message["params"];
        let call = params["arguments"]["call"].as_str();
        // Requests that are no calls are streams too, if the server answers them with one.
        let label = match (call, &id) {
            (Some(call), _) => Some(call.to_owned()),
            (None, Some(id)) if rpc != method::INITIALIZE => Some(format!("{rpc}-{id}")),
            _ => None,
        };
        if let (Some(call), Some(token)) = (call, words(&params["_meta"]["progressToken"])) {
            wire.name_token(&token, call);
        }
        if let (Some(id), Some(label)) = (&id, &label) {
            self.lock().operations.insert(id.clone(), label.clone());
        }
        Asked { rpc, id, label }
    }

    /// The answer to a POST came with this session id.
    pub fn session_is(&self, id: Option<&str>, rpc: &str) {
        if rpc == method::INITIALIZE {
            self.lock().beginning = Some(id.map(str::to_owned));
        }
    }

    /// A message came that may be the answer to `initialize`.
    pub fn answered(&self, text: &str) {
        if self.lock().beginning.is_none() {
            return;
        }
        let message: Value = serde_json::from_str(text).unwrap_or_default();
        let result = message["result"].to_string();
        let Ok(result) = serde_json::from_str::<InitializeResult<'_>>(&result) else { return };
        let Some(session) = self.lock().beginning.take() else { return };
        let record = What::SessionBegin {
            session: session.map(|id| self.recorder.session_name(&id)),
            origin: result.meta.and_then(|meta| meta.session),
        };
        self.recorder.record(Host::Client, record);
    }

    /// An event was given to the SDK.
    pub fn arrived(&self, exchange: u64, label: &str, id: Option<&str>, message: Option<Message>) {
        let mut inner = self.lock();
        let cursor = inner.cursor(label);
        cursor.has_ended = false;
        if let Some(id) = id {
            cursor.id = Some(id.to_owned());
        }
        if let Some(message) = message {
            inner.under_way.push_back(Arrived { exchange, label: label.to_owned(), message });
        }
    }

    /// A stream's connection has ended.
    pub fn ended(&self, label: &str) {
        self.lock().cursor(label).has_ended = true;
    }

    /// Whose cursor this is: that of the stream whose connection has ended and which stands there.
    pub fn stream_of(&self, cursor: Option<&str>) -> String {
        let Some(cursor) = cursor else { return STANDALONE.to_owned() };
        let inner = self.lock();
        let stands_there = |known: &&Cursor| known.id.as_deref() == Some(cursor);
        let ended = inner.cursors.iter().find(|known| stands_there(known) && known.has_ended);
        let found = ended.or_else(|| inner.cursors.iter().find(stands_there));
        found.map_or_else(|| STANDALONE.to_owned(), |known| known.label.clone())
    }

    /// The SDK's transport hands a message to the service.
    pub fn handed_over(&self, text: &str) {
        let Ok(read) = probe::read(text) else { return };
        let mut inner = self.lock();
        let is_it = |arrived: &Arrived| {
            let mark = arrived.message.mark.as_ref();
            mark.map(|mark| (&*mark.origin, &*mark.stream, mark.ordinal))
                == read.mark.as_ref().map(|mark| (&*mark.origin, &*mark.stream, mark.ordinal))
                && is_same_kind(&arrived.message.content, &read.probe)
        };
        let Some(place) = inner.under_way.iter().position(is_it) else { return };
        let Some(Arrived { exchange, label, message }) = inner.under_way.remove(place) else {
            return;
        };
        let to = match &message.content {
            Content::Progress { call, .. } => Some(call.clone()),
            Content::Result { request, .. } | Content::Error { request: Some(request), .. } => {
                inner.operations.get(request).cloned()
            }
            Content::Error { request: None, .. } | Content::Other { .. } => None,
            Content::Notification => {
                inner.notifications += 1;
                Some(label)
            }
        };
        drop(inner);
        if let Some(to) = to {
            self.recorder.record(Host::Client, What::Deliver { exchange, to, message });
        }
    }

    /// A call's result has named so many notifications.
    pub fn promise_notifications(&self, count: u64) {
        self.lock().promised += count;
    }

    pub fn are_promises_kept(&self) -> bool {
        let inner = self.lock();
        inner.notifications >= inner.promised
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing that can panic happens under this lock.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn cursor(&mut self, label: &str) -> &mut Cursor {
        let place = self.cursors.iter().position(|known| known.label == label);
        let place = place.unwrap_or_else(|| {
            let label = label.to_owned();
            self.cursors.push(Cursor { label, id: None, has_ended: false });
            self.cursors.len() - 1
        });
        &mut self.cursors[place]
    }
}

fn is_same_kind(content: &Content, read: &probe::Probe<'_>) -> bool {
    use probe::Probe;
    match (content, read) {
        (Content::Progress { progress, .. }, Probe::Progress { progress: read, .. }) => {
            progress == read
        }
        (Content::Result { request, .. }, Probe::Result { id, .. }) => *request == id.to_string(),
        (Content::Error { request, .. }, Probe::Error { id, .. }) => {
            *request == id.as_ref().map(ToString::to_string)
        }
        (Content::Notification, Probe::Announcement) => true,
        _ => false,
    }
}
