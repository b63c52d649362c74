//! `/gallery`: what a pass is, where it is bought, and what its holder may change.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use chrono::{DateTime, Utc};

use crate::app::App;
use crate::gallery::sale::{self, Unsold};
use crate::gallery::sessions;
use crate::gallery::tiers::Tier;
use crate::gallery::viewers::{self, ViewerMe};
use crate::http::Answer;
use crate::http::request::authentication;
use crate::http::request::viewer_cookies::{Cookies, private};
use crate::http::response::headers;
use crate::http::response::page_cache::HTML;
use crate::http::state::HttpState;
use crate::http::web::assets;
use crate::http::web::markup;
use crate::http::web::markup::escape;
use crate::http::web::pages::frame::Page;
use crate::http::web::pages::words::{name, span};
use crate::log::roster::Agent;
use crate::refusal::Refusal;

/// Whoever is signed in.
struct Guest {
    me: ViewerMe,
    pays: bool,
    unsold: Option<Unsold>,
}

/// The page. It sets the cookie that its forms are bound to.
pub async fn page(request: HttpRequest, app: Data<App>, door: Data<HttpState>) -> Answer {
    authentication::count(&request, None)?;
    let mut cookies = Cookies::of(&request, &door);
    let mut response = private(HttpResponse::Ok());
    let guest = guest(&app, &door, &mut cookies, &mut response).await?;
    cookies.form(&door, &mut response)?;
    let token = cookies.token().map(|token| token.to_hex().to_string()).unwrap_or_default();
    let main = markup::fill(&assets::template("pages/gallery.html"), &values(&app, guest.as_ref(), &token));
    let description = "For people who would like to say something to the machines. Watching stays free.";
    let page =
        Page { path: "/gallery", title: "The Gallery Pass", description, styles: &["page", "desk"], main };
    Ok(sent(response, &app, page.html(&door.base_url)))
}

/// A page with forms of ours that may lead to where people pay.
pub fn sent(mut response: HttpResponseBuilder, app: &App, html: String) -> HttpResponse {
    let targets = format!("form-action 'self' https: {}", app.gallery.pays_at().unwrap_or_default());
    let policy = headers::CSP.replace("form-action 'self'", targets.trim());
    // Without a referrer browsers do not say either that a form comes from here.
    response.insert_header(("Referrer-Policy", "same-origin"));
    response.insert_header(("Content-Security-Policy", policy)).content_type(HTML).body(html)
}

/// A short page with one thing to say: title, lead, heading, and the rest as HTML.
pub fn note([title, lead, head]: [&str; 3], body: String) -> String {
    let values = [("title", escape(title)), ("lead", escape(lead)), ("head", escape(head)), ("body", body)];
    let main = markup::fill(&assets::template("pages/gallery-note.html"), &values);
    Page { path: "/gallery", title, description: "", styles: &["page", "desk"], main }.unlisted()
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

fn values(app: &App, guest: Option<&Guest>, token: &str) -> Vec<(&'static str, String)> {
    let unsold = guest.and_then(|guest| guest.unsold);
    vec![
        ("viewer_message", span(app.state.game().viewer_message_seconds)),
        ("yours", guest.map(|guest| yours(guest, token)).unwrap_or_default()),
        ("buy", unsold.map_or_else(|| buy(app, token), |why| format!("        <p>{}</p>\n", said(why)))),
        ("back", if guest.is_none() { back(app, token) } else { String::new() }),
    ]
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

fn filled(file: &str, token: &str, values: &[(&str, String)]) -> String {
    let mut all = vec![("token", token.to_owned())];
    all.extend_from_slice(values);
    markup::fill(&assets::template(file), &all)
}

fn buy(app: &App, token: &str) -> String {
    if !app.gallery.sells() {
        return assets::template("pages/gallery-closed.html");
    }
    let usual = app.state.game().viewer_message_seconds;
    let seconds = |tier: &Tier| tier.interval.map_or(usual, i32::unsigned_abs);
    let tier = |tier: &Tier| {
        let interval = span(seconds(tier));
        let values = [("tier", escape(tier.id)), ("name", escape(tier.name)), ("interval", interval)];
        filled("pages/gallery-tier.html", token, &values)
    };
    let tiers = app.gallery.tiers.sold().map(tier).collect();
    markup::fill(&assets::template("pages/gallery-open.html"), &[("tiers", tiers)])
}

fn back(app: &App, token: &str) -> String {
    let lost = app.gallery.sends_mail().then(|| filled("pages/gallery-lost.html", token, &[]));
    filled("pages/gallery-back.html", token, &[("lost", lost.unwrap_or_default())])
}

fn yours(guest: &Guest, token: &str) -> String {
    let viewer = &guest.me.viewer;
    let portal = if guest.pays { filled("pages/gallery-portal.html", token, &[]) } else { String::new() };
    let values = [
        ("name", name(&viewer.name)),
        ("value", escape(&viewer.name)),
        ("standing", standing(guest, viewer.pass_until)),
        ("portal", portal),
    ];
    filled("pages/gallery-yours.html", token, &values)
}

fn standing(guest: &Guest, until: Option<DateTime<Utc>>) -> String {
    match until {
        Some(until) if guest.me.may_speak => format!("Your pass lasts until {}.", moment(until)),
        Some(until) if guest.unsold == Some(Unsold::Holds) => {
            let until = moment(until);
            format!("Your pass lasts until {until}. An operator keeps you from writing now: you can read.")
        }
        Some(until) => format!("Your pass ended on {}: you can read, but not write.", moment(until)),
        None => "You hold no pass now: you can read, but not write.".to_owned(),
    }
}

fn moment(at: DateTime<Utc>) -> String {
    let (exact, said) = (at.format("%Y-%m-%dT%H:%M:%SZ"), at.format("%-d %B %Y, %H:%M UTC"));
    format!("<time datetime=\"{exact}\">{said}</time>")
}
