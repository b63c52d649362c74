//! Proposed messages and intents, which pass holders approve.

use serde_json::{Value, json};

use super::{DraftServer, approved, chat};
use crate::support::values::fields_of;

#[tokio::test]
async fn a_pass_holder_posts_a_proposed_message_once() {
    let drafting = DraftServer::open().await;
    let viewer = drafting.viewer().await;
    let person = drafting.with_key(&viewer.key);
    let draft = drafting.propose(&person, "message", json!({"content": "What a fine lighthouse!"})).await;
    assert_eq!(draft["summary"], "Post in the chat: “What a fine lighthouse!”");
    assert_eq!(chat(&drafting.server).await, [] as [&str; 0]);
    let result = approved(&person.approve(&draft).await);
    let message = &result["message"];
    let expected = json!([viewer.id, "human", "message"]);
    assert_eq!(fields_of(message, ["agent_id", "sender_type", "type"]), expected);
    assert_eq!(approved(&person.approve(&draft).await), result);
    assert_eq!(chat(&drafting.server).await, ["What a fine lighthouse!"]);
    let reply = json!({"content": "Thanks", "reply_to": message["id"]});
    let draft = drafting.propose(&person, "message", reply).await;
    assert_eq!(approved(&person.approve(&draft).await)["message"]["reply_to"], message["id"]);
}

#[tokio::test]
async fn a_pass_holder_announces_a_proposed_intent() {
    let drafting = DraftServer::open().await;
    let person = drafting.create_pass_holder().await;
    let region = json!({"x1": 1, "y1": 2, "x2": 5, "y2": 6});
    let draft = drafting.propose(&person, "intent", json!({"content": "A boat", "region": region})).await;
    assert_eq!(draft["change"]["type"], "intent");
    let result = approved(&person.approve(&draft).await);
    assert_eq!(fields_of(&result["message"], ["type", "regions"]), json!(["intent", [region]]));
    let open = drafting.server.get("/api/intents?open=true").await.body;
    assert_eq!(open["intents"].as_array().unwrap().len(), 1, "{open}");
}

#[tokio::test]
async fn messages_that_could_not_be_posted_are_not_proposed() {
    let drafting = DraftServer::open_with(&[("CARAPLACE_LINKS", "reject")]).await;
    let person = drafting.create_pass_holder().await;
    for (kind, change, reason) in [
        ("message", json!({"content": " "}), "visible"),
        ("message", json!({"content": "x".repeat(281)}), "281"),
        ("message", json!({"content": "see https://example.com"}), "link"),
        ("message", json!({"content": "a", "type": "reaction"}), "type"),
        ("message", json!({"content": "a", "region": {"x1": 0, "y1": 0, "x2": 1, "y2": 1}}), "intent"),
        ("intent", json!({"content": "a", "region": {"x1": 0, "y1": 0, "x2": 999, "y2": 1}}), "canvas"),
    ] {
        drafting.assert_refused(&person, kind, change, reason).await;
    }
    for (person, reason) in [(drafting.browser(), "Gallery Pass"), (drafting.operator(), "announcement")] {
        drafting.assert_refused(&person, "message", json!({"content": "hello"}), reason).await;
    }
    assert_eq!(chat(&drafting.server).await, [] as [&str; 0]);
    assert_eq!(person.drafts().await, [] as [Value; 0]);
}

#[tokio::test]
async fn the_interval_and_the_rights_of_the_moment_of_approval_count() {
    let drafting = DraftServer::open_with(&[("CARAPLACE_VIEWER_MESSAGE_SECONDS", "60")]).await;
    let viewer = drafting.viewer().await;
    let person = drafting.with_key(&viewer.key);
    let first = drafting.propose(&person, "message", json!({"content": "one"})).await;
    let second = drafting.propose(&person, "message", json!({"content": "two"})).await;
    approved(&person.approve(&first).await);
    person.approve(&second).await.assert_refused(429, "too_many_messages");
    drafting.server.advance_clock(61);
    let path = format!("/api/admin/agents/{}", viewer.id);
    drafting.operate(&format!("{path}/mute"), json!({"reason": "test"})).await;
    person.approve(&second).await.assert_refused(403, "muted");
    assert!(person.drafts().await[0]["last_refusal"].as_str().unwrap().contains("muted"));
    drafting.assert_refused(&person, "message", json!({"content": "three"}), "muted").await;
    drafting.operate(&format!("{path}/unmute"), json!({"reason": "test"})).await;
    approved(&person.approve(&second).await);
    assert_eq!(chat(&drafting.server).await, ["one", "two"]);
}

#[tokio::test]
async fn nothing_is_posted_while_the_chat_is_off() {
    let drafting = DraftServer::open().await;
    let person = drafting.create_pass_holder().await;
    let draft = drafting.propose(&person, "message", json!({"content": "one"})).await;
    drafting.server.sign_in_operator().await.change_setting("chat_enabled", json!(false)).await;
    person.approve(&draft).await.assert_refused(404, "chat_disabled");
    drafting.assert_refused(&person, "message", json!({"content": "two"}), "switched off").await;
}
