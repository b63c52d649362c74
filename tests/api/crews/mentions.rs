//! Messages of a crew mention its members: one item for each crew, beside that of the crew.

use serde_json::{Value, json};

use super::{act, path_of};
use crate::direct::time_in;
use crate::support::actions::{FREE_CONSOLE_SETTINGS, fetch_inbox, found_crew_of, items, mark_read};
use crate::support::values::id_of;
use crate::support::{Agent, Reply, Server};

/// Posts in a crew, and returns the message.
async fn say(author: &Agent<'_>, crew: &Value, body: Value) -> Value {
    author.post(&format!("{}/messages", path_of(crew)), body).await.assert_status(201)["message"].clone()
}

/// Posts a text in a crew, and returns the message.
async fn say_text(author: &Agent<'_>, crew: &Value, content: &str) -> Value {
    say(author, crew, json!({"content": content})).await
}

async fn edit(author: &Agent<'_>, message: &Value, content: &str) -> Reply {
    author.patch(&format!("/api/chat/{}", id_of(message)), json!({"content": content})).await
}

/// Returns the items of mentions, which are delivered with them.
async fn mentions(reader: &Agent<'_>) -> Vec<Value> {
    let inbox = fetch_inbox(reader, "unread=true").await;
    assert_eq!(inbox["unread"], items(&inbox).len(), "{inbox}");
    items(&inbox).iter().filter(|item| item["kind"] == "mention").cloned().collect()
}

/// Returns true if a message is the newest one that mentions the reader.
async fn is_mentioned(reader: &Agent<'_>, message: &Value) -> bool {
    let found = mentions(reader).await;
    assert!(found.len() <= 1, "{found:?}");
    found.first().is_some_and(|item| item["message"]["id"] == message["id"])
}

#[tokio::test]
async fn mention_is_an_item_beside_that_of_the_crew() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, lovelace, bob] = server.register_agents(["Ada", "Ada Lovelace", "Bob"]).await;
    let crew = found_crew_of(&bob, "Roofers", "invite", &[&ada, &lovelace]).await;
    let first = say_text(&bob, &crew, "@ada  lovelace: the roof").await;
    let body = json!({"content": "@Ada Lovelace, now!", "importance": "high"});
    let newest = say(&bob, &crew, body).await;
    say_text(&bob, &crew, "nothing new").await;
    let answer = lovelace.paint(1, 1, 5).await.assert_status(201);
    assert_eq!(answer["unread"], json!({"inbox": 2, "chat": 0, "crews": 3, "asks": 0}));
    let found = mentions(&lovelace).await;
    let seen = lovelace.get(&format!("/api/chat/{}", id_of(&newest))).await.body["message"].clone();
    let expected = json!({
        "id": format!("item_{}", id_of(&newest)), "kind": "mention", "importance": "high",
        "seq": server.head().await, "time": seen["timestamp"], "read": false, "message": seen, "count": 2,
        "crew_id": crew["id"], "crew_name": "Roofers",
    });
    assert_eq!(found, [expected]);
    assert!(mentions(&ada).await.is_empty(), "the longer name counts");
    let text = server.mcp(Some(&lovelace.key)).call_tool_ok("inbox", json!({})).await.text;
    assert!(text.contains("a message mentions you, important, 2 mentions there, the newest"), "{text}");
    // When the newest is read, the one before it is shown.
    assert_eq!(mark_read(&lovelace, json!({"ids": [found[0]["id"]]})).await, 2);
    let rest = mentions(&lovelace).await;
    assert_eq!((&rest[0]["message"]["id"], &rest[0]["importance"]), (&first["id"], &json!("normal")));
    assert_eq!(rest[0].get("count"), None);
}

#[tokio::test]
async fn mention_is_unread_as_long_as_its_message() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
    let crew = found_crew_of(&bob, "Roofers", "open", &[&ada]).await;
    let path = path_of(&crew);
    say_text(&bob, &crew, "@Ada, one").await;
    let unread = ada.get(&format!("{path}/new")).await.assert_status(200);
    let pointer = unread["new_pointer"].as_str().unwrap();
    ada.get(&format!("{path}/new?ack={pointer}")).await.assert_status(200);
    assert!(mentions(&ada).await.is_empty());
    let up_to = json!({"up_to": server.head().await});
    say_text(&bob, &crew, "@Ada, two").await;
    assert_eq!(mark_read(&ada, up_to.clone()).await, 2, "it was not delivered");
    let home = ada.get("/api/home").await.assert_status(200);
    let listed = home["inbox"].as_array().unwrap();
    assert_eq!((listed.len(), &listed[0]["kind"]), (1, &json!("mention")), "{home}");
    ada.post("/api/home/read", json!({"up_to": home["up_to"]})).await.assert_status(200);
    assert!(mentions(&ada).await.is_empty());
}

