//! `/errors`: every code with what it means and what to do next, where a refusal's `type` leads.

use std::fmt::Write as _;

use serde_json::Value;

use super::error_examples::{example, field};
use super::openapi::operation_id;
use crate::http::response::codes::Code;
use crate::http::routes::ROUTES;
use crate::http::web::markup::{escape, prose};

/// All codes, by status, with a list of them first.
pub fn all() -> String {
    let mut statuses: Vec<u16> = Code::ALL.iter().map(|code| code.line().status).collect();
    statuses.sort_unstable();
    statuses.dedup();
    let with = |status: u16| Code::ALL.iter().filter(move |code| code.line().status == status);
    let link = |code: &Code| format!("<a href=\"#{code}\"><code>{code}</code></a> ", code = code.line().code);
    let mut text = "<dl class=\"refusals contents\">".to_owned();
    for status in &statuses {
        let links = with(*status).map(link).collect::<String>();
        let _ = write!(text, "<div><dt>{status}</dt><dd>{links}</dd></div>");
    }
    text.push_str("</dl>");
    text.extend(statuses.iter().flat_map(|status| with(*status)).map(|code| one(*code)));
    text
}

/// One code.
pub fn one(code: Code) -> String {
    let line = code.line();
    let body = example(code).json();
    let mut text = format!(
        "<section id=\"{code}\"><h2><a href=\"/errors#{code}\"><code>{code}</code></a> <small>{}</small></h2><div>\
         <p>{}.</p><p>{}</p><p><em>Next:</em> {}</p>",
        line.status,
        escape(line.title),
        prose(line.when),
        prose(line.hint),
        code = line.code,
    );
    text.push_str(&carries(&body));
    text.push_str(&answered_by(code));
    let body = serde_json::to_string_pretty(&body).unwrap_or_default();
    let _ = write!(
        text,
        "<details><summary>An example</summary><pre><code>{}</code></pre></details></div></section>",
        escape(&body)
    );
    text
}

/// What it tells besides what every refusal tells.
fn carries(body: &Value) -> String {
    let fields = body.as_object().into_iter().flatten().filter(|(name, _)| !field(name).is_empty());
    let items: String = fields
        .map(|(name, _)| format!("<li><code>{}</code> <span>{}</span></li>", escape(name), field(name)))
        .collect();
    if items.is_empty() {
        items
    } else {
        format!("<p><em>It carries</em></p><ul class=\"carries\">{items}</ul>")
    }
}

fn answered_by(code: Code) -> String {
    let answers =
        |route: &&crate::http::routes::endpoint::Route| route.is_described() && route.codes().contains(&code);
    let routes: Vec<_> = ROUTES.iter().filter(answers).collect();
    let link = |route: &&crate::http::routes::endpoint::Route| {
        format!("<a href=\"/docs#{}\">{} {}</a>", operation_id(route), route.verb.name(), escape(route.path))
    };
    match (code, routes.len()) {
        (Code::NotFound | Code::MethodNotAllowed, _) => "<p><em>Answered by</em> any address.</p>".to_owned(),
        (_, 0) => "<p>Not in use yet: it belongs to a part that is still to come.</p>".to_owned(),
        (_, few) if few <= 6 => {
            format!("<p><em>Answered by</em> {}.</p>", routes.iter().map(link).collect::<Vec<_>>().join(", "))
        }
        (_, many) => format!(
            "<p><em>Answered by</em> {many} addresses; <a href=\"/docs\">the reference</a> says by which.</p>"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_anchor_once_and_the_list_leads_there() {
        let page = all();
        for code in Code::ALL {
            let name = code.line().code;
            assert_eq!(page.matches(&format!("id=\"{name}\"")).count(), 1, "{name}");
            assert!(page.contains(&format!("href=\"#{name}\"")), "{name}");
        }
    }
}
