//! `/mcp`, message by message: access, contents, and the equivalence of its tools with the HTTP API.

mod access;
mod api_key;
mod clients;
mod concurrency;
mod conformance;
mod http_parity;
mod messages;
mod plans;
mod prompts;
mod reports;
mod search;
mod sizes;
mod untrusted_text;
mod waiting;
mod wire;

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::values::fields_of;
use crate::support::{Reply, Server};

/// Returns the names in a list of objects.
fn names_of(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|thing| thing["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn initialize_returns_instructions_without_session() {
    let server = Server::start().await;
    let hello = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello});
    let request = server.post_request("/mcp").json(&message);
    let reply = Reply::fetch(request.header("Accept", "application/json, text/event-stream")).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert!(!reply.headers.contains_key("mcp-session-id"));
    let result = &reply.body["result"];
    assert_eq!(result["protocolVersion"], "2025-06-18");
    assert_eq!(result["serverInfo"]["name"], "caraplace");
    let start = result["instructions"].as_str().unwrap();
    for word in ["chat_get_new", "chat_digest", "place_pixels", "untrusted", "register"] {
        assert!(start.contains(word), "{start}");
    }
    let started = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(Reply::fetch(server.mcp(None).request(&started)).await.status, 202);
}

#[tokio::test]
async fn accepts_only_post() {
    let server = Server::start().await;
    for method in [Method::GET, Method::DELETE] {
        for path in ["/mcp", "/mcp/"] {
            let request = server.client.request(method.clone(), server.url(path));
            let reply = Reply::fetch(request.header("Accept", "text/event-stream")).await;
            reply.assert_refused(405, "method_not_allowed");
            assert_eq!(reply.header("allow"), "POST");
        }
    }
}

#[tokio::test]
async fn every_tool_has_a_schema_and_annotations() {
    let server = Server::start().await;
    let answer = server.mcp(None).send_request("tools/list", json!({})).await;
    let tools = &answer["result"]["tools"];
    let order = "register next_steps chat_get_new canvas_view canvas_region pixel_info place_pixels chat_post plans \
                 plan_next plan_create react crews messages message_send settle inbox mark_read my_status wait search report";
    assert_eq!(names_of(tools).join(" "), order);
    for tool in tools.as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        assert!(tool["description"].is_string(), "{name}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
        let listed = tool.to_string();
        for absent in ["outputSchema", "$ref", "$defs", "null", "/api/"] {
            assert!(!listed.contains(absent), "{name} has {absent}: {listed}");
        }
        // Only a tool that changes something can be destructive.
        let hints = &tool["annotations"];
        assert_ne!(hints["readOnlyHint"] == true, hints["destructiveHint"].is_boolean(), "{name}: {hints}");
    }
    let resources = server.mcp(None).send_request("resources/list", json!({})).await;
    let resources = names_of(&resources["result"]["resources"]).join(" ");
    assert_eq!(resources, "skill heartbeat palette canvas.png chat");
}

#[tokio::test]
async fn schemas_have_the_bounds_and_colours_of_the_server() {
    let server = Server::start().await;
    let answer = server.mcp(None).send_request("tools/list", json!({})).await;
    let tools = answer["result"]["tools"].as_array().unwrap();
    let schema = |name: &str| &tools.iter().find(|tool| tool["name"] == name).unwrap()["inputSchema"];
    let placing = schema("place_pixels");
    assert_eq!(placing["properties"]["pixels"]["maxItems"], 10);
    assert!(placing["required"].as_array().unwrap().contains(&json!("chat_digest")));
    let pixel = &placing["properties"]["pixels"]["items"]["properties"];
    assert_eq!((&pixel["x"]["maximum"], &pixel["y"]["maximum"]), (&json!(127), &json!(127)));
    let colors = pixel["color"]["description"].as_str().unwrap();
    assert!(colors.contains("0 white, 1 light grey") && colors.contains("15 dark purple"), "{colors}");
    let message = &schema("chat_post")["properties"];
    assert_eq!(message["type"]["enum"], json!(["message", "intent"]));
    assert_eq!(message["region"]["properties"]["x2"]["maximum"], 127);
    for tool in ["place_pixels", "chat_post", "message_send"] {
        assert_eq!(schema(tool)["properties"]["idempotency_key"]["maxLength"], 255, "{tool}");
    }
}

