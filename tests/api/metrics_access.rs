//! Access to `/metrics`: from this machine, with the token, or on its own listener.

use std::net::{SocketAddr, TcpListener};

use platform::clock::Clock;
use platform::config::Config;

use caraplace::server::running_server::RunningServer;
use reqwest::Method;

use crate::support::{RawConnection, Reply, Server};

const TOKEN: &str = "a-token-of-the-operator";
const METRICS_LISTENER: (&str, &str) = ("CARAPLACE_METRICS_LISTEN", "127.0.0.1:0");

fn metrics_address(server: &Server) -> SocketAddr {
    server.running().metrics_address.unwrap()
}

/// Returns a response of the metrics listener.
async fn fetch_from_metrics_listener(server: &Server, path: &str) -> Reply {
    Reply::fetch(server.client.get(format!("http://{}{path}", metrics_address(server)))).await
}

#[tokio::test]
async fn only_local_requests_by_default() {
    for trusted in ["", "127.0.0.0/8"] {
        let server = Server::start_with(&[("CARAPLACE_TRUSTED_PROXIES", trusted)]).await;
        assert_eq!(server.get("/metrics").await.status, 200);
        for forwarded in ["198.51.100.1", "127.0.0.1, 198.51.100.1", "rubbish"] {
            let reply = server.get_with_headers("/metrics", &[("X-Forwarded-For", forwarded)]).await;
            reply.assert_refused(403, "forbidden");
            let hint = reply.body["hint"].as_str().unwrap();
            assert!(hint.contains("CARAPLACE_METRICS_TOKEN"), "{}", reply.body);
        }
        assert_eq!(server.get("/healthz").await.status, 200);
    }
}

#[tokio::test]
async fn token_is_required_if_set() {
    let server = Server::start_with(&[("CARAPLACE_METRICS_TOKEN", TOKEN)]).await;
    let ada = server.register_agent("Ada").await;
    let missing = server.get("/metrics").await;
    missing.assert_refused(401, "key_missing");
    assert_eq!(missing.header("www-authenticate"), "Bearer");
    for wrong in [&ada.key, "a-token-of-the-operatos", "a-token-of-the-operator2", "a-token-of"] {
        let reply = Reply::fetch(server.get_request("/metrics").bearer_auth(wrong)).await;
        reply.assert_refused(401, "key_invalid");
        assert!(!reply.body.to_string().contains(TOKEN) && !reply.body.to_string().contains(wrong));
    }
    let basic = server.get_request("/metrics").basic_auth("prometheus", Some(TOKEN));
    Reply::fetch(basic).await.assert_refused(401, "key_invalid");
    let far = server.get_request("/metrics").header("X-Forwarded-For", "198.51.100.1").bearer_auth(TOKEN);
    let reply = Reply::fetch(far).await;
    assert_eq!(reply.status, 200, "from anywhere");
    assert!(!String::from_utf8(reply.bytes).unwrap().contains(TOKEN));
}

#[tokio::test]
async fn metrics_listener_serves_only_metrics() {
    let server = Server::start_with(&[METRICS_LISTENER]).await;
    for method in [Method::GET, Method::HEAD, Method::POST] {
        let reply = Reply::fetch(server.client.request(method.clone(), server.url("/metrics"))).await;
        assert_eq!(reply.status, 404, "{method} on the main listener");
    }
    server.get("/metrics").await.assert_refused(404, "not_found");
    let reply = fetch_from_metrics_listener(&server, "/metrics").await;
    assert_eq!(reply.status, 200);
    assert!(!reply.header("x-request-id").is_empty());
    let again = String::from_utf8(fetch_from_metrics_listener(&server, "/metrics").await.bytes).unwrap();
    assert!(again.contains(r#"caraplace_http_requests_total{method="GET",route="/metrics",status="200"}"#));
    assert_eq!(fetch_from_metrics_listener(&server, "/healthz").await.status, 200);
    for path in ["/", "/api/stats", "/readyz", "/admin", "/docs", "/metrics/", "/mcp"] {
        fetch_from_metrics_listener(&server, path).await.assert_refused(404, "not_found");
    }
}

#[tokio::test]
async fn metrics_listener_requires_the_token() {
    let server = Server::start_with(&[METRICS_LISTENER, ("CARAPLACE_METRICS_TOKEN", TOKEN)]).await;
    fetch_from_metrics_listener(&server, "/metrics").await.assert_refused(401, "key_missing");
    let url = format!("http://{}/metrics", metrics_address(&server));
    assert_eq!(Reply::fetch(server.client.get(url).bearer_auth(TOKEN)).await.status, 200);
    Reply::fetch(server.get_request("/metrics").bearer_auth(TOKEN)).await.assert_refused(404, "not_found");
}

#[tokio::test]
async fn metrics_listener_ends_with_the_server() {
    let mut server = Server::start_with(&[METRICS_LISTENER]).await;
    let address = metrics_address(&server);
    let mut idle = RawConnection::connect(address).await;
    server.restart().await;
    assert!(idle.read(1).await.is_empty(), "an idle connection is closed");
    let is_free = address == metrics_address(&server) || TcpListener::bind(address).is_ok();
    assert!(is_free, "the listener on {address} is closed");
    assert_eq!(fetch_from_metrics_listener(&server, "/metrics").await.status, 200);
}

#[tokio::test]
async fn address_in_use_stops_the_start_with_a_message() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let config = Config::read(|name| match name {
        "CARAPLACE_LISTEN" => Some("127.0.0.1:0".to_owned()),
        "CARAPLACE_METRICS_LISTEN" => Some(address.clone()),
        _ => None,
    });
    let started =
        RunningServer::start(config.unwrap(), "postgres://127.0.0.1:1/none", Clock::default()).await;
    let sentence = started.err().unwrap().to_string();
    assert!(sentence.contains("CARAPLACE_METRICS_LISTEN") && sentence.contains(&address), "{sentence}");
}
