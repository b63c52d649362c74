//! The address that a request is counted for: the socket's, or the one that a trusted proxy names.

use serde_json::json;

use crate::support::{PASSWORD, RawConnection, Reply, Server};

/// One request per minute and caller.
const ONE_REQUEST_PER_MINUTE: (&str, &str) = ("CARAPLACE_REQUESTS_PER_MINUTE", "1");
const TRUST_LOCAL_PROXY: (&str, &str) = ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.1");
const CLIENT_IP_HEADER: (&str, &str) = ("CARAPLACE_CLIENT_IP_HEADER", "Fly-Client-IP");

/// Returns the status of a request with these headers.
async fn fetch_status(server: &Server, headers: &[(&str, &str)]) -> u16 {
    server.get_with_headers("/api/stats", headers).await.status
}

/// Returns the status of a request whose head contains these lines, byte for byte.
async fn fetch_status_raw(server: &Server, lines: &[&[u8]]) -> u16 {
    let mut head = b"GET /api/stats HTTP/1.1\r\nHost: x\r\nConnection: close\r\n".to_vec();
    for line in lines {
        head.extend([line, &b"\r\n"[..]].concat());
    }
    head.extend(b"\r\n");
    let mut socket = RawConnection::connect(server.running().address).await;
    assert!(socket.send(head).await);
    socket.read_to_end().await.statuses()[0]
}

#[tokio::test]
async fn limits_by_configured_client_ip_header() {
    let server = Server::start_with(&[ONE_REQUEST_PER_MINUTE, TRUST_LOCAL_PROXY, CLIENT_IP_HEADER]).await;
    for (address, forwarded, expected) in [
        ("198.51.100.1", "203.0.113.1", 200),
        ("198.51.100.2", "203.0.113.1", 200),
        ("198.51.100.1", "203.0.113.2", 429),
        ("2001:db8:1:2::1", "203.0.113.3", 200),
        ("2001:db8:1:3::1", "203.0.113.4", 429),
    ] {
        let headers = [("fly-client-ip", address), ("X-Forwarded-For", forwarded)];
        assert_eq!(fetch_status(&server, &headers).await, expected, "{address}, {forwarded}");
    }
    // Clients can send any X-Forwarded-For, and this proxy is not configured as one that appends to it.
    assert_eq!(fetch_status(&server, &[("X-Forwarded-For", "203.0.113.5")]).await, 200);
    let status = fetch_status(&server, &[("X-Forwarded-For", "203.0.113.6")]).await;
    assert_eq!(status, 429, "both count for the proxy");
}

#[tokio::test]
async fn ignores_client_ip_header_from_untrusted_proxy() {
    let trust_others = ("CARAPLACE_TRUSTED_PROXIES", "10.0.0.0/8");
    let server = Server::start_with(&[ONE_REQUEST_PER_MINUTE, CLIENT_IP_HEADER, trust_others]).await;
    assert_eq!(fetch_status(&server, &[("Fly-Client-IP", "198.51.100.1")]).await, 200);
    assert_eq!(fetch_status(&server, &[("Fly-Client-IP", "198.51.100.2")]).await, 429);
    assert_eq!(fetch_status(&server, &[]).await, 429, "the socket's address counts in all cases");
}

#[tokio::test]
async fn duplicate_or_invalid_headers_share_one_limit() {
    let server = Server::start_with(&[ONE_REQUEST_PER_MINUTE, TRUST_LOCAL_PROXY, CLIENT_IP_HEADER]).await;
    let twice: [&[u8]; 2] = [b"Fly-Client-IP: 203.0.113.1", b"Fly-Client-IP: 198.51.100.1"];
    assert_eq!(fetch_status_raw(&server, &twice).await, 200);
    let invalid: [&[&[u8]]; 6] = [
        &twice,
        &[b"Fly-Client-IP: 203.0.113.2", b"Fly-Client-IP: 198.51.100.1"],
        &[b"Fly-Client-IP: 203.0.113.3, 198.51.100.1"],
        &[b"Fly-Client-IP: \xff", b"X-Forwarded-For: 203.0.113.4"],
        &[b"Fly-Client-IP: somebody"],
        &[b"Fly-Client-IP:"],
    ];
    for lines in invalid {
        assert_eq!(fetch_status_raw(&server, lines).await, 429, "all of them count as one caller: {lines:?}");
    }
    let status = fetch_status(&server, &[("Fly-Client-IP", "198.51.100.1")]).await;
    assert_eq!(status, 200, "other callers are not affected");
    assert_eq!(fetch_status(&server, &[]).await, 200, "the proxy's own limit is not affected");
}

#[tokio::test]
async fn non_text_forwarded_header_is_not_counted_for_the_proxy() {
    let server = Server::start_with(&[ONE_REQUEST_PER_MINUTE, TRUST_LOCAL_PROXY]).await;
    let same_caller: [&[&[u8]]; 4] = [
        &[b"X-Forwarded-For: \xff, 198.51.100.7"],
        &[b"X-Forwarded-For: \xc3\x28, \x80, 203.0.113.1, 198.51.100.7"],
        &[b"X-Forwarded-For: \xfe\xff", b"X-Forwarded-For: 198.51.100.7"],
        &[b"X-Forwarded-For: 198.51.100.7"],
    ];
    for (number, lines) in same_caller.into_iter().enumerate() {
        let expected = if number == 0 { 200 } else { 429 };
        let status = fetch_status_raw(&server, lines).await;
        assert_eq!(status, expected, "the address that the proxy appended counts: {lines:?}");
    }
    // A proxy that appends nothing readable counts as one caller, independent of what the header says before.
    let unreadable: [&[u8]; 4] = [b"\xff", b"203.0.113.1, \xff", b"unknown", b"198.51.100.8,"];
    for (number, value) in unreadable.into_iter().enumerate() {
        let line = [b"X-Forwarded-For: ", value].concat();
        let expected = if number == 0 { 200 } else { 429 };
        assert_eq!(fetch_status_raw(&server, &[&line]).await, expected, "{}", line.escape_ascii());
    }
    assert_eq!(fetch_status(&server, &[]).await, 200, "the proxy's own limit is untouched");
}

#[tokio::test]
async fn ipv6_network_counts_once_for_registrations_and_sign_ins() {
    let settings = [
        TRUST_LOCAL_PROXY,
        ("CARAPLACE_REGISTRATIONS_PER_IP_PER_DAY", "2"),
        ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
    ];
    let server = Server::start_with(&settings).await;
    let register = async |name: &str, address: &str| {
        let request = server.post_request("/api/agents/register").json(&json!({"name": name}));
        Reply::fetch(request.header("X-Forwarded-For", address)).await.status
    };
    assert_eq!(register("Ada", "2001:db8:1:200::1").await, 201);
    assert_eq!(register("Bob", "2001:db8:1:2ff::1").await, 201);
    assert_eq!(register("Cyd", "2001:db8:1:280::1").await, 429, "the same /56");
    assert_eq!(register("Cyd", "2001:db8:1:300::1").await, 201, "another /56");
    for number in 0..6 {
        let mut browser = server.browser(&format!("2001:db8:2:{number:x}::1"));
        let expected = if number < 5 { 401 } else { 429 };
        assert_eq!(browser.sign_in("not this one").await.status, expected, "wrong password {number}");
    }
}
