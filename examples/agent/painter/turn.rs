//! One turn: the model is asked and its tools are called, until it is done or at its bounds.

use caraplace::clock;
use serde_json::{Value, json};

use super::game::{GameClient, UnreadMessages};
use super::model::Model;
use super::settings::Settings;
use super::{prompt, tools};

/// How much of its last words the model finds again.
const MAX_NOTE_CHARS: usize = 400;
/// With fewer tokens left there is nothing worth asking.
const MIN_TOKENS: u64 = 16;

/// What was done in a turn.
#[derive(Default)]
pub struct TurnSummary {
    /// Sets the calls of this turn apart from those of others.
    turn_id: String,
    calls: u64,
    painted: bool,
    chatted: bool,
    /// The model's last words.
    pub note: Option<String>,
}

impl TurnSummary {
    /// Whether all that was done was talking.
    pub fn only_chatted(&self) -> bool {
        self.chatted && !self.painted
    }

    /// Whether the model is done for good.
    pub fn is_finished(&self) -> bool {
        self.note.as_deref() == Some("STOP")
    }
}

/// Takes a turn. What was done in it is told also when it fails.
pub async fn run(
    game: &GameClient,
    model: &Model,
    settings: &Settings,
    previous: &TurnSummary,
) -> (TurnSummary, anyhow::Result<()>) {
    let mut summary = TurnSummary { turn_id: clock::new_id("turn"), ..TurnSummary::default() };
    let result = run_steps(game, model, settings, previous, &mut summary).await;
    (summary, result)
}

async fn run_steps(
    game: &GameClient,
    model: &Model,
    settings: &Settings,
    previous: &TurnSummary,
    summary: &mut TurnSummary,
) -> anyhow::Result<()> {
    let first_message = text_block(&prompt::opening_prompt(&game.home().await?, previous));
    let mut messages = vec![json!({"role": "user", "content": [first_message]})];
    let mut remaining_tokens = settings.tokens;
    while remaining_tokens >= MIN_TOKENS {
        // The last step before the model is asked: nothing that it reads is fresher than the chat.
        let unread = game.unread_messages().await?;
        append_to_last(&mut messages, text_block(&prompt::format_unread(&unread)));
        let prompt =
            json!({"system": prompt::SYSTEM_PROMPT, "messages": messages, "tools": tools::definitions()?});
        let answer = model.complete(prompt, remaining_tokens).await?;
        game.acknowledge(&unread).await?;
        remaining_tokens = remaining_tokens.saturating_sub(answer.tokens().max(1));
        summary.note = final_note(&answer.blocks).or(summary.note.take());
        let results = call_tools(game, &answer.blocks, &unread, settings.tool_calls, summary).await?;
        if results.is_empty() || summary.calls >= settings.tool_calls {
            break;
        }
        messages.push(json!({"role": "assistant", "content": answer.blocks}));
        messages.push(json!({"role": "user", "content": results}));
    }
    Ok(())
}

/// What the tools answer that the model has called.
async fn call_tools(
    game: &GameClient,
    blocks: &[Value],
    unread: &UnreadMessages,
    max_calls: u64,
    summary: &mut TurnSummary,
) -> anyhow::Result<Vec<Value>> {
    let mut results = Vec::new();
    for call in blocks.iter().filter(|block| block["type"] == "tool_use") {
        if summary.calls >= max_calls {
            break;
        }
        summary.calls += 1;
        let response = tools::call(game, call, unread.digest.as_deref(), &summary.turn_id).await?;
        summary.painted |= response.is_success && call["name"] == "paint";
        summary.chatted |= response.is_success && call["name"] == "say";
        let (id, content) = (&call["id"], response.text);
        results.push(
            json!({"type": "tool_result", "tool_use_id": id, "is_error": !response.is_success, "content": content}),
        );
    }
    Ok(results)
}

fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// Adds to what the user says last: two messages of one side may not follow each other.
fn append_to_last(messages: &mut [Value], block: Value) {
    if let Some(content) = messages.last_mut().and_then(|message| message["content"].as_array_mut()) {
        content.push(block);
    }
}

fn final_note(blocks: &[Value]) -> Option<String> {
    let text = blocks.iter().rev().find_map(|block| block["text"].as_str())?;
    Some(text.trim().chars().take(MAX_NOTE_CHARS).collect())
}
