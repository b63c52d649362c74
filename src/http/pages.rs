//! Pages that the server writes itself: refusals for people, the list of refusals, the reference.

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};

use super::codes::Code;
use super::door::Door;
use super::markup::{self, escape};
use super::problem::Problem;
use super::{Answer, assets, reference, refusals};

/// A refusal in the page's own voice.
pub fn refusal(problem: &Problem) -> String {
    let line = problem.code.line();
    let values = [
        ("status", line.status.to_string()),
        ("title", escape(line.title)),
        ("detail", escape(&problem.detail)),
        ("hint", escape(problem.advice())),
    ];
    markup::fill(&assets::template("error.html"), &values)
}

/// Every code and what to do about it.
pub async fn errors(request: HttpRequest, door: Data<Door>) -> Answer {
    door.written.serve(&request, "errors", || {
        let lead = "What the API answers when it says no, by status. A refusal costs nothing. Branch on <code>code</code>; \
                    <code>hint</code> says what to do next.";
        page("Refusals", lead, &refusals::all())
    })
}

/// One code.
pub async fn error(name: Path<String>) -> Answer {
    let code = Code::ALL.iter().find(|code| code.line().code == *name);
    let code = *code.ok_or_else(|| Problem::new(Code::NotFound, "There is no code of this name."))?;
    let lead = "One of the reasons for which the API says no. <a href=\"/errors\">All of them</a>.";
    let html = page("A refusal", lead, &refusals::one(code));
    Ok(HttpResponse::Ok().content_type("text/html; charset=utf-8").body(html))
}

/// Every address: what it takes, gives and refuses.
pub async fn docs(request: HttpRequest, door: Data<Door>) -> Answer {
    let write = || reference::page(&door.openapi, &door.base_url);
    door.written.serve(&request, "docs", write)
}

fn page(title: &str, lead: &str, body: &str) -> String {
    let values = [("title", title.to_owned()), ("lead", lead.to_owned()), ("body", body.to_owned())];
    markup::fill(&assets::template("page.html"), &values)
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
