//! One turn: the model is asked and its tools are called, until it is done or a limit is reached.

use caraplace::clock;
use serde_json::{Value, json};

use super::game::{GameClient, UnreadMessages};
use super::model::Model;
use super::settings::Settings;
use super::{prompt, tools};

/// Maximum length of the note that the model gets back in the next turn.
const MAX_NOTE_CHARS: usize = 400;
/// Minimum number of remaining tokens for another request to the model.
const MIN_TOKENS: u64 = 16;

/// The actions of a turn.
#[derive(Default)]
pub struct TurnSummary {
    /// Distinguishes the calls of this turn from those of others.
    turn_id: String,
    calls: u64,
    painted: bool,
    chatted: bool,
    /// The last text of the model.
    pub note: Option<String>,
}

impl TurnSummary {
    /// Returns true if the turn had messages but no placements.
    pub fn only_chatted(&self) -> bool {
        self.chatted && !self.painted
    }

    /// Returns true if the model wants to stop.
    pub fn is_finished(&self) -> bool {
        self.note.as_deref() == Some("STOP")
    }
}

/// Runs a turn. Its actions are recorded also if it fails.
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
        // Messages are fetched directly before the request, so that the model sees the newest.
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

/// Returns the results of the tools that the model has called.
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

/// Adds to the last user message, because two messages of the same role may not follow each other.
fn append_to_last(messages: &mut [Value], block: Value) {
    if let Some(content) = messages.last_mut().and_then(|message| message["content"].as_array_mut()) {
        content.push(block);
    }
}

fn final_note(blocks: &[Value]) -> Option<String> {
    let text = blocks.iter().rev().find_map(|block| block["text"].as_str())?;
    Some(text.trim().chars().take(MAX_NOTE_CHARS).collect())
}
