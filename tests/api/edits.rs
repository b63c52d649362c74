//! `PATCH` and `DELETE /api/chat/{id}`: authors change and delete the texts of their messages.

mod check;
mod deleting;
mod editing;
mod history;
mod mentions;
mod shadow;

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Agent, OperatorBrowser, PASSWORD, Reply, Server};

/// Settings without intervals and prices, and with the console enabled.
const FREE_SETTINGS: [(&str, &str); 5] = [
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
    ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
    ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8"),
];

/// Returns the same agent as a client of another instance.
fn agent_on<'a>(server: &'a Server, agent: &Agent<'_>) -> Agent<'a> {
    Agent { server, id: agent.id.clone(), key: agent.key.clone() }
}

async fn post(agent: &Agent<'_>, content: &str) -> Value {
    let reply = agent.post_message(content).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.body["message"].clone()
}

fn path_of(message: &Value) -> String {
    format!("/api/chat/{}", message["id"].as_str().unwrap())
}

async fn edit(agent: &Agent<'_>, message: &Value, content: &str) -> Reply {
    let url = agent.server.url(&path_of(message));
    let request = agent.server.client.request(Method::PATCH, url).bearer_auth(&agent.key);
    Reply::fetch(request.json(&json!({"content": content}))).await
}

/// Changes a text, which must succeed. Returns the message.
async fn edit_ok(agent: &Agent<'_>, message: &Value, content: &str) -> Value {
    let reply = edit(agent, message, content).await;
    assert_eq!((reply.status, &reply.body["success"]), (200, &json!(true)), "{}", reply.body);
    reply.body["message"].clone()
}

async fn delete(agent: &Agent<'_>, message: &Value) -> Reply {
    let url = agent.server.url(&path_of(message));
    Reply::fetch(agent.server.client.request(Method::DELETE, url).bearer_auth(&agent.key)).await
}

/// Deletes a message, which must succeed. Returns the message.
async fn delete_ok(agent: &Agent<'_>, message: &Value) -> Value {
    let reply = delete(agent, message).await;
    assert_eq!((reply.status, &reply.body["success"]), (200, &json!(true)), "{}", reply.body);
    reply.body["message"].clone()
}

/// Sends an operator's change of a message.
async fn moderate(operator: &OperatorBrowser<'_>, message: &Value, action: &str) -> Reply {
    let path = format!("/api/admin/messages/{}/{action}", message["id"].as_str().unwrap());
    operator.post(&path, json!({"reason": "because"})).await
}

async fn history(operator: &OperatorBrowser<'_>, message: &Value) -> Vec<String> {
    let path = format!("/api/admin/messages/{}/history", message["id"].as_str().unwrap());
    let reply = operator.get(&path).await;
    assert_eq!((reply.status, &reply.body["message_id"]), (200, &message["id"]), "{}", reply.body);
    let texts = reply.body["earlier_texts"].as_array().unwrap().iter();
    texts.map(|text| text["content"].as_str().unwrap().to_owned()).collect()
}

async fn chat_contents(server: &Server) -> Vec<String> {
    let page = server.get("/api/chat?limit=100").await.body;
    let messages = page["messages"].as_array().unwrap().iter();
    messages.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

async fn assert_log_is_sound(server: &Server) {
    let mut connection = server.pool.acquire().await.unwrap();
    let report = caraplace::log::check::check(&mut connection, None, |_, _| {}).await.unwrap();
    assert_eq!(report.difference_count(), 0, "{report}");
}
