//! Actions of agents that several tests share, and the settings under which they cost nothing.

use std::ops::Range;

use serde_json::{Value, json};

use super::{Agent, PASSWORD, Reply, Server};

/// Settings with many free charges and messages.
pub const FREE_SETTINGS: [(&str, &str); 4] = [
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_MAX_CHARGES", "64"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
];

/// Settings with the console, behind a trusted proxy.
pub const CONSOLE_SETTINGS: [(&str, &str); 2] =
    [("CARAPLACE_ADMIN_PASSWORD", PASSWORD), ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8")];

/// Settings with the console at an address that browsers open with HTTPS.
pub const HTTPS_CONSOLE_SETTINGS: [(&str, &str); 3] =
    [CONSOLE_SETTINGS[0], CONSOLE_SETTINGS[1], ("CARAPLACE_PUBLIC_URL", "https://paint.example")];

/// Settings with free messages and charges for batches of any size, and with the console, behind a trusted
/// proxy.
pub const FREE_CONSOLE_SETTINGS: [(&str, &str); 6] = [
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_MAX_CHARGES", "256"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
    CONSOLE_SETTINGS[0],
    CONSOLE_SETTINGS[1],
];

/// Posts a message, and returns it.
pub async fn post_message(agent: &Agent<'_>, body: Value) -> Value {
    let reply = agent.post("/api/chat", body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.body["message"].clone()
}

/// Posts a message with this text, and returns it.
pub async fn post_text(agent: &Agent<'_>, content: &str) -> Value {
    post_message(agent, json!({"content": content})).await
}

/// Posts a message for each of these numbers, such as "message 1". Returns the messages.
pub async fn post_messages(agent: &Agent<'_>, numbers: Range<usize>) -> Vec<Value> {
    let mut messages = Vec::new();
    for number in numbers {
        messages.push(post_text(agent, &format!("message {number}")).await);
    }
    messages
}

/// Posts an intent with a region, and returns it.
pub async fn post_intent(agent: &Agent<'_>, content: &str, [x1, y1, x2, y2]: [i64; 4]) -> Value {
    let region = json!({"x1": x1, "y1": y1, "x2": x2, "y2": y2});
    post_message(agent, json!({"type": "intent", "content": content, "region": region})).await
}

/// Ends an intent as done.
pub async fn end_intent(agent: &Agent<'_>, intent: &Value) {
    let path = format!("/api/intents/{}", intent["id"].as_str().unwrap());
    agent.post(&path, json!({"state": "done"})).await.assert_status(200);
}

/// Reacts to a message, or takes the same reaction back. Returns all reactions to it.
pub async fn react(agent: &Agent<'_>, message: &Value, emoji: &str) -> Value {
    let body = json!({"type": "reaction", "reply_to": message["id"], "content": emoji});
    agent.post("/api/chat", body).await.assert_status(201)["reactions"].clone()
}

/// Places a pixel, and returns the number of its placement.
pub async fn paint_pixel(agent: &Agent<'_>, (x, y): (i64, i64), color: i64) -> i64 {
    agent.paint(x, y, color).await.assert_status(201)["pixel"]["seq"].as_i64().unwrap()
}

/// Places pixels, and returns the number of the last placement.
pub async fn paint(agent: &Agent<'_>, points: impl IntoIterator<Item = (i64, i64)>) -> i64 {
    let pixels: Vec<_> = points.into_iter().map(|(x, y)| json!({"x": x, "y": y, "color": 5})).collect();
    let body = json!({"pixels": pixels, "chat_digest": agent.server.digest().await});
    let reply = agent.post("/api/pixels", body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.body["pixels"].as_array().unwrap().last().unwrap()["seq"].as_i64().unwrap()
}

/// Registers an agent from an address of its own that has painted: six hours later its reports have full
/// weight.
pub async fn register_painter<'a>(server: &'a Server, name: &str, address: &str) -> Agent<'a> {
    let agent = server.register_agent_from(name, address).await;
    paint(&agent, (0..10).map(|x| (x, 90))).await;
    agent
}

/// Places pixels as x, y and colour, and returns the response.
pub async fn place(agent: &Agent<'_>, pixels: &[(i64, i64, i64)]) -> Value {
    let pixels: Value = pixels.iter().map(|(x, y, color)| json!({"x": x, "y": y, "color": color})).collect();
    let body = json!({"pixels": pixels, "chat_digest": agent.server.digest().await});
    agent.post("/api/pixels", body).await.assert_status(201)
}

/// Founds a crew, and returns it.
pub async fn found_crew(owner: &Agent<'_>, name: &str, visibility: &str) -> Value {
    let body = json!({"name": name, "visibility": visibility});
    let founded = owner.post("/api/crews", body).await.assert_status(201);
    assert_eq!(founded["success"], true, "{founded}");
    founded["crew"].clone()
}

/// Founds a crew that these agents join, with an invitation if it needs one. Returns it as its founder got
/// it.
pub async fn found_crew_of(owner: &Agent<'_>, name: &str, visibility: &str, members: &[&Agent<'_>]) -> Value {
    let crew = found_crew(owner, name, visibility).await;
    let path = format!("/api/crews/{}", crew["id"].as_str().unwrap());
    for member in members {
        if visibility == "invite" {
            owner.post(&format!("{path}/invite"), json!({"agent_id": member.id})).await.assert_status(200);
        }
        member.post(&format!("{path}/join"), json!({})).await.assert_status(200);
    }
    crew
}

/// Opens a plan, and returns it.
pub async fn open_plan(agent: &Agent<'_>, body: Value) -> Value {
    agent.post("/api/plans", body).await.assert_status(201)["plan"].clone()
}

/// Marks items of the inbox as read, and returns the number of those that are unread.
pub async fn mark_read(agent: &Agent<'_>, body: Value) -> Value {
    let body = agent.post("/api/inbox/read", body).await.assert_status(200);
    assert_eq!(body["success"], true);
    body["unread"].clone()
}

/// Returns a page of the agent's inbox.
pub async fn fetch_inbox(agent: &Agent<'_>, query: &str) -> Value {
    let reply = agent.get(&format!("/api/inbox?{query}")).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.body
}

/// Reads all pages of a list. The path must have a query, to which the cursor is added.
pub async fn read_pages(path: &str, read: impl AsyncFn(&str) -> Reply) -> Vec<Value> {
    let (mut pages, mut next_path) = (Vec::new(), path.to_owned());
    loop {
        let page = read(&next_path).await.assert_status(200);
        let next = page["next_before"].clone();
        pages.push(page);
        match next {
            Value::Null => return pages,
            Value::String(before) => next_path = format!("{path}&before={before}"),
            before => next_path = format!("{path}&before={before}"),
        }
    }
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
