//! MCP and HTTP give the same results and refusals, and need a key for the same actions.

use serde_json::{Value, json};

use super::names_of;
use crate::support::{Agent, Reply, Server};

/// Returns a response without the fields that differ between two requests or interfaces.
fn without_volatile_fields(mut answer: Value) -> Value {
    let fields = answer.as_object_mut().unwrap();
    fields.retain(|name, _| !["digest_expires_at", "untrusted"].contains(&name.as_str()));
    answer
}

#[tokio::test]
async fn reads_match_over_mcp_and_http() {
    let server = Server::start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    ada.earn_message_credits().await;
    bob.earn_message_credits().await;
    assert_eq!(bob.post_message("@Ada, a roof?").await.status, 201);
    let mcp = server.mcp(Some(&ada.key));
    let part = json!({"x1": 0, "y1": 0, "x2": 9, "y2": 9, "max_tokens": 200});
    for (tool, arguments, path) in [
        ("my_status", json!({}), "/api/agents/me"),
        ("pixel_info", json!({"x": 1, "y": 0, "history": 20}), "/api/pixel?x=1&y=0"),
        ("canvas_region", part, "/api/canvas/region?x1=0&y1=0&x2=9&y2=9&max_tokens=200"),
        ("chat_get_new", json!({}), "/api/chat/new"),
        ("inbox", json!({"unread": false}), "/api/inbox"),
    ] {
        let here = mcp.call_tool_ok(tool, arguments).await.structured;
        let there = ada.get(path).await.body;
        assert_eq!(without_volatile_fields(here), without_volatile_fields(there), "{tool}");
    }
    let here = mcp.call_tool_ok("next_steps", json!({})).await.structured;
    let there = ada.get("/api/home").await.body;
    for part in ["unread", "you", "inbox", "changed_nearby", "messages", "digest"] {
        assert_eq!(here[part], there[part], "{part}");
    }
}

/// Returns the code and the detail of a refusal.
fn code_and_detail(answer: &Value) -> (&Value, &Value) {
    (&answer["code"], &answer["detail"])
}

#[tokio::test]
async fn writes_match_over_mcp_and_http() {
    let server = Server::start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let mcp = server.mcp(Some(&ada.key));
    let digest = server.digest().await;
    let pixels = |pixel: Value| json!({"pixels": [pixel], "chat_digest": digest});
    for (tool, path, body) in [
        ("place_pixels", "/api/pixels", pixels(json!({"x": 128, "y": 0, "color": 1}))),
        ("place_pixels", "/api/pixels", pixels(json!({"x": 0, "y": 0, "color": 16}))),
        ("place_pixels", "/api/pixels", pixels(json!({"x": 1.0, "y": 0, "color": 1}))),
        ("place_pixels", "/api/pixels", pixels(json!({"x": 1, "y": 0, "color": 1, "expected_color": 9}))),
        ("place_pixels", "/api/pixels", json!({"pixels": [], "chat_digest": digest})),
        (
            "place_pixels",
            "/api/pixels",
            json!({"pixels": [{"x": 0, "y": 0, "color": 1}], "chat_digest": "0"}),
        ),
        ("chat_post", "/api/chat", json!({"content": " "})),
        (
            "chat_post",
            "/api/chat",
            json!({"content": "Hello.", "region": {"x1": 0, "y1": 0, "x2": 1, "y2": 1}}),
        ),
        ("chat_post", "/api/chat", json!({"content": "Hello.", "reply_to": "msg_none"})),
        ("chat_post", "/api/chat", json!({"content": "Hello."})),
        ("mark_read", "/api/inbox/read", json!({"up_to": 1_000_000})),
        ("mark_read", "/api/inbox/read", json!({})),
        ("register", "/api/agents/register", json!({"name": "bob"})),
        ("register", "/api/agents/register", json!({"name": "Admin"})),
    ] {
        let (here, there) = (mcp.call_tool(tool, body.clone()).await, ada.post(path, body.clone()).await);
        assert!(here.is_error && there.status >= 400, "{tool} {body}");
        assert_eq!(code_and_detail(&here.structured), code_and_detail(&there.body), "{tool} {body}");
    }
    for (tool, arguments, path) in [
        ("chat_get_new", json!({"limit": 0}), "/api/chat/new?limit=0"),
        ("chat_get_new", json!({"ack": -1}), "/api/chat/new?ack=-1"),
        ("chat_get_new", json!({"ack": 1_000_000}), "/api/chat/new?ack=1000000"),
        ("inbox", json!({"limit": 101}), "/api/inbox?limit=101"),
        ("inbox", json!({"before": -1}), "/api/inbox?before=-1"),
        ("next_steps", json!({"max_tokens": 63}), "/api/home?max_tokens=63"),
        ("pixel_info", json!({"x": -1, "y": 0}), "/api/pixel?x=-1&y=0"),
    ] {
        let (here, there) = (mcp.call_tool(tool, arguments).await, ada.get(path).await);
        assert!(here.is_error && there.status == 400, "{path}");
        assert_eq!(code_and_detail(&here.structured), code_and_detail(&there.body), "{path}");
    }
    let pixels: Vec<_> = (0..5).map(|x| json!({"x": x, "y": 9, "color": 5})).collect();
    let painting = json!({"pixels": pixels, "chat_digest": digest});
    mcp.call_tool_ok("place_pixels", painting.clone()).await;
    assert_eq!(bob.post("/api/pixels", painting).await.status, 201);
    mcp.call_tool_ok("chat_post", json!({"content": "A line."})).await;
    assert_eq!(bob.post_message("Another line.").await.status, 201);
    let left = async |agent: &Agent<'_>| {
        let me = agent.me().await;
        ["charges", "chat_credits", "pixels_placed", "messages_sent", "messages_available"]
            .map(|it| me[it].clone())
    };
    assert_eq!(left(&ada).await, left(&bob).await);
}

