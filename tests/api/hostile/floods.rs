//! Floods: silent sockets, wrong keys, and streams that no client reads.

use std::time::Duration;

use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt as _};
use platform::clock;
use serde_json::json;

use crate::support::{HealthProbe, Process, RawConnection, Reply, Server};

/// Returns the size of a flood: `short` by default, `full` under `make hostile`.
fn attack_size(short: usize, full: usize) -> usize {
    if std::env::var_os("HOSTILE_ALL").is_some() { full } else { short }
}

/// Returns the resident memory of this process, which includes the server.
fn resident_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.map_or(0, |line| line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1_024)
}

#[tokio::test]
async fn silent_sockets_delay_nobody() {
    let process = Process::start().await;
    let address = process.address();
    let probe = HealthProbe::start(address).await;
    let starts = [
        "",
        "G",
        "GET / HTTP/1.1\r\nHost: x\r\n",
        "POST /api/pixel HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n",
    ];
    let silent = join_all((0..attack_size(2_000, 8_000)).map(async |number| {
        let mut raw = RawConnection::connect(address).await;
        raw.send(starts[number % starts.len()]).await;
        raw
    }))
    .await;
    let mut slowest = Duration::ZERO;
    for _ in 0..50 {
        let started = clock::monotonic_now();
        // A new connection for each request, because an open one proves little.
        let get = process.client.get(process.url("/api/stats")).header("Connection", "close");
        assert_eq!(Reply::fetch(get).await.status, 200);
        slowest = slowest.max(started.elapsed());
    }
    println!("the slowest answer beside silent sockets: {slowest:?}");
    let ends = join_all(silent.into_iter().map(RawConnection::read_to_end)).await;
    assert!(ends.iter().all(|end| end.statuses().iter().all(|status| [400, 401, 408, 415].contains(status))));
    probe.assert_fast();
}

#[tokio::test]
async fn thousands_of_wrong_keys_do_not_harm_others() {
    let trusting = [("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8"), ("CARAPLACE_CHARGE_SECONDS", "0")];
    let mut server = Server::start_with(&trusting).await;
    let keys = {
        let (ada, bob) = tokio::join!(server.register_agent("Ada"), server.register_agent("Bob"));
        [ada.key, bob.key]
    };
    // The restart clears the cache of keys.
    server.restart().await;
    let before = resident_bytes();
    let probe = HealthProbe::start(server.running().address).await;
    let guess = async |number: usize| {
        let address = format!("2001:db8:{:x}:{:x}::1", number % 7, number / 7 % 5_000);
        let request = server.get_request("/api/agents/me").bearer_auth(format!("cp_{number:064x}"));
        Reply::fetch(request.header("X-Forwarded-For", address)).await.status
    };
    let me = async |key: &str, from: &str| {
        let started = clock::monotonic_now();
        let request = server.get_request("/api/agents/me").bearer_auth(key);
        let reply = Reply::fetch(request.header("X-Forwarded-For", from)).await;
        (reply.status, started.elapsed())
    };
    let guesses = stream::iter(0..attack_size(4_000, 100_000)).map(guess);
    let guessing = guesses.buffer_unordered(64).collect::<Vec<_>>();
    let playing = async {
        let mut slowest = Duration::ZERO;
        for round in 0..40 {
            let (status, took) = me(&keys[round % 2], "192.0.2.7").await;
            assert_eq!(status, 200, "in round {round}");
            slowest = slowest.max(took);
        }
        slowest
    };
    let (guessed, slowest) = tokio::join!(guessing, playing);
    probe.assert_fast();
    assert!(guessed.iter().all(|status| [401, 503].contains(status)));
    let grown = resident_bytes().saturating_sub(before);
    assert!(grown < 50_000_000, "{grown} bytes more");
    println!("{} wrong keys, {grown} bytes more, slowest honest answer {slowest:?}", guessed.len());
}

#[tokio::test]
async fn client_that_never_reads_uses_no_memory() {
    let server = Server::start().await;
    let probe = HealthProbe::start(server.running().address).await;
    let mut raw = RawConnection::connect_with_small_buffer(server.running().address).await;
    let request = "GET /api/canvas HTTP/1.1\r\nHost: x\r\n\r\n";
    let mut sent = 0;
    // The server stops reading if its responses are not read, so they do not pile up.
    while let Ok(true) = tokio::time::timeout(Duration::from_secs(2), raw.send(request)).await {
        sent += 1;
        assert!(sent < 200_000, "requests are taken in without end");
    }
    let body = json!({"name": "Ada"});
    assert_eq!(server.post("/api/agents/register", body).await.status, 201, "after {sent} requests");
    probe.assert_fast();
}

#[tokio::test]
async fn unread_resumed_streams_use_little_memory() {
    let settings = [("CARAPLACE_CHARGE_SECONDS", "0"), ("CARAPLACE_MAX_CHARGES", "256")];
    let mut server = Server::start_with(&settings).await;
    let start = server.head().await;
    paint_many_batches(&server).await;
    // The second round reads from the database after a restart.
    for is_fresh in [false, true] {
        if is_fresh {
            server.restart().await;
        }
        let each = bytes_per_unread_stream(&server, start).await;
        assert!(each < 150_000, "{each} bytes for each stream");
    }
    // A client that reads gets everything.
    let mut reader = server.events(Some(start)).await;
    let head = server.head().await;
    assert_eq!(reader.read_seqs_up_to(head).await, (start + 1..=head).collect::<Vec<_>>());
}

async fn paint_many_batches(server: &Server) {
    let ada = server.register_agent("Ada").await;
    let pixels: Vec<_> = (0..256).map(|x| json!({"x": x % 128, "y": x / 128, "color": 1})).collect();
    for _ in 0..60 {
        let body = json!({"pixels": pixels, "chat_digest": server.digest().await});
        assert_eq!(ada.post("/api/pixels", body).await.status, 201);
    }
}

/// Opens many streams without reading them. Returns the bytes that the server buffers for each.
async fn bytes_per_unread_stream(server: &Server, start: i64) -> usize {
    let before = resident_bytes();
    let probe = HealthProbe::start(server.running().address).await;
    let streams = join_all((0..attack_size(200, 1_000)).map(async |_| {
        let mut raw = RawConnection::connect_with_small_buffer(server.running().address).await;
        raw.send(format!("GET /api/events?since={start} HTTP/1.1\r\nHost: x\r\n\r\n")).await;
        raw.read_until("event: hello").await;
        raw
    }))
    .await;
    probe.assert_fast();
    let each = resident_bytes().saturating_sub(before) / streams.len();
    println!("{} streams, {each} bytes each", streams.len());
    each
}
