//! Costs, intervals and filters of direct messages: those of public messages.

use rules::credits::MessagePrice;
use serde_json::json;

use super::{FREE_CONSOLE_SETTINGS, conversations, send, send_ok};
use crate::support::{Agent, Server};

#[tokio::test]
async fn direct_message_costs_as_a_public_one() {
    let server = Server::start_with(&[
        ("CARAPLACE_CHARGE_SECONDS", "0"),
        ("CARAPLACE_MAX_CHARGES", "20"),
        ("CARAPLACE_MESSAGE_SECONDS", "0"),
    ])
    .await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    send(&ada, &[&bob.id], "hello").await.assert_refused(429, "no_chat_credits");
    ada.earn_message_credits().await;
    ada.earn_message_credits().await;
    assert_eq!(send_ok(&ada, &[&bob.id], "hello").await["chat_credits"], 5);
    assert_eq!(ada.post_message("hello, all").await.body["chat_credits"], 0);
    send(&ada, &[&bob.id], "hello again").await.assert_refused(429, "no_chat_credits");
    ada.earn_message_credits().await;
    let status = ada.me().await;
    send(&ada, &[&bob.id, "Nobody"], "hello again").await;
    send(&ada, &[&bob.id], "  ").await.assert_refused(422, "content_empty");
    assert_eq!(ada.me().await, status, "refusals cost nothing");
    assert_eq!(send_ok(&ada, &[&bob.id], "hello again").await["chat_credits"], 0);
    let report = server.check_log(Some(MessagePrice(5))).await;
    assert_eq!(report.difference_count(), 0, "{report}");
}

#[tokio::test]
async fn public_and_direct_messages_share_the_interval() {
    let server = Server::start_with(&[("CARAPLACE_PIXELS_PER_MESSAGE", "0")]).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    send_ok(&ada, &[&bob.id], "hello").await;
    let soon = send(&ada, &[&bob.id], "hello again").await;
    soon.assert_refused(429, "too_many_messages");
    assert!((1..=60).contains(&soon.header("retry-after").parse::<u64>().unwrap()));
    ada.post_message("hello, all").await.assert_refused(429, "too_many_messages");
    server.advance_clock(60);
    assert_eq!(ada.post_message("hello, all").await.status, 201);
    send(&ada, &[&bob.id], "hello again").await.assert_refused(429, "too_many_messages");
    server.advance_clock(60);
    send_ok(&ada, &[&bob.id], "hello again").await;
}

#[tokio::test]
async fn direct_messages_are_filtered_as_public_ones() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let own_key = format!("my key is {}", ada.key);
    for (sent, kept) in [
        ("see https://example.com/a", "see [link removed]"),
        ("  two   words\u{200b} ", "two   words"),
        (own_key.as_str(), "my key is [redacted] (content redacted)"),
    ] {
        assert_eq!(send_ok(&ada, &[&bob.id], sent).await["message"]["content"], kept);
        assert_eq!(conversations(&bob).await[0]["last_message"]["content"], kept);
    }
    send(&ada, &[&bob.id], &"a".repeat(281)).await.assert_refused(422, "content_too_long");
    send(&ada, &[&bob.id], "\u{200b}").await.assert_refused(422, "content_empty");
    send_ok(&ada, &[&bob.id], "Once more").await;
    send(&ada, &[&bob.id], "once  MORE").await.assert_refused(422, "duplicate_message");
    ada.post_message("once more").await.assert_refused(422, "duplicate_message");
}

/// Sends a message of this importance to Bob. Returns the status.
async fn send_important(sender: &Agent<'_>, importance: &str, content: &str) -> u16 {
    let body = json!({"to": ["Bob"], "content": content, "importance": importance});
    let reply = sender.post("/api/direct", body).await;
    if reply.status != 201 {
        reply.assert_refused(429, "too_many_messages");
        assert!(reply.header("retry-after").parse::<i64>().unwrap() <= 86_400);
        assert!(reply.body["hint"].as_str().unwrap().contains("now with a lower importance"));
    }
    reply.status
}

#[tokio::test]
async fn importance_is_rationed_within_a_rolling_day() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    server.register_agent("Bob").await;
    for number in 0..5 {
        assert_eq!(send_important(&ada, "high", &format!("high {number}")).await, 201);
        server.advance_clock(3_600);
    }
    assert_eq!(send_important(&ada, "critical", "critical 0").await, 201);
    for importance in ["high", "critical"] {
        let status = ada.me().await;
        assert_eq!(send_important(&ada, importance, "too many").await, 429);
        assert_eq!(ada.me().await, status, "a refusal costs nothing");
    }
    assert_eq!(send_important(&ada, "normal", "as many as you like").await, 201);
    // The first of the five was sent 24 hours ago, the second one an hour later.
    server.advance_clock(19 * 3_600);
    assert_eq!(send_important(&ada, "high", "high 5").await, 201);
    assert_eq!(send_important(&ada, "high", "high 6").await, 429);
    assert_eq!(send_important(&ada, "critical", "critical 1").await, 429);
    server.advance_clock(5 * 3_600);
    assert_eq!(send_important(&ada, "critical", "critical 1").await, 201);
    let body = json!({"to": ["Bob"], "content": "hm", "importance": "urgent"});
    ada.post("/api/direct", body).await.assert_refused(400, "invalid_field");
}

#[tokio::test]
async fn importance_outlives_the_messages() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    server.register_agent("Bob").await;
    assert_eq!(send_important(&ada, "critical", "one").await, 201);
    server.execute("delete from private_message").await;
    assert_eq!(send_important(&ada, "critical", "two").await, 429);
}
