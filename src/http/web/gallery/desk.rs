//! `/gallery`: what a pass is, where it is bought, and what its holder may change.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use askama::Template;

use crate::app::App;
use crate::gallery::sale::{self, Unsold};
use crate::gallery::sessions;
use crate::gallery::tiers::Tier;
use crate::gallery::viewers::{self, ViewerMe};
use crate::http::Answer;
use crate::http::request::authentication;
use crate::http::request::viewer_cookies::Cookies;
use crate::http::response::headers;
use crate::http::response::page_cache::HTML;
use crate::http::response::private::private;
use crate::http::state::HttpState;
use crate::http::web::pages::frame::{ListedHead, PageHead};
use crate::http::web::pages::words;
use crate::log::roster::Agent;
use crate::refusal::Refusal;

#[derive(Template)]
#[template(path = "gallery/desk.html")]
struct GalleryPage<'a> {
    page: ListedHead<'a>,
    /// What every form is bound by to the browser.
    token: String,
    /// Seconds between two messages of a person.
    message_seconds: u32,
    guest: Option<Guest>,
    /// Why the guest is sold no pass.
    unsold: Option<&'static str>,
    /// `None` if the server sells no passes.
    offers: Option<Vec<Offer<'a>>>,
    sends_mail: bool,
}

/// Whoever is signed in.
struct Guest {
    me: ViewerMe,
    pays: bool,
    unsold: Option<Unsold>,
}

impl Guest {
    fn holds_pass(&self) -> bool {
        self.unsold == Some(Unsold::Holds)
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
pub struct Note<'a> {
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

impl<'a> Note<'a> {
    /// Returns a note with a title, a lead and a heading.
    pub fn new([title, lead, heading]: [&'a str; 3], body: NoteBody<'a>) -> Self {
        Self { page: PageHead { path: "/gallery", title }, lead, heading, body }
    }
}

/// The page. It sets the cookie that its forms are bound to.
pub async fn page(request: HttpRequest, app: Data<App>, door: Data<HttpState>) -> Answer {
    authentication::count(&request, None)?;
    let mut cookies = Cookies::of(&request, &door);
    let mut response = private(HttpResponse::Ok());
    let guest = guest(&app, &door, &mut cookies, &mut response).await?;
    cookies.form(&door, &mut response)?;
    let description = "For people who would like to say something to the machines. Watching stays free.";
    let page = GalleryPage {
        page: ListedHead::new(&door.base_url, "/gallery", "The Gallery Pass", description),
        token: cookies.form_token(),
        message_seconds: app.state.game().viewer_message_seconds,
        unsold: guest.as_ref().and_then(|guest| guest.unsold).map(said),
        guest,
        offers: app.gallery.sells().then(|| offers(&app)),
        sends_mail: app.gallery.sends_mail(),
    };
    sent(response, &app, &page)
}

/// A page with forms of ours that may lead to where people pay.
pub fn sent(mut response: HttpResponseBuilder, app: &App, page: &impl Template) -> Answer {
    let targets = format!("form-action 'self' https: {}", app.gallery.pays_at().unwrap_or_default());
    let policy = headers::CSP.replace("form-action 'self'", targets.trim());
    // Without a referrer browsers do not say either that a form comes from here.
    response.insert_header(("Referrer-Policy", "same-origin"));
    Ok(response.insert_header(("Content-Security-Policy", policy)).content_type(HTML).body(page.render()?))
}

/// Whoever is signed in in this browser; a session that is over is taken away.
pub async fn signed_in(
    app: &App,
    door: &HttpState,
    cookies: &mut Cookies,
    response: &mut HttpResponseBuilder,
) -> Result<Option<Agent>, Refusal> {
    let Some(session) = &cookies.session else { return Ok(None) };
    match sessions::find(&app.state, session).await {
        Ok(viewer) => Ok(Some(viewer)),
        Err(Refusal::KeyInvalid) => {
            cookies.sign_out(door, response);
            Ok(None)
        }
        Err(refusal) => Err(refusal),
    }
}

async fn guest(
    app: &App,
    door: &HttpState,
    cookies: &mut Cookies,
    response: &mut HttpResponseBuilder,
) -> Result<Option<Guest>, Refusal> {
    let Some(viewer) = signed_in(app, door, cookies, response).await? else { return Ok(None) };
    let me = viewers::me(&app.state, &app.gallery.tiers, &viewer).await?;
    let pays = app.gallery.sells() && app.gallery.customer(&app.state, &viewer).await?.is_some();
    let unsold = sale::unsold(&app.state, &viewer).await?;
    Ok(Some(Guest { me, pays, unsold }))
}

/// Why somebody is sold no pass, in a sentence or two.
pub fn said(why: Unsold) -> &'static str {
    match why {
        Unsold::Holds => "You hold one.",
        Unsold::Revoked => {
            "An operator has taken your pass back. Another one would change nothing, so none is sold to you."
        }
        Unsold::Silenced => {
            "An operator keeps you from writing now. A pass would not change that, so none is sold to you meanwhile."
        }
    }
}

fn offers(app: &App) -> Vec<Offer<'_>> {
    let usual = app.state.game().viewer_message_seconds;
    let interval = |tier: &Tier| words::span(tier.interval.map_or(usual, i32::unsigned_abs));
    app.gallery.tiers.sold().map(|tier| Offer { tier, interval: interval(tier) }).collect()
}
