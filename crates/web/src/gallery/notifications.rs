//! The form that switches mails on or off, and the page that stops them from a link in a mail.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::authentication;
use caraplace_http::request::query::QueryParams;
use caraplace_http::request::viewer_cookies::redirect_to;
use caraplace_http::response::no_store::no_store;
use caraplace_http::response::problem::Problem;
use caraplace_http::state::HttpState;
use caraplace_news::notifications::{settings, unsubscribe};
use platform::refusal::codes::Code;

use super::account::require_viewer;
use super::form::GalleryForm;
use super::page::render_gallery_page;
use crate::pages::head::PageHead;

/// The page that stops mails.
#[derive(Template)]
#[template(path = "gallery/unsubscribe.html")]
struct UnsubscribePage<'a> {
    page: PageHead<'a>,
    /// The token of the link; `None` after the mails were stopped.
    token: Option<&'a str>,
}

impl<'a> UnsubscribePage<'a> {
    fn new(title: &'a str, token: Option<&'a str>, has_pages: bool) -> Self {
        Self { page: PageHead { has_pages, ..PageHead::new("/gallery", title) }, token }
    }
}

/// Switches mails on or off.
pub async fn set_notifications(
    app: Data<App>,
    http_state: Data<HttpState>,
    mut form: GalleryForm,
) -> HandlerResult {
    let viewer = require_viewer(&app, &http_state, &mut form).await?;
    let is_wanted = form.field("mail") == "true";
    settings::set_mail(&app.state, &app.notifications, &viewer, is_wanted).await?;
    Ok(redirect_to("/gallery").finish())
}

/// Shows a button that stops mails. The page itself changes nothing, because programs open the links in
/// mails.
pub async fn unsubscribe_page(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
) -> HandlerResult {
    let token = read_token(&request)?;
    if !unsubscribe::is_valid(&app.state, &token) {
        return Err(invalid_token());
    }
    let page = UnsubscribePage::new("Stop mails", Some(&token), http_state.has_pages);
    render_gallery_page(no_store(HttpResponse::Ok()), &app, &page)
}

/// Stops mails. The token alone allows it, because mail programs send this request without a cookie and from
/// anywhere.
pub async fn unsubscribe(request: HttpRequest, app: Data<App>, http_state: Data<HttpState>) -> HandlerResult {
    let token = read_token(&request)?;
    if !unsubscribe::stop_mail(&app.state, &token).await? {
        return Err(invalid_token());
    }
    let page = UnsubscribePage::new("Mails are stopped", None, http_state.has_pages);
    render_gallery_page(no_store(HttpResponse::Ok()), &app, &page)
}

fn read_token(request: &HttpRequest) -> Result<String, Problem> {
    authentication::count_request(request, None)?;
    Ok(QueryParams::from_request(request)?.text("token")?.unwrap_or_default().to_owned())
}

fn invalid_token() -> Problem {
    Problem::new(Code::Forbidden, "This link is not complete, or is not ours.")
        .hint("Copy the whole link from the mail, or switch mails off on /gallery.")
}
