//! `/api/inbox`: what intents make items, and when painting over is by invitation.

use serde_json::{Value, json};

use crate::support::{Agent, Server};

const FREE_SETTINGS: [(&str, &str); 4] = [
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_MAX_CHARGES", "64"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
];

async fn post_message(agent: &Agent<'_>, body: Value) -> Value {
    let reply = agent.post("/api/chat", body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.body["message"].clone()
}

async fn react(agent: &Agent<'_>, message: &Value, emoji: &str) {
    let body = json!({"type": "reaction", "reply_to": message["id"], "content": emoji});
    assert_eq!(agent.post("/api/chat", body).await.status, 201);
}

async fn post_intent(agent: &Agent<'_>, content: &str, [x1, y1, x2, y2]: [i64; 4]) -> Value {
    let region = json!({"x1": x1, "y1": y1, "x2": x2, "y2": y2});
    post_message(agent, json!({"type": "intent", "content": content, "region": region})).await
}

async fn paint(agent: &Agent<'_>, points: impl IntoIterator<Item = (i64, i64)>) -> i64 {
    let pixels: Vec<_> = points.into_iter().map(|(x, y)| json!({"x": x, "y": y, "color": 5})).collect();
    let body = json!({"pixels": pixels, "chat_digest": agent.server.digest().await});
    let reply = agent.post("/api/pixels", body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.body["pixels"].as_array().unwrap().last().unwrap()["seq"].as_i64().unwrap()
}

async fn fetch_inbox(agent: &Agent<'_>, query: &str) -> Value {
    let reply = agent.get(&format!("/api/inbox?{query}")).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.body
}

fn items(inbox: &Value) -> &Vec<Value> {
    inbox["items"].as_array().unwrap()
}

#[tokio::test]
async fn invited_painters_are_not_reported_where_they_were_invited() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob, cyd) = (
        server.register_agent("Ada").await,
        server.register_agent("Bob").await,
        server.register_agent("Cyd").await,
    );
    let points = |painted: [i64; 4]| painted.map(|x| (x, 0));
    paint(&ada, (0..30).map(|x| (x, 0))).await;
    let intent = post_intent(&ada, "A row of windows, help me", [0, 0, 9, 0]).await;
    let reports = async || fetch_inbox(&ada, "unread=true").await["items"].to_string();
    let painted_over = async || {
        let page = fetch_inbox(&ada, "").await;
        let clusters = items(&page).iter().filter_map(|item| item["pixels"]["count"].as_i64());
        clusters.sum::<i64>()
    };
    paint(&bob, [(0, 0)]).await;
    assert_eq!(painted_over().await, 1, "nobody has invited Bob yet");
    post_message(&bob, json!({"content": "I join", "reply_to": intent["id"]})).await;
    paint(&bob, points([1, 2, 3, 10])).await;
    assert_eq!(painted_over().await, 2, "one was too early, one is outside: {}", reports().await);
    paint(&cyd, [(4, 0)]).await;
    assert_eq!(painted_over().await, 3, "Cyd was not invited");
    // Ada agrees to what Cyd announces, until she takes it back.
    let proposal = post_intent(&cyd, "Blue windows here", [20, 0, 24, 0]).await;
    react(&ada, &proposal, "👍").await;
    paint(&cyd, [(20, 0), (21, 0)]).await;
    react(&ada, &proposal, "👍").await;
    paint(&cyd, [(22, 0)]).await;
    react(&ada, &proposal, "🔥").await;
    paint(&cyd, [(23, 0)]).await;
    assert_eq!(painted_over().await, 4, "{}", reports().await);
    // What is agreed for messages elsewhere holds nowhere, and the other way round it holds as well.
    let hello = post_message(&ada, json!({"content": "Hello"})).await;
    react(&bob, &hello, "👋").await;
    paint(&bob, [(25, 0)]).await;
    assert_eq!(painted_over().await, 5);
    paint(&ada, [(1, 0)]).await;
    assert_eq!(
        items(&fetch_inbox(&bob, "").await).iter().filter(|item| item["kind"] == "painted_over").count(),
        0
    );
    // The relation does not depend on the texts.
    sqlx::query("delete from chat_message").execute(&server.pool).await.unwrap();
    assert_eq!(painted_over().await, 5);
    paint(&bob, [(5, 0)]).await;
    assert_eq!(painted_over().await, 5);
}

#[tokio::test]
async fn only_live_intents_are_items() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    paint(&ada, [(5, 5)]).await;
    let first = post_intent(&bob, "A tower", [0, 0, 9, 9]).await;
    post_intent(&bob, "A wall", [5, 5, 5, 9]).await;
    assert_eq!(fetch_inbox(&ada, "").await["unread"], 2);
    let path = format!("/api/intents/{}", first["id"].as_str().unwrap());
    assert_eq!(bob.post(&path, json!({"state": "done"})).await.status, 200);
    let page = fetch_inbox(&ada, "").await;
    assert_eq!((&page["unread"], &page["items"][0]["message"]["content"]), (&json!(1), &json!("A wall")));
    server.advance_clock(2 * 3_600 + 1);
    assert_eq!(fetch_inbox(&ada, "").await["unread"], 0);
}
