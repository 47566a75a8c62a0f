//! One run: the hosts, the step loop, the end.
//!
//! Owns the simulation from its first step to the last record. Hosts are registered in one fixed
//! order, orders are carried out between steps only, and the loop stops as soon as everyone is
//! done.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use seamstress_client::Client;
use seamstress_plan::{Draws, Plan};
use seamstress_proxy::{Hands, Proxy};
use seamstress_server::{Control, Server, Store};
use seamstress_trace::{Host, Recorder, RunEnd, Trace, What};
use turmoil::Sim;

use crate::clock;
use crate::convert::{
    CLIENT, PROXY, client_options, header, ms, proxy_options, replicas, server_options,
};
use crate::hands::{Order, SimHands};
use crate::network::SimNetwork;
use crate::panics;
use crate::trio::{Implementations, PlayError};

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
    let implementations = Implementations::of(&plan.trio)?;
    // On this thread: none of the three keeps anything in a thread-local that shows. Code that may
    // do so has to be given a fresh thread for each run.
    Ok(panics::keeping_messages(|| Run::new(plan, &implementations).into_trace()))
}

struct Run<'a> {
    plan: &'a Plan,
    sim: Sim<'static>,
    recorder: Recorder,
    store: Store,
    control: Control,
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
    fn new(plan: &'a Plan, implementations: &Implementations) -> Run<'a> {
        let clock = Arc::new(AtomicU64::new(0));
        let for_recorder = clock.clone();
        let recorder = Recorder::new(move || for_recorder.load(Ordering::Relaxed));
        let server_ids = ids(plan, "server");
        let proxy_ids = ids(plan, "proxy");
        let store = Store::new(
            server_options(plan, implementations),
            recorder.clone(),
            draw_tokens(&server_ids),
        );
        let control = Control::new(store.clone());
        let hands = SimHands::new(control.clone());
        let orders = hands.orders();
        let mut run = Run {
            plan,
            sim: new_sim(plan),
            recorder,
            store,
            control,
            networks: Vec::new(),
            orders,
            draws: vec![
                ("server session ids".to_owned(), server_ids.clone()),
                ("proxy session ids".to_owned(), proxy_ids.clone()),
            ],
            client_done: Arc::default(),
            clock,
            held_until_ms: None,
            dying: None,
        };
        run.add_servers();
        run.add_proxy(implementations, Arc::new(hands), &proxy_ids);
        run.add_client(implementations);
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
            let store = self.store.clone();
            self.sim.host(*name, move || {
                let server = Server::new(network.clone(), store.clone(), replica);
                let network = network.clone();
                async move {
                    tokio::select! {
                        biased;
                        () = network.until_killed() => std::future::pending().await,
                        served = server.serve() => Ok(served?),
                    }
                }
            });
        }
    }

    fn add_proxy(
        &mut self,
        implementations: &Implementations,
        hands: Arc<dyn Hands>,
        session_ids: &Arc<Mutex<Draws>>,
    ) {
        let network = self.network(Host::Proxy);
        let options = proxy_options(self.plan, implementations);
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

    fn add_client(&mut self, implementations: &Implementations) {
        let network = self.network(Host::Client);
        let options = client_options(self.plan, implementations);
        let recorder = self.recorder.clone();
        let workload = self.plan.workload.clone();
        let done = self.client_done.clone();
        self.sim.host(CLIENT, move || {
            let client = Client::new(network.clone(), options.clone(), recorder.clone());
            let (workload, done) = (workload.clone(), done.clone());
            async move {
                client.run(workload).await;
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
        let header = header(self.plan, &self.plan.trio);
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
        let held = self.store.leftover();
        let sockets: u64 = self.networks.iter().map(|(_, network)| network.open_sockets()).sum();
        held.sessions + held.streams + sockets > 0
    }

    fn record_leftovers(&mut self) {
        let held = self.store.leftover();
        for (host, network) in &self.networks {
            let is_server = *host == Host::Server;
            let leftover = What::Leftover {
                sessions: if is_server { held.sessions } else { 0 },
                streams: if is_server { held.streams } else { 0 },
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
            self.sim.crash(server);
            if !keep_log {
                self.control.evict_sessions("lost");
            }
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
