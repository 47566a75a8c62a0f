//! One request to a replica.
//!
//! Owns connecting and sending; the connection ends when its response is dropped.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use seamstress_net::Network;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The port of every replica.
const PORT: u16 = 80;

/// What is sent to a replica.
#[derive(Clone)]
pub(crate) struct Forward {
    pub method: Method,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// A response and the connection it comes on.
pub(crate) struct Upstream {
    pub response: Response<Incoming>,
    connection: Connection,
}

struct Connection(JoinHandle<()>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Upstream {
    /// Sends a request to a replica; `None` if no response head came in time.
    pub async fn send<N: Network>(
        network: &N,
        replica: &str,
        forward: Forward,
        limit: Duration,
    ) -> Option<Upstream> {
        timeout(limit, async {
            let socket = network.connect(replica, PORT).await.ok()?;
            let io = TokioIo::new(socket);
            let (mut sender, connection) = hyper::client::conn::http1::handshake(io).await.ok()?;
            let connection = Connection(tokio::spawn(async move {
                // What went wrong with the connection reaches whoever reads the response.
                let _ = connection.await;
            }));
            let mut request = Request::new(Full::new(forward.body));
            *request.method_mut() = forward.method;
            *request.uri_mut() = http::Uri::from_static("/mcp");
            *request.headers_mut() = forward.headers;
            let response = sender.send_request(request).await.ok()?;
            Some(Upstream { response, connection })
        })
        .await
        .ok()
        .flatten()
    }

    /// The body, and what keeps its connection open.
    pub fn into_body(self) -> (Incoming, impl Send + 'static) {
        (self.response.into_body(), self.connection)
    }
}

/// The headers of a message that go on to the next hop (RFC 9110 section 7.6.1).
pub(crate) fn end_to_end(headers: &HeaderMap) -> HeaderMap {
    let mut passed = headers.clone();
    for hop_by_hop in [
        header::CONNECTION,
        header::TRANSFER_ENCODING,
        header::CONTENT_LENGTH,
        header::UPGRADE,
        header::TE,
        header::TRAILER,
    ] {
        passed.remove(hop_by_hop);
    }
    passed
}
