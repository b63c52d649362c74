//! Access to `/mcp`: hosts, origins, keys, and malformed messages.

use serde_json::{Value, json};

use crate::support::{RawConnection, Reply, Server};

fn list_tools_message() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
}

/// Sends a message with these header lines. Returns the status and the rest of the response.
async fn send_with_headers(server: &Server, lines: &str) -> (u16, String) {
    let body = list_tools_message().to_string();
    let mut raw = RawConnection::connect(server.running().address).await;
    let head = format!(
        "POST /mcp HTTP/1.1\r\n{lines}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    raw.send(head).await;
    let end = raw.read_to_end().await;
    (end.statuses()[0], end.received)
}

#[tokio::test]
async fn host_and_origin_are_checked_before_the_key() {
    let server = Server::start_with(&[("CARAPLACE_PUBLIC_URL", "https://cara.example")]).await;
    let ada = server.register_agent("Ada").await;
    let (good, wrong) = (format!("Authorization: Bearer {}\r\n", ada.key), "Authorization: Bearer cp_1\r\n");
    let address = server.running().address;
    for (host, origin, passes) in [
        (format!("{address}"), "", true),
        ("localhost:1".into(), "", true),
        ("cara.example".into(), "", true),
        ("cara.example".into(), "https://cara.example", true),
        ("cara.example".into(), "https://client.example", true),
        ("cara.example".into(), "null", true),
        (format!("{address}"), "http://localhost:6274", true),
        ("evil.example".into(), "", false),
        ("evil.example".into(), "http://evil.example", false),
        (format!("{address}"), "http://evil.example", false),
        (format!("{address}"), "null", false),
    ] {
        let origin = if origin.is_empty() { String::new() } else { format!("Origin: {origin}\r\n") };
        for (key, status) in [("", 200), (good.as_str(), 200), (wrong, 401)] {
            let (answered, response) =
                send_with_headers(&server, &format!("Host: {host}\r\n{origin}{key}")).await;
            assert_eq!(answered, if passes { status } else { 403 }, "{host} {origin} {key}: {response}");
            assert_eq!(response.to_lowercase().contains("www-authenticate: bearer"), answered == 401);
        }
    }
}

#[tokio::test]
async fn invalid_messages_are_refused_as_problems() {
    let server = Server::start().await;
    let post = || server.post_request("/mcp");
    let json_of = |text: &'static str| post().header("Content-Type", "application/json").body(text);
    Reply::fetch(json_of("{")).await.assert_refused(400, "malformed_json");
    Reply::fetch(json_of("[]")).await.assert_refused(400, "invalid_field");
    Reply::fetch(json_of("{\"jsonrpc\": \"1.0\"}")).await.assert_refused(400, "invalid_field");
    Reply::fetch(post().body("{}")).await.assert_refused(415, "unsupported_media_type");
    let image = post().json(&list_tools_message()).header("Accept", "text/html;q=0, image/png");
    Reply::fetch(image).await.assert_refused(406, "not_acceptable");
    let unknown = post().json(&list_tools_message()).header("MCP-Protocol-Version", "1999-01-01");
    Reply::fetch(unknown).await.assert_refused(400, "invalid_field");
    let large = json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "x".repeat(300_000)}});
    Reply::fetch(post().json(&large)).await.assert_refused(413, "too_large");
    let meta = json!({"_meta": {"x": "x".repeat(200_000)}});
    let padded = json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": meta});
    assert_eq!(Reply::fetch(post().json(&padded)).await.body["result"], json!({}));
    let method = json!({"jsonrpc": "2.0", "id": 1, "method": "no/such"});
    assert_eq!(Reply::fetch(post().json(&method)).await.assert_status(200)["error"]["code"], -32_601);
}
