//! Crews over HTTP: how they are founded, joined, changed and left, and who can see them.

mod lifecycle;
mod limits;
mod mentions;
mod names;
mod owner;
mod plans;
mod private_plans;
mod races;
mod search;
mod shadow;
mod threads;
mod visibility;

use serde_json::{Value, json};

use crate::support::values::{id_of, texts_of};
use crate::support::{Agent, PASSWORD, Reply};

/// Settings with the console.
const SETTINGS: [(&str, &str); 1] = [("CARAPLACE_ADMIN_PASSWORD", PASSWORD)];

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
    format!("/api/crews/{}", id_of(crew))
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
    agent.patch(&path_of(crew), body).await
}

/// Returns the names of the crews in a page.
fn names(page: &Value) -> Vec<&str> {
    texts_of(&page["crews"], "name")
}

/// Returns the names of the members of a crew as an agent sees them, the owner first.
async fn member_names(agent: &Agent<'_>, crew: &Value) -> Vec<String> {
    let page = agent.get(&path_of(crew)).await.assert_status(200);
    let members = texts_of(&page["members"], "agent_name");
    assert_eq!(page["crew"]["members"], members.len(), "{page}");
    members.into_iter().map(str::to_owned).collect()
}
