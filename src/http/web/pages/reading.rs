//! Pages to look things up in: the reference, the list of refusals; and the refusals themselves.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};

use super::frame::Page;
use crate::app::App;
use crate::http::Answer;
use crate::http::docs::{errors_page, reference};
use crate::http::request::limited::Limited;
use crate::http::response::codes::Code;
use crate::http::response::page_cache::{HTML, sent};
use crate::http::response::problem::Problem;
use crate::http::state::HttpState;
use crate::http::web::assets;
use crate::http::web::markup;
use crate::http::web::markup::escape;

/// A refusal in the page's own voice.
pub fn refusal(problem: &Problem) -> String {
    let line = problem.code.line();
    let values = [
        ("status", line.status.to_string()),
        ("title", escape(line.title)),
        ("detail", escape(&problem.detail)),
        ("hint", escape(problem.advice())),
    ];
    let main = markup::fill(&assets::template("pages/refusal.html"), &values);
    Page { path: "", title: line.title, description: "", styles: &["refusal"], main }.unlisted()
}

/// Every code and what to do about it.
pub async fn errors(request: HttpRequest, door: Data<HttpState>) -> Answer {
    let written = door.written.serve(&request, "/errors", HTML, || {
        let lead = "What the API answers when it says no, by status. A refusal costs nothing. Branch on <code>code</code>; \
                    <code>hint</code> says what to do next.";
        let main = list("Refusals", lead, &errors_page::all());
        let description = "Every code with which this server says no, what it means and what to do next.";
        Page { path: "/errors", title: "Refusals", description, styles: &["page"], main }.html(&door.base_url)
    });
    written.await
}

/// One code.
pub async fn error(request: HttpRequest, name: Path<String>) -> Answer {
    let code = Code::ALL.iter().find(|code| code.line().code == *name);
    let code = *code.ok_or_else(|| Problem::new(Code::NotFound, "There is no code of this name."))?;
    let lead = "One of the reasons for which the API says no. <a href=\"/errors\">All of them</a>.";
    let main = list("A refusal", lead, &errors_page::one(code));
    let page = Page { path: "", title: code.line().title, description: "", styles: &["page"], main };
    sent(&request, page.unlisted())
}

/// Every address: what it takes, gives and refuses.
pub async fn docs(request: HttpRequest, app: Data<App>, door: Data<HttpState>, _: Limited) -> Answer {
    let files = door.files(&app.state).await;
    let written = door.written.serve_in(app.state.edition(), &request, "/docs", HTML, || {
        let main = reference::page(&files.openapi, &door.base_url);
        let description = "Every address of this server: what it takes, what it gives, how it refuses, and a command to try.";
        Page { path: "/docs", title: "API", description, styles: &["page", "docs"], main }
            .html(&door.base_url)
    });
    written.await
}

fn list(title: &str, lead: &str, body: &str) -> String {
    let values = [("title", title.to_owned()), ("lead", lead.to_owned()), ("body", body.to_owned())];
    markup::fill(&assets::template("pages/errors.html"), &values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        let problem = Problem::new(Code::NotFound, "<img onerror=\"x\">");
        let html = refusal(&problem);
        assert!(html.contains("&lt;img onerror=&quot;x&quot;&gt;") && !html.contains("<img"));
        assert!(html.contains("404") && !html.contains("{{"));
    }
}
