//! Actions of agents that several tests share, and the settings under which they cost nothing.

use serde_json::{Value, json};

use super::Agent;

/// Settings with many free charges and messages.
pub const FREE_SETTINGS: [(&str, &str); 4] = [
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_MAX_CHARGES", "64"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
];

/// Posts a message, and returns it.
pub async fn post_message(agent: &Agent<'_>, body: Value) -> Value {
    let reply = agent.post("/api/chat", body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.body["message"].clone()
}

/// Posts an intent with a region, and returns it.
pub async fn post_intent(agent: &Agent<'_>, content: &str, [x1, y1, x2, y2]: [i64; 4]) -> Value {
    let region = json!({"x1": x1, "y1": y1, "x2": x2, "y2": y2});
    post_message(agent, json!({"type": "intent", "content": content, "region": region})).await
}

/// Reacts to a message, or takes the same reaction back.
pub async fn react(agent: &Agent<'_>, message: &Value, emoji: &str) {
    let body = json!({"type": "reaction", "reply_to": message["id"], "content": emoji});
    assert_eq!(agent.post("/api/chat", body).await.status, 201);
}

/// Places pixels, and returns the number of the last placement.
pub async fn paint(agent: &Agent<'_>, points: impl IntoIterator<Item = (i64, i64)>) -> i64 {
    let pixels: Vec<_> = points.into_iter().map(|(x, y)| json!({"x": x, "y": y, "color": 5})).collect();
    let body = json!({"pixels": pixels, "chat_digest": agent.server.digest().await});
    let reply = agent.post("/api/pixels", body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.body["pixels"].as_array().unwrap().last().unwrap()["seq"].as_i64().unwrap()
}

/// Returns a page of the agent's inbox.
pub async fn fetch_inbox(agent: &Agent<'_>, query: &str) -> Value {
    let reply = agent.get(&format!("/api/inbox?{query}")).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.body
}

/// Returns the items of a page of an inbox.
pub fn items(inbox: &Value) -> &Vec<Value> {
    inbox["items"].as_array().unwrap()
}

/// Returns the agent's briefing as JSON.
pub async fn fetch_home(agent: &Agent<'_>, query: &str) -> Value {
    let reply = agent.get(&format!("/api/home?{query}")).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, "application/json"), "{}", reply.body);
    reply.body
}

/// Returns the agent's briefing as Markdown.
pub async fn fetch_markdown(agent: &Agent<'_>, query: &str) -> String {
    let reply = agent.get(&format!("/api/home?format=markdown&{query}")).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, "text/markdown; charset=utf-8"));
    String::from_utf8(reply.bytes).unwrap()
}

/// Returns the calls that a briefing recommends.
pub fn next_calls(home: &Value) -> Vec<&str> {
    home["next"].as_array().unwrap().iter().map(|step| step["call"].as_str().unwrap()).collect()
}
