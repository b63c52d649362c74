//! The sizes of the list of tools and of their results.

use serde_json::{Value, json};

use crate::support::{McpClient, Server};

/// The largest list of tools, in bytes: every client sends it to its model before each question.
const MAX_LIST_BYTES: usize = 12_000;

/// Returns the list of tools, and the size of the result as JSON in bytes.
async fn list_tools(client: &McpClient<'_>) -> (Value, usize) {
    let answer = client.send_request("tools/list", json!({})).await;
    let bytes = answer["result"].to_string().len();
    (answer["result"]["tools"].clone(), bytes)
}

#[tokio::test]
async fn list_of_tools_is_small_with_and_without_a_key() {
    for chat in ["true", "false"] {
        let settings = [
            ("CARAPLACE_CHAT_ENABLED", chat),
            ("CARAPLACE_MAX_CHARGES", "256"),
            ("CARAPLACE_CANVAS_WIDTH", "4096"),
            ("CARAPLACE_CANVAS_HEIGHT", "4096"),
        ];
        let server = Server::start_with(&settings).await;
        let ada = server.register_agent("Ada").await;
        let (listed, bytes) = list_tools(&server.mcp(None)).await;
        println!("tools/list: {bytes} bytes, chat {chat}");
        assert!(bytes <= MAX_LIST_BYTES, "{bytes} bytes, chat {chat}");
        assert_eq!(list_tools(&server.mcp(Some(&ada.key))).await, (listed, bytes));
    }
}

/// Calls a tool, and asserts that its text is not longer than its JSON.
async fn assert_text_is_short(mcp: &McpClient<'_>, tool: &str, arguments: Value) -> Value {
    let result = mcp.call_tool_ok(tool, arguments).await;
    let (text, json) = (result.text.len(), result.structured.to_string().len());
    println!("{tool}: text {text}, JSON {json}");
    assert!(text <= json, "{tool}: text {text}, JSON {json}: {}", result.text);
    result.structured
}

#[tokio::test]
async fn texts_are_never_longer_than_the_json() {
    let settings = [("CARAPLACE_MESSAGE_SECONDS", "0"), ("CARAPLACE_MAX_CHARGES", "64")];
    let server = Server::start_with(&settings).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let mcp = server.mcp(Some(&ada.key));
    for tool in ["next_steps", "chat_get_new", "inbox"] {
        assert_text_is_short(&mcp, tool, json!({})).await;
    }
    ada.earn_message_credits().await;
    bob.earn_message_credits().await;
    assert_eq!(bob.post_message("@Ada, a roof?").await.status, 201);
    for tokens in (64..1_024).step_by(40) {
        assert_text_is_short(&mcp, "next_steps", json!({"max_tokens": tokens})).await;
    }
    let digest = server.digest().await;
    let pixels: Vec<_> = (0..12).map(|x| json!({"x": x, "y": 9, "color": 5})).collect();
    let placing = json!({"pixels": pixels, "chat_digest": digest, "idempotency_key": "one"});
    let pixel = json!({"pixels": [{"x": 1, "y": 1, "color": 1}], "chat_digest": digest});
    let region = json!({"x1": 0, "y1": 9, "x2": 11, "y2": 9});
    for (tool, arguments) in [
        ("register", json!({"name": "Cleo"})),
        ("chat_get_new", json!({})),
        ("inbox", json!({})),
        ("canvas_view", json!({})),
        ("canvas_region", json!({"x1": 0, "y1": 0, "x2": 31, "y2": 15})),
        ("canvas_region", json!({"x1": 0, "y1": 0, "x2": 127, "y2": 127})),
        ("pixel_info", json!({"x": 1, "y": 0})),
        ("pixel_info", json!({"x": 100, "y": 100})),
        ("place_pixels", placing.clone()),
        ("place_pixels", placing),
        ("place_pixels", pixel),
        ("chat_post", json!({"content": "A line.", "type": "intent", "region": region})),
        ("mark_read", json!({"up_to": 1})),
        ("my_status", json!({})),
    ] {
        assert_text_is_short(&mcp, tool, arguments).await;
    }
    let chat = server.get("/api/chat").await.body;
    for _ in ["added", "removed"] {
        let reaction = json!({"message_id": chat["messages"][0]["id"], "emoji": "👋"});
        assert_text_is_short(&mcp, "react", reaction).await;
    }
}
