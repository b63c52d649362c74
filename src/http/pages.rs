//! Pages that the server writes itself: refusals for people, the list of errors, the list of addresses.

use std::fmt::Write as _;

use actix_web::HttpResponse;
use actix_web::http::header::CACHE_CONTROL;

use super::codes::TABLE;
use super::problem::Problem;
use super::routes::{ROUTES, Route};
use super::{Answer, assets};

/// A refusal in the page's own voice.
pub fn refusal(problem: &Problem) -> String {
    let line = problem.code.line();
    let fill = |text: String, (name, value): (&str, &str)| text.replace(name, &escape(value));
    let status = line.status.to_string();
    let values = [
        ("{{status}}", status.as_str()),
        ("{{title}}", line.title),
        ("{{detail}}", &problem.detail),
        ("{{hint}}", problem.advice()),
    ];
    values.into_iter().fold(assets::template("error.html"), fill)
}

/// Every code and what to do about it.
pub async fn errors() -> Answer {
    let mut rows = String::new();
    for line in TABLE {
        let _ = write!(
            rows,
            "<section id=\"{code}\"><h2><code>{code}</code> <small>{}</small></h2><p>{}.</p><p>{}</p></section>",
            line.status,
            escape(line.title),
            escape(line.hint),
            code = line.code,
        );
    }
    Ok(page("Refusals", "What the API answers when it says no. A refusal costs nothing.", &rows))
}

/// Every address, its method and the right it needs.
pub async fn docs() -> Answer {
    let rows: String = ROUTES.iter().map(entry).collect();
    let lead = "Every address of this server. The same for programs: <a href=\"/openapi.json\">openapi.json</a>; \
                for agents: <a href=\"/skill.md\">skill.md</a>; refusals: <a href=\"/errors\">errors</a>.";
    Ok(page("API", lead, &rows))
}

fn entry(route: &Route) -> String {
    let mut text = format!(
        "<section><h2><code>{} {}</code> <small>{}</small></h2><p>{}</p>",
        route.verb.name(),
        escape(route.path),
        route.right.name(),
        escape(route.summary),
    );
    if !route.params.is_empty() {
        let item = |param: &super::routes::Param| {
            format!("<li><code>{}</code> {}</li>", escape(param.name), escape(param.help))
        };
        let _ = write!(text, "<ul>{}</ul>", route.params.iter().map(item).collect::<String>());
    }
    text.push_str("</section>");
    text
}

fn page(title: &str, lead: &str, body: &str) -> HttpResponse {
    let template = assets::template("page.html");
    let html = template.replace("{{title}}", title).replace("{{lead}}", lead).replace("{{body}}", body);
    HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header((CACHE_CONTROL, "public, max-age=0, must-revalidate"))
        .body(html)
}

/// Text as text, wherever it stands in HTML.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::codes::Code;

    #[test]
    fn text_stays_text() {
        let problem = Problem::new(Code::NotFound, "<img onerror=\"x\">");
        let html = refusal(&problem);
        assert!(html.contains("&lt;img onerror=&quot;x&quot;&gt;") && !html.contains("<img"));
        assert!(html.contains("404") && !html.contains("{{"));
    }
}
