//! How many event streams and connections there may be: per address, and per process by its limit of open files.

use std::time::Duration;

use futures_util::future::join_all;
use reqwest::{Client, RequestBuilder, Response};
use serde_json::json;

use crate::support::{Agent, EventStream, HealthProbe, Office, PASSWORD, Process, Raw, Reply, Server};

/// Longer than anything here takes, so that a test that fails also ends.
const PATIENCE: Duration = Duration::from_secs(20);
const STREAM: &str = "GET /api/events HTTP/1.1\r\nHost: x\r\n\r\n";
/// A process with so many descriptors must go on, whoever takes them.
const DESCRIPTORS: u32 = 300;

/// A request for a stream from this address, as a trusted proxy passes it on.
fn events_from(server: &Server, address: &str) -> RequestBuilder {
    server.get_request("/api/events").header("X-Forwarded-For", address)
}

/// Asks for a stream until there is one; it is open for as long as the response is kept. The server notices that a client
/// has gone when it writes, so there is always something new.
async fn open_when_free(agent: &Agent<'_>, address: &str) -> Response {
    let asking = async {
        loop {
            let response = events_from(agent.server, address).send().await.unwrap();
            if response.status() == 200 {
                return response;
            }
            assert_eq!(response.status(), 429);
            assert_eq!(agent.paint(1, 1, 1).await.status, 201);
        }
    };
    tokio::time::timeout(PATIENCE, asking).await.expect("the slot is never free again")
}

