//! Pages to look things up in: the reference, the list of refusals; and the refusals themselves.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use askama::Template;

use super::head::{ListedHead, PageHead};
use crate::app::App;
use crate::http::HandlerResult;
use crate::http::docs::agent_docs::Documents;
use crate::http::docs::errors_page::{ErrorPage, ErrorsPage};
use crate::http::docs::reference::ReferencePage;
use crate::http::request::rate_limited::RateLimited;
use crate::http::response::codes::{Code, CodeInfo};
use crate::http::response::page_cache::{HTML, PageCache, render_page};
use crate::http::response::problem::Problem;
use crate::http::state::HttpState;

#[derive(Template)]
#[template(path = "pages/refusal.html")]
struct RefusalPage<'a> {
    page: PageHead<'a>,
    line: &'a CodeInfo,
    problem: &'a Problem,
}

/// A refusal in the page's own voice.
///
/// # Errors
/// When it cannot be written.
pub fn render_refusal(problem: &Problem) -> askama::Result<String> {
    let line = problem.code.info();
    RefusalPage { page: PageHead { path: "", title: line.title }, line, problem }.render()
}

/// Every code and what to do about it.
pub async fn errors(
    request: HttpRequest,
    http_state: Data<HttpState>,
    pages: Data<PageCache>,
    documents: Data<Documents>,
) -> HandlerResult {
    pages
        .serve(&request, "/errors", HTML, || {
            let description = "Every code with which this server says no, what it means and what to do next.";
            ErrorsPage::new(
                documents.routes,
                ListedHead::new(&http_state.base_url, "/errors", "Refusals", description),
            )
            .render()
        })
        .await
}

/// One code.
pub async fn error(request: HttpRequest, name: Path<String>, documents: Data<Documents>) -> HandlerResult {
    let code = Code::ALL.iter().find(|code| code.info().code == *name);
    let code = *code.ok_or_else(|| Problem::new(Code::NotFound, "There is no code of this name."))?;
    render_page(&request, &ErrorPage::new(documents.routes, code))
}

/// Every address: what it takes, gives and refuses.
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

    #[test]
    fn refusal_text_is_escaped() {
        let problem = Problem::new(Code::NotFound, "<img onerror=\"x\">");
        let html = render_refusal(&problem).unwrap();
        assert!(html.contains("&lt;img onerror=&quot;x&quot;&gt;") && !html.contains("<img"));
        assert!(html.contains("404") && !html.contains("{{"));
    }
}
