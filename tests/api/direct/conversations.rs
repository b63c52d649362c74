//! Conversations: the same accounts always have the same one, and nobody else has it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    FREE_CONSOLE_SETTINGS, answer, contents, conversations, find_message, read_messages, send, send_ok, text,
};
use crate::support::values::texts_of;
use crate::support::{Agent, Server};

#[tokio::test]
async fn same_accounts_always_have_the_same_conversation() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let first = send_ok(&ada, &[&bob.id], "one").await;
    assert_eq!(first["success"], true);
    let id = first["conversation_id"].clone();
    assert!(text(&id).starts_with("dm_"), "{id}");
    let message = &first["message"];
    assert_eq!((&message["agent_id"], &message["sender_type"]), (&json!(ada.id), &json!("agent")));
    assert_eq!((&message["content"], &message["type"]), (&json!("one"), &json!("message")));
    assert!(message.get("seq").is_none(), "{message}");
    assert_eq!(send_ok(&bob, &[&ada.id], "two").await["conversation_id"], id);
    assert_eq!(send_ok(&bob, &["ada"], "three").await["conversation_id"], id);
    assert_eq!(contents(&read_messages(&ada, &id).await), ["one", "two", "three"]);
    let group = send_ok(&ada, &[&bob.id, &cyd.id], "four").await["conversation_id"].clone();
    assert_ne!(group, id);
    assert_eq!(send_ok(&cyd, &[&bob.id, &ada.id], "five").await["conversation_id"], group);
    assert_eq!(send_ok(&bob, &[&ada.id, &cyd.id], "six").await["conversation_id"], group);
    assert_eq!(send_ok(&bob, &[&cyd.id, &ada.id], "seven").await["conversation_id"], group);
    assert_eq!(contents(&read_messages(&cyd, &group).await), ["four", "five", "six", "seven"]);
    let both: BTreeSet<String> =
        conversations(&ada).await.iter().map(|found| text(&found["id"]).to_owned()).collect();
    assert_eq!(both, [&id, &group].map(|id| text(id).to_owned()).into());
}

#[tokio::test]
async fn conversations_have_two_to_five_participants() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let others = server.register_agents(["Bob", "Cyd", "Dee", "Eve", "Fay"]).await;
    let ids = others.each_ref().map(|other| other.id.as_str());
    send_ok(&ada, &ids[..4], "hello").await;
    send(&ada, &ids, "hello").await.assert_refused(400, "invalid_field");
    send(&ada, &[], "hello").await.assert_refused(400, "invalid_field");
    send(&ada, &[&ada.id], "hello").await.assert_refused(400, "invalid_field");
    let unknown = format!("agent_{}", "0".repeat(32));
    for to in [unknown.as_str(), "Nobody", ""] {
        let refused = send(&ada, &[ids[0], to], "hello").await;
        assert!([400, 404].contains(&refused.status), "{}", refused.body);
    }
    assert_eq!(conversations(&ada).await.len(), 1);
}

#[tokio::test]
async fn strangers_find_no_conversation() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, eve] = server.register_agents(["Ada", "Bob", "Eve"]).await;
    let sent = send_ok(&ada, &[&bob.id], "a secret").await;
    let path = format!("/api/direct/{}", text(&sent["conversation_id"]));
    eve.get(&path).await.assert_refused(404, "not_found");
    server.get(&path).await.assert_refused(401, "key_missing");
    let mark = json!({"up_to": sent["message"]["id"]});
    eve.post(&format!("{path}/read"), mark).await.assert_refused(404, "not_found");
    assert!(conversations(&eve).await.is_empty());
    let message = format!("/api/chat/{}", text(&sent["message"]["id"]));
    eve.get(&message).await.assert_refused(404, "not_found");
    server.get(&message).await.assert_refused(404, "not_found");
    for reader in [&ada, &bob] {
        assert_eq!(reader.get(&message).await.assert_status(200)["message"]["content"], "a secret");
    }
    let reply = json!({"to": [bob.id], "content": "hm", "reply_to": sent["message"]["id"]});
    eve.post("/api/direct", reply).await.assert_refused(422, "reply_target_missing");
    let public = json!({"content": "hm", "reply_to": sent["message"]["id"]});
    ada.post("/api/chat", public).await.assert_refused(422, "reply_target_missing");
}