#[tokio::test]
async fn an_address_may_have_so_many_streams_open() {
    let settings = [("CARAPLACE_STREAMS_PER_IP", "2"), ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8")];
    let server = Server::with(&settings).await;
    let mut open = Vec::new();
    for _ in 0..2 {
        open.push(EventStream::open(events_from(&server, "192.0.2.1")).await);
    }
    let refused = Reply::of(events_from(&server, "192.0.2.1")).await;
    refused.assert_refused(429, "too_many_requests");
    assert!(refused.body["detail"].as_str().unwrap().contains("2 event streams"), "{}", refused.body);
    assert!(refused.body["hint"].as_str().unwrap().contains("Close a stream"), "{}", refused.body);
    // A key does not make an address another one, and other requests go on.
    let ada = server.agent("Ada").await;
    let request = events_from(&server, "192.0.2.1").bearer_auth(&ada.key);
    Reply::of(request).await.assert_refused(429, "too_many_requests");
    assert_eq!(server.get("/api/stats").await.status, 200);
    let head = server.client.head(server.url("/api/events")).header("X-Forwarded-For", "192.0.2.1");
    assert_eq!(Reply::of(head).await.status, 200, "a HEAD opens none");
    EventStream::open(events_from(&server, "192.0.2.2")).await;
}

#[tokio::test]
async fn a_stream_gives_its_slot_back_however_it_ends() {
    let settings = [
        ("CARAPLACE_STREAMS_PER_IP", "1"),
        ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8"),
        ("CARAPLACE_CHARGE_SECONDS", "0"),
    ];
    let server = Server::with(&settings).await;
    let (ada, bob) = (server.agent("Ada").await, server.agent("Bob").await);
    let address = "192.0.2.1";
    // The client goes away.
    drop(EventStream::open(events_from(&server, address)).await);
    drop(open_when_free(&bob, address).await);
    // The server ends it with a reset, and the connection stays open.
    let ahead =
        server.get_request("/api/events?since=1000000").header("X-Forwarded-For", "192.0.2.2").send().await;
    let mut ended = ahead.unwrap();
    while ended.chunk().await.unwrap().is_some() {}
    open_when_free(&bob, "192.0.2.2").await;
    // The agent's key changes.
    let mut recalled = EventStream::open(events_from(&server, "192.0.2.3").bearer_auth(&ada.key)).await;
    assert_eq!(ada.post("/api/agents/me/key", json!({})).await.status, 200);
    while recalled.next().await.is_some() {}
    open_when_free(&bob, "192.0.2.3").await;
}

#[tokio::test]
async fn an_operator_changes_how_many_an_address_may_have() {
    let settings = [
        ("CARAPLACE_STREAMS_PER_IP", "1"),
        ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8"),
        ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
    ];
    let server = Server::with(&settings).await;
    let office: Office<'_> = server.operator().await;
    let mut open = vec![EventStream::open(events_from(&server, "192.0.2.1")).await];
    Reply::of(events_from(&server, "192.0.2.1")).await.assert_refused(429, "too_many_requests");
    let change = json!({"name": "streams_per_ip", "value": 0, "why": "A classroom."});
    assert_eq!(office.post("/api/admin/settings", change).await.status, 200);
    for _ in 0..5 {
        open.push(EventStream::open(events_from(&server, "192.0.2.1")).await);
    }
}

/// Opens streams until one is refused; returns those that are open and the refusal.
async fn fill_with_streams(process: &Process) -> (Vec<Raw>, Reply) {
    let mut streams = Vec::new();
    loop {
        let mut raw = Raw::connect(process.address()).await;
        raw.send(STREAM).await;
        let answer = raw.read_until("\r\n\r\n").await;
        if answer.starts_with("HTTP/1.1 429") {
            return (streams, Reply::of(fresh_client().get(process.url("/api/events"))).await);
        }
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        streams.push(raw);
        assert!(streams.len() < DESCRIPTORS as usize, "streams take all descriptors");
    }
}

/// A client that has no connection yet.
fn fresh_client() -> Client {
    caraplace::tls::client().unwrap().build().unwrap()
}

/// Registers and places a pixel, each request on a connection of its own.
async fn place(process: &Process, name: &str) {
    let register = fresh_client().post(process.url("/api/agents/register")).json(&json!({"name": name}));
    let key = Reply::of(register).await.body["agent"]["api_key"].as_str().unwrap().to_owned();
    let digest = Reply::of(fresh_client().get(process.url("/api/chat/digest"))).await.body["digest"].clone();
    let pixel = json!({"x": 1, "y": 2, "color": 3, "chat_digest": digest});
    let placed = fresh_client().post(process.url("/api/pixel")).bearer_auth(key).json(&pixel);
    let placed = Reply::of(placed).await;
    assert_eq!(placed.status, 201, "{}", placed.body);
}

async fn metric(process: &Process, name: &str) -> f64 {
    let text = fresh_client().get(process.url("/metrics")).send().await.unwrap().text().await.unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{name} is not there")).parse().unwrap()
}

#[tokio::test]
async fn streams_and_idle_sockets_never_take_the_last_descriptor() {
    let process = Process::with_descriptors(DESCRIPTORS, &[]).await;
    let (mut streams, refused) = fill_with_streams(&process).await;
    refused.assert_refused(429, "too_many_requests");
    assert!(refused.body["detail"].as_str().unwrap().contains("This server"), "{}", refused.body);
    assert!(streams.len() >= 50, "{} streams", streams.len());
    let probe = HealthProbe::start(process.address()).await;
    // More than there are descriptors, each idle in its own way; all stay open on this side.
    let starts = [
        "",
        "GET /api/stats HTTP/1.1\r\n",
        "POST /api/chat HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
    ];
    let mut idle = Vec::new();
    for number in 0..2 * DESCRIPTORS as usize {
        let mut raw = Raw::connect(process.address()).await;
        raw.send(starts[number % starts.len()]).await;
        idle.push(raw);
    }
    place(&process, "Ada").await;
    probe.assert_quick();
    // The first ones made room; the last one is still there, and is answered.
    let newest = idle.last_mut().unwrap();
    newest.read_until("alive").await;
    newest.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await;
    newest.read_until("alive").await;
    let longest_idle = idle.swap_remove(0);
    assert_eq!(longest_idle.rest().await.answer, "");
    assert!(metric(&process, "caraplace_idle_connections_closed_total").await >= f64::from(DESCRIPTORS));
    assert!(metric(&process, "caraplace_streams_refused_total{bound=\"process\"}").await >= 2.0);
    assert!(metric(&process, "process_open_fds").await < f64::from(DESCRIPTORS));
    assert_eq!(metric(&process, "caraplace_streams_open").await, streams.len() as f64);
    // No stream was cut for it, and each tells what was placed.
    let told = join_all(streams.iter_mut().map(|stream| stream.read_until("event: pixels"))).await;
    assert_eq!(told.len(), streams.len());
}
