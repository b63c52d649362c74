//! `/api/timelapse`: a part of the history as an animation.

use actix_web::HttpRequest;
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, HeaderValue};
use actix_web::web::Data;
use caraplace_canvas::history::point_in_time::PointInTime;
use caraplace_canvas::history::timelapse::{
    DEFAULT_SECONDS, TimelapseError, TimelapseFormat, TimelapseRequest, TimelapseSpec,
};
use caraplace_companion::app::App;
use platform::content_coding::ContentCoding;
use platform::refusal::codes::Code;

use super::history::IMMUTABLE_CACHE_CONTROL;
use crate::HandlerResult;
use crate::request::extract::MaybeAuth;
use crate::request::query::{QueryParams, in_future, invalid};
use crate::request::query_param::{OptionalNumberParam, PointInTimeParam, number, point_in_time};
use crate::request::work_account::work_caller;
use crate::response::negotiate::cacheable;
use crate::response::problem::Problem;
use crate::route::endpoint::{Param, ParamDefault};

/// The `Cache-Control` of a timelapse up to now, which changes every minute.
const MINUTE_CACHE_CONTROL: &str = "public, max-age=60";

const FROM: PointInTimeParam =
    point_in_time("from", "the start: an event's number, or a time; 24 hours before the end by default");
const TO: PointInTimeParam =
    point_in_time("to", "the end: an event's number, or a time; this minute by default");
const SECONDS: OptionalNumberParam =
    number("seconds", 1..=60, "the length in seconds, {default} by default; the last frame stays for 2 more");
const SCALE: OptionalNumberParam =
    number("scale", 1..=8, "image pixels per pixel; chosen for about 512 by default");
/// The parameters of a timelapse.
pub const TIMELAPSE_PARAMS: &[Param] = &[
    FROM.param,
    TO.param,
    SECONDS.param.with_default(ParamDefault::Number(DEFAULT_SECONDS as i64)),
    SCALE.param,
];

/// Returns a timelapse as a GIF.
pub async fn gif(request: HttpRequest, app: Data<App>, caller: MaybeAuth) -> HandlerResult {
    animation(&request, &app, &caller, TimelapseFormat::Gif).await
}

/// Returns a timelapse as an animated PNG.
pub async fn apng(request: HttpRequest, app: Data<App>, caller: MaybeAuth) -> HandlerResult {
    animation(&request, &app, &caller, TimelapseFormat::Apng).await
}

async fn animation(
    request: &HttpRequest,
    app: &App,
    caller: &MaybeAuth,
    format: TimelapseFormat,
) -> HandlerResult {
    let params = QueryParams::from_request(request)?;
    let seconds = SECONDS.read(&params)?.map(|seconds| seconds as u32);
    let scale = SCALE.read(&params)?.map(|scale| scale as u16);
    let from = FROM.read(&params)?;
    let to = TO.read(&params)?;
    let spec = app
        .history
        .check_timelapse(TimelapseRequest { format, from, to, seconds, scale })
        .await
        .map_err(timelapse_problem)?;
    let caller = work_caller(request, caller.0.as_deref())?;
    let animation = app.history.timelapse(&caller, spec).await.map_err(timelapse_problem)?;
    let is_immutable =
        from.is_some_and(PointInTime::is_immutable) && to.is_some_and(PointInTime::is_immutable);
    let cache_control = if is_immutable { IMMUTABLE_CACHE_CONTROL } else { MINUTE_CACHE_CONTROL };
    Ok(cacheable(request, &animation.etag, ContentCoding::Identity, cache_control, |response| {
        response
            .insert_header((CONTENT_TYPE, HeaderValue::from_static(media_type(format))))
            .insert_header((CONTENT_DISPOSITION, file_name(&animation.spec)))
            .body(animation.bytes.clone())
    }))
}

fn media_type(format: TimelapseFormat) -> &'static str {
    match format {
        TimelapseFormat::Gif => "image/gif",
        TimelapseFormat::Apng => "image/png",
    }
}

fn file_name(spec: &TimelapseSpec) -> String {
    let day = |time: chrono::DateTime<chrono::Utc>| time.format("%Y-%m-%dT%H%M").to_string();
    let extension = if spec.format == TimelapseFormat::Gif { "gif" } else { "png" };
    format!("inline; filename=\"caraplace-{}-to-{}.{extension}\"", day(spec.from.time), day(spec.to.time))
}

fn timelapse_problem(error: TimelapseError) -> Problem {
    match error {
        TimelapseError::InFuture(name) => in_future(name),
        TimelapseError::EndBeforeStart => invalid(TO.param.name, "must not be before from"),
        TimelapseError::CrossesSeasons => invalid(FROM.param.name, "must be in the same season as to"),
        TimelapseError::TooLarge => {
            let detail = "The animation would have too many frames of too many pixels.";
            let hint = "Use fewer seconds, a smaller scale, or a shorter time between from and to.";
            Problem::for_field(Code::InvalidField, SECONDS.param.name, detail).hint(hint)
        }
        TimelapseError::Refused(refusal) => refusal.into(),
    }
}
