//! Running the processes of a server under test.
//!
//! Owns the accept loop, and what faults ask of a running process from outside: a burst of
//! notifications, the loss of all sessions. Those are carried out on the process's own host, since
//! only there is its runtime. It must not know which server it is.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use seamstress_net::{Listener, Network, Socket};
use seamstress_trace::Recorder;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tower::ServiceExt;

use crate::probes::Probes;
use crate::subject::{Answering, Forget, Process, Subject};
use crate::turnstile::Turnstile;

/// The port that a server listens on.
const PORT: u16 = 80;

/// A server under test with its running processes. Clones are handles to the same.
#[derive(Clone)]
pub struct Hosting {
    subject: Arc<dyn Subject>,
    recorder: Recorder,
    begun: Arc<AtomicU64>,
    running: Arc<Mutex<BTreeMap<usize, Running>>>,
}

struct Running {
    probes: Probes,
    commands: UnboundedSender<Command>,
    sessions: Option<Arc<dyn Fn() -> u64 + Send + Sync>>,
    can_forget: bool,
}

#[derive(Clone, Copy)]
enum Command {
    Burst { count: u64 },
    ForgetSessions,
}

impl Hosting {
    /// Nothing runs yet.
    #[must_use]
    pub fn new(subject: Arc<dyn Subject>, recorder: Recorder) -> Hosting {
        Hosting { subject, recorder, begun: Arc::default(), running: Arc::default() }
    }

    /// Starts a process for replica number `replica` (from 0) and serves until it is dropped.
    ///
    /// # Errors
    /// What the network says when it cannot listen or accept.
    pub async fn serve<N: Network>(self, network: N, replica: usize) -> io::Result<()> {
        let probes = Probes::new(self.recorder.clone(), replica, self.begun.clone());
        let Process { service, forget_sessions, sessions } = self.subject.start(&probes);
        let (commands, asked) = unbounded_channel();
        let can_forget = forget_sessions.is_some();
        let running = Running { probes: probes.clone(), commands, sessions, can_forget };
        self.running().insert(replica, running);
        tokio::spawn(obey(asked, probes, forget_sessions));
        let turnstile = Turnstile::default();
        tokio::spawn(turnstile.clone().turn());
        let mut listener = network.listen(PORT).await?;
        loop {
            let socket = listener.accept().await?;
            tokio::spawn(answer(service.clone(), socket, turnstile.clone()));
        }
    }

    /// Lets the application emit so many notifications in each live session; how many sessions
    /// there are.
    pub fn burst(&self, count: u64) -> u64 {
        let running = self.running();
        let asked = running.values().map(|process| {
            // A process that has ended has nothing to emit on.
            let _ = process.commands.send(Command::Burst { count });
            process.probes.live_sessions().len() as u64
        });
        asked.sum()
    }

    /// Lets every process forget its sessions; how many there were, or none if the server cannot
    /// be asked for it.
    pub fn forget_sessions(&self) -> Option<u64> {
        let running = self.running();
        let mut forgotten = None;
        for process in running.values().filter(|process| process.can_forget) {
            // A process that has ended has nothing to forget.
            let _ = process.commands.send(Command::ForgetSessions);
            *forgotten.get_or_insert(0) += end_all(&process.probes, "evicted");
        }
        forgotten
    }

    /// A process is being killed: its sessions are gone.
    pub fn killed(&self, replica: usize) {
        if let Some(process) = self.running().remove(&replica) {
            end_all(&process.probes, "lost");
        }
    }

    /// How many sessions the processes hold, as far as they say.
    #[must_use]
    pub fn sessions(&self) -> u64 {
        let running = self.running();
        running.values().filter_map(|process| process.sessions.as_ref()).map(|count| count()).sum()
    }

    fn running(&self) -> MutexGuard<'_, BTreeMap<usize, Running>> {
        // A panic elsewhere ends the run; what the table holds does not matter any more.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends every live session, and records it; how many there were.
fn end_all(probes: &Probes, why: &str) -> u64 {
    let live = probes.end_sessions();
    live.iter().for_each(|session| session.end(why));
    live.len() as u64
}

async fn answer<S: Socket>(service: Answering, socket: S, turnstile: Turnstile) {
    let service =
        service.map_response(move |response| response.map(|body| turnstile.through(body)));
    // An error here is a client that left.
    let _ = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .auto_date_header(false)
        .serve_connection(TokioIo::new(socket), TowerToHyperService::new(service))
        .await;
}

async fn obey(
    mut asked: UnboundedReceiver<Command>,
    probes: Probes,
    forget_sessions: Option<Forget>,
) {
    while let Some(command) = asked.recv().await {
        match (command, &forget_sessions) {
            (Command::Burst { count }, _) => probes.burst(count).await,
            (Command::ForgetSessions, Some(forget)) => forget().await,
            (Command::ForgetSessions, None) => {}
        }
    }
}
