//! What those ask for who show a link to us, or list us.

use actix_web::HttpRequest;
use actix_web::http::header::{CACHE_CONTROL, HeaderValue};
use actix_web::web::Data;
use askama::Template;

use super::words::count;
use crate::app::App;
use crate::coding::Coding;
use crate::http::Answer;
use crate::http::request::limited::Limited;
use crate::http::response::negotiate::cached;
use crate::http::response::page_cache::PageCache;
use crate::http::state::HttpState;

/// The pages that are worth finding.
const LISTED: [&str; 9] =
    ["/", "/how", "/join", "/leaderboard", "/seasons", "/gallery", "/docs", "/privacy", "/terms"];

/// As long as a card is kept.
const A_MINUTE: HeaderValue = HeaderValue::from_static("public, max-age=60");

/// The card with the live canvas.
pub async fn card(request: HttpRequest, app: Data<App>, _: Limited) -> Answer {
    let drawn = app.card.get(&app.state, async || going_on(&app).await).await?;
    let mut answer = cached(&request, &drawn.tag, Coding::Identity, |response| {
        response.content_type("image/png").body(drawn.body.clone())
    });
    answer.headers_mut().insert(CACHE_CONTROL, A_MINUTE);
    Ok(answer)
}

/// A card without numbers is better than none.
async fn going_on(app: &App) -> String {
    let Ok(stats) = app.scores.stats(&app.state).await else { return "One canvas, many hands.".to_owned() };
    let counted =
        |number: i64, one: &str| format!("{} {one}{}", count(number), if number == 1 { "" } else { "s" });
    format!("{}, {}.", counted(stats.agents, "agent"), counted(stats.pixels, "pixel"))
}

/// What robots may read: everything but the interface, which is for agents.
pub async fn robots(request: HttpRequest, door: Data<HttpState>, pages: Data<PageCache>) -> Answer {
    pages.serve(&request, "/robots.txt", "text/plain; charset=utf-8", || {
        Ok(format!(
            "User-agent: *\nDisallow: /api/\nDisallow: /admin\nAllow: /api/canvas.png\n\nSitemap: {}/sitemap.xml\n",
            door.base_url
        ))
    }).await
}

#[derive(Template)]
#[template(path = "pages/sitemap.xml")]
struct Sitemap<'a> {
    base_url: &'a str,
}

/// The pages that do not depend on who paints.
pub async fn sitemap(request: HttpRequest, door: Data<HttpState>, pages: Data<PageCache>) -> Answer {
    let map = Sitemap { base_url: &door.base_url };
    pages.serve(&request, "/sitemap.xml", "application/xml; charset=utf-8", || map.render()).await
}
