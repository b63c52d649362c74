//! A changed text is everywhere at once, and changes nothing else.

use serde_json::json;

use super::{FREE_CONSOLE_SETTINGS, chat_contents, edit, edit_ok, path_of, post_text};
use crate::support::actions::post_intent;
use crate::support::values::fields_of;
use crate::support::{Reply, Server};

#[tokio::test]
async fn changed_text_appears_on_every_instance_and_after_a_restart() {
    let [mut server, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let (seq, message) = {
        let ada = server.register_agent("Ada").await;
        let message = post_text(&ada, "a hous").await;
        let (digest, account) = (server.digest().await, ada.me().await);
        other.catch_up().await;
        let mut streams = [server.events(None).await, other.events(None).await];
        let edited = edit_ok(&ada.on(&other), &message, "a house").await;
        let seq = message["seq"].as_i64().unwrap();
        let expected = json!({"seq": seq + 1, "message_id": message["id"], "content": "a house"});
        for stream in &mut streams {
            let event = stream.next_with_id().await;
            assert_eq!((event.name.as_str(), event.id), ("edited", Some(seq + 1)));
            assert_eq!(event.data, expected);
        }
        assert!(edited["edited_at"].as_str().unwrap() > edited["timestamp"].as_str().unwrap(), "{edited}");
        let mut unchanged = edited.clone();
        unchanged["content"] = message["content"].clone();
        unchanged.as_object_mut().unwrap().remove("edited_at");
        assert_eq!(unchanged, message, "only the text and its time changed");
        assert_eq!((server.digest().await, other.digest().await), (digest.clone(), digest));
        let after = ada.me().await;
        for field in ["chat_credits", "messages_sent", "next_message_at", "messages_available"] {
            assert_eq!(after[field], account[field], "{field}");
        }
        (seq, edited)
    };
    for restarted in [false, true] {
        if restarted {
            server.restart().await;
        }
        for server in [&server, &other] {
            assert_eq!(server.get("/api/chat").await.body["messages"][0], message, "restarted: {restarted}");
            assert_eq!(server.get(&path_of(&message)).await.body["message"], message);
            let mut resumed = server.events(Some(seq - 1)).await;
            assert_eq!(resumed.next_with_id().await.data, message, "resent with the new text");
            let event = resumed.next_with_id().await;
            assert_eq!((event.name.as_str(), &event.data["content"]), ("edited", &json!("a house")));
        }
    }
    let past = server.get(&format!("/api/events?from={seq}")).await.body.to_string();
    assert!(past.contains("a house") && !past.contains("a hous\""), "{past}");
    let page = server.get(&format!("/api/chat?at={seq}")).await.body;
    assert_eq!(page["messages"][0]["content"], "a house", "the past is shown with the current text");
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn only_the_author_changes_a_text_and_only_for_two_minutes() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let message = post_text(&ada, "one").await;
    let head = server.head().await;
    edit(&bob, &message, "two").await.assert_refused(403, "forbidden");
    for id in ["msg_nobody", "msg_00000000000000000000000000000000"] {
        edit(&ada, &json!({"id": id}), "two").await.assert_refused(404, "not_found");
    }
    let anyone = server.client.patch(server.url(&path_of(&message))).json(&json!({"content": "two"}));
    Reply::fetch(anyone).await.assert_refused(401, "key_missing");
    let unknown = json!({"content": "two", "type": "intent"});
    ada.patch(&path_of(&message), unknown).await.assert_refused(400, "unknown_field");
    server.advance_clock(110);
    edit_ok(&ada, &message, "two").await;
    server.advance_clock(11);
    let late = edit(&ada, &message, "three").await;
    late.assert_refused(409, "closed");
    assert!(late.body["hint"].as_str().unwrap().contains("DELETE"), "{}", late.body);
    assert_eq!((server.head().await, chat_contents(&server).await), (head + 1, vec!["two".to_owned()]));
}

#[tokio::test]
async fn new_texts_pass_the_rules_of_messages_and_cost_a_reaction() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let message = post_text(&ada, "one").await;
    edit(&ada, &message, " \u{200b} ").await.assert_refused(422, "content_empty");
    edit(&ada, &message, &"x".repeat(281)).await.assert_refused(422, "content_too_long");
    let head = server.head().await;
    assert_eq!(edit_ok(&ada, &message, "  one ").await, message, "the same text changes nothing");
    assert_eq!(server.head().await, head);
    let link = edit(&ada, &message, "see https://example.com/x").await;
    let changed = (&link.body["message"]["content"], &link.body["changed"]);
    assert_eq!(changed, (&json!("see [link removed]"), &json!(["link"])), "{}", link.body);
    let key = edit(&ada, &message, &format!("my key is {}", ada.key)).await;
    assert!(key.body["important"].as_str().unwrap().contains("/api/agents/me/key"), "{}", key.body);
    assert!(!key.body["message"].to_string().contains(&ada.key), "{}", key.body);
    for number in 0..8 {
        edit_ok(&ada, &message, &format!("again {number}")).await;
    }
    edit(&ada, &message, "too often").await.assert_refused(429, "too_many_requests");
    let reaction = json!({"type": "reaction", "content": "🔥", "reply_to": message["id"]});
    ada.post("/api/chat", reaction).await.assert_refused(429, "too_many_requests");
    // The rule of duplicates still knows the message as it was posted.
    ada.post_message("ONE").await.assert_refused(422, "duplicate_message");
    assert_eq!(ada.post_message("again 7").await.status, 201);
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn the_text_of_an_intent_changes_beside_its_details() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let region = json!({"x1": 1, "y1": 1, "x2": 4, "y2": 4});
    let message = post_intent(&ada, "a boat", [1, 1, 4, 4]).await;
    let edited = edit_ok(&ada, &message, "a ship").await;
    assert_eq!((&edited["region"], &edited["state"]), (&region, &json!("open")));
    for path in ["/api/intents?open=true", "/api/intents?near=2,2"] {
        assert_eq!(server.get(path).await.body["intents"][0]["content"], "a ship", "{path}");
    }
    let inside = bob.paint(2, 2, 3).await.body["notes"]["inside"].clone();
    assert_eq!(inside[0]["content"], "a ship", "{inside}");
    let path = format!("/api/intents/{}", message["id"].as_str().unwrap());
    let done = ada.post(&path, json!({"state": "done"})).await;
    assert_eq!(fields_of(&done.body["message"], ["content", "state"]), json!(["a ship", "done"]));
    assert_eq!(edit_ok(&ada, &message, "a fleet").await["state"], "done");
}

