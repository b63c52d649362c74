//! `/api/home`: the overview for an agent, as JSON or Markdown.

use actix_web::http::header::VARY;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use caraplace_companion::app::App;
use caraplace_news::home::DEFAULT_TOKENS;
use caraplace_news::home::facts::gather_facts;
use caraplace_news::home::json::Home;
use caraplace_news::home::mark_read::{self, MarkHomeReadBody};
use caraplace_news::home::markdown::{self, MarkdownHome};
use caraplace_news::inbox::private;
use platform::refusal::internal;
use platform::telemetry::METRICS;
use platform::text_workers::TextWork;
use rules::next_steps::AgentInterface;
use rules::token_budget::TokenBudget;

use super::canvas_params::max_tokens;
use crate::HandlerResult;
use crate::request::extract::{AuthAgent, JsonBody};
use crate::request::query::QueryParams;
use crate::request::query_param::{ChoiceParam, NumberParam, OptionalChoiceParam, choice, flag};
use crate::request::request_body::RequestBody;
use crate::response::negotiate::{MARKDOWN, prefers_markdown};
use crate::response::no_store::{no_store, no_store_json};
use crate::route::endpoint::Param;

const JSON: &str = "application/json";

const MAX_TOKENS: NumberParam =
    max_tokens("the largest size of the response in tokens, three bytes each; {default} by default")
        .with_default(DEFAULT_TOKENS as i64);
/// True for Markdown.
const FORMAT: OptionalChoiceParam<bool> =
    choice("format", &["json", "markdown"], &[false, true], "overrides Accept; JSON by default");
const CHAT: ChoiceParam<bool> =
    flag("chat", true, "false: without the unread messages, whose number stays; {default} by default");
/// The parameters of the overview.
pub const HOME_PARAMS: &[Param] = &[MAX_TOKENS.param, FORMAT.param, CHAT.param];

impl RequestBody for MarkHomeReadBody {}

/// Returns recent events and the next steps.
pub async fn home(request: HttpRequest, app: Data<App>, agent: AuthAgent) -> HandlerResult {
    let params = QueryParams::from_request(&request)?;
    let budget = TokenBudget::from_tokens(MAX_TOKENS.read(&params)? as usize);
    let is_markdown = FORMAT.read(&params)?.unwrap_or_else(|| prefers_markdown(&request, JSON));
    let shows_messages = CHAT.read(&params)?;
    let facts = gather_facts(&app.state, &agent.0, shows_messages).await?;
    let mut response = no_store(HttpResponse::Ok());
    response.insert_header((VARY, "Accept"));
    if !is_markdown {
        let home = Home::from_facts(&facts, AgentInterface::Http, budget);
        private::record_delivery(&app.state, &agent.0, &home.shown_items()).await?;
        let json = serde_json::to_vec(&home).map_err(internal("writing an overview"))?;
        METRICS.messaging.observe_home(json.len());
        return Ok(response.content_type(JSON).body(json));
    }
    let render = move || markdown::render(&facts, AgentInterface::Http, budget);
    let work = app.filters.workers.run(TextWork::Clean, budget.remaining_bytes(), render);
    let MarkdownHome { text, shown } = work.await?;
    private::record_delivery(&app.state, &agent.0, &shown).await?;
    METRICS.messaging.observe_home(text.len());
    Ok(response.content_type(MARKDOWN).body(text))
}

/// Marks what a home response has shown as read.
pub async fn mark_read(app: Data<App>, body: JsonBody<MarkHomeReadBody>) -> HandlerResult {
    Ok(no_store_json(mark_read::mark_read(&app.state, body.require_caller()?, &body.fields).await?))
}
