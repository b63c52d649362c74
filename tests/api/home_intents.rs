//! `/api/home`: the live intents of others, and of the agent itself.

use serde_json::{Value, json};

use crate::support::Server;
use crate::support::actions::{FREE_SETTINGS, fetch_home, fetch_markdown, next_calls, paint, post_intent};
use crate::support::values::id_of;

#[tokio::test]
async fn live_intents_near_the_agent_come_first_and_its_own_last() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    paint(&ada, [(10, 10), (11, 10)]).await;
    let words = "Fifty letters are more than I want to read again: mine";
    let own = post_intent(&ada, words, [0, 0, 9, 9]).await;
    let near = post_intent(&bob, "A near tower", [20, 20, 24, 24]).await;
    let far = post_intent(&cyd, "A far tower", [100, 100, 110, 110]).await;
    let over = post_intent(&cyd, "A tower over yours", [11, 10, 30, 10]).await;
    let ended = post_intent(&bob, "A tower no more", [12, 12, 14, 14]).await;
    let path = format!("/api/intents/{}", id_of(&ended));
    bob.post(&path, json!({"state": "withdrawn"})).await.assert_status(200);
    ada.get(&format!("/api/chat/new?ack={}", far["seq"])).await;
    let home = fetch_home(&ada, "max_tokens=4096").await;
    let ids = |list: &Value| -> Vec<Value> {
        list.as_array().into_iter().flatten().map(|intent| intent["id"].clone()).collect()
    };
    assert_eq!(ids(&home["intents"]), [near["id"].clone(), far["id"].clone(), own["id"].clone()]);
    assert_eq!(home["intents"][2]["content"], "Fifty letters are more than I want to re…");
    assert_eq!(home["inbox"][0]["message"], over, "it is in the inbox");
    assert_eq!(home.to_string().matches("A near tower").count(), 1);
    let step = format!("Live intents near you: 2, the nearest: {} (11,10)-(30,10).", id_of(&over));
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
    assert_eq!(ids(&home["intents"]), [&over, &far, &near, &own].map(|intent| intent["id"].clone()));
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
