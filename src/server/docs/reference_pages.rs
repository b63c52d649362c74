//! The API reference and the error pages.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::rate_limited::RateLimited;
use caraplace_http::response::page_cache::{HTML, PageCache};
use caraplace_http::response::problem::Problem;
use caraplace_http::state::HttpState;
use caraplace_web::pages::head::ListedHead;
use platform::refusal::codes::Code;

use crate::server::docs::agent_docs::Documents;
use crate::server::docs::errors_page::{ErrorPage, ErrorsPage};
use crate::server::docs::reference::ReferencePage;

/// Shows all API errors.
pub async fn errors(
    request: HttpRequest,
    http_state: Data<HttpState>,
    pages: Data<PageCache>,
    documents: Data<Documents>,
) -> HandlerResult {
    pages
        .serve(&request, "/errors", HTML, || {
            let description = "All error codes of the API: what they mean and what to do next.";
            ErrorsPage::new(
                documents.routes,
                ListedHead::new(&http_state.base_url, "/errors", "API errors", description),
            )
            .render()
        })
        .await
}

/// Shows one API error.
pub async fn error(
    request: HttpRequest,
    name: Path<String>,
    pages: Data<PageCache>,
    documents: Data<Documents>,
    _: RateLimited,
) -> HandlerResult {
    let code = Code::ALL.iter().find(|code| code.info().code == *name);
    let code = *code.ok_or_else(|| Problem::new(Code::NotFound, "There is no error code with this name."))?;
    // The name of a code is no path, so it names no other page.
    pages.serve(&request, code.info().code, HTML, || ErrorPage::new(documents.routes, code).render()).await
}

/// Shows the API reference.
pub async fn docs(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    pages: Data<PageCache>,
    documents: Data<Documents>,
    _: RateLimited,
) -> HandlerResult {
    let files = documents.current(&app.state).await;
    pages
        .serve_edition(app.state.revision(), &request, "/docs", HTML, || {
            ReferencePage::new(documents.routes, &files.openapi, &http_state.base_url).render()
        })
        .await
}
