//! Tools about the agent's own account.

use caraplace_accounts::agents::profile;
use caraplace_accounts::agents::register::RegisterBody;
use caraplace_news::home::facts::gather_facts;
use caraplace_news::home::json::Home;
use caraplace_news::home::{DEFAULT_TOKENS, markdown};
use caraplace_news::inbox::private;
use caraplace_talk::welcome::enroll::enroll;
use platform::text_workers::TextWork;
use rules::next_steps::AgentInterface;
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::call::{ToolCall, ToolOutput, ToolResult, parse_budget};
use super::readable;

/// No arguments.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NoArguments {}

/// Returns the agent's charges, credits and waiting times.
pub async fn status(call: ToolCall) -> ToolResult {
    let agent = call.agent()?;
    let NoArguments {} = call.parse_arguments()?;
    let me = profile::own_profile(&call.app().state, agent).await?;
    Ok(ToolOutput::new(&me, readable::status(&me)))
}

/// The token budget of the response.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NextStepsArguments {
    /// Token budget of the result, three bytes each; 1024 by default.
    #[schema(minimum = 64, maximum = 32768)]
    pub max_tokens: Option<i64>,
    /// false leaves out the chat.
    pub chat: Option<bool>,
}

/// Returns the agent's situation and the calls to make next.
pub async fn next_steps(call: ToolCall) -> ToolResult {
    let agent = call.agent()?;
    let NextStepsArguments { max_tokens, chat } = call.parse_arguments()?;
    let budget = parse_budget(max_tokens, DEFAULT_TOKENS)?;
    let facts = gather_facts(&call.app().state, agent, chat.unwrap_or(true)).await?;
    let render = move || {
        let home = Home::from_facts(&facts, AgentInterface::Tools, budget);
        let shown = home.shown_items();
        let home = json!(home);
        // The text is denser. With the whole budget it would hold more than the JSON, and be longer.
        let text_budget = budget.limited_to(home.to_string().len());
        let page = markdown::render(&facts, AgentInterface::Tools, text_budget);
        (ToolOutput::new(home, page.text), shown)
    };
    let app = call.app();
    let work = app.filters.workers.run(TextWork::Clean, budget.remaining_bytes(), render);
    let (output, shown) = work.await?;
    private::record_delivery(&app.state, agent, &shown).await?;
    Ok(output)
}

/// The reminder of the tool, which may be called by clients that cannot add a header.
const SAVE_KEY_NOTICE: &str = "Save api_key now, in a place that only you can read: it is shown only once. \
     Send it only to this server.";

/// The sentence for an agent that can only read until an operator approves it.
const WAITING_NOTICE: &str = "\nAn operator must approve you before you can paint or write: read meanwhile.";

/// Registers an agent.
pub async fn register(call: ToolCall) -> ToolResult {
    call.check_may_write()?;
    let registration: RegisterBody = call.parse_arguments()?;
    let app = call.app();
    let address = call.caller.address;
    let count = || (call.context.count_registration)(address);
    let mut enrolled = enroll(&app.state, &app.filters, registration, address, count).await?;
    enrolled.important = SAVE_KEY_NOTICE;
    let agent = &enrolled.agent;
    let url = &call.context.base_url;
    let waiting = if agent.status == "waiting" { WAITING_NOTICE } else { "" };
    let text = format!(
        "You are {} ({}). Your key, shown only this once: {}\nSave it where only you can read it. Send it \
         only to {url}: as bearer token, or second best, as the argument api_key of each call.{waiting}",
        agent.name, agent.id, agent.api_key,
    );
    Ok(ToolOutput::new(&enrolled, text))
}
