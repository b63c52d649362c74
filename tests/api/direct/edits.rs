//! Authors change and delete their private messages by the rules of public ones, without events.

use std::sync::Arc;

use caraplace_accounts::channels::MessageChannel;
use caraplace_log::part::Part as _;
use caraplace_talk::channels::part::PrivateMessages;
use caraplace_talk::channels::{NewPrivateMessage, NewPrivateText};
use chrono::{DateTime, Utc};
use rules::audience::Audience;
use rules::numbers::AccountNo;
use rules::private_message::Importance;
use serde_json::{Value, json};

use super::{
    FREE_CONSOLE_SETTINGS, block, contents, find_message, read_messages, sanction, send_ok, text, unblock,
};
use crate::support::actions::found_crew_of;
use crate::support::{Agent, Reply, Server};

async fn edit(agent: &Agent<'_>, message: &Value, content: &str) -> Reply {
    agent.patch(&format!("/api/chat/{}", text(&message["id"])), json!({"content": content})).await
}

async fn delete(agent: &Agent<'_>, message: &Value) -> Reply {
    agent.delete(&format!("/api/chat/{}", text(&message["id"]))).await
}

/// Adds a message of the account with number 1 to the part of a batch.
fn post(part: &mut PrivateMessages, id: &str, now: DateTime<Utc>) {
    let channel_id: Arc<str> = "dm_a".into();
    let channel = MessageChannel { id: channel_id.clone(), crew: None, members: Vec::new() };
    let message = NewPrivateMessage {
        id: id.to_owned(),
        channel_id,
        author: AccountNo(1),
        badge: None,
        content: "hello".to_owned(),
        reply_to: None,
        thread: None,
        importance: Importance::Normal,
        ask: None,
        mentions: Vec::new(),
        audience: Audience::Everyone,
    };
    part.post(&channel, message, now);
}

#[tokio::test]
async fn author_changes_a_text_for_two_minutes() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, eve] = server.register_agents(["Ada", "Bob", "Eve"]).await;
    let sent = send_ok(&ada, &[&bob.id], "a typo").await;
    let (id, message) = (&sent["conversation_id"], &sent["message"]);
    let (head, digest) = (server.head().await, server.digest().await);
    let changed = edit(&ada, message, "no typo, see https://example.com").await.assert_status(200);
    assert_eq!(changed["message"]["content"], "no typo, see [link removed]");
    assert_eq!(changed["changed"], json!(["link"]));
    let seen = find_message(&bob, id, message).await;
    assert_eq!(seen["content"], "no typo, see [link removed]");
    assert!(seen["edited_at"].is_string(), "{seen}");
    assert_eq!((server.head().await, server.digest().await), (head, digest));
    edit(&bob, message, "mine").await.assert_refused(403, "forbidden");
    edit(&eve, message, "mine").await.assert_refused(404, "not_found");
    edit(&ada, message, " ").await.assert_refused(422, "content_empty");
    server.advance_clock(121);
    edit(&ada, message, "too late").await.assert_refused(409, "closed");
    assert_eq!(find_message(&bob, id, message).await["content"], seen["content"]);
}

#[tokio::test]
async fn new_texts_do_not_reach_those_who_refuse_the_author() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let sent = send_ok(&ada, &[&bob.id], "hello").await;
    let (id, message) = (&sent["conversation_id"], &sent["message"]);
    assert_eq!(block(&bob, &ada.id).await.status, 200);
    edit(&ada, message, "and again").await.assert_refused(403, "blocked");
    assert_eq!(find_message(&bob, id, message).await["content"], "hello");
    assert_eq!(unblock(&bob, &ada.id).await.status, 200);
    assert_eq!(edit(&ada, message, "welcome back").await.status, 200);
}

#[tokio::test]
async fn former_members_change_nothing_in_a_crew() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let path = format!("/api/crews/{}", text(&found_crew_of(&ada, "Masons", "open", &[&bob]).await["id"]));
    let posted = bob.post(&format!("{path}/messages"), json!({"content": "hello"})).await.assert_status(201);
    let message = &posted["message"];
    ada.post(&format!("{path}/remove"), json!({"agent_id": bob.id})).await.assert_status(200);
    edit(&bob, message, "still here").await.assert_refused(403, "forbidden");
    let seen = ada.get(&format!("/api/chat/{}", text(&message["id"]))).await.body;
    assert_eq!(seen["message"]["content"], "hello");
    assert_eq!(delete(&bob, message).await.status, 200, "its own words it may delete");
}

#[tokio::test]
async fn author_deletes_a_text_at_any_time() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, eve] = server.register_agents(["Ada", "Bob", "Eve"]).await;
    let sent = send_ok(&ada, &[&bob.id], "a regret").await;
    let (id, message) = (&sent["conversation_id"], &sent["message"]);
    let head = server.head().await;
    server.advance_clock(86_400);
    delete(&bob, message).await.assert_refused(403, "forbidden");
    delete(&eve, message).await.assert_refused(404, "not_found");
    for _ in 0..2 {
        let deleted = delete(&ada, message).await.assert_status(200);
        assert_eq!((&deleted["success"], &deleted["message"]["redacted"]), (&json!(true), &json!(true)));
        assert!(deleted["message"].get("content").is_none(), "{deleted}");
    }
    assert_eq!(server.head().await, head);
    for reader in [&ada, &bob] {
        for found in read_messages(reader, id).await {
            assert!(found.get("content").is_none(), "{found}");
        }
    }
    edit(&ada, message, "back again").await.assert_refused(409, "closed");
    let stored: String = server.fetch_scalar("select content from private_message").await;
    assert_eq!(stored, "", "the text is gone from the database, too");
    let reply = json!({"to": [ada.id], "content": "hm", "reply_to": message["id"]});
    bob.post("/api/direct", reply).await.assert_refused(422, "reply_target_missing");
}

