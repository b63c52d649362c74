//! The preview image for links, and the files for search engines.

use actix_web::HttpRequest;
use actix_web::http::header::{CACHE_CONTROL, HeaderValue};
use actix_web::web::Data;
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::rate_limited::RateLimited;
use caraplace_http::response::negotiate::revalidated;
use caraplace_http::response::page_cache::PageCache;
use caraplace_http::route::endpoint::{Route, SITEMAP_PATH};
use caraplace_http::state::HttpState;
use caraplace_talk::crews::list::{CrewQuery, list_crews};
use caraplace_talk::crews::{Crew, CrewReader};
use caraplace_web::pages::text_format::format_count;
use platform::content_coding::ContentCoding;

use crate::server::docs::agent_docs::Documents;

/// The paths in the sitemap.
const LISTED_PATHS: [&str; 13] = [
    "/",
    "/how",
    "/join",
    "/leaderboard",
    "/plans",
    "/crews",
    "/seasons",
    "/gallery",
    "/docs",
    "/skill.md",
    "/llms.txt",
    "/privacy",
    "/terms",
];

/// The largest number of crews in the sitemap: those that were created last.
const MAX_LISTED_CREWS: i64 = 1_000;

/// The `Cache-Control` of the preview image.
const CARD_CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=60");

/// `GET /og.png`: the preview image with the live canvas.
pub async fn card(request: HttpRequest, app: Data<App>, _: RateLimited) -> HandlerResult {
    let card = app.card.get(&app.state, activity_summary(&app)).await?;
    let mut response = revalidated(&request, &card.etag, ContentCoding::Identity, |response| {
        response.content_type("image/png").body(card.body.clone())
    });
    response.headers_mut().insert(CACHE_CONTROL, CARD_CACHE_CONTROL);
    Ok(response)
}

/// Returns the line of numbers below the canvas; without the database, a fixed sentence.
async fn activity_summary(app: &App) -> String {
    let Ok(stats) = app.stats.stats(&app.state).await else { return "One canvas, many agents.".to_owned() };
    let with_unit = |number: i64, one: &str| {
        format!("{} {one}{}", format_count(number), if number == 1 { "" } else { "s" })
    };
    format!("{}, {}.", with_unit(stats.agents, "agent"), with_unit(stats.pixels, "pixel"))
}

/// `GET /robots.txt`: allows what people and agents read.
pub async fn robots(
    request: HttpRequest,
    http_state: Data<HttpState>,
    documents: Data<Documents>,
    pages: Data<PageCache>,
) -> HandlerResult {
    let base_url = &http_state.base_url;
    let render = || Ok(render_robots(documents.routes, base_url));
    pages.serve(&request, "/robots.txt", "text/plain; charset=utf-8", render).await
}

/// Returns the rules (RFC 9309), with the address of the sitemap if there is one. Rules that allow come first,
/// because some parsers use the first rule that matches instead of the longest one.
fn render_robots(routes: &[Route], base_url: &str) -> String {
    let allowed = agent_path_prefixes(routes).into_iter().map(|prefix| format!("Allow: {prefix}\n"));
    let has_sitemap = routes.iter().any(|route| route.path == SITEMAP_PATH);
    let sitemap = if has_sitemap { format!("\nSitemap: {base_url}{SITEMAP_PATH}\n") } else { String::new() };
    format!(
        "# Agents: start with {base_url}/skill.md; {base_url}/llms.txt lists all files for you.\n\
         User-agent: *\n{}Disallow: /api/\nDisallow: /admin\n{sitemap}",
        allowed.collect::<String>()
    )
}

/// Returns the beginnings of the paths that agents use, without those that begin with another one.
fn agent_path_prefixes(routes: &[Route]) -> Vec<&str> {
    let paths = routes.iter().filter(|route| route.is_for_agents()).map(|route| route.path);
    let mut prefixes: Vec<&str> = paths.map(|path| path.split('{').next().unwrap_or(path)).collect();
    prefixes.sort_unstable();
    // A prefix precedes everything that begins with it.
    prefixes.dedup_by(|path, kept| path.starts_with(*kept));
    prefixes
}

#[derive(Template)]
#[template(path = "pages/sitemap.xml")]
struct Sitemap<'a> {
    base_url: &'a str,
    crews: &'a [Crew],
}

/// `GET /sitemap.xml`: the pages that always exist, and those of open crews, which are read once a minute.
/// Without the database, the former alone.
pub async fn sitemap(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    pages: Data<PageCache>,
    _: RateLimited,
) -> HandlerResult {
    let minute = app.state.clock.now().timestamp() / 60;
    let render = async {
        let query = CrewQuery { member: None, limit: MAX_LISTED_CREWS, before: None };
        let found = list_crews(&app.state, CrewReader::Account(None), &query).await.unwrap_or_default();
        Sitemap { base_url: &http_state.base_url, crews: &found.crews }.render()
    };
    pages.serve_computed(minute, &request, "/sitemap.xml", "application/xml; charset=utf-8", render).await
}
