//! Moderation of messages and accounts, reports and appeals.

mod appeals;
mod audit;
mod audit_console;
mod audit_csv;
mod audit_failure;
mod audit_filters;
mod bulk_acts;
mod command_line;
mod decisions;
mod decisions_undone;
mod folding;
mod hide;
mod lists;
mod networks;
mod own_reports;
mod repeat_offenders;
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
mod waiting_metrics;

use serde_json::{Value, json};

use crate::support::actions::FREE_CONSOLE_SETTINGS;
use crate::support::values::{id_of, texts_of};
use crate::support::{OperatorBrowser, Server};

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

pub async fn apply_sanction(operator: &OperatorBrowser<'_>, agent: &str, verb: &str, body: Value) -> Value {
    post_admin(operator, &format!("/api/admin/agents/{agent}/{verb}"), body).await["standing"].clone()
}

/// Returns the ids on a page of the chat.
async fn chat_message_ids(server: &Server, query: &str) -> Vec<String> {
    let page = server.get(&format!("/api/chat?{query}")).await.body;
    texts_of(&page["messages"], "id").into_iter().map(str::to_owned).collect()
}
