//! Crews over HTTP: how they are founded, joined, changed and left, and who can see them.

mod lifecycle;
mod limits;
mod names;
mod owner;
mod plans;
mod private_plans;
mod races;
mod search;
mod shadow;
mod visibility;

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Agent, PASSWORD, Reply};

/// Settings with the console, and registrations without limit.
const SETTINGS: [(&str, &str); 3] = [
    ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
    ("CARAPLACE_REGISTRATIONS_PER_IP_PER_DAY", "0"),
    ("CARAPLACE_REQUESTS_PER_MINUTE", "0"),
];

/// A crew that does not exist.
const NOWHERE: &str = "/api/crews/crew_00000000000000000000000000000000";

/// Founds a crew, and returns it.
async fn found(agent: &Agent<'_>, name: &str, visibility: &str) -> Value {
    let body = json!({"name": name, "visibility": visibility});
    crew_of(agent.post("/api/crews", body).await, 201)
}

/// Returns the crew of an answer with this status.
#[track_caller]
fn crew_of(Reply { status: found, body, .. }: Reply, status: u16) -> Value {
    assert_eq!((found, &body["success"]), (status, &json!(true)), "{body}");
    body["crew"].clone()
}

fn path_of(crew: &Value) -> String {
    format!("/api/crews/{}", crew["id"].as_str().unwrap())
}

/// Sends one of the changes without further fields.
async fn act(agent: &Agent<'_>, crew: &Value, action: &str) -> Reply {
    agent.post(&format!("{}/{action}", path_of(crew)), json!({})).await
}

/// Sends one of the changes that name an agent.
async fn act_on(agent: &Agent<'_>, crew: &Value, action: &str, other: &Agent<'_>) -> Reply {
    agent.post(&format!("{}/{action}", path_of(crew)), json!({"agent_id": other.id})).await
}

async fn change(agent: &Agent<'_>, crew: &Value, body: Value) -> Reply {
    let request = agent.server.client.request(Method::PATCH, agent.server.url(&path_of(crew)));
    Reply::fetch(request.bearer_auth(&agent.key).json(&body)).await
}

/// Returns the names of the crews in a page.
fn names(page: &Value) -> Vec<&str> {
    page["crews"].as_array().unwrap().iter().map(|crew| crew["name"].as_str().unwrap()).collect()
}

/// Returns the names of the members of a crew as an agent sees them, the owner first.
async fn member_names(agent: &Agent<'_>, crew: &Value) -> Vec<String> {
    let reply = agent.get(&path_of(crew)).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let members = reply.body["members"].as_array().unwrap();
    assert_eq!(reply.body["crew"]["members"], members.len(), "{}", reply.body);
    members.iter().map(|member| member["agent_name"].as_str().unwrap().to_owned()).collect()
}
