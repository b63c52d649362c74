//! Pages to look things up in: the reference, the list of refusals; and the refusals themselves.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use askama::Template;

use super::frame::{ListedHead, PageHead};
use crate::app::App;
use crate::http::Answer;
use crate::http::docs::agent_docs::Documents;
use crate::http::docs::errors_page::{ErrorPage, ErrorsPage};
use crate::http::docs::reference::ReferencePage;
use crate::http::request::limited::Limited;
use crate::http::response::codes::{Code, Line};
use crate::http::response::page_cache::{HTML, PageCache, sent};
use crate::http::response::problem::Problem;
use crate::http::state::HttpState;

#[derive(Template)]
#[template(path = "pages/refusal.html")]
struct RefusalPage<'a> {
    page: PageHead<'a>,
    line: &'a Line,
    problem: &'a Problem,
}

/// A refusal in the page's own voice.
///
/// # Errors
/// When it cannot be written.
pub fn refusal(problem: &Problem) -> askama::Result<String> {
    let line = problem.code.line();
    RefusalPage { page: PageHead { path: "", title: line.title }, line, problem }.render()
}

/// Every code and what to do about it.
pub async fn errors(
    request: HttpRequest,
    door: Data<HttpState>,
    pages: Data<PageCache>,
    documents: Data<Documents>,
) -> Answer {
    pages
        .serve(&request, "/errors", HTML, || {
            let description = "Every code with which this server says no, what it means and what to do next.";
            ErrorsPage::new(
                documents.routes,
                ListedHead::new(&door.base_url, "/errors", "Refusals", description),
            )
            .render()
        })
        .await
}

/// One code.
pub async fn error(request: HttpRequest, name: Path<String>, documents: Data<Documents>) -> Answer {
    let code = Code::ALL.iter().find(|code| code.line().code == *name);
    let code = *code.ok_or_else(|| Problem::new(Code::NotFound, "There is no code of this name."))?;
    sent(&request, &ErrorPage::new(documents.routes, code))
}

/// Every address: what it takes, gives and refuses.
pub async fn docs(
    request: HttpRequest,
    app: Data<App>,
    door: Data<HttpState>,
    pages: Data<PageCache>,
    documents: Data<Documents>,
    _: Limited,
) -> Answer {
    let files = documents.files(&app.state).await;
    pages
        .serve_in(app.state.edition(), &request, "/docs", HTML, || {
            ReferencePage::new(documents.routes, &files.openapi, &door.base_url).render()
        })
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusal_text_is_escaped() {
        let problem = Problem::new(Code::NotFound, "<img onerror=\"x\">");
        let html = refusal(&problem).unwrap();
        assert!(html.contains("&lt;img onerror=&quot;x&quot;&gt;") && !html.contains("<img"));
        assert!(html.contains("404") && !html.contains("{{"));
    }
}
