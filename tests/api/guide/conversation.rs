//! Conversations: questions, what the model is told, the list, and how long they are kept.

use platform::config::ApiShape;

use caraplace::server::retention;
use serde_json::{Value, json};

use super::turns::{NO_LIMITS, names_of, text_of};
use crate::retention::KEEP_ALL;
use crate::support::values::texts_of;
use crate::support::{FakeModel, ScriptedAnswer};

const DAY_SECONDS: i64 = 86_400;
/// A key of an agent, which belongs in no question.
const LEAKED_KEY: &str = "cp_0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d";

/// Returns the roles and texts of the messages that a request sends to the model.
fn sent_texts(request: &Value) -> Vec<(String, String)> {
    let text = |content: &Value| match content {
        Value::String(text) => text.clone(),
        blocks => blocks.as_array().unwrap().iter().filter_map(|block| block["text"].as_str()).collect(),
    };
    let role = |message: &Value| message["role"].as_str().unwrap().to_owned();
    let messages = request["messages"].as_array().unwrap().iter();
    messages.map(|message| (role(message), text(&message["content"]))).collect()
}

#[tokio::test]
async fn questions_are_checked_and_cleaned() {
    let (model, server) = FakeModel::start_guide(vec![ScriptedAnswer::Text("Keep it secret.")], &[]).await;
    let mut visitor = server.visitor();
    for wrong in [json!(""), json!(" \u{200b}\n"), json!("x".repeat(2_001)), json!(7)] {
        visitor.try_ask(json!({"content": wrong})).await.assert_refused(400, "invalid_field");
    }
    visitor.try_ask(json!({})).await.assert_refused(400, "missing_field");
    visitor.try_ask(json!({"content": "a", "model": "b"})).await.assert_refused(400, "unknown_field");
    for context in [json!({"x": 1}), json!({"x": -1, "y": 0}), json!({"message_id": "1"}), json!({"page": 1})]
    {
        let reply = visitor.try_ask(json!({"content": "What is this?", "context": context})).await;
        assert_eq!(reply.status, 400, "{context}: {}", reply.body);
    }
    assert_eq!(visitor.messages().await, [Value::Null; 0], "nothing was stored");
    visitor.ask(&"x".repeat(2_000)).await;
    let id = visitor.ask(&format!("Is\u{202e} my key {LEAKED_KEY}\ngood?")).await;
    assert_eq!(names_of(&visitor.read_turn(&id).await), ["delta", "done"]);
    let stored = visitor.messages().await[1]["content"].as_str().unwrap().to_owned();
    let sent = model.requests()[0].to_string();
    for text in [&stored, &sent] {
        assert!(!text.contains(&LEAKED_KEY[3..35]) && text.contains("[redacted]"), "{text}");
    }
}

#[tokio::test]
async fn the_model_is_told_the_conversation_and_what_the_visitor_looks_at() {
    let script = vec![ScriptedAnswer::Text("A red dot."), ScriptedAnswer::Text("Ada.")];
    let (model, server) = FakeModel::start_guide(script, &[]).await;
    server.register_agent("Ada").await.paint(3, 4, 5).await;
    let mut visitor = server.visitor();
    let context = json!({"x": 3, "y": 4, "region": {"x1": 0, "y1": 0, "x2": 9, "y2": 9}});
    let asked = visitor.try_ask(json!({"content": "What is this?", "context": context})).await;
    visitor.read_turn(asked.body["message_id"].as_str().unwrap()).await;
    visitor.ask_and_read("Who painted it?").await;

    let [first, second] = &model.requests()[..] else { panic!("there are two requests") };
    let [(role, text)] = &sent_texts(first)[..] else { panic!("{first}") };
    assert_eq!(role, "user");
    assert!(text.contains("The canvas is ") && text.starts_with("Now: "), "{text}");
    assert!(text.ends_with("The person's question:\nWhat is this?"), "{text}");
    assert!(text.contains("```untrusted\n{\"x\":3,\"y\":4,\"region\""), "the context is fenced: {text}");
    let sent = sent_texts(second);
    let before = [("user", "What is this?"), ("assistant", "A red dot.")];
    let before = before.map(|(role, text)| (role.to_owned(), text.to_owned()));
    assert_eq!((sent.len(), &sent[..2]), (3, &before[..]));
    assert!(sent[2].1.ends_with("Who painted it?") && !sent[2].1.contains("```"), "{}", sent[2].1);
    assert_eq!(first["system"], second["system"], "the instructions can be cached");

    let listed = visitor.messages().await;
    assert_eq!((listed.len(), &listed[0]["context"]), (4, &context));
    assert!(listed[1..].iter().all(|message| message.get("context").is_none()));
}

#[tokio::test]
async fn only_the_last_ten_turns_are_sent_again() {
    let model = FakeModel::with_rule(ApiShape::Messages, |_: &Value| ScriptedAnswer::Text("Yes.")).await;
    let server = model.start_server(&NO_LIMITS).await;
    let mut visitor = server.visitor();
    for number in 0..12 {
        visitor.ask_and_read(&format!("Is {number} a number?")).await;
    }
    let sent = sent_texts(model.requests().last().unwrap());
    assert_eq!((sent.len(), sent[0].1.as_str()), (21, "Is 1 a number?"));
    let listed = visitor.messages().await;
    assert_eq!((listed.len(), &listed[22]["content"]), (24, &json!("Is 11 a number?")));
}

#[tokio::test]
async fn answers_follow_their_questions_in_whatever_order_they_came() {
    let (_model, server) = FakeModel::start_guide(vec![ScriptedAnswer::Text("Second.")], &[]).await;
    let mut visitor = server.visitor();
    let first = visitor.ask("First?").await;
    visitor.ask_and_read("Second?").await;
    visitor.read_turn(&first).await;
    let listed = Value::from(visitor.messages().await);
    assert_eq!(texts_of(&listed, "content"), ["First?", "Nothing more.", "Second?", "Second."]);
}

#[tokio::test]
async fn conversations_survive_a_restart_and_are_deleted_after_their_days() {
    let script = vec![ScriptedAnswer::Text("Old."), ScriptedAnswer::Text("New.")];
    let (_model, mut server) = FakeModel::start_guide(script, &NO_LIMITS).await;
    let mut old = server.visitor();
    let id = old.ask("Is it old?").await;
    old.read_turn(&id).await;
    let cookie = old.cookie.clone();
    server.restart().await;
    let mut visitor = server.visitor();
    visitor.cookie = cookie;
    assert_eq!(text_of(&visitor.read_turn(&id).await), "Old.");
    server.advance_clock(29 * DAY_SECONDS);
    let state = &server.running().state;
    assert_eq!(retention::run_once(state, &KEEP_ALL).await.unwrap().questions, 0);
    let new = visitor.ask("Is it new?").await;
    visitor.read_turn(&new).await;
    server.advance_clock(2 * DAY_SECONDS);
    assert_eq!(retention::run_once(state, &KEEP_ALL).await.unwrap().questions, 1);
    let listed = visitor.messages().await;
    assert_eq!((listed.len(), &listed[0]["content"]), (2, &json!("Is it new?")));
    server.advance_clock(41 * DAY_SECONDS);
    retention::run_once(state, &KEEP_ALL).await.unwrap();
    for table in ["guide_conversation", "guide_message", "guide_use"] {
        assert_eq!(server.count_rows(table).await, 0, "{table}");
    }
}
