//! The limit of event streams per address.

use reqwest::{RequestBuilder, Response};
use serde_json::json;

use crate::support::actions::CONSOLE_SETTINGS;
use crate::support::{Agent, EventStream, Reply, Server, WAIT_LIMIT};

/// Returns a request for a stream from this address, as a trusted proxy forwards it.
fn stream_request_from(server: &Server, address: &str) -> RequestBuilder {
    server.get_request("/api/events").header("X-Forwarded-For", address)
}

/// Requests a stream until one is accepted. It is open as long as the response exists. The server notices
/// that a client is gone when it writes, so each attempt causes an event.
async fn open_when_free(agent: &Agent<'_>, address: &str) -> Response {
    let asking = async {
        loop {
            let response = stream_request_from(agent.server, address).send().await.unwrap();
            if response.status() == 200 {
                return response;
            }
            assert_eq!(response.status(), 429);
            assert_eq!(agent.paint(1, 1, 1).await.status, 201);
        }
    };
    tokio::time::timeout(WAIT_LIMIT, asking).await.expect("the slot is never free again")
}

#[tokio::test]
async fn limits_open_streams_per_address() {
    let settings = [("CARAPLACE_STREAMS_PER_IP", "2"), ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8")];
    let server = Server::start_with(&settings).await;
    let mut open = Vec::new();
    for _ in 0..2 {
        open.push(EventStream::open(stream_request_from(&server, "192.0.2.1")).await);
    }
    let refused = Reply::fetch(stream_request_from(&server, "192.0.2.1")).await;
    refused.assert_refused(429, "too_many_requests");
    assert!(refused.body["detail"].as_str().unwrap().contains("2 open event streams"), "{}", refused.body);
    assert!(refused.body["hint"].as_str().unwrap().contains("Close a stream"), "{}", refused.body);
    // Another key does not change the address, and other requests are accepted.
    let ada = server.register_agent("Ada").await;
    let request = stream_request_from(&server, "192.0.2.1").bearer_auth(&ada.key);
    Reply::fetch(request).await.assert_refused(429, "too_many_requests");
    assert_eq!(server.get("/api/stats").await.status, 200);
    let head = server.client.head(server.url("/api/events")).header("X-Forwarded-For", "192.0.2.1");
    assert_eq!(Reply::fetch(head).await.status, 200, "a HEAD opens none");
    EventStream::open(stream_request_from(&server, "192.0.2.2")).await;
}

#[tokio::test]
async fn ended_stream_frees_its_slot() {
    let settings = [
        ("CARAPLACE_STREAMS_PER_IP", "1"),
        ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8"),
        ("CARAPLACE_CHARGE_SECONDS", "0"),
    ];
    let server = Server::start_with(&settings).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let address = "192.0.2.1";
    // The client closes the connection.
    drop(EventStream::open(stream_request_from(&server, address)).await);
    drop(open_when_free(&bob, address).await);
    // The server ends the stream with a reset, and the connection stays open.
    let ahead =
        server.get_request("/api/events?since=1000000").header("X-Forwarded-For", "192.0.2.2").send().await;
    let mut ended = ahead.unwrap();
    while ended.chunk().await.unwrap().is_some() {}
    open_when_free(&bob, "192.0.2.2").await;
    // The agent's key changes.
    let mut recalled =
        EventStream::open(stream_request_from(&server, "192.0.2.3").bearer_auth(&ada.key)).await;
    assert_eq!(ada.post("/api/agents/me/key", json!({})).await.status, 200);
    while recalled.next().await.is_some() {}
    open_when_free(&bob, "192.0.2.3").await;
}

#[tokio::test]
async fn operator_changes_the_stream_limit() {
    let settings = [("CARAPLACE_STREAMS_PER_IP", "1"), CONSOLE_SETTINGS[0], CONSOLE_SETTINGS[1]];
    let server = Server::start_with(&settings).await;
    let operator = server.sign_in_operator().await;
    let mut open = vec![EventStream::open(stream_request_from(&server, "192.0.2.1")).await];
    Reply::fetch(stream_request_from(&server, "192.0.2.1")).await.assert_refused(429, "too_many_requests");
    operator.change_setting("streams_per_ip", json!(0)).await;
    for _ in 0..5 {
        open.push(EventStream::open(stream_request_from(&server, "192.0.2.1")).await);
    }
}
