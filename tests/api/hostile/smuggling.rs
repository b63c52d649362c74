//! Request smuggling: ambiguous requests are refused or the connection is closed. They never count as two.

use futures_util::future::join_all;

use crate::support::{HealthProbe, RawConnection, Server};

/// A request that must never be answered, because it is in a body or in an ambiguous place.
const HIDDEN_REQUEST: &str = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

/// Invalid framing in the head.
const INVALID_HEADS: [&str; 33] = [
    "Content-Length: 37\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: chunked\r\nContent-Length: 37",
    "Content-Length: 37\r\nContent-Length: 37",
    "Content-Length: 37\r\nContent-Length: 0",
    "Content-Length: 0\r\nContent-Length: 37",
    "Content-Length: 37, 37",
    "Content-Length: +37",
    "Content-Length: -0",
    "Content-Length: 0x25",
    "Content-Length: 3 7",
    "Content-Length: 37;",
    "Content-Length:",
    "Content-Length : 37",
    "Content-Length\t: 37",
    "Content-Length: 1\r\n 37",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
    "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: chunked, identity",
    "Transfer-Encoding: identity, chunked",
    "Transfer-Encoding: gzip, chunked",
    "Transfer-Encoding: xchunked",
    "Transfer-Encoding: \x0bchunked",
    "Transfer-Encoding: \"chunked\"",
    "Transfer-Encoding : chunked",
    "Transfer-Encoding:\r\n chunked",
    "Transfer-Encoding: chunked\r\n\t, identity",
    "X: y\rTransfer-Encoding: chunked",
    "X: y\0\r\nTransfer-Encoding: chunked",
    "X\r\nTransfer-Encoding: chunked",
    "X: y\nTransfer-Encoding: chunked",
    "Transfer-Encoding: chunked\nX: y",
    "X: y\n\nGET /healthz HTTP/1.1\r\nHost: x",
    " X: y\r\nTransfer-Encoding: chunked",
];

/// Invalid framing in a chunked body.
const INVALID_CHUNKS: [&str; 14] = [
    "0x2\r\n{}\r\n0\r\n\r\n",
    "+2\r\n{}\r\n0\r\n\r\n",
    "-2\r\n{}\r\n0\r\n\r\n",
    "2\n{}\r\n0\r\n\r\n",
    "2\r{}\r\n0\r\n\r\n",
    "2\r\n{}0\r\n\r\n",
    "2\r\n{}\n0\r\n\r\n",
    "2\r\n{}  \r\n0\r\n\r\n",
    "\r\n\r\n",
    "g\r\n{}\r\n0\r\n\r\n",
    "10000000000000002\r\n{}\r\n0\r\n\r\n",
    "fffffffffffffffff\r\n{}\r\n0\r\n\r\n",
    "2;a\nb\r\n{}\r\n0\r\n\r\n",
    "2,2\r\n{}\r\n0\r\n\r\n",
];

async fn send_and_read_statuses(server: &Server, request: String) -> Vec<u16> {
    let mut raw = RawConnection::connect(server.running().address).await;
    raw.send(&request).await;
    raw.read_to_end().await.statuses()
}

/// Asserts that there is one refusal, or no response.
async fn assert_refused_or_closed(server: &Server, request: String) {
    let answers = send_and_read_statuses(server, request.clone()).await;
    assert!(matches!(answers[..], [] | [400]), "{request:?}: {answers:?}");
}

#[tokio::test]
async fn refuses_ambiguous_heads() {
    let server = Server::start().await;
    let probe = HealthProbe::start(server.running().address).await;
    let lines = ["POST /api/agents/register", "GET /api/stats", "POST /nothing"];
    let requests = lines.iter().flat_map(|line| {
        INVALID_HEADS.map(|head| {
            format!("{line} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n{head}\r\n\r\n0\r\n\r\n{HIDDEN_REQUEST}")
        })
    });
    join_all(requests.map(|request| assert_refused_or_closed(&server, request))).await;
    for host in ["", "Host: x\r\nHost: y\r\n", "Host: x\r\nHost: x\r\n"] {
        assert_refused_or_closed(&server, format!("GET /api/stats HTTP/1.1\r\n{host}\r\n")).await;
    }
    let old = "POST /api/stats HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    assert_refused_or_closed(&server, format!("{old}{HIDDEN_REQUEST}")).await;
    probe.assert_fast();
}

