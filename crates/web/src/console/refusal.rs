//! Refusals inside the console: the reason, and what was sent as a form to correct and to send again.

use actix_web::{HttpMessage as _, HttpRequest};
use askama::Template;
use caraplace_accounts::operators::Operator;
use caraplace_http::request::auth_operator::{AdminFormBody, CSRF_FIELD};
use caraplace_http::request::query::QueryParams;
use caraplace_http::response::problem::Problem;
use platform::refusal::codes::Code;

use super::form::find_referrer;
use super::layout::ConsolePage;
use super::wording::{describe_refusal, field_label};
use crate::pages::next_step;

/// The fields that forms send without a text to write: ids, and what buttons and ticks stand for.
const HIDDEN_FIELDS: [&str; 9] =
    ["after", "decision", "field", "hide", "hide_others", "ids", "key", "outcome", "report_id"];
/// The fields that are never shown. A form with one of them is not shown again.
const SECRET_FIELDS: [&str; 4] = ["code", "new_password", "password", "repeated"];
/// The number of characters from which a value is shown in several lines.
const MIN_LONG_CHARS: usize = 60;

#[derive(Template)]
#[template(path = "console/refusal.html")]
struct RefusalTemplate<'a> {
    page: ConsolePage<'a>,
    reason: String,
    next_step: Option<String>,
    /// `None` if nothing was sent that could be corrected.
    form: Option<SentForm<'a>>,
    /// The path of the page to go back to.
    back: String,
}

/// A form as it was sent.
struct SentForm<'a> {
    method: &'static str,
    action: &'a str,
    fields: Vec<SentField>,
}

/// A field of a form as it was sent.
struct SentField {
    name: String,
    label: String,
    value: String,
    is_hidden: bool,
    is_long: bool,
    /// True for the field that was refused.
    is_wrong: bool,
}

/// Renders a refusal of a page or a form of the console. Returns `None` if no operator has asked for it.
pub fn render_refusal(request: &HttpRequest, problem: &Problem) -> Option<askama::Result<String>> {
    let operator = request.extensions().get::<Operator>().cloned()?;
    let section = find_section(request.path());
    let template = RefusalTemplate {
        page: ConsolePage { path: section, title: find_title(problem.code, &operator), operator: &operator },
        reason: describe_refusal(problem),
        next_step: next_step(problem),
        form: SentForm::read(request, problem),
        back: find_referrer(request).unwrap_or_else(|| section.to_owned()),
    };
    Some(template.render())
}

/// Returns the title of a page that tells an operator of a refusal.
fn find_title(code: Code, operator: &Operator) -> &'static str {
    if code == Code::ScopeMissing && operator.session_id.is_some() {
        return "Your role may not do this";
    }
    code.info().title
}

/// Returns the page of the menu to which a path belongs.
fn find_section(path: &str) -> &str {
    const CONSOLE: &str = "/admin";
    let rest = path.strip_prefix("/admin/").unwrap_or_default();
    // A path of one part can be a form without a page.
    rest.find('/').map_or(CONSOLE, |length| &path[..CONSOLE.len() + 1 + length])
}

impl<'a> SentForm<'a> {
    /// Returns the form that a request has sent; `None` for a page without parameters, for a form with a
    /// secret, and if the operator may not send it.
    fn read(request: &'a HttpRequest, problem: &Problem) -> Option<Self> {
        if problem.code == Code::ScopeMissing {
            return None;
        }
        let (method, params) = if request.method().is_safe() {
            ("get", QueryParams::from_request(request).ok()?)
        } else {
            let body = request.extensions().get::<AdminFormBody>().cloned()?;
            ("post", QueryParams::from_form(&body.0).ok()?)
        };
        if params.pairs().any(|(name, _)| SECRET_FIELDS.contains(&name)) {
            return None;
        }
        let wrong = problem.text_field("field").unwrap_or_default();
        let sent = params.pairs().filter(|(name, _)| *name != CSRF_FIELD);
        let mut fields: Vec<_> = sent.map(|(name, value)| SentField::new(name, value, wrong)).collect();
        if method == "get" && fields.is_empty() {
            return None;
        }
        if !wrong.is_empty() && !fields.iter().any(|field| field.name == wrong) {
            fields.push(SentField::new(wrong, "", wrong));
        }
        Some(Self { method, action: request.path(), fields })
    }
}

impl SentField {
    fn new(name: &str, value: &str, wrong: &str) -> Self {
        Self {
            name: name.to_owned(),
            label: field_label(name),
            value: value.to_owned(),
            is_hidden: HIDDEN_FIELDS.contains(&name),
            is_long: value.chars().count() >= MIN_LONG_CHARS || value.contains('\n'),
            is_wrong: name == wrong,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_belong_to_pages_of_the_menu() {
        for (path, section) in [
            ("/admin", "/admin"),
            ("/admin/announce", "/admin"),
            ("/admin/agents/agent_1/ban", "/admin/agents"),
            ("/admin/rollbacks/preview", "/admin/rollbacks"),
        ] {
            assert_eq!(find_section(path), section);
        }
    }
}
