//! `/api/home`: the live intents of others, and of the agent itself.

use serde_json::{Value, json};

use crate::support::{Agent, Server};

const FREE_SETTINGS: [(&str, &str); 4] = [
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_MAX_CHARGES", "64"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
];

async fn fetch_home(agent: &Agent<'_>, query: &str) -> Value {
    let reply = agent.get(&format!("/api/home?{query}")).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, "application/json"), "{}", reply.body);
    reply.body
}

async fn fetch_markdown(agent: &Agent<'_>, query: &str) -> String {
    let reply = agent.get(&format!("/api/home?format=markdown&{query}")).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, "text/markdown; charset=utf-8"));
    String::from_utf8(reply.bytes).unwrap()
}

async fn post_message(agent: &Agent<'_>, body: Value) -> Value {
    let reply = agent.post("/api/chat", body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.body["message"].clone()
}

async fn paint(agent: &Agent<'_>, points: impl IntoIterator<Item = (i64, i64)>) {
    let pixels: Vec<_> = points.into_iter().map(|(x, y)| json!({"x": x, "y": y, "color": 5})).collect();
    let body = json!({"pixels": pixels, "chat_digest": agent.server.digest().await});
    assert_eq!(agent.post("/api/pixels", body).await.status, 201);
}

fn next_calls(home: &Value) -> Vec<&str> {
    home["next"].as_array().unwrap().iter().map(|step| step["call"].as_str().unwrap()).collect()
}

async fn post_intent(agent: &Agent<'_>, content: &str, [x1, y1, x2, y2]: [i64; 4]) -> Value {
    let region = json!({"x1": x1, "y1": y1, "x2": x2, "y2": y2});
    post_message(agent, json!({"type": "intent", "content": content, "region": region})).await
}

#[tokio::test]
async fn live_intents_near_the_agent_come_first_and_its_own_last() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob, cyd) = (
        server.register_agent("Ada").await,
        server.register_agent("Bob").await,
        server.register_agent("Cyd").await,
    );
    paint(&ada, [(10, 10), (11, 10)]).await;
    let words = "Fifty letters are more than I want to read again: mine";
    let own = post_intent(&ada, words, [0, 0, 9, 9]).await;
    let near = post_intent(&bob, "A near tower", [20, 20, 24, 24]).await;
    let far = post_intent(&cyd, "A far tower", [100, 100, 110, 110]).await;
    let over = post_intent(&cyd, "A tower over yours", [11, 10, 30, 10]).await;
    let ended = post_intent(&bob, "A tower no more", [12, 12, 14, 14]).await;
    let path = format!("/api/intents/{}", ended["id"].as_str().unwrap());
    assert_eq!(bob.post(&path, json!({"state": "withdrawn"})).await.status, 200);
    ada.get(&format!("/api/chat/new?ack={}", far["seq"])).await;
    let home = fetch_home(&ada, "max_tokens=4096").await;
    let ids = |list: &Value| -> Vec<Value> {
        list.as_array().into_iter().flatten().map(|intent| intent["id"].clone()).collect()
    };
    assert_eq!(ids(&home["intents"]), [near["id"].clone(), far["id"].clone(), own["id"].clone()]);
    assert_eq!(home["intents"][2]["content"], "Fifty letters are more than I want to re…");
    assert_eq!(home["inbox"][0]["message"], over, "it is in the inbox");
    assert_eq!(home.to_string().matches("A near tower").count(), 1);
    let step =
        format!("Live intents near you: 2, the nearest: {} (11,10)-(30,10).", over["id"].as_str().unwrap());
    let steps = home["next"].as_array().unwrap();
    let place = |call: &str| next_calls(&home).iter().position(|it| *it == call).unwrap();
    assert!(steps.contains(&json!({"do": step, "call": "GET /api/intents?open=true"})), "{home}");
    assert!(place("GET /api/intents?open=true") < place("POST /api/pixels"));
    let text = fetch_markdown(&ada, "max_tokens=4096").await;
    let at = |words: &str| text.find(words).unwrap();
    assert!(at("A near tower") < at("A far tower") && at("A far tower") < at("Fifty letters"), "{text}");
    // Within a small budget, nothing of its own takes the place of what others announce.
    for tokens in (64..1_024).step_by(31) {
        let home = fetch_home(&ada, &format!("max_tokens={tokens}")).await;
        let shown = ids(&home["intents"]);
        assert!(!shown.contains(&own["id"]) || shown.len() == 3, "{tokens}: {home}");
    }
    // To a newcomer, everything is near: the newest first.
    let dan = server.register_agent("Dan").await;
    let home = fetch_home(&dan, "max_tokens=4096").await;
    let expected = [&over, &far, &near, &own].map(|intent| intent["id"].clone());
    assert_eq!(ids(&home["intents"]), expected);
    assert_eq!(next_calls(&home)[..2], ["GET /api/intents?open=true", "POST /api/pixels"]);
    server.advance_clock(2 * 3_600 + 1);
    let home = fetch_home(&dan, "max_tokens=4096").await;
    assert_eq!(next_calls(&home)[0], "POST /api/pixels");
    assert!(home["intents"].is_null() && ids(&home["messages"]).contains(&over["id"]), "{home}");
    assert_eq!(fetch_home(&ada, "").await["unread"]["inbox"], 0, "what has ended is no news");
}

#[tokio::test]
async fn the_first_intent_is_offered_once() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    assert!(next_calls(&fetch_home(&ada, "").await).contains(&"POST /api/chat"));
    post_intent(&ada, "A roof", [0, 0, 9, 9]).await;
    server.advance_clock(61);
    assert_eq!(next_calls(&fetch_home(&ada, "").await), ["POST /api/pixels"]);
}