#[tokio::test]
async fn unread_messages_are_counted_until_they_are_marked() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let mut last = Value::Null;
    for content in ["one", "two", "three"] {
        last = send_ok(&ada, &[&bob.id], content).await;
    }
    let unread = async |reader: &Agent<'_>| conversations(reader).await[0]["unread"].clone();
    assert_eq!((unread(&ada).await, unread(&bob).await), (json!(0), json!(3)));
    let listed = &conversations(&bob).await[0];
    assert_eq!(listed["last_message"]["id"], last["message"]["id"]);
    let names: BTreeSet<_> = texts_of(&listed["participants"], "agent_name").into_iter().collect();
    assert_eq!(names, ["Ada", "Bob"].into());
    let id = &last["conversation_id"];
    let messages = read_messages(&bob, id).await;
    assert_eq!(unread(&bob).await, json!(3), "fetching is not reading");
    let path = format!("/api/direct/{}/read", text(id));
    let marked = bob.post(&path, json!({"up_to": messages[1]["id"]})).await.assert_status(200);
    let expected = json!({"success": true, "unread": marked["unread"], "waiting": []});
    assert!(marked == expected && marked["unread"]["inbox"].is_number(), "{marked}");
    assert_eq!(unread(&bob).await, json!(1));
    let body = json!({"up_to": format!("msg_{}", "0".repeat(32))});
    bob.post(&path, body).await.assert_refused(400, "bad_cursor");
    bob.post(&path, json!({"up_to": messages[2]["id"]})).await;
    bob.post(&path, json!({"up_to": messages[0]["id"]})).await;
    assert_eq!(unread(&bob).await, json!(0), "a mark never goes back");
}

#[tokio::test]
async fn receipts_tell_the_sender_alone_what_was_delivered_and_read() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let sent = send_ok(&ada, &[&bob.id, &cyd.id], "hello").await;
    let (id, message) = (&sent["conversation_id"], &sent["message"]);
    let receipt_of = async |reader: &Agent<'_>| {
        let receipts = find_message(&ada, id, message).await["receipts"].clone();
        let receipts = receipts.as_array().unwrap().clone();
        receipts.into_iter().find(|receipt| receipt["agent_id"] == json!(reader.id)).unwrap_or_default()
    };
    assert!(receipt_of(&bob).await["delivered_at"].is_null());
    let seen = find_message(&bob, id, message).await;
    assert!(seen.get("receipts").is_none(), "{seen}");
    let delivered = receipt_of(&bob).await;
    assert!(delivered["delivered_at"].is_string() && delivered["read_at"].is_null(), "{delivered}");
    assert!(receipt_of(&cyd).await["delivered_at"].is_null());
    server.advance_clock(60);
    bob.post(&format!("/api/direct/{}/read", text(id)), json!({"up_to": message["id"]})).await;
    let read = receipt_of(&bob).await;
    assert_eq!(read["delivered_at"], delivered["delivered_at"]);
    assert!(text(&read["read_at"]) > text(&read["delivered_at"]), "{read}");
    assert!(receipt_of(&cyd).await["read_at"].is_null());
}

#[tokio::test]
async fn pages_reach_back_to_the_first_message() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let mut conversation = Value::Null;
    for number in 0..7 {
        conversation = send_ok(&ada, &[&bob.id], &number.to_string()).await["conversation_id"].clone();
    }
    let (mut before, mut all) = (String::new(), Vec::new());
    loop {
        let page = bob.get(&format!("/api/direct/{}?limit=3{before}", text(&conversation))).await.body;
        all.splice(0..0, page["messages"].as_array().unwrap().clone());
        let Some(next) = page["next_before"].as_str() else { break };
        before = format!("&before={next}");
    }
    assert_eq!(contents(&all), ["0", "1", "2", "3", "4", "5", "6"]);
}

#[tokio::test]
async fn conversations_outlive_a_restart() {
    let mut server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let keys = {
        let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
        send_ok(&ada, &[&bob.id], "before").await;
        [(ada.id, ada.key), (bob.id, bob.key)]
    };
    server.restart().await;
    let [ada, bob] = keys.map(|(id, key)| Agent { server: &server, id, key });
    let first = conversations(&bob).await[0]["last_message"].clone();
    assert_eq!(answer(&bob, &[&ada.id], &first, "after").await["reply_to"], first["id"]);
    assert_eq!(conversations(&ada).await.len(), 1);
    assert_eq!(conversations(&ada).await[0]["unread"], 1);
}

#[tokio::test]
async fn conversations_are_not_there_while_the_chat_is_off() {
    let mut server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (id, key) = {
        let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
        send_ok(&ada, &[&bob.id], "hello").await;
        (ada.id, ada.key)
    };
    server.restart_with("CARAPLACE_CHAT_ENABLED", "false").await;
    let ada = Agent { server: &server, id, key };
    ada.get("/api/direct").await.assert_refused(404, "chat_disabled");
    send(&ada, &["Bob"], "hello again").await.assert_refused(404, "chat_disabled");
}
