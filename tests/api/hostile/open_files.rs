//! Streams and sockets never use the last file descriptor of the process.

use futures_util::future::join_all;
use reqwest::Client;
use serde_json::json;

use crate::support::{HealthProbe, Process, RawConnection, Reply};

const STREAM_REQUEST: &str = "GET /api/events HTTP/1.1\r\nHost: x\r\n\r\n";
/// The process' limit of open files, within which it must keep working.
const MAX_OPEN_FILES: u32 = 300;

/// Opens streams until one is refused. Returns the open ones and the refusal.
async fn fill_with_streams(process: &Process) -> (Vec<RawConnection>, Reply) {
    let mut streams = Vec::new();
    loop {
        let mut raw = RawConnection::connect(process.address()).await;
        raw.send(STREAM_REQUEST).await;
        let answer = raw.read_until("\r\n\r\n").await;
        if answer.starts_with("HTTP/1.1 429") {
            return (streams, Reply::fetch(fresh_client().get(process.url("/api/events"))).await);
        }
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        streams.push(raw);
        assert!(streams.len() < MAX_OPEN_FILES as usize, "streams take all descriptors");
    }
}

/// Returns a client without open connections.
fn fresh_client() -> Client {
    https_client::builder().unwrap().build().unwrap()
}

/// Registers an agent and places a pixel, each on a new connection.
async fn place_pixel(process: &Process, name: &str) {
    let register = fresh_client().post(process.url("/api/agents/register")).json(&json!({"name": name}));
    let key = Reply::fetch(register).await.body["agent"]["api_key"].as_str().unwrap().to_owned();
    let digest =
        Reply::fetch(fresh_client().get(process.url("/api/chat/digest"))).await.body["digest"].clone();
    let pixel = json!({"x": 1, "y": 2, "color": 3, "chat_digest": digest});
    let placed = fresh_client().post(process.url("/api/pixel")).bearer_auth(key).json(&pixel);
    Reply::fetch(placed).await.assert_status(201);
}

async fn read_metric(process: &Process, name: &str) -> f64 {
    let text = fresh_client().get(process.url("/metrics")).send().await.unwrap().text().await.unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{name} is not there")).parse().unwrap()
}

#[tokio::test]
async fn streams_and_idle_sockets_leave_descriptors_free() {
    let process = Process::start_with_max_open_files(MAX_OPEN_FILES, &[]).await;
    let (mut streams, refused) = fill_with_streams(&process).await;
    refused.assert_refused(429, "too_many_requests");
    assert!(refused.body["detail"].as_str().unwrap().contains("This server"), "{}", refused.body);
    assert!(streams.len() >= 50, "{} streams", streams.len());
    let probe = HealthProbe::start(process.address()).await;
    // More connections than descriptors, each idle in another way. All stay open on this side.
    let starts = [
        "",
        "GET /api/stats HTTP/1.1\r\n",
        "POST /api/chat HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
    ];
    let mut idle = Vec::new();
    for number in 0..2 * MAX_OPEN_FILES as usize {
        let mut raw = RawConnection::connect(process.address()).await;
        raw.send(starts[number % starts.len()]).await;
        idle.push(raw);
    }
    place_pixel(&process, "Ada").await;
    probe.assert_fast();
    // The oldest connections were closed. The newest is open and gets a response.
    let newest = idle.last_mut().unwrap();
    newest.read_until("alive").await;
    newest.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await;
    newest.read_until("alive").await;
    let longest_idle = idle.swap_remove(0);
    assert_eq!(longest_idle.read_to_end().await.received, "");
    let closed = read_metric(&process, "caraplace_idle_connections_closed_total").await;
    assert!(closed >= f64::from(MAX_OPEN_FILES), "{closed}");
    assert!(read_metric(&process, "caraplace_streams_refused_total{bound=\"process\"}").await >= 2.0);
    assert!(read_metric(&process, "process_open_fds").await < f64::from(MAX_OPEN_FILES));
    assert_eq!(read_metric(&process, "caraplace_streams_open").await, streams.len() as f64);
    // No stream was closed for it, and each sends the placement.
    let received = join_all(streams.iter_mut().map(|stream| stream.read_until("event: pixels"))).await;
    assert_eq!(received.len(), streams.len());
}
