//! The deletion of old texts, and what it leaves as it is.

use platform::config::RetentionSettings;

use caraplace::server::retention;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use crate::support::actions::{found_crew, mark_read};
use crate::support::values::{id_of, texts_of};
use crate::support::{Agent, Server};

const DAY_SECONDS: i64 = 86_400;
/// Retention settings with the defaults for webhook deliveries and the guide; nothing else is deleted.
pub const KEEP_ALL: RetentionSettings = RetentionSettings {
    chat_text_days: 0,
    private_message_days: 0,
    messages_per_channel: 0,
    delivery_days: 7,
    evidence_days: 0,
    mail_days: 0,
    guide_days: 30,
};

async fn run(server: &Server, settings: RetentionSettings) -> retention::Deleted {
    retention::run_once(&server.running().state, &settings).await.unwrap()
}

async fn write_to_bob(ada: &Agent<'_>, content: &str) -> Value {
    ada.earn_message_credits().await;
    let sent = ada.post("/api/direct", json!({"to": ["Bob"], "content": content})).await.assert_status(201);
    ada.server.advance_clock(3_600);
    sent
}

#[tokio::test]
async fn old_private_messages_are_deleted_but_not_their_questions_that_wait() {
    let server = Server::start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let first = write_to_bob(&ada, "one").await;
    let conversation = format!("/api/direct/{}", first["conversation_id"].as_str().unwrap());
    ada.earn_message_credits().await;
    let registered_at = bob.me().await["agent"]["created_at"].clone();
    let registered_at: DateTime<Utc> = registered_at.as_str().unwrap().parse().unwrap();
    let ask = json!({"to": "Bob", "by": registered_at + TimeDelta::days(6)});
    let ask = json!({"to": ["Bob"], "content": "two?", "ask": ask});
    assert_eq!(ada.post("/api/direct", ask).await.status, 201);
    server.advance_clock(3 * DAY_SECONDS);
    write_to_bob(&ada, "three").await;

    assert_eq!(run(&server, KEEP_ALL).await, retention::Deleted::default());
    let before = (ada.me().await["chat_credits"].clone(), server.digest().await, server.head().await);
    let deleted = run(&server, RetentionSettings { private_message_days: 2, ..KEEP_ALL }).await;
    assert_eq!(deleted.private_messages, 1);
    assert_eq!(texts_of(&bob.get(&conversation).await.body["messages"], "content"), ["two?", "three"]);
    let after = (ada.me().await["chat_credits"].clone(), server.digest().await, server.head().await);
    assert_eq!(before, after);
}

#[tokio::test]
async fn operators_change_while_the_server_runs_what_is_kept() {
    let server = Server::start_with_console().await;
    let (ada, _) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    write_to_bob(&ada, "one").await;
    server.advance_clock(3 * DAY_SECONDS);
    let operator = server.sign_in_operator().await;
    let run_as_set = async || run(&server, server.running().state.settings.current().values.retention).await;
    assert_eq!(run_as_set().await.private_messages, 0);
    operator.change_setting("private_message_days", json!(2)).await;
    assert_eq!(run_as_set().await.private_messages, 1);
}

#[tokio::test]
async fn only_the_newest_messages_of_a_channel_are_kept() {
    let server = Server::start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let mut conversation = String::new();
    for text in ["one", "two", "three"] {
        let sent = write_to_bob(&ada, text).await;
        conversation = format!("/api/direct/{}", sent["conversation_id"].as_str().unwrap());
    }
    let deleted = run(&server, RetentionSettings { messages_per_channel: 2, ..KEEP_ALL }).await;
    assert_eq!(deleted.private_messages, 1);
    assert_eq!(texts_of(&bob.get(&conversation).await.body["messages"], "content"), ["two", "three"]);
}

#[tokio::test]
async fn the_newest_public_messages_are_kept_whatever_their_age() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    ada.earn_message_credits().await;
    assert_eq!(ada.post_message("hello").await.status, 201);
    let settings = RetentionSettings { chat_text_days: 1, ..KEEP_ALL };
    server.advance_clock(9 * DAY_SECONDS);
    assert_eq!(run(&server, settings).await.chat_texts, 0, "fewer than a thousand");
    let fill = "insert into chat_message (id, seq, sender_type, agent, type, content, sent_at)
                select 'msg_fill' || n, 1000000 + n, 'system', null, 'system', 'text', now() from generate_series(1, 1000) n";
    sqlx::query(fill).execute(&server.pool).await.unwrap();
    let digest = server.digest().await;
    assert_eq!(run(&server, settings).await.chat_texts, 1);
    assert_eq!(server.digest().await, digest);
}

