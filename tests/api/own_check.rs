//! `caraplace check` names rows that contradict that only their author sees them.

use serde_json::json;

use crate::support::Server;
use crate::support::actions::{
    FREE_CONSOLE_SETTINGS, found_crew, found_crew_of, open_plan, post_text, react,
};
use crate::support::values::id_of;

const TABLES: [&str; 6] =
    ["shadow_message", "shadow_event", "notice", "receipt", "delivery", "channel_member"];

/// Changes of the database with the fault that must be reported. Account 1 is Ada. Eve, who is shadow-banned,
/// has posted a message behind event 2, has reacted to the message of event 2, and has posted another message
/// behind event 3.
const DAMAGE_CASES: [(&str, &str); 13] = [
    (
        "update shadow_message set id = (select id from event where seq = 2) where after_seq = 2",
        "number 2: only its author sees it, but it has an event",
    ),
    (
        "update shadow_message set after_seq = 1 where after_seq = 2",
        "number 1: its author does not find it once among the own events",
    ),
    ("delete from shadow_event where after_seq = 3", "number 3: its author does not find it once"),
    ("update shadow_event set agent = 1 where after_seq = 3", "number 3: its author does not find it once"),
    (
        "insert into shadow_event (agent, after_seq, kind, message_id, at)
         select agent, after_seq, kind, message_id, at from shadow_event where after_seq = 3",
        "number 3: its author does not find it once",
    ),
    (
        "insert into notice (agent, seq, kind, message_id)
         select 1, 3, 'mention', id from shadow_message where after_seq = 3",
        "number 3: only its author sees it, but another agent was told of it",
    ),
    (
        "update shadow_event set after_seq = 99 where kind = 'reaction'",
        "its own event stands behind an event that does not exist",
    ),
    (
        "update shadow_event set after_seq = 1 where kind = 'reaction'",
        "its own event stands before an earlier one of the author",
    ),
    (
        "update shadow_event set message_id = 'msg_other' where kind = 'reaction'",
        "its own event is about a message that the author cannot see",
    ),
    (
        "update shadow_event set agent = 1, message_id = (select id from shadow_message where after_seq = 3)
         where kind = 'reaction'",
        "its own event is about a message that the author cannot see",
    ),
    (
        "insert into channel_member (channel, account, role, joined_at)
         select channel, 1, 'member', timestamptz '2000-01-01' from crew where shadow",
        "only its owner sees the crew, but it has other members",
    ),
    (
        "insert into receipt (message, account, delivered_at)
         select no, 1, sent_at from private_message where shadow",
        "only its author sees it, but it was delivered to another account",
    ),
    (
        "insert into delivery (webhook, dedupe_key, type, private_message, next_at, created_at)
         select 1, 'private', 'direct', id, sent_at, sent_at from private_message where shadow",
        "only its author sees it, but a webhook of another agent reports it",
    ),
];

#[tokio::test]
async fn names_each_damage_of_what_only_its_author_sees() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    server.sign_in_operator().await.apply_sanction(&eve, "shadow").await;
    let hello = post_text(&ada, "hello").await;
    post_text(&eve, "First, @Ada").await;
    react(&eve, &hello, "🔥").await;
    post_text(&ada, "and more").await;
    post_text(&eve, "Second").await;
    found_crew(&eve, "Diggers", "invite").await;
    eve.post("/api/direct", json!({"to": [ada.id], "content": "psst"})).await.assert_status(201);
    assert_eq!(server.head().await, 3);
    assert_eq!(server.fetch_number("select no from agent where name = 'Ada'").await, 1);
    assert_eq!(run_check(&server).await, None);
    for table in TABLES {
        server.execute(&format!("create table {table}_safe as table {table}")).await;
    }
    for (damage, named) in DAMAGE_CASES {
        server.execute(damage).await;
        let report = run_check(&server).await.unwrap_or_default();
        assert!(report.contains(named), "{damage} gives:\n{report}");
        for table in TABLES {
            let restore = format!(
                "truncate {table} cascade; \
                 insert into {table} overriding system value select * from {table}_safe"
            );
            server.execute(&restore).await;
        }
    }
    assert_eq!(run_check(&server).await, None, "all was restored");
    server.execute("delete from shadow_message").await;
    let report = run_check(&server).await.unwrap_or_default();
    assert!(
        !report.lines().any(|line| line.starts_with("own: ")),
        "texts are deleted after a time:\n{report}"
    );
}

/// Changes of the database, those that undo them, and the fault that must be reported. Account 1 is Ada. Eve,
/// who is shadow-banned, sees another text of a public and of a private message, and another version of a
/// plan.
const VERSION_CASES: [(&str, &str, &str); 5] = [
    (
        "alter table chat_message disable trigger shadow_text_ends;
         update chat_message set deleted_at = sent_at, hidden = true, content = '';
         alter table chat_message enable trigger shadow_text_ends",
        "alter table chat_message disable trigger shadow_text_ends;
         update chat_message set deleted_at = null, hidden = false, content = 'hello';
         alter table chat_message enable trigger shadow_text_ends",
        "its author sees a text of it, but has deleted it",
    ),
    (
        "update shadow_text set agent = 1 where message_id is not null",
        "update shadow_text set agent = (select no from agent where name = 'Eve')",
        "an account that is not its author sees a text of it",
    ),
    (
        "update private_message set deleted_at = sent_at",
        "update private_message set deleted_at = null",
        "its author sees a text of it, but has deleted it",
    ),
    (
        "update shadow_text set agent = 1 where private_message_id is not null",
        "update shadow_text set agent = (select no from agent where name = 'Eve')",
        "an account that is not its author sees a text of it",
    ),
    (
        "alter table agent disable trigger shadow_plan_changes_end;
         update agent set shadowed = false where name = 'Eve';
         alter table agent enable trigger shadow_plan_changes_end",
        "update agent set shadowed = true where name = 'Eve'",
        "an account that is not shadow-banned sees another version of it",
    ),
];

#[tokio::test]
async fn names_each_damage_of_versions_that_only_one_account_sees() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let crew = found_crew_of(&ada, "Roofers", "open", &[&eve]).await;
    let body = json!({"title": "Old roof", "x": 10, "y": 20, "rows": ["55"], "crew_id": crew["id"]});
    let plan = open_plan(&ada, body).await;
    let posted = post_text(&eve, "hello").await;
    let direct = json!({"to": [ada.id], "content": "psst"});
    let sent = eve.post("/api/direct", direct).await.assert_status(201)["message"].clone();
    server.sign_in_operator().await.apply_sanction(&eve, "shadow").await;
    for message in [&posted, &sent] {
        let path = format!("/api/chat/{}", id_of(message));
        eve.patch(&path, json!({"content": "other words"})).await.assert_status(200);
    }
    let path = format!("/api/plans/{}", id_of(&plan));
    eve.put(&path, json!({"expected_version": 1, "title": "Spam"})).await.assert_status(200);
    assert_eq!(run_check(&server).await, None);
    for (damage, undo, named) in VERSION_CASES {
        server.execute(damage).await;
        let report = run_check(&server).await.unwrap_or_default();
        assert!(report.contains(named), "{damage} gives:\n{report}");
        server.execute(undo).await;
    }
    assert_eq!(run_check(&server).await, None, "all was undone");
}

/// Returns the differences; `None` if there are none.
async fn run_check(server: &Server) -> Option<String> {
    let report = server.check_log(None).await;
    (report.difference_count() > 0).then(|| report.to_string())
}
