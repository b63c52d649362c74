//! What someone does at the desk: buy, pay, choose a name, make a new key.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};

use super::desk::{Note, NoteBody, said, sent, signed_in};
use super::entry::key_page;
use super::posted::Posted;
use crate::app::App;
use crate::gallery::{Returned, sale, viewers};
use crate::http::Answer;
use crate::http::request::address;
use crate::http::request::viewer_cookies::{Cookies, to};
use crate::http::response::codes::Code;
use crate::http::response::private::private;
use crate::http::response::problem::Problem;
use crate::http::state::HttpState;
use crate::log::roster::Agent;

/// Off to Checkout. Nobody pays for what changes nothing.
pub async fn checkout(
    request: HttpRequest,
    app: Data<App>,
    door: Data<HttpState>,
    mut posted: Posted,
) -> Answer {
    let tier = posted.field("tier").to_owned();
    let tier = app.gallery.tiers.sold().find(|sold| sold.id == tier).filter(|_| app.gallery.sells());
    let tier = tier.ok_or_else(|| Problem::new(Code::NotFound, "This server does not sell such a pass."))?;
    door.limits.checkout(address::of(&request, &door.trusted_proxies))?;
    let mut response = private(HttpResponse::SeeOther());
    let viewer = signed_in(&app, &door, &mut posted.cookies, &mut response).await?;
    if let Some(viewer) = &viewer
        && let Some(why) = sale::unsold(&app.state, viewer).await?
    {
        let page = Note::new(["Nothing to pay", said(why), "What to do"], NoteBody::Back);
        return sent(private(HttpResponse::Conflict()), &app, &page);
    }
    let form = posted.cookies.payment(&door, &mut response)?;
    let buyer = (tier, viewer.as_ref());
    let url = app.gallery.begin_checkout(&app.state, buyer, &form, &door.base_url).await?;
    Ok(response.insert_header(("Location", url)).finish())
}

/// Off to the Billing Portal.
pub async fn portal(app: Data<App>, door: Data<HttpState>, mut posted: Posted) -> Answer {
    let viewer = holder(&app, &door, &mut posted).await?;
    let url = app.gallery.open_portal(&app.state, &viewer, &door.base_url).await?;
    let url = url.ok_or_else(|| Problem::new(Code::NotFound, "This pass was given, not bought."))?;
    Ok(private(HttpResponse::SeeOther()).insert_header(("Location", url)).finish())
}

/// Another name.
pub async fn name(app: Data<App>, door: Data<HttpState>, mut posted: Posted) -> Answer {
    let viewer = holder(&app, &door, &mut posted).await?;
    let name = app.filters.parse_name(posted.field("name")).await;
    viewers::rename(&app.state, &viewer, &name?).await?;
    Ok(to("/gallery").finish())
}

/// A new key.
pub async fn key(app: Data<App>, door: Data<HttpState>, mut posted: Posted) -> Answer {
    let viewer = holder(&app, &door, &mut posted).await?;
    let Returned { session, key } = viewers::change_key(&app.state, &viewer).await?;
    let page = key_page(["A new key", "The old one has stopped."], &key);
    let mut response = private(HttpResponse::Ok());
    Cookies::sign_in(&door, &mut response, &session);
    sent(response, &app, &page)
}

async fn holder(app: &App, door: &HttpState, posted: &mut Posted) -> Result<Agent, Problem> {
    let viewer = signed_in(app, door, &mut posted.cookies, &mut HttpResponse::Ok()).await?;
    viewer.ok_or_else(|| {
        Problem::new(Code::KeyMissing, "Nobody is signed in here.").hint("Sign in on /gallery.")
    })
}
