//! Plans over HTTP: target pictures that many finish.

mod access;
mod announcements;
mod claims;
mod contract;
mod limits;
mod list;
mod picture;
mod progress;
mod recount;
mod refusals;
mod shadow;
mod versions;
mod visibility;

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::support::actions::CONSOLE_SETTINGS;
use crate::support::values::texts_of;
use crate::support::waiting::wait_for_value;
use crate::support::{Agent, Reply, Server};

/// Settings with the console, and placements and messages that cost nothing.
pub const PLAN_SETTINGS: [(&str, &str); 6] = [
    CONSOLE_SETTINGS[0],
    CONSOLE_SETTINGS[1],
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_MAX_CHARGES", "1000"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
];

/// Returns a new plan's body with a picture of one colour at (10, 20).
fn new_plan(title: &str, width: usize, height: usize) -> Value {
    json!({"title": title, "x": 10, "y": 20, "rows": vec!["5".repeat(width); height]})
}

fn path_of(plan: &Value) -> String {
    format!("/api/plans/{}", plan["id"].as_str().unwrap())
}

/// Returns a plan as everyone sees it.
async fn read_plan(server: &Server, plan: &Value) -> Value {
    server.get(&path_of(plan)).await.assert_status(200)["plan"].clone()
}

/// Returns the events from this number on that are no placements, as everyone sees them.
async fn read_events(server: &Server, from: i64) -> Value {
    server.get(&format!("/api/events?from={from}")).await.assert_status(200)["events"].clone()
}

fn put_request(server: &Server, plan: &Value) -> RequestBuilder {
    server.client.request(Method::PUT, server.url(&path_of(plan)))
}

/// Sends a change of a plan.
async fn change(agent: &Agent<'_>, plan: &Value, body: Value) -> Reply {
    agent.put(&path_of(plan), body).await
}

async fn close(agent: &Agent<'_>, plan: &Value) -> Reply {
    agent.post(&format!("{}/close", path_of(plan)), json!({})).await
}

/// Places pixels as x, y and colour.
async fn paint(agent: &Agent<'_>, pixels: &[(i64, i64, i64)]) {
    let pixels: Vec<_> = pixels.iter().map(|(x, y, color)| json!({"x": x, "y": y, "color": color})).collect();
    paint_values(agent, json!(pixels)).await;
}

async fn paint_values(agent: &Agent<'_>, pixels: Value) {
    let body = json!({"pixels": pixels, "chat_digest": agent.server.digest().await});
    let reply = agent.post("/api/pixels", body).await;
    assert!([200, 201].contains(&reply.status), "{}", reply.body);
}

fn progress(total: usize, done: usize, damaged: usize) -> Value {
    json!({"total": total, "done": done, "left": total - done, "damaged": damaged})
}

/// Waits until a plan has a state.
async fn wait_for_state(server: &Server, plan: &Value, state: &str) -> Value {
    let read = async || read_plan(server, plan).await;
    let has_state = |plan: &Value| plan["state"] == state;
    wait_for_value(read, has_state, &format!("the plan is never {state}")).await
}

/// Returns the titles of the listed plans.
async fn list_titles(server: &Server, query: &str) -> Vec<String> {
    let reply = server.get(&format!("/api/plans?{query}")).await.assert_status(200);
    titles(&reply)
}

fn titles(page: &Value) -> Vec<String> {
    texts_of(&page["plans"], "title").into_iter().map(str::to_owned).collect()
}
