//! Malformed addresses, heads and queries: never a 5xx, never a hang.

use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};

use crate::support::{Reply, Server, WAIT_LIMIT};

/// Sends bytes and returns the response. The status is 0 if the server only closed the connection.
async fn send_raw(server: &Server, request: impl Into<Vec<u8>>) -> (u16, String) {
    let (address, request) = (server.running().address, request.into());
    let talk = move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(WAIT_LIMIT)).unwrap();
        // The server may respond and close the connection before it has read everything.
        let _ = stream.write_all(&request);
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        if let Err(error) = stream.read_to_end(&mut answer) {
            assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "the server hangs");
        }
        let answer = String::from_utf8_lossy(&answer).into_owned();
        (answer.split(' ').nth(1).map_or(0, |status| status.parse().unwrap()), answer)
    };
    tokio::task::spawn_blocking(talk).await.unwrap()
}

#[tokio::test]
async fn wrong_content_length_does_not_block() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let head = server.head().await;
    let body = json!({"x": 1, "y": 1, "color": 1, "chat_digest": server.digest().await});
    let start = format!("POST /api/pixel HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n", ada.key);
    let start = format!("{start}Content-Type: application/json\r\nConnection: close\r\n");
    for (length, statuses) in [
        ("Content-Length: 300000", &[413][..]),
        ("Content-Length: 18446744073709551615", &[400, 413]),
        ("Content-Length: 99999999999999999999999", &[400, 413]),
        ("Content-Length: -1", &[400]),
        ("Content-Length: 1.0", &[400]),
        ("Content-Length: 200000", &[0, 400]),
        ("Content-Length: 1\r\nContent-Length: 2", &[400]),
        ("Transfer-Encoding: chunked", &[0, 400]),
        ("Transfer-Encoding: gzip", &[400, 415, 501]),
    ] {
        let (status, answer) = send_raw(&server, format!("{start}{length}\r\n\r\n{body}")).await;
        assert!(statuses.contains(&status), "{length}: {answer}");
    }
    assert_eq!(server.head().await, head);
}

#[tokio::test]
async fn malformed_paths_are_refused() {
    let server = Server::start().await;
    for path in [
        "/%00",
        "/%ff",
        "/..",
        "/../etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/css/..%2findex.html",
        "/js/%2e%2e%2fpage.html",
        "/js/%2e%2e/favicon.svg",
        "/css/../../Cargo.toml",
        "/css/%00",
        "/css/%ff.css",
        "/api/%70ixel%00",
        "/api/agents/%00",
        "/api/agents/%ff",
        "/api/agents/%2e%2e",
        "/api/agents/a%2fb",
        "/api/agents/'%20or%201=1",
        "/api/agents/%F0%9F%94%A5",
        "//api/canvas",
        "/api//canvas",
        "/api/canvas/",
        "/api/canvas%3fx",
        "/%",
        "/%zz",
        "/api/agents/%zz",
        "/\u{7f}",
    ] {
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let (status, answer) = send_raw(&server, request).await;
        assert!((400..500).contains(&status), "{path}: {}", answer.lines().next().unwrap_or_default());
        assert!(!answer.contains("root:") && !answer.contains("[package]"), "{path}: {answer}");
    }
    for id in [&"a".repeat(10_000), "agent_%E2%80%8B", "%00"] {
        server.get(&format!("/api/agents/{id}")).await.assert_refused(404, "not_found");
    }
}

