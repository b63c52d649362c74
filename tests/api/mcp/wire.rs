//! Messages to `/mcp` with another address, format, revision or origin than usual.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::support::{Reply, Server, tool_call};

const OTHER_SITE: &str = "https://client.example";

fn message(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

/// Returns the request of a message, from a page of another site.
fn from_other_site(server: &Server, message: &Value) -> RequestBuilder {
    server.post_request("/mcp").header("Origin", OTHER_SITE).json(message)
}

#[tokio::test]
async fn a_slash_at_the_end_changes_nothing() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let list = message("tools/list", &json!({}));
    let without = Reply::fetch(server.post_request("/mcp").json(&list)).await;
    let with = Reply::fetch(server.post_request("/mcp/").json(&list)).await;
    assert_eq!((with.status, &with.body), (200, &without.body));
    let status = tool_call("my_status", &json!({}));
    let refused = Reply::fetch(server.post_request("/mcp/").json(&status)).await;
    assert_eq!(refused.status, 401);
    assert!(refused.header("www-authenticate").starts_with("Bearer resource_metadata="));
    let known = Reply::fetch(server.post_request("/mcp/").bearer_auth(&ada.key).json(&status)).await;
    assert_eq!(known.body["result"]["isError"], false, "{}", known.body);
    let metadata = "/.well-known/oauth-protected-resource/mcp";
    assert_eq!(server.get(&format!("{metadata}/")).await.body, server.get(metadata).await.body);
}

#[tokio::test]
async fn a_sender_without_a_key_is_told_in_a_json_rpc_error_to_register() {
    let server = Server::start().await;
    for id in [json!(4), json!("four")] {
        let mut message = tool_call("place_pixels", &json!({}));
        message["id"] = id.clone();
        let refused = Reply::fetch(server.post_request("/mcp").json(&message)).await;
        assert_eq!((refused.status, refused.header("content-type")), (401, "application/json"));
        assert!(refused.header("www-authenticate").starts_with("Bearer resource_metadata="));
        assert_eq!((&refused.body["jsonrpc"], &refused.body["id"]), (&json!("2.0"), &id));
        let error = &refused.body["error"];
        assert_eq!((&error["code"], &error["data"]["code"]), (&json!(-32_001), &json!("key_missing")));
        let text = error["message"].as_str().unwrap();
        assert!(text.contains("Call the tool register"), "{text}");
    }
    let unreadable =
        server.post_request("/mcp").bearer_auth("cpa_wrong").header("Content-Type", "application/json");
    let refused = Reply::fetch(unreadable.body("{")).await;
    assert_eq!((refused.status, &refused.body["id"]), (401, &Value::Null), "{}", refused.body);
}

#[tokio::test]
async fn a_client_that_accepts_only_event_streams_receives_one_event() {
    let server = Server::start().await;
    for (accept, is_stream) in [
        ("text/event-stream", true),
        ("text/*", true),
        ("text/event-stream, application/json;q=0", true),
        ("application/json, text/event-stream", false),
        ("text/event-stream, application/json", false),
        ("application/json", false),
        ("*/*", false),
    ] {
        let ping = server.post_request("/mcp").header("Accept", accept).json(&message("ping", &json!({})));
        let reply = Reply::fetch(ping).await;
        let content_type = if is_stream { "text/event-stream" } else { "application/json" };
        assert_eq!((reply.status, reply.header("content-type")), (200, content_type), "{accept}");
        let text = String::from_utf8(reply.bytes).unwrap();
        let body = match text.strip_prefix("event: message\ndata: ") {
            Some(event) if is_stream => event.strip_suffix("\n\n").unwrap(),
            _ => &text,
        };
        let answer: Value = serde_json::from_str(body).unwrap();
        assert_eq!((&answer["id"], &answer["result"]), (&json!(1), &json!({})), "{accept}");
    }
    let started = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let told = server.post_request("/mcp").header("Accept", "text/event-stream").json(&started);
    let told = Reply::fetch(told).await;
    assert_eq!((told.status, told.bytes.len()), (202, 0));
}

#[tokio::test]
async fn initialize_agrees_only_to_revisions_whose_requirements_are_kept() {
    let server = Server::start().await;
    let batch = json!([message("ping", &json!({}))]);
    Reply::fetch(server.post_request("/mcp").json(&batch)).await.assert_refused(400, "invalid_field");
    for (asked, agreed) in [
        // It requires servers to accept batches.
        ("2025-03-26", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let hello = json!({
            "protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
        });
        let reply = Reply::fetch(server.post_request("/mcp").json(&message("initialize", &hello))).await;
        assert_eq!(reply.body["result"]["protocolVersion"], agreed, "{asked}: {}", reply.body);
    }
    // Without the header, clients of that revision are still understood.
    let list = Reply::fetch(server.post_request("/mcp").json(&message("tools/list", &json!({})))).await;
    assert!(list.body["result"]["tools"].is_array(), "{}", list.body);
}

#[tokio::test]
async fn pages_of_other_sites_call_tools_with_a_key_and_without_cookies() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let preflight = server.client.request(Method::OPTIONS, server.url("/mcp")).header("Origin", OTHER_SITE);
    let preflight = preflight.header("Access-Control-Request-Method", "POST");
    let asked = "authorization,content-type,mcp-protocol-version,mcp-method,x-other";
    let granted = Reply::fetch(preflight.header("Access-Control-Request-Headers", asked)).await;
    assert_eq!((granted.status, granted.header("access-control-allow-origin")), (204, "*"));
    assert!(granted.header("access-control-allow-methods").contains("POST"));
    let allowed = granted.header("access-control-allow-headers").to_lowercase();
    for name in ["authorization", "content-type", "mcp-protocol-version", "mcp-session-id", "mcp-method"] {
        assert!(allowed.split(", ").any(|allowed| allowed == name), "{name}: {allowed}");
    }
    assert!(!allowed.contains("x-other"), "{allowed}");

    let known = from_other_site(&server, &tool_call("my_status", &json!({}))).bearer_auth(&ada.key);
    let known = Reply::fetch(known).await;
    assert_eq!(known.body["result"]["isError"], false, "{}", known.body);
    let public = Reply::fetch(from_other_site(&server, &tool_call("canvas_view", &json!({})))).await;
    assert_eq!(public.body["result"]["isError"], false, "{}", public.body);
    let refused = Reply::fetch(from_other_site(&server, &tool_call("my_status", &json!({})))).await;
    assert_eq!(refused.status, 401);
    for reply in [&granted, &known, &public, &refused] {
        assert_eq!(reply.header("access-control-allow-origin"), "*");
        assert!(!reply.headers.contains_key("access-control-allow-credentials"));
    }
    for name in ["Mcp-Session-Id", "WWW-Authenticate"] {
        assert!(refused.header("access-control-expose-headers").contains(name), "{name}");
    }
}

#[tokio::test]
async fn pages_of_other_sites_cannot_make_their_visitors_register() {
    let server = Server::start().await;
    let register = tool_call("register", &json!({"name": "Ada"}));
    let refused = Reply::fetch(from_other_site(&server, &register)).await;
    assert_eq!(refused.body["result"]["structuredContent"]["code"], "forbidden", "{}", refused.body);
    // A developer's tool on this machine can.
    let local = server.post_request("/mcp").header("Origin", "http://localhost:6274").json(&register);
    assert_eq!(Reply::fetch(local).await.body["result"]["isError"], false);
}
