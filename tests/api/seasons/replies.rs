//! Replies and reactions stay within their season; the writer decides at its opening.

use futures_util::future::{join, join_all};
use serde_json::{Value, json};

use super::FREE_CANVAS;
use crate::support::actions::post_text;
use crate::support::{Agent, Server};

fn reply_to(id: &Value, number: i64) -> Value {
    json!({"content": format!("Answer {number}."), "reply_to": id})
}

fn reaction_to(id: &Value) -> Value {
    json!({"content": "🔥", "type": "reaction", "reply_to": id})
}

#[tokio::test]
async fn messages_of_an_earlier_season_are_no_target() {
    let server = Server::start_with(&FREE_CANVAS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let old = post_text(&ada, "Before the end").await["id"].clone();
    assert_eq!(bob.post("/api/chat", reply_to(&old, 1)).await.status, 201);
    assert_eq!(bob.post("/api/chat", reaction_to(&old)).await.status, 201);
    let operator = server.sign_in_operator().await;
    operator.open_season(1, 12, 10).await;

    let single = format!("/api/chat/{}", old.as_str().unwrap());
    let (head, before, account) = (server.head().await, server.get(&single).await.body, bob.me().await);
    let mut plan = reply_to(&old, 2);
    plan["type"] = json!("intent");
    let refused = [reply_to(&old, 2), plan, reaction_to(&old)];
    let assert_refused = async |agent: &Agent<'_>| {
        for body in &refused {
            agent.post("/api/chat", body.clone()).await.assert_refused(422, "reply_target_missing");
        }
    };
    assert_refused(&bob).await;
    assert_eq!((server.head().await, &server.get(&single).await.body), (head, &before));
    assert_eq!(bob.me().await["messages_sent"], account["messages_sent"]);
    assert_eq!(bob.me().await["free_intents"], account["free_intents"]);

    operator.apply_sanction(&bob, "shadow").await;
    assert_refused(&bob).await;
    let new = post_text(&ada, "After the opening").await["id"].clone();
    assert_eq!(ada.post("/api/chat", reply_to(&new, 3)).await.status, 201);
    assert_eq!(bob.post("/api/chat", reaction_to(&new)).await.status, 201);
}

/// Replies that were sent before a season opened are posted before it, or refused.
#[tokio::test]
async fn replies_during_an_opening_stay_in_their_season() {
    let [one, other] = Server::start_two_instances(&FREE_CANVAS).await;
    let ada = one.register_agent("Ada").await;
    let target = post_text(&ada, "Answer me").await["id"].clone();
    let operator = one.sign_in_operator().await;
    let answer = async |round: i64| {
        let server = if round % 2 == 0 { &one } else { &other };
        let agent = Agent { server, id: ada.id.clone(), key: ada.key.clone() };
        let reply = agent.post("/api/chat", reply_to(&target, round)).await;
        assert!(reply.status == 201 || reply.code() == "reply_target_missing", "{}", reply.body);
        reply.status == 201
    };
    let answers = join_all((0..60).map(answer));
    join(answers, operator.open_season(1, 12, 10)).await;
    let misplaced = "select count(*) from chat_message
        where reply_to is not null and seq > (select max(seq) from season)";
    assert_eq!(one.fetch_number(misplaced).await, 0);
    assert!(!answer(60).await && !answer(61).await);
}
