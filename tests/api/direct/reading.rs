//! Reading and delivery of private messages: pointers, receipts and read marks.

use regex::Regex;
use serde_json::{Value, json};

use super::{FREE_CONSOLE_SETTINGS, block, send_ok, set_contact, text, time_in};
use crate::support::actions::found_crew;
use crate::support::values::texts_of;
use crate::support::{Agent, Server};

/// Founds an open crew, and returns the path of its messages.
async fn found_roofers(owner: &Agent<'_>) -> String {
    format!("/api/crews/{}", text(&found_crew(owner, "Roofers", "open").await["id"]))
}

/// Posts a message in a crew, and returns it.
async fn post_to_crew(author: &Agent<'_>, crew: &str, body: Value) -> Value {
    author.post(&format!("{crew}/messages"), body).await.assert_status(201)["message"].clone()
}

async fn receipts(author: &Agent<'_>, message: &Value) -> Vec<Value> {
    let reply = author.get(&format!("/api/chat/{}", text(&message["id"]))).await;
    reply.body["message"]["receipts"].as_array().unwrap().clone()
}

/// Reads what is unread in a channel after a pointer.
async fn read_new(reader: &Agent<'_>, channel: &str, ack: &Value) -> Value {
    let ack = if ack.is_null() { String::new() } else { format!("&ack={}", text(ack)) };
    reader.get(&format!("{channel}/new?limit=2{ack}")).await.assert_status(200)
}

#[tokio::test]
async fn pointers_outlive_their_messages() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let mut sent = Vec::new();
    for content in ["one", "two", "three"] {
        server.advance_clock(1);
        sent.push(send_ok(&ada, &[&bob.id], content).await);
    }
    let channel = format!("/api/direct/{}", text(&sent[0]["conversation_id"]));
    let page = read_new(&bob, &channel, &Value::Null).await;
    assert_eq!(texts_of(&page["messages"], "content"), ["one", "two"]);
    server.execute("delete from private_message where content = 'two'").await;
    let rest = read_new(&bob, &channel, &page["new_pointer"]).await;
    assert_eq!(texts_of(&rest["messages"], "content"), ["three"]);
    let end = read_new(&bob, &channel, &rest["new_pointer"]).await;
    assert_eq!((&end["messages"], &end["new_pointer"]), (&json!([]), &rest["new_pointer"]));
    // It is bound to its channel.
    let other = send_ok(&bob, &[&server.register_agent("Cyd").await.id], "four").await;
    let other = format!("/api/direct/{}", text(&other["conversation_id"]));
    let pointer = text(&rest["new_pointer"]);
    bob.get(&format!("{other}/new?ack={pointer}")).await.assert_refused(400, "bad_cursor");
    let (id, sent_at) = pointer.split_once('.').unwrap();
    let unknown = format!("msg_{}", "0".repeat(32));
    for wrong in [id.to_owned(), format!("{unknown}.9999999999999999"), format!("{id}x.{sent_at}")] {
        let refused = bob.get(&format!("{channel}/new?ack={wrong}")).await;
        refused.assert_refused(400, "bad_cursor");
        let detail = refused.body["detail"].as_str().unwrap();
        assert!(detail.starts_with("ack takes a new_pointer"), "{detail}");
    }
}

#[tokio::test]
async fn pointers_have_the_documented_form() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let sent = send_ok(&ada, &[&bob.id], "one").await;
    let channel = format!("/api/direct/{}", text(&sent["conversation_id"]));
    let page = read_new(&bob, &channel, &Value::Null).await;
    let document = server.get("/openapi.json").await.body;
    for path in ["/api/direct/{id}/new", "/api/crews/{id}/new"] {
        let references = document["paths"][path]["get"]["parameters"].as_array().unwrap();
        let mut params = references.iter().map(|param| &text(&param["$ref"])[1..]);
        let ack = params.find_map(|at| document.pointer(at).filter(|param| param["name"] == "ack")).unwrap();
        let pattern = Regex::new(text(&ack["schema"]["pattern"])).unwrap();
        for (pointer, is_one) in
            [(text(&page["new_pointer"]), true), ("start", true), (text(&sent["message"]["id"]), false)]
        {
            assert_eq!(pattern.is_match(pointer), is_one, "{path}: {pattern} and {pointer}");
        }
    }
}

#[tokio::test]
async fn messages_from_before_an_agent_has_joined_are_never_unread() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found_roofers(&ada).await;
    let before = post_to_crew(&ada, &crew, json!({"content": "before"})).await;
    server.advance_clock(1);
    assert_eq!(bob.post(&format!("{crew}/join"), json!({})).await.status, 200);
    let cursor = "select read_no from channel_cursor k join agent a on a.no = k.account where a.name = 'Bob'";
    let read_no = server.fetch_number(cursor).await;
    let newest = "select max(no) from private_message";
    assert_eq!(read_no, server.fetch_number(newest).await, "nothing looks at older messages again");
    // Without a cursor, too, as for members from before there were any.
    server.execute("delete from channel_cursor").await;
    let after = post_to_crew(&ada, &crew, json!({"content": "after"})).await;
    let page = read_new(&bob, &crew, &Value::Null).await;
    assert_eq!(texts_of(&page["messages"], "content"), ["after"]);
    read_new(&bob, &crew, &page["new_pointer"]).await;
    assert_eq!(receipts(&ada, &before).await, [Value::Null; 0]);
    assert!(receipts(&ada, &after).await[0]["read_at"].is_string());
}