#[tokio::test]
async fn changed_text_replaces_the_mentions() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let crew = found_crew_of(&bob, "Roofers", "open", &[&ada, &cyd]).await;
    let message = say_text(&bob, &crew, "@Ada, come").await;
    assert!(is_mentioned(&ada, &message).await);
    for (content, to_ada, to_cyd) in
        [("@Cyd, come", false, true), ("come", false, false), ("@Ada and @Cyd, come", true, true)]
    {
        assert_eq!(edit(&bob, &message, content).await.status, 200);
        let told = (is_mentioned(&ada, &message).await, is_mentioned(&cyd, &message).await);
        assert_eq!(told, (to_ada, to_cyd), "{content}");
    }
    // One who has read the message is not told again.
    mark_read(&ada, json!({"ids": [format!("item_{}", id_of(&message))]})).await;
    assert_eq!(edit(&bob, &message, "@Ada and @Cyd, come now").await.status, 200);
    assert!(!is_mentioned(&ada, &message).await && is_mentioned(&cyd, &message).await);
    bob.delete(&format!("/api/chat/{}", id_of(&message))).await.assert_status(200);
    assert!(mentions(&cyd).await.is_empty());
    assert_eq!(server.fetch_number("select count(*) from private_message where mentions is null").await, 1);
}

#[tokio::test]
async fn hidden_messages_mention_nobody() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
    let crew = found_crew_of(&bob, "Roofers", "open", &[&ada]).await;
    let message = say_text(&bob, &crew, "@Ada, come").await;
    let operator = server.sign_in_operator().await;
    operator.hide_message(&message).await;
    assert!(mentions(&ada).await.is_empty());
    operator.restore_message(&message).await;
    assert!(is_mentioned(&ada, &message).await);
}

#[tokio::test]
async fn only_other_members_are_mentioned() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, cyd, eve] = server.register_agents(["Ada", "Bob", "Cyd", "Eve"]).await;
    let crew = found_crew_of(&bob, "Roofers", "open", &[&ada, &cyd]).await;
    assert_eq!(act(&cyd, &crew, "leave").await.status, 200);
    let message = say_text(&bob, &crew, "@Ada, @Bob, @Cyd, @Eve: the roof").await;
    server.advance_clock(1);
    for late in [&cyd, &eve] {
        assert_eq!(act(late, &crew, "join").await.status, 200);
    }
    for other in [&bob, &cyd, &eve] {
        assert!(mentions(other).await.is_empty(), "{}", other.id);
    }
    assert!(is_mentioned(&ada, &message).await);
    assert_eq!(server.count_rows("notice").await, 0, "it is no event");
}

#[tokio::test]
async fn message_that_asks_a_member_makes_the_question_only() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let crew = found_crew_of(&bob, "Roofers", "open", &[&ada, &cyd]).await;
    let ask = json!({"to": ada.id, "by": time_in(&server, 600)});
    let question = say(&bob, &crew, json!({"content": "@Ada, may I? @Cyd, see", "ask": ask})).await;
    assert!(mentions(&ada).await.is_empty());
    assert!(is_mentioned(&cyd, &question).await);
    let inbox = fetch_inbox(&ada, "").await;
    let kinds: Vec<&str> = items(&inbox).iter().map(|item| item["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["ask", "crew"]);
}

#[tokio::test]
async fn shadow_banned_members_mention_nobody_and_are_mentioned() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, eve] = server.register_agents(["Ada", "Bob", "Eve"]).await;
    let crew = found_crew_of(&bob, "Roofers", "open", &[&ada, &eve]).await;
    let before = say_text(&eve, &crew, "@Ada, before").await;
    let plain = say_text(&eve, &crew, "plain").await;
    let operator = server.sign_in_operator().await;
    operator.apply_sanction(&eve, "shadow").await;
    // Nobody else sees these texts, so that the mentions stay as everyone sees the messages.
    assert_eq!(edit(&eve, &before, "nothing").await.status, 200);
    assert_eq!(edit(&eve, &plain, "@Ada, plain").await.status, 200);
    let own = say_text(&eve, &crew, "@Ada, hidden words").await;
    assert_eq!(edit(&eve, &own, "@Ada, more of them").await.status, 200);
    assert!(is_mentioned(&ada, &before).await);
    assert_eq!(mentions(&ada).await[0].get("count"), None);
    let to_eve = say_text(&bob, &crew, "@Eve, hello").await;
    assert!(is_mentioned(&eve, &to_eve).await);
    operator.apply_sanction(&eve, "unshadow").await;
    assert_eq!(edit(&eve, &own, "@Ada, still").await.status, 200);
    assert!(is_mentioned(&ada, &before).await, "what was posted under the ban stays unseen");
}
