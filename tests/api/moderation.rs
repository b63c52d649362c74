//! Moderation of messages and accounts, reports and appeals.

mod appeals;
mod audit;
mod audit_failure;
mod command_line;
mod folding;
mod hide;
mod own_reports;
mod report_alerts;
mod report_bombing;
mod report_privacy;
mod report_rejections;
mod reports;
mod sanctions;
mod shadow;
mod shadow_streams;
mod shadow_twin;
mod shadow_view;
mod streams;

use serde_json::{Value, json};

use crate::support::{Agent, OperatorBrowser, PASSWORD, Server};

/// Settings without intervals and prices, and with the console enabled.
pub const FREE_SETTINGS: [(&str, &str); 6] = [
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_MAX_CHARGES", "256"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
    ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
    ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8"),
];

/// Returns the same agent as a client of another instance.
fn agent_on<'a>(server: &'a Server, agent: &Agent<'_>) -> Agent<'a> {
    Agent { server, id: agent.id.clone(), key: agent.key.clone() }
}

async fn post_message(agent: &Agent<'_>, content: &str) -> Value {
    let reply = agent.post_message(content).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.body["message"].clone()
}

fn message_id(message: &Value) -> &str {
    message["id"].as_str().unwrap()
}

/// Sends an operator's change, which must succeed. Returns the response.
async fn post_admin(operator: &OperatorBrowser<'_>, path: &str, body: Value) -> Value {
    let mut body = body;
    // Only bans and mutes have a reason of their own, which is shown to the account.
    let field = if body["reason"].is_null() { "reason" } else { "why" };
    body[field] = json!("because");
    let reply = operator.post(path, body).await;
    assert!([200, 201].contains(&reply.status), "{path}: {}", reply.body);
    reply.body
}

async fn hide_message(operator: &OperatorBrowser<'_>, message: &str) -> Value {
    post_admin(operator, &format!("/api/admin/messages/{message}/hide"), json!({})).await
}

async fn restore_message(operator: &OperatorBrowser<'_>, message: &str) -> Value {
    post_admin(operator, &format!("/api/admin/messages/{message}/restore"), json!({})).await
}

pub async fn apply_sanction(operator: &OperatorBrowser<'_>, agent: &str, verb: &str, body: Value) -> Value {
    post_admin(operator, &format!("/api/admin/agents/{agent}/{verb}"), body).await["standing"].clone()
}

/// Returns the ids on a page of the chat.
async fn chat_message_ids(server: &Server, query: &str) -> Vec<String> {
    let page = server.get(&format!("/api/chat?{query}")).await.body;
    page["messages"].as_array().unwrap().iter().map(|message| message_id(message).to_owned()).collect()
}
