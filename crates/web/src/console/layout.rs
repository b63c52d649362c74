//! The layout and headers that all pages of the console share.

use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, LOCATION, REFERRER_POLICY,
};
use actix_web::{HttpResponse, HttpResponseBuilder};
use askama::Template;
use caraplace_accounts::operators::Operator;
use caraplace_http::HandlerResult;
use caraplace_http::response::page_cache::HTML;
use rules::operators::OperatorScope;

/// The content security policy of the console: nothing from other origins, nothing inline, no framing.
const CSP: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; \
     connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// The headers of all pages of the console.
pub const PAGE_HEADERS: [(HeaderName, HeaderValue); 3] = [
    (CONTENT_SECURITY_POLICY, CSP),
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    // With `no-referrer`, browsers would send `Origin: null` with forms, so their origin could not be
    // checked.
    (REFERRER_POLICY, HeaderValue::from_static("same-origin")),
];

/// The values of the console's layout.
pub struct ConsolePage<'a> {
    /// The path of the page's entry in the navigation.
    pub path: &'a str,
    pub title: &'a str,
    pub operator: &'a Operator,
}

impl ConsolePage<'_> {
    /// Returns the CSRF token for the page's forms; empty if the operator needs none.
    pub fn csrf(&self) -> &str {
        self.operator.csrf.as_deref().unwrap_or_default()
    }

    /// Returns true if the operator may decide reports and appeals, and apply sanctions.
    pub fn may_moderate(&self) -> bool {
        self.operator.scopes.contains(OperatorScope::Moderate)
    }

    /// Returns true if the operator may change settings, seasons, passes, drafts, names and announcements.
    pub fn may_manage(&self) -> bool {
        self.operator.scopes.contains(OperatorScope::Manage)
    }

    /// Returns true if the operator may see and change all operators.
    pub fn may_own(&self) -> bool {
        self.operator.scopes.contains(OperatorScope::Own)
    }

    /// Returns true if the session with this id is the one that asks for the page.
    pub fn is_own_session(&self, id: &str) -> bool {
        self.operator.session_id.as_deref() == Some(id)
    }
}

/// Returns a rendered page with the headers of the console.
pub fn render_page(template: &impl Template) -> HandlerResult {
    render_page_with_status(StatusCode::OK, template)
}

/// Returns a rendered page with this status and the headers of the console.
pub fn render_page_with_status(status: StatusCode, template: &impl Template) -> HandlerResult {
    Ok(with_headers(HttpResponse::build(status)).content_type(HTML).body(template.render()?))
}

/// Returns a redirect to another page of the server.
pub fn redirect(path: &str) -> HttpResponseBuilder {
    let mut response = with_headers(HttpResponse::SeeOther());
    response.insert_header((LOCATION, path));
    response
}

fn with_headers(mut response: HttpResponseBuilder) -> HttpResponseBuilder {
    for header in PAGE_HEADERS {
        response.insert_header(header);
    }
    response
}
