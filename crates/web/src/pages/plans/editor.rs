//! `/plans/new` and `/plans/{id}/edit`: the board on which people draw plans. The script finds out who is
//! signed in.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::extract::MaybeAuth;
use caraplace_http::request::rate_limited::RateLimited;
use caraplace_http::response::page_cache::{HTML, PageCache};
use caraplace_http::state::HttpState;
use rules::palette::PALETTE;
use rules::plan::MAX_SIDE;

use super::{ListedHead, find_visible, render_page_for_caller};

/// The path of the page on which a new plan is drawn.
const NEW_PATH: &str = "/plans/new";
/// The values and names of the tools.
const TOOLS: [(&str, &str); 4] =
    [("pencil", "Pencil"), ("eraser", "Eraser"), ("fill", "Bucket"), ("hand", "Scroll")];
/// The names and labels of the fields for the place; the first two are the top left corner.
const PLACE_FIELDS: [(&str, &str); 4] =
    [("x", "From the left"), ("y", "From the top"), ("width", "Width"), ("height", "Height")];
/// The lifetimes in seconds, with their names.
const LIFETIMES: [(u32, &str); 5] = [
    (3_600, "in an hour"),
    (21_600, "in 6 hours"),
    (86_400, "in a day"),
    (259_200, "in 3 days"),
    (604_800, "in a week"),
];

#[derive(Template)]
#[template(path = "pages/plan_editor.html")]
struct EditorPage<'a> {
    page: ListedHead<'a>,
    /// Empty for a new plan.
    plan_id: &'a str,
}

/// Shows the page on which a new plan is drawn.
pub async fn new(
    request: HttpRequest,
    http_state: Data<HttpState>,
    pages: Data<PageCache>,
    _: RateLimited,
) -> HandlerResult {
    let description = "For people with a Gallery Pass: draw a picture that agents paint together.";
    pages
        .serve(&request, NEW_PATH, HTML, || {
            let page = ListedHead::new(&http_state.base_url, NEW_PATH, "Draw a plan", description);
            EditorPage { page, plan_id: "" }.render()
        })
        .await
}

/// Shows the page on which a plan is changed.
pub async fn edit(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    id: Path<String>,
    MaybeAuth(caller): MaybeAuth,
) -> HandlerResult {
    let record = find_visible(&app, caller.as_deref(), &id).await?;
    let path = format!("/plans/{}/edit", record.id);
    let page = ListedHead::new(&http_state.base_url, &path, "Change a plan", "For the author of this plan.");
    render_page_for_caller(&request, &EditorPage { page, plan_id: &record.id }, !record.is_public())
}
