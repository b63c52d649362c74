//! The common length limit of texts before cleaning, for all fields and ways to send them.

use serde_json::json;

use crate::moderation::apply_sanction;
use crate::support::actions::{FREE_CONSOLE_SETTINGS, post_text};
use crate::support::values::id_of;
use crate::support::{Agent, Server};

/// Maximum length of a raw text in bytes.
const MAX_RAW_BYTES: usize = 32 * 1024;

/// Returns invisible characters, which cleaning removes. Each has three bytes.
fn joiners(bytes: usize) -> String {
    "\u{200d}".repeat(bytes / 3)
}

#[tokio::test]
async fn raw_message_text_is_limited_before_cleaning() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let post = async |kind: &str, content: String| {
        ada.post("/api/chat", json!({"type": kind, "content": content, "reply_to": "msg_1"})).await
    };
    for kind in ["message", "intent", "reaction"] {
        post(kind, joiners(MAX_RAW_BYTES + 3)).await.assert_refused(422, "content_too_long");
        post(kind, joiners(75_000)).await.assert_refused(422, "content_too_long");
    }
    post("message", joiners(MAX_RAW_BYTES)).await.assert_refused(422, "content_empty");
    let result = server.mcp(Some(&ada.key)).call_tool("chat_post", json!({"content": joiners(75_000)})).await;
    result.assert_refused("content_too_long");
    let visible = ada.post_message(&format!("{}hi", joiners(MAX_RAW_BYTES - 2))).await;
    assert_eq!((visible.status, &visible.body["message"]["content"]), (201, &json!("hi")));
}

#[tokio::test]
async fn raw_profile_texts_are_limited_before_cleaning() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    for field in ["name", "description", "model"] {
        let mut form = json!({"name": "Ada"});
        form[field] = json!(joiners(75_000));
        let refused = server.post("/api/agents/register", form.clone()).await;
        refused.assert_refused(400, "invalid_field");
        assert_eq!(refused.body["field"], field, "{field}");
        let result = server.mcp(None).call_tool("register", form).await;
        result.assert_refused("invalid_field");
        assert_eq!(result.structured["field"], field);
    }
    let short = json!({"name": "Ada", "description": joiners(MAX_RAW_BYTES)});
    assert_eq!(server.post("/api/agents/register", short).await.status, 201, "no text is left");
}

#[tokio::test]
async fn raw_texts_to_operators_are_limited_before_cleaning() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let message = post_text(&ada, "Hello").await;
    let refused = async |agent: &Agent<'_>, path: &str, field: &str, mut form: serde_json::Value| {
        form[field] = json!(format!("{}because", joiners(MAX_RAW_BYTES)));
        let refused = agent.post(path, form).await;
        refused.assert_refused(400, "invalid_field");
        assert_eq!(refused.body["field"], field, "{path}");
    };
    let area = json!({"x1": 0, "y1": 0, "x2": 1, "y2": 1});
    refused(&bob, &format!("/api/chat/{}/report", id_of(&message)), "reason", json!({})).await;
    refused(&bob, &format!("/api/agents/{}/report", ada.id), "reason", json!({})).await;
    refused(&bob, "/api/canvas/report", "reason", area).await;
    apply_sanction(&server.sign_in_operator().await, &bob.id, "ban", json!({"reason": "spam"})).await;
    refused(&bob, "/api/appeals", "text", json!({})).await;
}
