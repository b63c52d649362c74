//! `/gallery`: describes and sells the Gallery Pass, and lets viewers change their name and key.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use askama::Template;
use caraplace_accounts::gallery::eligibility::{self, Ineligible};
use caraplace_accounts::gallery::price::Price;
use caraplace_accounts::gallery::sessions;
use caraplace_accounts::gallery::tiers::Tier;
use caraplace_accounts::gallery::viewers::{self, ViewerStatus};
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::authentication;
use caraplace_http::request::viewer_cookies::ViewerCookies;
use caraplace_http::response::no_store::no_store;
use caraplace_http::response::page_cache::HTML;
use caraplace_http::state::HttpState;
use caraplace_log::identity::Identity;
use caraplace_news::inbox::private;
use caraplace_news::notifications::settings::{self, NotificationStatus};
use futures_util::future::join_all;
use platform::refusal::Refusal;

use crate::content_policy::CSP;
use crate::pages::head::{ListedHead, PageHead};
use crate::pages::text_format;

#[derive(Template)]
#[template(path = "gallery/page.html")]
struct GalleryPage<'a> {
    page: ListedHead<'a>,
    /// The CSRF token of the forms.
    form_token: String,
    /// The number of seconds between two messages of a viewer.
    message_seconds: u32,
    /// The time between two direct messages of a viewer, such as "10 minutes"; `None` if there is none.
    whisper_interval: Option<String>,
    viewer: Option<SignedInViewer>,
    /// The reason why this viewer cannot buy a pass, if any.
    ineligible_reason: Option<&'static str>,
    /// `None` if the server sells no passes.
    offers: Option<Vec<Offer<'a>>>,
    sends_mail: bool,
}

/// The viewer who is signed in.
struct SignedInViewer {
    me: ViewerStatus,
    /// The number of unread direct messages.
    unread_direct: i64,
    is_customer: bool,
    notifications: NotificationStatus,
    ineligible: Option<Ineligible>,
}

impl SignedInViewer {
    fn has_pass(&self) -> bool {
        self.ineligible == Some(Ineligible::HasPass)
    }
}

/// A tier that is for sale.
struct Offer<'a> {
    tier: &'a Tier,
    /// The price; `None` if it is not known now.
    price: Option<Price>,
    /// The time between two messages, such as "5 minutes".
    interval: String,
}

/// A short page with a single notice; search engines do not list it.
#[derive(Template)]
#[template(path = "gallery/note.html")]
pub struct NotePage<'a> {
    page: PageHead<'a>,
    lead: &'a str,
    heading: &'a str,
    body: NoteBody<'a>,
}

