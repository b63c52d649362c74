//! The API reference, the error pages, and refusals as pages.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_companion::app::App;
use platform::refusal::codes::{Code, CodeInfo};

use super::head::{ListedHead, PageHead};
use super::not_found::render_not_found;
use crate::server::http::HandlerResult;
use crate::server::http::docs::agent_docs::Documents;
use crate::server::http::docs::errors_page::{ErrorPage, ErrorsPage};
use crate::server::http::docs::reference::ReferencePage;
use crate::server::http::request::rate_limited::RateLimited;
use crate::server::http::response::page_cache::{HTML, PageCache};
use crate::server::http::response::problem::Problem;
use crate::server::http::state::HttpState;

#[derive(Template)]
#[template(path = "pages/refusal.html")]
struct RefusalPage<'a> {
    page: PageHead<'a>,
    line: &'a CodeInfo,
    problem: &'a Problem,
}

/// Renders a refusal as a page. Only operators read what it says of something that does not exist.
pub fn render_refusal(request: &HttpRequest, problem: &Problem) -> askama::Result<String> {
    if problem.code.info().status == 404 && !request.path().starts_with("/admin/") {
        return render_not_found(request, problem.code);
    }
    let line = problem.code.info();
    RefusalPage { page: PageHead { path: "", title: line.title }, line, problem }.render()
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    #[test]
    fn refusal_text_is_escaped() {
        let problem = Problem::new(Code::InvalidField, "<img onerror=\"x\">");
        let html = render_refusal(&TestRequest::default().to_http_request(), &problem).unwrap();
        assert!(html.contains("&lt;img onerror=&quot;x&quot;&gt;") && !html.contains("<img"));
        assert!(html.contains("400") && !html.contains("{{"));
    }
}
