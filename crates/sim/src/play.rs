//! One run: the hosts, the step loop, the end.
//!
//! Owns the simulation from its first step to the last record. Hosts are registered in one fixed
//! order, orders are carried out between steps only, and the loop stops as soon as everyone is
//! done.

use std::future::Future;
use std::panic::resume_unwind;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use seamstress_client::Client;
use seamstress_foreign::{Hosting, Subject};
use seamstress_plan::{Draws, Plan};
use seamstress_proxy::{Hands, Proxy};
use seamstress_server::{Control, Store};
use seamstress_trace::{Host, Recorder, RunEnd, Trace, What};
use turmoil::Sim;

use crate::clock;
#[cfg(feature = "rmcp")]
use crate::convert::rmcp_client_options;
use crate::convert::{
    CLIENT, PROXY, client_options, header, ms, proxy_options, replicas, server_options,
};
use crate::hands::{Order, SimHands};
use crate::network::SimNetwork;
use crate::panics;
use crate::servers::Servers;
use crate::trio::{ClientKind, Implementations, PlayError, ServerKind};

/// When every run begins: 2023-11-14T22:13:20Z. It must only never change.
const EPOCH_S: u64 = 1_700_000_000;
/// turmoil counts unread segments, and loses the end of a connection when exactly as many are
/// unread as it has room for; far more than any plan sends at once.
const UNREAD_SEGMENTS_MAX: usize = 4096;

/// Plays a plan.
///
/// The trace, and so its digest, depends on the plan and this build alone.
///
/// # Errors
///
/// [`PlayError`] if the plan names an implementation that this build does not have. What goes wrong
/// during the run is in the trace.
///
/// ```
/// use seamstress_plan::{Scenario, builtin_named, generate};
///
/// let drop = builtin_named("drop").expect("built in");
/// let scenario = Scenario::from_toml("drop.toml", drop.text)?;
/// let plan = generate(&scenario, "drop", 7);
/// let trace = seamstress_sim::play(&plan)?;
/// assert_eq!(trace.digest(), seamstress_sim::play(&plan)?.digest());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn play(plan: &Plan) -> Result<Trace, PlayError> {
    Ok(run(plan, &Implementations::of(&plan.trio)?))
}

/// Plays a plan against a server of the caller's own, whatever the plan says of the server.
///
/// # Errors
///
/// [`PlayError`] if the plan names a proxy or a client that this build does not have.
pub fn play_against(plan: &Plan, own: Arc<dyn Subject>) -> Result<Trace, PlayError> {
    Ok(run(plan, &Implementations::with_server(&plan.trio, own)?))
}

fn run(plan: &Plan, implementations: &Implementations) -> Trace {
    let play = || panics::keeping_messages(|| Run::new(plan, implementations).into_trace());
    if implementations.are_references() {
        // On this thread: none of ours keeps anything in a thread-local that shows.
        return play();
    }
    // Foreign code may, so it gets a fresh thread for each run.
    thread::scope(|scope| match scope.spawn(play).join() {
        Ok(trace) => trace,
        Err(panic) => resume_unwind(panic),
    })
}

type Running = Pin<Box<dyn Future<Output = ()> + Send>>;

struct Run<'a> {
    plan: &'a Plan,
    sim: Sim<'static>,
    recorder: Recorder,
    implementations: &'a Implementations,
    servers: Servers,
    networks: Vec<(Host, SimNetwork)>,
    orders: Arc<Mutex<Vec<Order>>>,
    draws: Vec<(String, Arc<Mutex<Draws>>)>,
    client_done: Arc<AtomicBool>,
    /// What the recorder tells as the time: when the current step began, in milliseconds. Hosts
    /// have finer clocks, but nothing crosses the network within a step.
    clock: Arc<AtomicU64>,
    /// The links are held until then, in milliseconds.
    held_until_ms: Option<u64>,
    /// The server dies in the current step and is started again after it; whether its log is kept.
    dying: Option<bool>,
}

