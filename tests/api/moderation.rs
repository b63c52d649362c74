//! What operators do to messages and to whoever holds a name, what is reported to them, and who appeals.

mod appeals;
mod audit;
mod command_line;
mod gate;
mod hide;
mod report_alerts;
mod report_bombing;
mod report_holds;
mod report_traces;
mod reports;
mod shadow;
mod standing;
mod streams;

use serde_json::{Value, json};

use crate::support::{Agent, Office, PASSWORD, Server};

/// Speaking and painting without end, and a console that is open.
pub const FREE: [(&str, &str); 6] = [
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_MAX_CHARGES", "256"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
    ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
    ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8"),
];

/// The same agent as another instance sees it.
fn at<'a>(server: &'a Server, agent: &Agent<'_>) -> Agent<'a> {
    Agent { server, id: agent.id.clone(), key: agent.key.clone() }
}

async fn said(agent: &Agent<'_>, content: &str) -> Value {
    let reply = agent.say(content).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.body["message"].clone()
}

fn id(message: &Value) -> &str {
    message["id"].as_str().unwrap()
}

/// Orders something that must be done; returns the answer.
async fn order(office: &Office<'_>, path: &str, body: Value) -> Value {
    let mut body = body;
    body["why"] = json!("because");
    let reply = office.post(path, body).await;
    assert!([200, 201].contains(&reply.status), "{path}: {}", reply.body);
    reply.body
}

async fn hide(office: &Office<'_>, message: &str) -> Value {
    order(office, &format!("/api/admin/messages/{message}/hide"), json!({})).await
}

async fn restore(office: &Office<'_>, message: &str) -> Value {
    order(office, &format!("/api/admin/messages/{message}/restore"), json!({})).await
}

pub async fn measure(office: &Office<'_>, agent: &str, verb: &str, body: Value) -> Value {
    order(office, &format!("/api/admin/agents/{agent}/{verb}"), body).await["standing"].clone()
}

/// The ids on a page of the chat.
async fn ids(server: &Server, query: &str) -> Vec<String> {
    let page = server.get(&format!("/api/chat?{query}")).await.body;
    page["messages"].as_array().unwrap().iter().map(|message| id(message).to_owned()).collect()
}