/// Inserts questions of Ada to Bob in their conversation, which wait for a month.
async fn insert_waiting_questions(server: &Server, count: i64) {
    let insert =
        "insert into private_message (id, channel, author, content, sent_at, ask_to, ask_by, ask_state)
                  select 'msg_' || md5(n::text), p.channel, p.author, 'When?', p.sent_at, bob.no,
                         p.sent_at + interval '30 days', 'waiting'
                  from private_message p, agent bob, generate_series(1, $1) n where bob.name = 'Bob'";
    sqlx::query(insert).bind(count).execute(&server.pool).await.unwrap();
}

#[tokio::test]
async fn questions_that_wait_do_not_stop_the_deletion_of_others() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    server.register_agent("Bob").await;
    write_to_bob(&ada, "one").await;
    insert_waiting_questions(&server, 1_001).await;
    write_to_bob(&ada, "two").await;
    server.advance_clock(3 * DAY_SECONDS);
    let settings = RetentionSettings { private_message_days: 2, ..KEEP_ALL };
    assert_eq!(run(&server, settings).await.private_messages, 2);
    server.advance_clock(28 * DAY_SECONDS);
    assert_eq!(run(&server, settings).await.private_messages, 1_001, "they wait no longer");
}

#[tokio::test]
async fn questions_that_wait_are_kept_beyond_the_limit_of_a_channel() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    server.register_agent("Bob").await;
    write_to_bob(&ada, "one").await;
    insert_waiting_questions(&server, 3).await;
    write_to_bob(&ada, "two").await;
    let settings = RetentionSettings { messages_per_channel: 1, ..KEEP_ALL };
    assert_eq!(run(&server, settings).await.private_messages, 1);
    server.advance_clock(31 * DAY_SECONDS);
    assert_eq!(run(&server, settings).await.private_messages, 3, "they wait no longer");
}

#[tokio::test]
async fn invitations_end_together_with_what_is_known_about_reading_them() {
    let server = Server::start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found_crew(&ada, "Roofers", "invite").await;
    let path = format!("/api/crews/{}", id_of(&crew));
    assert_eq!(ada.post(&format!("{path}/invite"), json!({"agent_id": bob.id})).await.status, 200);
    assert_eq!(bob.get("/api/inbox").await.body["items"][0]["kind"], "invite");
    mark_read(&bob, json!({"ids": [format!("item_{}", id_of(&crew))]})).await;
    server.advance_clock(29 * DAY_SECONDS);
    assert_eq!(run(&server, KEEP_ALL).await, retention::Deleted::default());
    assert_eq!(bob.get("/api/inbox").await.body["unread"], 0);
    server.advance_clock(2 * DAY_SECONDS);
    let deleted = run(&server, KEEP_ALL).await;
    assert_eq!((deleted.invitations, deleted.notices), (1, 1));
    assert_eq!(bob.get("/api/inbox").await.body["unread"], 0);
    bob.post(&format!("{path}/join"), json!({})).await.assert_refused(403, "forbidden");
}

#[tokio::test]
async fn the_mail_address_of_a_viewer_goes_some_time_after_its_pass() {
    let server = Server::start_with_console().await;
    let operator = server.sign_in_operator().await;
    let now = server.running().state.clock.now();
    for (email, days) in [("ada@example.org", 1), ("bob@example.org", 9)] {
        let until = now + TimeDelta::days(days);
        let grant = json!({"email": email, "until": until, "reason": "a friend"});
        operator.post("/api/admin/passes", grant).await.assert_status(201);
    }
    server.advance_clock(4 * DAY_SECONDS);
    assert_eq!(run(&server, KEEP_ALL).await.mail_addresses, 0);
    assert_eq!(run(&server, RetentionSettings { mail_days: 4, ..KEEP_ALL }).await.mail_addresses, 0);
    assert_eq!(run(&server, RetentionSettings { mail_days: 2, ..KEEP_ALL }).await.mail_addresses, 1);
    let kept: Vec<String> =
        server.fetch_scalars("select email from gallery_viewer where email is not null").await;
    assert_eq!(kept, ["bob@example.org"]);
}
