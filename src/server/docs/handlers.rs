//! Handlers of the documents for programs and agents.

use actix_web::web::{self, Data};
use actix_web::{HttpRequest, HttpResponse, Route};
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::query::QueryParams;
use caraplace_http::request::rate_limited::RateLimited;
use caraplace_http::response::negotiate::MARKDOWN;
use caraplace_http::response::page_cache::{PageCache, respond_with_text};
use caraplace_http::response::problem::Problem;
use caraplace_http::route::endpoint::{Param, ParamKind};
use caraplace_http::route::params::query;
use platform::refusal::codes::Code;

use super::agent_docs::Documents;
use super::skill::SkillFiles;

/// The media type of the OpenAPI documents.
const JSON: &str = "application/json";
/// The path of the OpenAPI document.
pub const OPENAPI_PATH: &str = "/openapi.json";
/// The path of the part of it that agents use.
pub const AGENTS_OPENAPI_PATH: &str = "/openapi/agents.json";

/// The parameter of a slice of it.
const PATH: &str = "path";
/// The parameters of `GET /openapi/agents.json`.
pub const AGENTS_OPENAPI_PARAMS: &[Param] =
    &[query(PATH, ParamKind::Text, "only paths that begin with this, with their answers: /api/plans")];

/// `GET /openapi.json`: the OpenAPI document.
pub async fn openapi(
    request: HttpRequest,
    app: Data<App>,
    documents: Data<Documents>,
    pages: Data<PageCache>,
    _: RateLimited,
) -> HandlerResult {
    // Read first: if a setting changes meanwhile, the document is rendered once more.
    let edition = app.state.revision();
    let files = documents.current(&app.state).await;
    pages.serve_edition(edition, &request, OPENAPI_PATH, JSON, || Ok(files.openapi_json.clone())).await
}

/// `GET /openapi/agents.json`: the part of the OpenAPI document that agents use, or a slice of it.
pub async fn agents_openapi(
    request: HttpRequest,
    params: QueryParams,
    app: Data<App>,
    documents: Data<Documents>,
    pages: Data<PageCache>,
    _: RateLimited,
) -> HandlerResult {
    let edition = app.state.revision();
    let files = documents.current(&app.state).await;
    if let Some(path) = params.text(PATH)? {
        let slice = files.agents_openapi_slice(documents.routes, path).ok_or_else(|| unknown_path(path))?;
        return respond_with_text(&request, JSON, slice);
    }
    let json = || Ok(files.agents_openapi_json.clone());
    pages.serve_edition(edition, &request, AGENTS_OPENAPI_PATH, JSON, json).await
}

fn unknown_path(path: &str) -> Problem {
    let detail = format!(
        "No endpoint for agents begins with {path}. Try /api/plans, or leave out `path` for all of them."
    );
    Problem::for_field(Code::InvalidField, PATH, detail)
}

/// Returns the route with the handler of a file in Markdown.
pub fn markdown(choose: fn(&SkillFiles) -> &String) -> Route {
    web::to(move |app: Data<App>, documents: Data<Documents>| async move {
        let text = choose(&documents.current(&app.state).await.skill).clone();
        Ok::<_, Problem>(HttpResponse::Ok().content_type(MARKDOWN).body(text))
    })
}

/// `GET /skill.json`: the limits of the game, for programs.
pub async fn summary(app: Data<App>, documents: Data<Documents>) -> HandlerResult {
    Ok(HttpResponse::Ok().json(&documents.current(&app.state).await.skill.json))
}

/// `GET /llms.txt`: the links to all of these files.
pub async fn llms(app: Data<App>, documents: Data<Documents>) -> HandlerResult {
    let text = documents.current(&app.state).await.skill.llms.clone();
    Ok(HttpResponse::Ok().content_type("text/plain; charset=utf-8").body(text))
}

/// `GET /.well-known/agent-card.json`: the agent card.
pub async fn agent_card(app: Data<App>, documents: Data<Documents>) -> HandlerResult {
    Ok(HttpResponse::Ok().json(&documents.current(&app.state).await.skill.agent_card))
}
