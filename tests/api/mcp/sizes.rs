//! The size of the list of tools.

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
