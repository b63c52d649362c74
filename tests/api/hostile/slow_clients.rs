//! Slow clients: they send requests and bodies slowly, or read responses slowly.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use tokio::time::{interval, timeout};

use crate::support::{HealthProbe, RawConnection, Server, WAIT_LIMIT};

/// Longer than the timeouts of head and body together, 20 s, on a machine that is busy with other things.
const MAX_CONNECTION_TIME: Duration = Duration::from_mins(1);

/// Returns the bytes that are sent at once, each with the pieces that follow slowly without end.
fn trickle_cases(key: &str) -> Vec<(String, &'static [&'static str])> {
    const CHUNK: &[&str] = &["1\r\n", " \r\n"];
    let head = |line: &str, rest: &str| {
        format!("{line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n{rest}")
    };
    let json =
        |line: &str, rest: &str| head(line, &format!("Content-Type: application/json\r\n{rest}\r\n\r\n"));
    let chunked = "Transfer-Encoding: chunked";
    let mut all = vec![
        (String::new(), &["G"][..]),
        ("GET /".into(), &["a"]),
        (head("GET /api/stats", ""), &["X-", "a", ": ", "b", "\r\n"]),
        (head("GET /healthz", "\r\n") + "GET /api/stats HTTP/1.1\r\nHost: x\r\n", &["X", ": y\r\n"]),
        (head("POST /api/pixel", "Content-Length: 200000\r\n\r\n"), &[" "]),
        (json("POST /api/pixel", "Content-Length: 200000"), &[" "]),
        (json("GET /api/stats", "Content-Length: 200000"), &["x"]),
        (json("POST /api/pixel", chunked), &["1;", "a", "b"]),
        (json("POST /api/pixel", chunked) + "0\r\n", &["X-", "a: ", "b\r\n"]),
        (json("POST /api/pixel", &format!("Expect: 100-continue\r\n{chunked}")), CHUNK),
    ];
    let posts = ["/api/pixel", "/api/pixels", "/api/chat", "/api/agents/register", "/api/agents/me/key"];
    all.extend(posts.map(|path| (json(&format!("POST {path}"), chunked), CHUNK)));
    let reads = ["/", "/api/stats", "/api/canvas.png", "/api/agents/me", "/api/events"];
    all.extend(reads.map(|path| (json(&format!("GET {path}"), chunked), CHUNK)));
    let others = ["PUT /api/pixel", "HEAD /api/events", "POST /nothing", "GET /nothing"];
    all.extend(others.map(|line| (json(line, chunked), CHUNK)));
    all
}

#[tokio::test]
async fn closes_trickling_connections_within_fifteen_seconds() {
    let server = Server::start().await;
    let probe = HealthProbe::start(server.running().address).await;
    let ada = server.register_agent("Ada").await;
    let address = server.running().address;
    let all = trickle_cases(&ada.key);
    let ends = join_all(all.iter().map(async |(start, pieces)| {
        let mut raw = RawConnection::connect(address).await;
        raw.send(start).await;
        raw.trickle(pieces).await
    }));
    let silent = async { RawConnection::connect(address).await.read_to_end().await.open_for };
    let unasked = async {
        let mut raw = RawConnection::connect(address).await;
        raw.send("POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\na\nb\n").await;
        raw.read_until("not_found").await;
        raw.trickle(&["c\n"]).await.open_for
    };
    let (ends, silent, (), unasked) = tokio::join!(ends, silent, open_stream_with_body(address), unasked);
    assert!(unasked > Duration::from_millis(900), "an answer is left in peace for a second: {unasked:?}");
    for ((start, _), end) in all.iter().zip(&ends) {
        assert!(end.open_for < MAX_CONNECTION_TIME, "{start:?}: {end:?}");
        let answered = end.statuses().iter().all(|status| *status < 500);
        assert!(answered, "{start:?}: {end:?}");
    }
    assert!(silent < MAX_CONNECTION_TIME, "{silent:?}");
    assert_eq!(ada.me().await["charges"], 10);
    probe.assert_fast();
}

/// A body in the request of a stream does not end the stream.
async fn open_stream_with_body(address: SocketAddr) {
    let mut raw = RawConnection::connect(address).await;
    raw.send("GET /api/events HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}").await;
    raw.read_until("event: hello").await;
    raw.read_until("still here").await;
}

#[tokio::test]
async fn closes_unread_stream_and_keeps_others() {
    let free = [("CARAPLACE_CHARGE_SECONDS", "0"), ("CARAPLACE_MAX_CHARGES", "256")];
    let server = Server::start_with(&free).await;
    let probe = HealthProbe::start(server.running().address).await;
    let ada = server.register_agent("Ada").await;
    let mut slow = RawConnection::connect_with_small_buffer(server.running().address).await;
    slow.send("GET /api/events HTTP/1.1\r\nHost: x\r\n\r\n").await;
    let head = slow.read_until("event: hello").await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let mut quick = server.events(None).await;
    let painting = async {
        let mut seen = 0;
        for round in 0..250 {
            let pixel = |place| json!({"x": place % 128, "y": place / 128, "color": round % 16});
            let pixels: Vec<_> = (0..256).map(pixel).collect();
            let body = json!({"pixels": pixels, "chat_digest": server.digest().await});
            let last = ada.post("/api/pixels", body).await.body["pixels"][255]["seq"].as_i64().unwrap();
            seen += quick.read_seqs_up_to(last).await.len();
        }
        seen
    };
    let reading = async {
        let (mut count, mut ticks) = (0, interval(Duration::from_secs(1)));
        for _ in 0..25 {
            ticks.tick().await;
            count += slow.read(1).await.len();
        }
        count + slow.read_to_end().await.received.len()
    };
    let (seen, buffered) = timeout(WAIT_LIMIT, async { tokio::join!(painting, reading) }).await.unwrap();
    assert_eq!(seen, 250 * 256);
    assert!(buffered < 1_000_000, "{buffered} bytes waited for a client that does not read");
    assert_eq!(server.running().state.hub.spectators(), 1);
    probe.assert_fast();
}
