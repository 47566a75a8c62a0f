//! One session of the application behind a server under test.
//!
//! Owns the ordinals of its streams, the record of what it emits, and the carrying out of a call of
//! a probe tool. It must not know how a server passes messages on: an [`Outlet`] does.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use seamstress_mcp::message::{ProgressToken, RequestId};
use seamstress_mcp::probe::{
    self, AnnounceArguments, CountArguments, Mark, ProgressOn, TOOL_ANNOUNCE, TOOL_COUNT,
};
use seamstress_trace::{Content, Host, Mark as TraceMark, Message, Recorder, What};
use serde_json::Value;
use tokio::time::sleep;

/// The name of a session's one standalone stream in marks.
const STANDALONE: &str = "standalone-1";

/// Whether a message could be handed to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// The server has it.
    Yes,
    /// The session is gone.
    SessionGone,
}

/// Where notifications go: a server's way to send one, on one of its streams.
pub trait Outlet: Send + Sync {
    /// Sends a notification, given as the text of its JSON-RPC message.
    fn send(&self, notification: String) -> BoxFuture<'_, Sent>;
}

/// Who decides on which stream a call's progress goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routing {
    /// The application: it has an outlet for each stream.
    ByApplication,
    /// The server: it looks at the progress token, and sends progress on the call's own stream.
    ByToken,
    /// Nobody: the standalone stream is the only one that carries notifications.
    StandaloneOnly,
}

/// A call of a tool, as a server hands it to its application.
pub struct ToolCall<'a> {
    /// The tool.
    pub name: &'a str,
    /// Its arguments.
    pub arguments: &'a Value,
    /// The progress token; the call's name if there is none.
    pub progress_token: Option<ProgressToken<'a>>,
    /// The JSON-RPC id of the request.
    pub request: RequestId<'a>,
}

/// See the file's head.
pub struct ProbeSession {
    origin: String,
    host: Host,
    recorder: Recorder,
    state: Mutex<State>,
}

/// A server drops what it keeps of a session when the session is over.
impl Drop for ProbeSession {
    fn drop(&mut self) {
        self.end("ended");
    }
}

#[derive(Default)]
struct State {
    has_ended: bool,
    ordinals: BTreeMap<String, u64>,
    standalone: Option<Arc<dyn Outlet>>,
}

impl ProbeSession {
    pub(crate) fn new(origin: String, host: Host, recorder: Recorder) -> ProbeSession {
        ProbeSession { origin, host, recorder, state: Mutex::default() }
    }

    /// The session's name in marks, to be told in `_meta` of the answer to `initialize` under
    /// `seamstress/session`.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Says where notifications on the standalone stream go.
    pub fn set_standalone(&self, outlet: Arc<dyn Outlet>) {
        self.lock().standalone = Some(outlet);
    }

    /// Emits a notification on the standalone stream.
    pub async fn announce(&self) -> Sent {
        let Some(outlet) = self.lock().standalone.clone() else { return Sent::SessionGone };
        let text = self.emit(STANDALONE, Content::Notification, probe::announcement_text);
        outlet.send(text).await
    }

    /// Carries out a call of a probe tool. Progress goes to `own`; what comes back is the result of
    /// the call, as the JSON of a tool result, or what is wrong with the call.
    ///
    /// # Errors
    /// One sentence, if there is no such tool, its arguments do not parse, or the session is gone.
    pub async fn call(
        &self,
        call: ToolCall<'_>,
        own: &dyn Outlet,
        routing: Routing,
    ) -> Result<Value, String> {
        let invalid = |error: serde_json::Error| format!("the arguments do not parse: {error}");
        let arguments = call.arguments.to_string();
        let (label, events) = match call.name {
            TOOL_COUNT => {
                let mut asked: CountArguments<'_> =
                    serde_json::from_str(&arguments).map_err(invalid)?;
                match routing {
                    Routing::ByApplication => {}
                    Routing::ByToken => asked.progress_on = ProgressOn::Own,
                    Routing::StandaloneOnly => asked.progress_on = ProgressOn::Standalone,
                }
                self.count(&asked, call.progress_token, own).await?;
                (asked.call, asked.events)
            }
            TOOL_ANNOUNCE => {
                let asked: AnnounceArguments<'_> =
                    serde_json::from_str(&arguments).map_err(invalid)?;
                self.record_execution(&asked.call);
                for _ in 0..asked.events {
                    pause(asked.interval_ms).await;
                    still_there(self.announce().await)?;
                }
                pause(asked.interval_ms).await;
                (asked.call, asked.events)
            }
            other => return Err(format!("there is no tool {other:?}; see tools/list")),
        };
        let request = call.request.to_string();
        let content = Content::Result { request, call: Some(label.clone().into_owned()) };
        let text =
            self.emit(&label, content, |mark| probe::result_object_text(mark, &label, events));
        serde_json::from_str(&text).map_err(|error| error.to_string())
    }

    async fn count(
        &self,
        asked: &CountArguments<'_>,
        token: Option<ProgressToken<'_>>,
        own: &dyn Outlet,
    ) -> Result<(), String> {
        let call = &*asked.call;
        self.record_execution(call);
        let token = token.unwrap_or_else(|| ProgressToken::from(call));
        let standalone = self.lock().standalone.clone();
        let (stream, outlet) = match (asked.progress_on, &standalone) {
            (ProgressOn::Standalone, Some(outlet)) => (STANDALONE, &**outlet),
            _ => (call, own),
        };
        for progress in 1..=asked.events {
            pause(asked.interval_ms).await;
            let content = Content::Progress { call: call.to_owned(), progress };
            let write =
                |mark: &Mark<'_>| probe::progress_text(mark, &token, progress, asked.events);
            let text = self.emit(stream, content, write);
            still_there(outlet.send(text).await)?;
        }
        pause(asked.interval_ms).await;
        Ok(())
    }

    /// Records that the session is over, the first time only.
    pub(crate) fn end(&self, why: &str) {
        if !std::mem::replace(&mut self.lock().has_ended, true) {
            let (session, why) = (self.origin.clone(), why.to_owned());
            self.recorder.record(self.host, What::SessionEnd { session, why });
        }
    }

    fn record_execution(&self, call: &str) {
        let record = What::Execute { session: self.origin.clone(), call: call.to_owned() };
        self.recorder.record(self.host, record);
    }

    /// Gives a message its place on a stream and records that it was emitted there.
    fn emit(&self, stream: &str, content: Content, write: impl Fn(&Mark<'_>) -> String) -> String {
        let ordinal = {
            let mut state = self.lock();
            let ordinal = state.ordinals.entry(stream.to_owned()).or_default();
            *ordinal += 1;
            *ordinal
        };
        let mark = TraceMark { origin: self.origin.clone(), stream: stream.to_owned(), ordinal };
        let emit = What::Emit {
            session: self.origin.clone(),
            stream: stream.to_owned(),
            id: None,
            position: ordinal,
            message: Some(Message { content, mark: Some(mark) }),
        };
        self.recorder.record(self.host, emit);
        write(&Mark::new(&self.origin, stream, ordinal))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic happens under this lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn still_there(sent: Sent) -> Result<(), String> {
    match sent {
        Sent::Yes => Ok(()),
        Sent::SessionGone => Err("the session is gone".to_owned()),
    }
}

async fn pause(interval_ms: u64) {
    if interval_ms > 0 {
        sleep(Duration::from_millis(interval_ms)).await;
    }
}
