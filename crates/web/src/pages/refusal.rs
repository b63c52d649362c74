//! Refusals as pages.

use askama::Template;
use caraplace_http::response::problem::Problem;
use platform::refusal::codes::CodeInfo;

use super::head::PageHead;

#[derive(Template)]
#[template(path = "pages/refusal.html")]
struct RefusalPage<'a> {
    page: PageHead<'a>,
    line: &'a CodeInfo,
    problem: &'a Problem,
}

/// Renders a refusal as a page.
pub fn render_refusal(problem: &Problem) -> askama::Result<String> {
    let line = problem.code.info();
    RefusalPage { page: PageHead { path: "", title: line.title }, line, problem }.render()
}

#[cfg(test)]
mod tests {
    use platform::refusal::codes::Code;

    use super::*;

    #[test]
    fn refusal_text_is_escaped() {
        let problem = Problem::new(Code::NotFound, "<img onerror=\"x\">");
        let html = render_refusal(&problem).unwrap();
        assert!(html.contains("&lt;img onerror=&quot;x&quot;&gt;") && !html.contains("<img"));
        assert!(html.contains("404") && !html.contains("{{"));
    }
}
