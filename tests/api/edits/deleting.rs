//! A deleted message leaves its number, its author and every count.

use serde_json::{Value, json};

use super::{FREE_CONSOLE_SETTINGS, chat_contents, delete, delete_ok, edit, moderate, path_of, post_text};
use crate::support::actions::post_intent;
use crate::support::values::fields_of;
use crate::support::{Agent, Server};

#[tokio::test]
async fn deleted_text_is_gone_everywhere_and_its_number_stays() {
    let [mut server, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let (id, key, message) = {
        let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
        let message = post_text(&ada, "a secret, @Bob").await;
        post_text(&bob, "what?").await;
        let (digest, account) = (server.digest().await, ada.me().await);
        let stats = server.get("/api/stats").await.body["messages"].clone();
        let seq = message["seq"].as_i64().unwrap();
        other.catch_up().await;
        let mut streams = [server.events(None).await, other.events(None).await];
        server.advance_clock(3_600);
        delete(&bob, &message).await.assert_refused(403, "forbidden");
        delete(&ada, &json!({"id": "msg_nobody"})).await.assert_refused(404, "not_found");
        let digest_later = server.digest().await;
        let redacted = delete_ok(&ada.on(&other), &message).await;
        let expected = json!([message["seq"], ada.id, true]);
        assert_eq!(fields_of(&redacted, ["seq", "agent_id", "redacted"]), expected);
        assert_eq!(redacted.get("content"), None);
        for stream in &mut streams {
            let event = stream.next_with_id().await;
            assert_eq!((event.name.as_str(), event.id), ("hidden", Some(seq + 2)));
            assert_eq!(event.data, json!({"seq": seq + 2, "message_id": message["id"]}));
        }
        assert_ne!(digest, digest_later, "another window has begun");
        assert_eq!((server.digest().await, other.digest().await), (digest_later.clone(), digest_later));
        let after = ada.me().await;
        for field in ["chat_credits", "messages_sent", "free_intents"] {
            assert_eq!(after[field], account[field], "{field}");
        }
        assert_eq!(server.get("/api/stats").await.body["messages"], stats);
        assert_eq!(delete_ok(&ada, &message).await, redacted, "a repetition is no event");
        assert_eq!(server.head().await, seq + 2);
        edit(&ada, &message, "again").await.assert_refused(409, "closed");
        let answer = json!({"content": "which?", "reply_to": message["id"]});
        bob.post("/api/chat", answer).await.assert_refused(422, "reply_target_missing");
        assert_eq!(bob.get("/api/inbox").await.body["items"], json!([]), "the mention is gone");
        (ada.id.clone(), ada.key.clone(), message)
    };
    let seq = message["seq"].as_i64().unwrap();
    for restarted in [false, true] {
        if restarted {
            server.restart().await;
        }
        for server in [&server, &other] {
            let ada = Agent { server, id: id.clone(), key: key.clone() };
            assert_eq!(chat_contents(server).await, ["what?"], "restarted: {restarted}");
            let single = ada.get(&path_of(&message)).await.body["message"].clone();
            assert_eq!((&single["redacted"], single.get("content")), (&json!(true), None));
            let mut resumed = server.events(Some(seq - 1)).await;
            let again = resumed.next_with_id().await;
            assert_eq!((again.id, &again.data["redacted"]), (Some(seq), &json!(true)));
            let text = server.get("/api/events?from=1").await.body.to_string();
            assert!(!text.contains("secret"), "{text}");
        }
        assert_eq!(server.digest().await, other.digest().await, "restarted: {restarted}");
    }
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn operators_restore_no_deleted_text() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    let (deleted, hidden) = (post_text(&ada, "one").await, post_text(&ada, "two").await);
    delete_ok(&ada, &deleted).await;
    moderate(&operator, &deleted, "restore").await.assert_refused(409, "closed");
    let again = moderate(&operator, &deleted, "hide").await;
    assert_eq!((again.status, &again.body["seq"]), (200, &Value::Null), "it is hidden already");
    assert_eq!(moderate(&operator, &hidden, "hide").await.status, 200);
    edit(&ada, &hidden, "three").await.assert_refused(409, "closed");
    let digest = server.digest().await;
    delete_ok(&ada, &hidden).await;
    assert_eq!(server.digest().await, digest);
    moderate(&operator, &hidden, "restore").await.assert_refused(409, "closed");
    assert_eq!(chat_contents(&server).await, [""; 0]);
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn messages_of_ended_seasons_can_be_deleted_but_not_changed() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (one, two) = (post_text(&ada, "one").await, post_text(&ada, "two").await);
    let operator = server.sign_in_operator().await;
    let next = json!({"after": 1, "reason": "It is full."});
    operator.post("/api/admin/seasons", next).await.assert_status(201);
    edit(&ada, &one, "three").await.assert_refused(409, "closed");
    let (digest, stats) = (server.digest().await, server.get("/api/seasons/1").await.body);
    delete_ok(&ada, &one).await;
    assert_eq!((server.digest().await, server.get("/api/seasons/1").await.body), (digest, stats));
    assert_eq!(server.get(&path_of(&one)).await.body["message"]["redacted"], true);
    assert_eq!(server.get(&path_of(&two)).await.body["message"]["content"], "two");
    assert_eq!(ada.me().await["messages_sent"], 2);
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn deleted_intents_are_announced_no_longer() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let message = post_intent(&ada, "a boat", [1, 1, 4, 4]).await;
    assert!(bob.paint(2, 2, 3).await.body["notes"].to_string().contains("a boat"));
    delete_ok(&ada, &message).await;
    assert!(!bob.paint(2, 3, 3).await.body["notes"].to_string().contains("a boat"));
    assert_eq!(server.get("/api/intents").await.body["intents"], json!([]));
    let path = format!("/api/intents/{}", message["id"].as_str().unwrap());
    ada.post(&path, json!({"state": "done"})).await.assert_refused(404, "not_found");
}

#[tokio::test]
async fn a_chat_that_is_switched_off_changes_no_texts() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let message = post_text(&ada, "one").await;
    server.sign_in_operator().await.change_setting("chat_enabled", json!(false)).await;
    edit(&ada, &message, "two").await.assert_refused(404, "chat_disabled");
    delete(&ada, &message).await.assert_refused(404, "chat_disabled");
}