#[tokio::test]
async fn closes_connection_after_ambiguous_chunks() {
    let server = Server::start().await;
    let probe = HealthProbe::start(server.running().address).await;
    let head = "Host: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked";
    let post = |chunks: &str| {
        format!("POST /api/agents/register HTTP/1.1\r\n{head}\r\n\r\n{chunks}{HIDDEN_REQUEST}")
    };
    join_all(INVALID_CHUNKS.map(|chunks| assert_refused_or_closed(&server, post(chunks)))).await;
    let last = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let whole = format!("{}{last}", post("2;a=b\r\n{}\r\n0\r\nX: y\r\n\r\n"));
    let read_on = send_and_read_statuses(&server, whole).await;
    assert_eq!(read_on, [400, 200, 200], "what is well framed is read on");
    probe.assert_fast();
}

#[tokio::test]
async fn never_reads_a_body_as_a_request() {
    let server = Server::start().await;
    let probe = HealthProbe::start(server.running().address).await;
    let length = HIDDEN_REQUEST.len();
    let framings = [
        format!("Content-Length: {length}\r\n\r\n{HIDDEN_REQUEST}"),
        format!("Transfer-Encoding: chunked\r\n\r\n{length:x}\r\n{HIDDEN_REQUEST}\r\n0\r\n\r\n"),
        format!("Content-Length: 200000\r\n\r\n{HIDDEN_REQUEST}"),
        format!("Connection: upgrade\r\nUpgrade: websocket\r\n\r\n{HIDDEN_REQUEST}{HIDDEN_REQUEST}"),
    ];
    let lines = [
        "GET /api/stats",
        "HEAD /",
        "POST /nothing",
        "PUT /api/pixel",
        "POST /api/agents/register",
        "CONNECT x:1",
    ];
    let requests = lines.iter().flat_map(|line| {
        framings.iter().map(move |framing| format!("{line} HTTP/1.1\r\nHost: x\r\n{framing}"))
    });
    join_all(requests.map(async |request| {
        let answers = send_and_read_statuses(&server, request.clone()).await;
        assert_eq!(answers.len(), 1, "{request:?}: {answers:?}");
    }))
    .await;
    let mut raw = RawConnection::connect(server.running().address).await;
    raw.send(format!("GET /api/events HTTP/1.1\r\nHost: x\r\n{}", framings[0])).await;
    let answer = raw.read_until("event: hello").await;
    assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
    probe.assert_fast();
}

#[tokio::test]
async fn answers_pipelined_requests_in_order() {
    let server = Server::start().await;
    let probe = HealthProbe::start(server.running().address).await;
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n");
    let body = "POST /api/agents/register HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}";
    let last = "GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let all =
        format!("{}{}{body}{}{last}{}", get("/healthz"), get("/nothing"), get("/readyz"), get("/healthz"));
    let statuses = send_and_read_statuses(&server, all).await;
    assert_eq!(statuses, [200, 404, 415, 200, 404], "and nothing behind the last");
    probe.assert_fast();
}

#[tokio::test]
async fn unexpected_body_does_not_break_the_connection() {
    let server = Server::start().await;
    let probe = HealthProbe::start(server.running().address).await;
    let tag = server.get("/api/canvas").await.header("etag").to_owned();
    let mut raw = RawConnection::connect(server.running().address).await;
    for _ in 0..3 {
        // No response for a while: the body is complete before the response is.
        raw.send("GET /readyz HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}").await;
        let answer = raw.read_until("\"writable\":true}").await;
        if answer.to_lowercase().contains("connection: close") {
            raw = RawConnection::connect(server.running().address).await;
        }
        raw.send(format!("GET /api/canvas HTTP/1.1\r\nHost: x\r\nIf-None-Match: {tag}\r\n\r\n")).await;
        assert!(raw.read_until("\r\n\r\n").await.starts_with("HTTP/1.1 304"));
    }
    probe.assert_fast();
}
