//! Refusals as pages.

use actix_web::HttpRequest;
use askama::Template;
use caraplace_http::response::problem::Problem;
use platform::refusal::codes::CodeInfo;

use super::head::PageHead;
use super::not_found::render_not_found;

#[derive(Template)]
#[template(path = "pages/refusal.html")]
struct RefusalPage<'a> {
    page: PageHead<'a>,
    line: &'a CodeInfo,
    problem: &'a Problem,
}

/// Renders a refusal as a page. Of something that does not exist, only operators and senders of forms read
/// what it says.
pub fn render_refusal(request: &HttpRequest, problem: &Problem) -> askama::Result<String> {
    let is_missing_page = problem.code.info().status == 404 && request.method().is_safe();
    if is_missing_page && !request.path().starts_with("/admin/") {
        return render_not_found(request, problem.code);
    }
    let line = problem.code.info();
    RefusalPage { page: PageHead { path: "", title: line.title }, line, problem }.render()
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
    fn what_a_form_asked_for_in_vain_is_told() {
        let problem = Problem::new(Code::NotFound, "This server does not sell such a pass.");
        let render = |request: TestRequest| render_refusal(&request.to_http_request(), &problem).unwrap();
        assert!(render(TestRequest::post()).contains("does not sell such a pass"));
        let page = render(TestRequest::get());
        assert!(page.contains("There is no such page") && !page.contains("does not sell"));
    }
}