/// The body of a notice.
pub enum NoteBody<'a> {
    /// A new key, which is shown once.
    Key(&'a str),
    /// A form that uses a link sent by mail.
    Link { token: String, link: &'a str },
    /// A new key of a viewer who has paid twice.
    DuplicateKey(&'a str),
    /// A paragraph, and a link to `/gallery`.
    Advice(&'a str),
    /// Only a link to `/gallery`.
    Back,
}

impl NoteBody<'_> {
    fn is_duplicate(&self) -> bool {
        matches!(self, Self::DuplicateKey(_))
    }
}

impl<'a> NotePage<'a> {
    /// Returns a notice with a title, a lead and a heading.
    pub const fn new([title, lead, heading]: [&'a str; 3], body: NoteBody<'a>) -> Self {
        Self { page: PageHead::new("/gallery", title), lead, heading, body }
    }

    /// Returns a notice with a title, a lead and a heading, whose body is a paragraph.
    pub const fn advice(titles: [&'a str; 3], advice: &'a str) -> Self {
        Self::new(titles, NoteBody::Advice(advice))
    }
}

/// Shows the page, and sets the cookie that binds its forms to the browser.
pub async fn page(request: HttpRequest, app: Data<App>, http_state: Data<HttpState>) -> HandlerResult {
    authentication::count_request(&request, None)?;
    let mut cookies = ViewerCookies::from_request(&request, &http_state);
    let mut response = no_store(HttpResponse::Ok());
    let viewer = load_signed_in_viewer(&app, &http_state, &mut cookies, &mut response).await?;
    cookies.ensure_form_secret(&http_state, &mut response)?;
    let offers = if app.gallery.can_sell() { Some(load_offers(&app).await) } else { None };
    let description = "For people who want to talk with the machines. Watching is free.";
    let page = GalleryPage {
        page: ListedHead::new(&http_state.base_url, "/gallery", "The Gallery Pass", description),
        form_token: cookies.form_token(),
        message_seconds: app.state.game().viewer_message_seconds,
        whisper_interval: Some(app.state.game().whisper_seconds)
            .filter(|seconds| *seconds > 0)
            .map(text_format::format_interval),
        ineligible_reason: viewer.as_ref().and_then(|viewer| viewer.ineligible).map(ineligible_text),
        viewer,
        offers,
        sends_mail: app.gallery.can_send_mail(),
    };
    render_gallery_page(response, &app, &page)
}

/// Responds with a page whose forms can redirect to the payment provider.
pub fn render_gallery_page(
    mut response: HttpResponseBuilder,
    app: &App,
    page: &impl Template,
) -> HandlerResult {
    let targets =
        format!("form-action 'self' https: {}", app.gallery.insecure_payment_origin().unwrap_or_default());
    let policy = CSP.replace("form-action 'self'", targets.trim());
    // With `no-referrer`, browsers would send `Origin: null` with forms, so their origin could not be
    // checked.
    response.insert_header(("Referrer-Policy", "same-origin"));
    Ok(response.insert_header(("Content-Security-Policy", policy)).content_type(HTML).body(page.render()?))
}

/// Returns the viewer who is signed in in this browser, and removes the cookie of an ended session.
pub async fn find_session_viewer(
    app: &App,
    http_state: &HttpState,
    cookies: &mut ViewerCookies,
    response: &mut HttpResponseBuilder,
) -> Result<Option<Identity>, Refusal> {
    let Some(session) = &cookies.session else { return Ok(None) };
    match sessions::find(&app.state, session).await {
        Ok(viewer) => Ok(Some(viewer)),
        Err(Refusal::KeyInvalid) => {
            cookies.sign_out(http_state, response);
            Ok(None)
        }
        Err(refusal) => Err(refusal),
    }
}

async fn load_signed_in_viewer(
    app: &App,
    http_state: &HttpState,
    cookies: &mut ViewerCookies,
    response: &mut HttpResponseBuilder,
) -> Result<Option<SignedInViewer>, Refusal> {
    let Some(viewer) = find_session_viewer(app, http_state, cookies, response).await? else {
        return Ok(None);
    };
    let me = viewers::status(&app.state, &app.gallery.tiers, &viewer).await?;
    let is_customer = app.gallery.can_sell() && app.gallery.customer(&app.state, &viewer).await?.is_some();
    let ineligible = eligibility::ineligibility(&app.state, &viewer).await?;
    let notifications = settings::status(&app.state, &app.notifications, &viewer).await?;
    let unread_direct = private::count(&app.state, &viewer).await?.direct;
    Ok(Some(SignedInViewer { me, unread_direct, is_customer, notifications, ineligible }))
}

/// Returns the reason why a viewer cannot buy a pass, in a sentence or two.
pub fn ineligible_text(ineligible: Ineligible) -> &'static str {
    match ineligible {
        Ineligible::HasPass => "You already have a pass.",
        Ineligible::Revoked => {
            "An operator has revoked your pass. A new one would not change that, so you cannot buy one."
        }
        Ineligible::BannedOrMuted => {
            "An operator has banned or muted you. A pass would not change that, so you cannot buy one now."
        }
    }
}

async fn load_offers(app: &App) -> Vec<Offer<'_>> {
    let default_seconds = app.state.game().viewer_message_seconds;
    let offers = app.gallery.tiers.for_sale().map(async |tier| {
        let seconds = tier.interval.map_or(default_seconds, i32::unsigned_abs);
        let price = app.gallery.price(&app.state, tier).await;
        Offer { tier, price, interval: text_format::format_interval(seconds) }
    });
    join_all(offers).await
}
