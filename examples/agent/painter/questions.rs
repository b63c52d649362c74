//! The questions that others put to the agent in crews and direct messages.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::game::{GameClient, ToolResponse, visible_text};
use super::plan::object;
use super::prompt::{PromptSection, questions_section};
use super::tools::{CallContext, refusal};

/// The ids of the questions that the model has been shown in this turn.
pub struct ShownQuestions(HashSet<String>);

impl ShownQuestions {
    /// Returns those that the agent's state names.
    pub fn in_text(home: &str) -> Self {
        let words = home.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        Self(words.filter(|word| word.starts_with("msg_")).map(str::to_owned).collect())
    }

    /// Returns the waiting questions that have not been shown; `None` if there are none.
    pub async fn find_new(
        &mut self,
        game: &GameClient,
        waiting: &[String],
    ) -> anyhow::Result<Option<PromptSection>> {
        let new: Vec<&String> = waiting.iter().filter(|id| self.0.insert((*id).clone())).collect();
        if new.is_empty() {
            return Ok(None);
        }
        let questions = game.questions().await?;
        let is_new = |question: &&Value| new.iter().any(|id| question["id"] == **id);
        Ok(questions_section(&questions.iter().filter(is_new).map(question_line).collect::<Vec<_>>()))
    }
}

/// Returns a question as one line of JSON.
fn question_line(question: &Value) -> String {
    let (id, by) = (&question["id"], &question["ask"]["by"]);
    json!({"message_id": id, "from": question["agent_name"], "until": by, "asks": visible_text(question)})
        .to_string()
}

/// Answers a waiting question where it was asked.
pub async fn answer(
    context: &CallContext<'_>,
    input: &Value,
    idempotency_key: &str,
) -> anyhow::Result<ToolResponse> {
    let game = context.game;
    let questions = game.questions().await?;
    let Some(question) = questions.iter().find(|question| question["id"] == input["message_id"]) else {
        return Ok(refusal("No question with this message_id waits for you."));
    };
    let mut body = object(json!({"content": input["content"], "reply_to": question["id"]}));
    if let Some(crew) = question["crew_id"].as_str() {
        return game.post_for_tool(&format!("/api/crews/{crew}/messages"), &body, idempotency_key).await;
    }
    let mut others = game.participants(question["conversation_id"].as_str().unwrap_or_default()).await?;
    let own_id = game.identity().await?.id;
    others.retain(|id| *id != own_id);
    body.insert("to".to_owned(), json!(others));
    game.post_for_tool("/api/direct", &body, idempotency_key).await
}

/// Declines a question.
pub async fn decline(
    context: &CallContext<'_>,
    input: &Value,
    idempotency_key: &str,
) -> anyhow::Result<ToolResponse> {
    let id = input["message_id"].as_str().unwrap_or_default();
    if !is_message_id(id) {
        return Ok(refusal("message_id must be the id of a question to you."));
    }
    let body = object(json!({"state": "declined"}));
    context.game.post_for_tool(&format!("/api/asks/{id}"), &body, idempotency_key).await
}

/// Returns true if a text can be the id of a message, so that it can stand in a path.
fn is_message_id(text: &str) -> bool {
    text.strip_prefix("msg_")
        .is_some_and(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}
