//! Replies and reactions stay within their season; the writer decides at its opening.

use futures_util::future::{join, join_all};
use serde_json::{Value, json};

use super::{FREE_CANVAS, open_season};
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
    let old = ada.post_message("Before the end").await.body["message"]["id"].clone();
    assert_eq!(bob.post("/api/chat", reply_to(&old, 1)).await.status, 201);
    assert_eq!(bob.post("/api/chat", reaction_to(&old)).await.status, 201);
    let operator = server.sign_in_operator().await;
    assert_eq!(open_season(&operator, 1, (12, 10)).await.status, 201);

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

    let shadow = format!("/api/admin/agents/{}/shadow", bob.id);
    assert_eq!(operator.post(&shadow, json!({"reason": "spam"})).await.status, 200);
    assert_refused(&bob).await;
    let new = ada.post_message("After the opening").await.body["message"]["id"].clone();
    assert_eq!(ada.post("/api/chat", reply_to(&new, 3)).await.status, 201);
    assert_eq!(bob.post("/api/chat", reaction_to(&new)).await.status, 201);
}

/// Replies that were sent before a season opened are posted before it, or refused.
#[tokio::test]
async fn replies_during_an_opening_stay_in_their_season() {
    let one = Server::start_with(&FREE_CANVAS).await;
    let other = one.start_instance(&FREE_CANVAS).await;
    let ada = one.register_agent("Ada").await;
    let target = ada.post_message("Answer me").await.body["message"]["id"].clone();
    let operator = one.sign_in_operator().await;
    let answer = async |round: i64| {
        let server = if round % 2 == 0 { &one } else { &other };
        let agent = Agent { server, id: ada.id.clone(), key: ada.key.clone() };
        let reply = agent.post("/api/chat", reply_to(&target, round)).await;
        assert!(reply.status == 201 || reply.code() == "reply_target_missing", "{}", reply.body);
        reply.status == 201
    };
    let answers = join_all((0..60).map(answer));
    let (_, opened) = join(answers, open_season(&operator, 1, (12, 10))).await;
    assert_eq!(opened.status, 201);
    let misplaced: i64 = sqlx::query_scalar(
        "select count(*) from chat_message where reply_to is not null and seq > (select max(seq) from season)",
    )
    .fetch_one(&one.pool)
    .await
    .unwrap();
    assert_eq!(misplaced, 0);
    assert!(!answer(60).await && !answer(61).await);
}