#[tokio::test]
async fn oversized_or_broken_heads_are_refused() {
    let server = Server::start().await;
    let many = (0..2_000).map(|number| format!("X-{number}: y\r\n")).collect::<String>();
    let large = format!("X-Large: {}\r\n", "y".repeat(2_000_000));
    for head in [many, large, "Broken\r\n".to_owned(), "A B: c\r\n".to_owned(), "X: \0\r\n".to_owned()] {
        let (status, answer) =
            send_raw(&server, format!("GET /api/stats HTTP/1.1\r\nHost: x\r\n{head}\r\n")).await;
        assert!(status == 0 || (400..500).contains(&status), "{}", &answer[..answer.len().min(200)]);
    }
    for line in ["GET", "GET / HTTP/9.9", "\0\0\0\0", "GET  /  HTTP/1.1", "\u{16}\u{3}\u{1}"] {
        let (status, answer) = send_raw(&server, format!("{line}\r\nHost: x\r\n\r\n")).await;
        assert!(status == 0 || (400..=505).contains(&status), "{line:?}: {answer}");
    }
    assert_eq!(server.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn malformed_headers_are_ignored_or_refused() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    for (name, value) in [
        ("Authorization", &b"Bearer \xff\xfe"[..]),
        ("Accept", b"\xff"),
        ("Accept", b",;q=,*/"),
        ("Accept-Encoding", b"gzip;q=abc, \xff"),
        ("Accept-Encoding", b"identity;q=0, *;q=0"),
        ("If-None-Match", b"\xff, W/, \"\", \"unclosed"),
        ("X-Forwarded-For", b"::::, 999.1.1.1"),
        ("Idempotency-Key", b"\xff"),
        ("Range", b"bytes=9999-1"),
    ] {
        for path in ["/", "/nothing", "/api/canvas", "/api/canvas.png", "/api/stats", "/skill.md"] {
            let reply = Reply::fetch(server.get_request(path).header(name, value)).await;
            assert!(reply.status < 500, "{path} {name}: {}", reply.status);
        }
    }
    let digest = server.digest().await;
    let odd = ada.post_request("/api/pixel").header("Idempotency-Key", &b"\xff\xfe"[..]);
    let body = json!({"x": 1, "y": 1, "color": 1, "chat_digest": digest});
    Reply::fetch(odd.json(&body)).await.assert_refused(400, "invalid_field");
}

#[tokio::test]
async fn query_numbers_are_integers_within_range() {
    let server = Server::start().await;
    let wrong =
        ["", "-1", "1.0", "1e1", "0x1", "%31%00", "one", "99999999999999999999", "%EF%BC%91", "1%201"];
    for (path, repeated) in [
        ("/api/pixel?y=0&x=", "x"),
        ("/api/canvas/region?y1=0&x2=3&y2=3&x1=", "x1"),
        ("/api/canvas/visual?y1=0&x2=3&y2=3&x1=", "x1"),
    ] {
        for value in wrong {
            let reply = server.get(&format!("{path}{value}")).await;
            let code = if value == "-1" { "out_of_bounds" } else { "invalid_field" };
            reply.assert_refused(400, code);
        }
        server.get(&format!("{path}0&{repeated}=1")).await.assert_refused(400, "invalid_field");
        server.get(&format!("{path}128")).await.assert_refused(400, "out_of_bounds");
    }
    for path in
        ["/api/canvas.png?scale=", "/api/chat?limit=", "/api/pixels/recent?limit=", "/api/leaderboard?limit="]
    {
        for value in wrong.iter().chain(&["0", "501"]) {
            server.get(&format!("{path}{value}")).await.assert_refused(400, "invalid_field");
        }
        let (_, repeated) = path.split_once('?').unwrap();
        server.get(&format!("{path}1&{repeated}1")).await.assert_refused(400, "invalid_field");
    }
    for since in wrong {
        server.get(&format!("/api/events?since={since}")).await.assert_refused(400, "bad_cursor");
    }
    for time in ["", "yesterday", "2026-01-31", "2026-13-01T00:00:00Z", "2026-01-31T25:00:00Z", "-1", "%00"] {
        server.get(&format!("/api/chat?since={time}")).await.assert_refused(400, "invalid_field");
    }
}

#[tokio::test]
async fn malformed_query_texts_are_refused() {
    let server = Server::start().await;
    for before in ["", "%00", "msg_%00", "%ff", "'", "msg_", "season_1", "%F0%9F%94%A5"] {
        server.get(&format!("/api/chat?before={before}")).await.assert_refused(400, "bad_cursor");
    }
    server.get(&format!("/api/chat?before={}", "m".repeat(8_000))).await.assert_refused(400, "bad_cursor");
    for period in ["", "year", "SEASON", "%00"] {
        server.get(&format!("/api/leaderboard?period={period}")).await.assert_refused(400, "invalid_field");
    }
    for since in ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "0000-01-01T00:00:00%2B23:59"] {
        assert_eq!(server.get(&format!("/api/chat?since={since}")).await.status, 200, "{since}");
    }
    for query in ["?", "?&&&", "?=", "?%00=%00", "?a=%ff", "?a[]=1", "?%", "?a=%zz", "?x1", "?;"] {
        for path in
            ["/api/stats", "/api/canvas", "/api/canvas/visual", "/api/chat", "/api/pixels/recent", "/"]
        {
            let reply = server.get(&format!("{path}{query}")).await;
            assert!([200, 400].contains(&reply.status), "{path}{query}: {}", reply.status);
        }
    }
}

#[tokio::test]
async fn a_byte_order_mark_before_json_is_ignored() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let pixel = json!({"x": 1, "y": 1, "color": 1, "chat_digest": server.digest().await});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "my_status", "arguments": {"api_key": ada.key}}});
    let client = json!({"client_name": "Painter", "redirect_uris": ["https://app.example/callback"]});
    for (path, body, status) in [
        ("/api/agents/register", json!({"name": "Bob"}), 201),
        ("/api/pixel", pixel, 201),
        ("/api/chat", json!({"content": "A roof", "type": "intent"}), 201),
        ("/api/plans", json!({"title": "A roof", "x": 1, "y": 1, "rows": ["55"]}), 201),
        ("/mcp", call, 200),
        ("/oauth/register", client, 201),
    ] {
        let mut request = server.post_request(path).header("Content-Type", "application/json");
        if path.starts_with("/api/") && path != "/api/agents/register" {
            request = request.bearer_auth(&ada.key);
        }
        let reply = Reply::fetch(request.body(format!("\u{feff}{body}"))).await;
        assert_eq!(reply.status, status, "{path}: {}", reply.body);
        assert_ne!(reply.body["result"]["isError"], true, "{path}: {}", reply.body);
    }
    let empty = server.post_request("/api/agents/register").header("Content-Type", "application/json");
    let empty = Reply::fetch(empty.body("\u{feff}")).await;
    empty.assert_refused(400, "malformed_json");
    assert_eq!(empty.body["detail"], "The body is empty.");
}
