//! Timelapses: a stretch of the past as an animation.

use actix_web::HttpRequest;
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, HeaderValue};
use actix_web::web::Data;

use super::past::FOR_EVER;
use crate::app::App;
use crate::coding::Coding;
use crate::http::Answer;
use crate::http::request::extract::Visitor;
use crate::http::request::query::{Params, invalid, still_to_come};
use crate::http::response::codes::Code;
use crate::http::response::negotiate::kept;
use crate::http::response::problem::Problem;
use crate::past::moment::Moment;
use crate::past::timelapse::{Asked, Format, Plan, Unfit};

/// The last day goes on, minute by minute.
const A_MINUTE: &str = "public, max-age=60";
const SECONDS: std::ops::RangeInclusive<i64> = 1..=60;
const SCALES: std::ops::RangeInclusive<i64> = 1..=8;

/// As a GIF.
pub async fn gif(request: HttpRequest, app: Data<App>, _: Visitor) -> Answer {
    animation(&request, &app, Format::Gif).await
}

/// As an animated PNG.
pub async fn apng(request: HttpRequest, app: Data<App>, _: Visitor) -> Answer {
    animation(&request, &app, Format::Apng).await
}

async fn animation(request: &HttpRequest, app: &App, format: Format) -> Answer {
    let params = Params::of(request)?;
    let given = |name, range| match params.text(name)? {
        Some(_) => params.within(name, range, 1).map(Some),
        None => Ok(None),
    };
    let seconds = given("seconds", SECONDS)?.map(|seconds| seconds as u32);
    let scale = given("scale", SCALES)?.map(|scale| scale as u16);
    let (from, to) = (params.moment("from")?, params.moment("to")?);
    let plan = app.past.plan(Asked { format, from, to, seconds, scale }).await.map_err(refuse)?;
    let animation = app.past.timelapse(plan).await.map_err(refuse)?;
    let fixed = from.is_some_and(Moment::is_fixed) && to.is_some_and(Moment::is_fixed);
    let how_long = if fixed { FOR_EVER } else { A_MINUTE };
    Ok(kept(request, &animation.tag, Coding::Identity, how_long, |response| {
        response
            .insert_header((CONTENT_TYPE, HeaderValue::from_static(media_type(format))))
            .insert_header((CONTENT_DISPOSITION, file_name(&animation.plan)))
            .body(animation.bytes.clone())
    }))
}

fn media_type(format: Format) -> &'static str {
    match format {
        Format::Gif => "image/gif",
        Format::Apng => "image/png",
    }
}

fn file_name(plan: &Plan) -> String {
    let day = |time: chrono::DateTime<chrono::Utc>| time.format("%Y-%m-%dT%H%M").to_string();
    let ending = if plan.format == Format::Gif { "gif" } else { "png" };
    format!("inline; filename=\"caraplace-{}-to-{}.{ending}\"", day(plan.from.time), day(plan.to.time))
}

fn refuse(unfit: Unfit) -> Problem {
    match unfit {
        Unfit::StillToCome(name) => still_to_come(name),
        Unfit::Backwards => invalid("to", "must not be before from"),
        Unfit::OtherSeason => invalid("from", "must lie in the same season as to"),
        Unfit::TooMuch => {
            let detail = "The animation would have too many frames of too many pixels.";
            let hint = "Ask for fewer seconds, a smaller scale, or a shorter time from from to to.";
            Problem::field(Code::InvalidField, "seconds", detail).hint(hint)
        }
        Unfit::Refused(refusal) => refusal.into(),
    }
}
