//! Direct messages of shadow-banned accounts: they alone see them.

use serde_json::{Value, json};

use super::{
    FREE_CONSOLE_SETTINGS, answer, ask, contents, conversations, find_message, read_messages, sanction, send,
    send_ok, set_contact, text, time_in,
};
use crate::support::Server;
use crate::support::actions::{found_crew, found_crew_of};

#[tokio::test]
async fn only_the_author_sees_messages_of_a_shadow_banned_account() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.create_operator_key("test").await;
    let [ada, eve, cyd] = server.register_agents(["Ada", "Eve", "Cyd"]).await;
    let before = send_ok(&eve, &[&ada.id], "before").await;
    let id = &before["conversation_id"];
    sanction(&server, &operator, &eve.id, "shadow").await;
    let sent = send_ok(&eve, &[&ada.id], "hidden words").await;
    assert_eq!(&sent["conversation_id"], id);
    assert_eq!(contents(&read_messages(&eve, id).await), ["before", "hidden words"]);
    assert_eq!(contents(&read_messages(&ada, id).await), ["before"]);
    let listed = &conversations(&ada).await[0];
    assert_eq!((&listed["unread"], &listed["last_message"]["content"]), (&json!(1), &json!("before")));
    assert_eq!(conversations(&eve).await[0]["last_message"]["content"], "hidden words");
    let path = format!("/api/chat/{}", text(&sent["message"]["id"]));
    ada.get(&path).await.assert_refused(404, "not_found");
    assert_eq!(eve.get(&path).await.body["message"]["content"], "hidden words");
    // A conversation that begins with such a message begins for its author only.
    let first = send_ok(&eve, &[&cyd.id], "hidden, too").await;
    assert!(conversations(&cyd).await.is_empty());
    let path = format!("/api/direct/{}", text(&first["conversation_id"]));
    cyd.get(&path).await.assert_refused(404, "not_found");
    assert_eq!(conversations(&eve).await.len(), 2);
    let reply = json!({"to": [eve.id], "content": "hm", "reply_to": sent["message"]["id"]});
    ada.post("/api/direct", reply).await.assert_refused(422, "reply_target_missing");
    sanction(&server, &operator, &eve.id, "unshadow").await;
    send_ok(&eve, &[&ada.id], "after").await;
    assert_eq!(contents(&read_messages(&ada, id).await), ["before", "after"]);
    assert_eq!(contents(&read_messages(&eve, id).await), ["before", "hidden words", "after"]);
}

#[tokio::test]
async fn message_from_before_the_ban_changes_for_its_author_alone() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.create_operator_key("test").await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let sent = send_ok(&eve, &[&ada.id], "before").await;
    let id = &sent["conversation_id"];
    let path = format!("/api/chat/{}", text(&sent["message"]["id"]));
    let edit = async |content: &str| {
        eve.patch(&path, json!({"content": content})).await.assert_status(200)["message"].clone()
    };
    sanction(&server, &operator, &eve.id, "shadow").await;
    let edited = edit("after").await;
    assert_eq!((&edited["content"], edited["edited_at"].is_string()), (&json!("after"), true));
    assert_eq!(contents(&read_messages(&eve, id).await), ["after"]);
    assert_eq!(conversations(&eve).await[0]["last_message"]["content"], "after");
    assert_eq!(contents(&read_messages(&ada, id).await), ["before"]);
    assert_eq!(ada.get(&path).await.body["message"].get("edited_at"), None);
    sanction(&server, &operator, &eve.id, "unshadow").await;
    assert_eq!(contents(&read_messages(&eve, id).await), ["after"]);
    edit("again").await;
    for reader in [&ada, &eve] {
        assert_eq!(contents(&read_messages(reader, id).await), ["again"]);
    }
}

#[tokio::test]
async fn nothing_that_only_its_author_sees_wakes_anyone() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.create_operator_key("test").await;
    let [ada, eve] = server.register_agents(["Ada", "Eve"]).await;
    let crew = found_crew_of(&eve, "Roofers", "invite", &[&ada]).await;
    let before = ask(&eve, &ada.id, "Before?", 600).await;
    sanction(&server, &operator, &eve.id, "shadow").await;
    // Eve may found another crew.
    server.advance_clock(60);
    let paths = ["/api/inbox", "/api/direct", "/api/chat/new", "/api/crews"];
    let read = async |path: &str| {
        let mut body = ada.get(path).await.assert_status(200);
        // They change with the time.
        for field in ["digest", "digest_expires_at"] {
            body.as_object_mut().unwrap().remove(field);
        }
        body
    };
    let mut seen = Vec::new();
    for path in paths {
        seen.push(read(path).await);
    }
    let mut news = server.listen_to_private_news().await;
    eve.post("/api/chat", json!({"content": "@Ada, hidden words"})).await.assert_status(201);
    let hidden = ask(&eve, &ada.id, "May I?", 600).await;
    for message in [&before, &hidden] {
        let path = format!("/api/chat/{}", text(&message["id"]));
        eve.patch(&path, json!({"content": "hidden words"})).await.assert_status(200);
    }
    let asked = json!({"to": ada.id, "by": time_in(&server, 600)});
    let path = format!("/api/crews/{}/messages", text(&crew["id"]));
    let body = json!({"content": "hidden words", "importance": "high", "ask": asked});
    for body in [body, json!({"content": "@Ada, hidden words"})] {
        let posted = eve.post(&path, body).await.assert_status(201);
        let path = format!("/api/chat/{}", text(&posted["message"]["id"]));
        eve.patch(&path, json!({"content": "@Ada, more hidden words"})).await.assert_status(200);
    }
    let founded = found_crew(&eve, "Hidden", "invite").await;
    let path = format!("/api/crews/{}/invite", text(&founded["id"]));
    eve.post(&path, json!({"agent_id": ada.id})).await.assert_status(200);
    eve.delete(&format!("/api/chat/{}", text(&hidden["id"]))).await.assert_status(200);
    assert!(news.woken().await.is_empty());
    for (path, seen) in paths.into_iter().zip(seen) {
        assert_eq!(read(path).await, seen, "{path}");
    }
}

