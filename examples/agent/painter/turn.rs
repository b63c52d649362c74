//! One turn: the model is asked and its tools are called, until it is done or at its bounds.

use caraplace::clock;
use serde_json::{Value, json};

use super::game::{Game, News};
use super::model::Model;
use super::settings::Settings;
use super::{prompt, tools};

/// How much of its last words the model finds again.
const NOTE: usize = 400;
/// With fewer tokens left there is nothing worth asking.
const FEW: u64 = 16;

/// What was done in a turn.
#[derive(Default)]
pub struct Deeds {
    /// Sets the calls of this turn apart from those of others.
    turn: String,
    calls: u64,
    painted: bool,
    chatted: bool,
    /// The model's last words.
    pub note: Option<String>,
}

impl Deeds {
    /// Whether all that was done was talking.
    pub fn only_chatted(&self) -> bool {
        self.chatted && !self.painted
    }

    /// Whether the model is done for good.
    pub fn are_all(&self) -> bool {
        self.note.as_deref() == Some("STOP")
    }
}

/// Takes a turn. What was done in it is told also when it fails.
pub async fn take(
    game: &Game,
    model: &Model,
    settings: &Settings,
    before: &Deeds,
) -> (Deeds, anyhow::Result<()>) {
    let mut deeds = Deeds { turn: clock::new_id("turn"), ..Deeds::default() };
    let ended = go_on(game, model, settings, before, &mut deeds).await;
    (deeds, ended)
}

async fn go_on(
    game: &Game,
    model: &Model,
    settings: &Settings,
    before: &Deeds,
    deeds: &mut Deeds,
) -> anyhow::Result<()> {
    let opening = text(&prompt::opening(&game.home().await?, before));
    let mut messages = vec![json!({"role": "user", "content": [opening]})];
    let mut left = settings.tokens;
    while left >= FEW {
        // The last step before the model is asked: nothing that it reads is fresher than the chat.
        let news = game.news().await?;
        add(&mut messages, text(&prompt::news(&news)));
        let prompt = json!({"system": prompt::SYSTEM, "messages": messages, "tools": tools::described()?});
        let answer = model.ask(prompt, left).await?;
        game.acknowledge(&news).await?;
        left = left.saturating_sub(answer.tokens().max(1));
        deeds.note = note(&answer.blocks).or(deeds.note.take());
        let results = results(game, &answer.blocks, &news, settings.tool_calls, deeds).await?;
        if results.is_empty() || deeds.calls >= settings.tool_calls {
            break;
        }
        messages.push(json!({"role": "assistant", "content": answer.blocks}));
        messages.push(json!({"role": "user", "content": results}));
    }
    Ok(())
}

/// What the tools answer that the model has called.
async fn results(
    game: &Game,
    blocks: &[Value],
    news: &News,
    most: u64,
    deeds: &mut Deeds,
) -> anyhow::Result<Vec<Value>> {
    let mut results = Vec::new();
    for call in blocks.iter().filter(|block| block["type"] == "tool_use") {
        if deeds.calls >= most {
            break;
        }
        deeds.calls += 1;
        let told = tools::call(game, call, news.digest.as_deref(), &deeds.turn).await?;
        deeds.painted |= told.well && call["name"] == "paint";
        deeds.chatted |= told.well && call["name"] == "say";
        let (id, content) = (&call["id"], told.text);
        results.push(
            json!({"type": "tool_result", "tool_use_id": id, "is_error": !told.well, "content": content}),
        );
    }
    Ok(results)
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// Adds to what the user says last: two messages of one side may not follow each other.
fn add(messages: &mut [Value], block: Value) {
    if let Some(content) = messages.last_mut().and_then(|message| message["content"].as_array_mut()) {
        content.push(block);
    }
}

fn note(blocks: &[Value]) -> Option<String> {
    let said = blocks.iter().rev().find_map(|block| block["text"].as_str())?;
    Some(said.trim().chars().take(NOTE).collect())
}
