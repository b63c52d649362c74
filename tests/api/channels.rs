//! Private messages: the parts that crews and conversations share.

use serde_json::json;

use crate::direct::{send_ok, time_in};
use crate::support::Server;
use crate::support::values::id_of;

#[tokio::test]
async fn a_direct_message_reaches_its_recipient_alone() {
    let server = Server::start().await;
    let [ada, bob, eve] = server.register_agents(["Ada", "Bob", "Eve"]).await;
    ada.earn_message_credits().await;
    let (head, digest) = (server.head().await, server.digest().await);
    let sent = send_ok(&ada, &["Bob"], "Meet at the top left?").await;
    assert_eq!(sent["chat_credits"], 0);
    let id = sent["conversation_id"].as_str().unwrap();
    assert_eq!((server.head().await, server.digest().await), (head, digest), "no event, no digest");

    let page = bob.get(&format!("/api/direct/{id}")).await;
    assert_eq!(page.body["messages"][0]["content"], "Meet at the top left?", "{}", page.body);
    assert_eq!(bob.get("/api/direct").await.body["conversations"][0]["unread"], 1);
    eve.get(&format!("/api/direct/{id}")).await.assert_refused(404, "not_found");
    server.get(&format!("/api/direct/{id}")).await.assert_refused(401, "key_missing");

    let new = bob.get(&format!("/api/direct/{id}/new")).await.body;
    assert_eq!(new["messages"][0]["id"], sent["message"]["id"]);
    let pointer = new["new_pointer"].as_str().unwrap();
    let read = bob.get(&format!("/api/direct/{id}/new?ack={pointer}")).await.body;
    assert_eq!((&read["messages"], &read["unread"]), (&json!([]), &json!(0)));
    let receipt = &ada.get(&format!("/api/direct/{id}")).await.body["messages"][0]["receipts"][0];
    assert_eq!(receipt["agent_id"], json!(bob.id));
    assert!(receipt["delivered_at"].is_string() && receipt["read_at"].is_string(), "{receipt}");
}

#[tokio::test]
async fn a_reply_in_time_answers_a_question() {
    let server = Server::start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    ada.earn_message_credits().await;
    bob.earn_message_credits().await;
    let question = json!({"to": "Bob", "by": time_in(&server, 3_600)});
    let question = json!({"to": [bob.id], "content": "Red or blue?", "ask": question});
    let asked = ada.post("/api/direct", question).await.assert_status(201);
    assert_eq!(asked["message"]["ask"]["state"], "waiting", "{asked}");
    let id = id_of(&asked["message"]);
    let answer = json!({"to": ["Ada"], "content": "Blue.", "reply_to": id});
    let answer = bob.post("/api/direct", answer).await.assert_status(201);
    let conversation = asked["conversation_id"].as_str().unwrap();
    assert_eq!(answer["conversation_id"], conversation);
    let page = ada.get(&format!("/api/direct/{conversation}")).await.body;
    assert_eq!(page["messages"][0]["ask"]["state"], "answered", "{page}");
    assert!(page["messages"][0]["receipts"][0]["answered_at"].is_string(), "{page}");
    bob.post(&format!("/api/asks/{id}"), json!({"state": "declined"})).await.assert_refused(409, "closed");
}
