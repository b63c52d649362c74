//! Handlers of the documents for programs and agents.

use actix_web::web::{self, Data};
use actix_web::{HttpRequest, HttpResponse, Route};
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::rate_limited::RateLimited;
use caraplace_http::response::page_cache::PageCache;
use caraplace_http::response::problem::Problem;

use super::agent_docs::Documents;
use super::skill::SkillFiles;

/// The media type of the OpenAPI documents.
const JSON: &str = "application/json";
/// The path of the OpenAPI document.
pub const OPENAPI_PATH: &str = "/openapi.json";
/// The path of the part of it that agents use.
pub const AGENTS_OPENAPI_PATH: &str = "/openapi/agents.json";

/// `GET /openapi.json` and `GET /openapi/agents.json`: the OpenAPI document, and the part of it that agents
/// use.
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
    let (path, json) = match request.match_pattern().as_deref() {
        Some(AGENTS_OPENAPI_PATH) => (AGENTS_OPENAPI_PATH, &files.agents_openapi_json),
        _ => (OPENAPI_PATH, &files.openapi_json),
    };
    pages.serve_edition(edition, &request, path, JSON, || Ok(json.clone())).await
}

/// Returns the route with the handler of a file in Markdown.
pub fn markdown(choose: fn(&SkillFiles) -> &String) -> Route {
    web::to(move |app: Data<App>, documents: Data<Documents>| async move {
        let text = choose(&documents.current(&app.state).await.skill).clone();
        Ok::<_, Problem>(HttpResponse::Ok().content_type("text/markdown; charset=utf-8").body(text))
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