#[tokio::test]
async fn shadow_banned_account_sees_the_usual_answers() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.create_operator_key("test").await;
    let [ada, eve, twin] = server.register_agents(["Ada", "Eve", "Mia"]).await;
    sanction(&server, &operator, &eve.id, "shadow").await;
    let fields = |body: &Value| {
        let mut names: Vec<String> = body.as_object().unwrap().keys().cloned().collect();
        names.extend(body["message"].as_object().unwrap().keys().map(|name| format!("message.{name}")));
        names
    };
    let hidden = send_ok(&eve, &[&ada.id], "hello").await;
    assert_eq!(fields(&hidden), fields(&send_ok(&twin, &[&ada.id], "hello").await));
    let question = ask(&eve, &ada.id, "May I?", 600).await;
    assert_eq!(question["ask"]["state"], "waiting");
    let path = format!("/api/asks/{}", text(&question["id"]));
    ada.post(&path, json!({"state": "declined"})).await.assert_refused(404, "not_found");
    server.advance_clock(601);
    assert_eq!(find_message(&eve, &hidden["conversation_id"], &question).await["ask"]["state"], "expired");
    set_contact(&ada, "closed").await;
    send(&eve, &[&ada.id], "hello again").await.assert_refused(403, "blocked");
}

#[tokio::test]
async fn shadow_banned_account_is_written_to_as_usual() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.create_operator_key("test").await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    sanction(&server, &operator, &eve.id, "shadow").await;
    let question = ask(&ada, &eve.id, "Are you there?", 600).await;
    let id = conversations(&eve).await[0]["id"].clone();
    let declined = ask(&ada, &eve.id, "Or not?", 600).await;
    let waiting = async || eve.post_message("Hello").await.body["waiting"].as_array().unwrap().len();
    assert_eq!(waiting().await, 2);
    answer(&eve, &[&ada.id], &question, "Yes").await;
    let decline = async |message: &Value| {
        eve.post(&format!("/api/asks/{}", text(&message["id"])), json!({"state": "declined"})).await
    };
    for _ in 0..2 {
        assert_eq!(decline(&declined).await.body["message"]["ask"]["state"], "declined");
    }
    decline(&question).await.assert_refused(409, "closed");
    for (message, state) in [(&question, "answered"), (&declined, "declined")] {
        assert_eq!(find_message(&eve, &id, message).await["ask"]["state"], state);
        assert_eq!(find_message(&ada, &id, message).await["ask"]["state"], "waiting");
    }
    assert_eq!(waiting().await, 0);
    assert_eq!(contents(&read_messages(&ada, &id).await), ["Are you there?", "Or not?"]);
    assert_eq!(contents(&read_messages(&eve, &id).await), ["Are you there?", "Or not?", "Yes"]);
    server.advance_clock(601);
    for message in [&question, &declined] {
        let seen = find_message(&ada, &id, message).await;
        assert_eq!(seen["ask"]["state"], "expired", "an answer that the asker cannot see is none");
    }
    assert_eq!(find_message(&eve, &id, &question).await["ask"]["state"], "answered");
}

#[tokio::test]
async fn question_can_be_answered_when_the_shadow_ban_has_ended() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.create_operator_key("test").await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    sanction(&server, &operator, &eve.id, "shadow").await;
    let answered = &ask(&ada, &eve.id, "Are you there?", 600).await;
    let declined = &ask(&ada, &eve.id, "Or not?", 600).await;
    let id = conversations(&eve).await[0]["id"].clone();
    let decline = async || {
        let path = format!("/api/asks/{}", text(&declined["id"]));
        assert_eq!(eve.post(&path, json!({"state": "declined"})).await.status, 200);
    };
    answer(&eve, &[&ada.id], answered, "Yes").await;
    decline().await;
    sanction(&server, &operator, &eve.id, "unshadow").await;
    answer(&eve, &[&ada.id], answered, "Yes, I am").await;
    decline().await;
    for (message, state) in [(answered, "answered"), (declined, "declined")] {
        for reader in [&ada, &eve] {
            assert_eq!(find_message(reader, &id, message).await["ask"]["state"], state);
        }
    }
}
