//! One call to wake up with, as JSON or as markdown.

use actix_web::http::header::VARY;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use rules::next_steps::AgentInterface;
use rules::token_budget::TokenBudget;

use crate::app::App;
use crate::home::DEFAULT_TOKENS;
use crate::home::facts::gather;
use crate::home::json::Home;
use crate::home::markdown;
use crate::http::Answer;
use crate::http::request::extract::Painter;
use crate::http::request::query::Params;
use crate::http::response::negotiate::wants_markdown;
use crate::http::response::private::private;
use crate::text_workers::TextWork;

const MARKDOWN: &str = "text/markdown; charset=utf-8";

/// What happened, and what to do next.
pub async fn wake_up(request: HttpRequest, app: Data<App>, painter: Painter) -> Answer {
    let params = Params::of(&request)?;
    let budget = TokenBudget::from_tokens(params.max_tokens()?.unwrap_or(DEFAULT_TOKENS));
    let format = params.choice("format", &[("json", false), ("markdown", true)])?;
    let is_markdown = format.unwrap_or_else(|| wants_markdown(&request));
    let facts = gather(&app.state, &painter.0).await?;
    let mut response = private(HttpResponse::Ok());
    response.insert_header((VARY, "Accept"));
    Ok(if is_markdown {
        let render = move || markdown::within(&facts, AgentInterface::Http, budget);
        let page = app.filters.workers.run(TextWork::Clean, budget.remaining_bytes(), render).await?;
        response.content_type(MARKDOWN).body(page)
    } else {
        response.json(Home::within(&facts, AgentInterface::Http, budget))
    })
}
