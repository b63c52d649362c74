//! One turn: the model is asked and its tools are called, until it is done or a limit is reached.

use platform::clock;
use serde_json::{Value, json};

use super::conversation::Conversation;
use super::game::{GameClient, UnreadMessages};
use super::model::Model;
use super::plan::ToldPlans;
use super::questions::ShownQuestions;
use super::settings::Settings;
use super::tools::CallContext;
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
    /// True while the agent has its free announcement, which comes before its first pixel.
    must_announce: bool,
    /// The questions that wait, as the last answer of the game told.
    waiting: Vec<String>,
    /// The last text of the model.
    pub note: Option<String>,
}

impl TurnSummary {
    /// Returns true if the turn had messages but no placements.
    pub fn only_chatted(&self) -> bool {
        self.chatted && !self.painted
    }

    /// Records the result of a tool call.
    fn record(&mut self, tool: &str, is_success: bool) {
        self.painted |= is_success && ["paint", "help"].contains(&tool);
        self.chatted |= is_success && ["say", "announce"].contains(&tool);
        self.must_announce &= !(is_success && tool == "announce");
    }

    /// Returns true if the model wants to stop.
    pub fn is_finished(&self) -> bool {
        self.note.as_deref() == Some("STOP")
    }
}

/// The game, the model, and what is set for both.
pub struct Participants<'a> {
    pub game: &'a GameClient,
    pub model: &'a Model,
    pub settings: &'a Settings,
    pub log: &'a (dyn Fn(String) + Sync),
    pub told_plans: &'a ToldPlans,
}

/// Runs a turn. Its actions are recorded also if it fails.
pub async fn run(
    participants: &Participants<'_>,
    previous: &TurnSummary,
) -> (TurnSummary, anyhow::Result<()>) {
    let mut summary = TurnSummary { turn_id: clock::new_id("turn"), ..TurnSummary::default() };
    let result = run_steps(participants, previous, &mut summary).await;
    (summary, result)
}

async fn run_steps(
    participants: &Participants<'_>,
    previous: &TurnSummary,
    summary: &mut TurnSummary,
) -> anyhow::Result<()> {
    let Participants { game, model, settings, log, .. } = participants;
    let identity = game.identity().await?;
    summary.must_announce = identity.has_free_intent;
    let mut conversation = Conversation::new(prompt::system_prompt(&identity.name));
    let home = game.home().await?;
    let mut questions = ShownQuestions::in_text(&home.text);
    let opening = prompt::opening_sections(&home.text, previous);
    let plans = prompt::plans_section(&game.open_plans().await?);
    let intents = prompt::intents_section(&game.live_intents(&identity.id).await?);
    conversation.begin_message(opening.into_iter().chain(plans).chain([intents]));
    let mut remaining_tokens = settings.tokens;
    while remaining_tokens >= MIN_TOKENS {
        // Messages are fetched directly before the request, so that the model sees the newest.
        let unread = game.unread_messages().await?;
        conversation.append(&prompt::chat_section(&unread));
        log(conversation.describe());
        let answer = model.complete(conversation.to_prompt(&tools::definitions()?), remaining_tokens).await?;
        // Marked only now, too: if the model fails, the next turn shows it again.
        game.mark_home_read(&home).await?;
        game.acknowledge(&unread).await?;
        remaining_tokens = remaining_tokens.saturating_sub(answer.tokens().max(1));
        summary.note = final_note(&answer.blocks).or(summary.note.take());
        let results = call_tools(participants, &answer.blocks, &unread, summary).await?;
        if results.is_empty() || summary.calls >= settings.tool_calls {
            break;
        }
        conversation.add_results(answer.blocks, results);
        let section = questions.find_new(game, &summary.waiting).await?;
        section.iter().for_each(|section| conversation.append(section));
    }
    Ok(())
}

/// Returns the results of the tools that the model has called.
async fn call_tools(
    participants: &Participants<'_>,
    blocks: &[Value],
    unread: &UnreadMessages,
    summary: &mut TurnSummary,
) -> anyhow::Result<Vec<Value>> {
    let mut results = Vec::new();
    for call in blocks.iter().filter(|block| block["type"] == "tool_use") {
        if summary.calls >= participants.settings.tool_calls {
            break;
        }
        summary.calls += 1;
        let context = CallContext {
            game: participants.game,
            digest: unread.digest.as_deref(),
            turn_id: &summary.turn_id,
            told_plans: participants.told_plans,
            must_announce: summary.must_announce && unread.digest.is_some(),
        };
        let response = tools::call(&context, call).await?;
        summary.record(call["name"].as_str().unwrap_or_default(), response.is_success);
        summary.waiting = response.waiting.unwrap_or_else(|| std::mem::take(&mut summary.waiting));
        let (id, content) = (&call["id"], response.text);
        results.push(
            json!({"type": "tool_result", "tool_use_id": id, "is_error": !response.is_success, "content": content}),
        );
    }
    Ok(results)
}

fn final_note(blocks: &[Value]) -> Option<String> {
    let text = blocks.iter().rev().find_map(|block| block["text"].as_str())?;
    Some(text.trim().chars().take(MAX_NOTE_CHARS).collect())
}