#[tokio::test]
async fn the_skill_page_of_mcp_names_the_tools_in_the_order_of_the_list() {
    let server = Server::start().await;
    let tools = server.mcp(None).send_request("tools/list", json!({})).await;
    let page = String::from_utf8(server.get("/skill/mcp.md").await.bytes).unwrap();
    let table = page.split_once("## Tools").unwrap().1;
    let place = |tool: &str| table.find(&format!("| `{tool}` |")).unwrap_or_else(|| panic!("no {tool}"));
    let tools = names_of(&tools["result"]["tools"]);
    let places: Vec<_> = tools.iter().map(|tool| place(tool)).collect();
    assert!(places.len() == 22 && places.is_sorted(), "{places:?}");
}

#[tokio::test]
async fn disabled_chat_has_no_tools_and_needs_no_digest() {
    let server = Server::start_with(&[("CARAPLACE_CHAT_ENABLED", "false")]).await;
    let nobody = server.mcp(None);
    let listed = nobody.send_request("tools/list", json!({})).await;
    let tools = names_of(&listed["result"]["tools"]);
    assert!(!tools.iter().any(|tool| tool.starts_with("chat") || *tool == "react"), "{tools:?}");
    assert!(tools.contains(&"place_pixels"));
    assert!(!listed.to_string().contains("chat_digest\":"), "{listed}");
    let resources = nobody.send_request("resources/list", json!({})).await;
    assert!(!names_of(&resources["result"]["resources"]).contains(&"chat"));
    for (method, params) in [
        ("tools/call", json!({"name": "chat_post", "arguments": {"content": "Hello?"}})),
        ("resources/read", json!({"uri": "caraplace://chat"})),
    ] {
        assert!(nobody.send_request(method, params).await["error"]["code"].is_i64());
    }
    let ada = server.register_agent("Ada").await;
    let pixels = json!({"pixels": [{"x": 1, "y": 2, "color": 3}]});
    server.mcp(Some(&ada.key)).call_tool_ok("place_pixels", pixels).await;
    assert_eq!(server.get("/api/pixel?x=1&y=2").await.body["color"], 3);
}

#[tokio::test]
async fn refusals_are_free_tool_errors_with_hints() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let (nobody, mcp) = (server.mcp(None), server.mcp(Some(&ada.key)));
    for (tool, arguments, code) in [
        ("place_pixels", json!({"pixels": [{"x": 1, "y": 2, "color": 3}]}), "digest_missing"),
        ("place_pixels", json!({"pixels": [], "chat_digest": "0"}), "invalid_field"),
        ("canvas_region", json!({"x1": 0, "y1": 0, "x2": 1}), "missing_field"),
        ("canvas_view", json!({"x1": 0}), "missing_field"),
        ("pixel_info", json!({"x": 128, "y": 0}), "out_of_bounds"),
        ("pixel_info", json!({"x": 1, "y": 0, "z": 0}), "unknown_field"),
        ("chat_post", json!({"content": "Hello."}), "no_chat_credits"),
        ("chat_post", json!({"content": "a", "type": "system"}), "invalid_field"),
        ("chat_post", json!({"content": "Hello.", "idempotency_key": 1}), "invalid_field"),
        ("react", json!({"message_id": "msg_1", "emoji": "👋"}), "reply_target_missing"),
    ] {
        mcp.call_tool(tool, arguments).await.assert_refused(code);
    }
    let reaction = json!({"content": "👋", "type": "reaction", "reply_to": "msg_1"});
    let reaction = mcp.call_tool("chat_post", reaction).await;
    reaction.assert_refused("invalid_field");
    assert!(reaction.text.contains("the tool react"), "{}", reaction.text);
    nobody.call_tool("register", json!({"name": "ada"})).await.assert_refused("name_taken");
    let me = ada.me().await;
    assert_eq!((&me["charges"], &me["pixels_placed"]), (&json!(10), &json!(0)));
    let many: Vec<_> = (0..8).map(|x| json!({"x": x, "y": 0, "color": 1})).collect();
    let all = json!({"pixels": many, "chat_digest": server.digest().await});
    mcp.call_tool_ok("place_pixels", all.clone()).await;
    let result = mcp.call_tool("place_pixels", all).await;
    result.assert_refused("no_charges");
    let wait = result.structured["retry_after"].as_i64().unwrap();
    assert!(wait >= 1 && result.text.contains(&format!("{wait} s")), "{}", result.text);
    let unknown = mcp.send_request("tools/call", json!({"name": "destroy", "arguments": {}})).await;
    assert_eq!(unknown["error"]["code"], -32_602);
}

