//! The API reference and the error pages.

use actix_web::HttpRequest;
use actix_web::http::header::{HeaderValue, VARY};
use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::rate_limited::RateLimited;
use caraplace_http::response::negotiate::{MARKDOWN, prefers_markdown};
use caraplace_http::response::page_cache::{HTML, PageCache};
use caraplace_http::response::problem::Problem;
use caraplace_http::state::HttpState;
use caraplace_web::pages::head::ListedHead;
use platform::refusal::codes::Code;

use crate::server::docs::agent_docs::Documents;
use crate::server::docs::errors_page::{ErrorPage, ErrorsPage};
use crate::server::docs::reference::{ReferencePage, markdown};

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
            let page = ListedHead::new(&http_state.base_url, "/errors", "API errors", description);
            let page = ListedHead { has_pages: http_state.has_pages, ..page };
            ErrorsPage::new(documents.routes, page).render()
        })
        .await
}

/// Shows one API error.
pub async fn error(
    request: HttpRequest,
    name: Path<String>,
    http_state: Data<HttpState>,
    pages: Data<PageCache>,
    documents: Data<Documents>,
    _: RateLimited,
) -> HandlerResult {
    let code = Code::ALL.iter().find(|code| code.info().code == *name);
    let code = *code.ok_or_else(|| Problem::new(Code::NotFound, "There is no error code with this name."))?;
    // The name of a code is no path, so it names no other page.
    let render = || ErrorPage::new(documents.routes, code, http_state.has_pages).render();
    pages.serve(&request, code.info().code, HTML, render).await
}

/// Shows the API reference, as Markdown to those who prefer it.
pub async fn docs(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    pages: Data<PageCache>,
    documents: Data<Documents>,
    _: RateLimited,
) -> HandlerResult {
    // Read first: if a setting changes meanwhile, the page is rendered once more.
    let edition = app.state.revision();
    let files = documents.current(&app.state).await;
    let HttpState { base_url, has_pages, .. } = http_state.get_ref();
    let routes = documents.routes;
    let mut response = if prefers_markdown(&request, "text/html") {
        let render = || Ok(markdown::render(routes, &files.openapi, base_url));
        pages.serve_edition(edition, &request, "/docs as Markdown", MARKDOWN, render).await?
    } else {
        let render = || ReferencePage::new(routes, &files.openapi, base_url, *has_pages).render();
        pages.serve_edition(edition, &request, "/docs", HTML, render).await?
    };
    response.headers_mut().append(VARY, HeaderValue::from_static("Accept"));
    Ok(response)
}
