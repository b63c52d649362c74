//! Adds security, request id and rate limit headers to every response, and renders refusals as pages.

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::ConnectionType;
use actix_web::http::header::{
    CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
    REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::middleware::Next;
use actix_web::web::{Bytes, Data};
use actix_web::{Error, HttpMessage as _, HttpRequest};
use caraplace_companion::app::App;
use caraplace_http::request::key_header::rewrite_key_header;
use caraplace_http::request::rate_limit_headers::RateLimitHeaders;
use caraplace_http::response::negotiate::wants_html;
use caraplace_http::response::no_store::protect_own_view;
use caraplace_http::response::problem::Problem;
use caraplace_http::response::request_metrics::RequestTracker;
use caraplace_http::response::{attention, cors};
use caraplace_http::state::HttpState;
use caraplace_web::content_policy::CSP;
use caraplace_web::{console, pages};
use tracing::Instrument as _;

use crate::server::docs::agent_docs::Documents;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const SKILL_VERSION: HeaderName = HeaderName::from_static("x-skill-version");
const RATELIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const RATELIMIT: HeaderName = HeaderName::from_static("ratelimit");
/// The HSTS header: browsers use only TLS for a year. Without `includeSubDomains`, because other hosts of the
/// domain may belong to others.
const HSTS: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Outermost middleware except the transport: measures the request, and adds headers to its response.
pub async fn add_response_headers(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let rewritten = rewrite_key_header(&mut request);
    let tracker = RequestTracker::start(&request);
    let response = match rewritten {
        Ok(()) => next.call(request).instrument(tracker.span()).await?.map_into_boxed_body(),
        Err(problem) => request.error_response(problem),
    };
    let response = attention::add_to_response(response).await;
    tracker.end(&response);
    let mut response = refusal_as_page(response);
    protect_own_view(&mut response);
    let request = response.request();
    let rate_limits = request.extensions_mut().remove::<RateLimitHeaders>().unwrap_or_default();
    let exposed = cors::headers_for_any_origin(request);
    let (is_secure, is_draining) = connection_state(request);
    let skill_version = skill_version(request);
    if is_draining {
        // A connection that stays open until the server stops could be closed while its next request is on
        // the way.
        response.response_mut().head_mut().set_connection_type(ConnectionType::Close);
    }
    let headers = response.headers_mut();
    if let Some(exposed) = exposed {
        cors::allow_any_origin(headers, exposed);
    }
    if is_secure {
        headers.insert(STRICT_TRANSPORT_SECURITY, HSTS);
    }
    insert_if_not_empty(headers, REQUEST_ID, tracker.id().to_owned());
    if let Some(version) = skill_version {
        headers.insert(SKILL_VERSION, version);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if is_html(headers) {
        // Pages with forms set `same-origin` themselves: with `no-referrer`, browsers send a null origin.
        set_default(headers, REFERRER_POLICY, "no-referrer");
        // The page that other sites can frame sets its own policy.
        set_default(headers, CONTENT_SECURITY_POLICY, CSP);
    }
    if !rate_limits.is_empty() {
        insert_if_not_empty(headers, RATELIMIT_POLICY, rate_limits.policy_header());
        insert_if_not_empty(headers, RATELIMIT, rate_limits.state_header());
    }
    Ok(response)
}

/// Returns the version of the files that agents read.
fn skill_version(request: &HttpRequest) -> Option<HeaderValue> {
    let app = request.app_data::<Data<App>>()?;
    let documents = request.app_data::<Data<Documents>>()?;
    Some(documents.version_header(&app.state))
}

/// Returns whether browsers use TLS, and whether the server is draining.
fn connection_state(request: &HttpRequest) -> (bool, bool) {
    let http_state = request.app_data::<Data<HttpState>>();
    http_state.map_or((false, false), |http_state| (http_state.is_secure, http_state.is_draining()))
}

/// Returns true for HTML. Other responses need no page policies, which would only make them larger: the
/// response to a placement has about 400 bytes.
fn is_html(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|media_type| media_type.as_bytes().starts_with(b"text/html"))
}

fn set_default(headers: &mut HeaderMap, name: HeaderName, value: &'static str) {
    if !headers.contains_key(&name) {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

fn insert_if_not_empty(headers: &mut HeaderMap, name: HeaderName, value: String) {
    if let (false, Ok(value)) = (value.is_empty(), HeaderValue::from_maybe_shared(Bytes::from(value))) {
        headers.insert(name, value);
    }
}

/// Renders a refusal outside the API as a page if the client accepts HTML. Both formats have `Vary: Accept`.
fn refusal_as_page(mut response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    let problem = response.response().error().and_then(|error| error.as_error::<Problem>());
    let Some(problem) = problem else { return response };
    let request = response.request();
    let path = request.path();
    if path == "/api" || path.starts_with("/api/") {
        return response;
    }
    // The page in place of one that does not exist is in the language of the visitor.
    let vary = if problem.code.info().status == 404 { "Accept, Accept-Language, Cookie" } else { "Accept" };
    let render = || {
        let rendered = render_refusal(request, problem);
        rendered.inspect_err(|error| tracing::error!(%error, "rendering a refusal failed")).ok()
    };
    let page = (wants_html(request) && shows_pages(request)).then(render).flatten();
    response.headers_mut().insert(VARY, HeaderValue::from_static(vary));
    let Some(RefusalHtml { html, headers }) = page else { return response };
    response.map_body(|head, _| {
        head.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        head.headers_mut().remove(CONTENT_LENGTH);
        for (name, value) in headers {
            head.headers_mut().insert(name, value);
        }
        BoxBody::new(html)
    })
}

/// Returns true if a refusal can be shown as a page: a server without pages for visitors has only those of
/// the console.
fn shows_pages(request: &HttpRequest) -> bool {
    let http_state = request.app_data::<Data<HttpState>>();
    request.path().starts_with("/admin") || http_state.is_none_or(|http_state| http_state.has_pages)
}

/// A refusal as a page.
struct RefusalHtml {
    html: String,
    /// The headers that only such a page has.
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// Renders a refusal as a page of the embedded canvas, of the console, or of the site.
fn render_refusal(request: &HttpRequest, problem: &Problem) -> askama::Result<RefusalHtml> {
    if request.path() == "/embed" {
        let headers = vec![(CONTENT_SECURITY_POLICY, pages::EMBED_CSP)];
        return Ok(RefusalHtml { html: pages::render_embed_refusal(problem)?, headers });
    }
    match console::render_refusal(request, problem) {
        Some(html) => Ok(RefusalHtml { html: html?, headers: Vec::from(console::PAGE_HEADERS) }),
        None => Ok(RefusalHtml { html: pages::render_refusal(request, problem)?, headers: Vec::new() }),
    }
}
