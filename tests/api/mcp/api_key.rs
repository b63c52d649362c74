//! The argument `api_key`, for clients that cannot add a header.

use serde_json::{Value, json};

use crate::support::{Reply, Server};

#[tokio::test]
async fn tools_accept_the_key_as_an_argument() {
    let server = Server::start().await;
    let nobody = server.mcp(None);
    let ada = nobody.call_tool_ok("register", json!({"name": "Ada"})).await;
    assert!(ada.text.contains("api_key"), "{}", ada.text);
    let key = ada.structured["agent"]["api_key"].as_str().unwrap();
    let me = nobody.call_tool_ok("my_status", json!({"api_key": key})).await;
    assert_eq!(me.structured["agent"]["name"], "Ada");
    let digest = server.digest().await;
    let placing = |x: i64| {
        let pixels = json!([{"x": x, "y": 1, "color": 5}]);
        json!({"pixels": pixels, "chat_digest": digest, "idempotency_key": "one"})
    };
    let with_key = |mut arguments: Value| {
        arguments["api_key"] = json!(key);
        arguments
    };
    let painted = nobody.call_tool_ok("place_pixels", with_key(placing(1))).await;
    // The key is no part of the request that an idempotency key stands for.
    let again = server.mcp(Some(key)).call_tool_ok("place_pixels", placing(1)).await;
    assert_eq!(again.structured, painted.structured);
    nobody.call_tool("place_pixels", with_key(placing(2))).await.assert_refused("idempotency_key_reused");
    nobody.call_tool_ok("canvas_view", json!({"api_key": key})).await;
    nobody.call_tool_ok("pixel_info", json!({"x": 1, "y": 1, "api_key": null})).await;
}

#[tokio::test]
async fn a_wrong_argument_is_refused_as_a_wrong_header() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let nobody = server.mcp(None);
    let unknown = format!("cp_{}", "0".repeat(64));
    for tool in ["my_status", "canvas_view", "register"] {
        for key in ["", "cp_", "cpa_1", &unknown] {
            let by_argument = nobody.try_call_tool(tool, json!({"api_key": key})).await;
            by_argument.assert_refused(401, "key_invalid");
            let by_header = server.mcp(Some(key)).try_call_tool(tool, json!({})).await;
            assert_eq!(by_argument.body, by_header.body, "{tool} {key}");
            assert_eq!(by_argument.header("www-authenticate"), by_header.header("www-authenticate"));
            assert!(by_header.header("www-authenticate").starts_with("Bearer resource_metadata=\"http"));
            assert!(key.is_empty() || !by_argument.body.to_string().contains(key));
        }
    }
    let wrong = json!({"x": 1, "y": 1, "api_key": 1});
    nobody.call_tool("pixel_info", wrong).await.assert_refused("invalid_field");
    let mcp = server.mcp(Some(&ada.key));
    mcp.call_tool_ok("my_status", json!({"api_key": ada.key})).await;
    let two = mcp.call_tool("my_status", json!({"api_key": unknown})).await;
    two.assert_refused("invalid_field");
    assert!(!two.structured.to_string().contains(&unknown) && two.text.contains("without api_key"));
}

#[tokio::test]
async fn guesses_by_argument_are_throttled_and_calls_counted_as_by_header() {
    let server = Server::start_with(&[("CARAPLACE_REQUESTS_PER_MINUTE", "3")]).await;
    let ada = server.register_agent("Ada").await;
    let nobody = server.mcp(None);
    nobody.call_tool_ok("my_status", json!({"api_key": ada.key})).await;
    nobody.call_tool_ok("my_status", json!({"api_key": ada.key})).await;
    server.mcp(Some(&ada.key)).call_tool_ok("my_status", json!({})).await;
    nobody.call_tool("my_status", json!({"api_key": ada.key})).await.assert_refused("too_many_requests");
    let wrong = |number: usize| json!({"api_key": format!("cp_{number:064x}")});
    let guess = |number: usize| nobody.try_call_tool("my_status", wrong(number));
    for number in 0..400 {
        guess(number).await.assert_refused(401, "key_invalid");
    }
    guess(400).await.assert_refused(503, "overloaded");
    server.mcp(Some("cp_1")).try_call_tool("my_status", json!({})).await.assert_refused(503, "overloaded");
}

#[tokio::test]
async fn schemas_name_the_argument_where_a_key_is_needed() {
    let server = Server::start().await;
    let listed = server.mcp(None).send_request("tools/list", json!({})).await;
    for tool in listed["result"]["tools"].as_array().unwrap() {
        let is_public = ["register", "canvas_view", "canvas_region", "pixel_info"]
            .contains(&tool["name"].as_str().unwrap());
        let argument = &tool["inputSchema"]["properties"]["api_key"];
        assert_eq!(argument.is_null(), is_public, "{tool}");
        assert!(is_public || argument["type"] == "string", "{tool}");
    }
}

/// The library reads the last of repeated fields, so the checks of the first would not be those of the call.
#[tokio::test]
async fn messages_with_repeated_fields_are_refused_at_every_level() {
    let server = Server::start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let head = r#""jsonrpc":"2.0","id":1"#;
    let call = |arguments: &str| {
        format!(r#"{{{head},"method":"tools/call","params":{{"name":"my_status","arguments":{arguments}}}}}"#)
    };
    let status = r#""params":{"name":"my_status","arguments":{}}"#;
    let (first, second) = (&ada.key, &bob.key);
    let messages = [
        call(&format!(r#"{{"api_key":"{first}","api_key":"{second}"}}"#)),
        call(&format!(r#"{{"api_key":"{first}","api\u005fkey":"{second}"}}"#)),
        call(&format!(r#"{{"api_key":null,"\u0061pi_key":"{second}"}}"#)),
        call(r#"{},"arguments":{"api_key":"cp_1"}"#),
        call(r#"{},"name":"canvas_view""#),
        format!(r#"{{{head},"method":"tools/list",{status},"method":"tools/call"}}"#),
        format!(r#"{{{head},"method":"tools/call",{status},"p\u0061rams":{{"name":"canvas_view"}}}}"#),
        format!(r#"{{{head},"method":"tools/call","params":[null,"my_status",{{}}]}}"#),
    ];
    for message in messages {
        for key in [None, Some(ada.key.as_str())] {
            let refused = Reply::fetch(server.mcp(key).request(&json!({})).body(message.clone())).await;
            refused.assert_refused(400, "invalid_field");
            assert_eq!(refused.body["field"], "body", "{message}");
        }
    }
    let once = call(&format!(r#"{{"api\u005fkey":"{first}"}}"#));
    let reply = Reply::fetch(server.mcp(None).request(&json!({})).body(once)).await;
    assert_eq!(reply.body["result"]["structuredContent"]["agent"]["name"], "Ada", "{}", reply.body);
}