#[tokio::test]
async fn agent_that_is_asked_receives_the_question_without_being_a_member() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let crew = found_roofers(&ada).await;
    let plain = post_to_crew(&ada, &crew, json!({"content": "hello"})).await;
    let ask = json!({"to": bob.id, "by": time_in(&server, 600)});
    let question = post_to_crew(&ada, &crew, json!({"content": "May we?", "ask": ask})).await;
    let home = bob.get("/api/home").await.body;
    let answer = text(&home["asks"][0]["answer"]).to_owned();
    assert!(answer.contains("join first unless you are a member"), "{home}");
    for reader in [&bob, &cyd] {
        let page = reader.get(&format!("{crew}/messages")).await.body;
        assert_eq!(page["messages"].as_array().unwrap().len(), 2);
    }
    let delivered = receipts(&ada, &question).await;
    assert_eq!((delivered.len(), &delivered[0]["agent_id"]), (1, &json!(bob.id)), "{delivered:?}");
    assert!(receipts(&ada, &plain).await.is_empty());
}

#[tokio::test]
async fn threads_contain_their_first_message() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crew = found_roofers(&ada).await;
    let first = post_to_crew(&ada, &crew, json!({"content": "Roof or wall?"})).await;
    post_to_crew(&ada, &crew, json!({"content": "no part of it"})).await;
    for content in ["Roof", "Wall", "Both"] {
        post_to_crew(&ada, &crew, json!({"content": content, "thread": first["id"]})).await;
    }
    let path = format!("{crew}/messages?limit=2&thread={}", text(&first["id"]));
    let newest = ada.get(&path).await.body;
    assert_eq!(texts_of(&newest["messages"], "content"), ["Wall", "Both"]);
    let oldest = ada.get(&format!("{path}&before={}", text(&newest["next_before"]))).await.body;
    assert_eq!(texts_of(&oldest["messages"], "content"), ["Roof or wall?", "Roof"]);
    assert_eq!(oldest["next_before"], Value::Null);
}

#[tokio::test]
async fn blocks_are_told_before_faults_of_the_text() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let crew = found_roofers(&ada).await;
    set_contact(&bob, "closed").await;
    assert_eq!(block(&cyd, &ada.id).await.status, 200);
    for other in [&bob, &cyd] {
        let ask = json!({"to": other.id, "by": time_in(&server, 600)});
        let body = json!({"content": "\u{200b}", "ask": ask});
        ada.post(&format!("{crew}/messages"), body).await.assert_refused(403, "blocked");
    }
    let empty = json!({"content": "\u{200b}"});
    ada.post(&format!("{crew}/messages"), empty).await.assert_refused(422, "content_empty");
}

/// Returns the importance of the reader's item of a channel.
async fn importance_of(reader: &Agent<'_>, channel_id: &str) -> String {
    let inbox = reader.get("/api/inbox").await.assert_status(200);
    let id = format!("item_{channel_id}");
    let item = inbox["items"].as_array().unwrap().iter().find(|item| item["id"] == id);
    text(&item.expect("the channel has no item")["importance"]).to_owned()
}

#[tokio::test]
async fn an_important_message_is_seen_below_newer_ones() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
    let urgent = json!({"to": [bob.id], "content": "The wall falls", "importance": "critical"});
    let conversation = ada.post("/api/direct", urgent).await.assert_status(201)["conversation_id"].clone();
    send_ok(&ada, &[&bob.id], "ok").await;
    let crew = found_roofers(&ada).await;
    assert_eq!(bob.post(&format!("{crew}/join"), json!({})).await.status, 200);
    post_to_crew(&ada, &crew, json!({"content": "Come to the roof", "importance": "high"})).await;
    post_to_crew(&ada, &crew, json!({"content": "or later"})).await;
    let direct = format!("/api/direct/{}", text(&conversation));
    for channel in [&direct, &crew] {
        let id = channel.rsplit('/').next().unwrap();
        assert_eq!(importance_of(&bob, id).await, "high");
        // Only the important one is read, then the newer one remains.
        let first = bob.get(&format!("{channel}/new?limit=1")).await.assert_status(200);
        let ack = text(&first["new_pointer"]);
        bob.get(&format!("{channel}/new?limit=1&ack={ack}")).await.assert_status(200);
        assert_eq!(importance_of(&bob, id).await, "normal");
    }
}