impl<'a> Run<'a> {
    fn new(plan: &'a Plan, implementations: &'a Implementations) -> Run<'a> {
        let clock = Arc::new(AtomicU64::new(0));
        let for_recorder = clock.clone();
        let recorder = Recorder::new(move || for_recorder.load(Ordering::Relaxed));
        let server_ids = ids(plan, "server");
        let proxy_ids = ids(plan, "proxy");
        let servers = match &implementations.server {
            ServerKind::Reference(reference) => {
                let options = server_options(plan, reference);
                let store = Store::new(options, recorder.clone(), draw_tokens(&server_ids));
                Servers::Reference { control: Control::new(store.clone()), store }
            }
            ServerKind::Foreign(foreign) => {
                let subject = foreign.subject(&plan.topology);
                if subject.has_opaque_event_ids() {
                    recorder.rename_event_ids();
                }
                Servers::Foreign(Hosting::new(subject, recorder.clone()))
            }
        };
        let hands = SimHands::new(servers.clone());
        let orders = hands.orders();
        let mut run = Run {
            plan,
            sim: new_sim(plan),
            recorder,
            implementations,
            servers,
            networks: Vec::new(),
            orders,
            draws: vec![
                ("server session ids".to_owned(), server_ids),
                ("proxy session ids".to_owned(), proxy_ids.clone()),
            ],
            client_done: Arc::default(),
            clock,
            held_until_ms: None,
            dying: None,
        };
        run.add_servers();
        run.add_proxy(Arc::new(hands), &proxy_ids);
        run.add_client();
        run
    }

    fn network(&mut self, host: Host) -> SimNetwork {
        let network = match self.networks.first() {
            Some((_, first)) => first.for_another_host(),
            None => SimNetwork::default(),
        };
        self.networks.push((host, network.clone()));
        network
    }

    fn add_servers(&mut self) {
        for (replica, name) in replicas(&self.plan.topology).iter().enumerate() {
            let network = self.network(Host::replica(replica));
            let servers = self.servers.clone();
            self.sim.host(*name, move || {
                let (servers, network) = (servers.clone(), network.clone());
                async move {
                    let serving = servers.serve(network.clone(), replica);
                    tokio::select! {
                        biased;
                        () = network.until_killed() => std::future::pending().await,
                        served = serving => Ok(served?),
                    }
                }
            });
        }
    }

    fn add_proxy(&mut self, hands: Arc<dyn Hands>, session_ids: &Arc<Mutex<Draws>>) {
        let network = self.network(Host::Proxy);
        let options = proxy_options(self.plan, self.implementations);
        let recorder = self.recorder.clone();
        let session_ids = session_ids.clone();
        self.sim.host(PROXY, move || {
            let proxy = Proxy::new(
                network.clone(),
                options.clone(),
                hands.clone(),
                recorder.clone(),
                draw_tokens(&session_ids),
            );
            async move { Ok(proxy.serve().await?) }
        });
    }

    fn add_client(&mut self) {
        let network = self.network(Host::Client);
        let recorder = self.recorder.clone();
        let workload = self.plan.workload.clone();
        let done = self.client_done.clone();
        let run: Box<dyn Fn() -> Running> = match &self.implementations.client {
            ClientKind::Reference(defects) => {
                let options = client_options(self.plan, &self.implementations.server, defects);
                Box::new(move || {
                    let client = Client::new(network.clone(), options.clone(), recorder.clone());
                    Box::pin(client.run(workload.clone()))
                })
            }
            #[cfg(feature = "rmcp")]
            ClientKind::Rmcp => {
                let options = rmcp_client_options(self.plan);
                Box::new(move || {
                    let (network, options) = (network.clone(), options.clone());
                    let (recorder, workload) = (recorder.clone(), workload.clone());
                    Box::pin(seamstress_foreign::rmcp::run(network, options, recorder, workload))
                })
            }
        };
        self.sim.host(CLIENT, move || {
            let (running, done) = (run(), done.clone());
            async move {
                running.await;
                done.store(true, Ordering::Relaxed);
                // A host that returns is no longer stepped, and its closing connections with it.
                std::future::pending::<turmoil::Result>().await
            }
        });
    }

    fn into_trace(mut self) -> Trace {
        let end = self.step_until_done();
        if let Ok(RunEnd::Finished) = &end {
            self.record_leftovers();
        }
        let (why, detail) = match end {
            Ok(why) => (why, None),
            Err(message) => (RunEnd::Panicked, Some(message)),
        };
        let next_draws =
            self.draws.iter().map(|(name, draws)| (name.clone(), lock(draws).next_u64())).collect();
        self.record(What::RunEnd { why, detail, next_draws });
        let records = self.recorder.take();
        let header = header(self.plan, &self.implementations.server);
        clock::set(None);
        // Hosts are dropped where a panic of a half-finished task would still be kept.
        let _ = panics::catch(|| drop(self.sim));
        Trace { header, records }
    }

    /// Steps until everyone is done, the deadline has passed, or somebody panicked.
    fn step_until_done(&mut self) -> Result<RunEnd, String> {
        let phases = self.plan.phases;
        let mut announced = 0;
        let mut done_at_ms = None;
        loop {
            let now_ms = whole_ms(self.sim.elapsed());
            self.clock.store(now_ms, Ordering::Relaxed);
            clock::set(Some(now_ms));
            for (phase, at_ms) in [("chaos", phases.chaos_from_ms), ("tail", phases.chaos_until_ms)]
                .into_iter()
                .skip(announced)
            {
                if now_ms >= at_ms {
                    announced += 1;
                    self.record(What::Phase { phase: phase.to_owned() });
                }
            }
            self.carry_out_orders(now_ms);
            if self.client_done.load(Ordering::Relaxed) {
                let since_ms = *done_at_ms.get_or_insert(now_ms);
                if !self.is_anything_left() || now_ms > since_ms + self.drain_ms_max() {
                    return Ok(RunEnd::Finished);
                }
            } else if now_ms >= phases.deadline_ms {
                return Ok(RunEnd::Deadline);
            }
            let sim = &mut self.sim;
            match panics::catch(|| sim.step().map_err(|error| error.to_string())) {
                Ok(Ok(_)) => {}
                Ok(Err(error)) | Err(error) => return Err(error),
            }
        }
    }

    /// How long timers may take to clear what is left when the client has gone, in milliseconds.
    fn drain_ms_max(&self) -> u64 {
        let topology = &self.plan.topology;
        2 * topology.server.session_idle_ms
            + topology.client.idle_timeout_ms
            + self.plan.phases.chaos_until_ms
    }

    fn is_anything_left(&self) -> bool {
        let (sessions, streams) = self.servers.leftover();
        let sockets: u64 = self.networks.iter().map(|(_, network)| network.open_sockets()).sum();
        sessions + streams + sockets > 0
    }

    fn record_leftovers(&mut self) {
        let (sessions, streams) = self.servers.leftover();
        for (host, network) in &self.networks {
            let is_server = *host == Host::Server;
            let leftover = What::Leftover {
                sessions: if is_server { sessions } else { 0 },
                streams: if is_server { streams } else { 0 },
                connections: network.open_sockets(),
            };
            self.recorder.record(*host, leftover);
        }
    }

    fn carry_out_orders(&mut self, now_ms: u64) {
        if self.held_until_ms.is_some_and(|until_ms| now_ms >= until_ms) {
            self.held_until_ms = None;
            self.sim.release(CLIENT, PROXY);
        }
        if let Some(keep_log) = self.dying.take() {
            let server = replicas(&self.plan.topology)[0];
            self.servers.dies();
            self.sim.crash(server);
            self.servers.killed(keep_log);
            self.sim.bounce(server);
        }
        let orders = std::mem::take(&mut *lock(&self.orders));
        for order in orders {
            match order {
                Order::Hold { duration_ms } => {
                    let until_ms = (now_ms + duration_ms).min(self.plan.phases.chaos_until_ms);
                    self.held_until_ms = Some(until_ms.max(self.held_until_ms.unwrap_or(0)));
                    self.sim.hold(CLIENT, PROXY);
                }
                Order::Restart { keep_log } => {
                    // A process dies once, however many faults want it to at the same time.
                    if self.dying.is_none() {
                        self.networks[0].1.kill();
                    }
                    self.dying = Some(keep_log && self.dying.unwrap_or(true));
                }
            }
        }
    }

    fn record(&self, what: What) {
        self.recorder.record(Host::Run, what);
    }
}

fn new_sim(plan: &Plan) -> Sim<'static> {
    let topology = &plan.topology;
    turmoil::Builder::new()
        .rng_seed(plan.seed)
        .epoch(UNIX_EPOCH + Duration::from_secs(EPOCH_S))
        .tick_duration(ms(topology.tick_ms))
        // Equal bounds: the network draws nothing that shows.
        .min_message_latency(ms(topology.latency_ms))
        .max_message_latency(ms(topology.latency_ms))
        .tcp_capacity(UNREAD_SEGMENTS_MAX)
        // The deadline is kept by the step loop.
        .simulation_duration(Duration::MAX)
        .build()
}

fn ids(plan: &Plan, owner: &str) -> Arc<Mutex<Draws>> {
    Arc::new(Mutex::new(Draws::new(plan.seed, "session-ids", owner, 0)))
}

/// A source of session ids: 128 random bits each, as `basic/transports` wants them.
fn draw_tokens(draws: &Arc<Mutex<Draws>>) -> impl FnMut() -> String + Send + 'static {
    let draws = draws.clone();
    move || lock(&draws).token(16)
}

fn whole_ms(elapsed: Duration) -> u64 {
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // A panic elsewhere has already ended the run.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
