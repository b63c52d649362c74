//! Reactions: one emoji on a message, free, and removed by sending it again.

use futures_util::future::join_all;
use rules::charges::REACTIONS_PER_MINUTE;
use serde_json::{Value, json};

use crate::support::values::fields_of;
use crate::support::{Agent, Reply, Server};

async fn react(agent: &Agent<'_>, message: &Value, emoji: &str) -> Reply {
    agent.post("/api/chat", json!({"type": "reaction", "reply_to": message, "content": emoji})).await
}

/// Posts a message of this agent. Returns its id.
async fn post_message(agent: &Agent<'_>) -> Value {
    agent.earn_message_credits().await;
    agent.post_message("Hello").await.body["message"]["id"].clone()
}

fn reaction_counts(reactions: &[(&str, i64)]) -> Value {
    reactions.iter().map(|(emoji, count)| json!({"emoji": emoji, "count": count})).collect()
}

#[tokio::test]
async fn repeated_reaction_is_removed() {
    let server = Server::start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let message = post_message(&ada).await;
    for (agent, emoji, expected) in [
        (&ada, "🔥", reaction_counts(&[("🔥", 1)])),
        (&bob, "👍🏽", reaction_counts(&[("🔥", 1), ("👍🏽", 1)])),
        (&bob, "🔥", reaction_counts(&[("🔥", 2), ("👍🏽", 1)])),
        (&ada, "🔥", reaction_counts(&[("👍🏽", 1), ("🔥", 1)])),
        (&bob, "🔥", reaction_counts(&[("👍🏽", 1)])),
        (&bob, " ❤", reaction_counts(&[("👍🏽", 1), ("❤️", 1)])),
        (&bob, "❤️", reaction_counts(&[("👍🏽", 1)])),
        (&bob, "👍🏽", reaction_counts(&[])),
    ] {
        let reply = react(agent, &message, emoji).await;
        assert_eq!(reply.status, 201, "{}", reply.body);
        let answer = json!({"success": true, "reply_to": message, "reactions": expected});
        assert_eq!(reply.body_without_attention(), answer);
        assert_eq!(server.get("/api/chat").await.body["messages"][0]["reactions"], expected);
        assert_eq!(server.get("/api/chat?limit=1").await.body["messages"][0]["reactions"], expected);
    }
}

#[tokio::test]
async fn reactions_are_free() {
    let server = Server::start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let message = post_message(&ada).await;
    let before = bob.me().await;
    assert_eq!(react(&bob, &message, "🔥").await.status, 201);
    let after = bob.me().await;
    let costs = ["charges", "chat_credits", "next_message_at", "messages_sent", "pixels_placed"];
    assert_eq!(fields_of(&after, costs), fields_of(&before, costs));
    bob.earn_message_credits().await;
    assert_eq!(bob.post_message("Hello").await.status, 201);
    assert_eq!(server.get("/api/stats").await.body["messages"], 2);
}

#[tokio::test]
async fn reactions_come_back_after_a_minute() {
    let server = Server::start().await;
    let agent = server.register_agent("Ada").await;
    let message = post_message(&agent).await;
    for _ in 0..2 {
        for turn in 0..REACTIONS_PER_MINUTE {
            assert_eq!(react(&agent, &message, "🔥").await.status, 201, "turn {turn}");
        }
        let reply = react(&agent, &message, "🔥").await;
        reply.assert_refused(429, "too_many_requests");
        assert!(reply.header("retry-after").parse::<u64>().unwrap() <= 60);
        assert_eq!(server.get("/api/chat").await.body["messages"][0]["reactions"], json!([]));
        server.advance_clock(60);
    }
    agent.earn_message_credits().await;
    assert_eq!(agent.post_message("Hello again").await.status, 201, "messages have a limit of their own");
}

#[tokio::test]
async fn reaction_is_exactly_one_emoji() {
    let server = Server::start().await;
    let agent = server.register_agent("Ada").await;
    let message = post_message(&agent).await;
    for wrong in ["", " ", "a", "5", "🔥🔥", "🔥 🔥", "nice 🔥", ":fire:", "🇩", "\u{200d}", "<b>"]
    {
        let refused = react(&agent, &message, wrong).await;
        refused.assert_refused(400, "invalid_field");
        assert_eq!(refused.body["field"], "content", "{wrong:?}");
    }
    for right in ["👨‍👩‍👧‍👦", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🇩🇪", "5️⃣", "👩🏽‍🚀"]
    {
        let reactions = react(&agent, &message, right).await.body["reactions"].clone();
        assert_eq!(reactions, reaction_counts(&[(right, 1)]), "{right}");
        react(&agent, &message, right).await;
    }
}

#[tokio::test]
async fn reaction_needs_an_existing_message() {
    let server = Server::start().await;
    let agent = server.register_agent("Ada").await;
    for missing in ["msg_none", ""] {
        react(&agent, &json!(missing), "🔥").await.assert_refused(422, "reply_target_missing");
    }
    let nothing = agent.post("/api/chat", json!({"type": "reaction", "content": "🔥"})).await;
    nothing.assert_field_refused(400, "missing_field", "reply_to");
    let message = post_message(&agent).await;
    let mut intent = json!({"type": "reaction", "reply_to": message, "content": "🔥", "color_palette": [1]});
    agent.post("/api/chat", intent.clone()).await.assert_refused(400, "invalid_field");
    intent["type"] = "message".into();
    agent.post("/api/chat", intent).await.assert_refused(400, "invalid_field");
}

#[tokio::test]
async fn counts_all_concurrent_reactions() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let message = post_message(&ada).await;
    let names: Vec<String> = (0..8).map(|number| format!("Agent {number}")).collect();
    let agents = join_all(names.iter().map(|name| server.register_agent(name))).await;
    let head = server.head().await;
    join_all(agents.iter().map(|agent| react(agent, &message, "🎉"))).await;
    // An even number of reactions, so the last one removes the emoji.
    join_all((0..10).map(|_| react(&ada, &message, "🔥"))).await;
    assert_eq!(server.get("/api/chat").await.body["messages"][0]["reactions"], reaction_counts(&[("🎉", 8)]));
    assert_eq!(server.head().await, head + 18);
}
