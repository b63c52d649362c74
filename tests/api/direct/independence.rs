//! Private messages take no number and touch no digest, and everything else stays as it is without them.

use serde_json::{Value, json};

use super::{
    FREE_CONSOLE_SETTINGS, answer, ask, block, conversations, send, send_ok, text, viewer_with_pass,
};
use crate::support::actions::{paint, post_message, react};
use crate::support::{Agent, Server};

/// A window of digests that does not end while a test runs.
const LONG_WINDOW: (&str, &str) = ("CARAPLACE_DIGEST_SECONDS", "86400");
/// Reads of everything that is public.
const PUBLIC_READS: [&str; 13] = [
    "/api/canvas.bin",
    "/api/canvas",
    "/api/chat",
    "/api/chat/digest",
    "/api/stats",
    "/api/leaderboard",
    "/api/leaderboard?by=messages",
    "/api/pixels/recent",
    "/api/intents",
    "/api/plans",
    "/api/agents",
    "/api/search?q=red&in=chat",
    "/api/events?from=0",
];
/// Reads that each agent answers for itself, without what is private.
const OWN_READS: [&str; 3] = ["/api/agents/me", "/api/chat/new", "/api/agents/me/blocks"];

/// Returns the responses to all reads that must not depend on private messages. The clock stands still for
/// them.
async fn read_everything(server: &Server, agents: &[&Agent<'_>]) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for path in PUBLIC_READS {
        all.push((path.to_owned(), without_times(server.get(path).await.bytes)));
    }
    for agent in agents {
        for path in OWN_READS {
            all.push((format!("{path} of {}", agent.id), without_times(agent.get(path).await.bytes)));
        }
        all.push((format!("events of {}", agent.id), agent.get("/api/events?from=0").await.bytes));
    }
    all
}

/// Asserts that two walks got the same responses.
fn assert_same(before: &[(String, Vec<u8>)], after: &[(String, Vec<u8>)]) {
    assert_eq!(before.len(), after.len());
    for ((path, before), (_, after)) in before.iter().zip(after) {
        assert_eq!(String::from_utf8_lossy(before), String::from_utf8_lossy(after), "{path}");
    }
}

/// Removes the times that depend on when a response was made.
fn without_times(bytes: Vec<u8>) -> Vec<u8> {
    let Ok(mut body) = serde_json::from_slice::<Value>(&bytes) else { return bytes };
    for name in ["digest_expires_at", "expires_at", "next_charge_at"] {
        body.as_object_mut().map(|fields| fields.remove(name));
    }
    body.to_string().into_bytes()
}

/// Deletes the conversations with their messages, cursors and receipts.
async fn delete_private_messages(server: &Server) {
    server.execute("delete from channel").await;
    for table in ["channel_member", "private_message", "channel_cursor", "receipt"] {
        assert_eq!(server.count_rows(table).await, 0, "{table}");
    }
}

/// Posts some public messages with reactions, and paints.
async fn play_in_public(ada: &Agent<'_>, bob: &Agent<'_>) {
    paint(ada, [(1, 1), (2, 1)]).await;
    let message = post_message(ada, json!({"content": "A red roof?"})).await;
    react(bob, &message, "🔥").await;
    post_message(bob, json!({"content": "Red it is", "reply_to": message["id"]})).await;
}

/// Sends direct messages of every kind.
async fn talk_in_private(ada: &Agent<'_>, bob: &Agent<'_>, cyd: &Agent<'_>) {
    let first = send_ok(ada, &[&bob.id], "one").await;
    answer(bob, &[&ada.id], &first["message"], "two").await;
    send_ok(cyd, &[&ada.id, &bob.id], "three, @Ada").await;
    answer(bob, &[&ada.id], &ask(ada, &bob.id, "four?", 600).await, "five").await;
    let declined = ask(ada, &cyd.id, "six?", 600).await;
    cyd.post(&format!("/api/asks/{}", text(&declined["id"])), json!({"state": "declined"})).await;
    let important = json!({"to": [bob.id], "content": "seven", "importance": "high"});
    assert_eq!(ada.post("/api/direct", important).await.status, 201);
    let id = text(&first["conversation_id"]).to_owned();
    bob.get(&format!("/api/direct/{id}")).await;
    bob.post(&format!("/api/direct/{id}/read"), json!({"up_to": first["message"]["id"]})).await;
}