#[tokio::test]
async fn muted_and_banned_authors_change_no_texts_and_a_frozen_season_none_either() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, eve] = server.register_agents(["Ada", "Bob", "Eve"]).await;
    let operator = server.sign_in_operator().await;
    let mut messages = Vec::new();
    for (agent, act, code) in [(&ada, "mute", "muted"), (&bob, "ban", "banned")] {
        let message = post_text(agent, "rude").await;
        operator.apply_sanction(agent, act).await;
        edit(agent, &message, "polite").await.assert_refused(403, code);
        messages.push(message);
    }
    // A muted author may still take back what it said.
    super::delete_ok(&ada, &messages[0]).await;
    super::delete(&bob, &messages[1]).await.assert_refused(403, "banned");
    let message = post_text(&eve, "last words").await;
    assert_eq!(operator.post("/api/admin/seasons/freeze", json!({"reason": "Enough."})).await.status, 200);
    edit(&eve, &message, "other words").await.assert_refused(403, "forbidden");
    super::delete_ok(&eve, &message).await;
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn emptied_texts_leave_nothing_to_change() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let message = post_text(&ada, "one").await;
    edit_ok(&ada, &message, "two").await;
    let digest = server.digest().await;
    server.execute("delete from chat_message").await;
    edit(&ada, &message, "three").await.assert_refused(404, "not_found");
    super::delete(&ada, &message).await.assert_refused(404, "not_found");
    assert_eq!(server.count_rows("earlier_text").await, 0, "earlier texts are kept as long as the others");
    let seq = message["seq"].as_i64().unwrap();
    let other = server.start_instance(&FREE_CONSOLE_SETTINGS).await;
    let mut resumed = other.events(Some(seq)).await;
    let event = resumed.next_with_id().await;
    assert_eq!(event.name.as_str(), "edited");
    assert_eq!(event.data, json!({"seq": seq + 1, "message_id": message["id"]}));
    assert_eq!(other.digest().await, digest);
    server.assert_log_is_sound().await;
}
