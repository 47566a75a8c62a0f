//! The traffic of a storm without the storm: the yardstick of the benchmark.
//!
//! Owns three hosts written straight on turmoil and hyper that make the exchanges of a script, as
//! a first version of any simulation test would. It must use nothing of the project but the trace
//! from which the script is read.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame};
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use seamstress_plan::Plan;
use seamstress_trace::What;
use tokio::sync::mpsc;
use tokio::time::{sleep, sleep_until, timeout};
use turmoil::Sim;
use turmoil::net::{TcpListener, TcpStream};

/// What is exchanged, and when.
pub struct Script {
    /// How many steps the storm took.
    pub steps: u64,
    /// The exchanges, in order.
    pub exchanges: Vec<Exchange>,
}

/// One exchange.
#[derive(Clone)]
pub struct Exchange {
    begin_ms: u64,
    end_ms: u64,
    /// When each event reached the client, after the beginning.
    events_ms: Vec<u64>,
}

impl Script {
    /// Reads what a plan exchanges from a run of it.
    pub fn of(plan: &Plan) -> Script {
        let trace = seamstress_sim::play(plan).expect("the reference trio is there");
        let mut exchanges: Vec<Exchange> = Vec::new();
        for record in &trace.records {
            match &record.what {
                What::Request { .. } => exchanges.push(Exchange {
                    begin_ms: record.at_ms,
                    end_ms: record.at_ms,
                    events_ms: Vec::new(),
                }),
                What::Event { exchange, .. } => {
                    let of = &mut exchanges[*exchange as usize - 1];
                    of.events_ms.push(record.at_ms - of.begin_ms);
                }
                What::End { exchange, .. } => {
                    exchanges[*exchange as usize - 1].end_ms = record.at_ms
                }
                _ => {}
            }
        }
        let steps = trace.records.last().map_or(0, |record| record.at_ms);
        Script { steps, exchanges }
    }

    /// How many events are exchanged.
    pub fn events(&self) -> usize {
        self.exchanges.iter().map(|exchange| exchange.events_ms.len()).sum()
    }
}

fn new_sim() -> Sim<'static> {
    turmoil::Builder::new()
        .rng_seed(1)
        .epoch(std::time::UNIX_EPOCH)
        .tick_duration(Duration::from_millis(1))
        .min_message_latency(Duration::from_millis(1))
        .max_message_latency(Duration::from_millis(1))
        .tcp_capacity(4096)
        .simulation_duration(Duration::MAX)
        .build()
}

/// Three hosts with nothing to do.
pub fn idle(steps: u64) {
    let mut sim = new_sim();
    for name in ["server", "proxy", "client"] {
        sim.host(name, std::future::pending);
    }
    for _ in 0..steps {
        sim.step().expect("nothing can fail");
    }
}

/// The script, played.
pub fn traffic(script: &Script) {
    let mut sim = new_sim();
    let exchanges: Arc<[Exchange]> = script.exchanges.clone().into();
    let for_server = exchanges.clone();
    sim.host("server", move || serve(for_server.clone()));
    sim.host("proxy", proxy);
    let done = Arc::new(AtomicBool::new(false));
    let client_done = done.clone();
    sim.host("client", move || {
        let (exchanges, done) = (exchanges.clone(), client_done.clone());
        async move {
            request_all(exchanges).await;
            done.store(true, Ordering::Relaxed);
            std::future::pending().await
        }
    });
    let mut steps = 0;
    while steps < script.steps || !done.load(Ordering::Relaxed) {
        sim.step().expect("nothing can fail");
        steps += 1;
    }
}

struct Events(mpsc::Receiver<Bytes>);

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

async fn serve(exchanges: Arc<[Exchange]>) -> turmoil::Result {
    let listener = TcpListener::bind("0.0.0.0:80").await?;
    loop {
        let (stream, _) = listener.accept().await?;
        let exchanges = exchanges.clone();
        tokio::spawn(async move {
            let service = service_fn(move |request: Request<Incoming>| {
                let number: usize = request.uri().path()[1..].parse().unwrap_or_default();
                let exchange = exchanges[number].clone();
                let (events, body) = mpsc::channel(64);
                tokio::spawn(send(exchange, events));
                async move { Ok::<_, Infallible>(Response::new(Events(body))) }
            });
            let connection = hyper::server::conn::http1::Builder::new()
                .auto_date_header(false)
                .serve_connection(TokioIo::new(stream), service);
            let _ = connection.await;
        });
    }
}

async fn send(exchange: Exchange, events: mpsc::Sender<Bytes>) {
    let event = Bytes::from(format!("id: s1.c1.1\ndata: {}\n\n", "x".repeat(200)));
    // Requests and events each take four milliseconds from end to end.
    let begin = tokio::time::Instant::now() - Duration::from_millis(4);
    for at_ms in &exchange.events_ms {
        sleep_until(begin + Duration::from_millis(at_ms.saturating_sub(4))).await;
        if events.send(event.clone()).await.is_err() {
            return;
        }
    }
}

async fn proxy() -> turmoil::Result {
    let listener = TcpListener::bind("0.0.0.0:80").await?;
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(async move {
            let service = service_fn(pass);
            let connection = hyper::server::conn::http1::Builder::new()
                .auto_date_header(false)
                .serve_connection(TokioIo::new(stream), service);
            let _ = connection.await;
        });
    }
}

async fn pass(request: Request<Incoming>) -> std::io::Result<Response<Incoming>> {
    let stream = TcpStream::connect("server:80").await?;
    let io = TokioIo::new(stream);
    let begun = hyper::client::conn::http1::handshake(io).await;
    let (mut sender, connection) = begun.map_err(std::io::Error::other)?;
    tokio::spawn(connection);
    sender.send_request(request).await.map_err(std::io::Error::other)
}

async fn request_all(exchanges: Arc<[Exchange]>) {
    let begin = tokio::time::Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for (number, exchange) in exchanges.iter().enumerate() {
        let exchange = exchange.clone();
        tasks.spawn(async move {
            sleep_until(begin + Duration::from_millis(exchange.begin_ms)).await;
            let limit = Duration::from_millis(exchange.end_ms - exchange.begin_ms + 1);
            let _ = timeout(limit, request(number)).await;
        });
    }
    while tasks.join_next().await.is_some() {}
    sleep(Duration::from_millis(1)).await;
}

async fn request(number: usize) -> Option<()> {
    let stream = TcpStream::connect("proxy:80").await.ok()?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.ok()?;
    let connection = AbortOnDrop(tokio::spawn(connection));
    let request = Request::get(format!("/{number}")).body(Empty::<Bytes>::new()).ok()?;
    let mut body = sender.send_request(request).await.ok()?.into_body();
    while let Some(Ok(_)) = body.frame().await {}
    drop(connection);
    Some(())
}

struct AbortOnDrop<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