#[tokio::test]
async fn past_canvas_is_read_by_the_number_of_an_event() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let first = ada.paint(1, 2, 3).await.body["pixel"]["seq"].as_i64().unwrap();
    assert_eq!(ada.paint(1, 2, 4).await.status, 201);
    let nobody = server.mcp(None);
    let region = |at: Value| json!({"x1": 0, "y1": 2, "x2": 3, "y2": 2, "at": at});
    for (at, row) in [(json!(first), "0300"), (json!(0), "0000"), (Value::Null, "0400")] {
        let here = nobody.call_tool_ok("canvas_region", region(at.clone())).await;
        assert_eq!(here.structured["rows"], json!([row]), "{at}");
        let view = nobody.call_tool_ok("canvas_view", json!({"at": at})).await;
        assert_eq!(view.structured["version"], here.structured["version"], "{at}");
    }
    for at in [-1, 1_000_000] {
        for tool in ["canvas_region", "canvas_view"] {
            let refused = nobody.call_tool(tool, region(json!(at))).await;
            refused.assert_refused("invalid_field");
            assert_eq!(refused.structured["field"], "at");
        }
    }
}

#[tokio::test]
async fn refused_reaction_names_the_field_of_the_tool() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let mcp = server.mcp(Some(&ada.key));
    for emoji in ["", "yes", "👋👋"] {
        let refused = mcp.call_tool("react", json!({"message_id": "msg_1", "emoji": emoji})).await;
        refused.assert_refused("invalid_field");
        assert_eq!(refused.structured["field"], "emoji", "{}", refused.text);
    }
}

#[tokio::test]
async fn without_a_key_only_registering_and_reading_work() {
    let server = Server::start().await;
    let nobody = server.mcp(None);
    let listed = nobody.send_request("tools/list", json!({})).await;
    let mut open = Vec::new();
    for tool in names_of(&listed["result"]["tools"]) {
        let reply = nobody.try_call_tool(tool, json!({})).await;
        match reply.status {
            200 => open.push(tool.to_owned()),
            _ => reply.assert_refused(401, "key_missing"),
        }
    }
    assert_eq!(open.join(" "), "register canvas_view canvas_region pixel_info plans plan_next search");
    let resources = nobody.send_request("resources/list", json!({})).await;
    for resource in resources["result"]["resources"].as_array().unwrap() {
        let read = nobody.send_request("resources/read", json!({"uri": resource["uri"]})).await;
        let contents = &read["result"]["contents"][0];
        assert_eq!(contents["mimeType"], resource["mimeType"], "{read}");
    }
    let unknown = nobody.send_request("resources/read", json!({"uri": "caraplace://nothing"})).await;
    assert!(unknown["error"]["code"].is_i64(), "{unknown}");
}

#[tokio::test]
async fn large_message_is_handled() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let arguments = json!({"pixels": [{"x": 1, "y": 2, "color": 3}], "chat_digest": server.digest().await});
    let padding = json!({"example.com/padding": "x".repeat(100_000)});
    let params = json!({"name": "place_pixels", "arguments": arguments, "_meta": padding});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let reply = Reply::fetch(server.mcp(Some(&ada.key)).request(&message)).await;
    assert_eq!(reply.body["result"]["structuredContent"]["agent_name"], "Ada", "{}", reply.body);
    assert_eq!(server.get("/api/pixel?x=1&y=2").await.body["color"], 3);
}

#[tokio::test]
async fn invalid_params_are_not_reported_as_unknown_method() {
    let server = Server::start().await;
    let nobody = server.mcp(None);
    for (method, params) in [
        ("tools/call", json!({"name": "pixel_info", "arguments": []})),
        ("tools/call", json!({})),
        ("resources/read", json!({})),
        ("initialize", json!({})),
    ] {
        let answer = nobody.send_request(method, params).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(method), "{answer}");
    }
    assert_eq!(nobody.send_request("tools/burn", json!({})).await["error"]["code"], -32601);
}
