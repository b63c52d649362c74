//! Shutdown during attacks: new connections are refused, accepted requests are answered, and the server ends
//! in time.

use futures_util::future::join_all;
use platform::clock;
use serde_json::json;

use crate::support::{HealthProbe, MAX_SHUTDOWN_TIME, Process, RawConnection, Reply};

const STREAM_COUNT: usize = 200;

#[tokio::test]
async fn server_stops_in_time_with_open_connections() {
    let mut process = Process::start().await;
    let address = process.address();
    let key = process.register_agent("Ada").await;
    let connect = async |start: String| {
        let mut raw = RawConnection::connect(address).await;
        raw.send(start).await;
        raw
    };
    let stream = || "GET /api/events HTTP/1.1\r\nHost: x\r\n\r\n".to_owned();
    let probe = HealthProbe::start(address).await;
    let mut streams = join_all((0..STREAM_COUNT).map(|_| connect(stream()))).await;
    join_all(streams.iter_mut().map(|stream| stream.read_until("event: hello"))).await;
    let post = format!(
        "POST /api/pixel HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n"
    );
    let slow_body = connect(format!("{post}Transfer-Encoding: chunked\r\n\r\n")).await;
    let slow_head = connect("GET /api/stats HTTP/1.1\r\n".to_owned()).await;
    let silent = connect(String::new()).await;
    let unread = connect(stream()).await;
    let trickling = tokio::spawn(async move {
        tokio::join!(slow_body.trickle(&["1\r\n \r\n"]), slow_head.trickle(&["X: y\r\n"]))
    });
    let digest = process.get("/api/chat/digest").await.body["digest"].clone();
    let paint = |x: i64| {
        let body = json!({"x": x, "y": 0, "color": 1, "chat_digest": digest});
        process.client.post(process.url("/api/pixel")).bearer_auth(&key).json(&body).send()
    };
    // After this the server may stop responding.
    probe.assert_fast();
    let started = clock::monotonic_now();
    let (placed, ()) = tokio::join!(join_all((0..50).map(paint)), async { process.request_stop() });
    let ends = join_all(streams.into_iter().map(RawConnection::read_to_end)).await;
    assert_eq!(process.exit_code().await, Some(0));
    assert!(started.elapsed() < MAX_SHUTDOWN_TIME, "{:?}", started.elapsed());
    for end in ends {
        assert!(end.received.contains("retry: ") && end.received.ends_with("0\r\n\r\n"), "{end:?}");
    }
    trickling.await.unwrap();
    drop((silent, unread));
    let placed = placed.into_iter().flatten().filter(|response| response.status() == 201).count();
    process.restart().await;
    let stats = Reply::fetch(process.client.get(process.url("/api/stats"))).await.body;
    assert_eq!(stats["pixels"], placed, "what was done was answered");
}
