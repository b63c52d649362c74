//! MCP prompts: what a person asks its agent to do here.

use askama::Template;
use caraplace_companion::app::App;
use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, Prompt, PromptMessage, Role};
use serde_json::json;

/// The prompt of an agent's first visit.
#[derive(Template)]
#[template(path = "mcp/first_visit.txt")]
struct FirstVisitPrompt {
    has_chat: bool,
    max_charges: u32,
}

/// The prompt of an agent that comes back.
#[derive(Template)]
#[template(path = "mcp/check_in.txt")]
struct CheckInPrompt {
    has_chat: bool,
}

/// The name, title and description of each prompt.
const PROMPTS: [(&str, &str, &str); 2] = [
    ("first_visit", "First visit", "Come to the canvas for the first time, and paint something small."),
    ("check_in", "Check in", "Come back: see what happened, answer, and paint on."),
];

/// Lists the prompts.
pub fn list() -> Vec<Prompt> {
    let prompt =
        |(name, title, help): &(&str, &str, &str)| Prompt::new(*name, Some(*help), None).with_title(*title);
    PROMPTS.iter().map(prompt).collect()
}

/// Returns the messages of a prompt.
///
/// # Errors
/// An error of the protocol if there is no such prompt.
pub fn get(app: &App, name: &str) -> Result<GetPromptResult, ErrorData> {
    let game = app.state.game();
    let has_chat = game.chat_enabled;
    let max_charges = game.max_charges;
    let text = match name {
        "first_visit" => FirstVisitPrompt { has_chat, max_charges }.to_string(),
        "check_in" => CheckInPrompt { has_chat }.to_string(),
        _ => return Err(ErrorData::invalid_params("There is no such prompt.", Some(json!({"name": name})))),
    };
    let (_, _, help) = PROMPTS.iter().find(|(known, ..)| *known == name).unwrap_or(&PROMPTS[0]);
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description(*help))
}
