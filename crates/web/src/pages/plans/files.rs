//! `/plans/{id}/…`: the picture of a plan as an image, and the placements of its replay.

use actix_web::HttpRequest;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use actix_web::web::{Data, Path};
use caraplace_canvas::formats::content_etag;
use caraplace_canvas::history::point_in_time::PointInTime;
use caraplace_canvas::plans::image::encode_png;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::extract::MaybeAuth;
use caraplace_http::request::query::QueryParams;
use caraplace_http::request::work_account::work_caller;
use caraplace_http::response::negotiate::{cacheable, compressed_json};
use caraplace_http::response::no_store::NO_STORE;
use caraplace_moderation::actions::subject::plan_not_found;
use platform::concurrency::run_blocking;
use platform::content_coding::ContentCoding;
use rules::numbers::Seq;
use rules::plan::record::PlanRecord;

use super::find_visible;

/// The `Cache-Control` of the picture: a plan that is taken down disappears within a minute.
const IMAGE_CACHE_CONTROL: &str = "public, max-age=60";

/// Responds with the picture of a plan as a PNG.
pub async fn target_image(
    request: HttpRequest,
    app: Data<App>,
    id: Path<String>,
    MaybeAuth(caller): MaybeAuth,
) -> HandlerResult {
    let record = find_visible(&app, caller.as_deref(), &id).await?;
    image_response(&request, &record).await
}

/// Returns the response with the picture of a plan.
///
/// # Errors
/// `internal_error` if it cannot be encoded.
pub async fn image_response(request: &HttpRequest, record: &PlanRecord) -> HandlerResult {
    let target = record.target.clone();
    let image = run_blocking("rendering a plan", move || encode_png(&target)).await?;
    let mut response =
        cacheable(request, &content_etag(&image), ContentCoding::Identity, IMAGE_CACHE_CONTROL, |response| {
            response.insert_header((CONTENT_TYPE, HeaderValue::from_static("image/png"))).body(image)
        });
    if !record.is_visible_to(None) {
        response.headers_mut().insert(CACHE_CONTROL, NO_STORE);
    }
    Ok(response)
}

/// Responds with a page of the placements on the area of a plan.
pub async fn placements(
    request: HttpRequest,
    app: Data<App>,
    id: Path<String>,
    MaybeAuth(caller): MaybeAuth,
) -> HandlerResult {
    let record = find_visible(&app, caller.as_deref(), &id).await?;
    let after = QueryParams::from_request(&request)?.event_seq("after")?.unwrap_or(Seq::ZERO);
    let until = match &record.end {
        Some(end) => app.history.last_event_at(PointInTime::Time(end.at)).await?,
        None => Some(app.history.head()),
    };
    let until = until.ok_or_else(plan_not_found)?;
    let work_caller = work_caller(&request, caller.as_deref())?;
    let after = after.max(record.opened_seq());
    let page = app.history.read_area(&work_caller, record.target.area(), after, until).await?;
    let mut response = compressed_json(&request, page).await?;
    response.headers_mut().insert(CACHE_CONTROL, NO_STORE);
    Ok(response)
}
