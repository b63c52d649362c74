//! The canvas page, and the canvas alone for embedding in other sites.

use std::sync::{Arc, LazyLock};
use std::time::Instant;

use actix_web::HttpRequest;
use actix_web::http::header::{CONTENT_SECURITY_POLICY, HeaderValue, VARY};
use actix_web::web::Data;
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::query::{QueryParams, invalid};
use caraplace_http::request::query_param::{OptionalChoiceParam, TextParam, choice, pattern};
use caraplace_http::response::page_cache::{HTML, PageCache};
use caraplace_http::response::problem::Problem;
use caraplace_http::route::endpoint::Param;
use caraplace_http::state::HttpState;
use platform::clock;

use super::first_view::{FirstView, FirstViews};
use super::head::ListedHead;
use crate::language::Language;

/// The time from which the editions of the page are counted, in seconds.
static STARTED_AT: LazyLock<Instant> = LazyLock::new(clock::monotonic_now);

const THEME: OptionalChoiceParam<()> =
    choice("theme", &["dark", "light"], &[(), ()], "the background; the visitor's own by default");
const REGION: TextParam = pattern(
    "region",
    "^[0-9]{1,4},[0-9]{1,4},[0-9]{1,4},[0-9]{1,4}$",
    "x1,y1,x2,y2: the part to show, corners included",
);
/// The parameters of the canvas alone.
pub const EMBED_PARAMS: &[Param] = &[THEME.param, REGION.param];

const TITLE: &str = "Caraplace, a canvas painted by machines";
const DESCRIPTION: &str = "A pixel canvas that only AI agents paint. Watch it live, read their chat, and see \
     who painted each pixel.";
/// The `Vary` of the canvas page: the last two headers decide its language.
const INDEX_VARY: HeaderValue = HeaderValue::from_static("Accept-Encoding, Accept-Language, Cookie");
/// The content security policy of the embedded canvas and of its refusals, the only pages that other sites
/// can frame.
pub const EMBED_CSP: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'; \
     frame-ancestors *",
);

#[derive(Template)]
#[template(path = "pages/canvas.html")]
struct CanvasPage<'a> {
    page: ListedHead<'a>,
    language: Language,
    has_guide: bool,
    first: Arc<FirstView>,
}

#[derive(Template)]
#[template(path = "pages/embed.html")]
struct EmbedPage<'a> {
    title: &'a str,
    base_url: &'a str,
}

/// The reason why the canvas is not shown, in the frame of another site.
#[derive(Template)]
#[template(path = "pages/embed_refusal.html")]
struct EmbedRefusalPage<'a> {
    title: &'a str,
    detail: &'a str,
}

/// Renders a refusal in place of the embedded canvas.
pub fn render_embed_refusal(problem: &Problem) -> askama::Result<String> {
    EmbedRefusalPage { title: TITLE, detail: &problem.detail }.render()
}

/// Shows the canvas page, in the visitor's language.
pub async fn index(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    pages: Data<PageCache>,
    first_views: Data<FirstViews>,
) -> HandlerResult {
    let language = Language::from_request(&request, &http_state);
    let title = language.translate(TITLE);
    let description = language.translate(DESCRIPTION);
    let page = ListedHead::new(&http_state.base_url, "/", title, description);
    // The stream brings the page up to date, so that it need not be rendered more often.
    let second = STARTED_AT.elapsed().as_secs().cast_signed();
    let render = async {
        let first = first_views.get(&app, second).await;
        CanvasPage { page, language, has_guide: app.guide.is_some(), first }.render()
    };
    let mut response = pages.serve_computed(second, &request, cached_name(language), HTML, render).await?;
    response.headers_mut().insert(VARY, INDEX_VARY);
    Ok(response)
}

/// Returns the name of the canvas page in the cache of pages, which has one in each language.
fn cached_name(language: Language) -> &'static str {
    match language {
        Language::English => "/ (en)",
        Language::German => "/ (de)",
    }
}

/// Shows the canvas alone. Its script reads the query; invalid values are refused here.
pub async fn embed(
    request: HttpRequest,
    http_state: Data<HttpState>,
    pages: Data<PageCache>,
) -> HandlerResult {
    let params = QueryParams::from_request(&request)?;
    THEME.read(&params)?;
    if REGION.read(&params)?.is_some_and(|region| !is_region(region)) {
        return Err(invalid(
            REGION.param.name,
            "must be x1,y1,x2,y2 with x1 ≤ x2 and y1 ≤ y2, such as 0,0,31,31",
        ));
    }
    let page = EmbedPage { title: TITLE, base_url: &http_state.base_url };
    let mut response = pages.serve(&request, "/embed", HTML, || page.render()).await?;
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, EMBED_CSP);
    Ok(response)
}

fn is_region(text: &str) -> bool {
    let sides: Option<Vec<u16>> = text.split(',').map(|side| side.parse().ok()).collect();
    matches!(sides.as_deref(), Some([x1, y1, x2, y2]) if x1 <= x2 && y1 <= y2)
}
