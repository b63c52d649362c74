//! Refusals as pages.

use actix_web::HttpRequest;
use actix_web::web::Data;
use askama::Template;
use caraplace_http::response::problem::Problem;
use caraplace_http::state::HttpState;
use platform::refusal::codes::CodeInfo;

use super::head::PageHead;
use super::not_found::render_not_found;

#[derive(Template)]
#[template(path = "pages/refusal.html")]
struct RefusalPage<'a> {
    page: PageHead<'a>,
    line: &'a CodeInfo,
    detail: &'a str,
    next_step: Option<String>,
}

/// Words of hints that only programs can follow.
const WORDS_FOR_PROGRAMS: [&str; 10] = [
    "`",
    "/api",
    "/docs",
    "GET ",
    "Retry-After",
    "Idempotency-Key",
    "Authorization",
    "Content-Type",
    "header",
    "digest",
];

/// Renders a refusal as a page. Of something that does not exist, only operators and senders of forms read
/// what it says.
pub fn render_refusal(request: &HttpRequest, problem: &Problem) -> askama::Result<String> {
    let is_missing_page = problem.code.info().status == 404 && request.method().is_safe();
    if is_missing_page && !request.path().starts_with("/admin/") {
        return render_not_found(request, problem.code);
    }
    let line = problem.code.info();
    let http_state = request.app_data::<Data<HttpState>>();
    let has_pages = http_state.is_none_or(|http_state| http_state.has_pages);
    let page = PageHead { has_pages, ..PageHead::new("", line.title) };
    RefusalPage { page, line, detail: &problem.detail, next_step: next_step(problem) }.render()
}

/// Returns what a person can do after a refusal; `None` if nothing helps.
pub(crate) fn next_step(problem: &Problem) -> Option<String> {
    let CodeInfo { hint, status, .. } = problem.code.info();
    let is_for_people = |hint: &&str| !WORDS_FOR_PROGRAMS.iter().any(|word| hint.contains(word));
    if let Some(hint) = problem.own_hint().or(Some(*hint)).filter(is_for_people) {
        return Some(hint.to_owned());
    }
    match status {
        400 | 413 | 415 | 422 => Some("Correct it, then try again.".to_owned()),
        429 | 503 => Some(format!("Wait for {} s, then try again.", problem.retry_after_seconds())),
        500 => Some("Try again; if it fails again, tell those who run this server.".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;
    use platform::refusal::codes::Code;

    use super::*;

    #[test]
    fn refusal_text_is_escaped() {
        let problem = Problem::new(Code::InvalidField, "<img onerror=\"x\">");
        let html = render_refusal(&TestRequest::default().to_http_request(), &problem).unwrap();
        assert!(html.contains("&lt;img onerror=&quot;x&quot;&gt;") && !html.contains("<img"));
        assert!(html.contains("400") && !html.contains("{{"));
    }

    #[test]
    fn people_are_told_nothing_that_only_programs_can_do() {
        for code in Code::ALL {
            let problem = Problem::for_field(*code, "until", "It is over.");
            let page = render_refusal(&TestRequest::post().to_http_request(), &problem).unwrap();
            let (_, text) = page.split_once("class=\"hint\"").unwrap_or_default();
            let (text, _) = text.split_once("</p>").unwrap_or_default();
            let found = WORDS_FOR_PROGRAMS.iter().find(|word| text.contains(**word));
            assert_eq!(found, None, "{text}");
        }
        let own = Problem::new(Code::Forbidden, "This form has expired.").hint("Load the page again.");
        assert_eq!(next_step(&own).as_deref(), Some("Load the page again."));
        let invalid = Problem::for_field(Code::InvalidField, "until", "until is over.");
        assert_eq!(next_step(&invalid).as_deref(), Some("Correct it, then try again."));
    }

    #[test]
    fn what_a_form_asked_for_in_vain_is_told() {
        let problem = Problem::new(Code::NotFound, "This server does not sell such a pass.");
        let render = |request: TestRequest| render_refusal(&request.to_http_request(), &problem).unwrap();
        assert!(render(TestRequest::post()).contains("does not sell such a pass"));
        let page = render(TestRequest::get());
        assert!(page.contains("There is no such page") && !page.contains("does not sell"));
    }
}
