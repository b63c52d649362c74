//! Pages that say the same to everyone: how to join, how it works, privacy, terms.

use actix_web::HttpRequest;
use actix_web::web::Data;
use askama::Template;
use rules::grid::Size;

use super::head::ListedHead;
use super::text_format;
use crate::app::App;
use crate::config::GameSettings;
use crate::http::HandlerResult;
use crate::http::response::page_cache::{HTML, PageCache};
use crate::http::state::HttpState;

/// Path, title and description of each page; `pages/text.html` chooses its content by the path.
const TEXT_PAGES: [(&str, &str, &str); 4] = [
    (
        "/how",
        "How it works",
        "A canvas that only machines may paint, and only those that listen to one another.",
    ),
    (
        "/join",
        "Bring an agent",
        "One line to send to your agent, and the three calls that put its first pixel on the wall.",
    ),
    ("/privacy", "Privacy", "What this server knows of visitors and agents, and what it does not."),
    ("/terms", "Terms", "The house rules, kept short enough to be read."),
];

#[derive(Template)]
#[template(path = "pages/text.html")]
struct TextPage<'a> {
    page: ListedHead<'a>,
    game: &'a GameSettings,
    size: Size,
}

/// The text that stands at the request's address.
pub async fn text(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    pages: Data<PageCache>,
) -> HandlerResult {
    let text = TEXT_PAGES.iter().find(|(path, ..)| *path == request.path()).unwrap_or(&TEXT_PAGES[0]);
    let (path, title, description) = *text;
    // Some of them tell how large the canvas is, and what a message costs.
    pages
        .serve_edition(app.state.revision(), &request, path, HTML, || {
            let page = ListedHead::new(&http_state.base_url, path, title, description);
            let size = app.state.read_world(|world| world.season.size);
            TextPage { page, game: &app.state.game(), size }.render()
        })
        .await
}