#[tokio::test]
async fn private_messages_move_neither_the_head_nor_the_digest() {
    let server = Server::start_with(&[&FREE_CONSOLE_SETTINGS[..], &[LONG_WINDOW]].concat()).await;
    let operator = server.create_operator_key("test").await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let grace = viewer_with_pass(&server, &operator, "Grace").await;
    play_in_public(&ada, &bob).await;
    let mut stream = ada.open_stream().await;
    let (head, digest) = (server.head().await, server.digest().await);
    let tag = server.get("/api/canvas").await.header("etag").to_owned();
    let notices = server.count_rows("notice").await;
    talk_in_private(&ada, &bob, &cyd).await;
    send_ok(&grace, &[&ada.id], "a whisper").await;
    assert_eq!(server.count_rows("notice").await, notices, "private mentions have no event");
    assert_eq!(server.head().await, head);
    assert_eq!(server.digest().await, digest);
    assert_eq!(server.get("/api/canvas").await.header("etag"), tag);
    assert_eq!(post_message(&ada, json!({"content": "public again"})).await["seq"], head + 1);
    let event = stream.next_with_id().await;
    assert_eq!((event.name.as_str(), event.id), ("chat", Some(head + 1)));
    assert_eq!(event.data["content"], "public again");
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn everything_else_stays_without_private_messages() {
    let mut server = Server::start_with(&[&FREE_CONSOLE_SETTINGS[..], &[LONG_WINDOW]].concat()).await;
    let (keys, before) = {
        let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
        play_in_public(&ada, &bob).await;
        talk_in_private(&ada, &bob, &cyd).await;
        block(&cyd, &bob.id).await;
        assert_eq!(conversations(&bob).await.len(), 2);
        let before = read_everything(&server, &[&ada, &bob, &cyd]).await;
        delete_private_messages(&server).await;
        assert_same(&before, &read_everything(&server, &[&ada, &bob, &cyd]).await);
        assert!(conversations(&bob).await.is_empty());
        ([(ada.id, ada.key), (bob.id, bob.key), (cyd.id, cyd.key)], before)
    };
    server.assert_log_is_sound().await;
    server.restart().await;
    let agents = keys.map(|(id, key)| Agent { server: &server, id, key });
    let [ada, bob, cyd] = &agents;
    assert_same(&before, &read_everything(&server, &[ada, bob, cyd]).await);
    // What decides on new messages is no text.
    send(bob, &[&cyd.id], "eight").await.assert_refused(403, "blocked");
    send(bob, &[&ada.id], "FIVE").await.assert_refused(422, "duplicate_message");
    send_ok(bob, &[&ada.id], "eight").await;
    assert_eq!(conversations(ada).await.len(), 1);
}

#[tokio::test]
async fn limits_outlive_private_messages() {
    let server = Server::start_with(&[
        ("CARAPLACE_CHARGE_SECONDS", "0"),
        ("CARAPLACE_MAX_CHARGES", "20"),
        ("CARAPLACE_MESSAGE_SECONDS", "3600"),
    ])
    .await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    ada.earn_message_credits().await;
    ada.earn_message_credits().await;
    send_ok(&ada, &[&bob.id], "one").await;
    let before = ada.me().await;
    delete_private_messages(&server).await;
    assert_eq!(ada.me().await, before);
    assert_eq!(before["chat_credits"], 5);
    send(&ada, &[&bob.id], "two").await.assert_refused(429, "too_many_messages");
    ada.post_message("two").await.assert_refused(429, "too_many_messages");
}
