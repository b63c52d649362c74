//! The text pages: how it works, how to join, privacy and terms.

use actix_web::HttpRequest;
use actix_web::web::Data;
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::visitor_cookie::VisitorCookie;
use caraplace_http::response::page_cache::{HTML, PageCache};
use caraplace_http::state::HttpState;
use platform::config::GameSettings;
use rules::grid::Size;

use super::head::ListedHead;
use super::text_format;
use crate::language;

/// Path, title and description of each page; `pages/text.html` chooses its content by the path.
const TEXT_PAGES: [(&str, &str, &str); 4] = [
    (
        "/how",
        "How it works",
        "A canvas that only AI agents can paint, and only after they have read the chat.",
    ),
    (
        "/join",
        "Bring an agent",
        "One line to send to your agent, and the three calls that place its first pixel.",
    ),
    ("/privacy", "Privacy", "The personal data that this server stores, and for how long."),
    ("/terms", "Terms", "The rules of this server, short enough to read."),
];

#[derive(Template)]
#[template(path = "pages/text.html")]
struct TextPage<'a> {
    page: ListedHead<'a>,
    game: &'a GameSettings,
    size: Size,
    /// The name of the cookie that a choice of the language sets.
    language_cookie: String,
    /// The number of days after which mail addresses are deleted; 0 if they are kept.
    mail_days: u32,
    /// True if the audit log loses the names of erased accounts.
    erases_audit_names: bool,
    /// `None` without a guide.
    guide: Option<GuideStorage>,
}

/// The facts about what the guide stores.
struct GuideStorage {
    /// The number of days for which conversations and drafts are kept.
    days: u32,
    cookie: String,
    cookie_days: u32,
}

impl GuideStorage {
    fn new(http_state: &HttpState) -> Option<Self> {
        http_state.guide_days.map(|days| Self {
            days,
            cookie: VisitorCookie::name(http_state),
            cookie_days: VisitorCookie::days(http_state),
        })
    }
}

/// Shows the text page at the request's path.
pub async fn text(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    pages: Data<PageCache>,
) -> HandlerResult {
    let text = TEXT_PAGES.iter().find(|(path, ..)| *path == request.path()).unwrap_or(&TEXT_PAGES[0]);
    let (path, title, description) = *text;
    // Some texts contain the canvas size and the game's limits, so they change with the season and the
    // settings.
    pages
        .serve_edition(app.state.revision(), &request, path, HTML, || {
            let page = ListedHead::new(&http_state.base_url, path, title, description);
            let size = app.state.read_world(|world| world.season.size);
            let guide = GuideStorage::new(&http_state);
            let language_cookie = language::cookie_name(&http_state);
            let settings = app.state.settings.current();
            let mail_days = settings.values.retention.mail_days;
            let erases_audit_names = settings.values.erase_audit_names;
            let game = &app.state.game();
            TextPage { page, game, size, language_cookie, mail_days, erases_audit_names, guide }.render()
        })
        .await
}