#[tokio::test]
async fn changes_of_a_shadow_banned_author_are_its_own() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.create_operator_key("test").await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let seen_by_all = send_ok(&eve, &[&ada.id], "before").await;
    let id = &seen_by_all["conversation_id"];
    sanction(&server, &operator, &eve.id, "shadow").await;
    assert_eq!(edit(&eve, &seen_by_all["message"], "other words").await.status, 200);
    let hidden = send_ok(&eve, &[&ada.id], "hidden").await;
    assert_eq!(edit(&eve, &hidden["message"], "hidden words").await.status, 200);
    assert_eq!(contents(&read_messages(&eve, id).await), ["other words", "hidden words"]);
    assert_eq!(contents(&read_messages(&ada, id).await), ["before"]);
    edit(&ada, &hidden["message"], "mine").await.assert_refused(404, "not_found");
    delete(&ada, &hidden["message"]).await.assert_refused(404, "not_found");
}

#[tokio::test]
async fn a_change_by_an_earlier_server_ends_the_text_of_the_author_alone() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.create_operator_key("test").await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let sent = send_ok(&eve, &[&ada.id], "before").await;
    sanction(&server, &operator, &eve.id, "shadow").await;
    assert_eq!(edit(&eve, &sent["message"], "other words").await.status, 200);
    // The statements of such a server do not name the table.
    server.execute("update private_message set content = 'after'").await;
    assert_eq!(server.count_rows("shadow_text").await, 0);
    for reader in [&ada, &eve] {
        assert_eq!(contents(&read_messages(reader, &sent["conversation_id"]).await), ["after"]);
    }
}

#[tokio::test]
async fn a_deletion_ends_the_text_of_the_author_alone_in_the_same_batch() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let sent = send_ok(&eve, &[&ada.id], "before").await;
    let id = text(&sent["message"]["id"]);
    let now = server.clock.now();
    let mut part = PrivateMessages::default();
    part.change_own_text(id, "other words".to_owned(), now);
    part.change_text(id, NewPrivateText::default(), now);
    part.write(&mut server.pool.acquire().await.unwrap(), now).await.unwrap();
    assert_eq!(server.count_rows("shadow_text").await, 0);
    let deleted = server.fetch_number("select count(*) from private_message where deleted_at is not null");
    assert_eq!(deleted.await, 1);
}

#[tokio::test]
async fn an_unanswered_message_is_found_in_the_database() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
    let sent = send_ok(&ada, &[&bob.id], "hello").await;
    let is_stored = async |id: &str| {
        let mut part = PrivateMessages::default();
        post(&mut part, id, server.clock.now());
        part.is_stored(&mut server.pool.acquire().await.unwrap()).await.unwrap()
    };
    assert_eq!(is_stored(text(&sent["message"]["id"])).await, Some(true));
    assert_eq!(is_stored("msg_of_a_batch_that_was_rolled_back").await, Some(false));
}

#[tokio::test]
async fn an_unanswered_change_is_found_in_the_database() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
    let sent = send_ok(&ada, &[&bob.id], "hello").await;
    let message = &sent["message"];
    let is_stored = async |content: Option<&str>, at: DateTime<Utc>| {
        let mut part = PrivateMessages::default();
        let changed = NewPrivateText { content: content.map(str::to_owned), ..NewPrivateText::default() };
        part.change_text(text(&message["id"]), changed, at);
        part.is_stored(&mut server.pool.acquire().await.unwrap()).await.unwrap()
    };
    let before = server.clock.now();
    assert_eq!(is_stored(Some("hi"), before).await, Some(false));
    assert_eq!(edit(&ada, message, "hi").await.status, 200);
    let at: DateTime<Utc> = server.fetch_scalar("select edited_at from private_message").await;
    assert_eq!((is_stored(Some("hi"), at).await, is_stored(None, at).await), (Some(true), Some(false)));
    assert_eq!(is_stored(Some("hi"), before).await, Some(false), "the same text of another batch");
    assert_eq!(delete(&ada, message).await.status, 200);
    let at: DateTime<Utc> = server.fetch_scalar("select deleted_at from private_message").await;
    assert_eq!((is_stored(None, at).await, is_stored(None, before).await), (Some(true), Some(false)));
}

#[tokio::test]
async fn an_unanswered_change_for_the_author_alone_is_found_in_the_database() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.create_operator_key("test").await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let sent = send_ok(&eve, &[&ada.id], "before").await;
    sanction(&server, &operator, &eve.id, "shadow").await;
    let is_stored = async |posted: Option<&str>, at: DateTime<Utc>| {
        let mut part = PrivateMessages::default();
        if let Some(id) = posted {
            post(&mut part, id, at);
        }
        part.change_own_text(text(&sent["message"]["id"]), "other words".to_owned(), at);
        part.is_stored(&mut server.pool.acquire().await.unwrap()).await.unwrap()
    };
    let before = server.clock.now();
    assert_eq!(is_stored(None, before).await, Some(false));
    assert_eq!(edit(&eve, &sent["message"], "other words").await.status, 200);
    let at: DateTime<Utc> = server.fetch_scalar("select edited_at from shadow_text").await;
    assert_eq!(is_stored(None, at).await, Some(true));
    assert_eq!(is_stored(None, before).await, Some(false), "the same text of another batch");
    assert_eq!(is_stored(Some("msg_of_a_batch_that_was_rolled_back"), at).await, Some(false));
}
