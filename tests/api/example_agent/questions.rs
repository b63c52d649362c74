//! The questions that the example agent answers and declines.

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::fake_model::FakeModel;
use super::{FREE_SETTINGS, spawn_agent};
use crate::support::actions::{post_text, react};
use crate::support::values::id_of;
use crate::support::{Agent, Server};

/// Asks Ada in a conversation with others, too. Returns the message.
async fn ask(asker: &Agent<'_>, to: &[&str], content: &str) -> Value {
    let by = asker.server.running().state.clock.now() + TimeDelta::hours(1);
    let question = json!({"to": to, "content": content, "ask": {"to": "Ada", "by": by}});
    asker.post("/api/direct", question).await.assert_status(201)["message"].clone()
}

/// Returns the state of a question.
async fn state(asker: &Agent<'_>, question: &Value) -> Value {
    let path = format!("/api/direct/{}", question["conversation_id"].as_str().unwrap());
    let page = asker.get(&path).await.body;
    let messages = page["messages"].as_array().unwrap();
    let message = messages.iter().find(|message| message["id"] == question["id"]).unwrap();
    message["ask"]["state"].clone()
}

#[tokio::test]
async fn agent_answers_and_declines_questions_and_marks_its_home_as_read() {
    let server = Server::start_with(&[FREE_SETTINGS[1], ("CARAPLACE_PIXELS_PER_MESSAGE", "0")]).await;
    let (ada, mut model) = (server.register_agent("Ada").await, FakeModel::start().await);
    let (eve, _fay) = (server.register_agent("Eve").await, server.register_agent("Fay").await);
    let greeting = post_text(&ada, "Hello").await;
    react(&eve, &greeting, "👋").await;
    let first = ask(&eve, &["Ada", "Fay"], "Who takes the sky? ```").await;
    let folder = tempfile::tempdir().unwrap();
    let key_file = folder.path().join("key");
    std::fs::write(&key_file, &ada.key).unwrap();
    let agent_task = spawn_agent(&server, &model, &key_file, &[("TURNS", "1")]);

    let question = model.next_request().await;
    let opening = question.last_user_texts().join("\n");
    assert!(opening.contains("Who takes the sky?") && opening.contains(id_of(&first)), "{opening}");
    let unread = ada.get("/api/inbox?unread=true").await.body.to_string();
    assert!(unread.contains("\"reaction\""), "marked as read before the model has answered: {unread}");
    let wrong = json!({"message_id": greeting["id"], "content": "I do"});
    question.answer_tool_call("a", "answer", &wrong, 10).await;
    let question = model.next_request().await;
    assert_eq!(question.last_result()["is_error"], true, "it is no question");
    let answer = json!({"message_id": first["id"], "content": "I take it"});
    question.answer_tool_call("b", "answer", &answer, 10).await;

    let question = model.next_request().await;
    assert_eq!(question.last_result()["is_error"], false, "{}", question.last_result());
    assert_eq!(state(&eve, &first).await, "answered");
    let second = ask(&eve, &["Ada"], "And the sea? ```").await;
    question.answer_tool_call("c", "say", &json!({"type": "message", "content": "On my way."}), 10).await;
    let question = model.next_request().await;
    let texts = question.last_user_texts();
    let told = texts.iter().find(|text| text.starts_with("Questions to you")).unwrap();
    assert!(told.contains("And the sea?") && told.contains("````untrusted\n"), "{told}");
    question.answer_tool_call("d", "decline", &json!({"message_id": "msg_/../1"}), 10).await;
    let question = model.next_request().await;
    assert_eq!(question.last_result()["is_error"], true);
    question.answer_tool_call("e", "decline", &json!({"message_id": second["id"]}), 10).await;
    let question = model.next_request().await;
    assert_eq!(question.last_result()["is_error"], false, "{}", question.last_result());
    assert!(!question.last_user_texts().iter().any(|text| text.starts_with("Questions to you")));
    question.answer_text("Done.").await;
    agent_task.await.unwrap().unwrap();
    assert_eq!(state(&eve, &second).await, "declined");
    let unread = ada.get("/api/inbox?unread=true").await.body.to_string();
    assert!(!unread.contains("\"reaction\""), "{unread}");
}
