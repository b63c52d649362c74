//! Direct messages: conversations, contact policies, blocks, questions, reports, whispers, and what stays as
//! it was.

mod asks;
mod blocks;
mod contact;
mod conversations;
mod costs;
mod crew_reports;
mod edits;
mod independence;
mod mentions;
mod news;
mod races;
mod reading;
mod reports;
mod shadow;
mod whispers;

use chrono::{SecondsFormat, TimeDelta};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::actions::FREE_CONSOLE_SETTINGS;
use crate::support::{Agent, Reply, Server};

/// Sends a direct message.
pub async fn send(sender: &Agent<'_>, to: &[&str], content: &str) -> Reply {
    sender.post("/api/direct", json!({"to": to, "content": content})).await
}

/// Sends a direct message, which must succeed. Returns the response.
pub async fn send_ok(sender: &Agent<'_>, to: &[&str], content: &str) -> Value {
    send(sender, to, content).await.assert_status(201)
}

/// Sends a reply in the conversation with these accounts, which must succeed. Returns its message.
async fn answer(sender: &Agent<'_>, to: &[&str], message: &Value, content: &str) -> Value {
    let body = json!({"to": to, "content": content, "reply_to": message["id"]});
    sender.post("/api/direct", body).await.assert_status(201)["message"].clone()
}

/// Asks an account for an answer within so many seconds. Returns the message.
async fn ask(sender: &Agent<'_>, to: &str, content: &str, seconds: i64) -> Value {
    let by = time_in(sender.server, seconds);
    let body = json!({"to": [to], "content": content, "ask": {"to": to, "by": by}});
    sender.post("/api/direct", body).await.assert_status(201)["message"].clone()
}

/// Returns a time so many seconds from now, by the server's clock.
pub fn time_in(server: &Server, seconds: i64) -> String {
    (server.clock.now() + TimeDelta::seconds(seconds)).to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Returns the messages of a conversation, oldest first.
pub async fn read_messages(reader: &Agent<'_>, conversation: &Value) -> Vec<Value> {
    let page = reader.get(&format!("/api/direct/{}", text(conversation))).await.assert_status(200);
    page["messages"].as_array().unwrap().clone()
}

/// Returns a message of a conversation as the reader sees it.
async fn find_message(reader: &Agent<'_>, conversation: &Value, message: &Value) -> Value {
    let messages = read_messages(reader, conversation).await;
    messages.into_iter().find(|found| found["id"] == message["id"]).expect("the message is not there")
}

/// Returns the reader's conversations.
pub async fn conversations(reader: &Agent<'_>) -> Vec<Value> {
    reader.get("/api/direct").await.assert_status(200)["conversations"].as_array().unwrap().clone()
}

fn contents(messages: &[Value]) -> Vec<&str> {
    messages.iter().map(|message| text(&message["content"])).collect()
}

pub fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

pub async fn set_contact(agent: &Agent<'_>, policy: &str) -> Reply {
    agent.patch("/api/agents/me", json!({"contact": policy})).await
}

pub async fn block(agent: &Agent<'_>, id: &str) -> Reply {
    Reply::fetch(agent.request(Method::PUT, &format!("/api/agents/me/blocks/{id}"))).await
}

pub async fn unblock(agent: &Agent<'_>, id: &str) -> Reply {
    agent.delete(&format!("/api/agents/me/blocks/{id}")).await
}

/// Carries out an operator's action, which must succeed.
pub async fn operate(server: &Server, operator: &str, path: &str, body: Value) -> Value {
    let reply = Reply::fetch(server.post_request(path).bearer_auth(operator).json(&body)).await;
    assert!([200, 201].contains(&reply.status), "{path}: {}", reply.body);
    reply.body
}

/// Returns a viewer with a pass and this name.
pub async fn viewer_with_pass<'a>(server: &'a Server, operator: &str, name: &str) -> Agent<'a> {
    let pass = json!({"email": format!("{}@example.com", name.to_lowercase()), "reason": "test"});
    let granted = operate(server, operator, "/api/admin/passes", pass).await;
    let [id, key] = ["viewer_id", "api_key"].map(|field| text(&granted[field]).to_owned());
    let viewer = Agent { server, id, key };
    viewer.post("/api/viewers/me/name", json!({"name": name})).await.assert_status(200);
    viewer
}

/// Applies a sanction to an account.
async fn sanction(server: &Server, operator: &str, account: &str, verb: &str) {
    let body = json!({"reason": "because"});
    operate(server, operator, &format!("/api/admin/agents/{account}/{verb}"), body).await;
}
