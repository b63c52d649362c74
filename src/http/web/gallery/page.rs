//! `/gallery`: what a pass is, where it is bought, and what its holder may change.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use askama::Template;

use crate::app::App;
use crate::gallery::eligibility::{self, Ineligible};
use crate::gallery::sessions;
use crate::gallery::tiers::Tier;
use crate::gallery::viewers::{self, ViewerStatus};
use crate::http::HandlerResult;
use crate::http::request::authentication;
use crate::http::request::viewer_cookies::ViewerCookies;
use crate::http::response::headers;
use crate::http::response::no_store::no_store;
use crate::http::response::page_cache::HTML;
use crate::http::state::HttpState;
use crate::http::web::pages::head::{ListedHead, PageHead};
use crate::http::web::pages::text_format;
use crate::log::key_cache::Agent;
use crate::refusal::Refusal;

#[derive(Template)]
#[template(path = "gallery/page.html")]
struct GalleryPage<'a> {
    page: ListedHead<'a>,
    /// What every form is bound by to the browser.
    form_token: String,
    /// Seconds between two messages of a person.
    message_seconds: u32,
    viewer: Option<SignedInViewer>,
    /// Why the guest is sold no pass.
    ineligible_reason: Option<&'static str>,
    /// `None` if the server sells no passes.
    offers: Option<Vec<Offer<'a>>>,
    sends_mail: bool,
}

/// Whoever is signed in.
struct SignedInViewer {
    me: ViewerStatus,
    is_customer: bool,
    ineligible: Option<Ineligible>,
}

impl SignedInViewer {
    fn has_pass(&self) -> bool {
        self.ineligible == Some(Ineligible::HasPass)
    }
}

/// A pass that is sold.
struct Offer<'a> {
    tier: &'a Tier,
    /// The time between two messages.
    interval: String,
}

/// A short page with one thing to say, of which search engines know nothing.
#[derive(Template)]
#[template(path = "gallery/note.html")]
pub struct NotePage<'a> {
    page: PageHead<'a>,
    lead: &'a str,
    heading: &'a str,
    body: NoteBody<'a>,
}

/// What a note says.
pub enum NoteBody<'a> {
    /// A new key, which is shown once.
    Key(&'a str),
    /// A form that uses up a link sent by mail.
    Link { token: String, link: &'a str },
    /// A paragraph, and the way back.
    Advice(&'a str),
    /// Only the way back.
    Back,
}

impl<'a> NotePage<'a> {
    /// Returns a note with a title, a lead and a heading.
    pub fn new([title, lead, heading]: [&'a str; 3], body: NoteBody<'a>) -> Self {
        Self { page: PageHead { path: "/gallery", title }, lead, heading, body }
    }
}

/// The page. It sets the cookie that its forms are bound to.
pub async fn page(request: HttpRequest, app: Data<App>, http_state: Data<HttpState>) -> HandlerResult {
    authentication::count_request(&request, None)?;
    let mut cookies = ViewerCookies::from_request(&request, &http_state);
    let mut response = no_store(HttpResponse::Ok());
    let viewer = load_signed_in_viewer(&app, &http_state, &mut cookies, &mut response).await?;
    cookies.ensure_form_secret(&http_state, &mut response)?;
    let description = "For people who would like to say something to the machines. Watching stays free.";
    let page = GalleryPage {
        page: ListedHead::new(&http_state.base_url, "/gallery", "The Gallery Pass", description),
        form_token: cookies.form_token(),
        message_seconds: app.state.game().viewer_message_seconds,
        ineligible_reason: viewer.as_ref().and_then(|guest| guest.ineligible).map(ineligible_text),
        viewer,
        offers: app.gallery.can_sell().then(|| offers(&app)),
        sends_mail: app.gallery.can_send_mail(),
    };
    render_gallery_page(response, &app, &page)
}

/// A page with forms of ours that may lead to where people pay.
pub fn render_gallery_page(
    mut response: HttpResponseBuilder,
    app: &App,
    page: &impl Template,
) -> HandlerResult {
    let targets =
        format!("form-action 'self' https: {}", app.gallery.insecure_payment_origin().unwrap_or_default());
    let policy = headers::CSP.replace("form-action 'self'", targets.trim());
    // Without a referrer browsers do not say either that a form comes from here.
    response.insert_header(("Referrer-Policy", "same-origin"));
    Ok(response.insert_header(("Content-Security-Policy", policy)).content_type(HTML).body(page.render()?))
}

/// Whoever is signed in in this browser; a session that is over is taken away.
pub async fn find_session_viewer(
    app: &App,
    http_state: &HttpState,
    cookies: &mut ViewerCookies,
    response: &mut HttpResponseBuilder,
) -> Result<Option<Agent>, Refusal> {
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
    Ok(Some(SignedInViewer { me, is_customer, ineligible }))
}

/// Why somebody is sold no pass, in a sentence or two.
pub fn ineligible_text(ineligible: Ineligible) -> &'static str {
    match ineligible {
        Ineligible::HasPass => "You hold one.",
        Ineligible::Revoked => {
            "An operator has taken your pass back. Another one would change nothing, so none is sold to you."
        }
        Ineligible::BannedOrMuted => {
            "An operator keeps you from writing now. A pass would not change that, so none is sold to you meanwhile."
        }
    }
}

fn offers(app: &App) -> Vec<Offer<'_>> {
    let default_seconds = app.state.game().viewer_message_seconds;
    let interval =
        |tier: &Tier| text_format::format_interval(tier.interval.map_or(default_seconds, i32::unsigned_abs));
    app.gallery.tiers.for_sale().map(|tier| Offer { tier, interval: interval(tier) }).collect()
}
