//! What every page of the console has around it: the ways through it, the way out, and headers that keep it in.

use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderValue, LOCATION, REFERRER_POLICY,
};
use actix_web::{HttpResponse, HttpResponseBuilder};

use crate::http::request::auth_operator::CSRF_FIELD;
use crate::http::response::page_cache::HTML;
use crate::http::web::markup::escape;
use crate::http::web::pages::frame::{PageHead, RawPage};
use crate::operators::Operator;

/// The rooms of the console: address and name.
const ROOMS: &[(&str, &str)] = &[
    ("/admin", "Overview"),
    ("/admin/reports", "Reports"),
    ("/admin/appeals", "Appeals"),
    ("/admin/messages", "Messages"),
    ("/admin/agents", "Agents"),
    ("/admin/rollbacks", "Roll back"),
    ("/admin/seasons", "Seasons"),
    ("/admin/settings", "Settings"),
    ("/admin/passes", "Passes"),
    ("/admin/keys", "Keys"),
    ("/admin/audit", "Audit log"),
];
/// Nothing from elsewhere, nothing written into the page, and no frame around it.
const CSP: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// A room of the console: its address, its title and its content, as HTML.
pub struct Room<'a> {
    pub path: &'a str,
    pub title: &'a str,
    pub body: String,
}

impl Room<'_> {
    /// The room as it is shown to an operator.
    pub fn show(self, operator: &Operator) -> HttpResponse {
        let main = format!(
            "<main class=\"page console\" id=\"text\">{}<h1>{}</h1>{}</main>",
            head(operator, self.path),
            escape(self.title),
            self.body
        );
        html(StatusCode::OK, self.title, main)
    }
}

/// A page with these headers, signed in or not.
pub fn html(status: StatusCode, title: &str, main: String) -> HttpResponse {
    let page = RawPage { page: PageHead { path: "/admin", title }, main };
    closed(HttpResponse::build(status)).content_type(HTML).body(page.to_string())
}

/// Leads to another page of ours.
pub fn lead(to: &str) -> HttpResponseBuilder {
    let mut response = closed(HttpResponse::SeeOther());
    response.insert_header((LOCATION, to));
    response
}

fn closed(mut response: HttpResponseBuilder) -> HttpResponseBuilder {
    response.insert_header((CONTENT_SECURITY_POLICY, CSP));
    response.insert_header((CACHE_CONTROL, HeaderValue::from_static("no-store")));
    // Browsers say where a form comes from only where they may say where they come from.
    response.insert_header((REFERRER_POLICY, HeaderValue::from_static("same-origin")));
    response
}

/// The hidden field that each form of a page carries.
pub fn csrf(operator: &Operator) -> String {
    hidden(CSRF_FIELD, operator.csrf.as_deref().unwrap_or_default())
}

/// A field that is sent with a form and not shown.
pub fn hidden(name: &str, value: &str) -> String {
    format!("<input type=\"hidden\" name=\"{name}\" value=\"{}\">", escape(value))
}

fn head(operator: &Operator, here: &str) -> String {
    let current = |path: &str| if path == here { " aria-current=\"page\"" } else { "" };
    let rooms = ROOMS.iter().map(|(path, name)| format!("<a href=\"{path}\"{}>{name}</a>", current(path)));
    format!(
        "<div class=\"rooms\"><nav class=\"tabs\" aria-label=\"Console\">{}</nav>\
         <form method=\"post\" action=\"/admin/sign-out\">{}<span class=\"quiet\">{}</span> \
         <button>Sign out</button></form></div>",
        rooms.collect::<String>(),
        csrf(operator),
        escape(&operator.name),
    )
}
