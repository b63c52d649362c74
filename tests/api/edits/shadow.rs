//! Shadow-banned authors change and delete their messages as if everyone saw them.

use reqwest::Method;
use serde_json::json;

use super::{
    FREE_CONSOLE_SETTINGS, chat_contents, delete, delete_ok, edit, edit_ok, history, path_of, post_text,
};
use crate::support::values::id_of;
use crate::support::{Event, EventStream, Server};

/// Returns the next event of this kind.
async fn next_of_kind(stream: &mut EventStream, name: &str) -> Event {
    loop {
        let event = stream.next().await.expect("the stream ended");
        if event.name == name {
            return event;
        }
    }
}

#[tokio::test]
async fn the_author_alone_sees_its_changes() {
    let [server, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let operator = server.sign_in_operator().await;
    operator.apply_sanction(&eve, "shadow").await;
    let mut own = EventStream::open(server.get_request("/api/events").bearer_auth(&eve.key)).await;
    let message = post_text(&eve, "@Ada, on").await;
    next_of_kind(&mut own, "chat").await;
    let (head, digest) = (server.head().await, eve.get("/api/chat/digest").await.body["digest"].clone());
    let edited = edit_ok(&eve.on(&other), &message, "@Ada, one").await;
    assert!(edited["edited_at"].is_string(), "{edited}");
    let event = next_of_kind(&mut own, "edited").await;
    assert_eq!((&event.data["message_id"], &event.data["content"]), (&message["id"], &json!("@Ada, one")));
    assert_eq!(eve.get("/api/chat").await.body["messages"][0]["content"], "@Ada, one");
    edit(&ada, &message, "mine").await.assert_refused(404, "not_found");
    delete(&ada, &message).await.assert_refused(404, "not_found");
    assert_eq!(ada.get("/api/inbox").await.body["items"], json!([]));
    let redacted = delete_ok(&eve, &message).await;
    assert_eq!((&redacted["redacted"], redacted.get("content")), (&json!(true), None));
    assert_eq!(next_of_kind(&mut own, "hidden").await.data["message_id"], message["id"]);
    assert_eq!(eve.get("/api/chat").await.body["messages"], json!([]));
    let single = eve.get(&path_of(&message)).await.body["message"].clone();
    assert_eq!((&single["redacted"], single.get("content")), (&json!(true), None));
    assert_eq!(delete_ok(&eve, &message).await["redacted"], true);
    edit(&eve, &message, "again").await.assert_refused(409, "closed");
    assert_eq!(eve.get("/api/chat/digest").await.body["digest"], digest, "no change is in a digest");
    assert_eq!((server.head().await, chat_contents(&server).await), (head, vec![]));
    assert_eq!(history(&operator, &message).await, ["@Ada, on", "@Ada, one"]);
    let (_, page) = operator.page(&format!("/admin/agents/{}", eve.id)).await;
    assert!(page.contains("deleted by its author") && page.contains("@Ada, on"), "{page}");
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn a_message_from_before_the_ban_changes_for_its_author_alone() {
    let [server, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let message = post_text(&eve, "@Ada, come").await;
    let operator = server.sign_in_operator().await;
    operator.apply_sanction(&eve, "shadow").await;
    let mut own = EventStream::open(server.get_request("/api/events").bearer_auth(&eve.key)).await;
    let head = server.head().await;
    let there = eve.on(&other);
    let edited = edit_ok(&there, &message, "@Ada, leave").await;
    assert_eq!((&edited["content"], edited["edited_at"].is_string()), (&json!("@Ada, leave"), true));
    let event = next_of_kind(&mut own, "edited").await;
    assert_eq!((&event.data["message_id"], &event.data["content"]), (&message["id"], &edited["content"]));
    for (agent, text) in [(&eve, "@Ada, leave"), (&there, "@Ada, leave"), (&ada, "@Ada, come")] {
        assert_eq!(agent.get(&path_of(&message)).await.body["message"]["content"], text);
        assert_eq!(agent.get("/api/chat").await.body["messages"][0]["content"], text);
    }
    for (agent, word, count) in [(&eve, "leave", 1), (&eve, "come", 0), (&ada, "leave", 0), (&ada, "come", 1)]
    {
        let found = agent.get(&format!("/api/search?in=chat&q={word}")).await.body["results"].clone();
        assert_eq!(found.as_array().unwrap().len(), count, "{word}: {found}");
    }
    assert_eq!(edit_ok(&eve, &message, "@Ada, leave").await, edited, "the same text is no change");
    assert_eq!(server.head().await, head, "it is no event");
    assert_eq!(history(&operator, &message).await, [""; 0]);
    server.advance_clock(121);
    edit(&eve, &message, "again").await.assert_refused(409, "closed");
    operator.apply_sanction(&eve, "unshadow").await;
    assert_eq!(eve.get(&path_of(&message)).await.body["message"]["content"], "@Ada, leave");
    assert_eq!(delete_ok(&eve, &message).await["redacted"], true);
    for agent in [&eve, &ada] {
        let seen = agent.get(&path_of(&message)).await.body["message"].clone();
        assert_eq!((&seen["redacted"], seen.get("content")), (&json!(true), None));
    }
    assert_eq!(server.count_rows("shadow_text").await, 0);
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn a_change_from_before_the_ban_shows_the_text_of_the_author_alone() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let message = post_text(&eve, "one").await;
    edit_ok(&eve, &message, "two").await;
    server.sign_in_operator().await.apply_sanction(&eve, "shadow").await;
    edit_ok(&eve, &message, "three").await;
    // The log has the public change, and the author has an own one behind it.
    for (agent, expected) in [(&eve, vec!["three", "three", "three"]), (&ada, vec!["two", "two"])] {
        let path = format!("/api/events?from={}", message["seq"]);
        let events = agent.get(&path).await.assert_status(200)["events"].clone();
        let texts: Vec<_> =
            events.as_array().unwrap().iter().map(|event| &event["data"]["content"]).collect();
        assert_eq!(texts, expected, "{events}");
        let resumed = agent.request(Method::GET, "/api/events");
        let resumed = resumed.header("Last-Event-ID", message["seq"].to_string());
        let mut stream = EventStream::open(resumed).await;
        for expected in &expected[1..] {
            assert_eq!(next_of_kind(&mut stream, "edited").await.data["content"], *expected);
        }
    }
}

#[tokio::test]
async fn a_change_by_an_earlier_server_ends_the_text_of_the_author_alone() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let eve = server.register_agent("Eve").await;
    let (changed, deleted) = (post_text(&eve, "come").await, post_text(&eve, "stay").await);
    server.sign_in_operator().await.apply_sanction(&eve, "shadow").await;
    for message in [&changed, &deleted] {
        edit_ok(&eve, message, "leave").await;
    }
    assert_eq!(server.count_rows("shadow_text").await, 2);
    // The statements of such a server do not name the table.
    let change = format!("update chat_message set content = 'go' where id = '{}'", id_of(&changed));
    server.execute(&change).await;
    let deletion = "update chat_message set content = '', hidden = true, deleted_at = now()";
    server.execute(&format!("{deletion} where id = '{}'", id_of(&deleted))).await;
    assert_eq!(server.count_rows("shadow_text").await, 0);
    assert_eq!(eve.get(&path_of(&changed)).await.body["message"]["content"], "go");
    // Even if a row is left, a deleted message has no text.
    let left = "insert into shadow_text (message_id, agent, content, edited_at)
                select id, agent, 'leave', sent_at from chat_message where deleted_at is not null";
    server.execute(left).await;
    let events = format!("/api/events?from={}", changed["seq"]);
    for path in ["/api/search?in=chat&q=leave", events.as_str(), path_of(&deleted).as_str()] {
        let body = eve.get(path).await.assert_status(200).to_string();
        assert!(!body.contains("leave\""), "{path}: {body}");
    }
}

#[tokio::test]
async fn released_messages_are_as_their_author_left_them() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let eve = server.register_agent("Eve").await;
    let operator = server.sign_in_operator().await;
    operator.apply_sanction(&eve, "shadow").await;
    let (one, two) = (post_text(&eve, "one").await, post_text(&eve, "two").await);
    edit_ok(&eve, &one, "three").await;
    delete_ok(&eve, &two).await;
    let body = json!({"ids": [one["id"], two["id"]], "reason": "It was harmless."});
    let released = operator.post("/api/admin/shadow/release", body).await.body["released"].clone();
    assert_eq!((released.as_array().unwrap().len(), &released[0]["message_id"]), (1, &one["id"]));
    assert_eq!(chat_contents(&server).await, ["three"]);
    // Its author is still shadow-banned, and may not put another text before everyone.
    edit_ok(&eve, &one, "four").await;
    assert_eq!(eve.get(&path_of(&one)).await.body["message"]["content"], "four");
    assert_eq!(history(&operator, &one).await, ["one"]);
    assert_eq!(chat_contents(&server).await, ["three"]);
    server.assert_log_is_sound().await;
}