#[tokio::test]
async fn changes_by_mcp_are_visible_over_http() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let mcp = server.mcp(Some(&ada.key));
    let pixels: Vec<_> = (0..5).map(|x| json!({"x": x, "y": 3, "color": 5, "expected_color": 0})).collect();
    let all = json!({"pixels": pixels, "chat_digest": server.digest().await, "idempotency_key": "one"});
    let first = mcp.call_tool_ok("place_pixels", all.clone()).await;
    let again = mcp.call_tool_ok("place_pixels", all).await;
    assert_eq!(first.structured, again.structured);
    assert!(again.text.contains("before"), "{}", again.text);
    let other = json!({"pixels": [{"x": 9, "y": 9, "color": 1}], "idempotency_key": "one"});
    mcp.call_tool("place_pixels", other).await.assert_refused("idempotency_key_reused");
    let changed = json!({
        "pixels": [{"x": 0, "y": 3, "color": 1, "expected_color": 0}],
        "chat_digest": server.digest().await,
    });
    mcp.call_tool("place_pixels", changed).await.assert_refused("pixel_changed");
    let me = mcp.call_tool_ok("my_status", json!({})).await.structured;
    assert_eq!(fields_of(&me, ["charges", "chat_credits", "pixels_placed"]), json!([5, 5, 5]));
    let plan = json!({
        "content": "A red line.", "type": "intent", "region": {"x1": 0, "y1": 3, "x2": 4, "y2": 3},
    });
    let posted = mcp.call_tool_ok("chat_post", plan).await.structured;
    let reaction = json!({"message_id": posted["message"]["id"], "emoji": "👋"});
    let reacted = mcp.call_tool_ok("react", reaction).await.structured;
    assert_eq!(reacted["reactions"], json!([{"emoji": "👋", "count": 1}]));
    let chat = server.get("/api/chat").await.body;
    assert_eq!(chat["messages"][0]["type"], "intent");
    assert_eq!(chat["digest"], posted["new_digest"]);
    let row = mcp.call_tool_ok("canvas_region", json!({"x1": 0, "y1": 3, "x2": 5, "y2": 3})).await;
    assert!(row.text.contains("555550"), "{}", row.text);
    let pixel_info = mcp.call_tool_ok("pixel_info", json!({"x": 0, "y": 3})).await;
    assert_eq!(pixel_info.structured["history"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn limits_apply_and_are_reported_to_the_model() {
    let settings = [("CARAPLACE_REQUESTS_PER_MINUTE", "4"), ("CARAPLACE_REGISTRATIONS_PER_IP_PER_DAY", "1")];
    let server = Server::start_with(&settings).await;
    let nobody = server.mcp(None);
    let ada = nobody.call_tool_ok("register", json!({"name": "Ada"})).await.structured;
    nobody.call_tool("register", json!({"name": "Bob"})).await.assert_refused("too_many_requests");
    let key = ada["agent"]["api_key"].as_str().unwrap();
    let mcp = server.mcp(Some(key));
    for _ in 0..4 {
        mcp.call_tool_ok("my_status", json!({})).await;
    }
    let refused = mcp.call_tool("my_status", json!({})).await;
    refused.assert_refused("too_many_requests");
    assert!(refused.structured["retry_after"].as_i64().unwrap() >= 1);
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    Reply::fetch(mcp.request(&list)).await.assert_refused(429, "too_many_requests");
    assert!(mcp.server.get("/metrics").await.bytes.len() > 100);
    assert!(server.get("/metrics").await.text().contains("route=\"/mcp\""));
}
