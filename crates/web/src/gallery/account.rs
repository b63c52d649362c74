//! Handles the forms of `/gallery`: buying a pass, payments, a new name and a new key.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use caraplace_accounts::erasure;
use caraplace_accounts::gallery::{NewKeyAndSession, eligibility, viewers};
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::authentication::rate_limit_address_of;
use caraplace_http::request::viewer_cookies::{ViewerCookies, redirect_to};
use caraplace_http::response::no_store::no_store;
use caraplace_http::response::problem::Problem;
use caraplace_http::state::HttpState;
use caraplace_log::identity::Identity;
use platform::refusal::codes::Code;

use super::form::GalleryForm;
use super::page::{NoteBody, NotePage, find_session_viewer, ineligible_text, render_gallery_page};
use super::sessions::key_page;

/// Redirects to Stripe Checkout. A viewer whom a pass would not help cannot buy one.
pub async fn checkout(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    mut form: GalleryForm,
) -> HandlerResult {
    let tier = form.field("tier").to_owned();
    let tier = app.gallery.tiers.for_sale().find(|sold| sold.id == tier).filter(|_| app.gallery.can_sell());
    let tier = tier.ok_or_else(|| Problem::new(Code::NotFound, "This server does not sell such a pass."))?;
    http_state.rate_limits.count_checkout(rate_limit_address_of(&request)?)?;
    let mut response = no_store(HttpResponse::SeeOther());
    let viewer = find_session_viewer(&app, &http_state, &mut form.cookies, &mut response).await?;
    if let Some(viewer) = &viewer
        && let Some(ineligible) = eligibility::ineligibility(&app.state, viewer).await?
    {
        let page = NotePage::new(
            ["You cannot buy a pass", ineligible_text(ineligible), "What to do"],
            NoteBody::Back,
        );
        return render_gallery_page(no_store(HttpResponse::Conflict()), &app, &page);
    }
    let form_secret = form.cookies.extend_for_payment(&http_state, &mut response)?;
    let viewer = viewer.as_ref();
    let base_url = &http_state.base_url;
    let url = app.gallery.begin_checkout(&app.state, tier, viewer, &form_secret, base_url).await?;
    Ok(response.insert_header(("Location", url)).finish())
}

/// Redirects to Stripe's Billing Portal.
pub async fn portal(app: Data<App>, http_state: Data<HttpState>, mut form: GalleryForm) -> HandlerResult {
    let viewer = require_viewer(&app, &http_state, &mut form).await?;
    let url = app.gallery.open_portal(&app.state, &viewer, &http_state.base_url).await?;
    let url = url.ok_or_else(|| Problem::new(Code::NotFound, "This pass was granted by an operator."))?;
    Ok(no_store(HttpResponse::SeeOther()).insert_header(("Location", url)).finish())
}

/// Changes the viewer's name.
pub async fn name(app: Data<App>, http_state: Data<HttpState>, mut form: GalleryForm) -> HandlerResult {
    let viewer = require_viewer(&app, &http_state, &mut form).await?;
    let name = app.filters.parse_name(form.field("name")).await;
    viewers::rename(&app.state, &viewer, &name?).await?;
    Ok(redirect_to("/gallery").finish())
}

/// Replaces the viewer's key and shows the new one once.
pub async fn key(app: Data<App>, http_state: Data<HttpState>, mut form: GalleryForm) -> HandlerResult {
    let viewer = require_viewer(&app, &http_state, &mut form).await?;
    let NewKeyAndSession { session, key } = viewers::change_key(&app.state, &viewer).await?;
    let page = key_page(["A new key", "Your old key no longer works."], &key);
    let mut response = no_store(HttpResponse::Ok());
    ViewerCookies::sign_in(&http_state, &mut response, &session);
    render_gallery_page(response, &app, &page)
}

/// Erases the viewer's account.
pub async fn erase(app: Data<App>, http_state: Data<HttpState>, mut form: GalleryForm) -> HandlerResult {
    let viewer = require_viewer(&app, &http_state, &mut form).await?;
    erasure::erase_own(&app.state, &app.gallery.tiers, &viewer, form.field("confirm")).await?;
    let mut response = no_store(HttpResponse::Ok());
    form.cookies.sign_out(&http_state, &mut response);
    render_gallery_page(response, &app, &ERASED_PAGE)
}

const ERASED_PAGE: NotePage<'static> = NotePage::advice(
    ["Your account is erased", "Your name and your mail address are gone.", "What happens now"],
    "Your messages are deleted within minutes. A subscription is cancelled at Stripe: you need not do \
     anything.",
);

/// Returns the viewer who is signed in in the form's browser.
pub(crate) async fn require_viewer(
    app: &App,
    http_state: &HttpState,
    form: &mut GalleryForm,
) -> Result<Identity, Problem> {
    let viewer = find_session_viewer(app, http_state, &mut form.cookies, &mut HttpResponse::Ok()).await?;
    viewer.ok_or_else(|| {
        Problem::new(Code::KeyMissing, "You are not signed in here.").hint("Sign in on /gallery.")
    })
}
