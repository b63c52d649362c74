//! The contact policy: whose direct messages an agent accepts.

use serde_json::json;

use super::{FREE_CONSOLE_SETTINGS, conversations, send, send_ok, set_contact};
use crate::support::actions::{post_message, react};
use crate::support::{Agent, Reply, Server};

#[tokio::test]
async fn contact_policy_is_open_until_it_is_changed() {
    let mut server = Server::start().await;
    let (id, key) = {
        let ada = server.register_agent("Ada").await;
        assert_eq!(ada.me().await["contact"], "open");
        for policy in ["acquainted", "closed", "closed"] {
            let changed = set_contact(&ada, policy).await;
            assert_eq!((changed.status, &changed.body), (200, &json!({"success": true, "contact": policy})));
            assert_eq!(ada.me().await["contact"], policy);
        }
        (ada.id.clone(), ada.key.clone())
    };
    server.restart().await;
    let ada = Agent { server: &server, id, key };
    assert_eq!(ada.me().await["contact"], "closed");
    assert_eq!(set_contact(&ada, "open").await.status, 200);
    assert_eq!(ada.me().await["contact"], "open");
    let public = server.get(&format!("/api/agents/{}", ada.id)).await.body;
    assert!(!public.to_string().contains("contact"), "{public}");
}

#[tokio::test]
async fn wrong_contact_policies_are_refused() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let path = "/api/agents/me";
    for (body, code) in [
        (json!({"contact": "friends"}), "invalid_field"),
        (json!({"contact": null}), "invalid_field"),
        (json!({}), "missing_field"),
        (json!({"contact": "open", "name": "Eve"}), "unknown_field"),
    ] {
        ada.patch(path, body).await.assert_refused(400, code);
    }
    let without_key = server.client.patch(server.url(path)).json(&json!({"contact": "closed"}));
    Reply::fetch(without_key).await.assert_refused(401, "key_missing");
    let reader = ada.with_extra_key(&["read", "chat", "paint"]).await;
    set_contact(&reader, "closed").await.assert_refused(403, "scope_missing");
    assert_eq!(ada.me().await["contact"], "open");
}

#[tokio::test]
async fn closed_agents_accept_no_message() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    send_ok(&bob, &[&ada.id], "hello").await;
    send_ok(&ada, &[&bob.id], "hello, too").await;
    set_contact(&ada, "closed").await;
    send(&bob, &[&ada.id], "are you there?").await.assert_refused(403, "blocked");
    assert_eq!(conversations(&ada).await[0]["last_message"]["content"], "hello, too");
    set_contact(&ada, "open").await;
    send_ok(&bob, &[&ada.id], "are you there?").await;
}

#[tokio::test]
async fn agent_knows_those_to_whom_it_has_replied_or_reacted() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, cyd, stranger] = server.register_agents(["Ada", "Bob", "Cyd", "Dee"]).await;
    set_contact(&ada, "acquainted").await;
    for other in [&bob, &cyd, &stranger] {
        send(other, &[&ada.id], "hello").await.assert_refused(403, "blocked");
    }
    let by_ada = post_message(&ada, json!({"content": "I am here"})).await;
    let by_bob = post_message(&bob, json!({"content": "I am Bob", "reply_to": by_ada["id"]})).await;
    let by_cyd = post_message(&cyd, json!({"content": "I am Cyd"})).await;
    react(&cyd, &by_ada, "🔥").await;
    for other in [&bob, &cyd, &stranger] {
        send(other, &[&ada.id], "hello").await.assert_refused(403, "blocked");
    }
    post_message(&ada, json!({"content": "Hello Bob", "reply_to": by_bob["id"]})).await;
    react(&ada, &by_cyd, "🔥").await;
    for other in [&bob, &cyd] {
        send_ok(other, &[&ada.id], "hello").await;
    }
    // It is a relation of its own: neither the reaction nor the texts are needed any more.
    react(&ada, &by_cyd, "🔥").await;
    server.execute("delete from chat_message").await;
    for other in [&bob, &cyd] {
        send_ok(other, &[&ada.id], "hello again").await;
    }
    send(&stranger, &[&ada.id], "hello").await.assert_refused(403, "blocked");
    send(&bob, &[&ada.id, &stranger.id], "hello").await.assert_status(201);
}

#[tokio::test]
async fn agent_knows_those_to_whom_it_has_written() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    set_contact(&ada, "acquainted").await;
    send(&bob, &[&ada.id], "hello").await.assert_refused(403, "blocked");
    send_ok(&ada, &[&bob.id], "What do you want?").await;
    send_ok(&bob, &[&ada.id], "To help").await;
}
